"""Whether the columns that an adversary takes are those that correlate with the target."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit import MetricContext, NotApplicableError
from benchkit_tabfs.adversaries import absolute_correlations


def absent_correlation(evaluation: MetricContext) -> float:
    """Sum of the absent columns' |Pearson's correlation| with the target, a mean over the rows attacked.

    This is the importance of a shifted feature set in Cheng et al. 2025, from the training part alone.
    """
    return float(_share_absent(evaluation) @ _correlations(evaluation))


def follows_correlations(evaluation: MetricContext) -> float:
    """Somers' D of |Pearson's correlation| with the target given how many rows lack a column, from -1 to 1.

    Of two columns of which more rows lack the one than the other, how much more often the one correlates more than that
    it correlates less (Somers 1962). 1: the columns that are taken are the most correlated ones, and the more so the
    more rows lack them. Columns that equally many rows lack are not compared, so that 1 can be reached where all rows
    lack the same ones; it is then the rank-biserial correlation, and Kendall's rank correlation where no two shares are
    equal.
    """
    share, correlations = _share_absent(evaluation), _correlations(evaluation)
    rarer = share[:, None] > share
    if not rarer.any():
        raise NotApplicableError("all columns are absent equally often: nothing to rank")
    return float(np.sign(correlations[:, None] - correlations)[rarer].mean())


def _correlations(evaluation: MetricContext) -> np.ndarray:
    if evaluation.X_train is None or evaluation.y_train is None:
        raise NotApplicableError("correlations need the training part")
    X = evaluation.X_train
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    return absolute_correlations(dense, evaluation.y_train, evaluation.features)


def _share_absent(evaluation: MetricContext) -> np.ndarray:
    """Of each column the share of rows without it, from what the adversary says that it took."""
    n_features = evaluation.features.n_features
    if "taken" in evaluation.truth:
        taken: np.ndarray = np.asarray(evaluation.truth["taken"], dtype=float).mean(axis=0)
        return taken
    for name in ("shifted_features", "dead_features"):
        if name in evaluation.truth:
            share = np.zeros(n_features)
            share[np.asarray(evaluation.truth[name], dtype=int)] = 1.0
            return share
    raise NotApplicableError(
        "the adversary does not say which columns it takes: column-shift, failing-features, failing-columns-query "
        "and exact-tree-delete do"
    )
