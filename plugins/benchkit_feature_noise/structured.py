"""Solving the program of LP and FDROP by the structured method, or its plain sibling where nothing is deleted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit_feature_noise import hinge_interior_point, interior_point
from benchkit_feature_noise.programs import Program, Solution

_MAX_ITER = 200


def solve(program: Program, budget: float, tol: float, max_iter: int | None = None, n_threads: int = 1) -> Solution:
    """Solve until the objective is within ``tol`` of a lower bound, relative to an objective above 1.

    Parameters
    ----------
    program : Program
    budget : float
        N or K. At 0 the program has no strictly feasible dual point, and the plain hinge loss is minimised.
    tol : float
    max_iter : int, optional
        200 where absent.
    n_threads : int, default=1
    """
    return solve_together([program], [budget], [tol], max_iter, n_threads)[0]


def solve_together(
    programs: Sequence[Program],
    budgets: Sequence[float],
    tols: Sequence[float],
    max_iter: int | None = None,
    n_threads: int = 1,
) -> list[Solution]:
    """Solve programs of the same X, y and values; parameters as for `solve`, one budget and tolerance each."""
    limit = max_iter or _MAX_ITER
    found: dict[int, Solution] = {}
    for position, (program, budget, tol) in enumerate(zip(programs, budgets, tols, strict=True)):
        if budget == 0:
            found[position] = _hinge(program, tol, limit)
        elif _is_nothing_left(program):
            found[position] = _nothing_left(program)
    rest = [position for position in range(len(programs)) if position not in found]
    solved = interior_point.solve_together(
        [programs[position] for position in rest], [tols[position] for position in rest], limit, n_threads
    )
    found.update(zip(rest, solved, strict=True))
    return [found[position] for position in range(len(programs))]


def _hinge(program: Program, tol: float, limit: int) -> Solution:
    return hinge_interior_point.solve(
        program.X,
        program.y,
        program.scale,
        program.price,
        program.curvature,
        program.box,
        program.fit_intercept,
        tol,
        limit,
    )


def _is_nothing_left(program: Program) -> bool:
    nothing = program.offset == 0 and (program.remaining <= 1e-12 * program.values.sum()).all()
    return bool(program.X.nnz == 0 or nothing)


def _nothing_left(program: Program) -> Solution:
    """Every helpful feature goes: no weight helps, and the bias is the majority's sign."""
    share = float((program.y > 0).mean())
    # Every row requires the same then.
    intercept = float(np.copysign(program.required.max(), share - 0.5)) if program.fit_intercept else 0.0
    objective = float(program.price * np.maximum(0.0, program.required - program.y * intercept).sum())
    proof = np.full(len(program.y), program.price), np.zeros(program.X.nnz)
    return Solution(np.zeros(program.X.shape[1]), intercept, objective, objective, 0, multipliers=proof)
