"""The program of LP and FDROP in the form of general solvers, and the solvers that it may be handed to.

All get the model with its zero entries already eliminated, on one thread. HiGHS solves linear programs only; PIQP and
Clarabel come with the extra ``peers``.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from benchkit_feature_noise.solvers.optimality import certified
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


class Answer(NamedTuple):
    """What a solver leaves: x, the multipliers of the rows, iterations, and what it says where it did not end well."""

    x: np.ndarray
    multipliers: np.ndarray
    n_iter: int
    failure: str


@contextmanager
def _nothing_printed() -> Iterator[None]:
    """Discard what compiled code prints, which does not ask for Python's `sys.stdout`."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def solve_highs(program: Program, tol: float, max_iter: int | None) -> Answer:
    """HiGHS' interior-point method, without crossover to a vertex."""
    import highspy

    if program.curvature:
        raise ValueError("HiGHS solves the linear program only")
    model = build(program)
    with _nothing_printed():  # the banner, which comes before any option
        highs = highspy.Highs()
    for option, value in {
        "output_flag": False,
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
    return Answer(x, multipliers, int(highs.getInfo().ipm_iteration_count), problem)


def solve_osqp(program: Program, tol: float, max_iter: int | None) -> Answer:
    """OSQP on the model."""
    model = build(program)
    total = model.A.shape[1]
    bounded = np.flatnonzero(np.isfinite(model.lower) | np.isfinite(model.upper))
    identity = sparse.eye(total, format="csc")[bounded]
    A = sparse.vstack([model.A, identity], format="csc")
    low = np.concatenate([model.bound, model.lower[bounded]])
    high = np.concatenate([np.full(len(model.bound), np.inf), model.upper[bounded]])
    answer = minimise_by_osqp(model.curvature, model.cost, A, low, high, tol, max_iter)
    return answer._replace(multipliers=answer.multipliers[: len(model.bound)])


def solve_osqp_dual(program: Program, tol: float, max_iter: int | None) -> Answer:
    """OSQP on the dual problem of FDROP, Eq. 9 of Globerson & Roweis 2006.

    Its columns are w and the multipliers of `optimality`: t, the paper's alpha, and r, what is left of alpha_i in each
    entry once the paper's lambda_ij is taken from it. A zero entry moves no w and is left out.

        min  1/2 |w|^2 - sum_i t_i
        s.t. w_j = sum_i y_i x_ij r_ij,   sum_j v_j r_ij >= P_i t_i (equal where exactly K go),   r_ij <= t_i,
             0 <= t_i <= c_i,   r >= 0,   sum_i y_i t_i = 0, whose multiplier is the bias
    """
    X, y = program.X, program.y
    m, n = X.shape
    of, row, v = program.layout
    size = len(row)
    pulls = sparse.csc_matrix((y[row[of]] * X.data, (X.indices, of)), (n, size))
    rows = sparse.csc_matrix((np.ones(size), (np.arange(size), row)), (size, m))
    blocks = [
        [sparse.identity(n), None, -pulls],
        [None, -sparse.diags(program.remaining), rows.T @ sparse.diags(v)],
        [None, rows, -sparse.identity(size)],
        [None, sparse.identity(m), None],
        [None, None, sparse.identity(size)],
        [None, sparse.csc_matrix(y * program.fit_intercept), None],
    ]
    low = np.zeros(n + 2 * m + 2 * size + 1)
    kept = np.full(m, 0.0 if program.exactly else np.inf)
    high = np.concatenate([np.zeros(n), kept, np.full(size, np.inf), program.price, np.full(size, np.inf), [0.0]])
    curvature, cost = np.repeat([1.0, 0.0], [n, m + size]), np.repeat([0.0, -1.0, 0.0], [n, m, size])
    x, multipliers, n_iter, failure = minimise_by_osqp(
        curvature, cost, sparse.bmat(blocks, format="csc"), low, high, tol, max_iter
    )
    # Stationarity in t, -1 + ... - y_i multiplier = 0, is the row's constraint with the bias -multiplier.
    bias = -multipliers[-1] if program.fit_intercept else 0.0
    return Answer(np.append(x[:n], bias), x[n:], n_iter, failure)


def minimise_by_osqp(
    curvature: np.ndarray,
    cost: np.ndarray,
    A: sparse.csc_matrix,
    low: np.ndarray,
    high: np.ndarray,
    tol: float,
    max_iter: int | None,
) -> Answer:
    """1/2 x^T diag(curvature) x + cost.x over low <= A x <= high, with absolute and relative tolerance ``tol``."""
    import osqp

    solver = osqp.OSQP()
    settings = {"eps_abs": tol, "eps_rel": tol, "max_iter": int(max_iter or 200_000), "polishing": False}
    P = sparse.diags(curvature, format="csc")
    solver.setup(P=P, q=cost, A=A, l=low, u=high, verbose=False, **settings)
    result = solver.solve(raise_error=False)
    done = result.info.status_val == osqp.SolverStatus.OSQP_SOLVED
    problem = "" if done else f"OSQP ended with status {result.info.status!r}"
    # OSQP's multipliers of lower bounds are negative.
    return Answer(np.asarray(result.x), -np.asarray(result.y), int(result.info.iter), problem)


def solve_piqp(program: Program, tol: float, max_iter: int | None) -> Answer:
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
    return Answer(np.asarray(solver.result.x), np.asarray(solver.result.z_l), int(solver.result.info.iter), problem)


def solve_clarabel(program: Program, tol: float, max_iter: int | None) -> Answer:
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
    return Answer(np.asarray(solution.x), multipliers, int(solution.iterations), problem)


SOLVERS: dict[str, Callable[[Program, float, int | None], Answer]] = {
    "highs": solve_highs,
    "osqp": solve_osqp,
    "osqp-dual": solve_osqp_dual,
    "piqp": solve_piqp,
    "clarabel": solve_clarabel,
}


def solve(name: str, program: Program, tol: float, max_iter: int | None, asked: float | None = None) -> Solution:
    """Hand a program to the general solver of a name, and check its answer to a gap of ``tol``, in the program's unit.

    ``asked`` are the solver's own tolerances; with ``tol``, where it is absent, the gap may be a few times that. Raises
    ImportError where the solver is not installed, and says how to.
    """
    try:
        x, multipliers, n_iter, failure = SOLVERS[name](program, asked or tol, max_iter)
    except ModuleNotFoundError as error:
        raise ImportError(f"solver {name!r} is not installed: pip install '.[peers]' in benchkit's checkout") from error
    m, n = program.X.shape
    return certified(program, np.array(x[:n]), float(x[n]), (multipliers[:m], multipliers[m:]), n_iter, tol, failure)
