"""What a worker process does with one trial, what that uses of the process, and what it leaves changed for the next."""

import ctypes
import gc
import os
import random
import resource
import stat
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from benchkit.execute.process_tree import end_children
from benchkit.execute.worker import is_worker, retire
from benchkit.identity.fingerprints import dataset_key, plugin_modules
from benchkit.identity.sources import read_module
from benchkit.journal.store import write_model
from benchkit.memory_limit import memory_limit, status_field
from benchkit.plugin.declarations import DataUnavailableError, NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.suite.schema import KeptRows
from benchkit.suite.trial import Trial
from benchkit.trial.learner import FitCache
from benchkit.trial.prepared import copied_megabytes, fingerprints, forget
from benchkit.trial.protocol import get_ready, run_trial
from benchkit.trial.record import Status, record

# Bytes of the log of all workers of a run that are kept: a solver that prints must not fill the disk.
_LOG_KEPT = 16 * 2**20

# A trial may leave so many MB behind, and the data that it loaded, with copies that loading made, so many times.
_LEFT = 128.0
_COPIES = 4

# Returns what was freed to the system, where the system can take it.
_malloc_trim: Callable[[int], Any] = getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: 0)


@dataclass(frozen=True)
class Workplace:
    """What trials find where they run."""

    fit_cache: Path | None  # a folder of shared fits
    memory: float | None = None  # MB that a trial may hold
    models: Path | None = None  # a folder that takes the fitted estimators
    isolate: bool = False  # whether each trial has a worker process of its own
    rows: KeptRows = "none"  # what is kept of each test row
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # what trials were planned of: `files_read`


def work(trial: Trial, trial_id: str, place: Workplace) -> tuple[dict[str, Any], str]:
    """Run a trial; return its record, and the traceback where it failed.

    A trial that changes what it shares with the trials after it in its worker says so in the record's ``warnings``, and
    the worker ends after it.
    """
    in_worker, process = is_worker(), os.getpid()
    forget(before=trial)
    # Freed memory is given back, and the peak measured anew, where the system can (Linux: proc(5), clear_refs).
    _malloc_trim(0)
    with suppress(OSError), open("/proc/self/clear_refs", "wb", buffering=0) as file:
        file.write(b"5")
    fits = FitCache(place.fit_cache, _peak_megabytes)
    surroundings: Surroundings | None = None
    started: float | None = None
    problem: BaseException | None = None
    outcome: dict[str, Any] = {}
    status: Status = "ok"
    keep = partial(_keep_model, place.models, trial_id) if place.models is not None else None
    try:
        with warnings.catch_warnings(), memory_limit(place.memory if in_worker else None):
            warnings.simplefilter("default")
            refuse_changed(trial, place.files)
            get_ready(trial)
            surroundings = Surroundings() if in_worker else None  # what importing took serves the trials to come
            started = _cpu_seconds()
            of_trial = run_trial(trial, fits, keep, keep_rows=place.rows)
            refuse_changed(trial, place.files)  # then nothing of it counts
            outcome = of_trial
            problem = outcome.pop("raised")  # by a metric beside others
    except (DataUnavailableError, NotApplicableError) as error:
        status, problem = "skipped", error
    except MemoryError as error:
        status, problem = "memory", error
    except BaseException as error:
        # Workers ignore SIGINT: there KeyboardInterrupt is the trial's own doing.
        if isinstance(error, KeyboardInterrupt) and not in_worker:
            raise
        status, problem = "failed", error
    if os.getpid() != process:
        os._exit(0)  # the trial forked, and this is the child, which has no business here
    if in_worker:
        end_children()  # what it started and left running would slow down the trials after it
        with suppress(OSError, ValueError, AttributeError):  # it may have closed or removed its output
            sys.stdout.flush()
            state = os.fstat(1)
            if stat.S_ISREG(state.st_mode) and state.st_size > _LOG_KEPT:  # a file that has grown too long
                os.ftruncate(1, _LOG_KEPT)
                os.write(1, b"\nbenchkit: more was printed, and is left out\n")
    # A fit's cost is the fit's, wherever it was done first.
    outcome |= {
        "cpu_seconds": (0.0 if started is None else _cpu_seconds() - started) + fits.shared_cpu_seconds,
        "peak_mb": max(_peak_megabytes(), fits.shared_peak_mb),
    }
    del fits  # what it holds is no memory that the trial leaves behind
    text = "".join(traceback.format_exception(problem)) if problem is not None and status != "skipped" else ""
    row = record(trial, trial_id, status, outcome=outcome, error=problem)
    if problem is not None:
        traceback.clear_frames(problem.__traceback__)  # they hold the trial's arrays
        problem.__traceback__ = problem.__context__ = problem.__cause__ = None
    if changes := surroundings.changes() if surroundings is not None else []:
        row["warnings"] = {**row["warnings"], "polluted": [f"it changed or left behind {what}" for what in changes]}
    if in_worker and (changes or place.isolate):
        retire()
    return row, text


def refuse_changed(trial: Trial, planned: Mapping[str, Mapping[str, str]]) -> None:
    """Raise where a file of the trial's data, or of a plugin, is not what the trial's id tells of."""
    if _changed(trial, planned):
        forget()  # what this process has read, perhaps before the run, may be what is not the same
        if changed := _changed(trial, planned):
            raise RuntimeError(f"{', '.join(changed)} changed while the run went: run the same command again")


def _changed(trial: Trial, planned: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Names of the files that this process has read otherwise than they were when trials were planned."""
    changed, key = list[str](), f"dataset:{dataset_key(trial.dataset)}"
    if key in planned:
        known = fingerprints(trial.plugins)
        known.code("dataset", trial.dataset.name, trial.dataset)
        here = known.ingredients[key]
        others = [name for name, content in planned[key].items() if here.get(name, content) != content]
        changed += [name.removeprefix("file ") for name in others]
    for path, module in plugin_modules(registry(trial.plugins)).items() if trial.plugins else ():
        if path in planned and module not in planned[path]:
            source = read_module(module)
            if source is None or source[1] not in planned[path].values():  # else its comments alone differ
                changed.append(Path(path).name)
    return changed


def _keep_model(folder: Path, trial_id: str, model: Any) -> None:
    if not write_model(folder, trial_id, model):
        warnings.warn(f"the model of trial {trial_id} cannot be stored", stacklevel=2)


def _peak_megabytes() -> float:
    """Largest resident size since a trial began, in MB; since the process started where that cannot be reset."""
    peak = status_field("VmHWM")
    kilobyte = 1024 if sys.platform == "darwin" else 1
    return peak if peak is not None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / kilobyte


def _cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class Surroundings:
    """The state of a worker before a trial, but for the global generators, which are seeded for each fit and trial."""

    def __init__(self) -> None:
        self._linear_algebra = _linear_algebra(len(sys.modules))
        self._before = self._state()
        self._resident, self._copied = status_field("VmRSS") or 0.0, copied_megabytes()

    def _state(self) -> dict[str, Any]:
        """What is compared by value, as the warning names it."""
        directory = ""
        with suppress(OSError):  # it was removed
            directory = os.getcwd()
        return {
            "working directory": directory,
            "environment": dict(os.environ),
            "threads": {thread.ident for thread in threading.enumerate()},
            "BLAS threads": [library.num_threads for library in self._linear_algebra.lib_controllers],
            "numpy errors": dict(np.geterr()),
        }

    def changes(self) -> list[str]:
        """What differs now, once what is left in cycles is freed; memory beyond that of the data that others use."""
        gc.collect()
        now = self._state()
        changes = [name for name, before in self._before.items() if now[name] != before]
        allowed = self._resident + _LEFT + _COPIES * (copied_megabytes() - self._copied)
        if (status_field("VmRSS") or 0.0) > allowed:
            _malloc_trim(0)
            if (held := status_field("VmRSS") or 0.0) > allowed:
                changes.append(f"{held - self._resident:.0f} MB of memory")
        return changes


@lru_cache(maxsize=1)
def _linear_algebra(modules: int) -> ThreadpoolController:
    """Libraries of linear algebra, looked for once for so many imported modules, as that takes milliseconds."""
    if is_worker():  # what is there now need not be looked at after every trial
        gc.collect()
        gc.freeze()
    return ThreadpoolController()


class InlineExecutor(Executor):
    """One function at a time, in this process, with one BLAS thread, for notebooks and debuggers; it stops nothing."""

    capacity = 1

    def __init__(self) -> None:
        forget()  # a worker starts afresh; this process may have run before, on other files

    def submit(  # type: ignore[override]
        self, function: Callable[..., Any], *args: Any, timeout: float | None
    ) -> Future[Any]:
        """Call the function now."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        generators = random.getstate(), np.random.get_state()  # noqa: NPY002
        try:
            with _linear_algebra(len(sys.modules)).limit(limits=1):  # as in a worker
                future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        finally:  # a trial seeds them, and whoever called draws as if none had run
            random.setstate(generators[0])
            np.random.set_state(generators[1])  # noqa: NPY002
        return future
