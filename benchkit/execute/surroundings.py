"""What trials of one worker share besides their data: compared before and after each, lest one touches the next."""

from __future__ import annotations

import gc
import importlib
import locale
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from operator import is_
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sklearn
from threadpoolctl import ThreadpoolController

# Packages whose public modules every trial uses, and Python's own that trials are fond of replacing.
_PACKAGES = ("numpy", "scipy", "sklearn")
_MODULES = ("builtins", "math", "os", "random", "time")
_DEPTH = 2  # numpy.linalg, but not numpy.linalg.linalg

# `signal.getsignal` and `os.environ` translate what they hold, each time: as it is held, it compares as well.
_handler_of = importlib.import_module("_signal").getsignal
_environment = vars(os.environ).get("_data", os.environ)

_LIMITS = tuple(
    getattr(resource, f"RLIMIT_{name}")
    for name in ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "NPROC", "STACK")
    if hasattr(resource, f"RLIMIT_{name}")
)

# Their sums tell how floating-point numbers are rounded: half the last place beside one, and the least normal number.
_ONE, _HALF, _LEAST = 1.0, 2.0**-53, sys.float_info.min

_SIGNALS = tuple(number for number in range(1, 32) if number not in (signal.SIGKILL, signal.SIGSTOP))


@dataclass(frozen=True)
class _State:
    """What is compared by value; each field is named as the warning names it."""

    working_directory: str
    standard_streams: tuple[object, ...]
    environment: dict[Any, Any]
    temporary_folder: bool
    signal_handlers: tuple[object, ...]
    timers: tuple[bool, ...]
    threads: frozenset[int | None]
    import_path: tuple[str, ...]
    numpy_errors: dict[str, Any]
    sklearn_options: dict[str, Any]
    garbage_collector: bool
    tracing: tuple[bool, bool]
    resource_limits: tuple[tuple[int, int], ...]
    import_hooks: tuple[int, ...]
    priority: int
    processors: frozenset[int]
    BLAS_threads: tuple[int, ...]
    floating_point_rounding: tuple[float, ...]
    recursion_limit: int
    file_mode_mask: int
    locale: str
    numpy_print_options: dict[str, Any]
    switch_interval: float
    exception_hooks: tuple[object, ...]

    @classmethod
    def now(cls, libraries: tuple[Any, ...] = ()) -> _State:
        """As it is; of these libraries of linear algebra and threads, as `threadpoolctl` controls them."""
        return cls(
            working_directory=_working_directory(),
            standard_streams=tuple(_streams()),
            environment=dict(_environment),
            temporary_folder=os.path.isdir(os.environ.get("TMPDIR", "/")),
            signal_handlers=tuple(map(_handler_of, _SIGNALS)),
            timers=tuple(signal.getitimer(timer)[0] > 0 for timer in (signal.ITIMER_REAL, signal.ITIMER_PROF)),
            threads=frozenset(thread.ident for thread in threading.enumerate()),
            import_path=tuple(sys.path),
            numpy_errors=dict(np.geterr()),
            sklearn_options=sklearn.get_config(),
            garbage_collector=gc.isenabled(),
            tracing=(sys.gettrace() is None, sys.getprofile() is None),
            resource_limits=tuple(map(resource.getrlimit, _LIMITS)),
            import_hooks=(*map(id, sys.meta_path), *map(id, sys.path_hooks)),
            priority=os.getpriority(os.PRIO_PROCESS, 0),
            processors=frozenset(_processors()),
            BLAS_threads=tuple(library.num_threads for library in libraries),
            floating_point_rounding=(_ONE + _HALF, _ONE + 1.5 * _HALF, -_ONE - _HALF, _LEAST / 2),
            recursion_limit=sys.getrecursionlimit(),
            file_mode_mask=_file_mode_mask(),
            locale=locale.setlocale(locale.LC_ALL),
            numpy_print_options=dict(np.get_printoptions()),
            switch_interval=sys.getswitchinterval(),
            exception_hooks=(sys.excepthook, sys.displayhook, sys.unraisablehook, threading.excepthook),
        )


def _processors() -> Iterable[int]:
    """Those that this process may use; none where the system does not say."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()


def _file_mode_mask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # it was removed


def _streams() -> Iterator[object]:
    for descriptor, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        yield id(stream)
        yield getattr(stream, "closed", True)
        try:
            status = os.fstat(descriptor)
            yield status.st_dev, status.st_ino
        except OSError:
            yield None


class _Snapshot:
    """The state, and the attributes of the modules that count."""

    def __init__(self, plugins: tuple[str, ...]) -> None:
        self.count, self.plugins = len(sys.modules), plugins
        self.libraries = tuple(ThreadpoolController().lib_controllers)
        self.state = _State.now(self.libraries)
        self._seen = [_Attributes(module) for module in _shared_modules(plugins)]

    def changed(self) -> Iterator[str]:
        """Modules of which an attribute is another object than before."""
        return (f"attributes of {attributes.module.__name__}" for attributes in self._seen if attributes.changed())


class _Attributes:
    """What the names of a module stand for: some 4,500 objects in numpy, scipy and scikit-learn, 0.03 us each."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self._before = list(vars(module).values())  # held here, none can be freed and its place be taken by another

    def changed(self) -> bool:
        """Whether an attribute that there was is another object now; new ones come last, and are no harm to anybody.

        Objects that are equal, such as two empty mappings, may differ later.
        """
        values = list(vars(self.module).values())
        return len(values) < len(self._before) or not all(map(is_, values, self._before))


def _shared_modules(plugins: tuple[str, ...]) -> Iterator[ModuleType]:
    files = {str(Path(plugin).resolve()) for plugin in plugins}
    for name, module in list(sys.modules.items()):
        parts = name.split(".")
        public = parts[0] in _PACKAGES and len(parts) <= _DEPTH and not parts[-1].startswith("_")
        if isinstance(module, ModuleType) and (
            public or name in _MODULES or getattr(module, "__file__", None) in files
        ):
            yield module


# Generations of the collector. An object becomes old, that is, of the last one, in a collection of the others; from
# Python 3.14 on it becomes so step by step.
_YOUNG, _ALL = 1, 2
_YOUNG_IS_ENOUGH = sys.version_info < (3, 14)
# Collections of the young in a row: what is in use at the end of a trial is old from then on, and let go of later.
_IN_A_ROW = 100


def _old_collections() -> int:
    """How often objects have become old."""
    return sum(generation["collections"] for generation in gc.get_stats()[_YOUNG:])


class Surroundings:
    """The state of a worker before a trial.

    Parameters
    ----------
    plugins : tuple of str
        Files of plugins that the trial uses.
    """

    _latest: _Snapshot | None = None  # of the trials before: looking for the modules and collecting cost milliseconds

    def __init__(self, plugins: tuple[str, ...]) -> None:
        self._collections = _old_collections()
        snapshot = Surroundings._latest
        if snapshot is None or snapshot.count != len(sys.modules) or snapshot.plugins != plugins:
            Surroundings._latest = snapshot = _Snapshot(plugins)
            gc.collect()
            gc.freeze()  # what is there now need not be looked at after every trial
        self._before = snapshot

    def collect_garbage(self) -> None:
        """Free what is left in cycles: of this trial, unless it made objects old; else, and at times, of all before."""
        young = _YOUNG_IS_ENOUGH and _old_collections() == self._collections and gc.get_count()[_ALL] < _IN_A_ROW
        gc.collect(_YOUNG if young else _ALL)

    def changes(self) -> list[str]:
        """What differs now, in words."""
        now, before = _State.now(self._before.libraries), self._before.state
        changed = []
        if now != before:
            changed = [
                each.name.replace("_", " ")
                for each in fields(_State)
                if getattr(now, each.name) != getattr(before, each.name)
            ]
        return [*changed, *self._before.changed()]
