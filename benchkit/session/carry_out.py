"""Carrying out a plan: execute, journal, tell listeners, report."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.check.reading import Limits
from benchkit.errors import RequestError
from benchkit.execute.executor import ExecutorUnavailableError, RunningExecutor
from benchkit.journal import JournalError
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.results import Results
from benchkit.report.stored_results import results_by_records
from benchkit.session.execution_options import ExecutionOptions
from benchkit.session.interruption import interruptible
from benchkit.session.listeners import Listeners, chosen_trackers, end_killed, is_logged, make_trackers, note_logged
from benchkit.session.plan import Plan, PlannedFields
from benchkit.session.planning import plan_suites
from benchkit.session.provenance import Provenance, command_line
from benchkit.session.request import Request
from benchkit.session.reuse import Reuse, look_at_other_suites, warnings_of
from benchkit.session.run_collection import run_each
from benchkit.session.run_loop import RunLoop

if TYPE_CHECKING:
    from benchkit.execute.loop import Loop


def carry_out(request: Request, options: ExecutionOptions) -> Results:
    """Run what is asked, and return the results; nothing runs unless every suite can be planned."""
    asked_at = time.perf_counter()
    _ = request.beside  # what cannot be opened is said before anything is planned
    collection, suites = plan_suites(request, Limits(options.timeout, options.memory))
    for plan in (reuse.plan for reuse in suites):
        options.check(plan)
    for warning in warnings_of(suites):
        options.watch.warn(warning)

    def run_one(reuse: Reuse) -> Results:
        nonlocal asked_at
        reuse = look_at_other_suites(reuse)  # one that ran just before it may have answered some
        analysis = _run_suite(reuse, options, asked_at)
        asked_at = time.perf_counter()  # of a collection's next suite
        if options.on_finished is not None:
            options.on_finished(analysis)
        return analysis.results

    return run_one(suites[0]) if collection.is_one else run_each(collection, suites, Path(request.out), run_one)


def _run_suite(reuse: Reuse, options: ExecutionOptions, asked_at: float) -> Analysis:
    plan, store, watch = reuse.plan, reuse.plan.store, options.watch
    chosen = chosen_trackers(plan.registry, options.tracking)
    end_killed(chosen, Path(plan.request.out), watch.warn, connects=False)
    with interruptible() as check_interrupts, ExitStack() as stack:
        store.open()
        stack.callback(store.close)
        if plan.request.fresh and not reuse.rows:
            _forget(reuse)
        session, provenance = _start(reuse)
        # A run with nothing to do is logged where none of its trials was: the one that ran them was stopped, or logged
        # nowhere.
        missing = [each for each in chosen if reuse.left or not is_logged(store.folder, each, reuse.trials)]
        trackers = make_trackers(missing if reuse.left or reuse.rows else [], watch.warn)
        executor_stack = stack.enter_context(ExitStack())
        loop = None
        if reuse.left:  # workers start while the trackers do
            loop = _make_loop(plan, options, session, len(reuse.left), executor_stack)
        listeners = Listeners(plan.registry, watch, trackers)
        watch.started(session, len(reuse.left))
        try:
            listeners.call("benchkit_run_started", run=session)
            run_loop = RunLoop(reuse, session, provenance, listeners, watch, check_interrupts, asked_at)
            analysis = run_loop.run(loop, executor_stack, options.plots, options.report)
        except BaseException:  # stopped while it reported, or the disk is full
            listeners.call("benchkit_run_stopped", run=session)
            raise
        for tracker in chosen:
            if listeners.heard_all(of(tracker)):
                note_logged(store.folder, tracker, run_loop.reuse.trials)
        return analysis


def _make_loop(plan: Plan, options: ExecutionOptions, session: Run, most: int, stack: ExitStack) -> Loop:
    """The executor of a run, entered into a stack, and the loop that hands trials to it."""
    # What runs trials imports scikit-learn, which takes longer than all that a run with nothing to do does.
    from benchkit.execute.loop import Loop
    from benchkit.execute.work import Workplace

    declared = plan.registry.executors[options.executor]
    who, warn = of(declared), options.watch.warn
    with guarded(f"{who}: make", passing=(RequestError,), raising=ExecutorUnavailableError):
        made = options.make_executor(plan, most, session.folder / "workers.log")
    with guarded(f"{who}: __enter__", passing=(RequestError,), raising=ExecutorUnavailableError):
        executor = made.__enter__()
    stack.push(partial(_leave, made, who, warn))
    models = plan.store.models if plan.request.keep_models else None
    place = Workplace(plan.store.fits, options.memory, models, options.isolate, plan.suite.keep.rows)
    foreign = not plan.registry.is_own(declared)
    return Loop(executor, place, options.timeout, options.retries, plan.registry, who=who, foreign=foreign)


def _leave(executor: RunningExecutor, who: str, warn: Callable[[str], None], *problem: Any) -> None:
    """Leave an executor; what it raises then changes no trial, each of which has its row."""
    with guarded(f"{who}: __exit__", warn):
        executor.__exit__(*problem)


def _forget(reuse: Reuse) -> None:
    """Let fits be done again, whose seconds belong to another run, and data be parsed again."""
    from benchkit.data.cache import forget
    from benchkit.trial.prepared import parsed_content

    shutil.rmtree(reuse.plan.store.fits, ignore_errors=True)
    for cell in {id(trial.dataset): trial.dataset for trial in reuse.trials.values()}.values():
        forget(parsed_content(cell, reuse.plan.fingerprints))


def _start(reuse: Reuse) -> tuple[Run, Provenance]:
    """Make the run's folder and manifest."""
    plan, suite, now = reuse.plan, reuse.plan.suite, datetime.now()
    try:
        folder = plan.store.new_run(now)
        provenance = Provenance(reuse, folder, now.isoformat(timespec="seconds"))
    except OSError as error:
        if error.errno in (None, errno.ENOMEM):  # want of memory is not the folder's fault
            raise
        raise JournalError(f"{plan.store.folder}: cannot write here: {error.strerror or error}") from None
    run = Run(
        suite=suite.name,
        title=suite.title,
        profile=plan.loaded.profile,
        id=folder.name,
        folder=folder,
        out=plan.store.folder.parent,
        planned=PlannedFields(reuse.trials),
        metrics=tuple(suite.metrics),
        reused=tuple(reuse.rows.values()),
        command=command_line(),
        results=results_by_records(folder, provenance.manifest),
    )
    return run, provenance
