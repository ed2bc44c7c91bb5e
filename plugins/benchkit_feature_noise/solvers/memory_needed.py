"""How much memory and time the structured method takes, told before it is taken."""

from __future__ import annotations

import warnings

import numpy as np

from benchkit import check_memory
from benchkit_feature_noise.solvers.conjugate_gradients import by_conjugate_gradients
from benchkit_feature_noise.solvers.dual_bound import WIDEST
from benchkit_feature_noise.solvers.programs import Program
from benchkit_feature_noise.solvers.vectors import LANES

# Bytes of what is kept of an entry (its constants, slacks, multipliers, two steps, the best multipliers, the rows of a
# system that is not multiplied out), of a row, of a square of the columns (the system, its factor and the last one),
# and of what each thread adds to it: half a square, and a block of rows.
_ENTRY, _ROW, _SQUARE, _HALF, _BLOCK_OF_ROWS = 120, 400, 24, 4, 1024
# The same for multipliers that are corrected at the end (`balanced`): copies of entries, and one more system.
_CORRECTED_ENTRY, _CORRECTED_SQUARE = 120, 8
_MANY, _NARROW = 500_000, 1e-4  # sparse entries, from which on a gap below takes long


def needed_megabytes(program: Program, n_threads: int = 1) -> float:
    """MB that solving the program takes beside the program itself, a fifth too many rather than too few.

    Parameters
    ----------
    program : Program
    n_threads : int, default=1
    """
    filled = np.diff(program.X.indptr)
    entries = int((-(-filled // LANES) * LANES).sum())
    needed = _ENTRY * entries + _ROW * len(program.y)
    n = program.X.shape[1] + 1
    if program.groups is None:
        needed += _CORRECTED_ENTRY * entries + (_CORRECTED_SQUARE * n**2 if n <= WIDEST else 0)
    if not by_conjugate_gradients(program.X):
        needed += (_SQUARE + _HALF * n_threads) * n**2 + _BLOCK_OF_ROWS * n_threads * n
    return needed / 2**20


def warn_of_long_fits(program: Program, tol: float) -> None:
    """Say at once what is too much for the structured method: many sparse columns, to a gap that nobody sees."""
    rows, columns = program.X.shape
    if not by_conjugate_gradients(program.X) or program.X.nnz < _MANY or tol >= _NARROW:
        return
    streamed = "tgrs" if program.curvature else "o2b"
    box = "of C" if program.curvature else f"of C, below {1000 * program.level:.1g} (1000/P)"
    warnings.warn(
        f"tol={tol:g} on {rows:,} rows and {columns:,} sparse columns may take hours; tol=1e-2 takes minutes, less "
        f"than one at small values {box}; {streamed} takes seconds",
        RuntimeWarning,
        stacklevel=4,
    )


def check_room(program: Program, n_threads: int = 1) -> None:
    """Refuse a program that memory has no room for.

    Raises
    ------
    MemoryError
        One line: what is needed, what there is, what would do.
    """
    rows, columns = program.X.shape
    method, streamed = ("fdrop", "tgrs") if program.curvature else ("lp", "o2b")
    parts = "" if program.curvature else "; or chunks=10, which divides the rows"
    check_memory(
        needed_megabytes(program, n_threads),
        f"{method} on {rows:,} rows and {columns:,} columns ({program.X.nnz:,} entries that are not zero)",
        f"take fewer rows, or {streamed}, which needs no more than its data{parts}",
    )
