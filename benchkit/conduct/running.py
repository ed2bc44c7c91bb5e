"""Carrying out a plan: execute, journal, tell listeners, report."""

from __future__ import annotations

import pickle
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

from benchkit.conduct.executors import Terms
from benchkit.conduct.listeners import Listeners, tracked
from benchkit.conduct.planning import Planned, plan
from benchkit.conduct.provenance import command_line, write_provenance
from benchkit.conduct.stopping import stoppable
from benchkit.conduct.watch import Progress, Silent
from benchkit.execute.loop import Loop
from benchkit.execute.work import Workplace
from benchkit.journal import JournalError
from benchkit.plugin.spec import Run
from benchkit.report.files import write_files
from benchkit.report.results import Results
from benchkit.suite.attack_order import attack_order
from benchkit.suite.plan import Trial
from benchkit.trial.record import record


def run(
    suite: str,
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
    shard: str | None = None,
    keep_models: bool = False,
    fresh: bool = False,
    tracking: bool = True,
    plots: bool = False,
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
    shard : str, optional
        ``"2/5"``: run the second of five parts; `benchkit.merge` joins them.
    keep_models : bool, default=False
        Store the fitted estimators, for `Results.load_model`.
    fresh : bool, default=False
        Run everything again, whatever the journal holds.
    tracking : bool, default=True
        Log to MLflow.
    plots : bool, default=False
        Draw plots into the run's folder.
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
    terms = Terms(executor, jobs, scheduler, timeout, memory, retries)
    watch = progress or Silent()
    planned = plan(
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
    )
    terms.check(planned.registry, planned.loaded.suite.exclusive)
    for problem in planned.registry.problems:
        watch.warn(str(problem))
    store = planned.store
    with ExitStack() as stack:
        store.open()
        stack.callback(store.close)
        if fresh:
            shutil.rmtree(store.memo, ignore_errors=True)  # fits too: their seconds belong to another run
        session = _start(planned, Path(out))
        stack.enter_context(tracked(planned.registry, tracking and bool(planned.left)))
        crew = stack.enter_context(ExitStack())
        loop = None
        if planned.left:  # workers start while the trackers do
            exclusive = planned.loaded.suite.exclusive
            made = terms.make_executor(planned.registry, len(planned.left), exclusive, session.folder / "workers.log")
            place = Workplace(store.memo, memory, store.models if keep_models else None)
            loop = Loop(crew.enter_context(made), place, timeout, retries)
        listeners = Listeners(planned.registry, watch)
        watch.started(session, len(planned.left))
        listeners.call("benchkit_run_started", run=session)
        return _Conductor(planned, session, listeners, watch).conduct(loop, crew, plots)


def _start(planned: Planned, out: Path) -> Run:
    """Make the run's folder and manifest."""
    now = datetime.now()
    run_id = f"{now:%Y%m%d-%H%M%S-%f}"
    folder = planned.store.folder / run_id
    suite = planned.loaded.suite
    try:
        folder.mkdir(parents=True)
        write_provenance(planned, folder, run_id, now.isoformat(timespec="seconds"))
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
        command=command_line(),
    )


class _Conductor:
    """Carries out the trials that are left."""

    def __init__(self, planned: Planned, session: Run, listeners: Listeners, watch: Progress) -> None:
        self.planned, self.session, self.listeners, self.watch = planned, session, listeners, watch
        self.records: dict[str, dict[str, Any]] = {}
        for trial_id, row in planned.reused.items():
            self.records[trial_id] = {**row, **_shown_fields(planned.trials[trial_id], row)}

    def conduct(self, loop: Loop | None, crew: ExitStack, plots: bool) -> Results:
        """Run what is left, if anything; ``crew`` ends the loop's executor."""
        start = time.perf_counter()
        interrupted = False
        try:
            with stoppable(), crew:
                if loop is not None:
                    self._execute(loop)
        except KeyboardInterrupt:
            interrupted = True
            self._journal_interrupted()
        results = self._results(interrupted, time.perf_counter() - start)
        try:
            write_files(results, self.session.folder, plots)
        except OSError as error:
            raise JournalError(f"{self.session.folder}: cannot write: {error.strerror or error}") from None
        self.listeners.call("benchkit_run_finished", run=self.session, records=results.records)
        return results

    def _execute(self, loop: Loop) -> None:
        for finished in loop.run(self.planned.left):
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
        # A copy of their own, which pickle makes five times as fast as deepcopy does.
        self.listeners.call("benchkit_trial_finished", run=self.session, record=pickle.loads(pickle.dumps(row)))

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
            expectations=[claim.model_dump() for claim in suite.expect],
            attack_order=attack_order(suite, self.planned.registry),
            report_sections=tuple(self.planned.registry.report_sections.values()),
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
