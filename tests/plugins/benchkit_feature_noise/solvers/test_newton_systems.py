"""Kernels against enumeration and numpy; systems kept as rows and multiplied out are one; the memory that is needed."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csr_matrix

from benchkit import memory_limit
from benchkit_feature_noise.bounds import remaining_value
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.solvers import interior_point, newton_systems, optimality, perceptron_kernel, structured
from benchkit_feature_noise.solvers.programs import lp_program, reduce
from benchkit_feature_noise.solvers.structured import needed_megabytes
from benchkit_feature_noise.solvers.symmetric_products import BLOCK, LANES, add_products, assemble, tile_masks


def thin_rows(m=150, n=60, each=8):
    """Rows with few entries, and labels that follow most of them."""
    rng = np.random.default_rng(0)
    columns = np.concatenate([rng.choice(n, each, replace=False) for _ in range(m)])
    X = csr_matrix((rng.random(m * each) + 0.1, columns, np.arange(0, m * each + 1, each)), (m, n))
    return X, np.where(X @ rng.normal(size=n) + 0.3 * rng.normal(size=m) > 0, 1, -1)


@pytest.fixture
def keep_rows(monkeypatch):
    """Call it, and systems are kept as rows, or multiplied out."""

    def keep(rows=True):
        monkeypatch.setattr(newton_systems, "_WIDE", 1 if rows else 10**9)
        monkeypatch.setattr(newton_systems, "_FILLED", np.inf)

    return keep


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    "model",
    [
        RobustLinearProgram(C=0.5, noise_budget=2.0),
        RobustLinearProgram(C=0.5, noise_budget=0.0),
        RobustLinearProgram(C=0.5, noise_budget=2.0, n_threads=2, tol=1e-4),
        FeatureDroppingSVM(C=1.0, n_deleted=2.0),
        FeatureDroppingSVM(C=1.0, n_deleted=0.0),
        FeatureDroppingSVM(C=1.0, n_deleted=2.0, tol=1e-9),
    ],
    ids=["lp", "lp-plain", "lp-threads", "fdrop", "fdrop-plain", "fdrop-to-1e-9"],
)
def test_by_rows_reaches_the_same_optimum(keep_rows, model, fit_intercept):
    X, y = thin_rows()
    model.set_params(fit_intercept=fit_intercept)
    multiplied = model.fit(X, y)
    reached, coef, iterations = multiplied.objective_, multiplied.coef_.copy(), multiplied.n_iter_
    assert multiplied.converged_
    keep_rows()
    by_rows = model.fit(X, y)
    assert by_rows.converged_
    assert by_rows.objective_ == pytest.approx(reached, abs=model.tol * max(abs(reached), 1.0 - abs(y.mean())))
    assert by_rows.dual_objective_ <= reached + 1e-12
    np.testing.assert_allclose(by_rows.coef_, coef, atol=5e-3)
    assert by_rows.n_iter_ <= iterations + 2


def test_columns_of_very_different_scales_reach_their_gap(keep_rows):
    X, y = thin_rows(60, 150)
    X = csr_matrix(X.multiply(10.0 ** np.random.default_rng(1000).uniform(-4, 4, 150)))
    model = RobustLinearProgram(C=200.0, noise_budget=2.0, tol=1e-4, max_iter=80)
    reached, iterations = model.fit(X, y).objective_, model.n_iter_
    keep_rows()
    by_rows = model.fit(X, y)
    assert by_rows.converged_
    assert by_rows.n_iter_ <= 1.6 * iterations
    assert by_rows.objective_ == pytest.approx(reached, abs=2e-4)


def test_a_large_box_on_thin_rows_starts_where_steps_are_long():
    X, y = thin_rows(800, 2100, 20)
    assert RobustLinearProgram(C=1.0, noise_budget=3.0, tol=1e-3, max_iter=25).fit(X, y).converged_


def test_multipliers_of_many_columns_are_corrected_too(monkeypatch):
    X, y = thin_rows(150, 60)
    program = lp_program(reduce(X, np.ones(60)), y.astype(float), 0.5, 2.0, 1.0, True)
    solution = structured.solve(program, 2.0, 1e-7)
    t, r = solution.multipliers
    rough = t, r * (1 + 1e-4 * np.random.default_rng(0).random(len(r)))
    multiplied = optimality.lower_bound(program, optimality.balanced(program, solution.coef, rough))
    monkeypatch.setattr(optimality, "WIDEST", 1)
    by_rows = optimality.lower_bound(program, optimality.balanced(program, solution.coef, rough))
    assert by_rows > optimality.lower_bound(program, rough)
    assert by_rows == pytest.approx(multiplied, abs=1e-7)


def test_a_wide_program_takes_no_square_of_its_columns():
    X, y = thin_rows(1500, 2500, 5)
    model = RobustLinearProgram(C=0.01, noise_budget=1.0, tol=1e-3)
    model.fit(X, y)  # compiles
    tracemalloc.start()
    model.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.converged_
    assert len(np.unique(X.indices)) > 2000
    assert peak < 8 * 2000**2 / 4


@pytest.mark.parametrize(
    ("m", "n", "each", "threads", "budget", "by_rows"),
    [
        (3000, 80, 80, 1, 5.0, False),
        (3000, 80, 80, 1, 5.0, True),
        (3000, 80, 10, 1, 2.0, True),
        (120, 900, 10, 1, 2.0, False),
        (120, 900, 10, 1, 0.0, False),
    ],
)
def test_it_needs_no_more_than_it_says(keep_rows, m, n, each, threads, budget, by_rows):
    keep_rows(by_rows)
    X, y = thin_rows(m, n, each)
    program = lp_program(reduce(X, np.ones(n)), y.astype(float), 0.5, budget, 1.0, True)
    structured.solve(program, budget, 1e-2, 3, threads)  # compiles
    tracemalloc.start()
    structured.solve(program, budget, 1e-2, 3, threads)
    taken = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    needed = needed_megabytes(program, threads)
    assert taken <= 1.02 * needed
    if budget:
        assert needed <= 1.6 * taken


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            RobustLinearProgram(noise_budget=1.0),
            r"lp on 60 rows and 5 columns \(300 entries that are not zero\) needs about 0 MB of memory, 0 MB are free: "
            r"take fewer rows, or o2b, which needs no more than its data; or chunks=10, which divides the rows",
        ),
        (FeatureDroppingSVM(n_deleted=1.0), "fdrop on 60 rows .* take fewer rows, or tgrs, which needs no more"),
    ],
)
def test_what_there_is_no_room_for_is_refused_at_once(monkeypatch, model, said):
    monkeypatch.setattr(memory_limit, "_room", lambda: 0.01)
    rng = np.random.default_rng(0)
    with pytest.raises(MemoryError, match=said):
        model.fit(rng.normal(size=(60, 5)), rng.choice([-1, 1], 60))


@pytest.mark.parametrize(("beside", "lifted"), [(0.5, True), (1.0005, True), (1.05, False)])
def test_a_system_that_is_not_definite_is_lifted_by_a_hundredth_at_most(beside, lifted):
    system = np.array([[1.0, beside], [beside, 1.0]])
    if not lifted:
        with pytest.raises(np.linalg.LinAlgError):
            newton_systems.shifted_cholesky(system, np.ones(2))
        return
    factor = np.tril(newton_systems.shifted_cholesky(system.copy(), np.ones(2)))
    np.testing.assert_allclose(factor @ factor.T, system, atol=1e-2)


def test_a_fit_that_may_take_hours_says_so_at_once_and_goes_on_talking(keep_rows, monkeypatch, caplog):
    rng = np.random.default_rng(0)
    X, y = csr_matrix(rng.random((80, 30)) * (rng.random((80, 30)) < 0.2)), rng.choice([-1, 1], 80)
    keep_rows()
    monkeypatch.setattr(structured, "_MANY", 100)
    monkeypatch.setattr(interior_point, "_SILENT", 0.0)
    with pytest.warns(RuntimeWarning, match=r"tol=1e-06 on 80 rows and 30 sparse columns .* tol=1e-2 .* o2b") as warned:
        RobustLinearProgram(noise_budget=1.0).fit(X, y)
    assert [warning.filename for warning in warned] == [__file__]
    assert "80 rows and 30 columns: iteration" in caplog.text
    RobustLinearProgram(noise_budget=1.0, tol=1e-3).fit(X, y)


def vertices(values, budget):
    """All deletions with at most one feature in part: the vertices of {0 <= delta <= 1, v.delta <= budget}."""
    for whole in product((0.0, 1.0), repeat=len(values)):
        deleted = np.array(whole)
        left = budget - deleted @ values
        if left < -1e-12:
            continue
        yield deleted
        for j in np.flatnonzero((deleted == 0) & (values > max(left, 0.0))):
            partly = deleted.copy()
            partly[j] = max(left, 0.0) / values[j]
            yield partly


@st.composite
def rows(draw):
    n = draw(st.integers(1, 6))
    numbers = st.sampled_from([-2.0, -1.0, -0.3, 0.0, 0.1, 1.0, 1.7])
    values = np.array(draw(st.lists(st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n)))
    if values.sum() == 0:
        values[0] = 1.0
    budget = draw(st.sampled_from([0.0, 0.0, 0.25, 0.5, 0.9])) * values.sum()
    x, w = (np.array(draw(st.lists(numbers, min_size=n, max_size=n))) for _ in range(2))
    return x, draw(st.sampled_from([-1.0, 1.0])), w, draw(numbers), values, budget


# Without a budget every feature of value 0 goes, not the first alone.
@example((np.array([1.0, 1.0, 0.1]), 1.0, np.ones(3), 0.0, np.array([0.0, 0.0, 1.0]), 0.0))
@settings(max_examples=300)
@given(rows())
def test_loss_and_step_are_those_of_the_worst_deletion(row):
    x, sign, w, bias, values, budget = row
    required = 1.0 / remaining_value(values, budget)
    gains = sign * w * x - required * values
    worst = max(float(deleted @ gains) for deleted in vertices(values, budget))
    expected = max(0.0, required * values.sum() - sign * (bias + w @ x) + worst)
    column, moved, state = np.flatnonzero(x).astype(np.int32), w.copy(), np.array([bias, 0.0, 0.0])
    seen = np.array([0, len(column)], dtype=np.int32), column, x[column], np.array([sign]), np.array([0])
    threat = values, np.arange(len(values)), required, budget, 10.0
    perceptron_kernel.run(*seen, *threat, np.array([0.1]), True, moved, np.zeros(len(w)), state)
    moved_bias, _, loss = state
    assert loss == pytest.approx(expected, abs=1e-12)
    if expected < 1e-12:
        return
    assert moved_bias == pytest.approx(bias + 0.1 * sign)
    # Of several worst deletions any may be taken, or a mean of them; what is not deleted moves.
    deleted = np.where(x != 0, 1.0 - (moved - w) / np.where(x != 0, 0.1 * sign * x, 1.0), 0.0)
    assert (deleted > -1e-9).all()
    assert (deleted < 1 + 1e-9).all()
    assert deleted @ values <= budget + 1e-9
    assert deleted @ gains == pytest.approx(worst, abs=1e-9)


@settings(max_examples=30)
@given(
    st.integers(1, 2 * BLOCK + 3),
    st.integers(1, 5 * LANES + 2),
    st.floats(0, 1),
    st.integers(0, 2**31),
    st.sampled_from([np.float32, np.float64]),
)
def test_they_equal_dense_products(m, n, density, seed, kind):
    rng = np.random.default_rng(seed)
    present = rng.random((m, n)) < density
    rows = sparse.csr_matrix(present)
    # The last column, the bias's, is in every row.
    p, q = (np.column_stack([rng.normal(size=(m, n)) * present, rng.normal(size=m)]) for _ in range(2))
    masks = tile_masks(rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), n)
    n_tiles = masks.shape[1]
    assert masks.shape == (-(-m // BLOCK), n // LANES + 1)
    tiles = np.zeros((n_tiles * (n_tiles + 1) // 2, LANES, LANES), dtype=kind)
    for block in range(len(masks)):
        part = slice(block * BLOCK, (block + 1) * BLOCK)
        wide = np.zeros((2, BLOCK, n_tiles * LANES), dtype=kind)
        wide[0, : len(p[part]), : n + 1], wide[1, : len(q[part]), : n + 1] = p[part], q[part]
        panels = np.ascontiguousarray(wide.reshape(2, BLOCK, n_tiles, LANES).transpose(2, 1, 0, 3))
        add_products(panels, masks[block], tiles)
    system = np.zeros((n + 1, n + 1))
    assemble(tiles, system)
    accuracy = 1e-12 if kind is np.float64 else 1e-4
    np.testing.assert_allclose(np.tril(system), np.tril(p.T @ p - q.T @ q), rtol=0, atol=accuracy * m)
