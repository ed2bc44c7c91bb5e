"""The dual of the support vector machine on a kernel in memory: pairs by second-order information, warm-started.

Fan, Chen & Lin 2005, Working set selection using second order information for training support vector machines.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# What stands for the curvature along a pair whose kernel rows are the same, as in libsvm.
_LEAST_CURVATURE = 1e-12
# Steps between looks at the duality gap.
_STRIDE = 50
# Sums and maxima may be taken in any order, so that several entries go at once; infinities are needed.
_ANY_ORDER = {"reassoc", "contract", "nsz", "nnan"}


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_ANY_ORDER)
def ascend(K, y, C, c, rest, tol, enough, most):
    """Raise sum_i y_i c_i - 1/2 <c, K c> over 0 <= y_i c_i <= C, sum_i c_i fixed; c and rest change in place.

    Two entries of c move at a time, by t and -t. With f = y - K c, the first, i, has the largest f among those that may
    grow, and the second, j, brings the most by the quadratic model, (f_i - f_j)^2 / (K_ii + K_jj - 2 K_ij), among those
    that may shrink.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, its rows contiguous.
    y : ndarray of shape (n,)
        -1 and +1.
    C : float
    c : ndarray of shape (n,)
        The start, within the bounds.
    rest : ndarray of shape (n,)
        f at the start.
    tol : float
        The end, where no two entries that may move towards one another differ in f by more than this.
    enough : float
        The end, too, where the duality gap is at most this.
    most : int
        Steps.

    Returns
    -------
    violation : float
        The largest such difference of f at the end.
    steps : int
    """
    n = len(y)
    low, high = np.minimum(0.0, y * C), np.maximum(0.0, y * C)
    # Added to f, these take out the entries that may not grow, and those that may not shrink.
    full = np.where(c < high, 0.0, -np.inf)
    empty = np.where(c > low, 0.0, np.inf)
    diagonal = np.diag(K).copy()
    gains, nothing = np.empty(n), np.zeros(n)
    largest, smallest = -np.inf, np.inf
    for k in range(n):
        largest = max(largest, rest[k] + full[k])
        smallest = min(smallest, rest[k] + empty[k])
    steps = 0
    while True:
        violation = largest - smallest
        if violation <= tol or steps >= most:
            return violation, steps
        if enough > 0 and steps % _STRIDE == 0:
            middle, gap = 0.5 * (largest + smallest), 0.0
            for k in range(n):
                gap += C * max(0.0, y[k] * (rest[k] - middle)) - c[k] * rest[k]
            if gap <= enough:
                return violation, steps
        i = 0
        while rest[i] + full[i] != largest:
            i += 1
        row_i, diagonal_i = K[i], diagonal[i]
        # Two loops, and a sum with zeros: as one, or without it, they are compiled one entry at a time.
        for k in range(n):
            difference = largest - (rest[k] + empty[k])
            difference = difference if difference > 0.0 else 0.0
            curvature = diagonal_i + diagonal[k] - 2.0 * row_i[k]
            curvature = curvature if curvature > _LEAST_CURVATURE else _LEAST_CURVATURE
            gains[k] = difference * difference / curvature
        most_gain = 0.0
        for k in range(n):
            most_gain = max(most_gain, gains[k] + nothing[k])
        j = 0
        while gains[j] != most_gain:
            j += 1
        row_j = K[j]
        step = (largest - rest[j]) / max(diagonal_i + diagonal[j] - 2.0 * row_i[j], _LEAST_CURVATURE)
        room_i, room_j = high[i] - c[i], c[j] - low[j]
        step = min(step, room_i, room_j)
        c[i] = high[i] if step == room_i else c[i] + step
        c[j] = low[j] if step == room_j else c[j] - step
        full[i] = 0.0 if c[i] < high[i] else -np.inf
        full[j], empty[i] = 0.0, 0.0
        empty[j] = 0.0 if c[j] > low[j] else np.inf
        largest, smallest = -np.inf, np.inf
        for k in range(n):
            moved = rest[k] - step * (row_i[k] - row_j[k])
            rest[k] = moved
            largest = max(largest, moved + full[k])
            smallest = min(smallest, moved + empty[k])
        steps += 1


@njit(cache=True, nogil=True, error_model="numpy")
def mix(old, new, theta, out):
    """(1 - theta) old + theta new into ``out``, which may be one of them; all of shape (n, n)."""
    for i in range(old.shape[0]):
        for j in range(old.shape[1]):
            out[i, j] = old[i, j] + theta * (new[i, j] - old[i, j])
