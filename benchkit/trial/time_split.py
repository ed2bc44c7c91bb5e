"""Parts in the order of time: what is trained on comes before what is tested, and rows of one date stay together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def time_parts(
    moments: np.ndarray, train: float | int | None, validation: float | int | None, test: float | int, origin: int
) -> Rows:
    """Training, validation and test part of an origin.

    Origin 0 tests on the latest rows, each further one on those just before, so that which rows an origin has does not
    depend on how many there are. The validation part comes just before the test part, the training part before that.
    A fraction is one of all rows, and the cut is made between two dates where it is nearest; a count is the least that
    a part has.

    Parameters
    ----------
    moments : ndarray of int of shape (n_samples,)
        Places of the rows' dates in their order.
    train : float, int or None
        None for all that is earlier (an expanding window), else so many of the latest of these.
    validation : float, int or None
    test : float or int
    origin : int
        From 0.

    Raises
    ------
    ValueError
        There is no room for so many origins.
    """
    order = np.argsort(moments, kind="stable")
    ordered = moments[order]
    n = len(ordered)
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1, [n]])  # before the first row of each date
    end = start = n
    for number in range(origin + 1):
        end = start
        # Cuts of fractions stay near their places, however dates repeat.
        ideal = n * (1 - (number + 1) * test) if isinstance(test, float) else end - test
        start = _cut(cuts, end, ideal, isinstance(test, float))
        held = start if validation is None else _before(cuts, start, validation, n)
        first = 0 if train is None or held <= 0 else _before(cuts, held, train, n)
        if start <= 0 or held <= 0 or first < 0:
            room = "no origin" if number == 0 else f"{number} origin{'s' if number > 1 else ''} only"
            raise ValueError(
                f"split.time: there is room for {room} before the first date, and repetition {number + 1} is another: "
                "give fewer repetitions or smaller parts"
            )
    none = np.empty(0, dtype=int)
    return order[first:held], order[held:start] if held < start else none, order[start:end]


def _before(cuts: np.ndarray, end: int, size: float | int, n: int) -> int:
    """Where a part of some size begins that ends at a place; below 0 where there is no room."""
    return _cut(cuts, end, end - (size * n if isinstance(size, float) else size), isinstance(size, float))


def _cut(cuts: np.ndarray, end: int, ideal: float, nearest: bool) -> int:
    """The cut before ``end`` that is nearest to a place, or the last that is not behind it; -1 where there is none."""
    earlier = cuts[cuts < end]
    if not len(earlier) or ideal < -0.5:
        return -1
    if nearest:
        return int(earlier[np.abs(earlier - ideal).argmin()])
    fitting = earlier[earlier <= ideal]
    return int(fitting[-1]) if len(fitting) else -1


def time_folds(moments: np.ndarray, folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Row numbers to fit on, and the rows just after them to judge by, for each fold, the earliest first.

    The rows are cut between dates into one block more than there are folds, of sizes as alike as dates let them be.

    Raises
    ------
    ValueError
        There are too few dates.
    """
    order = np.argsort(moments, kind="stable")
    ordered = moments[order]
    cuts: Sequence[int] = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1, [len(ordered)]]).tolist()
    if len(cuts) - 1 < folds + 1:
        raise ValueError(f"{len(cuts) - 1} dates are too few for {folds} folds in the order of time")
    ends: list[int] = []
    for block in range(folds + 1):
        first, last = (cuts.index(ends[-1]) if ends else 0) + 1, len(cuts) - 1 - (folds - block)
        ideal = len(ordered) * (block + 1) / (folds + 1)
        ends.append(min(cuts[first : last + 1], key=lambda cut: abs(cut - ideal)))
    return [(order[:start], order[start:end]) for start, end in pairwise(ends)]
