"""How rows are divided into parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from benchkit.plugin.declarations import Data, SplitContext, SplitMethod
from benchkit.suite.schema import PerClass, Size, Split, TestRows


@dataclass(frozen=True)
class Parts:
    """Row numbers of each part; ``validation`` may be empty."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


def draw_split(split: Split, y: np.ndarray, repetition: int, classify: bool, seed: int) -> Parts:
    """Divide rows.

    Parameters
    ----------
    split : Split
    y : ndarray of shape (n_samples,)
    repetition : int
        For k-fold, repetition r is fold ``r % folds`` of shuffle ``r // folds``.
    classify : bool
        Whether ``y`` holds classes, which parts are then stratified by.
    seed : int
        Of this repetition; for k-fold, of this shuffle.
    """
    n = len(y)
    every = np.arange(n)
    none = np.empty(0, dtype=int)
    if split.method == "none":
        return Parts(every, none, every)
    strata = y if classify and split.stratify else None
    if split.method == "k-fold":
        return draw_folds(split, n, strata, repetition, seed)
    assert not isinstance(split.test, str | TestRows)  # such a part is no draw
    return Parts(*draw_parts([split.train, split.validation, split.test], y, strata, seed))


def draw_folds(split: Split, n: int, strata: np.ndarray | None, repetition: int, seed: int) -> Parts:
    """One fold of a shuffle to test on; of the others a fraction to validate by."""
    folder = (KFold if strata is None else StratifiedKFold)(split.folds, shuffle=True, random_state=seed)
    rest, test = list(folder.split(np.arange(n), strata))[repetition % (split.folds or 1)]
    if split.validation is None:
        return Parts(rest, np.empty(0, dtype=int), test)
    assert isinstance(split.validation, float)
    train, validation = _divide(rest, strata, split.validation, seed)
    return Parts(train, validation, test)


def ask_for_split(
    declared: SplitMethod,
    split: Split,
    data: Data,
    repetition: int,
    classify: bool,
    seed: int,
    groups: np.ndarray | None = None,
    strata: np.ndarray | None = None,
) -> Parts:
    """Divide rows as a plugin's method says.

    Parameters
    ----------
    declared : SplitMethod
    split : Split
        What the suite asks for.
    data : Data
    repetition, classify, seed
        As for `draw_split`.
    groups, strata : ndarray of int of shape (n_samples,), optional
        What the columns say that the suite names.

    Raises
    ------
    ValueError
        What it returns are no parts of the rows.
    """
    sizes = {name: getattr(split, name) for name in ("train", "validation", "test")}
    if any(isinstance(size, PerClass) for size in sizes.values()):
        raise ValueError(f"the split {declared.name} takes fractions and counts of rows, and no per_class")
    context = SplitContext(
        X=data.X,
        y=data.y,
        repetition=repetition,
        random_state=seed,
        classify=classify,
        stratify=bool(split.stratify),
        feature_names=data.feature_names,
        groups=groups,
        strata=strata,
        columns=data.columns,
        **sizes,
    )
    returned = declared.make(**split.params)(context)
    parts = Parts(*(_row_numbers(declared, part, len(data.y)) for part in _three(declared, returned)))
    every = np.concatenate([parts.train, parts.validation, parts.test])
    if len(np.unique(every)) < len(every):
        raise ValueError(f"the split {declared.name} puts a row into two parts, or twice into one")
    for name in ("train", "test"):
        if not len(getattr(parts, name)):
            raise ValueError(f"the split {declared.name} leaves the {name} part empty")
    return parts


def _three(declared: SplitMethod, returned: Any) -> Sequence[Any]:
    if not isinstance(returned, tuple | list) or len(returned) != 3:
        raise TypeError(f"the split {declared.name} returned {type(returned).__name__}, expected three arrays of rows")
    return returned


def _row_numbers(declared: SplitMethod, part: Any, n_rows: int) -> np.ndarray:
    rows = np.asarray(part)
    if rows.size == 0:
        return np.empty(0, dtype=int)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
        raise ValueError(f"the split {declared.name} returned what are no numbers of rows, from 0 to {n_rows - 1}")
    return rows.astype(int)


def _divide(rows: np.ndarray, strata: np.ndarray | None, second: int | float, seed: int) -> tuple[Any, Any]:
    """Two parts of rows, the second of the given size."""
    labels = None if strata is None else strata[rows]
    first, other = train_test_split(rows, test_size=second, random_state=seed, stratify=labels)
    return first, other


def draw_parts(sizes: Sequence[Size | None], y: np.ndarray, strata: np.ndarray | None, seed: int) -> list[np.ndarray]:
    """Parts drawn one after the other from a shuffle of the rows; strata keep proportions.

    Parameters
    ----------
    sizes : sequence of three sizes or None
        None is an empty part, or for the last part all that is left.
    y, strata : ndarray of shape (n_samples,)
    seed : int
    """
    n = len(y)
    rng = np.random.default_rng(seed)
    groups = [np.arange(n)] if strata is None else [np.flatnonzero(strata == label) for label in np.unique(strata)]
    by_class = [np.flatnonzero(y == label) for label in np.unique(y)]
    if any(isinstance(size, PerClass) for size in sizes):
        groups = by_class
    shuffled = [rng.permutation(group) for group in groups]
    taken = [0] * len(groups)
    parts = []
    for position, size in enumerate(sizes):
        last = position == 2
        if size is None and not last:
            parts.append(np.empty(0, dtype=int))
            continue
        counts = _counts(size, [len(group) for group in groups], taken, n)
        rows = [group[start : start + count] for group, start, count in zip(shuffled, taken, counts, strict=True)]
        taken = [start + count for start, count in zip(taken, counts, strict=True)]
        parts.append(rng.permutation(np.concatenate(rows)))
    return parts


def _counts(size: Size | None, groups: Sequence[int], taken: Sequence[int], n: int) -> list[int]:
    """How many rows of each stratum make a part of this size; ``None`` takes the rest."""
    left = [group - used for group, used in zip(groups, taken, strict=True)]
    if size is None:
        return left
    if isinstance(size, PerClass):
        counts = [size.per_class] * len(groups)
    else:
        wanted = round(size * n) if isinstance(size, float) else size
        if isinstance(size, float) and wanted == sum(left) + 1:
            wanted -= 1  # fractions that sum to 1 may round to a row too many
        counts = _apportion(wanted, groups, left) if wanted <= sum(left) else [wanted]
    if any(count > rest for count, rest in zip(counts, left, strict=False)) or sum(counts) > sum(left):
        raise ValueError(f"the split asks for {sum(counts)} rows where only {sum(left)} of {n} are left")
    return counts


def _apportion(wanted: int, groups: Sequence[int], left: Sequence[int]) -> list[int]:
    """Whole shares of ``wanted`` in proportion to ``groups`` by largest remainders, none above what is left."""
    exact = np.asarray(groups, dtype=float) * wanted / sum(groups)
    counts = np.minimum(np.floor(exact).astype(int), left)
    for position in np.argsort(-(exact - counts), kind="stable").tolist() * 2:
        if counts.sum() >= wanted:
            break
        if counts[position] < left[position]:
            counts[position] += 1
    if counts.sum() < wanted <= sum(left):  # one stratum is exhausted: the others give more
        for position, rest in enumerate(left):
            counts[position] += min(rest - counts[position], wanted - counts.sum())
    return [int(count) for count in counts]
