"""Feeding trials to an executor and turning whatever becomes of them into records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, TimeoutError, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pebble import ProcessExpired

from benchkit.execute.local import Executor
from benchkit.execute.work import work
from benchkit.suite.plan import Trial
from benchkit.trial.record import record

# Trials waiting in the executor per worker: enough that none idles, few enough that a stop leaves little to undo.
_AHEAD = 3


@dataclass
class Loop:
    """Runs trials on an executor.

    Attributes
    ----------
    executor : Executor
    memo : Path or None
        Folder of shared fits.
    timeout : float or None
        Seconds a trial may take from its start.
    pending : dict
        Futures under way, with what they run.
    """

    executor: Executor
    memo: Path | None
    timeout: float | None = None
    pending: dict[Future[Any], tuple[str, Trial]] = field(default_factory=dict)

    def running(self) -> list[Trial]:
        """Trials that a worker has started."""
        return [trial for future, (_, trial) in self.pending.items() if future.running()]

    def run(self, trials: Iterable[tuple[str, Trial]]) -> Iterator[tuple[dict[str, Any], str] | None]:
        """Yield each record, with the traceback where there is one, as it comes; ``None`` at least twice a second."""
        waiting = iter(trials)
        room = self.executor.capacity * (1 + _AHEAD)
        exhausted = False
        while True:
            while not exhausted and len(self.pending) < room:
                item = next(waiting, None)
                if item is None:
                    exhausted = True
                    break
                trial_id, trial = item
                future = self.executor.submit(work, trial, trial_id, self.memo, timeout=self.timeout)
                self.pending[future] = item
            if not self.pending:
                return
            done, _ = wait(self.pending, timeout=0.5, return_when=FIRST_COMPLETED)
            for future in [future for future in self.pending if future in done]:
                trial_id, trial = self.pending.pop(future)
                yield self._result(future, trial_id, trial)
            if not done:
                yield None

    def _result(self, future: Future[Any], trial_id: str, trial: Trial) -> tuple[dict[str, Any], str]:
        try:
            result: tuple[dict[str, Any], str] = future.result()
            return result
        except TimeoutError as error:
            reason = f"took longer than {self.timeout:g} s" if self.timeout else str(error)
            return record(trial, trial_id, "timeout", error=error, reason=reason), ""
        except ProcessExpired as error:
            reason = f"the worker process died (exit code {error.exitcode})"
            return record(trial, trial_id, "crashed", error=error, reason=reason), ""
        except Exception as error:  # such as a result that cannot be pickled
            return record(trial, trial_id, "failed", error=error), ""
