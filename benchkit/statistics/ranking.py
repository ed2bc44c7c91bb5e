"""Ranks: of algorithms over many datasets, with Friedman's test and Nemenyi's; of signed differences, with Wilcoxon's.

Wilcoxon's signed-rank test is exact here where repetitions tie, as error rates on small test parts do all the time.
SciPy then enumerates sign patterns one row at a time, or turns to the normal approximation from 14 pairs on; here the
distribution over all 2^n sign patterns, given the ranks, is counted by a recurrence, for many rows at once.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

EXACT_UP_TO = 50


@dataclass(frozen=True)
class Ranking:
    """How algorithms rank over datasets."""

    algorithms: tuple[str, ...]  # best average rank first
    ranks: tuple[float, ...]  # averages, 1 is best; ties share their mean rank
    wins: tuple[int, ...]  # over all datasets and other algorithms
    ties: tuple[int, ...]
    losses: tuple[int, ...]
    datasets: tuple[str, ...]
    chi_square: float  # Friedman's statistic, corrected for ties; NaN below two algorithms or where all tie
    iman_davenport: float  # its F version (Iman & Davenport 1980; Demsar 2006, section 3.2.2), with its p
    p: float
    critical_difference: float  # Nemenyi's: average ranks further apart than this differ at level ``alpha``
    alpha: float
    left_out: tuple[str, ...] = ()  # algorithms without a value on some dataset

    @property
    def summary(self) -> str:
        """Friedman's test and the critical difference in one sentence."""
        left_out = f" Left out, not on every dataset: {', '.join(self.left_out)}." if self.left_out else ""
        ranked = "Ranked are means on these rows"
        k, n = len(self.algorithms), len(self.datasets)
        p = "p < 0.001" if self.p < 0.001 else f"p = {self.p:.3f}"
        test = f"Friedman chi² = {self.chi_square:.2f}, F({k - 1}, {(k - 1) * (n - 1)}) = {self.iman_davenport:.2f}"
        apart = f"critical difference {self.critical_difference:.2f} (Nemenyi, {self.alpha:.0%})"
        return f"{ranked}; the test asks about other datasets like these: {test}, {p}; {apart}.{left_out}"

    @property
    def cliques(self) -> list[tuple[int, int]]:
        """Maximal runs (first, last) of algorithms whose average ranks do not differ."""
        intervals: list[tuple[int, int]] = []
        for first, rank in enumerate(self.ranks):
            last = max(place for place, other in enumerate(self.ranks) if other - rank <= self.critical_difference)
            if last > first and (not intervals or last > intervals[-1][1]):
                intervals.append((first, last))
        return intervals


def rank_algorithms(
    scores: Mapping[str, Mapping[str, float]], greater_is_better: bool, alpha: float = 0.05
) -> Ranking | None:
    """Rank algorithms over the data sets of a table of scores; one that lacks a data set is left out, and named.

    None where fewer than two algorithms can be compared, or fewer than three datasets, too few for a test.
    """
    names = list(dict.fromkeys(name for row in scores.values() for name in row))
    complete = [name for name in names if all(name in row for row in scores.values())]
    if len(complete) < 2 or len(scores) < 3:
        return None
    table = np.array([[row[name] for name in complete] for row in scores.values()])
    table = in_units_of_the_largest(-table if greater_is_better else table)
    ranks, chi_square, f, p = friedman(table)
    order = np.argsort(ranks, kind="stable")
    differences = (table[:, :, None] - table[:, None, :])[:, order]
    return Ranking(
        algorithms=tuple(complete[position] for position in order),
        ranks=tuple(ranks[order].tolist()),
        wins=tuple((differences < 0).sum(axis=(0, 2)).tolist()),
        ties=tuple(((differences == 0).sum(axis=(0, 2)) - len(table)).tolist()),
        losses=tuple((differences > 0).sum(axis=(0, 2)).tolist()),
        datasets=tuple(scores),
        chi_square=chi_square,
        iman_davenport=f,
        p=p,
        critical_difference=critical_difference(len(complete), len(table), alpha),
        alpha=alpha,
        left_out=tuple(name for name in names if name not in complete),
    )


def in_units_of_the_largest(table: np.ndarray) -> np.ndarray:
    """Each row by its largest absolute value, to twelve digits, so that what is equal but for rounding ties."""
    largest = np.abs(table).max(axis=1, keepdims=True)
    return np.round(table / np.where(largest > 0, largest, 1.0), 12)


def friedman(table: np.ndarray) -> tuple[np.ndarray, float, float, float]:
    """Average ranks of losses (n_datasets, n_algorithms), Friedman's chi-square, Iman and Davenport's F and its p."""
    from scipy.special import fdtrc

    n, k = table.shape
    ranks = mean_ranks(table)
    means = ranks.mean(axis=0)
    # Corrected for ties (Conover 1999, section 5.8); without ties the spread is N k (k + 1) (k - 1) / 12.
    spread = float((ranks**2).sum() - n * k * (k + 1) ** 2 / 4)
    if spread == 0:
        return means, math.nan, math.nan, math.nan
    chi_square = float((k - 1) * n**2 * ((means - (k + 1) / 2) ** 2).sum() / spread)
    rest = n * (k - 1) - chi_square
    if rest <= 1e-9:
        return means, chi_square, math.inf, 0.0
    f = (n - 1) * chi_square / rest
    return np.asarray(means), chi_square, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f))


def critical_difference(algorithms: int, datasets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference q sqrt(k (k + 1) / (6 N)) (Demsar 2006, section 3.2.2).

    q is the studentised range at infinite degrees of freedom, over sqrt(2).
    """
    return tukey_quantile(1 - alpha, algorithms) * math.sqrt(algorithms * (algorithms + 1) / (6 * datasets))


@lru_cache
def tukey_quantile(level: float, algorithms: int) -> float:
    """What the largest of all pairs' differences exceeds with probability 1 - level, in standard errors."""
    from scipy.optimize import brentq

    return float(brentq(lambda z: tukey_tail(z, algorithms) - (1 - level), 0, 20, xtol=1e-12))


@lru_cache(1024)
def tukey_tail(z: float, algorithms: int) -> float:
    """Probability that two of so many independent normal means differ by more than z standard errors of a difference.

    That of `scipy.stats.studentized_range` at infinite degrees of freedom (Tukey), whose import takes longer than most
    reports.
    """
    from scipy.special import ndtr

    x = np.linspace(-8, 8, 1601)
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])
    return float(1 - algorithms * (density * (ndtr(x) - ndtr(x - math.sqrt(2) * z)) ** (algorithms - 1)).sum())


def tiers(above: np.ndarray) -> np.ndarray:
    """The tier of each method, 1 the best, by ``above[i, j]``: that i is shown to be better than j.

    The first tier are those that no method is shown to be better than, and each next one those of the rest that none of
    the rest is shown to be better than. No two of a tier are told apart, and each method of a later tier is worse than
    some of the tier before: a method of tier t is worse than t - 1 others at least.
    """
    place = np.zeros(len(above), dtype=int)
    left = np.ones(len(above), dtype=bool)
    tier = 0
    while left.any():
        tier += 1
        best = left & ~above[left].any(axis=0)
        # Ranks may beat each other in a circle, as stone, paper and scissors do: these are one tier.
        best = best if best.any() else left
        place[best] = tier
        left = left & ~best
    return place


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks within each row, of the same shape: 1 is the smallest, ties share their mean rank."""
    ranks = np.empty(values.shape)
    for row, own in zip(values, ranks, strict=True):
        _, place, count = np.unique(row, return_inverse=True, return_counts=True)
        own[:] = (np.cumsum(count) - (count - 1) / 2)[place]
    return ranks


def magnitude_ranks(differences: np.ndarray) -> np.ndarray:
    """Ranks of the absolute differences within each row, ties sharing their mean rank; 0 where the difference is 0."""
    size = np.abs(differences)
    return np.where(size == 0, 0.0, mean_ranks(size) - (size == 0).sum(axis=1, keepdims=True))


def signed_rank_pvalues(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of Wilcoxon's signed-rank test, one per row of shape (n_rows, n_pairs); 1 where all are zero.

    Zero differences are left out, as Wilcoxon did; tied ones share their mean rank. Up to 50 columns the p-value is
    exact given the ties (Hollander, Wolfe & Chicken 2014, section 3.1, comment 11); beyond, the normal approximation.
    """
    if differences.shape[1] > EXACT_UP_TO:
        from scipy.stats import wilcoxon

        p, some = np.ones(len(differences)), differences.any(axis=1)
        p[some] = wilcoxon(differences[some], axis=1, method="asymptotic").pvalue if some.any() else 1.0
        return p
    doubled = (2 * magnitude_ranks(differences)).astype(int)  # integers, also where ranks tie
    total = doubled.sum(axis=1)
    positive = np.where(differences > 0, doubled, 0).sum(axis=1)
    # The probability of each sum of the positive ranks, when every sign is a fair coin; that of a zero decides nothing.
    sums = np.arange(total.max(initial=0) + 1)
    shares = np.where(sums == 0, 1.0, np.zeros((len(differences), 1)))
    for column in doubled.T:
        source = sums - column[:, None]
        moved = np.take_along_axis(shares, np.maximum(source, 0), axis=1)
        shares = 0.5 * (shares + np.where(source >= 0, moved, 0.0))
    below = sums <= np.minimum(positive, total - positive)[:, None]
    return np.asarray(np.minimum(1.0, 2 * (shares * below).sum(axis=1)))
