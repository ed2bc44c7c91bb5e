"""Newton systems in (w, b): multiplied out and factored, or where they are too wide kept as rows.

Those are solved by conjugate gradients.

Every iterate's slacks follow from its weights, so that it is feasible however well a step of them solves the system;
what is left undone is part of the next right-hand side. A lower bound is proved by multipliers, never by a step.
"""

from collections.abc import Callable

import numpy as np
from scipy import linalg, sparse

from benchkit_feature_noise.solvers import interior_point_kernels as kernels

# From so many columns on, and for so many entries of their square at most, steps are cheaper than products and a
# factor, and the rows, which are kept, smaller than those.
_WIDE, _FILLED = 2_000, 1 / 8
_MOST = 1000  # steps
# Residual relative to the right-hand side: at the end times the wished gap, as most programs need no better. Where
# columns differ by orders of magnitude some do: after so many iterations, a step that leaves most of the products of
# slacks and multipliers lowers it. Sooner it would double the time of a large box, whose steps are short anyway.
_SHARE, _LARGEST, _LEAST = 1e-3, 1e-4, 1e-10
_FAR_SHARE, _ROUGHEST = 100.0, 1e-3  # far from the end it grows with the gap
_MANY, _SLOW, _LOWER, _LOWEST = 40, 0.8, 0.01, 1e-14


def by_conjugate_gradients(X: sparse.csr_matrix) -> bool:
    """Whether a program's systems are kept as rows: where their square is large beside the entries."""
    n = X.shape[1]
    return bool(n >= _WIDE and X.nnz <= _FILLED * n**2)


def residual_for(tol: float) -> float:
    """How well systems are solved at first, for a gap of ``tol``."""
    return min(max(_SHARE * tol, _LEAST), _LARGEST)


def far_residual(residual: float, distance: float) -> float:
    """How well systems are solved where the gap is ``distance`` times the wished one.

    Solved to a thousandth throughout, a program of 20,000 x 50,000 took as many iterations to a gap of 1e-3 as to a
    millionth, with two thirds of the steps.
    """
    return max(residual, min(_FAR_SHARE * distance * residual, _ROUGHEST))


def next_residual(residual: float, taken: int, before: float, after: float) -> float:
    """How well the next systems are solved, from how well the last ones were, the iterations so far, and the sums of
    slacks times multipliers before and after a step.
    """
    return max(_LOWER * residual, _LOWEST) if taken > _MANY and after > _SLOW * before else residual


def conjugate_gradients(
    times: Callable[[np.ndarray], np.ndarray],
    diagonal: np.ndarray,
    right: np.ndarray,
    residual: float,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Solve ``times(x)`` = ``right`` for x from ``start`` on, preconditioned by the system's diagonal.

    ``times`` is the product of a positive definite matrix with a vector; where x is to be 0, its diagonal is given as
    infinite. What may be left, ``residual``, is relative to ``right``, both in the norm of the diagonal's inverse.
    """
    inverse = 1.0 / np.maximum(diagonal, 1e-300)
    enough = residual**2 * float(right @ (inverse * right))
    x, left = np.zeros_like(right), right.copy()
    if start is not None:
        x += start
        left -= times(x)
    scaled = inverse * left
    direction, product = scaled.copy(), float(left @ scaled)
    for _ in range(_MOST):
        if product <= enough:
            break
        along = times(direction)
        curved = float(direction @ along)
        if not curved > 0.0:  # all that rounding leaves of the matrix
            break
        x += (product / curved) * direction
        left -= (product / curved) * along
        scaled = inverse * left
        before, product = product, float(left @ scaled)
        direction = scaled + (product / before) * direction
    return x


def shifted_cholesky(system: np.ndarray, diagonal: np.ndarray, lower: int = 1) -> np.ndarray:
    """The factor of a matrix given by one of its triangles, once its diagonal is lifted as far as rounding asks.

    The upper triangle and factor where ``lower`` is 0; the system's own diagonal is overwritten. Raises LinAlgError
    where it is not positive definite even when it is lifted by a hundredth.
    """
    shift = 1e-13
    while shift <= 1e-2:
        np.fill_diagonal(system, diagonal * (1.0 + shift))
        factor, failed = linalg.lapack.dpotrf(system, lower=lower, clean=0, overwrite_a=0)
        if failed == 0:
            return np.asarray(factor)
        shift *= 100
    raise linalg.LinAlgError("the system is not positive definite")


Map = Callable[[Callable[[int, int], np.ndarray], list[tuple[int, int]]], list[np.ndarray]]


class RowSystem:
    """The system of `interior_point`: a diagonal, plus one product of each row with itself, minus another.

    ``map_parts`` runs a function on the ``parts`` of the rows, and lists what it gives. ``rows`` (2, n_entries),
    ``bias_rows`` (2, n_rows), ``diagonal`` and ``squares``, the diagonal of the products (n_columns + 1,), are filled
    in by `interior_point_kernels.form_rows`.
    """

    def __init__(self, entries: kernels.Entries, n_columns: int, map_parts: Map, parts: list[tuple[int, int]]) -> None:
        self._entries, self._map, self._parts = entries, map_parts, parts
        self.rows = np.empty((2, len(entries.v)))
        self.bias_rows = np.empty((2, len(entries.y)))
        self.diagonal, self.squares = np.ones(n_columns + 1), np.zeros(n_columns + 1)

    def times(self, x: np.ndarray) -> np.ndarray:
        """The system's product with x, shape (n_columns + 1,)."""

        def part(start: int, stop: int) -> np.ndarray:
            out = np.zeros_like(x)
            kernels.apply_rows(start, stop, self._entries, self.rows, self.bias_rows, x, out)
            return out

        product: np.ndarray = self.diagonal * x + np.sum(self._map(part, self._parts), axis=0)
        return product

    def solve(
        self, right: np.ndarray, fit_intercept: bool, residual: float, start: np.ndarray | None = None
    ) -> np.ndarray:
        """Steps of w and b for a right-hand side, sought from ``start`` on."""
        diagonal = self.diagonal + self.squares
        if not fit_intercept:
            diagonal[-1] = np.inf
        return conjugate_gradients(self.times, diagonal, right, residual, start)
