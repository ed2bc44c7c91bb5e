"""scikit-learn's checks, weights of rows, bad parameters; the adversary that corrupts what greedy deletes."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from benchkit_deletion.adversaries.linear import GreedyDelete
from benchkit_feature_noise.adversaries import GreedyCorrupt, QueryCorrupt
from benchkit_feature_noise.estimators.additive import RobustAdditiveClassifier
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM, UniformFeatureDroppingSVM
from benchkit_feature_noise.estimators.feature_ranking import FeatureSelectingSVM, deletion_frequency, information_gain
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.estimators.one_versus_rest import OneVersusRest
from benchkit_feature_noise.estimators.random_deletion import DropoutSVM, MarginalizedCorruptedFeatures
from benchkit_feature_noise.estimators.tgrs import SecureSVM, StochasticFeatureDropping
from tests.attacks import attack

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

MANY = "of 15 rows told apart in many ways, repeated rows have another of the best weights"
DRAWN = "repeated rows draw other columns to drop than one row of their weight"
GAP = "reached to a gap, not to the last digit"
WHY = {RobustLinearProgram: MANY, DropoutSVM: DRAWN, StochasticFeatureDropping: DRAWN, UniformFeatureDroppingSVM: GAP}


def failing(estimator):
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


def data(seed=0, m=50, n=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n))
    return X, np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1), rng.choice([0, 1, 1, 2, 5], m)


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
# Reached to a gap of the objective, or in closed form.
PEERS = [
    StochasticFeatureDropping(C=0.5, n_deleted=1.0, tol=1e-3, random_state=0),
    StochasticFeatureDropping(C=0.5, n_deleted=1.5, feature_values=np.linspace(0.5, 1.5, 6), tol=1e-3, random_state=0),
    SecureSVM(C=0.5, box=0.3, tol=1e-4, random_state=0),
    UniformFeatureDroppingSVM(C=0.5, n_deleted=2),
    UniformFeatureDroppingSVM(C=0.5, n_deleted=1, fit_intercept=False),
    MarginalizedCorruptedFeatures(),
    MarginalizedCorruptedFeatures(fit_intercept=False),
]


@pytest.mark.parametrize("model", MODELS + PEERS, ids=repr)
def test_a_weight_is_so_many_rows(model):
    X, y, weights = data()
    weighted = clone(model).fit(csr_matrix(X), y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    if not hasattr(weighted, "objective_"):
        np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, atol=1e-12 if model in PEERS else 1e-3)
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-12 if model in PEERS else 1e-3)
    elif model in PEERS:
        assert weighted.duality_gap_ <= 1.1 * model.tol * weighted.objective_
        assert weighted.dual_objective_ <= repeated.objective_ * (1 + 1e-9)
        assert repeated.dual_objective_ <= weighted.objective_ * (1 + 1e-9)
        # |w|^2 / 2 says how far weights may be from the optimal ones.
        apart = np.sqrt(2 * weighted.duality_gap_) + np.sqrt(2 * repeated.duality_gap_)
        assert np.linalg.norm(weighted.coef_ - repeated.coef_) <= apart
    else:
        assert weighted.converged_
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=2e-8)
        np.testing.assert_allclose(weighted.dual_objective_, repeated.dual_objective_, rtol=1e-6)
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-3)


def test_weights_over_six_decades_keep_their_bracket_and_chunks_take_them():
    X, y, _ = data(3)
    weights = 10.0 ** np.random.default_rng(1).uniform(-3, 3, 50)
    for model in MODELS[:6]:
        assert clone(model).set_params(tol=1e-6).fit(X, y, weights).converged_
    X, y, weights = data(1)
    model = RobustLinearProgram(noise_budget=1.0, chunks=2, random_state=0)
    assert abs(clone(model).fit(X, y, weights).intercept_ - clone(model).fit(X, y).intercept_) > 1e-3
    rng = np.random.default_rng(13)
    X, y, weights = rng.normal(size=(12, 3)), np.repeat([-1, 1], 6), np.where(rng.random(12) < 0.4, 100.0, 0.01)
    chunks, whole = (clone(model).set_params(chunks=count).fit(X, y, weights) for count in (2, 1))
    assert chunks.dual_objective_ <= whole.objective_ + 1e-6  # chunks count by their weights, not by their rows


def test_names_of_columns_stay_with_weights_and_a_stream_keeps_no_certificate_of_a_fit():
    X, y, weights = data()
    table = pd.DataFrame(X, columns=[f"c{place}" for place in range(X.shape[1])])
    model = StochasticFeatureDropping(n_deleted=0.5, random_state=0).fit(table, y, weights)
    assert model.feature_names_in_.tolist() == [*table]
    assert not hasattr(model.partial_fit(table, y), "objective_")


def test_rankings_weigh_rows():
    X, y, weights = data()
    model = FeatureDroppingSVM(C=0.5, n_deleted=1).fit(X, y)
    many, labels = np.repeat(X, weights, axis=0), np.repeat(y, weights)
    np.testing.assert_allclose(information_gain(X, y, weights), information_gain(many, labels), atol=1e-14)
    frequency = deletion_frequency(model, X, y, 1, weights)
    np.testing.assert_allclose(frequency, deletion_frequency(model, many, labels, 1), atol=1e-14)


@pytest.mark.parametrize(
    ("weights", "message"), [([1.0, 2.0], "shape"), (-np.ones(50), "negative"), (np.zeros(50), "all weights are zero")]
)
def test_weights_that_are_none_are_refused(weights, message):
    X, y, _ = data()
    with pytest.raises(ValueError, match=f"sample_weight.*{message}"):
        RobustLinearProgram().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("method", [FeatureDroppingSVM(n_deleted=1), RobustLinearProgram(noise_budget=1)])
def test_entries_of_a_sparse_matrix_that_are_given_twice_add_up(method):
    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 2
    halves = csr_matrix((np.repeat(X.ravel() / 2, 2), np.tile(np.repeat(np.arange(4), 2), 60), np.arange(61) * 8))
    expected = clone(method).fit(X, y).objective_
    assert method.fit(halves, y).objective_ == pytest.approx(expected, rel=1e-6)
    assert halves.nnz == 480


@pytest.fixture
def problem():
    X = np.random.default_rng(0).normal(loc=2.0, scale=3.0, size=(3000, 5))
    y = np.where(X[:, 0] - X[:, 3] > 0, 1, -1)
    return X, y, LogisticRegression().fit(X, y)


@pytest.mark.parametrize("noise", ["gaussian", "bounded"])
def test_replaces_what_greedy_deletes_and_nests(problem, noise):
    X, y, model = problem
    previous = X
    for budget in range(4):
        corrupted = GreedyCorrupt(noise).corrupt(attack(X, y, model, budget)).X
        np.testing.assert_array_equal(corrupted != X, GreedyDelete().corrupt(attack(X, y, model, budget)).X == 0)
        before = previous != X
        np.testing.assert_array_equal(corrupted[before], previous[before])
        previous = corrupted


def test_noise_has_the_moments_it_should(problem):
    X, y, model = problem
    for noise, mean, deviation in (("gaussian", X.mean(axis=0), X.std(axis=0)), ("bounded", 0.0, np.sqrt(1 / 3))):
        corrupted = GreedyCorrupt(noise).corrupt(attack(X, y, model, 2)).X
        drawn = np.where(corrupted != X, corrupted, np.nan)[:, [0, 3]]  # the features that matter to the model
        np.testing.assert_allclose(np.nanmean(drawn, axis=0), np.broadcast_to(mean, 5)[[0, 3]], atol=0.25)
        np.testing.assert_allclose(np.nanstd(drawn, axis=0), np.broadcast_to(deviation, 5)[[0, 3]], rtol=0.07)
    assert np.nanmax(np.abs(drawn)) <= 1
    gappy = np.where(np.arange(len(X))[:, None] % 100 == np.arange(5), np.nan, X)
    known = HistGradientBoostingClassifier(max_iter=5).fit(X, y)
    given = attack(gappy, y, known, 2, means=X.mean(axis=0))
    np.testing.assert_array_equal(np.isnan(QueryCorrupt(beam=1).corrupt(given).X) & ~np.isnan(gappy), False)
