"""Sums of products p p^T - q q^T of sparse rows, compiled: only where two groups of columns meet is there work.

Columns come in tiles of 8. A block of up to 64 rows is held as panels[tile, row, 0 or 1, lane], p and q, and a bit mask
says of each tile in which rows of the block it has an entry: a pair of tiles visits the rows whose bits are set in
both. On images a quarter of the pairs of a dense product remain.
"""

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros

from benchkit_feature_noise.solvers.vectors import LANES, load, store  # LANES: columns of a tile

BLOCK = 64  # rows of a block: bits of a mask


def tile_masks(pointer: np.ndarray, column: np.ndarray, n_columns: int) -> np.ndarray:
    """Bits of the rows of a CSR matrix where a tile has an entry, shape (n_blocks, n_tiles); column ``n_columns`` is in
    every row.
    """
    m = len(pointer) - 1
    masks = np.zeros((-(-m // BLOCK), n_columns // LANES + 1), dtype=np.uint64)
    _mark(pointer, column, n_columns, masks)
    return masks


@njit(cache=True)
def _mark(pointer, column, n_columns, masks):
    for i in range(len(pointer) - 1):
        bit = np.uint64(1) << np.uint64(i % BLOCK)
        masks[i // BLOCK, n_columns // LANES] |= bit
        for k in range(pointer[i], pointer[i + 1]):
            masks[i // BLOCK, column[k] // LANES] |= bit


@njit(cache=True, nogil=True, fastmath=True)
def _update_tile(tile, left, right, mask):
    """tile[a, b] += sum over set bits i of p_left[i, a] p_right[i, b] - q_left[i, a] q_right[i, b].

    Half of the tile at a time, which stays in registers: all of it is more than AVX2 has.
    """
    for half in range(0, LANES, 4):
        at = half * LANES
        t_0, t_1 = load(tile, at), load(tile, at + LANES)
        t_2, t_3 = load(tile, at + 2 * LANES), load(tile, at + 3 * LANES)
        rows = mask
        while rows != 0:
            i = trailing_zeros(rows)
            rows &= rows - np.uint64(1)
            p, q = left[i, 0, half : half + 4], left[i, 1, half : half + 4]
            low = np.int64(i) * 2 * LANES
            b = load(right, low)
            t_0, t_1, t_2, t_3 = t_0 + p[0] * b, t_1 + p[1] * b, t_2 + p[2] * b, t_3 + p[3] * b
            b = load(right, low + LANES)
            t_0, t_1, t_2, t_3 = t_0 - q[0] * b, t_1 - q[1] * b, t_2 - q[2] * b, t_3 - q[3] * b
        store(tile, at, t_0)
        store(tile, at + LANES, t_1)
        store(tile, at + 2 * LANES, t_2)
        store(tile, at + 3 * LANES, t_3)


@njit(cache=True, nogil=True)
def add_products(panels, masks, tiles):
    """Add a block's products to ``tiles`` of shape (n_tiles (n_tiles + 1) / 2, 8, 8), the lower triangle row by row.

    panels has shape (n_tiles, 64, 2, 8), masks (n_tiles,).
    """
    pair = 0
    for left in range(masks.shape[0]):
        for right in range(left + 1):
            both = masks[left] & masks[right]
            if both != 0:
                _update_tile(tiles[pair], panels[left], panels[right], both)
            pair += 1


@njit(cache=True, nogil=True)
def assemble(tiles, out):
    """Add the tiles to the lower triangle of ``out``, square and no larger than they reach."""
    n = out.shape[0]
    pair = 0
    for left in range((n + LANES - 1) // LANES):
        for right in range(left + 1):
            for a in range(min(LANES, n - left * LANES)):
                for b in range(min(LANES, n - right * LANES)):
                    out[left * LANES + a, right * LANES + b] += tiles[pair, a, b]
            pair += 1
