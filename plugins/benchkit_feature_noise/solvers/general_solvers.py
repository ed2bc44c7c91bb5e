"""The program of LP and FDROP in the form of general solvers, and the solvers that it may be handed to.

All get the model with its zero entries already eliminated, on one thread. HiGHS solves linear programs only; PIQP and
Clarabel come with the extra ``peers``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from benchkit_feature_noise.solvers.dual_bound import lower_bound
from benchkit_feature_noise.solvers.programs import Program, Solution


@dataclass(frozen=True)
class Model:
    """min 1/2 x^T diag(curvature) x + cost.x  s.t.  A x >= bound, lower <= x <= upper.

    Columns: w (n), b, xi (m), lambda (m), alpha (one per entry); rows: one per example, then one per entry.
    """

    curvature: np.ndarray
    cost: np.ndarray
    A: sparse.csc_matrix
    bound: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def build(program: Program) -> Model:
    """The program's model."""
    X, y = program.X, program.y
    m, n = X.shape
    of, row, v = program.layout
    size = len(row)
    col, yx = X.indices, y[row[of]] * X.data
    example, entry = np.arange(m), np.arange(size)
    b, xi, lam, alpha = n, n + 1, n + 1 + m, n + 1 + 2 * m
    triplets = [
        (example, lam + example, program.remaining),
        (row, alpha + entry, np.full(size, -1.0)),
        (example, np.full(m, b), y),
        (example, xi + example, np.ones(m)),
        (m + of, col, yx),
        (m + entry, lam + row, -v),
        (m + entry, alpha + entry, np.ones(size)),
    ]
    rows, columns, data = (np.concatenate(part) for part in zip(*triplets, strict=True))
    total = alpha + size
    lower, upper = np.zeros(total), np.full(total, np.inf)
    lower[:n], upper[:n] = -program.box, program.box
    lower[b], upper[b] = (-np.inf, np.inf) if program.fit_intercept else (0.0, 0.0)
    if program.exactly:
        lower[lam:alpha] = -np.inf
    cost, curvature = np.zeros(total), np.zeros(total)
    cost[xi:lam] = program.price
    curvature[:n] = program.curvature
    return Model(
        curvature=curvature,
        cost=cost,
        A=sparse.csc_matrix((data, (rows, columns)), shape=(m + size, total)),
        bound=np.concatenate([program.required, program.offset * v]),
        lower=lower,
        upper=upper,
    )


def _solution(program: Program, x: np.ndarray, n_iter: int, problem: str, multipliers: np.ndarray | None) -> Solution:
    n = program.X.shape[1]
    objective = float(0.5 * program.curvature * x[:n] @ x[:n])
    if multipliers is None:
        return Solution(np.array(x[:n]), float(x[n]), objective, -np.inf, n_iter, problem)
    t, r = multipliers[: len(program.y)], multipliers[len(program.y) :]
    return Solution(np.array(x[:n]), float(x[n]), objective, lower_bound(program, (t, r)), n_iter, problem, (t, r))


def solve_highs(program: Program, tol: float, max_iter: int | None) -> Solution:
    """HiGHS' interior-point method, without crossover to a vertex."""
    import highspy

    if program.curvature:
        raise ValueError("HiGHS solves the linear program only")
    model = build(program)
    highs = highspy.Highs()
    highs.silent()
    for option, value in {
        "solver": "ipm",
        "run_crossover": "off",
        "threads": 1,
        "primal_feasibility_tolerance": max(tol, 1e-10),
        "dual_feasibility_tolerance": max(tol, 1e-10),
        "ipm_optimality_tolerance": max(tol, 1e-12),
        **({} if max_iter is None else {"ipm_iteration_limit": int(max_iter)}),
    }.items():
        highs.setOptionValue(option, value)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = model.A.shape[1], model.A.shape[0]
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost, model.lower, model.upper
    lp.row_lower_, lp.row_upper_ = model.bound, np.full(len(model.bound), np.inf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = model.A.indptr, model.A.indices, model.A.data
    highs.passModel(lp)
    highs.run()
    status = highs.getModelStatus()
    optimum = highs.getSolution()
    problem = "" if status == highspy.HighsModelStatus.kOptimal else highs.modelStatusToString(status)
    x, multipliers = np.asarray(optimum.col_value), np.asarray(optimum.row_dual)
    if len(x) != model.A.shape[1]:
        raise RuntimeError(f"HiGHS found no solution: {problem}")
    return _solution(program, x, int(highs.getInfo().ipm_iteration_count), problem, multipliers)


def solve_osqp(program: Program, tol: float, max_iter: int | None) -> Solution:
    """OSQP with absolute and relative tolerance ``tol``."""
    import osqp

    model = build(program)
    total = model.A.shape[1]
    bounded = np.flatnonzero(np.isfinite(model.lower) | np.isfinite(model.upper))
    identity = sparse.eye(total, format="csc")[bounded]
    A = sparse.vstack([model.A, identity], format="csc")
    low = np.concatenate([model.bound, model.lower[bounded]])
    high = np.concatenate([np.full(len(model.bound), np.inf), model.upper[bounded]])
    solver = osqp.OSQP()
    settings = {"eps_abs": tol, "eps_rel": tol, "max_iter": int(max_iter or 200_000), "polishing": False}
    P = sparse.diags(model.curvature, format="csc")
    solver.setup(P=P, q=model.cost, A=A, l=low, u=high, verbose=False, **settings)
    result = solver.solve(raise_error=False)
    done = result.info.status_val == osqp.SolverStatus.OSQP_SOLVED
    problem = "" if done else f"OSQP ended with status {result.info.status!r}"
    # OSQP's multipliers of lower bounds are negative.
    return _solution(program, result.x, int(result.info.iter), problem, -result.y[: len(model.bound)])


def solve_piqp(program: Program, tol: float, max_iter: int | None) -> Solution:
    """PIQP's proximal interior-point method."""
    import piqp

    model = build(program)
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = tol
    solver.settings.eps_duality_gap_abs = solver.settings.eps_duality_gap_rel = tol
    solver.settings.max_iter = int(max_iter or 500)
    P = sparse.diags(model.curvature, format="csc")
    limits = (np.full(len(model.bound), np.inf), model.lower, model.upper)
    solver.setup(P, model.cost, None, None, model.A, model.bound, *limits)
    status = solver.solve()
    problem = "" if status == piqp.PIQP_SOLVED else f"PIQP ended with status {status}"
    multipliers = np.asarray(solver.result.z_l)
    return _solution(program, np.asarray(solver.result.x), int(solver.result.info.iter), problem, multipliers)


def solve_clarabel(program: Program, tol: float, max_iter: int | None) -> Solution:
    """Clarabel's homogeneous interior-point method."""
    import clarabel

    model = build(program)
    total = model.A.shape[1]
    identity = sparse.eye(total, format="csc")
    low, high = np.flatnonzero(np.isfinite(model.lower)), np.flatnonzero(np.isfinite(model.upper))
    A = sparse.vstack([-model.A, -identity[low], identity[high]], format="csc")
    right = np.concatenate([-model.bound, -model.lower[low], model.upper[high]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.max_iter = int(max_iter or 500)
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    P = sparse.diags(model.curvature, format="csc")
    cones = [clarabel.NonnegativeConeT(len(right))]
    solution = clarabel.DefaultSolver(P, model.cost, A, right, cones, settings).solve()
    done = str(solution.status) in ("Solved", "AlmostSolved")
    problem = "" if done else f"Clarabel ended with status {solution.status}"
    multipliers = np.asarray(solution.z)[: len(model.bound)]
    return _solution(program, np.asarray(solution.x), int(solution.iterations), problem, multipliers)


SOLVERS: dict[str, Callable[[Program, float, int | None], Solution]] = {
    "highs": solve_highs,
    "osqp": solve_osqp,
    "piqp": solve_piqp,
    "clarabel": solve_clarabel,
}


def solve(name: str, program: Program, tol: float, max_iter: int | None) -> Solution:
    """Hand a program to a general solver.

    Raises
    ------
    ImportError
        The solver is not installed; the message says how to.
    """
    try:
        return SOLVERS[name](program, tol, max_iter)
    except ModuleNotFoundError as error:
        raise ImportError(f"solver {name!r} is not installed: pip install '.[peers]' in benchkit's checkout") from error
