"""The structured interior-point method against HiGHS, OSQP, Clarabel and its own bounds."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg.lapack import dpotrf
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.solvers import interior_point


def breast():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X[:200, :10])
    return np.clip(X, -5, 5), np.where(y[:200] == 0, 1, -1)


@pytest.mark.parametrize("unit", [1e-50, 1e20])
def test_values_and_budget_have_no_unit(unit):
    X, y = breast()
    values = np.linspace(0.5, 2.0, 10)
    for model, budget in ((RobustLinearProgram, "noise_budget"), (FeatureDroppingSVM, "n_deleted")):
        plain, other = (model(feature_values=values * u, **{budget: 2.0 * u}).fit(X, y) for u in (1.0, unit))
        assert other.objective_ == pytest.approx(plain.objective_, rel=1e-6)


@pytest.mark.parametrize("n_deleted", [0.0, 2.0])
def test_margin_and_box_have_no_unit(n_deleted):
    X, y = breast()
    models = (RobustLinearProgram(C=2.0 * unit, noise_budget=n_deleted, margin=unit) for unit in (1.0, 1e-8))
    plain, tiny = (model.fit(X, y) for model in models)
    assert tiny.objective_ * 1e8 == pytest.approx(plain.objective_, rel=1e-6)
    assert tiny.duality_gap_ <= 1e-6 * 1e-8
    np.testing.assert_array_equal(tiny.predict(X), plain.predict(X))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of the general solvers, at 1e-9
@pytest.mark.parametrize("solvers", [("highs", "osqp"), ("piqp", "piqp"), ("clarabel", "clarabel")], ids=lambda s: s[0])
def test_general_solvers_reach_the_same_objectives_and_print_nothing(solvers, capfd):
    if solvers[0] != "highs":
        pytest.importorskip(solvers[0])
    X, y = (part[:60] for part in breast())  # OSQP takes half a minute for 100
    X = np.column_stack([X, np.ones(60), np.zeros(60)])
    values = np.random.default_rng(0).uniform(0.2, 3.0, X.shape[1])
    values[::5] = 0.0
    common = {"C": 1.0, "noise_budget": 2.0, "feature_values": values}
    other = RobustLinearProgram(**common, solver=solvers[0], tol=1e-9).fit(X, y)
    assert RobustLinearProgram(**common, tol=1e-8).fit(X, y).objective_ == pytest.approx(other.objective_, abs=1e-6)
    common = {"C": 0.1, "n_deleted": 2.0, "feature_values": values}
    fdrop = FeatureDroppingSVM(**common, tol=1e-8).fit(X, y)
    other = FeatureDroppingSVM(**common, solver=solvers[1], tol=1e-8).fit(X, y)
    assert fdrop.objective_ == pytest.approx(other.objective_, rel=1e-5)
    assert fdrop.objective_ <= other.objective_ * (1 + 1e-7)
    assert capfd.readouterr() == ("", "")


def test_the_blas_has_one_thread_while_it_solves(monkeypatch):
    X, y = breast()
    seen = []

    def spy(*args, **kwargs):
        seen.extend(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")
        return dpotrf(*args, **kwargs)

    monkeypatch.setattr(interior_point.linalg.lapack, "dpotrf", spy)
    with threadpool_limits(2, user_api="blas"):
        before = threadpool_info()
        RobustLinearProgram(C=1.0, noise_budget=2.0, n_threads=2, tol=1e-2).fit(X, y)
        assert threadpool_info() == before
    assert set(seen) == {1}


@pytest.mark.parametrize(
    ("model", "solver"),
    [(RobustLinearProgram(noise_budget=2.0), "highs"), (FeatureDroppingSVM(n_deleted=2.0), "structured")],
)
def test_stopping_early_is_reported_where_it_was_called_with_a_valid_bracket(model, solver):
    X, y = breast()
    reference = clone(model).set_params(solver=solver).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="the gap is") as warned:
        model.set_params(max_iter=5).fit(X, y)
    assert [each.filename for each in warned] == [__file__]
    assert reference.converged_
    assert not model.converged_
    assert model.dual_objective_ <= reference.objective_ <= model.objective_


def overlapping(seed, n_columns=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, n_columns))
    return X, np.where(X @ rng.normal(size=n_columns) + rng.normal(size=60) > 0, 1, -1), rng


def offset_problem(seed, largest=8):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(20, 150)), int(rng.integers(3, 20))
    X = rng.normal(size=(m, n))
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    offsets = np.where(rng.random(n) < 0.4, 10.0 ** rng.uniform(3, largest, n) * rng.choice([-1, 1], n), 0.0)
    return X + offsets, y, 10.0 ** rng.uniform(-2, 2), int(rng.integers(1, max(2, n // 2)))


@pytest.mark.filterwarnings("ignore:.*the gap is")  # of HiGHS
@pytest.mark.parametrize("seed", [1, 31, 58])
def test_columns_with_offsets_have_their_bound_where_something_is_deleted_too(seed):
    X, y, C, budget = offset_problem(seed)
    for model in (RobustLinearProgram(C=C, noise_budget=budget), FeatureDroppingSVM(C=C, n_deleted=budget)):
        assert model.fit(X, y).converged_
    lp = RobustLinearProgram(C=C, noise_budget=budget).fit(X, y)
    assert lp.objective_ == pytest.approx(lp.set_params(solver="highs", tol=1e-9).fit(X, y).objective_, rel=2e-6)


def test_a_warning_says_that_only_the_bound_failed():
    X, y, _, budget = offset_problem(5)
    with pytest.warns(ConvergenceWarning, match=r"the weights are right to .* only the bound for C is not proved"):
        RobustLinearProgram(C=1e8, noise_budget=budget).fit(X, y)
    with pytest.warns(ConvergenceWarning) as record:
        RobustLinearProgram(C=1.0, noise_budget=budget, max_iter=3).fit(X, y)
    assert "weights are right" not in str(record[0].message)


@pytest.mark.parametrize("left", [0.1, 0.001, 1e-6])
@pytest.mark.parametrize("seed", range(3))
def test_fdrop_converges_where_nearly_everything_is_deleted(left, seed):
    X, y, rng = overlapping(seed, 12)
    values, C = rng.uniform(0.2, 3.0, 12), 10.0 ** rng.uniform(-3, 3)
    model = FeatureDroppingSVM(C=C, n_deleted=(1 - left) * values.sum(), feature_values=values).fit(X, y)
    assert model.converged_
    assert model.n_iter_ <= 30
    assert model.objective_ <= C * 2 * min((y > 0).sum(), (y < 0).sum()) * (1 + model.tol)


@pytest.mark.parametrize("solver", [RobustLinearProgram(noise_budget=3.0), RobustLinearProgram(), FeatureDroppingSVM()])
def test_what_was_stopped_is_no_worse_than_the_best_constant(solver):
    X, y, _ = overlapping(0)
    y[:40] = 1
    with pytest.warns(ConvergenceWarning):
        model = solver.set_params(max_iter=1, tol=1e-12).fit(X, y)
    price = 1 / len(y) if isinstance(solver, RobustLinearProgram) else 1.0
    lost = 2.0 if isinstance(solver, FeatureDroppingSVM) else 2.0 * 6 / (6 - solver.noise_budget)
    assert model.objective_ <= lost * price * (y < 0).sum() + 1e-12


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["highs", "osqp", "piqp", "clarabel"])
def test_no_solver_converges_but_by_its_gap(solver):
    if solver in ("piqp", "clarabel"):
        pytest.importorskip(solver)
    stopped = []
    for seed in (0, 15, 37, 46):
        X, y, rng = overlapping(seed)
        X = X * 10.0 ** rng.uniform(-2, 2) + (1e8 if seed == 46 else 0.0)
        C = 10.0 ** rng.uniform(-2, 3)
        if solver == "highs":
            model = RobustLinearProgram(C=C, noise_budget=float(seed == 0), solver="highs").fit(X, y)
            unit = max(model.objective_, 1 - abs(y.mean()))
        else:
            model = FeatureDroppingSVM(C=C, n_deleted=1, solver=solver, max_iter=500).fit(X, y)
            unit = model.objective_
        assert model.converged_ == (model.duality_gap_ <= 1e-6 * unit)
        stopped.append(not model.converged_)
    assert any(stopped) or solver in ("piqp", "clarabel")


def random_problem(seed):
    """Rows with all that columns may be: offsets to 1e8, other scales, zeros, constants, repeated ones; 1 at least."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(2, 60)), int(rng.choice([1, 2, 3, 5, 9, 14]))
    X = rng.normal(size=(m, n))
    y = np.where(X @ rng.normal(size=n) + rng.normal(size=m) > 0, 1, -1)
    y[0], y[1] = 1, -1
    kinds = rng.choice("plain offset scaled thin constant repeated".split(), n, p=[0.4, 0.2, 0.1, 0.1, 0.1, 0.1])
    for j, kind in enumerate(kinds):
        if kind == "offset":
            X[:, j] += rng.choice([-1, 1]) * 10.0 ** rng.uniform(3, 8)
        elif kind == "scaled":
            X[:, j] *= 10.0 ** rng.uniform(-3, 3)
        elif kind == "thin":
            X[:, j] *= rng.random(m) < 0.3
        elif kind == "constant":
            X[:, j] = 10.0 ** rng.uniform(-2, 6)
        elif kind == "repeated":
            X[:, j] = X[:, 0]
    values = np.ones(n) if rng.random() < 0.5 else rng.uniform(0.2, 3.0, n)
    budget = float(rng.choice([0.0, rng.uniform(0, 0.5), rng.uniform(0.5, 1.0), 0.999])) * values.sum()
    weights = rng.choice([0.5, 1.0, 4.0], m) if rng.random() < 0.3 else None
    common = {"C": 10.0 ** rng.uniform(-4, 4), "feature_values": values, "fit_intercept": bool(rng.random() < 0.8)}
    X = csr_matrix(X) if rng.random() < 0.2 else X
    return X, y, weights, common, budget


def fit_quietly(model, X, y, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, weights)


def check(model, other, X, y, weights, unit, constant):
    """Both brackets hold the optimum, ours is told as it is, and no answer is worse than the best constant."""
    ours, reference = fit_quietly(model, X, y, weights), fit_quietly(other, X, y, weights)
    # What sums of terms w_j x_ij lose by rounding, in either.
    sizes = np.abs(X).max(axis=0).toarray().ravel() if hasattr(X, "toarray") else np.abs(X).max(axis=0)
    terms = max(1.0, float((np.abs(ours.coef_[0]) * sizes).sum()), float((np.abs(reference.coef_[0]) * sizes).sum()))
    rounding = 1e-9 * unit(ours.objective_) + 1e-13 * terms * unit(0.0)
    assert ours.dual_objective_ <= reference.objective_ + rounding
    assert reference.dual_objective_ <= ours.objective_ + rounding
    assert ours.converged_ == (ours.duality_gap_ <= 1e-6 * unit(ours.objective_))
    if ours.converged_:
        assert ours.objective_ <= reference.objective_ + 1e-6 * unit(ours.objective_) + rounding
    assert ours.objective_ <= constant * (1 + 1e-6)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_lp_over_its_whole_range(seed):
    X, y, weights, common, budget = random_problem(seed)
    prices = (np.ones(len(y)) if weights is None else weights) / (len(y) if weights is None else weights.sum())
    least = 2 * min(prices[y > 0].sum(), prices[y < 0].sum()) if common["fit_intercept"] else 1.0
    values = common["feature_values"]
    model = RobustLinearProgram(**common, noise_budget=budget)
    check(model, RobustLinearProgram(**common, noise_budget=budget, solver="highs", tol=1e-8), X, y, weights,
          lambda objective: max(abs(objective), least), least * values.sum() / (values.sum() - budget))  # fmt: skip


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_fdrop_over_its_whole_range(seed):
    pytest.importorskip("clarabel")
    X, y, weights, common, budget = random_problem(seed)
    losses = common["C"] * (np.ones(len(y)) if weights is None else weights)
    least = 2 * min(losses[y > 0].sum(), losses[y < 0].sum()) if common["fit_intercept"] else losses.sum()
    model = FeatureDroppingSVM(**common, n_deleted=budget)
    check(model, FeatureDroppingSVM(**common, n_deleted=budget, solver="clarabel", tol=1e-8), X, y, weights,
          lambda objective: abs(objective) or least, least)  # fmt: skip
