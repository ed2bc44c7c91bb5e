"""Minimisation in a box by spectral projected gradients (Birgin, Martinez & Raydan 2000)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

_MEMORY = 5
_SUFFICIENT = 1e-4
_REACH = 1e10


class Minimum(NamedTuple):
    """A point of shape (n, d), and the function's value there."""

    point: np.ndarray
    value: float


def minimise(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    max_evaluations: int,
    tol: float,
    unit: float,
) -> Minimum:
    """The best point found by non-monotone line searches along projected spectral gradients.

    scipy's L-BFGS-B keeps its books in float64 element by element, which costs more than the function here; this works
    on whole arrays in their own dtype. ``function`` returns value and gradient of a point of shape (n, d) within the
    box.

    It ends where two steps in a row lower the value by less than the part ``tol`` of the decrease so far. ``unit`` is a
    deviation typical of the points: how far the steepest coordinate goes in the first step, so that the search is the
    same in any unit of the points and of the value.
    """
    point = start
    value, gradient = function(point)
    best, first, evaluations, slow = Minimum(point, value), value, 1, 0
    recent = [value]
    steepest = float(np.abs(gradient).max(initial=0.0))
    first_step = step = unit / steepest if steepest > 0 else 0.0
    while step > 0 and evaluations < max_evaluations and slow < 2:
        direction = np.clip(point - step * gradient, lower, upper) - point
        slope = _inner(gradient, direction)
        if slope >= 0:
            break
        shrink = 1.0
        while True:
            trial = point + direction if shrink == 1.0 else point + shrink * direction
            trial_value, trial_gradient = function(trial)
            evaluations += 1
            if trial_value <= max(recent) + _SUFFICIENT * shrink * slope or evaluations >= max_evaluations:
                break
            curvature = trial_value - value - shrink * slope
            inner = -0.5 * shrink**2 * slope / curvature if curvature > 0 else 0.5 * shrink
            shrink = min(max(inner, 0.1 * shrink), 0.5 * shrink)
        moved, turned = trial - point, trial_gradient - gradient
        bent = _inner(moved, turned)
        longest = _REACH * first_step
        step = min(max(_inner(moved, moved) / bent, first_step / _REACH), longest) if bent > 0 else longest
        slow = slow + 1 if best.value - trial_value < tol * (first - min(best.value, trial_value)) else 0
        point, value, gradient = trial, trial_value, trial_gradient
        recent = [*recent, value][-_MEMORY:]
        if value < best.value:
            best = Minimum(point, value)
    return best


def _inner(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.vdot(a, b))
