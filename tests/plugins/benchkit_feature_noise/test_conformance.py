"""scikit-learn's own checks of the estimators, parameters that cannot be, and what is declared."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchkit_feature_noise.estimators.additive import RobustAdditiveClassifier
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM, UniformFeatureDroppingSVM
from benchkit_feature_noise.estimators.feature_ranking import FeatureSelectingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.estimators.one_versus_rest import OneVersusRest
from benchkit_feature_noise.estimators.random_deletion import DropoutSVM, MarginalizedCorruptedFeatures
from benchkit_feature_noise.estimators.tgrs import SecureSVM, StochasticFeatureDropping

ESTIMATORS = [
    RobustLinearProgram(),
    OnlineToBatchPerceptron(),
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
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=failing)
def test_conforms(estimator, check):
    check(estimator)


WRONG = {
    RobustLinearProgram: [
        *({"C": 0}, {"C": "1e3"}, {"noise_budget": -1}, {"noise_budget": 4}, {"solver": "magic"}),
        *({"feature_values": [1, 1]}, {"feature_values": [1, 1, 1, -1]}),
        *({"chunks": 0}, {"chunks": 1.5}, {"chunks": 15}),
    ],
    FeatureDroppingSVM: [
        *({"n_deleted": -1}, {"n_deleted": 5}, {"C": -1}, {"solver": "magic"}),
        *({"exactly": True, "n_deleted": 2}, {"formulation": "dual"}),
    ],
    UniformFeatureDroppingSVM: [{"n_deleted": 5}, {"max_subsets": 5, "n_deleted": 2}],
    OnlineToBatchPerceptron: [{"C": 0}, {"noise_budget": 4}, {"radius": "wide"}],
    StochasticFeatureDropping: [{"n_deleted": -1}, {"n_deleted": 7}, {"C": -1}, {"tol": 0}],
    SecureSVM: [{"box": 0}, {"C": -1}],
    MarginalizedCorruptedFeatures: [{"deletion_rate": 1.0}, {"ridge": 0}],
    DropoutSVM: [{"n_deleted": 9}, {"n_copies": 0}],
    RobustAdditiveClassifier: [{"method": "svm"}, {"fill": "median"}, {"n_bins": 0}],
    FeatureSelectingSVM: [{"by": "luck"}],
    OneVersusRest: [{"estimator": "lpp"}],
}


@pytest.mark.parametrize("make", WRONG)
def test_bad_parameters_are_named(make):
    X = np.random.default_rng(0).normal(size=(20, 4))
    for params in WRONG[make]:
        with pytest.raises(ValueError, match=next(iter(params))):
            make(**params).fit(X, X[:, 0] > 0)
