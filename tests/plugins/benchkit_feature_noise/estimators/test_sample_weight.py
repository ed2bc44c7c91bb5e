"""A row of weight k is k rows, scikit-learn's convention; a row of weight 0 is none."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM, UniformFeatureDroppingSVM
from benchkit_feature_noise.estimators.feature_ranking import FeatureSelectingSVM, deletion_frequency, information_gain
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.random_deletion import DropoutSVM, MarginalizedCorruptedFeatures
from benchkit_feature_noise.estimators.tgrs import SecureSVM, StochasticFeatureDropping


def data(seed=0, m=50, n=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n))
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    return X, y, rng.choice([0, 1, 1, 2, 5], m)


MODELS = [
    RobustLinearProgram(C=2.0, noise_budget=1.0, tol=1e-8),
    RobustLinearProgram(C=2.0, noise_budget=2.5, tol=1e-8, fit_intercept=False),
    RobustLinearProgram(C=2.0, tol=1e-8),
    FeatureDroppingSVM(C=0.5, n_deleted=1.0, tol=1e-8),
    FeatureDroppingSVM(C=0.5, n_deleted=2.5, tol=1e-8, feature_values=np.linspace(0.5, 1.5, 6)),
    FeatureDroppingSVM(C=0.5, tol=1e-8),
    DropoutSVM(C=0.5),
    FeatureSelectingSVM(C=0.5, n_selected=3, n_deleted=2),
    FeatureSelectingSVM(C=0.5, n_selected=3, by="information-gain"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_weight_is_so_many_rows(model):
    X, y, weights = data()
    weighted = clone(model).fit(csr_matrix(X), y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    if hasattr(weighted, "objective_"):
        assert weighted.converged_
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=2e-8)
        np.testing.assert_allclose(weighted.dual_objective_, repeated.dual_objective_, rtol=1e-6)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)


@pytest.mark.parametrize(
    "model",
    [
        StochasticFeatureDropping(C=0.5, n_deleted=1.0, tol=1e-3, random_state=0),
        StochasticFeatureDropping(
            C=0.5, n_deleted=1.5, feature_values=np.linspace(0.5, 1.5, 6), tol=1e-3, random_state=0
        ),
        SecureSVM(C=0.5, box=0.3, tol=1e-4, random_state=0),
        UniformFeatureDroppingSVM(C=0.5, n_deleted=2),
        UniformFeatureDroppingSVM(C=0.5, n_deleted=1, fit_intercept=False),
        MarginalizedCorruptedFeatures(),
        MarginalizedCorruptedFeatures(fit_intercept=False),
    ],
    ids=repr,
)
def test_a_weight_is_so_many_rows_of_the_peers(model):
    X, y, weights = data()
    weighted = clone(model).fit(csr_matrix(X), y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    if hasattr(weighted, "objective_"):
        assert weighted.duality_gap_ <= 1.1 * model.tol * weighted.objective_
        assert weighted.dual_objective_ <= repeated.objective_ * (1 + 1e-9)
        assert repeated.dual_objective_ <= weighted.objective_ * (1 + 1e-9)
        # |w|^2 / 2 says how far weights may be from the optimal ones.
        apart = np.sqrt(2 * weighted.duality_gap_) + np.sqrt(2 * repeated.duality_gap_)
        assert np.linalg.norm(weighted.coef_ - repeated.coef_) <= apart
    else:
        np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-12)
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-12)


def test_weights_over_six_decades_keep_their_bracket():
    X, y, _ = data(3)
    weights = 10.0 ** np.random.default_rng(1).uniform(-3, 3, 50)
    for model in MODELS[:6]:
        assert clone(model).set_params(tol=1e-6).fit(X, y, weights).converged_


def test_chunks_take_the_weights_of_their_rows():
    X, y, weights = data(1)
    model = RobustLinearProgram(noise_budget=1.0, chunks=2, random_state=0)
    bias = abs(clone(model).fit(X, y, weights).intercept_ - clone(model).fit(X, y).intercept_)
    assert bias > 1e-3


def test_rankings_weigh_rows():
    X, y, weights = data()
    model = FeatureDroppingSVM(C=0.5, n_deleted=1).fit(X, y)
    many, labels = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    np.testing.assert_allclose(information_gain(X, y, weights), information_gain(many, labels), atol=1e-14)
    frequency = deletion_frequency(model, X, y, 1, weights)
    np.testing.assert_allclose(frequency, deletion_frequency(model, many, labels, 1), atol=1e-14)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "shape"),
        (-np.ones(50), "negative"),
        (np.zeros(50), "all weights are zero"),
        (np.full(50, np.nan), "NaN"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    X, y, _ = data()
    with pytest.raises(ValueError, match=f"sample_weight.*{message}"):
        RobustLinearProgram().fit(X, y, sample_weight=weights)
