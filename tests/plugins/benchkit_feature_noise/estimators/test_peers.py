"""The modern peers against direct minimisation, simulation and special cases; one against the rest."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from benchkit import NotApplicableError
from benchkit_deletion.adversaries.linear import GreedyDelete
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.one_versus_rest import BASES, OneVersusRest
from benchkit_feature_noise.estimators.random_deletion import DropoutSVM, MarginalizedCorruptedFeatures
from benchkit_feature_noise.estimators.tgrs import SecureSVM
from tests.attacks import attack


def problem(seed=0, m=40, n=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=m) > 0.2, 1, -1)


# sec-svm


def test_a_wide_box_is_the_support_vector_machine():
    X, y = problem()
    svm = SVC(kernel="linear", tol=1e-8).fit(X, y)
    found = SecureSVM(box=100.0, tol=1e-7, max_iter=100_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(found.coef_, svm.coef_, atol=2e-3)
    np.testing.assert_allclose(found.intercept_, svm.intercept_, atol=5e-3)


@pytest.mark.parametrize("box", [0.1, 0.5])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_box_holds_and_is_optimal(box, fit_intercept):
    X, y = problem()

    def objective(p):
        bias = p[4] if fit_intercept else 0.0
        return 0.5 * p[:4] @ p[:4] + np.maximum(0, 1 - y * (X @ p[:4] + bias)).sum()

    found = SecureSVM(box=box, tol=1e-5, max_iter=50_000, fit_intercept=fit_intercept, random_state=0).fit(X, y)
    assert np.abs(found.coef_).max() <= box
    point = np.append(found.coef_[0], found.intercept_[0])
    assert found.objective_ == pytest.approx(objective(point))
    reach = [(-box, box)] * 4 + [(None, None)]
    for seed in range(3):
        start = point + 0.1 * np.random.default_rng(seed).normal(size=5)
        start[:4] = np.clip(start[:4], -box, box)
        other = minimize(objective, start, method="Nelder-Mead", bounds=reach, options={"xatol": 1e-9, "fatol": 1e-9})
        assert other.fun >= found.objective_ * (1 - 2e-5)


# mcf


def test_closed_form_is_the_limit_of_many_corrupted_copies():
    X, y = problem()
    q, ridge, copies = 0.4, 2.0, 4000
    rng = np.random.default_rng(0)
    stack = np.tile(X, (copies, 1)) * (rng.random((copies * len(X), 4)) > q) / (1 - q)
    design = np.column_stack([stack, np.ones(len(stack))])
    penalty = copies * ridge * np.diag([1.0, 1, 1, 1, 0])
    expected = np.linalg.solve(design.T @ design + penalty, design.T @ np.tile(y, copies))
    for data in (X, csr_matrix(X)):
        found = MarginalizedCorruptedFeatures(deletion_rate=q, ridge=ridge).fit(data, y)
        np.testing.assert_allclose(np.append(found.coef_, found.intercept_), expected, atol=5e-3)


# dropout-svm


def test_deleting_nothing_is_the_svm_and_copies_are_averaged():
    X, y = problem()
    svm = SVC(kernel="linear", C=0.3).fit(X, y)
    np.testing.assert_allclose(DropoutSVM(C=0.3).fit(X, y).coef_, svm.coef_, atol=1e-6)
    everything = DropoutSVM(n_deleted=4, random_state=0).fit(X, y)
    np.testing.assert_allclose(everything.coef_, 0, atol=1e-12)


def test_deletion_in_training_spreads_weight():
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], 300)
    X = y[:, None] * np.array([2.0, 1.0, 1.0, 1.0]) + rng.normal(size=(300, 4))
    plain, dropped = (DropoutSVM(C=1.0, n_deleted=K, random_state=0).fit(X, y).coef_[0] for K in (0, 2))
    assert np.abs(dropped).max() / np.abs(dropped).sum() < np.abs(plain).max() / np.abs(plain).sum()
    sparse = DropoutSVM(C=1.0, n_deleted=2, random_state=0).fit(csr_matrix(X), y)
    np.testing.assert_allclose(sparse.coef_[0], dropped, atol=1e-2)


def test_dropout_svm_ends_on_columns_of_any_scale():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning):
        DropoutSVM(n_deleted=2, max_iter=2000).fit(X, y)


X, Y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("name", BASES)
def test_every_base_fits_three_classes(name):
    model = OneVersusRest(name, C=0.5, budget=1, feature_values=[1, 1, 2, 2], random_state=0).fit(X, Y)
    assert model.coef_.shape == (3, 4)
    assert model.score(X, Y) > 0.6  # the middle class is not linearly separable from the rest
    np.testing.assert_array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_bases_get_their_parameters():
    model = OneVersusRest("fdrop-v", C=0.5, budget=1.5, feature_values=[1, 1, 2, 2]).fit(X, Y)
    first = model.estimators_[0]
    assert (first.C, first.n_deleted, first.feature_values) == (0.5, 1.5, [1, 1, 2, 2])


def test_two_classes_are_the_base_itself():
    rows = Y < 2
    model = OneVersusRest("lp", C=0.3, budget=1).fit(X[rows], Y[rows])
    base = RobustLinearProgram(C=0.3, noise_budget=1).fit(X[rows], Y[rows])
    np.testing.assert_allclose(model.coef_, base.coef_)
    np.testing.assert_array_equal(model.predict(X[rows]), base.predict(X[rows]))


def test_scores_that_are_not_one_form_per_class_are_refused():
    with pytest.raises(NotApplicableError, match="the scores of SVC are not one linear form per class"):
        GreedyDelete().corrupt(attack(X, Y, SVC(kernel="linear").fit(X, Y), 1.0))
