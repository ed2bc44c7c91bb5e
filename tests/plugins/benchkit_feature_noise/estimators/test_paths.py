"""Candidates fitted together against one by one; certificates of fits, checked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.paths import SELECTION_TOL, fit_path
from benchkit_feature_noise.estimators.verification import verify
from benchkit_feature_noise.solvers import structured
from benchkit_feature_noise.solvers.optimality import balanced, feasible, lower_bound

VALUES, GROUPS = np.random.default_rng(0).uniform(0.2, 3.0, 10), [[1, 2, 3], [4, 5]]


def breast():
    X, y = load_breast_cancer(return_X_y=True)
    return np.clip(StandardScaler().fit_transform(X[:, :10]), -5, 5), y


def lp_candidates(**common):
    return [RobustLinearProgram(C=C, noise_budget=N, **common) for N in (0.0, 1.0, 4.0) for C in (0.05, 0.3, 2.0)]


def fdrop_candidates(**common):
    return [FeatureDroppingSVM(C=C, n_deleted=K, **common) for K in (0, 2, 10) for C in (0.01, 0.1, 1.0)]


@pytest.mark.parametrize("make", [lp_candidates, fdrop_candidates])
@pytest.mark.parametrize("common", [{"feature_values": VALUES, "groups": GROUPS}, {"fit_intercept": False}])
@pytest.mark.parametrize("tol", [SELECTION_TOL, 0.0])
def test_each_is_as_good_as_fitted_alone(make, common, tol):
    X, y = breast()
    for group in GROUPS:  # the largest entry alone: what is no one-hot block is fitted one by one
        X[:, group] *= np.abs(X[:, group]) == np.abs(X[:, group]).max(axis=1, keepdims=True)
    candidates = make(**common)
    for path, alone in zip(fit_path([clone(each) for each in candidates], X, y, tol), candidates, strict=True):
        alone.fit(X, y)
        assert (path.C, path.tol) == (alone.C, alone.tol)
        reached = max(tol, alone.tol) * max(1.0, alone.objective_)
        assert path.duality_gap_ >= -1e-9
        # No bound is waited for where candidates are only compared.
        assert tol > 0 or path.duality_gap_ <= reached
        assert path.dual_objective_ <= alone.objective_ + 1e-9
        assert path.objective_ == pytest.approx(alone.objective_, abs=reached)
        assert path.n_iter_ <= alone.n_iter_
        np.testing.assert_array_equal(path.classes_, alone.classes_)


def test_candidates_wait_for_no_bound():
    X, y = breast()
    X, y = X[:100], np.where(y[:100] == 1, 1.0, -1.0)
    model = RobustLinearProgram(C=200.0, noise_budget=2.0)
    program = model.program(model.reduced(X), y)
    optimum, certified, compared = (
        structured.solve_together([program], [2.0], [tol], certify=certify)[0]
        for tol, certify in ((1e-9, True), (1e-2, True), (1e-2, False))
    )
    assert compared.n_iter < certified.n_iter
    assert compared.problem == ""
    assert compared.dual_objective <= optimum.objective <= compared.objective
    assert compared.objective == pytest.approx(optimum.objective, abs=1e-2 * program.gap_unit(optimum.objective))


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
def test_a_solution_that_fits_a_smaller_box_is_taken_there():
    budget = 2.0
    X, y = (part[:250] for part in breast())
    widest = RobustLinearProgram(C=50.0, noise_budget=budget).fit(X, y)
    radii = [float(np.abs(widest.coef_).max()) * factor for factor in (0.9, 1.1, 2.0)] + [50.0]
    boxes = [RobustLinearProgram(C=C, noise_budget=budget, keep_multipliers=True) for C in radii]
    fit_path(boxes, X, y, tol=0.0)
    assert [model.n_iter_ == 0 for model in boxes] == [False, True, True, False]
    for model, C in zip(boxes, radii, strict=True):
        alone = RobustLinearProgram(C=C, noise_budget=budget, solver="highs", tol=1e-9).fit(X, y)
        assert model.objective_ == pytest.approx(alone.objective_, abs=2e-6)
        assert model.dual_objective_ <= alone.objective_ + 1e-9
        assert all(check.holds for check in verify(model, X, y))


@pytest.mark.filterwarnings("ignore:the gap is")  # of the general solver
def test_candidates_that_differ_otherwise_are_fitted_all_the_same():
    X, y = (part[:120] for part in breast())
    candidates = [
        RobustLinearProgram(C=0.3, noise_budget=1.0),
        RobustLinearProgram(C=0.3, noise_budget=1.0, margin=2.0),
        RobustLinearProgram(C=0.3, noise_budget=1.0, feature_values=VALUES),
        RobustLinearProgram(C=0.3, noise_budget=1.0, solver="highs"),
        RobustLinearProgram(C=0.3, noise_budget=1.0, fit_intercept=False),
        RobustLinearProgram(C=0.3, noise_budget=1.0, chunks=3, random_state=0),
        *(RobustLinearProgram(C=C, noise_budget=1.0, groups=GROUPS) for C in (0.3, 0.4)),
        FeatureDroppingSVM(C=0.3, n_deleted=1, solver="osqp"),
    ]
    for path, alone in zip(fit_path([clone(each) for each in candidates], X, y, tol=0.0), candidates, strict=True):
        assert path.objective_ == pytest.approx(alone.fit(X, y).objective_, abs=2e-6)


def problem(seed=0, m=40, n=6, values=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.7)
    y = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=m) > 0, 1, -1)
    return X, y, rng.gamma(2.0, size=n) if values else None


MODELS = [
    RobustLinearProgram(C=0.5, noise_budget=1.5),
    RobustLinearProgram(C=0.5, noise_budget=1.5, fit_intercept=False),
    RobustLinearProgram(C=0.5),
    RobustLinearProgram(C=0.5, noise_budget=2, solver="highs", tol=1e-8),
    FeatureDroppingSVM(C=0.3, n_deleted=2),
    FeatureDroppingSVM(C=0.3),
    FeatureDroppingSVM(C=0.3, n_deleted=2, solver="osqp", formulation="dual", tol=1e-7),
    FeatureDroppingSVM(C=0.3, n_deleted=2, solver="osqp", exactly=True, tol=1e-7),
    FeatureDroppingSVM(C=0.3, n_deleted=6),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("values", [False, True])
def test_what_a_model_states_is_confirmed_from_weights_and_multipliers(model, values):
    X, y, v = problem(values=values)
    if v is not None and getattr(model, "n_deleted", 0) == 6:
        pytest.skip("6 is not the total value")
    model = type(model)(**{**model.get_params(), "feature_values": v, "keep_multipliers": True}).fit(X, y)
    checks = verify(model, X, y)
    assert {check.what for check in checks} >= {"objective", "lower bound by the multipliers"}
    assert [check for check in checks if not check.holds] == []
    assert checks[-1].recomputed == pytest.approx(model.objective_, abs=2e-4)
    of_sparse, of_dense = ([check.recomputed for check in each] for each in (verify(model, csr_matrix(X), y), checks))
    assert of_sparse == pytest.approx(of_dense)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda model: setattr(model, "coef_", model.coef_ * 1.01), "objective"),
        (lambda model: setattr(model, "objective_", model.objective_ * 0.99), "objective"),
        (lambda model: setattr(model, "coef_", model.coef_ + 1), "largest weight within the box"),
        (lambda model: setattr(model, "dual_objective_", model.objective_), "lower bound by the multipliers"),
        (lambda model: model.multipliers_[0].fill(0.0), "lower bound by the multipliers"),
    ],
)
def test_what_was_tampered_with_is_named(spoil, what):
    X, y, _ = problem()
    model = RobustLinearProgram(C=0.5, noise_budget=1.5, tol=1e-3, keep_multipliers=True).fit(X, y)
    spoil(model)
    assert what in {check.what for check in verify(model, X, y) if not check.holds}


def test_a_small_unit_hides_nothing():
    X, y, _ = problem()
    lp = RobustLinearProgram(C=5e-10, noise_budget=1.5, margin=1e-9, keep_multipliers=True)
    for model in (lp, FeatureDroppingSVM(C=1e-9, n_deleted=2, keep_multipliers=True)):
        assert [check for check in verify(model.fit(X, y), X, y) if not check.holds] == []
        model.objective_ *= 1.01
        model.dual_objective_ *= 0.9
        wrong = [check.what for check in verify(model, X, y) if not check.holds]
        assert wrong == ["objective", "lower bound by the multipliers"]


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), budget=st.sampled_from([0.5, 1.0, 2.5]), fit_intercept=st.booleans())
def test_no_multipliers_prove_more_than_the_optimum(seed, budget, fit_intercept):
    X, y, values = problem(seed % 7, values=True)
    rng = np.random.default_rng(seed)
    for model in (
        RobustLinearProgram(C=0.5, noise_budget=budget, feature_values=values, fit_intercept=fit_intercept),
        FeatureDroppingSVM(C=0.3, n_deleted=budget, feature_values=values, fit_intercept=fit_intercept),
    ):
        program = model.program(model.reduced(X), np.where(y > 0, 1.0, -1.0))
        multipliers = rng.uniform(-1, 2, len(y)) * program.price, rng.uniform(-1, 2, program.X.nnz) / len(y)
        best = model.fit(X, y)
        for proof in (multipliers, balanced(program, best.coef_[0], multipliers)):
            assert lower_bound(program, proof) <= best.objective_ + 1e-9


@pytest.mark.parametrize("exactly", [False, True])
def test_feasible_multipliers_satisfy_every_constraint_and_stay_where_they_are(exactly):
    X, y, values = problem(values=True)
    lp = RobustLinearProgram(C=0.5, noise_budget=1.0, feature_values=values)
    model = FeatureDroppingSVM(n_deleted=3.0, feature_values=values, exactly=True, solver="osqp") if exactly else lp
    signs = np.where(y > 0, 1.0, -1.0)
    program = model.program(model.reduced(X), signs)
    rng = np.random.default_rng(1)
    t, r = feasible(program, (rng.uniform(-1, 2, len(y)), rng.uniform(-1, 2, program.X.nnz)))
    rows = np.repeat(np.arange(len(y)), np.diff(program.X.indptr))
    kept = np.bincount(rows, weights=program.values[program.X.indices] * r, minlength=len(y))
    assert ((t >= 0) & (t <= program.price + 1e-15)).all()
    assert ((r >= 0) & (r <= t[rows] + 1e-15)).all()
    assert (kept >= program.remaining * t - 1e-12).all()
    assert not exactly or (kept <= program.remaining * t + 1e-12).all()
    assert signs @ t == pytest.approx(0, abs=1e-12)
    again = feasible(program, (t, r))
    np.testing.assert_allclose(again[0], t, atol=1e-15)
    np.testing.assert_allclose(again[1], r, atol=1e-15)


def test_multipliers_are_kept_on_demand_only_and_not_with_chunks():
    X, y, _ = problem()
    model = RobustLinearProgram(C=0.5, noise_budget=1, keep_multipliers=True).fit(X, y)
    assert not hasattr(model.set_params(keep_multipliers=False).fit(X, y), "multipliers_")
    with pytest.raises(ValueError, match="keep_multipliers needs chunks=1, got chunks=2"):
        RobustLinearProgram(C=0.5, noise_budget=1, chunks=2, keep_multipliers=True).fit(X, y)


@pytest.mark.parametrize("budget", [0.0, 1.0])
@pytest.mark.parametrize(("kind", "name"), [(RobustLinearProgram, "noise_budget"), (FeatureDroppingSVM, "n_deleted")])
def test_columns_with_offsets_are_verified_too(kind, name, budget):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=60) > 0, 1, -1)
    X = X + np.array([0.0, 0.0, 1e8, -3e6, 2e4])
    model = kind(C=3.0, keep_multipliers=True, **{name: budget}).fit(X, y)
    checks = verify(model, X, y)
    assert model.converged_
    assert all(check.holds for check in checks), checks
