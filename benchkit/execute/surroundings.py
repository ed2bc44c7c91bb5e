"""What trials of one worker share besides their data: compared before and after each, lest one touches the next."""

from __future__ import annotations

import gc
import os
import sys
import threading
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController


@dataclass(frozen=True)
class _State:
    """What is compared by value; each field is named as the warning names it."""

    working_directory: str
    environment: dict[Any, Any]
    threads: frozenset[int | None]
    BLAS_threads: tuple[int, ...]
    numpy_errors: dict[str, Any]

    @classmethod
    def now(cls, libraries: tuple[Any, ...]) -> _State:
        """As it is; of these libraries of linear algebra and threads, as `threadpoolctl` controls them."""
        return cls(
            working_directory=_working_directory(),
            environment=dict(os.environ),
            threads=frozenset(thread.ident for thread in threading.enumerate()),
            BLAS_threads=tuple(library.num_threads for library in libraries),
            numpy_errors=dict(np.geterr()),
        )


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # it was removed


class Surroundings:
    """The state of a worker before a trial.

    The global generators are no part of it: they are seeded for each fit and each trial.
    """

    _modules = 0  # how many were imported when the libraries were looked for, which takes milliseconds
    _libraries: tuple[Any, ...] = ()

    def __init__(self) -> None:
        if Surroundings._modules != len(sys.modules):
            Surroundings._modules = len(sys.modules)
            Surroundings._libraries = tuple(ThreadpoolController().lib_controllers)
            gc.collect()
            gc.freeze()  # what is there now need not be looked at after every trial
        self._before = _State.now(Surroundings._libraries)

    def changes(self) -> list[str]:
        """What differs now, in words, once what is left in cycles is freed."""
        gc.collect()
        now, before = _State.now(Surroundings._libraries), self._before
        names = [field.name for field in fields(_State) if getattr(now, field.name) != getattr(before, field.name)]
        return [name.replace("_", " ") for name in names]
