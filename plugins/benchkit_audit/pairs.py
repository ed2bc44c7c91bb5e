"""What the loss of two sources costs beyond the loss of each, and whether the one tells what the other does."""

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb, isqrt

import numpy as np
import pandas as pd

from benchkit_audit.columns import Column
from benchkit_audit.estimates import Estimate, at_once
from benchkit_audit.lost import fewer
from benchkit_audit.subject import Queries, Source, Subject

TOLD = 0.5  # of what varies in one source: from there on another tells it
_MOST_JUDGED = 5
_MOST_COPIES = 2  # that are judged though others exceed the sum of their losses more
_MOST_CORRELATED = 20
_WIDEST = 3_000  # ranks and categories beyond which correlations would take too much memory
_ROWS_TOLD = 2_000
_PARTS = 5


@dataclass(frozen=True)
class LostPair:
    """Two sources lost together."""

    sources: tuple[str, str]
    cost: Estimate  # rise of the mean loss where both are lost
    # By how much that exceeds the rises of each alone, added, on the same rows; the interval holds for all pairs shown
    excess: Estimate
    errors: float  # by how much the mean of `Subject.errors` rises, and that of `Subject.missed`
    missed: float
    told: float  # `share_told` of the one by the other, whichever tells more
    first: float = 0.0  # the rise where the first alone is lost, on the same rows, and where the second is
    second: float = 0.0


def share_told(subject: Subject, target: Source | None, by: Source, rows: np.ndarray) -> float:
    """The share of what varies in a source that another source tells, in the column of it that is told best.

    R² = 1 - sum (z - f(x))² / sum (z - mean z)², with z the ranks of numbers and dates, or an indicator of each
    category (Goodman and Kruskal's tau); f is a tree of the other source, cross-fitted in five parts of the rows, or
    groups: with independent sources R² is 0 or less. A copy with noise of s times its standard deviation has about
    1 / (1 + s²). Simulated with 60 to 2,000 rows, copies with s of .5 have .67 to .77, independent columns 0.

    Without a source that is told it is the target of the model, and f the best of a line and two trees, of 4 leaves and
    of 32: the larger one fits chance where little is told, the others no copy of a rare class.
    """
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GroupKFold, KFold, cross_val_predict
    from sklearn.tree import DecisionTreeRegressor

    groups = None if subject.groups is None else subject.groups[rows]
    x = np.hstack([_as_numbers(subject.columns[place], rows) for place in by.columns])
    x = np.nan_to_num(np.hstack([x, np.isnan(x)]), nan=-1.0)
    tree, least, most = partial(DecisionTreeRegressor, random_state=0), max(5, isqrt(len(rows))), 0.0
    fits = [tree(min_samples_leaf=least)]
    if target is None:
        trees = tree(min_samples_leaf=least, max_leaf_nodes=4), tree(min_samples_leaf=5, max_leaf_nodes=32)
        fits = [LinearRegression(), *trees]
    truth = pd.Series(subject.truth)
    of_target = [Column("", truth.astype(object), "category") if subject.classes else Column("", truth, "number")]
    for column in of_target if target is None else [subject.columns[place] for place in target.columns]:
        z = _as_numbers(column, rows)
        there = ~np.isnan(z).any(axis=1)
        z, parts = z[there], None if groups is None else groups[there]
        count = len(z) if parts is None else len(np.unique(parts))
        varies = float(np.square(z - z.mean(axis=0)).sum()) if len(z) else 0.0
        if count >= _PARTS and varies > 0:
            folds = KFold(_PARTS) if parts is None else GroupKFold(_PARTS)
            for fit in fits:
                fitted = cross_val_predict(fit, x[there], z, cv=folds, groups=parts)
                most = max(most, 1 - float(np.square(z - fitted.reshape(z.shape)).sum()) / varies)
    return most


def _as_numbers(column: Column, rows: np.ndarray, categories: int = 20) -> np.ndarray:
    """Ranks, NaN for a gap, or an indicator of each of the most frequent categories: shape (n_rows, n_numbers)."""
    values = column.values.iloc[rows]
    if column.kind != "category":
        return np.asarray(values.rank(pct=True).to_numpy(dtype=float, na_value=np.nan))[:, None]
    objects = values.astype(object)
    frequent = objects.value_counts().index[:categories]
    return np.column_stack([np.zeros(len(rows)), *((objects == each).to_numpy(float) for each in frequent)])


def lose_pairs(queries: Queries, searched: np.ndarray, judge: np.ndarray, questions: int) -> list[LostPair]:
    """Pairs that cost more together than apart: searched on some rows and judged on others."""
    subject = queries.subject
    pairs = search_pairs(queries, searched, questions, _MOST_JUDGED)
    intact = queries.answers(judge)
    before, errors = subject.losses(intact, judge), subject.errors(intact, judge)
    places = {place for pair in pairs for place in pair}
    alone = {place: queries.losses(judge, queries.mask((place,))).values for place in places}
    lost, rows_told = [], np.random.default_rng(0).permutation(subject.n_rows)[:_ROWS_TOLD]
    for first, second in pairs:
        answers = queries.answers(judge, queries.mask((first, second)))
        both, more = subject.losses(answers, judge), subject.errors(answers, judge) - errors
        # The interaction of Sobol's index of the pair, as a mean over rows.
        rises = both.values - alone[first] - alone[second] + before.values
        excess = both.rise(rises, before, at_once(len(pairs)))
        wrong, missed = float(more.mean()), subject.missed(more, judge)
        one, other = queries.sources[first], queries.sources[second]
        told = max(share_told(subject, *two, rows_told) for two in ((one, other), (other, one)))
        own = [float((alone[place] - before.values).mean()) for place in (first, second)]
        lost.append(LostPair((one.name, other.name), both.less(before), excess, wrong, missed, told, *own))
    return lost


def search_pairs(queries: Queries, rows: np.ndarray, questions: int, most: int) -> list[tuple[int, int]]:
    """Pairs whose joint loss exceeds the sum of their losses most; of copies those, too, that cost most together.

    All pairs are compared on few rows, the better ones and copies on all. Where that is too much, pairs of the sources
    that alone move most answers, and copies: these may move few.
    """
    single, few = np.eye(len(queries.sources), dtype=bool), rows[: queries.subject.fewest]
    tried, copies = np.arange(len(queries.sources)), correlated(queries)
    if comb(len(tried), 2) * len(few) > questions:
        before = queries.answers(few)
        moved = [before.distance(queries.answers(few, lost)) for lost in single]
        tried = np.sort(np.argsort(moved)[::-1][: max(2, int((2 * questions / len(few)) ** 0.5))])
    pairs = list(dict.fromkeys([*combinations(tried.tolist(), 2), *copies]))
    if not pairs:
        return []

    def best(some: list[tuple[int, int]], on: np.ndarray, count: int, by_worse: bool = False) -> list[tuple[int, int]]:
        """Those that cost most beyond both of them alone, or beyond the worse; of ties, those that come first."""
        alone, which = queries.losses_of_sets(on, single), np.array(some)
        both = queries.losses_of_sets(on, single[which].any(axis=1))
        beyond = both - (alone[which].max(axis=1) if by_worse else alone[which].sum(axis=1))
        return [some[place] for place in np.argsort(-beyond, kind="stable")[:count]]

    # Of pairs that tie on few rows, those that cost most.
    better = best(pairs, fewer(queries, rows, len(pairs), questions), 10 * most)
    chosen = best(list(dict.fromkeys([*better, *copies])), rows, most)
    return list(dict.fromkeys([*chosen, *(best(copies, rows, _MOST_COPIES, by_worse=True) if copies else [])]))


def correlated(queries: Queries) -> list[tuple[int, int]]:
    """Pairs of sources whose ranks, or frequent categories, correlate so much that the one tells half of the other."""
    subject, sources = queries.subject, queries.sources
    rows = np.random.default_rng(0).permutation(subject.n_rows)[:_ROWS_TOLD]
    parts = [np.hstack([_as_numbers(subject.columns[each], rows, 3) for each in source.columns]) for source in sources]
    owner = np.repeat(np.arange(len(sources)), [part.shape[1] for part in parts])
    if len(owner) > _WIDEST:
        return []
    numbers = pd.DataFrame(np.hstack(parts))
    with np.errstate(invalid="ignore", divide="ignore"):  # of columns that are constant
        squares = np.nan_to_num(np.corrcoef(numbers.fillna(numbers.mean()).to_numpy(), rowvar=False)) ** 2
    most = np.zeros((len(sources), len(sources)))
    np.maximum.at(most, (owner[:, None], owner[None, :]), squares)
    pairs = np.argwhere(np.triu(most, 1) >= TOLD)
    order = np.argsort(-most[pairs[:, 0], pairs[:, 1]], kind="stable")[:_MOST_CORRELATED]
    return [(int(first), int(second)) for first, second in pairs[order]]
