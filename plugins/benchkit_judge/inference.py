"""All pairs at once of folds that share rows, and what a number of items can show before there are data.

The models of R splits of one data set are tested on parts of the same rows. Where each tests a share r of them, two
differences correlate with r at most, and the variance of their mean over new rows is s^2 (1 / R + r / (1 - r)), with
s^2 that of the splits (Nadeau and Bengio 2003; of k folds r is 1 / k, Bouckaert and Frank 2004). Student's t has R - 1
degrees of freedom; Bonferroni's inequality counts the pairs.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from benchkit.statistics.all_pairs import AllPairs, fewest_units
from benchkit.statistics.ranking import tukey_quantile


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
    critical = float(stats.t.isf((1 - level) / (2 * pairs), splits - 1))
    low, high = difference - critical * error, difference + critical * error
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 0.0)
    return AllPairs(difference, low, high, p, low > 0, difference / error, critical, units=splits, patterns=0)


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
