"""One session: the plans of a request are carried out, and every trial that begins ends as a row in the journal."""

import copy
import math
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

from benchkit.errors import ExecutorUnavailableError, JournalError, PublishError, RequestError, writing
from benchkit.journal.manifest import write_group, write_manifest
from benchkit.journal.rows import OutcomesWriter
from benchkit.journal.store import RUN_ID
from benchkit.plugin.guard import PluginError, guarded, note_failure, of
from benchkit.plugin.parameters import suggestion
from benchkit.report.analysis import Analysis
from benchkit.report.files import write_files, write_index
from benchkit.report.results import Results
from benchkit.report.stored_results import join_results, make_results
from benchkit.session.listeners import Listeners, Progress, chosen_trackers, end_killed
from benchkit.session.plan import NAMING, Plan, PlannedFields
from benchkit.session.provenance import circumstances, session_of, write_provenance
from benchkit.suite.load import Loaded
from benchkit.suite.source import SuiteError
from benchkit.suite.trial import Trial
from benchkit.trial.record import Record, compact, record

# Trials that run, and one that has ended: its record, and the traceback where there is one.
Ended = Iterable[tuple[list[Trial], tuple[dict[str, Any], str] | None]]

# Seconds within which a further signal is the same wish.
_ONCE = 1.0


@dataclass(frozen=True)
class ExecutionOptions:
    """How what is asked is carried out; see `benchkit.run`."""

    progress: Progress
    executor: str = "local"
    jobs: int | None = None
    timeout: float | None = None
    memory: float | None = None
    retries: int = 0
    isolate: bool = False
    executor_options: Mapping[str, Any] | None = None
    tracking: bool | str | Sequence[str] = False
    plots: bool = False
    on_finished: Callable[[Any], None] | None = None
    report: bool = True  # else the run is a look of `run_until_decided`, which another follows
    warned: set[str] = field(default_factory=set)  # what a look has warned of, which no other does again

    def for_executor(self, plan: Plan) -> dict[str, Any]:
        """What the executor of a plan is made with, but for its log; what contradicts is a `SuiteError`."""
        declared, name, exclusive = plan.registry.executors[self.executor], self.executor, plan.suite.exclusive
        known, values = {option.name: option for option in declared.options}, {}
        for option, text in (self.executor_options or {}).items():
            if option not in known:
                names = f"it takes {', '.join(sorted(known)) or 'none'}"
                raise SuiteError(f"--executor {name} has no option {option!r}; {suggestion(option, known, names)}")
            try:
                values[option] = known[option].read(text)
            except ValueError:
                raise SuiteError(f"--executor-option {option}={text}: expected {known[option].expected}") from None
        elsewhere = declared.elsewhere or any(known[option].elsewhere and value for option, value in values.items())
        refusals = {
            f"--executor {name} does not take --memory": self.memory is not None
            and "memory" not in declared.make.parameters(),
            f"--executor {name} cannot stop a trial: leave out --timeout": bool(self.timeout) and not declared.stops,
            f"--executor {name} has no process for a trial: leave out --isolate": self.isolate and not declared.stops,
            "this suite is 'exclusive': its timings need one machine; use --executor local": exclusive and elsewhere,
            f"--jobs {self.jobs}: expected 1 or more": self.jobs is not None and self.jobs < 1,
            f"--timeout {self.timeout}: expected more than 0": self.timeout is not None and not self.timeout > 0,
            f"--memory {self.memory}: expected more than 0": self.memory is not None and not self.memory > 0,
            f"--retries {self.retries}: expected 0 or more": self.retries < 0,
        }
        if reason := next((reason for reason, refused in refusals.items() if refused), None):
            raise SuiteError(reason)
        # This process would run other code than the ids of the trials tell of.
        if declared.in_process and (edited := plan.fingerprints.edited_since_import()):
            earlier = f"was edited since it was imported, and --executor {name} would run the earlier code"
            raise SuiteError(f"{', '.join(edited)} {earlier}: start Python again")
        chosen_trackers(plan.registry, self.tracking)
        jobs = 1 if exclusive else self.jobs  # one trial at a time disturbs no timing; a cluster knows its size
        if not exclusive and not elsewhere:
            processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
            jobs = max(1, min(self.jobs or processors, len(plan.left)))
        return {"jobs": jobs, "memory": self.memory, **values}


def run_plans(collection: Loaded, plans: Sequence[Plan], options: ExecutionOptions, asked_at: float) -> Results:
    """Run the plan of a suite, or those of a collection one after another; ``asked_at`` is of `time.perf_counter`."""
    for plan in plans:
        options.for_executor(plan)  # what contradicts is refused before anything runs
    warnings = dict.fromkeys(warning for plan in plans for warning in plan.warnings)
    for warning in (warning for warning in warnings if warning not in options.warned):
        options.progress.warn(warning)
    options.warned.update(warnings)
    if not collection.suite.include:
        return SuiteRun(plans[0], options, asked_at).run()
    now, out = datetime.now(), Path(plans[0].request.out)
    name, title = collection.suite.name, collection.suite.title
    folder = out / name / now.strftime(RUN_ID)
    manifest: dict[str, Any] = {
        "collection": name,
        "title": title,
        "profile": collection.suites[0].profile,
        "started": now.isoformat(timespec="seconds"),
        **circumstances(collection.source.path.resolve().parent)[0],
        "suites": [plan.suite.name for plan in plans],
        "runs": {},  # of the suites, as they end
    }
    write_group(folder, manifest)
    ended: list[Results] = []
    interrupted = False
    try:
        for plan in plans:
            results = SuiteRun(plan, options, asked_at).run()
            ended.append(results)
            manifest["runs"][results.suite] = results.folder.name
            write_group(folder, manifest)
            if interrupted := results.interrupted:
                break
            asked_at = time.perf_counter()
    except KeyboardInterrupt:  # between trials
        interrupted = True
    return join_results(name, title, folder, ended, interrupted)


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
        plan, warn, out = self.plan, self.watch.warn, self.store.folder.parent
        trackers = chosen_trackers(plan.registry, self.options.tracking)
        end_killed(trackers, out, warn, connects=False)
        with interruptible() as interrupts, ExitStack() as stack:
            self.store.open()
            stack.callback(self.store.close)
            if plan.request.fresh and not plan.done:  # fits are done again, whose seconds belong to another run
                from benchkit.data.cache import forget
                from benchkit.trial.prepared import parsed_content

                shutil.rmtree(self.store.fits, ignore_errors=True)
                for dataset in {id(trial.dataset): trial.dataset for trial in plan.trials.values()}.values():
                    forget(parsed_content(dataset, plan.fingerprints))
            now = datetime.now()
            with writing(self.store.folder):
                folder = self.store.folder / now.strftime(RUN_ID)
                folder.mkdir(parents=True)
                self.manifest = write_provenance(plan, folder, now.isoformat(timespec="seconds"))
            self.session = session_of(folder, self.manifest, PlannedFields(plan.trials), plan.done.values())
            self._outcomes = OutcomesWriter(out, plan.suite.name, folder.name, plan.suite.keep.mb * 1e6)
            executing = stack.enter_context(ExitStack())
            trials = executing.enter_context(self._begun()) if self.left else ()
            begun = list[Any]()
            if not plan.registry.executors[self.options.executor].in_process:
                with self._warned():
                    begun += islice(trials, 1)  # trials run while listeners start, which at first takes seconds
            # What ran nothing is logged already, but for the last look of --until-decided.
            self.listeners = Listeners(plan.registry, warn, trackers if self.left or plan.request.until_decided else [])
            try:
                self.listeners.call("benchkit_run_started", run=self.session)
                self._execute(chain(begun, trials), executing, interrupts)
                analysis = self._report()
            except BaseException:  # stopped while it reported, or the disk is full
                self.listeners.call("benchkit_run_stopped", run=self.session)
                raise
        if self.options.on_finished is not None:
            self.options.on_finished(analysis)
        return analysis.results

    @contextmanager
    def _begun(self) -> Iterator[Ended]:
        """Enter the executor, for what `run_trials` yields of the trials that are left."""
        # What runs trials imports scikit-learn, which takes longer than all that a run with nothing to do does.
        from benchkit.execute.loop import run_trials
        from benchkit.execute.work import Workplace

        plan, options, store = self.plan, self.options, self.store
        declared = plan.registry.executors[options.executor]
        who = of(declared)
        with guarded(f"{who}: make", passing=(RequestError,), raising=ExecutorUnavailableError):
            made = declared.build(log=self.session.folder / "workers.log", **options.for_executor(plan))
        with guarded(f"{who}: __enter__", passing=(RequestError,), raising=ExecutorUnavailableError):
            executor = made.__enter__()
        models = store.models if plan.request.keep_models else None
        files = plan.fingerprints.files_read()
        place = Workplace(store.fits, options.memory, models, options.isolate, plan.suite.keep.rows, files)
        problem: tuple[Any, ...] = (None, None, None)
        try:
            yield run_trials(executor, self.left.items(), place, plan.registry, options.timeout, options.retries, who)
        except BaseException:
            problem = sys.exc_info()
            raise
        finally:
            with guarded(f"{who}: __exit__", self.watch.warn):  # which changes no trial: each has its row
                made.__exit__(*problem)

    def _execute(self, trials: Ended, executing: ExitStack, interrupts: list[int]) -> None:
        """Take in what becomes of the trials that are left; the stack ends their executor."""
        try:
            self.watch.started(self.session, len(self.left))
            # What is done is taken over; what is called otherwise here, or has other metrics, is written anew.
            for name, row in self.plan.done.items():
                now, earlier = cast(Mapping[str, Any], row), cast(Mapping[str, Any], self.plan.earlier[name])
                self.records[name] = row
                if any(now[key] != earlier.get(key) for key in (*NAMING, "metric_code") if key != "profile"):
                    self._take_in({**now, "measured_in": earlier.get("measured_in") or earlier["run"]}, is_new=False)
            # Methods of which no trial has ended yet: the first in a process waits for what is compiled.
            unready = {name for name, method in self.plan.registry.algorithms.items() if method.warm_up is not None}
            with executing, self._warned():
                for running, ended in trials:
                    first = ["first use (imports and compiles): " * (t.algorithm.name in unready) for t in running]
                    self.watch.tick([f"{use}{t.display_name}" for use, t in zip(first, running, strict=True)])
                    if ended is not None:
                        unready.discard(self.left[ended[0]["trial"]].algorithm.name)
                        self._take_in(*ended)
                    if interrupts:
                        raise KeyboardInterrupt
            unanswered = {name: trial for name, trial in self.left.items() if name not in self.records}
            for name, trial in unanswered.items():  # lost by the executor: an error, and not a smaller number
                self._take_in(record(trial, name, "crashed", reason="the executor returned nothing for this trial"))
            if unanswered:
                self.watch.warn(f"the executor returned nothing for {len(unanswered)} planned trials")
        except KeyboardInterrupt:
            interrupts.clear()
            self.interrupted = True  # trials that have not ended have no row: the manifest has them
        finally:
            self.watch.ended()
        self.plan.fingerprints.edited_since_import()  # notes what this run has imported

    @contextmanager
    def _warned(self) -> Iterator[None]:
        """Warn where the executor is wrong, whose trials end as rows all the same."""
        try:
            yield
        except PluginError as error:
            note_failure(str(error), shown=True)
            self.watch.warn(str(error))

    def _take_in(self, row: Mapping[str, Any], trace: str = "", is_new: bool = True) -> None:
        """Journal what became of a trial, and tell who listens of what is new."""
        row = {**row, "run": self.session.id}
        if is_new and row["status"] == "ok":
            code = self.plan.fingerprints.metric_code(self.plan.trials[row["trial"]])
            row["metric_code"] = {name: own for name, own in code.items() if name in row["metrics"]}  # did not fail
        try:
            if row.get("outcomes") is not None and not isinstance(row["outcomes"], str):  # or where they are already
                row["outcomes"] = self._outcomes.append(row["trial"], row["outcomes"])
            self.store.append(row)
            if trace:
                folder = self.session.folder / "tracebacks"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{row['trial']}.txt").write_text(trace, encoding="utf-8", errors="backslashreplace")
        except (JournalError, OSError) as error:
            why = error if isinstance(error, JournalError) else f"{self.session.folder}: cannot write: {error.strerror}"
            lost = JournalError(f"{why}: mend that, and the same command runs what is missing")
            lost.exit_code = 1  # a part was done
            raise lost from None
        self.records[row["trial"]] = compact(row, self._shared)
        if is_new:
            self.watch.finished(row)
            copied = copy.deepcopy(dict(self.records[row["trial"]]))  # for who listens may change it
            self.listeners.call("benchkit_trial_finished", run=self.session, record=copied)

    def _report(self) -> Analysis:
        """Write the report, and tell who listens."""
        folder, plan = self.session.folder, self.plan
        if self.options.report and not self.interrupted:
            self.manifest["complete"] = True
        ordered = [self.records[name] for name in plan.trials if name in self.records]
        own = make_results(folder, self.manifest, ordered, plan.registry)
        own = shown = replace(own, ran=len(self.left), reused=len(plan.done), interrupted=self.interrupted)
        if not self.options.report:
            self.listeners.call("benchkit_run_stopped", run=self.session)
            return Analysis(own)
        with writing(folder, note=f"; the journal has its {len(self.records)} records"):
            if not self.interrupted:
                write_manifest(folder, self.manifest)
            if plan.beside is not None:
                whose, rows = plan.beside
                try:
                    with guarded(f"{whose}: join", self.watch.warn, passing=(RequestError,)):
                        shown = rows.join(own, PlannedFields(plan.answered))
                except PublishError as error:  # where no row joins, the run stands for itself
                    self.watch.warn(str(error))
            analysis = Analysis(shown)
            plots = self.options.plots and bool(self.left or plan.request.until_decided)
            write_files(analysis, folder, plots, self.manifest)
            write_index(self.session.out)
        analysis.results = replace(analysis.results, seconds=time.perf_counter() - self.asked_at)
        self.listeners.call("benchkit_run_finished", run=self.session, records=own.rows, analysis=analysis)
        return analysis


@contextmanager
def interruptible(*others: signal.Signals) -> Iterator[list[int]]:
    """Make SIGTERM, and others, raise KeyboardInterrupt, as Ctrl-C does; only the main thread of a process can.

    Numbers in what is yielded are of signals whose KeyboardInterrupt has stopped nothing, since a library catches
    everything, or Python forgets it, as it does in ``__del__`` and in callbacks of weak references.
    """
    received: list[int] = []
    latest = -math.inf
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def stop(number: int, frame: Any) -> None:
        nonlocal latest
        received.append(number)
        before, latest = latest, time.monotonic()
        if latest - before > _ONCE:  # a second one at once, as wrappers send, would leave workers that are not killed
            raise KeyboardInterrupt

    numbers = [signal.SIGTERM, *others]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else somebody wants it otherwise
        numbers.append(signal.SIGINT)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
