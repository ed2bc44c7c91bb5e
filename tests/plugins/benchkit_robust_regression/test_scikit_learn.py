"""scikit-learn's own checks of the estimators."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from benchkit_robust_regression.roofs import RoOFS

ESTIMATORS = [RoOFS(), RoOFS(drop="after-batch", fit_intercept=True)]


@parametrize_with_checks(ESTIMATORS)
def test_conforms(estimator, check):
    check(estimator)
