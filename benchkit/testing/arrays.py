"""Comparing arrays, dense or sparse, before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def freeze(array: Any) -> Any:
    """A copy that cannot be written to, as trials hand arrays out."""
    held = array.copy()
    for part in (held.data, held.indices, held.indptr) if sparse.issparse(held) else (held,):
        part.flags.writeable = False
    return held


def dense(array: Any) -> np.ndarray:
    """A dense view of an array or matrix."""
    return np.asarray(array.toarray() if sparse.issparse(array) else array)


def same(first: Any, second: Any) -> bool:
    """Whether shapes and all entries are equal; NaN equals NaN."""
    first, second = dense(first), dense(second)
    return np.array_equal(first, second, equal_nan=first.dtype.kind == "f" and second.dtype.kind == "f")


def changed(before: Any, after: Any) -> np.ndarray:
    """Which entries differ, as a boolean array; NaN is no difference from NaN."""
    before, after = dense(before), dense(after)
    differ: np.ndarray = before != after
    if before.dtype.kind == "f" and after.dtype.kind == "f":
        differ &= ~(np.isnan(before) & np.isnan(after))
    return differ
