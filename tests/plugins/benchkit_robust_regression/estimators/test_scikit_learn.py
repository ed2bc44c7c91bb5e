"""scikit-learn's own checks of the estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchkit_robust_regression.estimators.dense_error import DualAugmentedLagrangian, Homotopy
from benchkit_robust_regression.estimators.iht_trimmed import TrimmedIterativeHardThresholding
from benchkit_robust_regression.estimators.online_selection import Grafting, OnlineSubstitution
from benchkit_robust_regression.estimators.roofs import RoOFS
from benchkit_robust_regression.estimators.torrent import HeuristicHardThresholding, Torrent

ESTIMATORS = [
    RoOFS(drop="after-batch", fit_intercept=True, n_selected=3, batch_size=2),
    Torrent(n_selected=3, batch_size=2, fit_intercept=True, corruption=0.1, deviation=0.25),
    HeuristicHardThresholding(),
    Homotopy(),
    DualAugmentedLagrangian(),
    Grafting(),
    OnlineSubstitution(),
    TrimmedIterativeHardThresholding(),
]


# The checks fit targets that are not centred, for a few iterations: what the estimators say of that is right.
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::benchkit_robust_regression.estimators.linear_regressor.UncentredTargetsWarning",
)
@parametrize_with_checks(ESTIMATORS)
def test_conforms(estimator, check):
    check(estimator)
