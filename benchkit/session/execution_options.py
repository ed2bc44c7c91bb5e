"""How a run is carried out: where its trials run, under which limits, and who is told."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchkit.execute.executor import RunningExecutor
from benchkit.plugin.declarations import Executor
from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.plugin.nearest_name import Suggestion
from benchkit.report.analysis import Analysis
from benchkit.session.listeners import chosen_trackers
from benchkit.session.plan import Plan
from benchkit.session.progress import Progress, default_progress
from benchkit.suite.source import SuiteError


@dataclass(frozen=True)
class ExecutionOptions:
    """How what is asked is carried out; see `benchkit.run`."""

    executor: str = "local"
    jobs: int | None = None
    timeout: float | None = None
    memory: float | None = None
    retries: int = 0
    isolate: bool = False
    executor_options: Mapping[str, Any] = field(default_factory=dict)
    tracking: bool | str | Sequence[str] = False
    plots: bool = False
    progress: Progress | None = None
    on_finished: Callable[[Analysis], None] | None = None
    report: bool = True  # else the run is a look of `run_until_decided`, which another follows

    @cached_property
    def watch(self) -> Progress:
        """Who is told what happens."""
        return self.progress or default_progress()

    def check(self, plan: Plan) -> None:
        """Raise `SuiteError` where the terms contradict each other, the executor or the suite."""
        known = plan.registry
        if self.executor not in known.executors:
            raise SuiteError(str(UnknownNameError("executor", self.executor, known.executors)))
        declared = known.executors[self.executor]
        if self.memory is not None and not declared.takes("memory"):
            raise SuiteError(f"--executor {self.executor} does not take --memory")
        if self.timeout is not None and not declared.stops:
            raise SuiteError(f"--executor {self.executor} cannot stop a trial: leave out --timeout")
        if self.isolate and not declared.stops:
            raise SuiteError(f"--executor {self.executor} has no process for each trial: leave out --isolate")
        options = self._options(known)  # also where nothing is left to run: what is wrong is told
        if plan.suite.exclusive and _runs_elsewhere(declared, options):
            raise SuiteError("this suite is 'exclusive': its timings need one machine; use --executor local")
        for name, value in (("timeout", self.timeout), ("memory", self.memory)):
            if value is not None and not value > 0:
                raise SuiteError(f"--{name} {value:g}: expected more than 0")
        if self.retries < 0:
            raise SuiteError(f"--retries {self.retries}: expected 0 or more")
        # This process would run other code than the ids of the trials tell of.
        if declared.in_process and (edited := plan.fingerprints.edited_since_import()):
            raise SuiteError(
                f"{', '.join(edited)} was edited since it was imported, and --executor {self.executor} would run the "
                "earlier code: start Python again"
            )
        chosen_trackers(known, self.tracking)

    def make_executor(self, plan: Plan, left: int, log: Path) -> RunningExecutor:
        """The executor for so many trials; what its workers print goes into the log."""
        declared, options = plan.registry.executors[self.executor], self._options(plan.registry)
        if plan.suite.exclusive:
            jobs: int | None = 1  # one trial at a time, so that timings are not disturbed
        elif _runs_elsewhere(declared, options):
            jobs = self.jobs  # the cluster knows its size
        else:
            jobs = max(1, min(self.jobs or processors(), left))
        made: RunningExecutor = declared.build(jobs=jobs, log=log, memory=self.memory, **options)
        return made

    def _options(self, known: Registry) -> dict[str, Any]:
        return _read_options(known.executors[self.executor], self.executor_options)


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read_options(executor: Executor, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the options that were given, each in its type.

    Raises
    ------
    SuiteError
        A name is not one of the executor's options, or a value is not of its option's type.
    """
    known = executor.known_options
    values = {}
    for name, value in given.items():
        if name not in known:
            names = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            hint = Suggestion(name, known, otherwise=names)
            raise SuiteError(f"--executor {executor.name} has no option {name!r}; {hint}")
        try:
            values[name] = known[name].read(value)
        except ValueError:
            expected = known[name].expected
            raise SuiteError(f"--executor-option {name}={value}: expected {expected}") from None
    return values


def _runs_elsewhere(executor: Executor, values: Mapping[str, Any]) -> str | None:
    """What makes trials run on other machines, as it was asked for; None where they run on this one."""
    if executor.elsewhere:
        return f"--executor {executor.name}"
    known = executor.known_options
    return next((f"--executor-option {name}" for name in values if known[name].elsewhere and values[name]), None)
