"""scikit-learn's own checks of the estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchkit_baselines.constant import ConstantClassifier
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron

ESTIMATORS = [
    RobustLinearProgram(),
    OnlineToBatchPerceptron(),
    FeatureDroppingSVM(),
    ConstantClassifier(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS)
def test_conforms(estimator, check):
    check(estimator)
