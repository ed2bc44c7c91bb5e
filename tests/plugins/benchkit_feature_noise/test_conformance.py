"""scikit-learn's own checks of the estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchkit_feature_noise.estimators.additive import RobustAdditiveClassifier
from benchkit_feature_noise.estimators.dropout_svm import DropoutSVM
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.fdrop_uniform import UniformFeatureDroppingSVM
from benchkit_feature_noise.estimators.feature_ranking import FeatureSelectingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.mcf import MarginalizedCorruptedFeatures
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.estimators.one_versus_rest import OneVersusRest
from benchkit_feature_noise.estimators.tgrs import StochasticFeatureDropping

OTHERS = [
    FeatureDroppingSVM(),
    UniformFeatureDroppingSVM(),
    MarginalizedCorruptedFeatures(),
    DropoutSVM(n_deleted=1),
    StochasticFeatureDropping(n_deleted=0.5),
    FeatureSelectingSVM(n_selected=2),
    RobustAdditiveClassifier(),
    OneVersusRest(),
]

# All: see test_sample_weight.
SEVERAL = "of 15 rows told apart in many ways, repeated rows have another of the best weights"
DRAWN = "repeated rows draw other columns to drop than one row of their weight"
TO_A_GAP = "reached to a gap, not to the last digit"
WHY = {
    RobustLinearProgram: SEVERAL,
    DropoutSVM: DRAWN,
    StochasticFeatureDropping: DRAWN,
    UniformFeatureDroppingSVM: TO_A_GAP,
}


def failing(estimator):
    """Checks that an estimator cannot pass, and why."""
    kinds = ("dense", "sparse") if type(estimator) in WHY else ()
    return {f"check_sample_weight_equivalence_on_{kind}_data": WHY[type(estimator)] for kind in kinds}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([RobustLinearProgram(), OnlineToBatchPerceptron()], expected_failed_checks=failing)
def test_conforms(estimator, check):
    check(estimator)


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(OTHERS, expected_failed_checks=failing)
def test_others_conform(estimator, check):
    check(estimator)
