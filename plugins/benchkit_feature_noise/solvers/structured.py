"""Solving the program of LP and FDROP by the structured method, or its plain sibling where nothing is deleted."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from threadpoolctl import ThreadpoolController

from benchkit import check_memory
from benchkit_feature_noise.solvers import hinge_interior_point
from benchkit_feature_noise.solvers.interior_point import InteriorPoint, Threads
from benchkit_feature_noise.solvers.newton_systems import by_conjugate_gradients
from benchkit_feature_noise.solvers.optimality import WIDEST, lower_bound
from benchkit_feature_noise.solvers.programs import Program, Solution
from benchkit_feature_noise.solvers.vectors import LANES

_MAX_ITER = 200
# Bytes of what is kept of an entry (its constants, slacks, multipliers, two steps, the best multipliers, the rows of a
# system that is not multiplied out), of a row, of a square of the columns (the system, its factor and the last one),
# and of what each thread adds to it: half a square, and a block of rows.
_ENTRY, _ROW, _SQUARE, _HALF, _BLOCK_OF_ROWS = 120, 400, 24, 4, 1024
# The same for multipliers that are corrected at the end (`balanced`): copies of entries, and one more system.
_CORRECTED_ENTRY, _CORRECTED_SQUARE = 120, 8
_MANY, _NARROW = 500_000, 1e-4  # sparse entries, from which on a gap below takes long


def solve(program: Program, budget: float, tol: float, max_iter: int | None = None, n_threads: int = 1) -> Solution:
    """Solve until the objective is within ``tol`` of a lower bound, in the program's ``gap_unit``.

    ``budget`` is N or K: at 0 the program has no strictly feasible dual point, and the plain hinge loss is minimised.
    Iterations are 200 at most unless ``max_iter`` says otherwise.
    """
    return solve_together([program], [budget], [tol], max_iter, n_threads)[0]


def solve_together(
    programs: Sequence[Program],
    budgets: Sequence[float],
    tols: Sequence[float],
    max_iter: int | None = None,
    n_threads: int = 1,
    certify: bool = True,
) -> list[Solution]:
    """Solve programs of the same X, y and values; parameters as for `solve`, one budget and tolerance each.

    Raises MemoryError where there is no room for it. Larger boxes come first: a solution that fits a smaller box is a
    solution there too, and takes no iteration. Where ``certify`` is False, the weights are as good as ``tol`` says, and
    the lower bounds may be further away.
    """
    limit = max_iter or _MAX_ITER
    check_room(programs[0], n_threads)
    solutions: dict[int, Solution] = {}
    # The BLAS's own threads wait by spinning: beside other work they take the time of those that share the rows.
    method = None
    with _blas().limit(limits=1, user_api="blas"), Threads(n_threads) as threads:
        for position in sorted(range(len(programs)), key=lambda position: -programs[position].box):
            program, tol = programs[position], tols[position]
            larger = [
                solution for other, solution in solutions.items() if _differ_in_box_only(programs[other], program)
            ]
            reused = _reused(larger, program, tol, certify)
            if reused is not None:
                solutions[position] = reused
            elif budgets[position] == 0:
                solutions[position] = hinge_interior_point.solve(program, tol, limit)
            elif _is_nothing_left(program):
                solutions[position] = _nothing_left(program)
            else:
                method = InteriorPoint(program, threads, method)
                solutions[position] = method.solve(tol, limit, certify)
    return [solutions[position] for position in range(len(programs))]


@cache
def _blas() -> ThreadpoolController:
    """The libraries loaded, looked up once: that takes milliseconds."""
    return ThreadpoolController()


def _differ_in_box_only(one: Program, other: Program) -> bool:
    """For LP's programs of the same X, y and values, where offset = margin / P says what P is."""
    if not np.isfinite([one.box, other.box]).all():
        return False
    return (one.offset, one.margin, one.fit_intercept) == (other.offset, other.margin, other.fit_intercept)


def _reused(solutions: Sequence[Solution], program: Program, tol: float, certify: bool) -> Solution | None:
    """The solution of a larger box that solves the program too, if there is one.

    Let f(C) be the optimum over |w_j| <= C, and C' < C. The smaller box is part of the larger one, so that
    f(C') >= f(C). Weights with max |w_j| <= C' have one objective in both: optimal at C, they are optimal at C'. The
    multipliers, which no constraint of theirs ties to the box, prove gained - C' |pull|_1, no less than at C.
    """
    for solution in reversed(solutions):
        if float(np.abs(solution.coef).max(initial=0.0)) > program.box or solution.multipliers is None:
            continue
        bound = lower_bound(program, solution.multipliers)
        if not certify or solution.objective - bound <= tol * program.gap_unit(solution.objective):
            return replace(solution, dual_objective=bound, n_iter=0, problem="")
    return None


def _is_nothing_left(program: Program) -> bool:
    nothing = program.offset == 0 and (program.remaining <= 1e-12 * program.values.sum()).all()
    return bool(program.X.nnz == 0 or nothing)


def _nothing_left(program: Program) -> Solution:
    """Every helpful feature goes: no weight helps, and the bias is the majority's sign."""
    intercept = program.best_constant()
    objective = float(program.price @ np.maximum(0.0, program.required - program.y * intercept))
    proof = program.price, np.zeros(program.X.nnz)
    return Solution(np.zeros(program.X.shape[1]), intercept, objective, objective, 0, multipliers=proof)


def needed_megabytes(program: Program, n_threads: int = 1) -> float:
    """MB that solving the program takes beside the program itself, a fifth too many rather than too few."""
    filled = np.diff(program.X.indptr)
    entries = int((-(-filled // LANES) * LANES).sum())
    needed = _ENTRY * entries + _ROW * len(program.y)
    n = program.X.shape[1] + 1
    if program.groups is None:
        needed += _CORRECTED_ENTRY * entries + (_CORRECTED_SQUARE * n**2 if n <= WIDEST else 0)
    if not by_conjugate_gradients(program.X):
        needed += (_SQUARE + _HALF * n_threads) * n**2 + _BLOCK_OF_ROWS * n_threads * n
    return needed / 2**20


def long_fit(program: Program, tol: float) -> str:
    """What to say at once of a fit that is too much: many sparse columns, to a gap that nobody sees; else nothing."""
    rows, columns = program.X.shape
    if not by_conjugate_gradients(program.X) or program.X.nnz < _MANY or tol >= _NARROW:
        return ""
    streamed = "tgrs" if program.curvature else "o2b"
    box = "of C" if program.curvature else f"of C, below {1000 * program.level:.1g} (1000/P)"
    return (
        f"tol={tol:g} on {rows:,} rows and {columns:,} sparse columns may take hours; tol=1e-2 takes minutes, less "
        f"than one at small values {box}; {streamed} takes seconds"
    )


def check_room(program: Program, n_threads: int = 1) -> None:
    """Refuse a program that memory has no room for, by a MemoryError that says what would do."""
    rows, columns = program.X.shape
    method, streamed = ("fdrop", "tgrs") if program.curvature else ("lp", "o2b")
    parts = "" if program.curvature else "; or chunks=10, which divides the rows"
    check_memory(
        needed_megabytes(program, n_threads),
        f"{method} on {rows:,} rows and {columns:,} columns ({program.X.nnz:,} entries that are not zero)",
        f"take fewer rows, or {streamed}, which needs no more than its data{parts}",
    )
