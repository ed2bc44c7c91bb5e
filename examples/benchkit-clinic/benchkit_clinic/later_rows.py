"""A split by time, for tables whose rows are in the order in which they were collected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchkit import SplitContext

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]


def later_rows(gap: int = 0) -> Callable[[SplitContext], Parts]:
    """Make the split.

    Parameters
    ----------
    gap : int, default=0
        Rows left out between training and test, so that what was collected together is on one side.
    """

    def split(context: SplitContext) -> Parts:
        n_rows = len(context.y)
        train, validation, test = (
            _count(size, n_rows) for size in (context.train, context.validation or 0, context.test)
        )
        test = test if context.test is not None else n_rows - train - validation - gap
        first = n_rows - test
        # The validation part is the last of what is known by then; repetitions differ in where the first part begins.
        known = np.arange(max(0, first - gap - validation - train), first - gap)
        start = int(np.random.default_rng(context.random_state).integers(0, max(1, len(known) // 10)))
        known = known[start:]
        return known[: len(known) - validation], known[len(known) - validation :], np.arange(first, n_rows)

    return split


def _count(size: float | int | None, n_rows: int) -> int:
    if size is None:
        return 0
    return round(size * n_rows) if isinstance(size, float) else size
