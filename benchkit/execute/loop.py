"""Feeding trials to an executor and turning whatever becomes of them into records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from benchkit.environment.place import EnvironmentMissingError, build_command
from benchkit.errors import EndedError, WorkerDiedError
from benchkit.execute.foreign import InEnvironment
from benchkit.execute.work import Workplace, work
from benchkit.plugin.guard import PluginError, guarded
from benchkit.plugin.manager import Registry
from benchkit.suite.trial import Trial
from benchkit.trial.record import record

# Trials in the executor for each worker: enough that none idles, few enough that a stop leaves little to undo.
_AHEAD = 8


@dataclass
class Loop:
    """Runs trials on what an `Executor` makes.

    A trial may take ``timeout`` seconds from its start; one whose process died is run again ``retries`` times. The
    registry says which algorithms have an environment; ``who`` whose the executor is.
    """

    executor: Any
    place: Workplace
    registry: Registry
    timeout: float | None = None
    retries: int = 0
    who: str = "the executor"
    _pending: dict[Future[Any], tuple[str, Trial]] = field(default_factory=dict)
    _deaths: Counter[str] = field(default_factory=Counter)

    def running(self) -> list[Trial]:
        """Trials that a worker has started."""
        return [trial for future, (_, trial) in self._pending.items() if future.running()]

    def run(self, trials: Iterable[tuple[str, Trial]]) -> Iterator[tuple[dict[str, Any], str] | None]:
        """Yield each record, with the traceback where there is one, as it comes; ``None`` at least twice a second.

        A `PluginError` is raised where the executor does not say how much it takes.
        """
        waiting = iter(trials)
        while True:
            with guarded(f"{self.who}: capacity"):
                room = int(self.executor.capacity) * _AHEAD
            for trial_id, trial in islice(waiting, max(0, room - len(self._pending))):
                self._submit(trial_id, trial)
            if not self._pending:
                return
            done, _ = wait(self._pending, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in [future for future in self._pending if future in done]:
                trial_id, trial = self._pending.pop(future)
                error = _error(future)
                self._deaths[trial_id] += isinstance(error, WorkerDiedError)
                if isinstance(error, WorkerDiedError) and self._deaths[trial_id] <= self.retries:
                    self._submit(trial_id, trial)
                elif error is None:
                    row, trace = future.result()
                    yield {**row, "trial": trial_id}, trace  # one text of it is enough in this process
                else:
                    yield self._unfinished(error, trial_id, trial), ""
            if not done:
                yield None

    def _submit(self, trial_id: str, trial: Trial) -> None:
        algorithm = self.registry.algorithms[trial.algorithm.name]
        function: Any = work
        if algorithm.environment is not None:
            function = InEnvironment(work, algorithm.environment, build_command(algorithm, trial.plugins))
        future: Future[Any]
        try:
            with guarded(f"{self.who}: submit"):
                future = self.executor.submit(function, trial, trial_id, self.place, timeout=self.timeout)
                if not isinstance(future, Future):
                    raise TypeError(f"returned a {type(future).__name__}, expected a concurrent.futures.Future")
        except PluginError as error:  # the trial ends as a row, whatever has become of the executor
            future = Future()
            future.set_exception(WorkerDiedError(str(error)))
        self._pending[future] = trial_id, trial

    def _unfinished(self, error: BaseException, trial_id: str, trial: Trial) -> dict[str, Any]:
        if isinstance(error, EndedError):
            outcome = {"cpu_seconds": error.cpu_seconds, "peak_mb": error.peak_mb}
            deaths = self._deaths[trial_id]
            reason = f"{error}, {deaths} times" if deaths > 1 else str(error)
            return record(trial, trial_id, error.status, outcome=outcome, error=error, reason=reason)
        missing = isinstance(error, EnvironmentMissingError)  # else such as a result that cannot be pickled
        return record(trial, trial_id, "skipped" if missing else "failed", error=error)


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
