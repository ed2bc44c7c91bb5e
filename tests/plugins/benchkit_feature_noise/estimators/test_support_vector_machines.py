"""FDROP, TGRS, sec-svm, MCF, dropout, one against the rest: by enumeration, dual problems, minimisation, simulation."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from benchkit import NotApplicableError
from benchkit_deletion.adversaries.linear import GreedyDelete
from benchkit_deletion.threat import relaxed_deletion
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM, UniformFeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.estimators.one_versus_rest import BASES, OneVersusRest
from benchkit_feature_noise.estimators.random_deletion import DropoutSVM, MarginalizedCorruptedFeatures
from benchkit_feature_noise.estimators.tgrs import SecureSVM, StochasticFeatureDropping, best_bias
from tests.attacks import attack


def problem(seed=0, m=30, n=4):
    """Columns that say the same, so that what is left of them has weights."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], m)
    return (1.2 * y[:, None] + rng.normal(size=(m, n))) * (rng.random((m, n)) < 0.8), y


def objective(point, X, y, C, counts, uniform=False):
    """1/2 |w|^2 + C sum of worst-case hinge losses, by enumerating sets of so many features to delete."""
    coef, n = point[:-1], X.shape[1]
    sets = [list(deleted) for count in counts for deleted in combinations(range(n), count)]
    gains = y[:, None] * X * coef
    margins = [y * point[-1] + gains.sum(axis=1) - gains[:, deleted].sum(axis=1) for deleted in sets]
    losses = np.maximum(0.0, 1 - np.array(margins))  # by set and row
    return 0.5 * coef @ coef + C * (losses.sum(axis=1).max() if uniform else losses.max(axis=0).sum())


def assert_minimal(model, reached, box=np.inf, gap=1e-6):
    """An objective of weights and bias is what the model states, and none nearby is lower."""
    point, ends = np.append(model.coef_[0], model.intercept_[0]), np.array([box] * 4 + [np.inf])
    assert model.objective_ == pytest.approx(reached(point), rel=1e-9)
    start = np.clip(point + 0.1 * np.random.default_rng(0).normal(size=5), -ends, ends)
    bounds = list(zip(-ends, ends, strict=True))
    other = minimize(reached, start, method="Nelder-Mead", bounds=bounds, options={"xatol": 1e-9, "fatol": 1e-9})
    assert other.fun >= model.objective_ - gap


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
@pytest.mark.parametrize(("solver", "exactly"), [("structured", False), ("osqp", False), ("osqp", True)])
@pytest.mark.parametrize("K", [1, 2])
def test_objective_is_the_minimum_of_the_enumerated_one(K, solver, exactly):
    X, y = problem()
    model = FeatureDroppingSVM(C=0.3, n_deleted=K, exactly=exactly, solver=solver, tol=1e-8).fit(X, y)
    assert_minimal(model, lambda point: objective(point, X, y, 0.3, [K] if exactly else range(K + 1)))


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
@pytest.mark.parametrize("exactly", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("K", [0, 2, 2.5])
def test_the_dual_problem_has_no_gap(K, fit_intercept, exactly):
    X, y = problem()
    common = {"C": 0.3, "n_deleted": K, "exactly": exactly, "fit_intercept": fit_intercept, "tol": 1e-8}
    primal = FeatureDroppingSVM(**common, solver="osqp").fit(X, y)
    dual = FeatureDroppingSVM(**common, solver="osqp", formulation="dual").fit(X, y)
    assert dual.dual_objective_ == pytest.approx(primal.objective_, rel=1e-6)
    assert dual.objective_ == pytest.approx(primal.objective_, rel=1e-6)
    np.testing.assert_allclose(dual.coef_, primal.coef_, atol=1e-4)
    assert dual.n_iter_ != primal.n_iter_  # of another problem


@pytest.mark.parametrize("C", [0.05, 0.5, 100.0])
@pytest.mark.parametrize("K", [0, 1, 2])
def test_deletion_from_all_rows_alike_is_minimised_and_hurts_less_than_row_by_row(K, C):
    X, y = problem(1)
    model = UniformFeatureDroppingSVM(C=C, n_deleted=K, tol=1e-7).fit(X, y)
    assert_minimal(model, lambda point: objective(point, X, y, C, [K], uniform=True))
    assert -1e-12 * model.objective_ <= model.duality_gap_ <= 1e-7 * model.objective_
    assert model.objective_ <= FeatureDroppingSVM(C=C, n_deleted=K).fit(X, y).objective_
    assert len(model.worst_set_) == K


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (FeatureDroppingSVM(n_deleted=1, max_iter=5, solver="osqp"), "OSQP ended"),
        (UniformFeatureDroppingSVM(max_iter=5), "OSQP ended"),
        (StochasticFeatureDropping(C=100.0, max_iter=1, random_state=0), "after 1 passes"),
    ],
)
def test_stopping_early_is_reported(model, words):
    with pytest.warns(ConvergenceWarning, match=words):
        model.fit(*problem())
    assert model.duality_gap_ > model.tol * model.objective_


def test_passes_are_whole():
    with pytest.raises(ValueError, match="max_iter is 7.5, expected a whole number"):
        StochasticFeatureDropping(max_iter=7.5).fit(*problem())


def overlapping(seed, m=60, n=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.8)
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=m) > 0.2, 1, -1)


def stochastic_objective(model, X, y, values, budget):
    gains = y[:, None] * X * model.coef_
    removed = (relaxed_deletion(gains, values, budget) * gains).sum(axis=1)
    losses = np.maximum(0, 1 - y * model.intercept_ - gains.sum(axis=1) + removed)
    return 0.5 * (model.coef_**2).sum() + model.C * losses.sum()


@pytest.mark.parametrize(("seed", "fit_intercept"), [(0, True), (3, True), (1, False)])
@pytest.mark.parametrize(("K", "values"), [(0, None), (2, None), (2.5, [0.5, 1.0, 0.0, 2.0, 1.0, 1.5]), (3, [2.0] * 6)])
def test_reaches_fdrops_objective(seed, fit_intercept, K, values):
    X, y = overlapping(seed)
    given = {"C": [0.01, 0.1, 1.0, 10.0][seed], "n_deleted": K, "feature_values": values}
    exact = FeatureDroppingSVM(**given, fit_intercept=fit_intercept, tol=1e-7).fit(X, y)
    found = StochasticFeatureDropping(**given, fit_intercept=fit_intercept, random_state=0).fit(X, y)
    assert fit_intercept or found.intercept_[0] == 0
    known = stochastic_objective(found, X, y, np.ones(6) if values is None else np.array(values), K)
    assert found.objective_ == pytest.approx(known, rel=1e-9)
    assert found.dual_objective_ <= exact.objective_ * (1 + 1e-6)
    assert exact.objective_ * (1 - 1e-6) <= found.objective_ <= exact.objective_ * 1.01
    assert found.duality_gap_ <= 0.01 * found.objective_


def test_partial_fit_learns_from_a_stream():
    X, y = overlapping(3, m=4000)
    model = StochasticFeatureDropping(C=0.01, n_deleted=1, random_state=0)
    for start in range(0, 4000, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=[-1, 1])
    whole = StochasticFeatureDropping(C=0.01, n_deleted=1, random_state=0).fit(X, y)
    assert stochastic_objective(model, X, y, np.ones(6), 1) < 1.1 * whole.objective_
    assert model.score(X, y) > whole.score(X, y) - 0.03


@pytest.mark.parametrize("make", [StochasticFeatureDropping, OnlineToBatchPerceptron])
def test_a_stream_needs_both_classes_and_no_others(make):
    X, y = overlapping(0)
    with pytest.raises(ValueError, match="expected two"):
        make().partial_fit(X[y == 1], y[y == 1])
    with pytest.raises(ValueError, match="other than"):
        make().partial_fit(X[y == 1], y[y == 1], classes=[-1, 1]).partial_fit(X, y + 5)


def test_best_bias_minimises_the_sum():
    rng = np.random.default_rng(0)
    for _ in range(50):
        needed, y = rng.normal(size=9), rng.choice([-1.0, 1.0], 9)
        y[:2] = -1, 1
        grid = np.concatenate([needed * y, np.linspace(-4, 4, 801)])
        for price in (np.ones(9), rng.random(9) + 0.1):
            losses = np.maximum(needed - np.outer(grid, y), 0) @ price
            assert price @ np.maximum(needed - y * best_bias(needed, y, price), 0) <= losses.min() + 1e-12


@pytest.mark.parametrize("box", [0.1, 0.5, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_box_holds_and_is_optimal(box, fit_intercept):
    X, y = overlapping(4, 40, 4)
    used = [1, 1, 1, 1, fit_intercept]
    found = SecureSVM(box=box, tol=1e-5, max_iter=50_000, fit_intercept=fit_intercept, random_state=0).fit(X, y)
    assert np.abs(found.coef_).max() <= box
    assert_minimal(found, lambda point: objective(point * used, X, y, 1.0, [0]), box, gap=2e-5 * found.objective_)


def test_closed_form_is_the_limit_of_many_corrupted_copies():
    X, y = overlapping(4, 40, 4)
    q, ridge, copies = 0.4, 2.0, 4000
    stack = np.tile(X, (copies, 1)) * (np.random.default_rng(0).random((copies * len(X), 4)) > q) / (1 - q)
    design = np.column_stack([stack, np.ones(len(stack))])
    penalty = copies * ridge * np.diag([1.0, 1, 1, 1, 0])
    expected = np.linalg.solve(design.T @ design + penalty, design.T @ np.tile(y, copies))
    for data in (X, csr_matrix(X)):
        found = MarginalizedCorruptedFeatures(deletion_rate=q, ridge=ridge).fit(data, y)
        np.testing.assert_allclose(np.append(found.coef_, found.intercept_), expected, atol=5e-3)


def test_deleting_nothing_is_the_svm_and_copies_are_averaged():
    X, y = overlapping(4, 40, 4)
    svm = SVC(kernel="linear", C=0.3).fit(X, y)
    np.testing.assert_allclose(DropoutSVM(C=0.3).fit(X, y).coef_, svm.coef_, atol=1e-6)
    np.testing.assert_allclose(DropoutSVM(n_deleted=4, random_state=0).fit(X, y).coef_, 0, atol=1e-12)


IRIS, KINDS = load_iris(return_X_y=True)
IRIS = (IRIS - IRIS.mean(axis=0)) / IRIS.std(axis=0)


@pytest.mark.parametrize("name", BASES)
def test_every_base_fits_three_classes(name):
    model = OneVersusRest(name, C=0.5, budget=1, feature_values=[1, 1, 2, 2], random_state=0).fit(IRIS, KINDS)
    assert model.coef_.shape == (3, 4)
    assert model.score(IRIS, KINDS) > 0.6  # the middle class is not linearly separable from the rest
    np.testing.assert_array_equal(model.predict(IRIS), model.decision_function(IRIS).argmax(axis=1))


def test_bases_get_their_parameters_and_of_two_classes_the_base_is_all():
    model = OneVersusRest("fdrop-v", C=0.5, budget=1.5, feature_values=[1, 1, 2, 2]).fit(IRIS, KINDS)
    first = model.estimators_[0]
    assert (first.C, first.n_deleted, first.feature_values) == (0.5, 1.5, [1, 1, 2, 2])
    rows = KINDS < 2
    model = OneVersusRest("lp", C=0.3, budget=1).fit(IRIS[rows], KINDS[rows])
    base = RobustLinearProgram(C=0.3, noise_budget=1).fit(IRIS[rows], KINDS[rows])
    np.testing.assert_allclose(model.coef_, base.coef_)
    np.testing.assert_array_equal(model.predict(IRIS[rows]), base.predict(IRIS[rows]))


def test_scores_that_are_not_one_form_per_class_are_refused():
    with pytest.raises(NotApplicableError, match="the scores of SVC are not one linear form per class"):
        GreedyDelete().corrupt(attack(IRIS, KINDS, SVC(kernel="linear").fit(IRIS, KINDS), 1.0))
