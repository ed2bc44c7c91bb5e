"""How rows are divided: at random, in folds, in whole groups, in the order of time, beside a given test part."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, train_test_split

from benchkit.data.columns import column_codes, column_moments, find_column
from benchkit.plugin.declarations import Categories, Data, SplitContext, SplitMethod
from benchkit.suite.schema import PerClass, Size, Split, TestRows

_MOST_STRATA = 100
# Shuffles of groups of which the best is taken, and rows that are counted for that at most.
_SHUFFLES = 100
_MOST_COUNTED = 5_000_000

_NONE = np.empty(0, dtype=int)


@dataclass(frozen=True)
class Parts:
    """Row numbers of each part; ``validation`` may be empty."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class RowStructure:
    """What a split asks of columns, for each row; None where it asks nothing."""

    groups: np.ndarray | None = None  # rows of one number never stand in two parts
    moments: np.ndarray | None = None  # places of the rows' dates in their order; rows of one date share a place
    strata: np.ndarray | None = None  # what keeps its proportions in place of the classes
    tested: np.ndarray | None = None  # whether it is of a given test part


def structure_of(split: Split, data: Data) -> RowStructure:
    """What the columns that a split names say of the rows; the message of a `ValueError` names the split's key."""

    def column(key: str, name: str) -> np.ndarray | Categories:
        try:
            return find_column(data, name)
        except ValueError as error:
            raise ValueError(f"split.{key}: {error}") from None

    groups = moments = strata = tested = None
    if split.groups is not None:
        groups = column_codes(column("groups", split.groups))
        if (missing := groups < 0).any():
            raise ValueError(
                f"split.groups: column {split.groups!r} is missing in {missing.sum()} of {len(groups)} rows, the first "
                f"in row {int(missing.argmax()) + 1}: their group is unknown; fill it, or leave these "
                "rows out"
            )
    if split.time is not None:
        moments = column_moments(column("time", split.time), split.time, "split.time")
    if isinstance(split.stratify, str):
        strata = column_codes(column("stratify", split.stratify))
        if (n_strata := len(np.unique(strata))) > _MOST_STRATA:
            raise ValueError(
                f"split.stratify: column {split.stratify!r} has {n_strata} different values, more than {_MOST_STRATA}: "
                "take a column of categories"
            )
    if isinstance(split.test, str):
        files = data.columns.get(Data.FILE)
        if not isinstance(files, Categories):
            raise ValueError(f"split.test: this data set takes one file alone, and {split.test} would be another")
        tested = _some(files.codes == len(files.names) - 1, f"{split.test} has no row with a label")
    elif isinstance(split.test, TestRows):
        tested = _rows_with(split.test, column("test", split.test.column))
    return RowStructure(groups, moments, strata, tested)


def _rows_with(test: TestRows, column: np.ndarray | Categories) -> np.ndarray:
    if isinstance(column, Categories) or column.dtype.kind in "OUS":
        values = column.values if isinstance(column, Categories) else column
        tested = np.array([value is not None and str(value) == str(test.value) for value in values])
    elif isinstance(test.value, str):
        raise ValueError(f"split.test: column {test.column!r} holds numbers, and {test.value!r} is none")
    else:
        tested = np.asarray(column == test.value)
    return _some(tested, f"column {test.column!r} is {test.value!r} in no row")


def _some(tested: np.ndarray, otherwise: str) -> np.ndarray:
    if not tested.any():
        raise ValueError(f"split.test: {otherwise}")
    if tested.all():
        raise ValueError("split.test: all rows are in the test part, and none is left to train on")
    return tested


def draw_split(
    split: Split, structure: RowStructure, y: np.ndarray, repetition: int, classify: bool, seed: int
) -> Parts:
    """Divide rows by one of benchkit's own methods; a `ValueError` where they are too few for the parts.

    For k-fold, repetition r is fold ``r % folds`` of shuffle ``r // folds``, and ``seed`` is the shuffle's. Where ``y``
    holds classes, parts are stratified by them. Beside a fold or a given test part, a draw is made of the other rows.
    """
    groups, strata, tested = structure.groups, structure.strata, structure.tested
    sizes = (split.train, split.validation)
    if split.method == "none":
        return Parts(np.arange(len(y)), _NONE, np.arange(len(y)))
    if strata is None and classify and split.stratify:
        strata = np.unique(y, return_inverse=True)[1]
    if structure.moments is not None:
        return _time_parts(structure.moments, split, repetition)
    if split.folds is not None and tested is None:
        others, test = shuffled_folds(groups, strata, len(y), split.folds, seed)[repetition % split.folds]
        if split.validation is None:
            return Parts(others, _NONE, test)
    elif tested is None:
        return Parts(*_draw(groups, [*sizes, split.test], y, strata, seed))
    else:
        others, test = np.flatnonzero(~tested), np.flatnonzero(tested)
        if groups is not None and (shared := np.intersect1d(groups[test], groups[others])).size:
            raise ValueError(
                f"split.groups: {len(shared)} groups have rows in the given test part and elsewhere: leave these rows "
                "out, or leave out 'groups'"
            )
    groups, strata = (None if codes is None else codes[others] for codes in (groups, strata))
    if split.folds is not None and groups is None:
        train, validation = train_test_split(others, test_size=split.validation, random_state=seed, stratify=strata)
        return Parts(train, validation, test)
    if split.folds is not None or split.train is None:  # all that is left
        validation, _, train = _draw(groups, [split.validation, None, None], y[others], strata, seed)
    else:
        train, validation, _ = _draw(groups, [*sizes, None], y[others], strata, seed, False)
    return Parts(others[train], others[validation], test)


def check_apart(parts: Parts, groups: np.ndarray | None) -> None:
    """Refuse parts that share a group, whoever made them."""
    if groups is None:
        return
    held = [np.unique(groups[rows]) for rows in (parts.train, parts.validation, parts.test)]
    every, times = np.unique(np.concatenate(held), return_counts=True)
    if len(every) and times.max() > 1:
        raise ValueError(f"split.groups: {(times > 1).sum()} of {len(every)} groups stand in two parts")


def ask_for_split(
    declared: SplitMethod,
    split: Split,
    data: Data,
    repetition: int,
    classify: bool,
    seed: int,
    structure: RowStructure = RowStructure(),
) -> Parts:
    """Divide rows as a plugin's method says; what it returns must be parts of the rows, or a `ValueError` is raised."""
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
        groups=structure.groups,
        strata=structure.strata,
        columns=data.columns,
        **sizes,
    )
    returned = declared.make(**split.params)(context)
    if not isinstance(returned, tuple | list) or len(returned) != 3:
        raise TypeError(f"the split {declared.name} returned {type(returned).__name__}, expected three arrays of rows")
    train, validation, test = (_row_numbers(declared, part, len(data.y)) for part in returned)
    every = np.concatenate([train, validation, test])
    if len(np.unique(every)) < len(every):
        raise ValueError(f"the split {declared.name} puts a row into two parts, or twice into one")
    for name, rows in (("train", train), ("test", test)):
        if not len(rows):
            raise ValueError(f"the split {declared.name} leaves the {name} part empty")
    return Parts(train, validation, test)


def _row_numbers(declared: SplitMethod, part: Any, n_rows: int) -> np.ndarray:
    rows = np.asarray(part)
    if rows.size == 0:
        return _NONE
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows:
        raise ValueError(f"the split {declared.name} returned what are no numbers of rows, from 0 to {n_rows - 1}")
    return rows.astype(int)


def _draw(
    groups: np.ndarray | None,
    sizes: Sequence[Any],
    y: np.ndarray,
    strata: np.ndarray | None,
    seed: int,
    needs_rest: bool = True,
) -> list[np.ndarray]:
    """Three parts, one after the other; a size of None is an empty part, or for the last part all that is left."""
    if groups is None:
        return _draw_rows(sizes, y, strata, seed)
    return _draw_groups(groups, sizes, strata, seed, needs_rest)


def _draw_rows(sizes: Sequence[Any], y: np.ndarray, strata: np.ndarray | None, seed: int) -> list[np.ndarray]:
    """Parts cut from a shuffle of the rows; strata keep proportions."""
    n = len(y)
    rng = np.random.default_rng(seed)
    labels = y if any(isinstance(size, PerClass) for size in sizes) else strata
    groups = [np.arange(n)] if labels is None else [np.flatnonzero(labels == label) for label in np.unique(labels)]
    shuffled = [rng.permutation(group) for group in groups]
    taken = [0] * len(groups)
    parts = []
    for position, size in enumerate(sizes):
        if size is None and position < 2:
            parts.append(_NONE)
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


def _draw_groups(
    groups: np.ndarray,
    sizes: Sequence[float | int | None],
    strata: np.ndarray | None,
    seed: int,
    needs_rest: bool,
) -> list[np.ndarray]:
    """Parts of whole groups, cut one after the other from a shuffle of the groups.

    A fraction is one of rows, and the cut is made where it is nearest; a count is the least that a part has. Groups
    differ in size and in what they hold, so that of a hundred shuffles the one is taken whose parts come nearest to the
    sizes and to the proportions of the strata, by the sum of (rows - wanted)^2 / wanted (rerandomisation: Morgan and
    Rubin 2012). Where groups are of one size and there are no strata, that is the first. ``needs_rest`` says whether
    the last part holds something where its size is None.
    """
    rng = np.random.default_rng(seed)
    codes = np.unique(groups, return_inverse=True)[1]
    kinds = np.zeros(len(codes), dtype=int) if strata is None else np.unique(strata, return_inverse=True)[1]
    n, n_groups, n_kinds, n_parts = len(codes), int(codes.max()) + 1, int(kinds.max()) + 1, len(sizes)
    filled_parts = [size is not None or (needs_rest and part == n_parts - 1) for part, size in enumerate(sizes)]
    if n_groups < sum(filled_parts):
        raise ValueError(f"split.groups: {n_groups} groups are too few for {sum(filled_parts)} parts")
    group_sizes = np.bincount(codes)
    best: tuple[float, np.ndarray] | None = None
    too_much = ValueError()
    for _ in range(max(1, min(_SHUFFLES, _MOST_COUNTED // n))):
        order = rng.permutation(n_groups)
        try:
            ends = _ends(np.cumsum(group_sizes[order]), sizes, filled_parts)
        except ValueError as error:  # counts that other shuffles may have room for
            too_much = error
            continue
        part_of = np.full(n_groups, n_parts)
        for part, (start, end) in enumerate(pairwise([0, *ends])):
            part_of[order[start:end]] = part
        counted = np.bincount(part_of[codes] * n_kinds + kinds, minlength=(n_parts + 1) * n_kinds)
        misfit = _misfit(counted.reshape(n_parts + 1, n_kinds), sizes)
        if best is None or misfit < best[0] - 1e-9:
            best = misfit, part_of
        if misfit < 1e-9:
            break
    if best is None:
        raise too_much
    of_row = best[1][codes]
    return [rng.permutation(np.flatnonzero(of_row == part)) for part in range(n_parts)]


def _ends(filled: np.ndarray, sizes: Sequence[float | int | None], filled_parts: Sequence[bool]) -> list[int]:
    """Behind which of the shuffled groups each part ends; ``filled`` counts the rows up to each of them."""
    n, n_groups = int(filled[-1]), len(filled)
    counts = np.concatenate([[0], filled])
    ends: list[int] = []
    start, ideal = 0, 0.0
    for part, size in enumerate(sizes):
        later = sum(filled_parts[part + 1 :])
        if size is None:
            end = n_groups if part == len(sizes) - 1 else start
        elif isinstance(size, float):
            ideal += size * n
            end = int(np.clip(np.abs(counts - ideal).argmin(), start + 1, n_groups - later))
        else:
            end = int(np.searchsorted(counts, counts[start] + size))
            if end > n_groups - later:
                raise ValueError(
                    f"the split asks for {size} rows in whole groups where only {n - counts[start]} of {n} are left"
                    + (f", and {later} more parts need a group" if later else "")
                )
            ideal = float(counts[end])
        ends.append(end)
        start = end
    return ends


def _misfit(counted: np.ndarray, sizes: Sequence[float | int | None]) -> float:
    """How far the parts are from the sizes, and from having each stratum in proportion.

    A count is a least, so that of such a part, and of what is left over, the proportions alone are looked at.
    """
    of_kind = counted.sum(axis=0)
    n = of_kind.sum()
    misfit = 0.0
    for part, rows in enumerate(counted):
        size = sizes[part] if part < len(sizes) else None
        wanted = (size if isinstance(size, float) else rows.sum() / n) * of_kind
        some = wanted > 0
        misfit += float((np.square(rows - wanted)[some] / wanted[some]).sum())
    return misfit


def shuffled_folds(
    groups: np.ndarray | None, strata: np.ndarray | None, n: int, folds: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Row numbers that are trained on, and tested, for each fold; every row, with its group, is tested in one."""
    options: dict[str, Any] = {"n_splits": folds, "shuffle": True, "random_state": seed}
    if groups is None:
        return list((KFold if strata is None else StratifiedKFold)(**options).split(np.zeros(n), strata))
    if (n_groups := len(np.unique(groups))) < folds:
        raise ValueError(f"{n_groups} groups are too few for {folds} folds")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)  # of a stratum with few rows
        folder = (GroupKFold if strata is None else StratifiedGroupKFold)(**options)
        drawn = list(folder.split(np.zeros(n), strata, groups))
    if not all(len(test) for _, test in drawn):
        raise ValueError(f"whole groups leave one of {folds} folds empty: give fewer folds, or 'stratify: false'")
    return drawn


def _time_parts(moments: np.ndarray, split: Split, origin: int) -> Parts:
    """Training, validation and test part of an origin.

    Origin 0 tests on the latest rows, each further one on those just before, so that which rows an origin has does not
    depend on how many there are. The validation part comes just before the test part, the training part before that:
    all that is earlier (an expanding window), or so much of the latest of these. A fraction is one of all rows, and the
    cut is made between two dates where it is nearest; a count is the least that a part has.
    """
    train, validation, test = (cast(Any, size) for size in (split.train, split.validation, split.test))
    order = np.argsort(moments, kind="stable")
    n = len(order)
    cuts = _cuts(moments[order])
    end = start = n
    for number in range(origin + 1):
        end = start
        # Cuts of fractions stay near their places, however dates repeat.
        start = _cut(cuts, end, test, n * (1 - (number + 1) * test) if isinstance(test, float) else None)
        held = start if validation is None else _cut(cuts, start, validation)
        first = 0 if train is None or held <= 0 else _cut(cuts, held, train)
        if start <= 0 or held <= 0 or first < 0:
            room = "no origin" if number == 0 else f"{number} origin{'s' if number > 1 else ''} only"
            raise ValueError(
                f"split.time: there is room for {room} before the first date, and repetition {number + 1} is another: "
                "give fewer repetitions or smaller parts"
            )
    return Parts(order[first:held], order[held:start], order[start:end])


def _cuts(ordered: np.ndarray) -> np.ndarray:
    """The places before the first row of each date, and the end."""
    return np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1, [len(ordered)]])


def _cut(cuts: np.ndarray, end: int, size: float | int, ideal: float | None = None) -> int:
    """Where a part of some size begins that ends at a place; -1 where there is no room.

    Of a fraction that is the cut nearest to the ``ideal`` place, of a count the last that is not behind it.
    """
    if ideal is None:
        ideal = end - (size * cuts[-1] if isinstance(size, float) else size)
    earlier = cuts[cuts < end]
    if not len(earlier) or ideal < -0.5:
        return -1
    if isinstance(size, float):
        return int(earlier[np.abs(earlier - ideal).argmin()])
    fitting = earlier[earlier <= ideal]
    return int(fitting[-1]) if len(fitting) else -1


def time_folds(moments: np.ndarray, folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds in the order of time: the rows are cut between dates into one block more, of sizes as alike as dates allow.

    Each block but the first is judged by in turn, and what comes before it is fitted on.
    """
    order = np.argsort(moments, kind="stable")
    n = len(order)
    cuts: Sequence[int] = _cuts(moments[order]).tolist()
    if len(cuts) - 1 < folds + 1:
        raise ValueError(f"{len(cuts) - 1} dates are too few for {folds} folds in the order of time")
    ends: list[int] = []
    for block in range(folds + 1):
        first, last = (cuts.index(ends[-1]) if ends else 0) + 1, len(cuts) - 1 - (folds - block)
        ideal = n * (block + 1) / (folds + 1)
        ends.append(min(cuts[first : last + 1], key=lambda cut: abs(cut - ideal)))
    return [(order[:start], order[start:end]) for start, end in pairwise(ends)]
