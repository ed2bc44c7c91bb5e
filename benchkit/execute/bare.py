"""Starting processes that know nothing of the user's script and take one thread each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@contextmanager
def bare_processes() -> Iterator[None]:
    """Processes that are started in here import no script (which would run it again) and use one BLAS thread."""
    environment = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    main = sys.modules["__main__"]
    held = {name: getattr(main, name, None) for name in ("__file__", "__spec__")}
    main.__dict__.pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        for attribute, value in held.items():
            if value is not None:
                setattr(main, attribute, value)
        for name, text in environment.items():
            if text is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = text


@contextmanager
def ignore_sigint() -> Iterator[None]:
    """Ctrl-C at a terminal reaches every process: those started in here, and theirs, leave it to this one."""
    # Starting multiprocessing's tracker unblocks the signal, and what starts after it in here would not be deaf.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def daemon_may_start_processes() -> Iterator[None]:
    """Let a process that multiprocessing calls a daemon start others, as every dask worker under a nanny is.

    multiprocessing forbids it because a daemon that is killed leaves its children behind; workers of ours end with the
    process that started them (`process_tree.found_family`).
    """
    process = multiprocessing.current_process()
    if not process.daemon:
        yield
        return
    process.daemon = False
    try:
        yield
    finally:
        process.daemon = True
