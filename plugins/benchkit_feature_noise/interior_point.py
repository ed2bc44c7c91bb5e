"""The structured interior-point method of Dekel, Shamir & Xiao 2010 (2.3 and Appendix B), for LP and FDROP alike.

Both are one problem, `benchkit_feature_noise.programs.Program`, whose letters are used here.

Eliminating alpha, lambda and xi row by row leaves a system in (w, b) that is a diagonal plus two symmetric rank-m
products: O(m n^2) work, O(number of entries) memory. Notation of the elimination, all per row i: d_r, d_a, d_t, d_xi,
d_l are multiplier/slack of the entry, alpha, row, xi and lambda constraints; D = d_r + d_a, phi = d_r/D,
f = d_r d_a/D; sigma = 1/d_t + 1/d_xi + sum_j 1/D; Delta = phi.v - P_i; kappa = sum_j v^2 f + Delta^2/sigma;
omega = [v f + phi Delta/sigma; Delta/sigma]. With u_j = y x_ij dw_j the row contributes
{diag(f; 0) + [phi; 1][phi; 1]^T/sigma - omega omega^T/(d_l + kappa)} in the coordinates (u, y db).

Every iterate is strictly feasible, and the right-hand side, written with the targets T of the products slack x
multiplier, needs no dual residual: multipliers after a full step are T/slack - d ds whatever they were before. A step
of all slacks and multipliers follows from (dw, db), T and two numbers a row, so that it is never stored; being linear
in T, Mehrotra's corrector is prepared in the pass that measures his predictor, before its centre is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg

from benchkit_feature_noise import bound_kernels, symmetric_products
from benchkit_feature_noise import interior_point_kernels as kernels
from benchkit_feature_noise.program_objective import entries_of
from benchkit_feature_noise.programs import Program, Solution

_LARGE = 100_000  # entries of a dense X from which float32 pays
_STEP = 0.95  # share of the way to the boundary
_CENTER = 0.3  # largest share of the present complementarity to aim at
_FAR = 1000.0  # times the wished gap
_LONGER, _GAIN, _BAND = 0.3, 0.03, 10.0  # Gondzio's correctors: wished and demanded lengthening, width of the band


def solve(
    program: Program, tol: float, max_iter: int = 200, n_threads: int = 1, correctors: int | None = None
) -> Solution:
    """Solve until the objective is within ``tol`` of the lower bound.

    Parameters
    ----------
    program : Program
    tol : float
        Absolute gap, relative to an objective above 1.
    max_iter : int, default=200
    n_threads : int, default=1
    correctors : int, optional
        Gondzio's correctors tried in an iteration, at most; 4 where absent, 2 from a million entries on, where each
        costs as much as it saves.
    """
    return solve_together([program], [tol], max_iter, n_threads, correctors)[0]


def solve_together(
    programs: Sequence[Program],
    tols: Sequence[float],
    max_iter: int = 200,
    n_threads: int = 1,
    correctors: int | None = None,
) -> list[Solution]:
    """Solve programs that differ in their constants only, sharing all that depends on X, y and values.

    Each starts afresh: from a neighbour's iterate, at constants a factor 1.5 apart, it took as many iterations.

    Parameters
    ----------
    programs : sequence of Program
        With the same X, y and values.
    tols : sequence of float
        Of each, as for `solve`.
    max_iter, n_threads, correctors
        As for `solve`.
    """
    found: list[Solution] = []
    method: _Method | None = None
    with _Threads(n_threads) as threads:
        for program, tol in zip(programs, tols, strict=True):
            tried = (4 if program.X.nnz < 1_000_000 else 2) if correctors is None else correctors
            method = _Method(program, threads, tried, method)
            found.append(method.solve(tol, max_iter))
    return found


class _Threads:
    """Runs a function on contiguous parts, in threads where there are several."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def __enter__(self) -> _Threads:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def map(self, function: Callable[[int, int], Any], parts: list[tuple[int, int]]) -> list[Any]:
        """Results of the function on each part."""
        if self._pool is None:
            return [function(*part) for part in parts]
        return list(self._pool.map(lambda part: function(*part), parts))


@dataclass
class _Step:
    """A direction: steps of w and b, what gives those of rows and entries, and the largest admissible lengths."""

    rows: kernels.RowStep
    dw: np.ndarray
    db: float = 0.0
    center: float = 0.0
    t_box: np.ndarray = field(default_factory=lambda: np.empty((2, 0)))
    dp_box: np.ndarray = field(default_factory=lambda: np.empty((2, 0)))
    primal: float = 0.0
    dual: float = 0.0

    @property
    def primal_length(self) -> float:
        """Of the step that is taken."""
        return min(1.0, _STEP * self.primal)

    @property
    def dual_length(self) -> float:
        """Of the step that is taken."""
        return min(1.0, _STEP * self.dual)


@dataclass
class _Bracket:
    """The best weights so far with their objective, and the best lower bound with what proves it."""

    objective: float
    w: np.ndarray
    b: float
    lower: float = -np.inf
    multipliers: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def gap(self) -> float:
        return self.objective - self.lower

    def within(self, tol: float) -> bool:
        """Whether the gap is small beside the objective reached: an iterate's own may be far above it."""
        return self.gap <= tol * max(1.0, abs(self.objective))


class _Method:
    def __init__(self, program: Program, threads: _Threads, correctors: int, neighbour: _Method | None = None) -> None:
        self.program, self.threads, self.correctors = program, threads, correctors
        X = program.X
        m, n = X.shape
        self.m, self.n = m, n
        if neighbour is None:
            self.entries = entries_of(program)
            self.masks = symmetric_products.tile_masks(self.entries.pointer, self.entries.column, n)
        else:
            self.entries = neighbour.entries._replace(remaining=program.remaining, price=float(program.price))
            self.masks = neighbour.masks
        edges = np.linspace(0, len(self.masks), threads.count + 1).astype(int)
        self.block_parts = list(pairwise(edges.tolist()))
        self.row_parts = list(pairwise(np.minimum(edges * symmetric_products.BLOCK, m).tolist()))
        self.boxed = bool(np.isfinite(program.box))
        # For LP a float32 system loses nothing until the very end, and FDROP's would not stay positive definite; it
        # pays where forming the system is what takes the time.
        self.fast: Any = np.float32 if self.boxed and m * n > _LARGE else np.float64
        self.precision = self.fast
        self._start()
        size = len(self.entries.v)
        self.s_box = np.stack([program.box - self.w, program.box + self.w])[:, : n if self.boxed else 0]
        self.count = self.point.s.size + self.point.s_row.size + self.p_box.size
        self.eliminated = kernels.Eliminated(*(np.empty(m) for _ in range(3)))
        self.k, self.h = np.empty((2, m)), np.empty((2, m))
        self.slack = np.empty(m)
        self.step, self.spare = self._new_step(size), self._new_step(size)

    def _start(self) -> None:
        """A strictly feasible point with all products equal."""
        program, m, v = self.program, self.m, self.entries.v
        lam, scale, size = 5.0 * program.level, program.scale, len(self.entries.v)
        self.w, self.b = np.zeros(self.n), 0.0
        s = np.empty((2, size))
        s[0] = 0.03 * scale * v
        s[1] = v * (lam + program.offset) + s[0]
        s_row = np.empty((3, m))
        s_row[2] = lam
        short = program.required + self._row_sums(s[1]) - self.entries.remaining * lam
        s_row[1] = scale + np.maximum(0.0, short)
        s_row[0] = scale + np.maximum(0.0, -short)
        mu = 10.0 * program.price * scale
        self.point = kernels.Point(s, mu / s, s_row, mu / s_row)
        self.p_box = np.full((2, self.n if self.boxed else 0), mu / program.box)

    def _row_sums(self, x: np.ndarray) -> np.ndarray:
        pointer = self.entries.pointer
        sums: np.ndarray = np.add.reduceat(np.append(x, 0.0), pointer[:-1]) * (np.diff(pointer) > 0)
        return sums

    def _new_step(self, size: int) -> _Step:
        # The targets of entries are corrections of a common centre: float32 is plenty.
        wide = [np.empty((3, self.m)) for _ in range(3)]
        k, h, push, d_lambda = (np.empty(self.m) for _ in range(4))
        t = np.empty((2, size), dtype=np.float32)
        return _Step(kernels.RowStep(t, wide[0], k, h, wide[1], wide[2], push, d_lambda), np.zeros(self.n))

    # --- one iteration -----------------------------------------------------------------------------------------------

    def _form(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take the step; lower triangle and diagonal of the system in (w, b), and the affine right-hand side."""
        n, step = self.n, self.step
        primal, dual = step.primal_length, step.dual_length
        tiles = self.masks.shape[1]
        lanes, rows = symmetric_products.LANES, symmetric_products.BLOCK

        def part(first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            panels = np.empty((tiles, rows, 2, lanes), dtype=self.precision)
            products = np.zeros((tiles * (tiles + 1) // 2, lanes, lanes), dtype=self.precision)
            diagonal, right = np.zeros(n + 1), np.zeros(n + 1)
            kernels.form(
                first, last, self.entries, self.point, step.rows, step.center, step.dw, primal, dual, self.eliminated,
                self.masks, panels, products, diagonal, right,
            )  # fmt: skip
            return products, diagonal, right

        formed = self.threads.map(part, self.block_parts)
        if primal > 0:
            self.w = self.w + primal * step.dw
            self.b += primal * step.db
            if self.boxed:
                self.s_box = self.s_box + primal * np.stack([-step.dw, step.dw])
                self.p_box = self.p_box + dual * step.dp_box
        system = np.zeros((n + 1, n + 1))
        for products, _, _ in formed:
            symmetric_products.assemble(products, system)
        diagonal, right = (np.sum([each[position] for each in formed], axis=0) for position in (1, 2))
        diagonal[:n] += self.program.curvature
        if self.boxed:
            diagonal[:n] += (self.p_box / self.s_box).sum(axis=0)
        return system, diagonal, right

    def _factor(self, system: np.ndarray, diagonal: np.ndarray) -> None:
        used = self.n + 1 if self.program.fit_intercept else self.n
        shift = 1e-7 if self.precision is np.float32 else 1e-13
        while True:
            np.fill_diagonal(system, diagonal * (1.0 + shift))
            try:
                self.factor = linalg.cho_factor(system[:used, :used], lower=True, check_finite=False)
                return
            except linalg.LinAlgError:
                shift = max(shift * 100, 1e-13)
                if shift > 1e-2:
                    raise

    def _solve_system(self, right: np.ndarray, step: _Step) -> None:
        """Steps of w and b for a right-hand side that lacks the box's and the curvature's part."""
        n = self.n
        right[:n] -= self.program.curvature * self.w
        if self.boxed:
            right[:n] += step.t_box[1] / self.s_box[1] - step.t_box[0] / self.s_box[0]
        used = len(self.factor[0])
        moved = linalg.cho_solve(self.factor, right[:used], check_finite=False)
        step.dw, step.db = np.ascontiguousarray(moved[:n]), float(moved[n]) if self.program.fit_intercept else 0.0
        if self.boxed:
            ds_box = np.stack([-step.dw, step.dw])
            step.dp_box = step.t_box / self.s_box - self.p_box - self.p_box / self.s_box * ds_box

    def _set_lengths(self, step: _Step, worst_primal: float, worst_dual: float) -> None:
        if self.boxed:
            ds_box = np.stack([-step.dw, step.dw])
            worst_primal = max(worst_primal, float(np.max(-ds_box / self.s_box)))
            worst_dual = max(worst_dual, float(np.max(-step.dp_box / self.p_box)))
        step.primal, step.dual = 1.0 / max(worst_primal, 1e-300), 1.0 / max(worst_dual, 1e-300)

    def _predict(self, affine_right: np.ndarray) -> tuple[float, np.ndarray]:
        """The affine step; turns the step into Mehrotra's corrector, returning the centre and its right-hand side."""
        step = self.step
        step.t_box = np.zeros_like(self.p_box)
        self._solve_system(affine_right.copy(), step)

        def part(start: int, stop: int) -> tuple[np.ndarray, ...]:
            right = np.zeros((2, self.n + 1))
            sums = kernels.affine(
                start, stop, self.entries, self.point, self.eliminated, step.rows, step.dw, step.db, self.k, self.h,
                right,
            )  # fmt: skip
            return np.array(sums), right

        parts = self.threads.map(part, self.row_parts)
        total, linear, square = np.sum([sums[:3] for sums, _ in parts], axis=0)
        self._set_lengths(step, *np.max([sums[3:] for sums, _ in parts], axis=0))
        primal, dual = min(1.0, step.primal), min(1.0, step.dual)
        # The affine step of a multiplier is -1 minus that of its slack, in units of themselves.
        after = total + primal * linear - dual * (total + linear) - primal * dual * square
        if self.boxed:
            ds_box = np.stack([-step.dw, step.dw])
            total += float((self.s_box * self.p_box).sum())
            after += float(((self.s_box + primal * ds_box) * (self.p_box + dual * step.dp_box)).sum())
            step.t_box = -ds_box * step.dp_box
        mu = total / self.count
        center = min(_CENTER, (after / total) ** 3) * mu
        step.center = center
        step.t_box = step.t_box + center
        step.rows.t_row[:] += center
        step.rows.k[:] += center * self.k[0] + self.k[1]
        step.rows.h[:] += center * self.h[0] + self.h[1]
        ones, products = np.sum([right for _, right in parts], axis=0)
        return total, affine_right + center * ones + products

    def _measure(self, step: _Step) -> None:
        def part(start: int, stop: int) -> tuple[float, float]:
            worst: tuple[float, float] = kernels.measure(
                start, stop, self.entries, self.point, self.eliminated, step.rows, step.center, step.dw, step.db
            )
            return worst

        self._set_lengths(step, *np.max(self.threads.map(part, self.row_parts), axis=0))

    def _corrected(self, primal: float, dual: float) -> None:
        """Gondzio's correction of the step for these lengths, into the spare one."""
        step, spare = self.step, self.spare
        low, high = step.center / _BAND, step.center * _BAND

        def part(start: int, stop: int) -> np.ndarray:
            right = np.zeros(self.n + 1)
            kernels.correct(
                start, stop, self.entries, self.point, self.eliminated, step.rows, step.center, step.dw, primal, dual,
                low, high, spare.rows, right,
            )  # fmt: skip
            return right

        right = np.sum(self.threads.map(part, self.row_parts), axis=0)
        spare.center, spare.t_box = step.center, step.t_box
        if self.boxed:
            ds_box = np.stack([-step.dw, step.dw])
            product = (self.s_box + primal * ds_box) * (self.p_box + dual * step.dp_box)
            spare.t_box = step.t_box + np.maximum(np.clip(product, low, high) - product, -high)
        self._solve_system(right, spare)
        self._measure(spare)

    def _iterate(self, affine_right: np.ndarray) -> float:
        """Mehrotra's predictor and corrector, then Gondzio's correctors while they lengthen the step.

        The step found is taken when the next system is formed. Returns the sum of products before it.
        """
        products, right = self._predict(affine_right)
        self._solve_system(right, self.step)
        self._measure(self.step)
        for _ in range(self.correctors):
            best = self.step
            if min(_STEP * best.primal, _STEP * best.dual) >= 0.95:
                break
            self._corrected(*(min(1.0, _STEP * length + _LONGER) for length in (best.primal, best.dual)))
            trial = self.spare
            gained = trial.primal_length + trial.dual_length - best.primal_length - best.dual_length
            if gained < _GAIN:
                break
            self.step, self.spare = trial, best
        # Short steps may be the rounding's fault.
        self.precision = np.float64 if min(self.step.primal, self.step.dual) < 0.1 else self.fast
        return products

    # --- bounds ------------------------------------------------------------------------------------------------------

    def objective(self, coef: np.ndarray, intercept: float) -> float:
        """Exact objective of given weights, from the closed form of the slacks."""
        program = self.program

        def part(start: int, stop: int) -> None:
            bound_kernels.worst_case_slack(
                start, stop, self.entries, program.required, program.offset, coef, intercept, self.slack
            )

        self.threads.map(part, self.row_parts)
        return float(0.5 * program.curvature * coef @ coef + program.price * self.slack.sum())

    def dual_objective(self) -> float:
        """A lower bound: the multipliers, made feasible row by row, and balanced between the classes."""
        program = self.program

        def feasible(start: int, stop: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            weight, gained, pulled = np.zeros(2), np.zeros(2), np.zeros((2, self.n))
            bound_kernels.feasible_dual(
                start, stop, self.entries, program.required, program.offset, self.point.p, self.point.p_row, weight,
                gained, pulled,
            )  # fmt: skip
            return weight, gained, pulled

        parts = self.threads.map(feasible, self.row_parts)
        weight, gained, pulled = (np.sum([part[position] for part in parts], axis=0) for position in range(3))
        scale = np.ones(2)
        if program.fit_intercept:
            # The constraints of a row are homogeneous in its multipliers: shrink the heavier class.
            scale = weight.min() / np.maximum(weight, 1e-300)
        pull = scale @ pulled
        if self.boxed:
            return float(scale @ gained) - program.box * float(np.abs(pull).sum())
        return float(scale @ gained) - 0.5 * float(pull @ pull)

    # --- the method --------------------------------------------------------------------------------------------------

    def solve(self, tol: float, max_iter: int) -> Solution:
        """Iterate until the bracket is narrow enough."""
        program = self.program
        bracket = _Bracket(self.objective(self.w, self.b), self.w, self.b)
        gap, taken = np.inf, 0
        while True:
            system, diagonal, right = self._form()
            upper = float(0.5 * program.curvature * self.w @ self.w + program.price * self.point.s_row[1].sum())
            # The products sum to nearly the gap: far from the end no bound is worth its pass.
            if gap < _FAR * tol * max(1.0, abs(upper)) or taken == max_iter:
                self._narrow(bracket)
                if bracket.within(tol) or taken == max_iter:
                    break
            try:
                self._factor(system, diagonal)
            except linalg.LinAlgError:
                self._narrow(bracket)
                break
            gap = self._iterate(right)
            taken += 1
        problem = "" if bracket.within(tol) else f"the gap is {bracket.gap:.1e} after {taken} iterations"
        return Solution(
            bracket.w, bracket.b, bracket.objective, bracket.lower, taken, problem, multipliers=bracket.multipliers
        )

    def _narrow(self, bracket: _Bracket) -> None:
        """Note weights and multipliers that do better than those before."""
        exact, bound = self.objective(self.w, self.b), self.dual_objective()
        if exact < bracket.objective:
            bracket.objective, bracket.w, bracket.b = exact, self.w, self.b
        if bound > bracket.lower:
            bracket.lower = bound
            bracket.multipliers = self.point.p_row[0].copy(), self.point.p[0].copy()
