"""How rows are divided: at random, in folds, in whole groups, in the order of time, beside a given test part."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, train_test_split

from benchkit.data.columns import column_codes, column_moments, find_column
from benchkit.plugin.declarations import Categories, Data, SplitMethod
from benchkit.suite.schema import PerClass, Split, TestRows

# Shuffles of groups of which the best is taken, and rows that are counted for that at most.
_SHUFFLES = 100
_MOST_COUNTED = 5_000_000

_NONE = np.empty(0, dtype=int)
_Codes = np.ndarray | None  # a number for each row, or nothing is asked of rows


@dataclass(frozen=True)
class Parts:
    """Row numbers of each part, of which ``validation`` may be empty; of all rows of the data, groups and moments.

    Rows of one group never stand in two parts. Moments are places of the rows' dates in their order; rows of one date
    share a place. Both are None where the split names no column for them.
    """

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray
    groups: np.ndarray | None = None
    moments: np.ndarray | None = None


def draw_split(
    declared: SplitMethod | None, split: Split, data: Data, repetition: int, classify: bool, seed: int
) -> Parts:
    """Divide rows, by a plugin's method where one is given; a `ValueError` where they are too few for the parts.

    For k-fold, repetition r is fold ``r % folds`` of shuffle ``r // folds``, and ``seed`` is the shuffle's. Where ``y``
    holds classes, parts are stratified by them. Beside a fold or a given test part, a draw is made of the other rows.
    """
    groups, moments, tested = _columns(split, data)
    if declared is not None:
        drawn = {"repetition": repetition, "random_state": seed, "classify": classify}
        parts = _ask_for_split(declared, split, data, **drawn, groups=groups)
    elif split.method == "none":
        parts = Parts(np.arange(len(data.y)), _NONE, np.arange(len(data.y)))
    elif moments is not None:
        parts = _time_parts(moments, split, repetition)
    else:
        strata = np.unique(data.y, return_inverse=True)[1] if classify and split.stratify else None
        parts = Parts(*_divide(split, groups, strata, tested, data.y, repetition, seed))
    if groups is not None:  # whoever made the parts
        held = [np.unique(groups[rows]) for rows in (parts.train, parts.validation, parts.test)]
        every, times = np.unique(np.concatenate(held), return_counts=True)
        if len(every) and times.max() > 1:
            crossing = f"{(times > 1).sum()} of {len(every)} groups stand in two parts"
            raise ValueError(f"split.groups: {crossing}: leave one part of their rows out, or leave out 'groups'")
    return replace(parts, groups=groups, moments=moments)


def _columns(split: Split, data: Data) -> list[_Codes]:
    """What the columns that a split names say of each row: its group, its moment, whether it is for tests.

    None where the split names none; the message of a `ValueError` names the split's key.
    """

    def column(key: str, name: str) -> np.ndarray | Categories:
        try:
            return find_column(data, name)
        except ValueError as error:
            raise ValueError(f"split.{key}: {error}") from None

    groups = moments = tested = None
    if split.groups is not None:
        groups = column_codes(column("groups", split.groups))
        if (missing := groups < 0).any():
            raise ValueError(
                f"split.groups: column {split.groups!r} is missing in {missing.sum()} of {len(groups)} rows, the first "
                f"in row {int(missing.argmax()) + 1}: fill it, or leave these rows out"
            )
    if split.time is not None:
        names = [split.time] if isinstance(split.time, str) else split.time
        parts = [column_moments(column("time", name), name, "split.time") for name in names]
        moments = np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1].ravel()  # by the first part, ...
    no_row = ""
    if isinstance(split.test, str):
        files = data.columns.get(Data.FILE)
        if not isinstance(files, Categories):
            raise ValueError(f"split.test: this data set takes one file alone, and {split.test} would be another")
        tested, no_row = files.codes == len(files.names) - 1, f"{split.test} has no row with a label"
    elif isinstance(split.test, TestRows):
        values, wanted = column("test", split.test.column), split.test.value
        texts = values.values if isinstance(values, Categories) else values
        if texts.dtype.kind in "OUS":
            tested = np.array([text is not None and str(text) == str(wanted) for text in texts])
        elif texts.dtype.kind == "b":
            tested = texts.astype(str) == str(wanted)
        elif texts.dtype.kind == "M":
            tested = texts == np.datetime64(str(wanted))
        elif isinstance(wanted, str):
            raise ValueError(f"split.test: column {split.test.column!r} holds numbers, and {wanted!r} is none")
        else:
            tested = texts == wanted
        no_row = f"column {split.test.column!r} is {wanted!r} in no row"
    if tested is not None and len(np.unique(tested)) < 2:
        every = "all rows are in the test part, and none is left to train on"
        raise ValueError(f"split.test: {every if tested.all() else no_row}")
    return [groups, moments, tested]


def _divide(
    split: Split, groups: _Codes, strata: _Codes, tested: _Codes, y: np.ndarray, repetition: int, seed: int
) -> Sequence[np.ndarray]:
    """Three parts that are drawn at random, in folds, or beside a given test part."""
    if split.folds is not None:
        others, test = shuffled_folds(groups, strata, len(y), split.folds, seed)[repetition % split.folds]
        if split.validation is None:
            return others, _NONE, test
    elif tested is None:
        return _draw(groups, [split.train, split.validation, split.test], y, strata, seed)
    else:
        others, test = np.flatnonzero(~tested), np.flatnonzero(tested)
    groups, strata = (None if codes is None else codes[others] for codes in (groups, strata))
    if split.folds is not None and groups is None:
        train, validation = train_test_split(others, test_size=split.validation, random_state=seed, stratify=strata)
        return train, validation, test
    if split.folds is not None or split.train is None:  # all that is left
        validation, _, train = _draw(groups, [split.validation, None, None], y[others], strata, seed)
    else:
        train, validation, _ = _draw(groups, [split.train, split.validation, None], y[others], strata, seed, False)
    return others[train], others[validation], test


def _ask_for_split(declared: SplitMethod, split: Split, data: Data, **drawn: Any) -> Parts:
    """Divide rows as a plugin's method says; what it returns must be parts of the rows, or a `ValueError` is raised."""
    sizes = {name: getattr(split, name) for name in ("train", "validation", "test")}
    if any(isinstance(size, PerClass) for size in sizes.values()):
        raise ValueError(f"the split {declared.name} takes fractions and counts of rows, and no per_class")
    from benchkit.plugin.declarations.exchanged import SplitContext  # which benchkit's own methods do not need

    of_data = {"X": data.X, "y": data.y, "feature_names": data.feature_names, "columns": data.columns}
    context = SplitContext(**of_data, stratify=split.stratify, **sizes, **drawn)
    returned = declared.make(**split.params)(context)
    if not isinstance(returned, tuple | list) or len(returned) != 3:
        raise TypeError(f"the split {declared.name} returned {type(returned).__name__}, expected three arrays of rows")
    n_rows, parts = len(data.y), []
    for name, part in zip(sizes, returned, strict=True):
        rows = np.asarray(part)
        if not rows.size and name != "validation":
            raise ValueError(f"the split {declared.name} leaves the {name} part empty")
        if rows.size and (rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n_rows):
            raise ValueError(f"the split {declared.name} returned what are no numbers of rows, from 0 to {n_rows - 1}")
        parts.append(rows.astype(int))
    if len(np.unique(np.concatenate(parts))) < sum(map(len, parts)):
        raise ValueError(f"the split {declared.name} puts a row into two parts, or twice into one")
    return Parts(*parts)


def _draw(
    groups: _Codes, sizes: Sequence[Any], y: np.ndarray, strata: _Codes, seed: int, needs_rest: bool = True
) -> list[np.ndarray]:
    """Three parts, cut one after the other from a shuffle of the rows; strata keep proportions.

    A size of None is an empty part, or for the last part all that is left.
    """
    if groups is not None:
        return _draw_groups(groups, sizes, strata, seed, needs_rest)
    rng = np.random.default_rng(seed)
    labels = y if any(isinstance(size, PerClass) for size in sizes) else strata
    every = [np.arange(len(y))] if labels is None else [np.flatnonzero(labels == label) for label in np.unique(labels)]
    shuffled = [rng.permutation(rows) for rows in every]
    lengths = np.array([len(rows) for rows in every])
    taken = np.zeros_like(lengths)
    parts = []
    for position, size in enumerate(sizes):
        if size is None and position < 2:
            parts.append(_NONE)
            continue
        left = lengths - taken
        room = int(left.sum())
        wanted, counts = room if size is None else size, left
        if isinstance(size, float):
            wanted = round(size * len(y))
            if wanted == room + 1:  # fractions that sum to 1 may round to a row too many
                wanted -= 1
        elif isinstance(size, PerClass):
            wanted, counts = size.per_class * len(lengths), np.minimum(size.per_class, left)
        if wanted > room or counts.sum() < wanted:
            raise ValueError(f"the split asks for {wanted} rows where only {room} of {len(y)} are left")
        if isinstance(size, float | int):
            # Whole shares in proportion to the strata, by largest remainders, none above what is left.
            exact = lengths.astype(float) * wanted / len(y)
            counts = np.minimum(np.floor(exact).astype(int), left)
            for stratum in np.argsort(-(exact - counts), kind="stable").tolist() * 2:
                if counts.sum() < wanted and counts[stratum] < left[stratum]:
                    counts[stratum] += 1
            for stratum, rest in enumerate(left):  # one is exhausted: the others give more
                counts[stratum] += min(rest - counts[stratum], wanted - counts.sum())
        pieces = [rows[start : start + count] for rows, start, count in zip(shuffled, taken, counts, strict=True)]
        taken = taken + counts
        parts.append(rng.permutation(np.concatenate(pieces)))
    return parts


def _draw_groups(
    groups: np.ndarray, sizes: Sequence[float | int | None], strata: _Codes, seed: int, needs_rest: bool
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
    for _ in range(max(1, min(_SHUFFLES, _MOST_COUNTED // n))):
        order = rng.permutation(n_groups)
        counts = np.concatenate([[0], np.cumsum(group_sizes[order])])  # of the rows before each of the shuffled groups
        part_of, start, ideal, reason = np.full(n_groups, n_parts), 0, 0.0, ""
        for part, size in enumerate(sizes):
            later = sum(filled_parts[part + 1 :])
            if size is None:
                end = n_groups if part == n_parts - 1 else start
            elif isinstance(size, float):
                ideal += size * n
                end = int(np.clip(np.abs(counts - ideal).argmin(), start + 1, n_groups - later))
            else:
                end = int(np.searchsorted(counts, counts[start] + size))
                if end > n_groups - later:
                    room = f"only {n - counts[start]} of {n} are left for {later + 1} parts"
                    reason = f"the split asks for {size} rows in whole groups where {room}"
                    break
                ideal = float(counts[end])
            part_of[order[start:end]] = part
            start = end
        if reason:  # another shuffle may have room
            continue
        counted = np.bincount(part_of[codes] * n_kinds + kinds, minlength=(n_parts + 1) * n_kinds)
        misfit = 0.0
        for rows, size in zip(counted.reshape(n_parts + 1, n_kinds), [*sizes, None], strict=True):
            # A count is a least: of such a part, and of what is left over, the proportions alone are looked at.
            wanted = (size if isinstance(size, float) else rows.sum() / n) * np.bincount(kinds)
            some = wanted > 0
            misfit += float((np.square(rows - wanted)[some] / wanted[some]).sum())
        if best is None or misfit < best[0] - 1e-9:
            best = misfit, part_of
        if misfit < 1e-9:
            break
    if best is None:
        raise ValueError(reason)
    of_row = best[1][codes]
    return [rng.permutation(np.flatnonzero(of_row == part)) for part in range(n_parts)]


def shuffled_folds(
    groups: _Codes, strata: _Codes, n: int, folds: int, seed: int
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
    cuts, n = _cuts(moments[order]), len(order)
    end = start = n
    for number in range(origin + 1):
        end = start
        # Cuts of fractions stay near their places, however dates repeat.
        start = _cut(cuts, end, test, n * (1 - (number + 1) * test) if isinstance(test, float) else None)
        held = start if validation is None else _cut(cuts, start, validation)
        first = 0 if train is None else _cut(cuts, held, train)
        if start <= 0 or held <= 0 or first < 0:
            raise ValueError(
                f"split.time: the dates have room for {number} of the repetitions: give fewer, or smaller parts"
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
    fitting = cuts[cuts < end]
    if not isinstance(size, float):
        fitting = fitting[fitting <= ideal]
    return int(fitting[np.abs(fitting - ideal).argmin()]) if len(fitting) and ideal >= -0.5 else -1


def time_folds(moments: np.ndarray, folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Folds in the order of time: the rows are cut between dates into one block more, of sizes as alike as dates allow.

    Each block but the first is judged by in turn, and what comes before it is fitted on.
    """
    order = np.argsort(moments, kind="stable")
    cuts = _cuts(moments[order])
    if len(cuts) - 1 < folds + 1:
        raise ValueError(f"{len(cuts) - 1} dates are too few for {folds} folds in the order of time")
    place, ends = 0, list[int]()  # of the last end among the cuts; later blocks need a date each
    for block in range(1, folds + 2):
        candidates = cuts[place + 1 : len(cuts) - (folds + 1 - block)]
        place += 1 + int(np.abs(candidates - len(order) * block / (folds + 1)).argmin())
        ends.append(int(cuts[place]))
    return [(order[:start], order[start:end]) for start, end in pairwise(ends)]
