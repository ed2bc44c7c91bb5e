"""Which entries are largest or smallest, and how many a parameter asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

_TYPICAL = 100.0  # times the median size: beyond, it is a sentinel


def largest(weights: np.ndarray, count: int) -> np.ndarray:
    """Positions of the ``count`` largest magnitudes (all, where there are no more), ascending; of equals the first."""
    order = np.argsort(-np.abs(weights), kind="stable")
    return np.sort(order[:count])


def smallest_mask(residuals: np.ndarray, count: int) -> np.ndarray:
    """True at the ``count`` smallest magnitudes, of equals the first; shape of ``residuals``."""
    magnitudes = np.abs(residuals)
    mask = np.zeros(len(magnitudes), dtype=bool)
    mask[np.argsort(magnitudes, kind="stable")[:count]] = True
    return mask


def resolve_count(name: str, value: Any, total: int) -> int:
    """What a count (at least 1, capped by ``total``) or a fraction of ``total`` (rounded, at least 1) comes to."""
    if isinstance(value, float | np.floating) and 0.0 < value <= 1.0:
        return max(1, round(float(value) * total))
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1:
        return min(int(value), total)
    raise ValueError(f"{name} is {value!r}, expected a count of at least 1 or a fraction of at most 1.0")


def robust_length(y: np.ndarray) -> float:
    """The length of y, of which no entry counts for more than a hundred times their median size.

    What convergence is measured by: a sentinel such as 99999999 would end a fit after its first iteration.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
    """
    sizes = np.abs(y)
    typical = float(np.median(sizes[sizes > 0])) if sizes.any() else 0.0
    return float(np.linalg.norm(np.minimum(sizes, _TYPICAL * typical)))
