"""Subsets of a dataset's rows that stay the same in every repetition."""

from __future__ import annotations

import numpy as np

from benchkit import check_count


def draw_rows(available: int, n: int | None, subset_seed: int) -> np.ndarray | slice:
    """Which rows to keep: all where ``n`` is None, else ``n`` drawn without replacement, in the file's order."""
    if n is None:
        return slice(None)
    check_count(most=available, n=n)
    return np.sort(np.random.default_rng(subset_seed).choice(available, size=n, replace=False))
