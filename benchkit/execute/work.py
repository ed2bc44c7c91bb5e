"""What a worker process does with one trial."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchkit.execute.family import end_children
from benchkit.execute.limits import cpu_seconds, memory_limit, peak_megabytes, reset_peak
from benchkit.plugin.declarations import DataUnavailableError, NotApplicableError
from benchkit.suite.plan import Trial
from benchkit.trial import prepared
from benchkit.trial.memo import Memo, dump_whole
from benchkit.trial.protocol import get_ready, run_trial
from benchkit.trial.record import Status, record, traceback_text

# Bytes of the log of all workers of a run that are kept: a solver that prints must not fill the disk.
_LOG_KEPT = 16 * 2**20


@dataclass(frozen=True)
class Workplace:
    """What trials find where they run.

    Attributes
    ----------
    memo : Path or None
        Folder of shared fits.
    memory : float or None
        MB that a trial may hold.
    models : Path or None
        Folder that takes the fitted estimators.
    """

    memo: Path | None
    memory: float | None = None
    models: Path | None = None

    def keep(self, trial_id: str, model: Any) -> None:
        """Store a fitted estimator, where that is wanted and possible."""
        if self.models is not None and not dump_whole(model, self.models / f"{trial_id}.joblib"):
            warnings.warn(f"the model of trial {trial_id} cannot be stored", stacklevel=2)


def prepare_worker(log: Path | None) -> None:
    """Make a fresh worker process quiet, single-threaded and deaf to Ctrl-C, which is the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threadpool_limits(1)
    if log is not None:
        # What solvers print goes to the run's folder, not into the middle of the progress display.
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        os.close(descriptor)


def _cut_log() -> None:
    """Where output goes to a file that has grown too long, drop its end."""
    sys.stdout.flush()
    with suppress(OSError):
        if stat.S_ISREG(os.fstat(1).st_mode) and os.fstat(1).st_size > _LOG_KEPT:
            os.ftruncate(1, _LOG_KEPT)
            os.write(1, b"\nbenchkit: more was printed, and is left out\n")


def work(trial: Trial, trial_id: str, place: Workplace) -> tuple[dict[str, Any], str]:
    """Run a trial; return its record, and the traceback where it failed."""
    in_worker = multiprocessing.parent_process() is not None
    reset_peak()
    started = cpu_seconds()
    outcome: dict[str, Any] = {}
    problem: BaseException | None = None
    status: Status = "ok"
    try:
        with warnings.catch_warnings(), memory_limit(place.memory if in_worker else None):
            warnings.simplefilter("default")
            get_ready(trial)
            started = cpu_seconds()
            outcome = run_trial(trial, _memo(place.memo), keep=partial(place.keep, trial_id))
    except (DataUnavailableError, NotApplicableError) as error:
        status, problem = "skipped", error
    except MemoryError as error:
        status, problem = "memory", error
    except (Exception, SystemExit, GeneratorExit) as error:
        status, problem = "failed", error
    except KeyboardInterrupt as error:
        # Workers are deaf to Ctrl-C: there it is the trial's own doing.
        if not in_worker:
            raise
        status, problem = "failed", error
    if in_worker:
        end_children()  # what it started and left running would slow down the trials after it
        _cut_log()
    outcome |= {"cpu_seconds": cpu_seconds() - started, "peak_mb": peak_megabytes()}
    text = traceback_text(problem) if problem is not None and status != "skipped" else ""
    return record(trial, trial_id, status, outcome=outcome, error=problem), text


@lru_cache(maxsize=1)
def _memo(folder: Path | None) -> Memo:
    return Memo(folder)


def forget() -> None:
    """Start afresh, as a new worker does, in a process that has run trials before."""
    prepared.forget()
    _memo.cache_clear()
