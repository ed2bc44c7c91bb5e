"""Parts and folds that no group of rows stands in two of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

# Shuffles of which the best is taken, and rows that are counted for that at most.
_SHUFFLES = 100
_MOST_COUNTED = 5_000_000


def draw_group_parts(
    groups: np.ndarray,
    sizes: Sequence[float | int | None],
    strata: np.ndarray | None,
    seed: int,
    needs_rest: bool = True,
) -> list[np.ndarray]:
    """Parts of whole groups, cut one after the other from a shuffle of the groups.

    A fraction is one of rows, and the cut is made where it is nearest; a count is the least that a part has. Groups
    differ in size and in what they hold, so that of a hundred shuffles the one is taken whose parts come nearest to the
    sizes and to the proportions of the strata, by the sum of (rows - wanted)^2 / wanted (rerandomisation: Morgan and
    Rubin 2012). Where groups are of one size and there are no strata, that is the first.

    Parameters
    ----------
    groups : ndarray of int of shape (n_samples,)
    sizes : sequence of float, int or None
        Of each part; None is an empty part, or for the last part all that is left.
    strata : ndarray of shape (n_samples,) or None
    seed : int
    needs_rest : bool, default=True
        Whether the last part holds something where its size is None.

    Returns
    -------
    list of ndarray
        Row numbers of each part, in random order.

    Raises
    ------
    ValueError
        There are too few groups for the parts, or too few rows.
    """
    rng = np.random.default_rng(seed)
    codes = np.unique(groups, return_inverse=True)[1]
    kinds = np.zeros(len(codes), dtype=int) if strata is None else np.unique(strata, return_inverse=True)[1]
    n, n_groups, n_kinds = len(codes), int(codes.max()) + 1, int(kinds.max()) + 1
    n_parts = len(sizes)
    filled_parts = [size is not None or (needs_rest and place == n_parts - 1) for place, size in enumerate(sizes)]
    if n_groups < sum(filled_parts):
        raise ValueError(f"split.groups: {n_groups} groups are too few for {sum(filled_parts)} parts")
    rows_of = np.bincount(codes)
    best: tuple[float, np.ndarray] | None = None
    too_much: ValueError | None = None
    for _ in range(max(1, min(_SHUFFLES, _MOST_COUNTED // n))):
        order = rng.permutation(n_groups)
        try:
            ends = _ends(np.cumsum(rows_of[order]), sizes, filled_parts)
        except ValueError as error:  # counts that other shuffles may have room for
            too_much = error
            continue
        part_of = np.full(n_groups, n_parts)
        for part, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            part_of[order[start:end]] = part
        counted = np.bincount(part_of[codes] * n_kinds + kinds, minlength=(n_parts + 1) * n_kinds)
        misfit = _misfit(counted.reshape(n_parts + 1, n_kinds), sizes)
        if best is None or misfit < best[0] - 1e-9:
            best = misfit, part_of
        if misfit < 1e-9:
            break
    if best is None:
        assert too_much is not None
        raise too_much
    of_row = best[1][codes]
    return [rng.permutation(np.flatnonzero(of_row == part)) for part in range(n_parts)]


def _ends(filled: np.ndarray, sizes: Sequence[float | int | None], filled_parts: Sequence[bool]) -> list[int]:
    """Behind which of the shuffled groups each part ends; ``filled`` counts the rows up to each of them."""
    n, n_groups = int(filled[-1]), len(filled)
    counts = np.concatenate([[0], filled])
    ends: list[int] = []
    start, ideal = 0, 0.0
    for place, size in enumerate(sizes):
        later = sum(filled_parts[place + 1 :])
        if size is None:
            end = n_groups if place == len(sizes) - 1 else start
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
        share = size if isinstance(size, float) else rows.sum() / n
        wanted = share * of_kind
        some = wanted > 0
        misfit += float((np.square(rows - wanted)[some] / wanted[some]).sum())
    return misfit


def group_folds(
    groups: np.ndarray, strata: np.ndarray | None, folds: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Row numbers that are trained on, and tested, for each fold; every group is tested in one.

    Parameters
    ----------
    groups : ndarray of int of shape (n_samples,)
    strata : ndarray of shape (n_samples,) or None
        Whose proportions folds keep as far as whole groups let them.
    folds : int
    seed : int

    Raises
    ------
    ValueError
        There are fewer groups than folds, or whole groups leave a fold empty.
    """
    n_groups = len(np.unique(groups))
    if n_groups < folds:
        raise ValueError(f"{n_groups} groups are too few for {folds} folds")
    folder = (GroupKFold if strata is None else StratifiedGroupKFold)(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)  # of a stratum with few rows
        drawn = list(folder.split(np.zeros(len(groups)), strata, groups))
    if not all(len(test) for _, test in drawn):
        raise ValueError(f"whole groups leave one of {folds} folds empty: give fewer folds, or 'stratify: false'")
    return drawn
