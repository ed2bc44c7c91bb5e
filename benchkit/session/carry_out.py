"""Carrying out a plan: execute, journal, tell listeners, report."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.journal import JournalError
from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.results import Results
from benchkit.report.stored_results import results_by_records
from benchkit.session.execution_options import ExecutionOptions
from benchkit.session.listeners import Listeners
from benchkit.session.plan import plan_suites
from benchkit.session.planned import Planned, PlannedFields
from benchkit.session.provenance import Provenance, command_line
from benchkit.session.request import Request
from benchkit.session.rounds import Rounds, check_most
from benchkit.session.run_collection import run_each
from benchkit.session.run_loop import RunLoop
from benchkit.session.trackers import chosen_trackers, make_trackers

if TYPE_CHECKING:
    from benchkit.execute.loop import Loop


def carry_out(request: Request, options: ExecutionOptions) -> Results:
    """Run what is asked, and return the results; nothing runs unless every suite can be planned."""
    _ = request.stored  # what cannot be opened is said before anything is planned
    collection, plans = plan_suites(request)
    end = None if request.within is None else time.monotonic() + request.within
    for planned in plans:
        if request.until_decided:
            check_most(planned)
        options.check(planned.registry, planned.loaded.suite.exclusive)
        options.check_loaded_code(planned.registry, planned.fingerprints)
        chosen_trackers(planned.registry, options.tracking)
    for problem in dict.fromkeys(str(problem) for planned in plans for problem in planned.registry.problems):
        options.watch.warn(problem)
    for warning in dict.fromkeys(warning for planned in plans for warning in planned.warnings):
        options.watch.warn(warning)

    def run_one(planned: Planned) -> Results:
        share = None
        if end is not None:
            left = len(plans) - next(place for place, each in enumerate(plans) if each is planned)
            share = max(0.0, end - time.monotonic()) / left
        planned = planned.with_rows_of_other_suites()  # one that ran just before it may have answered some
        rounds = Rounds(planned, share) if request.until_decided else None
        analysis = _run_suite(planned, request, options, rounds)
        if options.on_finished is not None:
            options.on_finished(analysis)
        return analysis.results

    return run_one(plans[0]) if collection.is_one else run_each(collection, plans, Path(request.out), run_one)


def _run_suite(planned: Planned, request: Request, options: ExecutionOptions, rounds: Rounds | None) -> Analysis:
    store, watch = planned.store, options.watch
    if rounds is not None:
        planned = rounds.replay(planned)
    with ExitStack() as stack:
        store.open()
        stack.callback(store.close)
        if request.fresh and not planned.reused:
            _forget(planned)
        session, provenance = _start(planned)
        chosen = chosen_trackers(planned.registry, options.tracking)
        trackers = make_trackers(chosen, watch.warn) if planned.left else {}
        executor_stack = stack.enter_context(ExitStack())
        loop = None
        if planned.left:  # workers start while the trackers do
            most = len(planned.trials if rounds is not None else planned.left)
            loop = _make_loop(planned, options, session, most, executor_stack)
        listeners = Listeners(planned.registry, watch, trackers)
        watch.started(session, len(planned.left))
        listeners.call("benchkit_run_started", run=session)
        run_loop = RunLoop(planned, session, provenance, listeners, watch, rounds)
        return run_loop.run(loop, executor_stack, options.plots, request.stored)


def _make_loop(planned: Planned, options: ExecutionOptions, session: Run, most: int, stack: ExitStack) -> Loop:
    """The executor of a run, entered into a stack, and the loop that hands trials to it."""
    # What runs trials imports scikit-learn, which takes longer than all that a run with nothing to do does.
    from benchkit.execute.loop import Loop
    from benchkit.execute.work import Workplace

    store, exclusive = planned.store, planned.loaded.suite.exclusive
    made = options.make_executor(planned.registry, most, exclusive, session.folder / "workers.log")
    place = Workplace(store.fits, options.memory, store.models if planned.keep_models else None, options.isolate)
    return Loop(stack.enter_context(made), place, options.timeout, options.retries, planned.registry)


def _forget(planned: Planned) -> None:
    """Let fits be done again, whose seconds belong to another run, and data be parsed again."""
    from benchkit.data.cache import forget
    from benchkit.trial.prepared import parsed_content

    shutil.rmtree(planned.store.fits, ignore_errors=True)
    for cell in {id(trial.dataset): trial.dataset for trial in planned.trials.values()}.values():
        forget(parsed_content(cell, planned.fingerprints))


def _start(planned: Planned) -> tuple[Run, Provenance]:
    """Make the run's folder and manifest."""
    now = datetime.now()
    try:
        folder = planned.store.new_run(now)
        provenance = Provenance(planned, folder, now.isoformat(timespec="seconds"))
    except OSError as error:
        raise JournalError(f"{planned.store.folder}: cannot write here: {error.strerror or error}") from None
    suite = planned.loaded.suite
    run = Run(
        suite=suite.name,
        title=suite.title,
        profile=planned.loaded.profile,
        id=folder.name,
        folder=folder,
        out=planned.store.folder.parent,
        planned=PlannedFields(planned.trials),
        metrics=tuple(suite.metrics),
        reused=tuple(planned.reused.values()),
        command=command_line(),
        results=results_by_records(folder, provenance.manifest),
    )
    return run, provenance
