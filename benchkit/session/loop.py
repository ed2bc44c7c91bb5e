"""One session: the plans of a request are carried out, and every trial that begins ends as a row in the journal."""

from __future__ import annotations

import copy
import errno
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import ExecutorUnavailableError, RequestError, writing
from benchkit.journal import JournalError, PublishError, Record, RowsLostError, write_group, write_manifest
from benchkit.journal.rows import OutcomesWriter
from benchkit.journal.store import RUN_ID
from benchkit.plugin.guard import PluginError, guarded, note_failure, of
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files, write_index
from benchkit.report.results import Results
from benchkit.report.stored_results import join_results, make_results
from benchkit.session.listeners import Listeners, chosen_trackers, end_killed
from benchkit.session.options import ExecutionOptions
from benchkit.session.plan import NAMING, Plan, PlannedFields, warnings_of
from benchkit.session.provenance import checkout, command_line, environment, session_of, write_provenance
from benchkit.suite.load import Loaded
from benchkit.trial.record import compact, record

if TYPE_CHECKING:
    from benchkit.execute.loop import Loop


def run_plans(collection: Loaded, plans: Sequence[Plan], options: ExecutionOptions, asked_at: float) -> Results:
    """Run the plan of a suite, or those of a collection one after another, and note which runs belong together.

    When it was asked for is by `time.perf_counter`.
    """
    for plan in plans:
        options.check(plan)
    for warning in warnings_of(plans):
        options.progress.warn(warning)
    if not collection.suite.include:
        return SuiteRun(plans[0], options, asked_at).run()
    now, out = datetime.now(), Path(plans[0].request.out)
    name = collection.suite.name
    folder = out / name / now.strftime(RUN_ID)
    manifest: dict[str, Any] = {
        "collection": name,
        "title": collection.suite.title,
        "profile": collection.suites[0].profile,
        "started": now.isoformat(timespec="seconds"),
        "command": command_line(),
        "environment": environment(),
        "source": checkout(collection.source.path.resolve().parent)[0],
        "suites": [plan.suite.name for plan in plans],
        "runs": {},  # of the suites, as they end
    }
    write_group(folder, manifest)
    ended: list[Results] = []
    interrupted = False
    try:
        for plan in plans:
            if ended:
                plan.look()  # those that ran before it may have answered some
            results = SuiteRun(plan, options, asked_at).run()
            ended.append(results)
            manifest["runs"][results.suite] = results.folder.name
            write_group(folder, manifest)
            if interrupted := results.interrupted:
                break
            asked_at = time.perf_counter()
    except KeyboardInterrupt:  # between trials
        interrupted = True
    return join_results(name, collection.suite.title, folder, ended, interrupted)


class SuiteRun:
    """One run of a suite: every planned trial that begins ends as a row."""

    def __init__(self, plan: Plan, options: ExecutionOptions, asked_at: float) -> None:
        self.plan, self.options, self.asked_at = plan, options, asked_at
        self.store, self.watch, self.left = plan.store, options.progress, plan.left
        self.records: dict[str, Record] = {}
        self.interrupted = False
        self._shared: dict[Any, Any] = {}

    def run(self) -> Results:
        """Run what is left, if anything, and report."""
        trackers = chosen_trackers(self.plan.registry, self.options.tracking)
        end_killed(trackers, self.store.folder.parent, self.watch.warn, connects=False)
        with interruptible() as check_interrupts, ExitStack() as stack:
            self.store.open()
            stack.callback(self.store.close)
            self._begin()
            executor_stack = stack.enter_context(ExitStack())
            loop = self._make_loop(executor_stack) if self.left else None  # workers start while listeners do
            # What ran nothing is logged already, but for the last look of --until-decided.
            logged = trackers if self.left or self.plan.request.until_decided else []
            self.listeners = Listeners(self.plan.registry, self.watch.warn, logged)
            try:
                self.listeners.call("benchkit_run_started", run=self.session)
                self._execute(loop, executor_stack, check_interrupts)
                analysis = self._report()
            except BaseException:  # stopped while it reported, or the disk is full
                self.listeners.call("benchkit_run_stopped", run=self.session)
                raise
        if self.options.on_finished is not None:
            self.options.on_finished(analysis)
        return analysis.results

    def _begin(self) -> None:
        """Make the run's folder and manifest, and what listeners are told of it."""
        plan, now = self.plan, datetime.now()
        if plan.request.fresh and not plan.done:  # fits are done again, whose seconds belong to another run
            from benchkit.data.cache import forget
            from benchkit.trial.prepared import parsed_content

            shutil.rmtree(self.store.fits, ignore_errors=True)
            for dataset in {id(trial.dataset): trial.dataset for trial in plan.trials.values()}.values():
                forget(parsed_content(dataset, plan.fingerprints))
        try:
            folder = self.store.new_run(now)
            self.manifest = write_provenance(plan, folder, now.isoformat(timespec="seconds"))
        except OSError as error:
            if error.errno in (None, errno.ENOMEM):  # want of memory is not the folder's fault
                raise
            raise JournalError(f"{self.store.folder}: cannot write here: {error.strerror or error}") from None
        self.session = session_of(folder, self.manifest, PlannedFields(plan.trials), plan.done.values())
        self._outcomes = OutcomesWriter(self.session.out, plan.suite.name, folder.name, plan.suite.keep.mb * 1e6)

    def _make_loop(self, stack: ExitStack) -> Loop:
        """The executor of a run, entered into a stack, and the loop that hands trials to it."""
        # What runs trials imports scikit-learn, which takes longer than all that a run with nothing to do does.
        from benchkit.execute.loop import Loop
        from benchkit.execute.work import Workplace

        plan, options, watch = self.plan, self.options, self.watch
        declared = plan.registry.executors[options.executor]
        who = of(declared)
        with guarded(f"{who}: make", passing=(RequestError,), raising=ExecutorUnavailableError):
            made = options.make_executor(plan, len(self.left), self.session.folder / "workers.log")
        with guarded(f"{who}: __enter__", passing=(RequestError,), raising=ExecutorUnavailableError):
            executor = made.__enter__()

        @stack.push
        def leave(*problem: Any) -> None:
            with guarded(f"{who}: __exit__", watch.warn):  # which changes no trial: each has its row
                made.__exit__(*problem)

        models = self.store.models if plan.request.keep_models else None
        place = Workplace(self.store.fits, options.memory, models, options.isolate, plan.suite.keep.rows)
        return Loop(executor, place, plan.registry, options.timeout, options.retries, who)

    def _execute(self, loop: Loop | None, executor_stack: ExitStack, check_interrupts: Callable[[], None]) -> None:
        """Hand out the trials that are left, and take in what becomes of them; the stack ends the loop's executor."""
        try:
            self.watch.started(self.session, len(self.left))
            # What is done is taken over; what is called otherwise here, or has other metrics, is written anew.
            for name, row in self.plan.named_rows().items():
                now: Mapping[str, Any] = row
                earlier: Mapping[str, Any] = self.plan.earlier[name]
                self.records[name] = row
                if any(now[key] != earlier.get(key) for key in (*NAMING, "metric_code") if key != "profile"):
                    measured_in = earlier.get("measured_in") or earlier["run"]
                    self._write({**now, "run": self.session.id, "measured_in": measured_in}, "")
            with executor_stack:
                if loop is not None:
                    try:
                        for ended in loop.run(self.left.items()):
                            self.watch.tick([trial.display_name for trial in loop.running()])
                            if ended is not None:
                                self._take_in(*ended)
                            check_interrupts()
                    except PluginError as error:
                        note_failure(str(error), shown=True)
                        self.watch.warn(str(error))
            unanswered = {name: trial for name, trial in self.left.items() if name not in self.records}
            for name, trial in unanswered.items():  # lost by the executor: an error, and not a smaller number
                self._take_in(record(trial, name, "crashed", reason="the executor returned nothing for this trial"), "")
            if unanswered:
                self.watch.warn(f"the executor returned nothing for {len(unanswered)} planned trials")
        except KeyboardInterrupt:
            self.interrupted = True  # trials that have not ended have no row: the manifest has them
        finally:
            self.watch.ended()
        self.plan.fingerprints.edited_since_import()  # notes what this run has imported

    def _take_in(self, row: dict[str, Any], trace: str) -> None:
        """Journal what became of a trial, and tell who listens."""
        row["run"] = self.session.id
        if row["status"] == "ok":
            row["metric_code"] = self.plan.fingerprints.metric_code(self.plan.trials[row["trial"]])
        self._write(row, trace)
        self.watch.finished(row)
        written = copy.deepcopy(dict(self.records[row["trial"]]))  # a copy, for who listens may change it
        self.listeners.call("benchkit_trial_finished", run=self.session, record=written)

    def _write(self, row: Mapping[str, Any], trace: str) -> None:
        """Write a record, whose ``outcomes`` may be a `RowOutcomes` or where these are already, and its traceback."""
        row = dict(row)
        try:
            if row.get("outcomes") is not None and not isinstance(row["outcomes"], str):
                row["outcomes"] = self._outcomes.append(row["trial"], row["outcomes"])
            self.store.append(row)
            if trace:
                folder = self.session.folder / "tracebacks"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{row['trial']}.txt").write_text(trace, encoding="utf-8", errors="backslashreplace")
        except (JournalError, OSError) as error:
            why = error if isinstance(error, JournalError) else f"{self.session.folder}: cannot write: {error.strerror}"
            raise RowsLostError(f"{why}: mend that, and the same command runs what is missing") from None
        self.records[row["trial"]] = compact(row, self._shared)

    def _report(self) -> Analysis:
        """Write the report, and tell who listens."""
        folder, beside = self.session.folder, self.plan.request.beside
        if not self.options.report:
            self.listeners.call("benchkit_run_stopped", run=self.session)
            return Analysis(self._results())
        kept = f"; the journal has its {len(self.records)} records"
        with writing(folder, note=kept):
            if not self.interrupted:
                self.manifest["complete"] = True
                write_manifest(folder, self.manifest)
            own = shown = self._results()
            if beside is not None:
                whose, rows = beside
                try:
                    with guarded(f"{whose}: join", self.watch.warn, passing=(RequestError,)):
                        shown = rows.join(own, PlannedFields(self.plan.answered))
                except PublishError as error:  # where no row joins, the run stands for itself
                    self.watch.warn(str(error))
            analysis = Analysis(shown)
            draws = self.options.plots and bool(self.left or self.plan.request.until_decided)
            write_files(analysis, folder, draws, self.manifest)
            write_index(self.session.out)
        analysis.results = replace(analysis.results, seconds=time.perf_counter() - self.asked_at)
        self.listeners.call("benchkit_run_finished", run=self.session, records=own.rows, analysis=analysis)
        return analysis

    def _results(self) -> Results:
        ordered = [self.records[name] for name in self.plan.trials if name in self.records]
        sections = tuple(self.plan.registry.report_sections.values())
        results = make_results(self.session.folder, self.manifest, ordered, sections)
        return replace(results, ran=len(self.left), reused=len(self.plan.done), interrupted=self.interrupted)


@contextmanager
def interruptible(*others: signal.Signals) -> Iterator[Callable[[], None]]:
    """Make SIGTERM, and others, raise KeyboardInterrupt, as Ctrl-C does; only the main thread of a process can.

    What is yielded is to be called now and then: it raises the KeyboardInterrupt that was raised before and has stopped
    nothing, since a library catches everything, or Python forgets it, as it does in ``__del__`` and in callbacks of
    weak references.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    swallowed = False

    def stop(number: int, frame: Any) -> None:
        nonlocal swallowed
        swallowed = True
        raise KeyboardInterrupt

    def check() -> None:
        nonlocal swallowed
        if swallowed:
            swallowed = False
            raise KeyboardInterrupt

    numbers = [signal.SIGTERM, *others]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else somebody wants it otherwise
        numbers.append(signal.SIGINT)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
