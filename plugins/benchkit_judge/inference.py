"""All pairs of methods at once where units are no independent draws: folds that share rows, and battles of two.

*Folds.* The models of R splits of one data set are tested on parts of the same rows. Where each tests a share r of
them, two differences correlate with r at most, and the variance of their mean over new rows is s^2 (1 / R + r / (1 -
r)), with s^2 that of the splits (Nadeau and Bengio 2003; of k folds r is 1 / k, Bouckaert and Frank 2004). Student's t
has R - 1 degrees of freedom; Bonferroni's inequality counts the pairs.

*Battles.* A beats B with probability 1 / (1 + exp(b_B - b_A)) (Bradley and Terry 1952); a tie counts half. Strengths
have a normal prior of variance ten, which keeps those finite that won, or lost, all. The variance of a difference is
the larger of two: that of the residuals, of whole questions where some have several battles, with leverages as in HC3
(MacKinnon and White 1985), which holds if the model does not; and that of the model, less the share of ties, which
holds for few battles. Tukey's studentised range counts the pairs (Hayter 1984).
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from benchkit.statistics.all_pairs import AllPairs, fewest_units
from benchkit.statistics.ranking import tukey_quantile, tukey_tail

_PRIOR = 0.1  # precision of a strength


def corrected_pairs(values: np.ndarray, test_share: float, level: float, pairs: int) -> AllPairs:
    """All pairs by the corrected t-test, for new rows, of values of shape (n_splits, n_methods), larger is better."""
    from scipy import stats

    splits = len(values)
    differences = values[:, :, None] - values[:, None, :]
    error = differences.std(axis=0, ddof=1) * math.sqrt(1 / splits + test_share / (1 - test_share))
    # A difference that is the same in every split, as of few test rows it may be, says nothing of its spread.
    error[error <= 1e-12 * np.abs(values).max()] = math.inf
    difference = differences.mean(axis=0)
    p = np.minimum(1.0, 2 * pairs * stats.t.sf(np.abs(difference) / error, splits - 1))
    return _of_errors(difference, error, float(stats.t.isf((1 - level) / (2 * pairs), splits - 1)), p, splits)


def battle_strengths(
    first: np.ndarray, second: np.ndarray, won: np.ndarray, questions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Strength of each method by Bradley and Terry's model, and two covariances: robust, and the model's.

    Of battles, all of shape (n_battles,): the numbers of both methods; 1 where the first won, 0 where the second did,
    0.5 where neither; and the number of what is drawn, battles of one number together.
    """
    from scipy import sparse

    count, methods = len(won), int(max(first.max(), second.max())) + 1
    battles = np.arange(count)
    signs, places = np.repeat([1.0, -1.0], count), (np.tile(battles, 2), np.concatenate([first, second]))
    design = sparse.csr_array((signs, places), shape=(count, methods))
    strengths = np.zeros(methods)
    for _ in range(100):
        chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
        spread = chance * (1 - chance)
        curvature = (design.T @ design.multiply(spread[:, None])).toarray() + _PRIOR * np.eye(methods)
        step = np.linalg.solve(curvature, design.T @ (won - chance) - _PRIOR * strengths)
        strengths += step
        if np.abs(step).max() < 1e-10:
            break
    inverse = np.linalg.inv(curvature)
    leverage = spread * (inverse[first, first] + inverse[second, second] - 2 * inverse[first, second])
    units = int(questions.max()) + 1
    together = sparse.csr_array((np.ones(count), (questions, battles)))
    scores = (together @ design.multiply(((won - chance) / (1 - leverage))[:, None])).toarray()
    scores *= math.sqrt(units / max(1, units - methods)) if units < count else 1.0
    return strengths, np.stack([inverse @ (scores.T @ scores) @ inverse, inverse * (1 - (won == 0.5).mean())])


def battle_pairs(strengths: np.ndarray, covariances: np.ndarray, units: int, level: float) -> AllPairs:
    """All pairs of methods by what `battle_strengths` returns, of so many battles, or questions, that were drawn."""
    from scipy import stats

    error = np.sqrt(max_variance(covariances, np.eye(len(strengths))[:, None] - np.eye(len(strengths))))
    np.fill_diagonal(error, math.inf)
    methods, difference = len(strengths), strengths[:, None] - strengths[None, :]
    # Of few units a variance is as uncertain as that of Student's t.
    critical = float(stats.t.isf(stats.norm.sf(tukey_quantile(level, methods)), units - 1))
    grid = np.linspace(0, 9, 181)  # between whose places the tail's logarithm is nearly a line
    tail = np.log([max(tukey_tail(z, methods), 1e-14) for z in grid])
    z = stats.norm.isf(stats.t.sf(np.abs(difference) / error, units - 1))
    p = np.exp(np.interp(z, grid, tail))
    return _of_errors(difference, error, critical, p, units)


def max_variance(covariances: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """The larger variance, of the covariances, of what has such gradients, in the last axis."""
    return np.asarray(np.einsum("...i,cij,...j->c...", gradient, covariances, gradient, optimize=True).max(axis=0))


def planned(asked: float, level: float = 0.95) -> list[dict[str, float]]:
    """Before data: the smallest difference that so many items show, or the items that show a difference below one.

    With Tukey's critical value q of all pairs, and z for a power of 80 %, n = (q + z)^2 v / d^2. The variance v of a
    difference on one item is 1, so that d is in standard deviations, or s - d^2 of right and wrong answers, where two
    methods disagree on a share s of the items.
    """
    rows = []
    for methods in (2, 5, 10, 20):
        q2 = (tukey_quantile(level, methods) + NormalDist().inv_cdf(0.8)) ** 2
        for share in (0.05, 0.1, 0.2, 0.4, math.nan):
            variance = 1.0 if math.isnan(share) else share
            if asked >= 1:
                items = asked
                difference = math.sqrt(q2 * variance / (items if math.isnan(share) else items + q2))
                difference = difference if items >= fewest_units(level) and difference <= variance else math.inf
            else:
                difference, spread = asked, variance - (0 if math.isnan(share) else asked**2)
                items = max(fewest_units(level), math.ceil(q2 * spread / asked**2)) if asked <= variance else math.inf
            rows.append({"methods": methods, "disagree": share, "items": items, "difference": difference})
    return rows


def _of_errors(difference: np.ndarray, error: np.ndarray, critical: float, p: np.ndarray, units: int) -> AllPairs:
    low, high = difference - critical * error, difference + critical * error
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 0.0)
    return AllPairs(
        difference=difference,
        low=low,
        high=high,
        p=p,
        above=low > 0,
        statistic=difference / error,
        critical=critical,
        units=units,
        patterns=0,
    )
