"""Sums of products p p^T - q q^T of sparse rows, compiled: only where two groups of columns meet is there work.

Columns come in tiles of 8. A block of up to 64 rows is held as panels[tile, row, 0 or 1, lane], p and q, and a bit mask
says of each tile in which rows of the block it has an entry: a pair of tiles visits the rows whose bits are set in
both. On images a quarter of the pairs of a dense product remain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from benchkit_feature_noise.solvers.vectors import LANES  # columns of a tile

BLOCK = 64  # rows of a block: bits of a mask


def tile_masks(pointer: np.ndarray, column: np.ndarray, n_columns: int) -> np.ndarray:
    """Bits of the rows where a tile has an entry, shape (n_blocks, n_tiles); column ``n_columns`` is in every row.

    Parameters
    ----------
    pointer, column : ndarray
        Of a CSR matrix.
    n_columns : int
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


@intrinsic
def _update_tile(typing: Any, tile: Any, left: Any, right: Any, mask: Any) -> Any:
    """tile[a, b] += sum over set bits i of p_left[i, a] p_right[i, b] - q_left[i, a] q_right[i, b].

    Written for LLVM's vectors: the tile stays in 8 registers, which no loop over arrays achieves.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        scalar = context.get_value_type(signature.args[0].dtype)
        vector = ir.VectorType(scalar, LANES)
        bytes_each = 8 if isinstance(scalar, ir.DoubleType) else 4
        arrays = zip(signature.args[:3], arguments[:3], strict=True)
        pointers = [
            builder.bitcast(context.make_array(kind)(context, builder, value).data, vector.as_pointer())
            for kind, value in arrays
        ]

        def integer(k: int) -> Any:
            return ir.Constant(ir.IntType(64), k)

        def load(pointer: Any, index: Any) -> Any:
            return builder.load(builder.gep(pointer, [index]), align=bytes_each)

        sums = [load(pointers[0], integer(k)) for k in range(LANES)]
        before = builder.block
        loop, done = builder.append_basic_block("row"), builder.append_basic_block("done")
        builder.branch(loop)
        builder.position_at_end(loop)
        left_rows = builder.phi(ir.IntType(64))
        left_rows.add_incoming(arguments[3], before)
        carried = [builder.phi(vector) for _ in sums]
        for phi, value in zip(carried, sums, strict=True):
            phi.add_incoming(value, before)
        row = builder.shl(builder.cttz(left_rows, ir.Constant(ir.IntType(1), 1)), integer(1))
        updated = list(carried)
        undefined = ir.Constant(vector, ir.Undefined)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        for which, combine in enumerate((builder.fadd, builder.fsub)):
            position = builder.add(row, integer(which))
            b = load(pointers[2], position)
            first = builder.bitcast(builder.gep(pointers[1], [position]), scalar.as_pointer())
            for k in range(LANES):
                # Read again into all lanes: a load costs less than to move a lane of a register.
                number = builder.load(builder.gep(first, [integer(k)]))
                a = builder.insert_element(undefined, number, ir.Constant(ir.IntType(32), 0))
                product = builder.fmul(builder.shuffle_vector(a, undefined, everywhere), b, flags=("fast",))
                updated[k] = combine(updated[k], product, flags=("fast",))
        others = builder.and_(left_rows, builder.sub(left_rows, integer(1)))
        left_rows.add_incoming(others, loop)
        for phi, value in zip(carried, updated, strict=True):
            phi.add_incoming(value, loop)
        builder.cbranch(builder.icmp_unsigned("==", others, integer(0)), done, loop)
        builder.position_at_end(done)
        for k, value in enumerate(updated):
            builder.store(value, builder.gep(pointers[0], [integer(k)]), align=bytes_each)
        return context.get_dummy_value()

    return types.void(tile, left, right, types.uint64), generate


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
