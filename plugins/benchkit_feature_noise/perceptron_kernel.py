"""One pass of the projected Perceptron over sparse rows, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def run(pointer, column, x, signs, order, values, required, budget, radius, steps, fit_intercept, w, w_sum, b):
    """See rows in the given order; w, w_sum and b = [bias, its sum, cumulative loss] are updated in place.

    The row at position t moves by ``steps[t]`` at most. Zero entries gain the adversary nothing, so each row's
    knapsack is over its non-zero entries (Dekel, Shamir & Xiao 2010, Eq. 29, relaxed).
    """
    total = values.sum()
    for t in range(len(order)):
        i = order[t]
        low, high = pointer[i], pointer[i + 1]
        size = high - low
        w_sum += w
        b[1] += b[0]
        sign, step = signs[i], steps[t]
        gains = np.empty(size)
        ratios = np.empty(size)
        kept = np.ones(size)
        margin = 0.0
        positive = 0
        for k in range(size):
            j = column[low + k]
            contribution = sign * w[j] * x[low + k]
            margin += contribution
            gains[k] = contribution - required * values[j]
            if gains[k] > 0:
                ratios[k] = gains[k] / values[j] if values[j] > 0 else np.inf
                positive += 1
            else:
                ratios[k] = -1.0
        loss = required * total - sign * b[0] - margin
        if positive:
            order_k = np.argsort(-ratios)
            left = budget
            for position in range(positive):
                k = order_k[position]
                value = values[column[low + k]]
                share = 1.0 if value <= left else left / value
                loss += share * gains[k]
                kept[k] = 1.0 - share
                left -= share * value
                if left <= 0:
                    # Only features of value 0 could follow, and they came first.
                    break
        if loss <= 0:
            continue
        b[2] += loss
        for k in range(size):
            j = column[low + k]
            w[j] = min(max(w[j] + sign * step * kept[k] * x[low + k], -radius), radius)
        if fit_intercept:
            b[0] = min(max(b[0] + sign * step, -radius), radius)
