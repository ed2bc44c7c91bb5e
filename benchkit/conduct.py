"""Conducting a run: load, plan, reuse, execute, journal, tell listeners, report. The one way through the house."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from benchkit.execute.local import Executor
from benchkit.execute.loop import Loop
from benchkit.journal import JournalError, Store, write_manifest
from benchkit.plugin.manager import Registry, UnknownNameError, one_line, registry
from benchkit.plugin.spec import Run
from benchkit.report.results import Results
from benchkit.report.tables import write_tables
from benchkit.suite.join import join
from benchkit.suite.load import Loaded, SuiteError, load
from benchkit.suite.plan import Trial, expand, select
from benchkit.suite.resolve import resolve
from benchkit.trial.identity import Fingerprints
from benchkit.trial.record import record


class Progress(Protocol):
    """Watches a run; every method is called in the parent process."""

    def started(self, run: Run, left: int) -> None:
        """The plan is known: how many trials are left after reuse."""

    def tick(self, running: Sequence[str]) -> None:
        """Called at least twice a second with the names of the running trials."""

    def finished(self, record: Mapping[str, Any]) -> None:
        """A trial ended."""

    def warn(self, message: str) -> None:
        """Something went wrong that does not stop the run."""


class Silent:
    """Watches nothing; warnings become Python warnings."""

    def started(self, run: Run, left: int) -> None:
        """Ignore."""

    def tick(self, running: Sequence[str]) -> None:
        """Ignore."""

    def finished(self, record: Mapping[str, Any]) -> None:
        """Ignore."""

    def warn(self, message: str) -> None:
        """Warn."""
        import warnings

        warnings.warn(message, stacklevel=2)


@dataclass(frozen=True)
class Planned:
    """What a run would do: every trial by id, and the records that need not be repeated."""

    loaded: Loaded
    registry: Registry
    trials: Mapping[str, Trial]
    reused: Mapping[str, dict[str, Any]]
    store: Store

    @property
    def left(self) -> list[tuple[str, Trial]]:
        """Trials to be run."""
        return [(trial_id, trial) for trial_id, trial in self.trials.items() if trial_id not in self.reused]


def plan(
    suite: str,
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    only: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    plugins: Sequence[str | Path] = (),
    add: Sequence[str] = (),
    fresh: bool = False,
) -> Planned:
    """Expand a suite and see what of it is already done. Parameters as for `run`."""
    loaded = load(suite, profile, settings)
    base = loaded.source.path.parent
    given = [str(Path(name).resolve()) for name in plugins]
    files = [*(str((base / name).resolve()) for name in loaded.suite.plugins), *given]
    for file in files:
        if not Path(file).is_file():
            raise SuiteError(f"no such plugin file: {file}")
    found = registry(tuple(files))
    if loaded.suite.include:
        names = ", ".join(loaded.suite.include)
        raise SuiteError(f"{loaded.source.path}: 'include' of {names}: run these suites one by one")
    loaded = join(loaded, found, add, given)
    resolve(loaded, found)
    trials = expand(loaded, found, tuple(files))
    if only:
        trials = select(trials, only)
    fingerprints = Fingerprints(found)
    identified = {fingerprints.identify(trial): trial for trial in trials}
    store = Store(Path(out), loaded.suite.name)
    done = {} if fresh else store.read()
    reused = {i: done[i] for i in identified if i in done and done[i]["status"] == "ok"}
    return Planned(loaded, found, identified, reused, store)


def run(
    suite: str,
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    jobs: int | None = None,
    executor: str = "local",
    only: Mapping[str, str] | None = None,
    settings: Mapping[str, Any] | None = None,
    plugins: Sequence[str | Path] = (),
    add: Sequence[str] = (),
    timeout: float | None = None,
    fresh: bool = False,
    tracking: bool = True,
    progress: Progress | None = None,
) -> Results:
    """Run a suite and return its results.

    Parameters
    ----------
    suite : str
        Name of a shipped suite, or path of a YAML file.
    profile : str, optional
        One of the suite's profiles.
    out : path, default="runs"
        Output folder.
    jobs : int, optional
        Worker processes; all processors by default, one if the suite is ``exclusive``.
    executor : str, default="local"
        Where trials run: ``local`` (worker processes), ``inline`` (this process), or what a plugin declares.
    only : mapping, optional
        Fields to values: run only trials that match.
    settings : mapping, optional
        Dotted suite keys to values that replace the suite's.
    plugins : sequence of path
        Plugin files. What one declares joins the suite, unless the suite names something of it itself.
    add : sequence of str
        Names of algorithms, adversaries, datasets and metrics that join the suite.
    timeout : float, optional
        Seconds a trial may take.
    fresh : bool, default=False
        Run everything again, whatever the journal holds.
    tracking : bool, default=True
        Log to MLflow.
    progress : Progress, optional
        Told what happens.

    Returns
    -------
    Results

    Raises
    ------
    SuiteError, JournalError
        The request cannot be carried out; one line says why.
    """
    watch = progress or Silent()
    planned = plan(suite, profile=profile, out=out, only=only, settings=settings, plugins=plugins, add=add, fresh=fresh)
    if executor not in planned.registry.executors:  # refused before anything is written
        raise SuiteError(str(UnknownNameError("executor", executor, planned.registry.executors)))
    for problem in planned.registry.problems:
        watch.warn(str(problem))
    store = planned.store
    store.open()
    if fresh:
        shutil.rmtree(store.memo, ignore_errors=True)  # fits too: their seconds belong to another run
    try:
        session = _start(planned, Path(out))
        where = _executor(executor, jobs, planned, session)
        with _tracked(planned.registry, tracking and bool(planned.left)):
            listeners = _Listeners(planned.registry, watch)
            watch.started(session, len(planned.left))
            listeners.call("benchkit_run_started", run=session)
            return _Conductor(planned, session, listeners, watch).conduct(where, timeout)
    finally:
        store.close()


def _executor(name: str, jobs: int | None, planned: Planned, session: Run) -> Executor:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    count = 1 if planned.loaded.suite.exclusive else jobs or available
    made: Executor = planned.registry.executors[name].make(
        jobs=max(1, min(count, len(planned.left) or 1)), log=session.folder / "workers.log"
    )
    return made


def _start(planned: Planned, out: Path) -> Run:
    """Make the run's folder and manifest."""
    now = datetime.now()
    run_id = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    folder = planned.store.folder / run_id
    suite = planned.loaded.suite
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])
    try:
        folder.mkdir(parents=True)
        write_manifest(folder, _manifest(planned, run_id, command, now))
    except OSError as error:
        raise JournalError(f"{folder}: cannot write here: {error.strerror or error}") from None
    return Run(
        suite=suite.name,
        title=suite.title,
        profile=planned.loaded.profile,
        id=run_id,
        folder=folder,
        out=out,
        planned={trial_id: trial.fields for trial_id, trial in planned.trials.items()},
        metrics=tuple(suite.metrics),
        reused=tuple(planned.reused.values()),
        command=command,
    )


def _manifest(planned: Planned, run_id: str, command: str, now: datetime) -> dict[str, Any]:
    suite = planned.loaded.suite
    distributions = ("benchkit", "numpy", "scipy", "scikit-learn", "highspy", "osqp")
    return {
        "run": run_id,
        "suite": suite.name,
        "title": suite.title,
        "profile": planned.loaded.profile,
        "started": now.isoformat(timespec="seconds"),
        "command": command,
        "environment": {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "processors": os.cpu_count(),
            "versions": {name: version(name) for name in distributions},
        },
        "suite_as_run": suite.model_dump(mode="json", exclude_defaults=True),
        "reused": len(planned.reused),
        "trials": list(planned.trials),
    }


class _Listeners:
    """Calls the hooks that listen; a listener that fails is named, and heard no more in this run."""

    def __init__(self, found: Registry, watch: Progress) -> None:
        self._manager, self._watch = found.manager, watch
        self._silenced: set[str] = set()

    def call(self, hook: str, **arguments: Any) -> None:
        for listener in getattr(self._manager.hook, hook).get_hookimpls():
            if listener.plugin_name in self._silenced:
                continue
            try:
                listener.function(*(arguments[name] for name in listener.argnames))
            except (Exception, SystemExit) as error:
                self._silenced.add(listener.plugin_name)
                self._watch.warn(f"plugin {listener.plugin_name!r}: {hook} failed: {one_line(error)}")


@contextmanager
def _tracked(found: Registry, wanted: bool) -> Iterator[None]:
    """Let MLflow listen through the same hooks as any plugin, for the length of a run."""
    if not wanted:
        yield
        return
    from benchkit.tracking.mlflow import MlflowTracking

    name = found.manager.register(MlflowTracking(), name="mlflow-tracking")
    try:
        yield
    finally:
        found.manager.unregister(name=name)


class _Conductor:
    """Carries out the trials that are left."""

    def __init__(self, planned: Planned, session: Run, listeners: _Listeners, watch: Progress) -> None:
        self.planned, self.session, self.listeners, self.watch = planned, session, listeners, watch
        self.records: dict[str, dict[str, Any]] = {}
        for trial_id, row in planned.reused.items():
            self.records[trial_id] = {**row, **_shown_fields(planned.trials[trial_id], row)}

    def conduct(self, executor: Executor, timeout: float | None) -> Results:
        start = time.perf_counter()
        interrupted = False
        try:
            with _stoppable():
                self._execute(executor, timeout)
        except KeyboardInterrupt:
            interrupted = True
            self._journal_interrupted()
        results = self._results(interrupted, time.perf_counter() - start)
        try:
            write_tables(results, self.session.folder)
        except OSError as error:
            raise JournalError(f"{self.session.folder}: cannot write: {error.strerror or error}") from None
        self.listeners.call("benchkit_run_finished", run=self.session, records=results.records)
        return results

    def _execute(self, executor: Executor, timeout: float | None) -> None:
        left = self.planned.left
        if not left:
            return
        with executor:
            loop = Loop(executor, self.planned.store.memo, timeout)
            for finished in loop.run(left):
                self.watch.tick([trial.shown for trial in loop.running()])
                if finished is not None:
                    self._finish(*finished)

    def _finish(self, row: dict[str, Any], trace: str) -> None:
        self.planned.store.append(row)
        self.records[row["trial"]] = row
        if trace:
            folder = self.session.folder / "tracebacks"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{row['trial']}.txt").write_text(trace, encoding="utf-8")
            except OSError as error:
                raise JournalError(f"{folder}: cannot write: {error.strerror or error}") from None
        self.watch.finished(row)
        self.listeners.call("benchkit_trial_finished", run=self.session, record=deepcopy(row))

    def _journal_interrupted(self) -> None:
        for trial_id, trial in self.planned.left:
            if trial_id not in self.records:
                row = record(trial, trial_id, "interrupted", reason="the run was interrupted")
                self.planned.store.append(row)
                self.records[trial_id] = row

    def _results(self, interrupted: bool, seconds: float) -> Results:
        metrics = {
            name: self.planned.registry.metrics[name].greater_is_better for name in self.planned.registry.metrics
        }
        suite = self.planned.loaded.suite
        ordered = [self.records[trial_id] for trial_id in self.planned.trials if trial_id in self.records]
        return Results(
            suite=suite.name,
            title=suite.title,
            folder=self.session.folder,
            records=ordered,
            metrics=list(suite.metrics),
            greater_is_better={name: metrics[name] for name in suite.metrics},
            report_sections=tuple(self.planned.registry.report_sections.values()),
            expectations=[claim.model_dump() for claim in suite.expect],
            ran=len(self.planned.left),
            reused=len(self.planned.reused),
            seconds=seconds,
            interrupted=interrupted,
        )


def _shown_fields(trial: Trial, row: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a reused record that name it in this run; what the trial found out stays."""
    known = trial.fields
    return {name: known[name] for name in ("cell", "suite", "profile", "axis", "axis_value")} | {
        "params": row.get("params") or known["params"]
    }


@contextmanager
def _stoppable() -> Iterator[None]:
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
