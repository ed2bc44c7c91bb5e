"""What a worker process does with one trial."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchkit.execute.limits import peak_megabytes, reset_peak
from benchkit.plugin.declarations import DataUnavailableError, NotApplicableError
from benchkit.suite.plan import Trial
from benchkit.trial import prepared
from benchkit.trial.memo import Memo
from benchkit.trial.protocol import run_trial
from benchkit.trial.record import Status, record, traceback_text

_ENDED_IN_MID_TRIAL = 70


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


def work(trial: Trial, trial_id: str, memo_folder: Path | None) -> tuple[dict[str, Any], str]:
    """Run a trial; return its record, and the traceback where it failed."""
    reset_peak()
    started = time.process_time()
    outcome: dict[str, Any] = {}
    problem: BaseException | None = None
    status: Status = "ok"
    try:
        with warnings.catch_warnings(), _exit_is_a_crash():
            warnings.simplefilter("default")
            outcome = run_trial(trial, _memo(memo_folder))
    except (DataUnavailableError, NotApplicableError) as error:
        status, problem = "skipped", error
    except MemoryError as error:
        status, problem = "memory", error
    except (Exception, SystemExit, GeneratorExit) as error:
        status, problem = "failed", error
    except KeyboardInterrupt as error:
        # Workers are deaf to Ctrl-C: there it is the trial's own doing.
        if multiprocessing.parent_process() is None:
            raise
        status, problem = "failed", error
    outcome |= {"cpu_seconds": time.process_time() - started, "peak_mb": peak_megabytes()}
    text = traceback_text(problem) if problem is not None and status != "skipped" else ""
    return record(trial, trial_id, status, outcome=outcome, error=problem), text


@contextmanager
def _exit_is_a_crash() -> Iterator[None]:
    """A worker that ends with code 0 in mid-trial would look like one that is done, and be waited for."""
    real = os._exit
    os._exit = lambda status: real(status or _ENDED_IN_MID_TRIAL)
    try:
        yield
    finally:
        os._exit = real


@lru_cache(maxsize=1)
def _memo(folder: Path | None) -> Memo:
    return Memo(folder)


def forget() -> None:
    """Start afresh, as a new worker does, in a process that has run trials before."""
    prepared.forget()
    _memo.cache_clear()
