"""Wilcoxon's signed-rank test, exact where repetitions tie.

Error rates on small test parts tie all the time. SciPy then enumerates sign patterns one row at a time, or turns to the
normal approximation from 14 pairs on; here the distribution over all 2^n sign patterns, given the ranks, is counted by
a recurrence, for many rows at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

EXACT_UP_TO = 50
_COUNTED_UP_TO = 64  # values in a row, of which ranks are counted faster than sorted


def signed_rank_pvalues(differences: np.ndarray) -> np.ndarray:
    """Two-sided p-values of Wilcoxon's signed-rank test, one per row.

    Zero differences are left out, as Wilcoxon did; tied ones share their mean rank. Up to 50 columns the p-value is
    exact given the ties (Hollander, Wolfe & Chicken 2014, section 3.1, comment 11); beyond, the normal approximation.

    Parameters
    ----------
    differences : ndarray of shape (n_rows, n_pairs)

    Returns
    -------
    ndarray of shape (n_rows,)
        1 where all differences of a row are zero.
    """
    import numpy as np

    n_rows, n_pairs = differences.shape
    if n_pairs == 0:
        return np.ones(n_rows)
    if n_pairs > EXACT_UP_TO:
        from scipy import stats

        p = np.ones(n_rows)
        some = differences.any(axis=1)
        if some.any():
            p[some] = stats.wilcoxon(differences[some], axis=1, method="asymptotic").pvalue
        return p
    doubled = (2 * magnitude_ranks(differences)).astype(int)  # integers, also where ranks tie
    positive = np.where(differences > 0, doubled, 0).sum(axis=1)
    smaller = np.minimum(positive, doubled.sum(axis=1) - positive)
    shares = _distribution(doubled)
    below = np.arange(shares.shape[1]) <= smaller[:, None]
    return np.asarray(np.minimum(1.0, 2 * (shares * below).sum(axis=1)))


def magnitude_ranks(differences: np.ndarray) -> np.ndarray:
    """Ranks of the absolute differences within each row, ties sharing their mean rank; 0 where the difference is 0.

    Parameters
    ----------
    differences : ndarray of shape (n_rows, n_pairs)

    Returns
    -------
    ndarray of shape (n_rows, n_pairs)
    """
    import numpy as np

    size = np.abs(differences)
    zeros = (size == 0).sum(axis=1, keepdims=True)
    return np.where(size == 0, 0.0, mean_ranks(size) - zeros)


def mean_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks within each row, 1 is the smallest; ties share their mean rank.

    In short rows counting is as fast as sorting, and importing scipy.stats takes longer than most reports.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_values)

    Returns
    -------
    ndarray of shape (n_rows, n_values)
    """
    import numpy as np

    if values.shape[1] > _COUNTED_UP_TO:
        from scipy.stats import rankdata

        return np.asarray(rankdata(values, axis=1))
    ranks = np.full(values.shape, 0.5)
    for column in values.T:
        other = column[:, None]
        ranks += (values > other) + 0.5 * (values == other)
    return ranks


def _distribution(ranks: np.ndarray) -> np.ndarray:
    """Probability of each rank sum of the positive differences when every sign is a fair coin.

    Parameters
    ----------
    ranks : ndarray of int of shape (n_rows, n_pairs)
        Zero for a pair that is left out, whose coin then decides nothing.

    Returns
    -------
    ndarray of shape (n_rows, largest sum + 1)
    """
    import numpy as np

    width = int(ranks.sum(axis=1).max()) + 1
    shares = np.zeros((len(ranks), width))
    shares[:, 0] = 1.0
    places = np.arange(width)
    for column in ranks.T:
        source = places - column[:, None]
        moved = np.take_along_axis(shares, np.maximum(source, 0), axis=1)
        shares = 0.5 * (shares + np.where(source >= 0, moved, 0.0))
    return shares
