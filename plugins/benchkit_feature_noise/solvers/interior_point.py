"""The structured interior-point method of Dekel, Shamir & Xiao 2010 (2.3 and Appendix B), for LP and FDROP alike.

Both are one problem, `benchkit_feature_noise.solvers.programs.Program`, whose letters are used here.

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

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy import linalg

from benchkit_feature_noise.solvers import bound_kernels, box_kernels, symmetric_products
from benchkit_feature_noise.solvers import interior_point_kernels as kernels
from benchkit_feature_noise.solvers.newton_systems import (
    RowSystem,
    by_conjugate_gradients,
    far_residual,
    next_residual,
    residual_for,
    shifted_cholesky,
)
from benchkit_feature_noise.solvers.optimality import Bracket, certified
from benchkit_feature_noise.solvers.programs import Program, Solution

_STEP = 0.95  # share of the way to the boundary
_CENTER = 0.3  # largest share of the present complementarity to aim at
_LOG = logging.getLogger(__name__)
_SILENT = 60.0  # seconds at most
_FAR = 1000.0  # times the wished gap
_LONG_DONE = 0.1  # times the wished gap
# Gondzio's correctors: wished and demanded lengthening, width of the band, and how many are tried in an iteration. From
# 1 to 4, each saves as much as it costs.
_LONGER, _GAIN, _BAND, _CORRECTORS = 0.3, 0.03, 10.0, 2


class Threads:
    """Runs a function on contiguous parts, in threads where there are several; used in a ``with`` statement."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def __enter__(self) -> Self:
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
    t_box: np.ndarray
    dp_box: np.ndarray
    db: float = 0.0
    center: float = 0.0
    box_primal: float = 0.0  # largest -ds/s of the box, and -dp/p
    box_dual: float = 0.0
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


class InteriorPoint:
    """The method on one program; its ``neighbour`` is one on a program with the same X, y and values.

    Such programs share what depends on these. Each starts afresh: from a neighbour's iterate, at constants a factor 1.5
    apart, it took as many iterations.
    """

    def __init__(self, program: Program, threads: Threads, neighbour: InteriorPoint | None = None) -> None:
        self.program, self.threads = program, threads
        X = program.X
        m, n = X.shape
        self.m, self.n = m, n
        if neighbour is None:
            self.entries = kernels.entries_of(program)
        else:
            self.entries = neighbour.entries._replace(remaining=program.remaining, price=program.price)
        edges = np.linspace(0, -(-m // symmetric_products.BLOCK), threads.count + 1).astype(int)
        self.block_parts = list(pairwise(edges.tolist()))
        self.row_parts = list(pairwise(np.minimum(edges * symmetric_products.BLOCK, m).tolist()))
        self.boxed = bool(np.isfinite(program.box))
        self._start()
        size = len(self.entries.v)
        self.s_box = np.full_like(self.p_box, program.box)
        self.count = 2 * X.nnz + self.point.s_row.size + self.p_box.size
        self.eliminated = kernels.Eliminated(*(np.empty(m) for _ in range(5)))
        self.k, self.h = np.empty((2, m)), np.empty((2, m))
        self.slack = np.empty(m)
        self.step, self.spare = self._new_step(size), self._new_step(size)
        self.by_rows: RowSystem | None = None
        if by_conjugate_gradients(X):
            self.by_rows = RowSystem(self.entries, n, threads.map, self.row_parts)
            return
        self.masks = symmetric_products.tile_masks(X.indptr, X.indices, n) if neighbour is None else neighbour.masks
        self.system = np.empty((self.n + 1, self.n + 1))
        tiles, lanes = self.masks.shape[1], symmetric_products.LANES
        # Memory that is new in every iteration costs more than what is written into it.
        self.formed_in = {
            first: (
                np.empty((tiles, symmetric_products.BLOCK, 2, lanes)),
                np.empty((tiles * (tiles + 1) // 2, lanes, lanes)),
            )
            for first, _ in self.block_parts
        }

    def _start(self) -> None:
        """A strictly feasible point with all products of a row equal."""
        program, m, v = self.program, self.m, self.entries.v
        lam, scale = 5.0 * program.level, program.scale
        if by_conjugate_gradients(program.X):
            # The few entries of a row hold its margin among them: at 1/P, 50 of 50,000 start so far out that no step
            # moves a large box. On images, with a sixth to a half of the entries, it saves nothing.
            lam = 5.0 * program.margin * m / v.sum()
        self.w, self.b = np.zeros(self.n), 0.0
        filled = v == 0.0
        s = np.stack([0.03 * scale * v, (lam + program.offset + 0.03 * scale) * v])
        alphas = self._row_sums(s[1])
        s[:, filled] = 1.0
        s_row = np.empty((3, m))
        s_row[2] = lam
        short = program.required + alphas - self.entries.remaining * lam
        s_row[1] = scale + np.maximum(0.0, short)
        s_row[0] = scale + np.maximum(0.0, -short)
        mu = 10.0 * scale * program.price
        p = np.ones_like(s)
        places = kernels.places_of(self.entries.start, self.entries.length)
        p[:, places] = np.repeat(mu, self.entries.length) / s[:, places]
        self.point = kernels.Point(s, p, s_row, mu / s_row)
        self.p_box = np.full((2, self.n if self.boxed else 0), np.median(mu) / program.box)

    def _row_sums(self, x: np.ndarray) -> np.ndarray:
        sums: np.ndarray = np.add.reduceat(np.append(x, 0.0), self.entries.start) * (self.entries.length > 0)
        return sums

    def _new_step(self, size: int) -> _Step:
        # The targets of entries are corrections of a common centre: float32 is plenty.
        wide = [np.empty((3, self.m)) for _ in range(3)]
        k, h, push, d_lambda = (np.empty(self.m) for _ in range(4))
        t = np.empty((2, size), dtype=np.float32)
        t_box, dp_box = np.zeros_like(self.p_box), np.zeros_like(self.p_box)
        rows = kernels.RowStep(t, wide[0], k, h, wide[1], wide[2], push, d_lambda)
        return _Step(rows, np.zeros(self.n), t_box, dp_box)

    # --- one iteration -----------------------------------------------------------------------------------------------

    def _form(self) -> np.ndarray:
        """Take the step; prepare the system in (w, b), and return the affine right-hand side."""
        n, step = self.n, self.step
        primal, dual = step.primal_length, step.dual_length
        if self.by_rows is not None:
            diagonal, right = self._formed_rows(self.by_rows, primal, dual)
        else:
            diagonal, right = self._formed_products(primal, dual)
        diagonal[:n] += self.program.curvature
        if self.boxed:
            diagonal[:n] += (self.p_box / self.s_box).sum(axis=0)
        self.diagonal = diagonal
        return right

    def _take_step_of_weights(self, primal: float, dual: float) -> None:
        if primal > 0:
            self.w = self.w + primal * self.step.dw
            self.b += primal * self.step.db
            box_kernels.move(self.s_box, self.p_box, self.step.dw, self.step.dp_box, primal, dual)

    def _formed_rows(self, by_rows: RowSystem, primal: float, dual: float) -> tuple[np.ndarray, np.ndarray]:
        """Diagonal and right-hand side of the system that is kept as rows."""
        n, step = self.n, self.step

        def part(start: int, stop: int) -> np.ndarray:
            diagonal, right, squares = np.zeros((3, n + 1))
            kernels.form_rows(
                start, stop, self.entries, self.point, step.rows, step.center, step.dw, primal, dual, self.eliminated,
                by_rows.rows, by_rows.bias_rows, diagonal, right, squares,
            )  # fmt: skip
            return np.stack([diagonal, right, squares])

        formed = self.threads.map(part, self.row_parts)
        self._take_step_of_weights(primal, dual)
        diagonal, right, squares = np.sum(formed, axis=0)
        by_rows.diagonal, by_rows.squares = diagonal, squares
        return diagonal, right

    def _formed_products(self, primal: float, dual: float) -> tuple[np.ndarray, np.ndarray]:
        """Diagonal and right-hand side of the system, and its lower triangle."""
        n, step = self.n, self.step

        def part(first: int, last: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            panels, products = self.formed_in[first]
            products[:] = 0.0
            diagonal, right = np.zeros(n + 1), np.zeros(n + 1)
            kernels.form(
                first, last, self.entries, self.point, step.rows, step.center, step.dw, primal, dual, self.eliminated,
                self.masks, panels, products, diagonal, right,
            )  # fmt: skip
            return products, diagonal, right

        formed = self.threads.map(part, self.block_parts)
        self._take_step_of_weights(primal, dual)
        system = self.system
        system[:] = 0.0
        for products, _, _ in formed:
            symmetric_products.assemble(products, system)
        diagonal, right = (np.sum([each[position] for each in formed], axis=0) for position in (1, 2))
        diagonal += np.diag(system)
        return diagonal, right

    def _factor(self) -> None:
        """Factor the lower triangle, which is the upper one of the transpose: a matrix as LAPACK keeps it."""
        if self.by_rows is not None:
            return
        used = self.n + 1 if self.program.fit_intercept else self.n
        self.factor = shifted_cholesky(self.system[:used, :used].T, self.diagonal[:used], lower=0)

    def _solve_system(self, right: np.ndarray, step: _Step, near: _Step | None = None) -> None:
        """Steps of w and b for a right-hand side that lacks the box's and the curvature's part, which it gets.

        A corrected step is ``near`` the one before: from there conjugate gradients have less to do.
        """
        box_kernels.add_to_right(step.t_box, self.s_box, self.program.curvature, self.w, right)
        if self.by_rows is not None:
            start = None if near is None else np.append(near.dw, near.db)
            residual = far_residual(self.residual, self.distance)
            moved = self.by_rows.solve(right, self.program.fit_intercept, residual, start)
        else:
            moved, _ = linalg.lapack.dpotrs(self.factor, right[: len(self.factor)], lower=0)
        step.dw, step.db = moved[: self.n], float(moved[self.n]) if self.program.fit_intercept else 0.0
        step.box_primal, step.box_dual = box_kernels.steps(step.t_box, self.s_box, self.p_box, step.dw, step.dp_box)

    @staticmethod
    def _set_lengths(step: _Step, worst_primal: float, worst_dual: float) -> None:
        step.primal = 1.0 / max(worst_primal, step.box_primal, 1e-300)
        step.dual = 1.0 / max(worst_dual, step.box_dual, 1e-300)

    def _predict(self, affine_right: np.ndarray) -> tuple[float, np.ndarray]:
        """The affine step; turns the step into Mehrotra's corrector, returning the centre and its right-hand side."""
        step = self.step
        step.t_box[:] = 0.0
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
        box = box_kernels.affine(self.s_box, self.p_box, step.dw, step.dp_box, primal, dual, step.t_box)
        total, after = total + box[0], after + box[1]
        mu = total / self.count
        center = min(_CENTER, (after / total) ** 3) * mu
        step.center = center
        step.t_box += center
        step.rows.t_row[:] += center
        step.rows.k[:] += center * self.k[0] + self.k[1]
        step.rows.h[:] += center * self.h[0] + self.h[1]
        ones, products = np.sum([right for _, right in parts], axis=0)
        return total, affine_right + center * ones + products

    def _measure(self, step: _Step) -> None:
        given = self.entries, self.point, self.eliminated, step.rows, step.center, step.dw, step.db
        worst = self.threads.map(lambda start, stop: kernels.measure(start, stop, *given), self.row_parts)
        self._set_lengths(step, *np.max(worst, axis=0))

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
        spare.center = step.center
        box_kernels.correct(
            self.s_box, self.p_box, step.dw, step.dp_box, primal, dual, low, high, step.t_box, spare.t_box
        )
        self._solve_system(right, spare, step)
        self._measure(spare)

    def _iterate(self, affine_right: np.ndarray) -> float:
        """Mehrotra's predictor and corrector, then Gondzio's correctors while they lengthen the step.

        The step found is taken when the next system is formed. Returns the sum of products before it.
        """
        products, right = self._predict(affine_right)
        self._solve_system(right, self.step, self.step)
        self._measure(self.step)
        for _ in range(_CORRECTORS):
            best = self.step
            if min(_STEP * best.primal, _STEP * best.dual) >= 0.95:
                break
            self._corrected(*(min(1.0, _STEP * length + _LONGER) for length in (best.primal, best.dual)))
            trial = self.spare
            gained = trial.primal_length + trial.dual_length - best.primal_length - best.dual_length
            if gained < _GAIN:
                break
            self.step, self.spare = trial, best
        return products

    # --- bounds ------------------------------------------------------------------------------------------------------

    def objective(self, coef: np.ndarray, intercept: float) -> float:
        """Exact objective of given weights, from the closed form of the slacks."""
        program = self.program
        given = self.entries, program.required, program.offset, coef, intercept, self.slack
        self.threads.map(lambda start, stop: bound_kernels.worst_case_slack(start, stop, *given), self.row_parts)
        return float(0.5 * program.curvature * coef @ coef + program.price @ self.slack)

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

    def solve(self, tol: float, max_iter: int = 200, certify: bool = True) -> Solution:
        """Solve until the objective is within ``tol`` of the lower bound, in the program's ``gap_unit``.

        Without ``certify`` it is enough that slacks times multipliers sum to ``tol``. The weights are as good then, but
        the multipliers may still miss their constraints, and the bound that they prove can be far below: at large C,
        half of the iterations go into it.
        """
        program = self.program
        self.residual = residual_for(tol)
        bracket = Bracket(program, self.objective(self.w, self.b), self.w, self.b)
        gap, upper, taken, spoken = np.inf, bracket.objective, 0, time.monotonic()
        while True:
            if time.monotonic() - spoken > _SILENT:
                spoken = time.monotonic()
                place = f"{self.m:,} rows and {self.n:,} columns: iteration {taken}"
                _LOG.warning("%s, the gap is about %.1e, wished is %.1e", place, gap / program.gap_unit(upper), tol)
            right = self._form()
            upper = float(0.5 * program.curvature * self.w @ self.w + program.price @ self.point.s_row[1])
            # The products sum to nearly the gap: far from the end no bound is worth its pass.
            if certify:
                near = gap < _FAR * tol * program.gap_unit(upper)
            else:
                near = self._products() <= tol * program.gap_unit(upper)
            if near or taken == max_iter:
                self._narrow(bracket)
                if taken == max_iter or self._is_done(bracket, tol, certify):
                    break
                # Where slacks times multipliers are long small, rounding is what the bound lacks.
                if certify and self._products() <= _LONG_DONE * tol * program.gap_unit(bracket.objective):
                    solution = self._certified(bracket, self._multipliers(), taken, tol)
                    if not solution.problem:
                        return solution
            self.distance = gap / (tol * program.gap_unit(upper))
            try:
                self._factor()
            except linalg.LinAlgError:
                self._narrow(bracket)
                break
            before, gap = gap, self._iterate(right)
            self.residual = next_residual(self.residual, taken, before, gap)
            taken += 1
        if not self._is_done(bracket, tol, certify):  # at least no worse than the best constant
            nothing, constant = np.zeros(self.n), program.best_constant()
            bracket.consider(self.objective(nothing, constant), nothing, constant)
        done = self._is_done(bracket, tol, certify)
        solution = self._certified(bracket, bracket.proof, taken, tol)
        return replace(solution, problem="") if done else solution

    def _multipliers(self) -> tuple[np.ndarray, np.ndarray]:
        return self.point.p_row[0].copy(), self.point.p[0].copy()

    def _certified(
        self, bracket: Bracket, multipliers: tuple[np.ndarray, np.ndarray] | None, taken: int, tol: float
    ) -> Solution:
        if multipliers is not None:
            multipliers = multipliers[0], multipliers[1][kernels.places_of(self.entries.start, self.entries.length)]
        ends = bracket.objective, bracket.lower
        return certified(self.program, bracket.w, bracket.b, multipliers, taken, tol, bracket=ends)

    def _products(self) -> float:
        """Sum of slacks times multipliers: the gap, were the multipliers feasible."""
        point, filled = self.point, len(self.entries.v) - self.program.X.nnz
        products = float(np.vdot(point.s, point.p)) - 2.0 * filled + float(np.vdot(point.s_row, point.p_row))
        return products + float(np.vdot(self.s_box, self.p_box))

    def _is_done(self, bracket: Bracket, tol: float, certify: bool) -> bool:
        if bracket.within(tol):
            return True
        return not certify and self._products() <= tol * self.program.gap_unit(bracket.objective)

    def _narrow(self, bracket: Bracket) -> None:
        """Note weights and multipliers that do better than those before."""
        bracket.consider(self.objective(self.w, self.b), self.w, self.b)
        bound = self.dual_objective()
        if bound > bracket.lower:
            bracket.lower, bracket.proof = bound, self._multipliers()
