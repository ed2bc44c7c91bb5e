"""Carrying out a plan: execute, journal, tell listeners, report."""

from __future__ import annotations

import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.data.cache import forget
from benchkit.execute.loop import Loop
from benchkit.execute.work import Workplace
from benchkit.journal import JournalError, read_manifest, write_group
from benchkit.journal.shared_values import copied
from benchkit.plugin.spec import Run
from benchkit.publish.designs import Place
from benchkit.publish.errors import PublishError
from benchkit.publish.join import join_published
from benchkit.publish.matching import names_of
from benchkit.publish.stored import Stored, open_stored
from benchkit.report.analysis import Analysis
from benchkit.report.formats.files import write_files
from benchkit.report.results import Results, join_results, make_results
from benchkit.session.calibrate import note_speed
from benchkit.session.execution_options import ExecutionOptions
from benchkit.session.journaling import Journaling
from benchkit.session.listeners import Listeners, tracked
from benchkit.session.notebook import default_progress
from benchkit.session.plan import NAMING, Planned, plan_suites
from benchkit.session.planned_fields import PlannedFields
from benchkit.session.progress import Progress
from benchkit.session.provenance import command_line, describe_group, note_complete, note_trials, write_provenance
from benchkit.session.rounds import Rounds, TimeIsUpError
from benchkit.suite.load import Collection
from benchkit.suite.plan import Trial
from benchkit.trial.prepared import parsed_content
from benchkit.trial.record import record

if TYPE_CHECKING:
    from benchkit.tracking.mlflow import MlflowTracking


def run(
    suite: str | Mapping[str, Any],
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    jobs: int | None = None,
    executor: str = "local",
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
    tracking: bool = True,
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
        Published results: a folder, an address, or ``published``. Methods whose published rows answer the suite's
        question are not run; their rows stand beside those that were.
    tracking : bool, default=True
        Log to MLflow.
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
    options = ExecutionOptions(executor, jobs, scheduler, timeout, memory, retries, isolate)
    watch = progress or default_progress()
    stored = None if against is None else open_stored(against)
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
        against=stored,
    )
    end = None if within is None else time.monotonic() + within
    for planned in plans:
        options.check(planned.registry, planned.loaded.suite.exclusive)
        options.check_loaded_code(planned.registry, planned.fingerprints)
    for problem in dict.fromkeys(str(problem) for planned in plans for problem in planned.registry.problems):
        watch.warn(problem)
    for warning in dict.fromkeys(warning for planned in plans for warning in planned.warnings):
        watch.warn(warning)

    def run_one(planned: Planned) -> Results:
        share = None
        if end is not None:
            left = len(plans) - next(place for place, each in enumerate(plans) if each is planned)
            share = max(0.0, end - time.monotonic()) / left
        rounds = Rounds(planned, share) if until_decided else None
        analysis = _run_suite(planned, options, watch, keep_models, fresh, tracking, plots, rounds, stored)
        if on_finished is not None:
            on_finished(analysis)
        return analysis.results

    return run_one(plans[0]) if collection.is_one else _run_each(collection, plans, Path(out), run_one)


def _run_each(
    collection: Collection, plans: Sequence[Planned], out: Path, run_one: Callable[[Planned], Results]
) -> Results:
    """Run a collection's suites one after another, and note which runs belong together."""
    now = datetime.now()
    folder = out / collection.name / f"{now:%Y%m%d-%H%M%S-%f}"
    names = [planned.loaded.suite.name for planned in plans]
    manifest = describe_group(collection, names, now.isoformat(timespec="seconds"))
    write_group(folder, manifest)
    ended: list[Results] = []
    interrupted = False
    try:
        for planned in plans:
            results = run_one(planned)
            ended.append(results)
            manifest["runs"][results.suite] = results.folder.name
            write_group(folder, manifest)
            if interrupted := results.interrupted:
                break
    except KeyboardInterrupt:  # between trials
        interrupted = True
    return join_results(collection.name, collection.loaded.suite.title, folder, ended, interrupted)


def _run_suite(
    planned: Planned,
    options: ExecutionOptions,
    watch: Progress,
    keep_models: bool,
    fresh: bool,
    tracking: bool,
    plots: bool,
    rounds: Rounds | None,
    against: Stored | None,
) -> Analysis:
    store = planned.store
    if rounds is not None:
        planned = rounds.replay(planned)
    with ExitStack() as stack:
        store.open()
        stack.callback(store.close)
        if fresh and not planned.reused:
            _forget(planned)
        session = _start(planned)
        tracking_plugin = stack.enter_context(tracked(planned.registry, tracking and bool(planned.left), watch))
        executor_stack = stack.enter_context(ExitStack())
        loop = None
        if planned.left:  # workers start while the trackers do
            exclusive = planned.loaded.suite.exclusive
            most = len(planned.trials if rounds is not None else planned.left)
            made = options.make_executor(planned.registry, most, exclusive, session.folder / "workers.log")
            place = Workplace(store.fits, options.memory, store.models if keep_models else None, options.isolate)
            loop = Loop(executor_stack.enter_context(made), place, options.timeout, options.retries, planned.registry)
        listeners = Listeners(planned.registry, watch)
        watch.started(session, len(planned.left))
        listeners.call("benchkit_run_started", run=session)
        run_loop = _RunLoop(planned, session, listeners, watch, rounds)
        return run_loop.run(loop, executor_stack, plots, against, tracking_plugin)


def _forget(planned: Planned) -> None:
    """Let fits be done again, whose seconds belong to another run, and data be parsed again."""
    shutil.rmtree(planned.store.fits, ignore_errors=True)
    for cell in {id(trial.dataset): trial.dataset for trial in planned.trials.values()}.values():
        forget(parsed_content(cell, planned.fingerprints))


def _start(planned: Planned) -> Run:
    """Make the run's folder and manifest."""
    now = datetime.now()
    try:
        folder = planned.store.new_run(now)
        write_provenance(planned, folder, folder.name, now.isoformat(timespec="seconds"))
    except OSError as error:
        raise JournalError(f"{planned.store.folder}: cannot write here: {error.strerror or error}") from None
    suite = planned.loaded.suite
    return Run(
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
    )


# Seconds of a run beside which the two that measuring the machine's speed takes do not count.
_LONG = 60


class _RunLoop:
    """Carries out the trials that are left."""

    def __init__(
        self, planned: Planned, session: Run, listeners: Listeners, watch: Progress, rounds: Rounds | None
    ) -> None:
        self.planned, self.session, self.listeners, self.watch = planned, session, listeners, watch
        self.rounds = rounds
        self._started = datetime.now().isoformat(timespec="seconds")
        self.journaling = Journaling(planned.store, session.folder, self._write_provenance, watch)
        self.records = self.journaling.records
        self.records |= planned.reused_rows()

    def _write_provenance(self) -> None:
        write_provenance(self.planned, self.session.folder, self.session.id, self._started)

    def _journal_renamed(self, names: Iterable[str]) -> None:
        """Write reused records anew that are called otherwise here: under another label, or in another group."""
        for trial_id in names:
            row, now = self.planned.reused[trial_id], self.records[trial_id]
            if any(now[name] != row.get(name) for name in NAMING if name != "profile"):
                self.journaling.write(
                    {**now, "run": self.session.id, "measured_in": row.get("measured_in") or row["run"]}
                )

    def run(
        self,
        loop: Loop | None,
        executor_stack: ExitStack,
        plots: bool,
        against: Stored | None,
        tracking: MlflowTracking | None,
    ) -> Analysis:
        """Run what is left, if anything; ``executor_stack`` ends the loop's executor."""
        start = time.perf_counter()
        interrupted = False
        try:
            self._journal_renamed(list(self.planned.reused))
            with _sigterm_interrupts(), executor_stack:
                if loop is not None:
                    self._execute(loop)
            self._journal_unanswered()
        except TimeIsUpError:
            self._leave_out_unfinished()
        except KeyboardInterrupt:
            interrupted = True
            self._journal_interrupted()
        finally:
            self.watch.ended()
        self.planned.fingerprints.edited_since_import()  # notes what this run has imported
        self.journaling.end()
        try:
            if not interrupted:
                note_complete(self.session.folder)
            if time.perf_counter() - start > _LONG:
                note_speed(self.session.folder)
            own = self._results(interrupted, time.perf_counter() - start)
            analysis = Analysis(own if against is None else self._joined(own, against))
            write_files(analysis, self.session.folder, plots)
        except OSError as error:
            raise JournalError(f"{self.session.folder}: cannot write: {error.strerror or error}") from None
        if tracking is not None:
            tracking.analysis = analysis
        self.listeners.call("benchkit_run_finished", run=self.session, records=own.records)
        return analysis

    def _joined(self, own: Results, against: Stored) -> Results:
        """The results with the published rows; where none joins, that is said, and the run stands for itself."""
        content = self.planned.content
        names = names_of(
            (Place(*content["places"][trial_id]), trial.fields) for trial_id, trial in self.planned.published.items()
        )
        try:
            return join_published(own, against, names)
        except PublishError as error:
            self.watch.warn(str(error))
            return own

    def _execute(self, loop: Loop) -> None:
        self._execute_batch(loop, self.planned.left)
        while self.rounds is not None:
            further = self.rounds.next(self.planned, self.records.values())
            self.watch.looked(
                self.rounds.standing, 0 if further is None else len(further.left) - len(self.planned.left)
            )
            if further is None:
                return
            self._take_in(further)
            self._execute_batch(loop, [item for item in further.left if item[0] not in self.records])

    def _execute_batch(self, loop: Loop, batch: Sequence[tuple[str, Trial]]) -> None:
        for finished in loop.run(batch):
            self.watch.tick([trial.display_name for trial in loop.running()])
            if finished is not None:
                self._finish(*finished)
            if self.rounds is not None:
                self.rounds.check_time()

    def _take_in(self, further: Planned) -> None:
        """Go on with a plan that has more repetitions, some of which the journal may hold."""
        new = [name for name in further.reused if name not in self.records]
        self._plan_again(further)
        rows = further.reused_rows()
        self.records |= {name: rows[name] for name in new}
        self._journal_renamed(new)
        for name in new:
            self.listeners.call("benchkit_trial_finished", run=self.session, record=dict(self.records[name]))

    def _leave_out_unfinished(self) -> None:
        """Repetitions that the time given did not suffice for were not asked for."""
        self._plan_again(self.planned.without({name for name in self.planned.trials if name not in self.records}))

    def _plan_again(self, planned: Planned) -> None:
        self.planned = planned
        self.session = replace(self.session, planned=PlannedFields(planned.trials))
        note_trials(planned, self.session.folder)

    def _finish(self, row: dict[str, Any], trace: str) -> None:
        row["run"] = self.session.id
        self.journaling.write(row)
        if trace:
            self.journaling.write_traceback(row, trace)
        self.watch.finished(row)
        # Listeners get a copy, for they may change it.
        self.listeners.call("benchkit_trial_finished", run=self.session, record=copied(self.records[row["trial"]]))

    def _journal_unanswered(self) -> None:
        """Every planned trial ends as a row: one that the executor has lost is an error, and not a smaller number."""
        unanswered = [(trial_id, trial) for trial_id, trial in self.planned.left if trial_id not in self.records]
        for trial_id, trial in unanswered:
            self._finish(record(trial, trial_id, "crashed", reason="the executor returned nothing for this trial"), "")
        if unanswered:
            self.watch.warn(f"the executor returned nothing for {len(unanswered)} planned trials")

    def _journal_interrupted(self) -> None:
        for trial_id, trial in self.planned.left:
            if trial_id not in self.records:
                row = record(trial, trial_id, "interrupted", reason="the run was interrupted")
                self.journaling.write({**row, "run": self.session.id})

    def _results(self, interrupted: bool, seconds: float) -> Results:
        ordered = [self.records[trial_id] for trial_id in self.planned.trials if trial_id in self.records]
        folder = self.session.folder
        sections = tuple(self.planned.registry.report_sections.values())
        return replace(
            make_results(folder, read_manifest(folder), ordered, sections),
            ran=len(self.planned.left),
            reused=len(self.planned.reused),
            seconds=seconds,
            interrupted=interrupted,
        )


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Make SIGTERM stop a run as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
