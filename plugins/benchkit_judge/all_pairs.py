"""All pairs of methods at once: simultaneous intervals by flipping signs of the units that were drawn.

Let y_ui be what unit u (an item, a task, a seed) contributes to the mean of method i, with weights b_u that sum to
one, and d_u = y_ui - y_uj what it contributes to a difference delta. Where delta is the true difference, d_u - b_u
delta is as likely as its negative, for all such pairs together and unit by unit. Flipping the signs of whole units
then leaves the distribution of the largest statistic over all pairs,

    R_ij = |sum_u (d_u - b_u delta)| / sqrt(sum_u (d_u - b_u delta)^2),

as it is: compared with its own flips it is exceeded with probability alpha at most, for any number of units, of pairs,
and of ties (Lehmann and Romano 2022, theorem 17.2.1), however many pairs do differ (Westfall and Young 1993, section
2.3). R is a monotone function of Student's t: with all weights 1/n, t = R sqrt((n - 1) / (n - R^2)).

Up to fourteen units all sign patterns are looked at. Beyond, a random group of 2^11, products of eleven random ones.
The theorem holds for the group as for all patterns, whichever was drawn (Koning and Hemerik 2024, "More efficient exact
group invariance testing", Biometrika 111); of patterns that are drawn one by one it holds on average only. It is drawn
by a seed that is made of the values, so that names and order change nothing. The sums of a group are a Walsh-Hadamard
transform: eleven additions and subtractions of halves.

Assumed is symmetry: equal methods are as likely to be ahead by some amount as behind, on the same units together. It
holds exactly for two methods that can be exchanged; for more, where their noise is symmetric, and in the limit of many
units otherwise. suites/bench-judge.yaml measures it.

Pairs are told apart by flips of the values themselves (delta = 0), for which this is exact. An interval holds all
delta with R_ij(delta) <= q, where q is the larger of two critical values: of these flips, and of flips of what is left
when each difference is taken out (Romano and Wolf 2005, section 4), without which intervals were too narrow where most
methods differ. Where a pair is told apart, its interval ends at zero at the latest; where it is open, zero lies within.

Scores of two values, such as right and wrong, are not symmetric about a difference that is not zero: of ten to fifteen
items such intervals held for all pairs in 88 to 95 of 100 tables. Theirs are Tango's score intervals
(`score_intervals`), whose statistic at delta = 0 is R, with the larger of the two critical values and Tukey's for all
pairs of independent methods of equal variance, which is the largest of all (Hayter 1984; of dependent methods Brown
1984 proves it for three). Items that weigh differently count as 1 / sum b_u^2 that weigh the same (Kish 1965, section
11.7). Of other scores, pairs that differ on fewer units than could tell anything apart have no interval. Up to thirty
units q is also at least each pair's own by a bootstrap of what is left (bootstrap-t, Hall 1992, section 3.10), at three
fifths of the errors: of ten exponential scores of unequal spread, they held for all pairs in 86 of 100 tables without.
"""

import math
import zlib
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from benchkit.statistics.estimate import LEVEL
from benchkit.statistics.independent_rows import score_intervals
from benchkit.statistics.ranking import magnitude_ranks, tukey_quantile

EXACT_UP_TO = 14
"""Units up to which all sign patterns are counted, 2^13 that differ; beyond, a group of 2^11 is drawn."""
FEW = 30
"""Units up to which intervals are those of a bootstrap, too, where it makes them wider."""
_RESAMPLES = 1000
_ROUNDING = 1e-9
_EDGE = 1e-3  # of an interval's width, which zero is away from its ends where a pair is open
_ENTRIES = 4_000_000  # of an array that is made at a time: 32 MB


@dataclass(frozen=True)
class AllPairs:
    """What can be said of every pair of methods at once; every array has the shape (n_methods, n_methods)."""

    difference: np.ndarray  # mean of the row's method minus that of the column's
    low: np.ndarray  # ends of the simultaneous intervals; infinite where nothing can be said, NaN where a test has none
    high: np.ndarray
    p: np.ndarray  # adjusted for all pairs: at most 1 - level where the pair is told apart
    above: np.ndarray  # of bool: whether the row's method is better, with the confidence over all pairs together
    statistic: np.ndarray  # R, with its sign
    effect: np.ndarray  # difference in standard deviations of the units' differences, or of their signed ranks
    critical: float  # what R must exceed; infinite where there are too few units
    units: int  # how many were drawn
    patterns: int  # sign patterns that were looked at

    @property
    def exact(self) -> bool:
        """Whether all sign patterns were looked at."""
        return self.units <= EXACT_UP_TO


def fewest_units(level: float = LEVEL) -> int:
    """Units below which no sign pattern is rare enough to tell anything apart: six at 95 %."""
    return 1 + math.ceil(math.log2(1 / (1 - level) - 1e-9))


def all_pairs(
    contributions: np.ndarray, weights: np.ndarray | None = None, level: float = LEVEL, against: int | None = None
) -> AllPairs:
    """Simultaneous intervals for all differences of means, or those from one method; see the top of this module.

    Differences from one are decided step by step: a difference that is told apart leaves the maximum over the others,
    which controls the error as well (Romano and Wolf 2005, section 3). Intervals hold for all of them together.
    Time and memory grow with the units, and with the square of the methods.

    Parameters
    ----------
    contributions : ndarray of shape (n_units, n_methods)
        Their sum over units is the mean of each method; larger is better.
    weights : ndarray of shape (n_units,), optional
        What a unit's values weigh in the mean, which sum to one; by default all weigh the same.
    level : float, default=0.95
    against : int, optional
        The method that the others are compared with; of other pairs nothing is said.
    """
    n, k = contributions.shape
    compared = np.full((k, k), against is None)
    if against is not None:
        compared[against], compared[:, against] = True, True
    b = np.full(n, 1 / n) if weights is None else weights
    # What all methods share of a unit is in no difference, and would cost digits.
    Y = contributions - contributions.mean(axis=1, keepdims=True)
    means = Y.sum(axis=0)
    squares = _pair_squares(Y)
    # Methods alike on every unit differ by rounding at most.
    alike = squares <= 1e-24 * float((contributions**2).sum())
    inverse = _inverse_root(squares, alike | ~compared)
    left = _inverse_root(_pair_squares(Y - b[:, None] * means), alike | ~compared)
    difference = np.where(alike, 0.0, means[:, None] - means[None, :])
    statistic = difference * inverse
    effect = _in_deviations(difference * _inverse_root(_pair_squares(Y / np.sqrt(b)[:, None]), alike), float(b @ b))

    content = _by_content(Y)
    sums = _flips(np.column_stack([Y, b]), content)
    flipped, weighed = sums[:, :k], sums[:, k:]
    critical, p = _judged(np.abs(statistic), _largest(flipped, inverse), level)
    wide, _ = _judged(np.abs(statistic), _largest(flipped - weighed * means, left), level)
    intervals = _of_two_values(contributions, b, max(critical, wide), level)
    if intervals is None:
        few = _differ_on_few(Y, squares, fewest_units(level))
        q = np.full((k, k), max(critical, wide))
        if n <= FEW and math.isfinite(critical):
            q = np.maximum(q, _resampled(Y - b[:, None] * means, few | alike | ~compared, level, content))
        low, high = _inverted(difference, squares, b @ Y, float(b @ b), q)
        low[few], high[few] = -math.inf, math.inf
    else:
        low, high = intervals
    above = statistic > critical + _ROUNDING
    if against is not None:
        low[~compared], high[~compared] = -math.inf, math.inf
        sizes = np.abs(flipped - flipped[:, [against]]) * inverse[against]
        p[against] = p[:, against] = _stepped_down(sizes, np.abs(statistic[against]))
        above = (statistic > 0) & (p <= 1 - level + _ROUNDING)
    low[above], high[above.T] = np.maximum(low[above], 0.0), np.minimum(high[above.T], 0.0)
    # Of an open pair zero is within, and not at an end, where it would read as excluded.
    edge = np.where(above | above.T, math.nan, _EDGE * (high - low))
    low, high = np.fmin(low, -edge), np.fmax(high, edge)
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 0.0)
    return AllPairs(difference, low, high, np.where(alike, 1.0, p), above, statistic, effect, critical, n, len(sums))


def all_pairs_by_ranks(values: np.ndarray, level: float = LEVEL) -> AllPairs:
    """As `all_pairs`, of Wilcoxon's signed ranks: how often and how clearly, not by how much.

    Of values of shape (n_units, n_methods). R is then the signed-rank statistic, standardised given the ties;
    differences of zero are left out, as Wilcoxon did. ``difference`` is that of means, and there are no intervals.
    """
    n, k = values.shape
    first, second = np.triu_indices(k, 1)
    patterns, content = _patterns(n), _by_content(values)
    step = max(1, _ENTRIES // max(n, patterns))
    largest = np.zeros(patterns)
    largest_value = np.abs(values).max() or 1.0
    statistic = np.zeros((k, k))
    for start in range(0, len(first), step):
        i, j = first[start : start + step], second[start : start + step]
        differences = np.round((values[:, i] - values[:, j]) / largest_value, 12).T
        ranks = np.sign(differences) * magnitude_ranks(differences)
        size = np.sqrt((ranks**2).sum(axis=1, keepdims=True))
        ranks /= np.where(size > 0, size, 1.0)
        statistic[i, j] = ranks.sum(axis=1)
        np.maximum(largest, np.abs(_flips(ranks.T, content)).max(axis=1), out=largest)
    statistic -= statistic.T
    critical, p = _judged(np.abs(statistic), largest, level)
    means = values.mean(axis=0)
    nothing = np.full((k, k), math.nan)
    above = statistic > critical + _ROUNDING
    effect, difference = _in_deviations(statistic / math.sqrt(n), 1 / n), means[:, None] - means[None, :]
    return AllPairs(difference, nothing, nothing, p, above, statistic, effect, critical, n, patterns)


def _in_deviations(of_root: np.ndarray | float, bb: float) -> np.ndarray:
    """A mean in standard deviations, by what it is of the root of the mean square; bb is the sum of squared weights."""
    of_root = np.clip(of_root, -1 + 1e-9, 1 - 1e-9)
    return np.asarray(of_root * np.sqrt((1 - bb) / (1 - of_root**2)))


def _pair_squares(Y: np.ndarray) -> np.ndarray:
    """Sum over units of the squared differences of every two columns."""
    from scipy.spatial.distance import pdist, squareform

    return np.asarray(squareform(pdist(Y.T, "sqeuclidean")))


def _inverse_root(squares: np.ndarray, ignored: np.ndarray | bool = False) -> np.ndarray:
    some = (squares > 0) & ~np.asarray(ignored)
    return np.asarray(np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=some))


def _patterns(n: int) -> int:
    """Sign patterns that are looked at; a pattern and its negative count once."""
    return int(2 ** (n - 1)) if n <= EXACT_UP_TO else 2**11


def _by_content(values: np.ndarray) -> tuple[np.ndarray, int]:
    """An order of the units and a seed, by their values alone: other names, or another order, change neither.

    Units and methods are told apart by each other, ever more finely; those that remain alike can be exchanged.
    """
    weights = np.exp(values / (np.abs(values).max(initial=0.0) or 1.0))
    methods = weights.mean(axis=0)
    for _ in range(2):
        units = (weights * np.cos(methods)).mean(axis=1)
        methods = (weights * np.cos(9 * units)[:, None]).mean(axis=0)
    places = np.argsort(np.argsort(np.round(methods, 9), kind="stable"))
    keys = np.round((weights * np.cos(places)).mean(axis=1), 9)
    order = np.argsort(keys, kind="stable")
    return order, zlib.crc32(keys[order].tobytes())


def _flips(values: np.ndarray, content: tuple[np.ndarray, int]) -> np.ndarray:
    """Sums over units of every column, of shape (patterns, columns), under every sign pattern; the first is all plus.

    Unit u has a number c_u, and pattern g turns it where g and c_u have an odd number of binary digits in common.
    Numbers are zero and the powers of two first, of which every other is a sum; beyond 2^11 units they repeat.
    ``content`` is what `_by_content` returns, after which units get their numbers.
    """
    n, width = values.shape
    order, seed = content
    count, rng = _patterns(n), np.random.default_rng(seed)
    basis = np.array([0, *(1 << np.arange(count.bit_length() - 1))])
    others = rng.permutation(np.setdiff1d(np.arange(count), basis))
    numbers = np.resize(np.concatenate([basis, others]), n)
    layers = np.zeros((-(-n // count), count, width))  # units of one number are turned together
    layers[np.arange(n) // count, numbers] = values[order[rng.permutation(n)]]
    sums = layers.sum(axis=0)
    half = 1
    while half < count:
        even, odd = np.moveaxis(sums.reshape(-1, 2, half, width), 1, 0)
        sums = np.stack([even + odd, even - odd], axis=1)
        half *= 2
    return np.asarray(sums.reshape(count, width))


def _largest(flipped: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Largest R over all pairs, of each row of sums."""
    largest = np.zeros(len(flipped))
    columns = np.ascontiguousarray(flipped.T)
    for i in range(len(columns) - 1):
        sizes = np.abs(columns[i + 1 :] - columns[i])
        sizes *= inverse[i, i + 1 :, None]
        np.maximum(largest, sizes.max(axis=0), out=largest)
    return largest


def _resampled(left: np.ndarray, ignored: np.ndarray, level: float, content: tuple[np.ndarray, int]) -> np.ndarray:
    """Critical value of each pair's R by the bootstrap: of what is left of each unit without the differences of means.

    All pairs' values are exceeded equally often, and any of them as often as the level allows (Beran 1988).
    """
    from scipy.stats import rankdata

    (order, seed), n = content, len(left)
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), _RESAMPLES).astype(float)
    columns, largest = left[order], np.zeros(_RESAMPLES, dtype=int)

    def sizes(i: int) -> np.ndarray:
        """R of every resample, of one method against the others; none of pairs that are ignored."""
        differences = columns[:, i : i + 1] - columns
        sums, squares = weights @ differences, weights @ differences**2
        return np.where(ignored[i], 0.0, np.abs(sums) * _inverse_root(squares))

    for i in range(left.shape[1]):
        np.maximum(largest, rankdata(sizes(i), "min", axis=0).max(axis=1).astype(int), out=largest)
    share = np.quantile(largest, 1 - 0.6 * (1 - level), method="higher") / _RESAMPLES
    return np.stack([np.quantile(sizes(i), share, axis=0, method="higher") for i in range(left.shape[1])])


def _judged(sizes: np.ndarray, reference: np.ndarray, level: float) -> tuple[float, np.ndarray]:
    """Critical value of the largest R, and p-values adjusted for all pairs, by the largest R of every sign pattern."""
    ordered, count = np.sort(reference), len(reference)
    allowed = math.floor(count * (1 - level) + 1e-9)
    critical = float(ordered[count - 1 - allowed]) if allowed else math.inf
    reached = count - np.searchsorted(ordered, sizes - _ROUNDING)
    p = np.maximum(reached, 1) / count
    np.fill_diagonal(p, 1.0)
    return critical, p


def _stepped_down(sizes: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """p-values of each column's R by those of every sign pattern: the largest of those that are no larger here."""
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(sizes[:, order[::-1]], axis=1)[:, ::-1]
    p = np.empty(len(order))
    p[order] = np.maximum.accumulate((largest >= observed[order] - _ROUNDING).mean(axis=0))
    return p


def _inverted(
    difference: np.ndarray, squares: np.ndarray, weighted: np.ndarray, bb: float, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of {delta: (D - delta)^2 <= q^2 (S - 2 delta C + delta^2 B)}: sums over units of d, d^2, b d and b^2."""
    none = q**2 * bb >= 1 - 1e-6
    q = np.where(none, 0.0, q)
    a = 1 - q**2 * bb
    half_b = difference - q**2 * (weighted[:, None] - weighted[None, :])
    # Where all units of a pair differ by the same, both ends are that, but for rounding.
    root = np.sqrt(np.maximum(half_b**2 - a * (difference**2 - q**2 * squares), 0.0))
    return np.where(none, -math.inf, (half_b - root) / a), np.where(none, math.inf, (half_b + root) / a)


def _of_two_values(
    contributions: np.ndarray, weights: np.ndarray, q: float, level: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Score intervals of scores that have two values, such as 0 and 1; None of other scores, and of too few units."""
    if not math.isfinite(q):
        return None
    values = contributions / weights[:, None]
    bottom, top = float(values.min()), float(values.max())
    if bottom == top:  # where all methods are right on all items, or wrong, as 0 and 1 say it
        bottom, top = (0.0, 1.0) if bottom in (0, 1) else (-1.0, 0.0) if bottom == -1 else (bottom, math.nan)
    scale = top - bottom
    right = (values - bottom) / scale
    if not ((np.abs(right) <= _ROUNDING) | (np.abs(right - 1) <= _ROUNDING)).all():
        return None
    weighed = (weights[:, None] * right).T
    first = weighed @ (1 - right)
    rows = 1 / float(weights @ weights)
    q = max(q, tukey_quantile(level, contributions.shape[1]))
    low, high = score_intervals(rows * first, rows * first.T, rows, q)
    return scale * low, scale * high


def _differ_on_few(Y: np.ndarray, squares: np.ndarray, fewest: int) -> np.ndarray:
    """Pairs that differ on fewer units than this; no pair whose squares are those of more can be one."""
    largest = float(np.ptp(Y, axis=1).max())
    few = squares < fewest * largest**2 if largest else np.ones_like(squares, dtype=bool)
    for i in np.flatnonzero(few.any(axis=1)):
        few[i] &= (np.abs(Y - Y[:, i : i + 1]) > 1e-12 * largest).sum(axis=0) < fewest
    return np.asarray(few)


FEWEST = 5
"""Units below which nothing is said."""
_MOST = 1_000_000  # units that are worth naming


def units_to_decide(
    statistic: float, units: int, critical: float, pairs: int, level: float = LEVEL
) -> tuple[float, float, float] | None:
    """Fewest, likely and most units, in all, that would tell a pair apart as likely as not; None below five units.

    With an effect of g standard deviations, R at n units is about g sqrt(n / (1 + g^2)): q^2 (1 + 1 / g^2) units reach
    q. The effect is known up to its standard error, sqrt((1 + g^2 / 2) / n) (Hedges and Olkin 1985, section 5.B):
    the range is from one above to one below, with infinity for a difference that may be none. The critical value is
    today's at its lower end and for the likely number, and Bonferroni's for all ``pairs`` at its upper end.
    """
    if units < FEWEST:
        return None
    effect = float(_in_deviations(abs(statistic) / math.sqrt(units), 1 / units))
    error = math.sqrt((1 + effect**2 / 2) / units)
    bonferroni = NormalDist().inv_cdf(1 - (1 - level) / (2 * pairs))

    def reaching(effect: float, critical: float) -> float:
        needed = math.inf if effect <= 0 else max(units + 1, math.ceil(critical**2 * (1 + 1 / effect**2)))
        return float(needed) if needed <= _MOST else math.inf

    critical = critical if math.isfinite(critical) else bonferroni
    low, high = min(critical, bonferroni), max(critical, bonferroni)
    return reaching(effect + error, low), reaching(effect, critical), reaching(effect - error, high)


def rank_sets(above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest rank that each method may have, 1 the best, by ``above[i, j]``: that i is shown to beat j.

    A method is behind all that are shown to be better, and before all that are shown to be worse: where no pair is told
    apart in the wrong direction, with 95 % for all pairs together, all these sets hold all true ranks with as much
    (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks", theorem 3.3).
    """
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)
