"""Feeding trials to an executor and turning whatever becomes of them into records."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from benchkit.environment.place import EnvironmentMissingError, build_command
from benchkit.execute.executor import EndedError, OverMemoryError, OverTimeError, RunningExecutor, WorkerDiedError
from benchkit.execute.foreign import InEnvironment
from benchkit.execute.work import Workplace, work
from benchkit.plugin.guard import PluginError, guarded, name_what_hangs
from benchkit.plugin.manager import Registry
from benchkit.suite.trial import Trial
from benchkit.trial.record import Status, record

# Trials waiting in the executor per worker: enough that none idles, few enough that a stop leaves little to undo.
_AHEAD = 7

# Of a plugin's own kinds of them too; any other `EndedError` is a crash.
_STATUS: dict[type[EndedError], Status] = {OverTimeError: "timeout", OverMemoryError: "memory"}


@dataclass
class Loop:
    """Runs trials on an executor.

    A trial may take ``timeout`` seconds from its start; one whose process died is run again ``retries`` times. The
    registry says which algorithms have an environment; none does where it is None. ``who`` says whose the executor is:
    one that is ``foreign`` is named where no trial ends for a minute. ``pending`` are futures under way.
    """

    executor: RunningExecutor
    place: Workplace
    timeout: float | None = None
    retries: int = 0
    registry: Registry | None = None
    pending: dict[Future[Any], tuple[str, Trial]] = field(default_factory=dict)
    who: str = "the executor"
    foreign: bool = False
    _deaths: Counter[str] = field(default_factory=Counter)

    def running(self) -> list[Trial]:
        """Trials that a worker has started."""
        return [trial for future, (_, trial) in self.pending.items() if future.running()]

    def run(self, trials: Iterable[tuple[str, Trial]]) -> Iterator[tuple[dict[str, Any], str] | None]:
        """Yield each record, with the traceback where there is one, as it comes; ``None`` at least twice a second.

        A `PluginError` is raised where the executor does not say how much it takes.
        """
        waiting = iter(trials)
        named, last = not self.foreign, time.monotonic()
        while True:
            with guarded(f"{self.who}: capacity"):
                room = int(self.executor.capacity) * (1 + _AHEAD)
            for trial_id, trial in islice(waiting, max(0, room - len(self.pending))):
                self._submit(trial_id, trial)
            if not self.pending:
                return
            done, _ = wait(self.pending, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in [future for future in self.pending if future in done]:
                trial_id, trial = self.pending.pop(future)
                if self._is_to_be_repeated(future, trial_id):
                    self._submit(trial_id, trial)
                else:
                    yield self._result(future, trial_id, trial)
            if done:
                last = time.monotonic()
            else:
                named = named or name_what_hangs(self.who, time.monotonic() - last)
                yield None

    def _submit(self, trial_id: str, trial: Trial) -> None:
        future: Future[Any]
        try:
            with guarded(f"{self.who}: submit"):
                future = self.executor.submit(self._work_of(trial), trial, trial_id, self.place, timeout=self.timeout)
                if not isinstance(future, Future):
                    raise TypeError(f"returned a {type(future).__name__}, expected a concurrent.futures.Future")
        except PluginError as error:  # the trial ends as a row, whatever has become of the executor
            future = Future()
            future.set_exception(WorkerDiedError(str(error)))
        self.pending[future] = trial_id, trial

    def _work_of(self, trial: Trial) -> Callable[..., Any]:
        """`work`, where the trial's algorithm wants it to be done."""
        algorithm = self.registry.algorithms[trial.algorithm.name] if self.registry is not None else None
        if algorithm is None or algorithm.environment is None:
            return work
        return InEnvironment(work, algorithm.environment, build_command(algorithm, trial.plugins))

    def _is_to_be_repeated(self, future: Future[Any], trial_id: str) -> bool:
        if not isinstance(_error(future), WorkerDiedError):
            return False
        self._deaths[trial_id] += 1
        return self._deaths[trial_id] <= self.retries

    def _result(self, future: Future[Any], trial_id: str, trial: Trial) -> tuple[dict[str, Any], str]:
        error = _error(future)
        if error is None:
            row, trace = future.result()
            row["trial"] = trial_id  # one text of it is enough in this process
            return row, trace
        if not isinstance(error, EndedError):  # such as a result that cannot be pickled
            status: Status = "skipped" if isinstance(error, EnvironmentMissingError) else "failed"
            return record(trial, trial_id, status, error=error), ""
        outcome = {"cpu_seconds": error.usage.cpu_seconds, "peak_mb": error.usage.peak_mb}
        deaths = self._deaths[trial_id]
        reason = error.reason + (f", {deaths} times" if deaths > 1 else "")
        status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), "crashed")
        return record(trial, trial_id, status, outcome=outcome, error=error, reason=reason), ""


def _error(future: Future[Any]) -> BaseException | None:
    """Why a future that is done has no result."""
    if future.cancelled():
        return WorkerDiedError("the executor cancelled it")
    if (error := future.exception()) is not None:
        return error
    match future.result():
        case ({"trial": str(), "status": str()}, str()):
            return None
        case other:
            return WorkerDiedError(f"the executor returned a {type(other).__name__} that is no record of a trial")
