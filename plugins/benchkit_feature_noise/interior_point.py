"""The structured interior-point method of Dekel, Shamir & Xiao 2010 (2.3 and Appendix B), for LP and FDROP alike.

Both are one problem, `benchkit_feature_noise.programs.Program`, whose letters are used here.

Eliminating alpha, lambda and xi row by row leaves a system in (w, b) that is a diagonal plus two symmetric rank-m
products: O(m n^2) work, O(number of entries) memory. Notation of the elimination, all per row i: d_r, d_a, d_t, d_xi,
d_l are multiplier/slack of the entry, alpha, row, xi and lambda constraints; D = d_r + d_a, phi = d_r/D,
f = d_r d_a/D; sigma = 1/d_t + 1/d_xi + sum_j 1/D; Delta = phi.v - P_i; kappa = sum_j v^2 f + Delta^2/sigma;
omega = [v f + phi Delta/sigma; Delta/sigma]. With u_j = y x_ij dw_j the row contributes
{diag(f; 0) + [phi; 1][phi; 1]^T/sigma - omega omega^T/(d_l + kappa)} in the coordinates (u, y db).

Every iterate is strictly feasible, and the right-hand side, written with the targets T of the products slack x
multiplier, needs no dual residual: multipliers after a full step are T/slack - d ds whatever they were before.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import linalg

from benchkit_feature_noise import interior_point_kernels as kernels
from benchkit_feature_noise.programs import Program, Solution

# Rows whose dense form is in cache while their product is taken.
_BLOCK = 256
_LARGE = 100_000  # entries of a dense X from which float32 pays
_STEP = 0.95  # share of the way to the boundary
_CENTER = 0.3  # largest share of the present complementarity to aim at
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
    with _Threads(n_threads) as threads:
        tried = (4 if program.X.nnz < 1_000_000 else 2) if correctors is None else correctors
        return _Method(program, threads, tried).solve(tol, max_iter)


def _corrected(arrays: tuple[np.ndarray, ...], limits: tuple[float, ...], start: int, stop: int) -> None:
    kernels.corrected_targets(*arrays, start, stop, *limits)


class _Threads:
    """Runs a function on contiguous parts of rows, in threads where there are several."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def __enter__(self) -> _Threads:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def parts(self, n: int) -> list[tuple[int, int]]:
        """Contiguous parts of range(n), one a thread."""
        edges = np.linspace(0, n, self.count + 1).astype(int).tolist()
        return list(pairwise(edges))

    def map(self, function: Callable[[int, int], Any], parts: list[tuple[int, int]]) -> list[Any]:
        """Results of the function on each part."""
        if self._pool is None:
            return [function(*part) for part in parts]
        return list(self._pool.map(lambda part: function(*part), parts))


@dataclass
class _Step:
    """A direction: steps of w, b, and of all slacks and multipliers, with the largest admissible lengths."""

    ds: np.ndarray
    dp: np.ndarray
    ds_row: np.ndarray
    dp_row: np.ndarray
    dw: np.ndarray = field(default_factory=lambda: np.empty(0))
    db: float = 0.0
    dp_box: np.ndarray = field(default_factory=lambda: np.empty((2, 0)))
    primal: float = 0.0
    dual: float = 0.0


class _Method:
    def __init__(self, program: Program, threads: _Threads, correctors: int) -> None:
        self.program, self.threads, self.correctors = program, threads, correctors
        X = program.X
        m, n = X.shape
        self.m, self.n = m, n
        self.pointer = X.indptr.astype(np.int64)
        self.column = X.indices.astype(np.int32)
        lengths = np.diff(self.pointer)
        self.yx = X.data * np.repeat(program.y, lengths)
        self.v = program.values[self.column]
        self.remaining = program.remaining
        self.row_parts = threads.parts(m)
        self.entry_parts = [(int(self.pointer[a]), int(self.pointer[b])) for a, b in self.row_parts]
        self.boxed = bool(np.isfinite(program.box))
        # For LP a float32 system loses nothing until the very end, and FDROP's would not stay positive definite; it
        # pays where forming the system is what takes the time.
        self.fast: Any = np.float32 if self.boxed and m * n > _LARGE else np.float64
        self.precision = self.fast
        self._start()

    def _start(self) -> None:
        """A strictly feasible point with all products equal."""
        program, m, size = self.program, self.m, len(self.yx)
        lam, scale = 5.0 * program.level, program.scale
        self.w, self.b = np.zeros(self.n), 0.0
        self.s = np.empty((2, size))
        self.s[0] = 0.03 * scale * self.v
        self.s[1] = self.v * (lam + program.offset) + self.s[0]
        self.s_row = np.empty((3, m))
        self.s_row[2] = lam
        total_alpha = np.add.reduceat(np.append(self.s[1], 0.0), self.pointer[:-1]) * (np.diff(self.pointer) > 0)
        short = program.required + total_alpha - self.remaining * lam
        self.s_row[1] = scale + np.maximum(0.0, short)
        self.s_row[0] = scale + np.maximum(0.0, -short)
        mu = 10.0 * program.price * scale
        self.p, self.p_row = mu / self.s, mu / self.s_row
        self.s_box = np.full((2, self.n if self.boxed else 0), program.box)
        self.p_box = mu / self.s_box
        self.count = self.s.size + self.s_row.size + self.p_box.size
        self.phi, self.f, self.inverse = (np.empty(size) for _ in range(3))
        self.sigma, self.delta, self.den, self.k_row, self.h_row = (np.empty(m) for _ in range(5))
        self.t, self.t_row = np.empty((2, size)), np.empty((3, m))
        self.slack = np.empty(m)

    # --- one iteration -----------------------------------------------------------------------------------------------

    def _factor(self) -> None:
        """Eliminate row by row, form the system in (w, b), and factor it."""
        program, n = self.program, self.n

        def part(start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
            kernels.factor_rows(
                start, stop, self.pointer, self.v, self.remaining, self.s, self.p, self.s_row, self.p_row,
                self.phi, self.f, self.inverse, self.sigma, self.delta, self.den,
            )  # fmt: skip
            plus, minus = (np.empty((min(_BLOCK, self.m), n + 1), dtype=self.precision) for _ in range(2))
            system, diagonal = np.zeros((n + 1, n + 1), dtype=self.precision), np.zeros(n + 1)
            for first in range(start, stop, _BLOCK):
                last = min(first + _BLOCK, stop)
                kernels.fill_block(
                    first, last, self.pointer, self.column, self.yx, program.y, self.v, self.phi, self.f,
                    self.sigma, self.delta, self.den, plus, minus, diagonal,
                )  # fmt: skip
                rows = last - first
                system += plus[:rows].T @ plus[:rows]  # numpy takes the symmetric product
                system -= minus[:rows].T @ minus[:rows]
            return system, diagonal

        formed = self.threads.map(part, self.row_parts)
        system = formed[0][0].astype(np.float64)
        for other, _ in formed[1:]:
            system += other
        diagonal = np.sum([diagonal for _, diagonal in formed], axis=0)
        diagonal[:n] += program.curvature
        if self.boxed:
            diagonal[:n] += (self.p_box / self.s_box).sum(axis=0)
        shift = 1e-7 if self.precision is np.float32 else 1e-13
        while True:
            np.fill_diagonal(system, diagonal * (1.0 + shift))
            try:
                used = n + 1 if program.fit_intercept else n
                self.factor = linalg.cho_factor(system[:used, :used], lower=True, check_finite=False)
                return
            except linalg.LinAlgError:
                shift = max(shift * 100, 1e-13)
                if shift > 1e-2:
                    raise

    def _direct(self, t: np.ndarray, t_row: np.ndarray, t_box: np.ndarray, step: _Step) -> _Step:
        """The direction that aims at products t, into the buffers of ``step``."""
        program, n = self.program, self.n

        def side(start: int, stop: int) -> np.ndarray:
            out = np.zeros(n + 1)
            kernels.right_side(
                start, stop, self.pointer, self.column, self.yx, program.y, self.v, self.remaining, program.price,
                self.s, self.p_row, self.s_row, self.phi, self.f, self.inverse, self.sigma, self.delta, self.den,
                t, t_row, self.k_row, self.h_row, out,
            )  # fmt: skip
            return out

        right = np.sum(self.threads.map(side, self.row_parts), axis=0)
        right[:n] -= program.curvature * self.w
        if self.boxed:
            right[:n] += t_box[1] / self.s_box[1] - t_box[0] / self.s_box[0]
        used = len(self.factor[0])
        moved = linalg.cho_solve(self.factor, right[:used], check_finite=False)
        step.dw, step.db = moved[:n], float(moved[n]) if program.fit_intercept else 0.0

        def move(start: int, stop: int) -> tuple[float, float]:
            worst: tuple[float, float] = kernels.direction(
                start, stop, self.pointer, self.column, self.yx, program.y, self.v, program.price, self.s, self.p,
                self.s_row, self.p_row, self.phi, self.f, self.inverse, self.sigma, self.delta, self.den, t, t_row,
                self.k_row, self.h_row, step.dw, step.db, step.ds, step.dp, step.ds_row, step.dp_row,
            )  # fmt: skip
            return worst

        worst = np.max(self.threads.map(move, self.row_parts), axis=0)
        if self.boxed:
            ds_box = np.stack([-step.dw, step.dw])
            step.dp_box = t_box / self.s_box - self.p_box - self.p_box / self.s_box * ds_box
            worst = np.maximum(worst, [np.max(-ds_box / self.s_box), np.max(-step.dp_box / self.p_box)])
        step.primal, step.dual = (float(1.0 / max(w, 1e-300)) for w in worst)
        return step

    def _complementarity(self, step: _Step, primal: float, dual: float) -> float:
        """Mean product after steps of these lengths."""

        def entries(start: int, stop: int) -> float:
            found: float = kernels.products(self.s, self.p, step.ds, step.dp, start, stop, primal, dual)
            return found

        total = sum(self.threads.map(entries, self.entry_parts))
        total += kernels.products(self.s_row, self.p_row, step.ds_row, step.dp_row, 0, self.m, primal, dual)
        if self.boxed:
            ds_box = np.stack([-step.dw, step.dw])
            total += float(((self.s_box + primal * ds_box) * (self.p_box + dual * step.dp_box)).sum())
        return total / self.count

    def _iterate(self, steps: list[_Step]) -> None:
        """Mehrotra's predictor and corrector, then Gondzio's correctors while they lengthen the step."""
        self._factor()
        affine, best = steps
        zero_box = np.zeros_like(self.p_box)
        self.t[:], self.t_row[:] = 0.0, 0.0
        self._direct(self.t, self.t_row, zero_box, affine)
        mu = self._complementarity(affine, 0.0, 0.0)
        after = self._complementarity(affine, min(1.0, affine.primal), min(1.0, affine.dual))
        center = min(_CENTER, (after / mu) ** 3) * mu

        def targets(start: int, stop: int) -> None:
            kernels.second_order_targets(affine.ds, affine.dp, self.t, start, stop, center)

        self.threads.map(targets, self.entry_parts)
        kernels.second_order_targets(affine.ds_row, affine.dp_row, self.t_row, 0, self.m, center)
        t_box = center - np.stack([-affine.dw, affine.dw]) * affine.dp_box if self.boxed else zero_box
        self._direct(self.t, self.t_row, t_box, best)
        trial = affine  # its part is done: the targets hold what matters of it
        t, t_row = self.t, self.t_row
        spare, spare_row = np.empty_like(t), np.empty_like(t_row)
        for _ in range(self.correctors):
            if min(_STEP * best.primal, _STEP * best.dual) >= 0.95:
                break
            primal, dual = (min(1.0, _STEP * length + _LONGER) for length in (best.primal, best.dual))
            low, high = center / _BAND, center * _BAND
            corrected = partial(_corrected, (self.s, self.p, best.ds, best.dp, t, spare), (primal, dual, low, high))
            self.threads.map(corrected, self.entry_parts)
            kernels.corrected_targets(
                self.s_row, self.p_row, best.ds_row, best.dp_row, t_row, spare_row, 0, self.m, primal, dual, low, high
            )
            new_box = t_box
            if self.boxed:
                ds_box = np.stack([-best.dw, best.dw])
                product = (self.s_box + primal * ds_box) * (self.p_box + dual * best.dp_box)
                new_box = t_box + np.maximum(np.clip(product, low, high) - product, -high)
            self._direct(spare, spare_row, new_box, trial)
            gained = sum(min(1.0, _STEP * x) for x in (trial.primal, trial.dual))
            gained -= sum(min(1.0, _STEP * x) for x in (best.primal, best.dual))
            if gained < _GAIN:
                break
            best, trial = trial, best
            t, spare, t_row, spare_row, t_box = spare, t, spare_row, t_row, new_box
        self.t, self.t_row = t, t_row
        self._move(best)
        # Short steps may be the rounding's fault.
        self.precision = np.float64 if min(best.primal, best.dual) < 0.1 else self.fast

    def _move(self, step: _Step) -> None:
        primal, dual = min(1.0, _STEP * step.primal), min(1.0, _STEP * step.dual)

        def move(start: int, stop: int) -> None:
            kernels.move(self.s, self.p, step.ds, step.dp, start, stop, primal, dual)

        self.threads.map(move, self.entry_parts)
        kernels.move(self.s_row, self.p_row, step.ds_row, step.dp_row, 0, self.m, primal, dual)
        self.w = self.w + primal * step.dw
        self.b += primal * step.db
        if self.boxed:
            self.s_box = self.s_box + primal * np.stack([-step.dw, step.dw])
            self.p_box = self.p_box + dual * step.dp_box

    # --- bounds ------------------------------------------------------------------------------------------------------

    def objective(self, coef: np.ndarray, intercept: float) -> float:
        """Exact objective of given weights, from the closed form of the slacks."""
        program = self.program

        def part(start: int, stop: int) -> None:
            kernels.worst_case_slack(
                start, stop, self.pointer, self.column, self.yx, program.y, self.v, self.remaining, program.required,
                program.offset, coef, intercept, self.slack,
            )  # fmt: skip

        self.threads.map(part, self.row_parts)
        return float(0.5 * program.curvature * coef @ coef + program.price * self.slack.sum())

    def dual_objective(self) -> tuple[float, tuple[np.ndarray, np.ndarray]]:
        """A lower bound, and what proves it: multipliers made feasible row by row, balanced between the classes."""
        program = self.program
        r, t = np.empty(len(self.yx)), np.empty(self.m)

        def feasible(start: int, stop: int) -> None:
            kernels.feasible_dual(
                start, stop, self.pointer, self.v, self.remaining, program.price, self.p, self.p_row, r, t
            )

        self.threads.map(feasible, self.row_parts)
        scale = np.ones(self.m)
        if program.fit_intercept:
            # The constraints of a row are homogeneous in its multipliers: shrink the heavier class.
            sums = {sign: float(t[program.y == sign].sum()) for sign in (-1.0, 1.0)}
            least = min(sums.values())
            for sign, total in sums.items():
                if total > 0:
                    scale[program.y == sign] = least / total

        def pull(start: int, stop: int) -> np.ndarray:
            out = np.zeros(self.n)
            kernels.pull_of(start, stop, self.pointer, self.column, self.yx, r, scale, out)
            return out

        pulled = np.sum(self.threads.map(pull, self.row_parts), axis=0)
        gained = float((program.required * t) @ scale)
        if program.offset:
            gained += program.offset * float((self.v * r) @ np.repeat(scale, np.diff(self.pointer)))
        loss = program.box * float(np.abs(pulled).sum()) if self.boxed else 0.5 * float(pulled @ pulled)
        return gained - loss, (t, r)

    # --- the method --------------------------------------------------------------------------------------------------

    def solve(self, tol: float, max_iter: int) -> Solution:
        shape, shape_row = self.s.shape, self.s_row.shape
        steps = [_Step(np.empty(shape), np.empty(shape), np.empty(shape_row), np.empty(shape_row)) for _ in range(2)]
        best = (self.objective(self.w, self.b), self.w, self.b)
        lower, proof, taken, converged = -np.inf, None, 0, False
        for taken in range(1, max_iter + 1):
            try:
                self._iterate(steps)
            except linalg.LinAlgError:
                break
            bound, multipliers = self.dual_objective()
            if bound > lower:
                lower, proof = bound, multipliers
            upper = 0.5 * self.program.curvature * self.w @ self.w + self.program.price * self.s_row[1].sum()
            size = max(1.0, abs(upper))
            # The closed form is far better than the iterate's own slacks, but costs a sort of every row.
            if min(upper, best[0]) - lower < 300 * tol * size or taken == max_iter:
                exact = self.objective(self.w, self.b)
                if exact < best[0]:
                    best = exact, self.w.copy(), self.b
                if best[0] - lower <= tol * size:
                    converged = True
                    break
        problem = "" if converged else f"the gap is {best[0] - lower:.1e} after {taken} iterations"
        return Solution(best[1], best[2], best[0], lower, taken, problem, proof)
