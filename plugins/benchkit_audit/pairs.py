"""What the loss of two sources costs beyond the loss of each, and whether the one tells what the other does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, isqrt

import numpy as np

from benchkit.fitted.columns import Column
from benchkit_audit.estimates import Estimate, at_once, holm_of
from benchkit_audit.lost import fewer
from benchkit_audit.subject import Queries, Source, Subject


@dataclass(frozen=True)
class LostPair:
    """Two sources lost together."""

    sources: tuple[str, str]
    cost: Estimate  # rise of the mean loss where both are lost
    # By how much that exceeds the rises of each alone, added, on the same rows; the interval holds for all pairs shown,
    # ``p`` is after Holm's correction over them
    excess: Estimate
    errors: float  # by how much the mean of `Subject.errors` rises, and that of `Subject.missed`
    missed: float
    told: float  # `share_told` of the one by the other, whichever tells more


def share_told(subject: Subject, target: Source, by: Source) -> float:
    """The share of what varies in a source that another source tells, in the column of it that is told best.

    R² = 1 - sum (z - f(x))² / sum (z - mean z)², with z the ranks of numbers and dates, or an indicator of each
    category (Goodman and Kruskal's tau); f is a tree of the other source, cross-fitted in five parts of the rows, or
    groups: with independent sources R² is 0 or less. A copy with noise of s times its standard deviation has about
    1 / (1 + s²). Simulated with 60 to 2,000 rows, copies with s of .5 have .67 to .77, independent columns 0.
    """
    from sklearn.model_selection import GroupKFold, KFold, cross_val_predict
    from sklearn.tree import DecisionTreeRegressor

    rows = np.random.default_rng(0).permutation(subject.n_rows)[:_ROWS_TOLD]
    groups = None if subject.groups is None else subject.groups[rows]
    x = np.hstack([_as_numbers(subject.columns[place], rows) for place in by.columns])
    tree, most = DecisionTreeRegressor(min_samples_leaf=max(5, isqrt(len(rows))), random_state=0), 0.0
    for place in target.columns:
        z = _as_numbers(subject.columns[place], rows)
        there = ~np.isnan(z).any(axis=1)
        z, parts = z[there], None if groups is None else groups[there]
        count = len(z) if parts is None else len(np.unique(parts))
        varies = float(np.square(z - z.mean(axis=0)).sum()) if len(z) else 0.0
        if count >= _PARTS and varies > 0:
            folds = KFold(_PARTS) if parts is None else GroupKFold(_PARTS)
            fitted = cross_val_predict(tree, np.nan_to_num(x[there], nan=-1.0), z, cv=folds, groups=parts)
            most = max(most, 1 - float(np.square(z - fitted.reshape(z.shape)).sum()) / varies)
    return most


_ROWS_TOLD = 2_000
_PARTS = 5
_CATEGORIES = 20


def _as_numbers(column: Column, rows: np.ndarray) -> np.ndarray:
    """Ranks, NaN for a gap, or an indicator of each of the most frequent categories: shape (n_rows, n_numbers)."""
    values = column.values.iloc[rows]
    if column.kind != "category":
        return np.asarray(values.rank(pct=True).to_numpy(dtype=float, na_value=np.nan))[:, None]
    objects = values.astype(object)
    frequent = objects.value_counts().index[:_CATEGORIES]
    return np.column_stack([np.zeros(len(rows)), *((objects == each).to_numpy(float) for each in frequent)])


def lose_pairs(
    queries: Queries, searched: np.ndarray, judge: np.ndarray, questions: int, most: int = 5
) -> list[LostPair]:
    """Pairs that cost more together than apart: searched on some rows and judged on others."""
    subject = queries.subject
    pairs = search_pairs(queries, searched, questions, most)
    intact = queries.answers(judge)
    before, errors = subject.losses(intact, judge), subject.errors(intact, judge)
    alone = {
        place: queries.losses(judge, queries.mask((place,))).values
        for place in {each for pair in pairs for each in pair}
    }
    lost = []
    for first, second in pairs:
        answers = queries.answers(judge, queries.mask((first, second)))
        both, more = subject.losses(answers, judge), subject.errors(answers, judge) - errors
        # The interaction of Sobol's index of the pair, as a mean over rows.
        rises = both.values - alone[first] - alone[second] + before.values
        excess = both.rise(rises, before, at_once(len(pairs)))
        wrong, missed = float(more.mean()), subject.missed(more, judge)
        one, other = queries.sources[first], queries.sources[second]
        told = max(share_told(subject, one, other), share_told(subject, other, one))
        lost.append(LostPair((one.name, other.name), both.less(before), excess, wrong, missed, told))
    adjusted = holm_of([each.excess for each in lost])
    return [replace(each, excess=excess) for each, excess in zip(lost, adjusted, strict=True)]


def search_pairs(queries: Queries, rows: np.ndarray, questions: int, most: int) -> list[tuple[int, int]]:
    """Pairs whose joint loss exceeds the sum of their losses most.

    All pairs are compared on few rows, the better ones on all. Where that is too much, pairs of the sources that alone
    move most answers.
    """
    single, few = np.eye(len(queries.sources), dtype=bool), rows[: queries.subject.fewest]
    tried = np.arange(len(queries.sources))
    if comb(len(tried), 2) * len(few) > questions:
        before = queries.answers(few)
        moved = [before.distance(queries.answers(few, lost)) for lost in single]
        tried = np.sort(np.argsort(moved)[::-1][: max(2, int((2 * questions / len(few)) ** 0.5))])
    pairs = np.array(list(combinations(tried, 2)), dtype=int).reshape(-1, 2)

    def excess(which: np.ndarray, on: np.ndarray) -> np.ndarray:
        alone = queries.losses_of_sets(on, single)
        return np.asarray(queries.losses_of_sets(on, single[which].any(axis=1)) - alone[which].sum(axis=1))

    if not len(pairs):
        return []
    # Of pairs that tie on few rows, those that cost most.
    better = pairs[np.argsort(-excess(pairs, fewer(queries, rows, len(pairs), questions)), kind="stable")[: 10 * most]]
    best = better[np.argsort(-excess(better, rows), kind="stable")[:most]]
    return [(int(first), int(second)) for first, second in best]
