"""Arrays that trials share: read-only copies, which numpy lets nobody make writeable."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

_PARTS = ("data", "indices", "indptr")


class _Copied:
    """MB that this process has copied for trials to share since it started."""

    megabytes = 0.0


def copied_megabytes() -> float:
    """MB that this process has copied for trials to share since it started, those that it has freed included."""
    return _Copied.megabytes


def protected(value: Any) -> Any:
    """An array, or a sparse matrix made of arrays, that nobody can write to; anything else as it is."""
    if sparse.issparse(value):
        for name in _PARTS:
            if isinstance(getattr(value, name, None), np.ndarray):
                setattr(value, name, _protected(getattr(value, name)))
        return value
    return _protected(value) if isinstance(value, np.ndarray) else value


def _protected(array: np.ndarray) -> np.ndarray:
    owner: Any = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if not owner.flags.writeable:  # by this function, or as a file that is mapped for reading alone
        return array
    order: Any = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    copy = np.array(array, order=order)
    copy.flags.writeable = False
    _Copied.megabytes += array.nbytes / 2**20
    return copy.view()  # the flag of a view cannot be set where the array that owns the memory has none
