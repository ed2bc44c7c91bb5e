"""Products of sparse rows, tile by tile, against numpy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from benchkit_feature_noise.solvers.symmetric_products import BLOCK, LANES, add_products, assemble, tile_masks


@settings(max_examples=30, deadline=None)
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
