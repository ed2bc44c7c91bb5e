"""Carrying out a plan: execute, journal, tell listeners, report."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.journal import JournalError
from benchkit.plugin.declarations import RowsBeside
from benchkit.plugin.manager import registry
from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.results import Results
from benchkit.report.stored_results import results_by_records
from benchkit.session.execution_options import ExecutionOptions
from benchkit.session.listeners import Listeners
from benchkit.session.notebook import default_progress
from benchkit.session.plan import plan_suites
from benchkit.session.planned import Planned, PlannedFields
from benchkit.session.progress import Progress
from benchkit.session.provenance import Provenance, command_line
from benchkit.session.rounds import Rounds, check_most
from benchkit.session.row_sources import open_rows
from benchkit.session.run_collection import run_each
from benchkit.session.run_loop import RunLoop
from benchkit.session.trackers import chosen_trackers, make_trackers

if TYPE_CHECKING:
    from benchkit.execute.loop import Loop


def run(
    suite: str | Mapping[str, Any],
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    jobs: int | None = None,
    executor: str = "local",
    executor_options: Mapping[str, Any] | None = None,
    only: Mapping[str, str | Sequence[str]] | None = None,
    settings: Mapping[str, Any] | None = None,
    plugins: Sequence[str | Path] = (),
    add: Sequence[str] = (),
    scheduler: str | None = None,
    timeout: float | None = None,
    memory: float | None = None,
    retries: int = 0,
    isolate: bool = False,
    shard: str | None = None,
    keep_models: bool = False,
    fresh: bool = False,
    against: str | Path | None = None,
    tracking: bool | str | Sequence[str] = False,
    plots: bool = False,
    until_decided: bool = False,
    within: float | None = None,
    most: int | None = None,
    progress: Progress | None = None,
    on_finished: Callable[[Analysis], None] | None = None,
) -> Results:
    """Run a suite, or all that a collection includes, and return the results.

    Nothing runs unless every suite can be planned. An interruption ends the suite that is running and leaves out the
    rest.

    Parameters
    ----------
    suite : str or mapping
        Name of a shipped suite, path of a YAML file, or what such a file says, as a mapping.
    profile : str, optional
        One of the suite's profiles.
    out : path, default="runs"
        Output folder.
    jobs : int, optional
        Worker processes; all processors by default, one if the suite is ``exclusive``.
    executor : str, default="local"
        Where trials run: ``local`` (worker processes), ``inline`` (this process), ``dask`` (a cluster), or what a
        plugin declares.
    executor_options : mapping, optional
        What the executor is told: names of its options, which ``benchkit show NAME`` lists, to values.
    only : mapping, optional
        Fields to values, or to sequences of values: run only trials that match.
    settings : mapping, optional
        Dotted suite keys to values that replace the suite's.
    plugins : sequence of path
        Plugin files. What one declares joins the suite, unless the suite names something of it itself.
    add : sequence of str
        Names of algorithms, adversaries, datasets and metrics that join the suite.
    scheduler : str, optional
        Address of a dask scheduler, such as ``tcp://host:8786``; without it ``dask`` starts a cluster on this machine.
        The same as ``executor_options={"scheduler": ...}``.
    timeout : float, optional
        Seconds a trial may take, from its start.
    memory : float, optional
        MB that a trial, its worker process and their children may hold.
    retries : int, default=0
        How often a trial is run again whose process died or whose machine was lost.
    isolate : bool, default=False
        Give each trial a fresh worker process.
    shard : str, optional
        ``"2/5"``: run the second of five parts; `benchkit.merge` joins them.
    keep_models : bool, default=False
        Store the fitted estimators, for `Results.load_model`.
    fresh : bool, default=False
        Run everything again, whatever the journal holds.
    against : str or Path, optional
        Published results: a folder, an address, or ``published``; or ``NAME:PLACE`` of a row source that a plugin
        declares. Methods whose rows there answer the suite's question are not run; their rows stand beside those that
        were.
    tracking : bool, str or sequence of str, default=False
        Log to MLflow, and to what else plugins declare; or to the trackers of these names alone. The command
        ``benchkit run`` does, unless told otherwise.
    plots : bool, default=False
        Draw plots into the run's folder.
    until_decided : bool, default=False
        Repeat until the suite's claims are decided; without claims, until it is known at every point which method is
        best, up to the suite's margin. The suite's ``repetitions: {least: 5, most: 200}`` are the fewest and the most.
    within : float, optional
        Seconds in which repetitions may go on; suites of a collection get equal shares of what is left.
    most : int, optional
        Repetitions at most, in place of the suite's.
    progress : Progress, optional
        Told what happens; by default a line of text in a notebook, and nobody elsewhere.
    on_finished : callable, optional
        Given the analysis of each suite's results when the suite has ended.

    Returns
    -------
    Results

    Raises
    ------
    SuiteError, JournalError
        The request cannot be carried out; one line says why.
    """
    options = ExecutionOptions(executor, jobs, scheduler, timeout, memory, retries, isolate, executor_options or {})
    watch = progress or default_progress()
    files = tuple(str(Path(name).resolve()) for name in plugins)
    beside = None if against is None else open_rows(against, registry(files))
    collection, plans = plan_suites(
        suite,
        profile=profile,
        out=out,
        only=only,
        settings=settings,
        plugins=plugins,
        add=add,
        shard=shard,
        keep_models=keep_models,
        fresh=fresh,
        until_decided=until_decided,
        within=within,
        most=most,
        against=beside,
    )
    end = None if within is None else time.monotonic() + within
    for planned in plans:
        if until_decided:
            check_most(planned)
        options.check(planned.registry, planned.loaded.suite.exclusive)
        options.check_loaded_code(planned.registry, planned.fingerprints)
        chosen_trackers(planned.registry, tracking)
    for problem in dict.fromkeys(str(problem) for planned in plans for problem in planned.registry.problems):
        watch.warn(problem)
    for warning in dict.fromkeys(warning for planned in plans for warning in planned.warnings):
        watch.warn(warning)

    def run_one(planned: Planned) -> Results:
        share = None
        if end is not None:
            left = len(plans) - next(place for place, each in enumerate(plans) if each is planned)
            share = max(0.0, end - time.monotonic()) / left
        planned = planned.with_rows_of_other_suites()  # one that ran just before it may have answered some
        rounds = Rounds(planned, share) if until_decided else None
        analysis = _run_suite(planned, options, watch, keep_models, fresh, tracking, plots, rounds, beside)
        if on_finished is not None:
            on_finished(analysis)
        return analysis.results

    return run_one(plans[0]) if collection.is_one else run_each(collection, plans, Path(out), run_one)


def _run_suite(
    planned: Planned,
    options: ExecutionOptions,
    watch: Progress,
    keep_models: bool,
    fresh: bool,
    tracking: bool | str | Sequence[str],
    plots: bool,
    rounds: Rounds | None,
    against: RowsBeside | None,
) -> Analysis:
    store = planned.store
    if rounds is not None:
        planned = rounds.replay(planned)
    with ExitStack() as stack:
        store.open()
        stack.callback(store.close)
        if fresh and not planned.reused:
            _forget(planned)
        session, provenance = _start(planned)
        trackers = make_trackers(chosen_trackers(planned.registry, tracking), watch.warn) if planned.left else {}
        executor_stack = stack.enter_context(ExitStack())
        loop = None
        if planned.left:  # workers start while the trackers do
            most = len(planned.trials if rounds is not None else planned.left)
            loop = _make_loop(planned, options, session, most, keep_models, executor_stack)
        listeners = Listeners(planned.registry, watch, trackers)
        watch.started(session, len(planned.left))
        listeners.call("benchkit_run_started", run=session)
        run_loop = RunLoop(planned, session, provenance, listeners, watch, rounds)
        return run_loop.run(loop, executor_stack, plots, against)


def _make_loop(
    planned: Planned, options: ExecutionOptions, session: Run, most: int, keep_models: bool, stack: ExitStack
) -> Loop:
    """The executor of a run, entered into a stack, and the loop that hands trials to it."""
    # What runs trials imports scikit-learn, which takes longer than all that a run with nothing to do does.
    from benchkit.execute.loop import Loop
    from benchkit.execute.work import Workplace

    store, exclusive = planned.store, planned.loaded.suite.exclusive
    made = options.make_executor(planned.registry, most, exclusive, session.folder / "workers.log")
    place = Workplace(store.fits, options.memory, store.models if keep_models else None, options.isolate)
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
