"""Choosing where trials run."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchkit.execute.executor import Executor
from benchkit.execute.inline import InlineExecutor
from benchkit.execute.local import LocalExecutor
from benchkit.suite.load import SuiteError

EXECUTORS = ("local", "inline", "dask")


@dataclass(frozen=True)
class Terms:
    """Where and under which limits trials run; see `benchkit.run`."""

    executor: str = "local"
    jobs: int | None = None
    scheduler: str | None = None
    timeout: float | None = None
    memory: float | None = None
    retries: int = 0

    def check(self, exclusive: bool) -> None:
        """Raise `SuiteError` where the terms contradict each other, or the suite."""
        if self.executor not in EXECUTORS:
            raise SuiteError(f"unknown executor {self.executor!r}; known: {', '.join(EXECUTORS)}")
        if self.scheduler is not None and self.executor != "dask":
            raise SuiteError("--scheduler belongs to --executor dask")
        if self.scheduler is not None and exclusive:
            raise SuiteError("this suite is 'exclusive': its timings need one machine; use --executor local")
        if self.executor == "inline" and (self.timeout is not None or self.memory is not None):
            raise SuiteError("--executor inline cannot stop a trial: leave out --timeout and --memory")
        for name, value in (("timeout", self.timeout), ("memory", self.memory)):
            if value is not None and not value > 0:
                raise SuiteError(f"--{name} {value:g}: expected more than 0")
        if self.retries < 0:
            raise SuiteError(f"--retries {self.retries}: expected 0 or more")

    def make_executor(self, left: int, exclusive: bool, log: Path) -> Executor:
        """The executor for so many trials.

        Parameters
        ----------
        left : int
        exclusive : bool
            One trial at a time, so that timings are not disturbed.
        log : Path
            File that takes what workers print.
        """
        if self.executor == "inline":
            return InlineExecutor()
        jobs = 1 if exclusive else self.jobs
        if self.executor == "dask":
            from benchkit.execute.distributed import DaskExecutor

            return DaskExecutor(self.scheduler, jobs, log, self.memory)
        return LocalExecutor(max(1, min(jobs or processors(), left)), log, self.memory)


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
