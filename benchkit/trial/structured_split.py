"""Parts of rows that columns of the data say something of: groups, dates, strata, a given test part."""

from __future__ import annotations

import numpy as np

from benchkit.suite.schema import PerClass, Split, TestRows
from benchkit.trial.group_split import draw_group_parts, group_folds
from benchkit.trial.row_structure import RowStructure
from benchkit.trial.splitting import Parts, draw_folds, draw_parts
from benchkit.trial.time_split import time_parts


def draw_structured_split(
    split: Split, structure: RowStructure, y: np.ndarray, repetition: int, classify: bool, seed: int
) -> Parts:
    """Divide rows.

    Parameters
    ----------
    split : Split
    structure : RowStructure
        What its columns say.
    y, repetition, classify, seed
        As of `benchkit.trial.splitting.draw_split`.

    Raises
    ------
    ValueError
        The columns leave no room for the parts.
    """
    strata = structure.strata
    if strata is None and classify and split.stratify:
        strata = np.unique(y, return_inverse=True)[1]
    if structure.moments is not None:
        test = _plain(split.test)
        assert test is not None  # the format asks for it here
        return Parts(*time_parts(structure.moments, _plain(split.train), _plain(split.validation), test, repetition))
    if structure.tested is not None:
        return _beside_given(split, structure, y, strata, seed)
    if split.method == "k-fold":
        return _fold(split, structure.groups, y, strata, repetition, seed)
    assert not isinstance(split.test, str | TestRows)
    return Parts(*_drawn(structure.groups, [split.train, split.validation, split.test], y, strata, seed))


def check_apart(parts: Parts, groups: np.ndarray | None) -> None:
    """Refuse parts that share a group, whoever made them."""
    if groups is None:
        return
    held = [np.unique(groups[rows]) for rows in (parts.train, parts.validation, parts.test)]
    every, times = np.unique(np.concatenate(held), return_counts=True)
    if len(every) and times.max() > 1:
        raise ValueError(f"split.groups: {(times > 1).sum()} of {len(every)} groups stand in two parts")


def _fold(
    split: Split, groups: np.ndarray | None, y: np.ndarray, strata: np.ndarray | None, repetition: int, seed: int
) -> Parts:
    assert split.folds is not None
    if groups is None:
        return draw_folds(split, len(y), strata, repetition, seed)
    rest, test = group_folds(groups, strata, split.folds, seed)[repetition % split.folds]
    if split.validation is None:
        return Parts(rest, np.empty(0, dtype=int), test)
    sizes = [split.validation, None, None]
    validation, _, train = _drawn(groups[rest], sizes, y[rest], None if strata is None else strata[rest], seed)
    return Parts(rest[train], rest[validation], test)


def _beside_given(split: Split, structure: RowStructure, y: np.ndarray, strata: np.ndarray | None, seed: int) -> Parts:
    """The rows beside a given test part, of which the training part is all that is left, or a draw."""
    tested, groups = structure.tested, structure.groups
    assert tested is not None
    test, others = np.flatnonzero(tested), np.flatnonzero(~tested)
    if groups is not None and (shared := np.intersect1d(groups[test], groups[others])).size:
        raise ValueError(
            f"split.groups: {len(shared)} groups have rows in the given test part and elsewhere: leave these rows out, "
            "or leave out 'groups'"
        )
    own = None if groups is None else groups[others], y[others], None if strata is None else strata[others]
    if split.train is None:
        validation, _, train = _drawn(own[0], [split.validation, None, None], *own[1:], seed)
    else:
        train, validation, _ = _drawn(own[0], [split.train, split.validation, None], *own[1:], seed, False)
    return Parts(others[train], others[validation], test)


def _drawn(
    groups: np.ndarray | None,
    sizes: list[float | int | PerClass | None],
    y: np.ndarray,
    strata: np.ndarray | None,
    seed: int,
    needs_rest: bool = True,
) -> list[np.ndarray]:
    if groups is None:
        return draw_parts(sizes, y, strata, seed)
    return draw_group_parts(groups, [_plain(size) for size in sizes], strata, seed, needs_rest)


def _plain(size: float | int | PerClass | str | TestRows | None) -> float | int | None:
    assert not isinstance(size, PerClass | str | TestRows)  # the format refuses these here
    return size
