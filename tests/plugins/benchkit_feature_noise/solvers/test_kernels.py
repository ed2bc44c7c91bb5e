"""The compiled kernels: the Perceptron's step against enumeration, products of sparse rows against numpy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from benchkit_feature_noise.bounds import remaining_value
from benchkit_feature_noise.solvers import perceptron_kernel
from benchkit_feature_noise.solvers.symmetric_products import BLOCK, LANES, add_products, assemble, tile_masks


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


def see_one_row(x, sign, w, bias, values, budget, radius=10.0, step=0.1):
    """Loss, weights and bias after one row."""
    w, state = np.array(w), np.array([bias, 0.0, 0.0])
    column = np.flatnonzero(x).astype(np.int32)
    perceptron_kernel.run(
        np.array([0, len(column)], dtype=np.int32),
        column,
        x[column],
        np.array([sign]),
        np.array([0]),
        values,
        np.arange(len(values)),
        1.0 / remaining_value(values, budget),
        budget,
        radius,
        np.array([step]),
        True,
        w,
        np.zeros(len(w)),
        state,
    )
    return state[2], w, state[0]


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
    candidates = list(vertices(values, budget))
    worst = max(float(deleted @ gains) for deleted in candidates)
    expected = max(0.0, required * values.sum() - sign * (bias + w @ x) + worst)
    loss, moved, moved_bias = see_one_row(x, sign, w, bias, values, budget)
    assert loss == pytest.approx(expected, abs=1e-12)
    if expected < 1e-12:
        return
    assert moved_bias == pytest.approx(bias + 0.1 * sign)
    # Of several worst deletions any may be taken, or a mean of them; what is not deleted moves.
    kept = np.where(x != 0, (moved - w) / np.where(x != 0, 0.1 * sign * x, 1.0), 1.0)
    deleted = np.where(x != 0, 1.0 - kept, 0.0)
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
