"""The brackets of a program's optimum, compiled: exact slacks of given weights, and feasible multipliers."""

import numpy as np

from benchkit_feature_noise.solvers.interior_point_kernels import compiled, longest_row

_TANGENTS = 100


@compiled
def _deleted_gain(gain, v, budget):
    """max_delta delta.gain over 0 <= delta <= 1, v.delta <= budget, as min_l budget l + sum [gain - l v]_+.

    The function is convex and piecewise linear in l >= 0: tangents from both sides meet at its minimum after finitely
    many steps, and every l gives an upper bound.
    """
    n = len(gain)
    at_zero, slope_zero, highest = 0.0, budget, 0.0
    for k in range(n):
        at_zero += max(gain[k], 0.0)
        slope_zero -= v[k] if gain[k] > 0.0 else 0.0
    if slope_zero >= 0.0:
        return at_zero
    for k in range(n):
        highest = max(highest, gain[k] / v[k])
    left, at_left, slope_left = 0.0, at_zero, slope_zero
    right, at_right, slope_right = highest, budget * highest, budget
    for _ in range(_TANGENTS):
        where = (at_left - at_right + slope_right * right - slope_left * left) / (slope_right - slope_left)
        supported = at_left + slope_left * (where - left)
        here, slope = budget * where, budget
        for k in range(n):
            here += max(gain[k] - where * v[k], 0.0)
            slope -= v[k] if gain[k] > where * v[k] else 0.0
        if here <= supported + 1e-15 * at_zero or slope == 0.0 or not left < where < right:
            return here
        if slope < 0.0:
            left, at_left, slope_left = where, here, slope
        else:
            right, at_right, slope_right = where, here, slope
    return min(at_left, at_right)


@compiled
def worst_case_slack(start, stop, entries, required, offset, coef, intercept, out):
    """Smallest xi of each row for given weights: the fractional knapsack."""
    gain = np.empty(longest_row(entries.length, start, stop))
    for i in range(start, stop):
        low, n = entries.start[i], entries.length[i]
        high = low + n
        yx, v, column = entries.yx[low:high], entries.v[low:high], entries.column[low:high]
        kept, budget = 0.0, -entries.remaining[i]
        for k in range(n):
            gain[k] = yx[k] * coef[column[k]] - offset * v[k]
        for k in range(n):
            kept += gain[k]
            budget += v[k]
        if budget > 0.0 and n > 0:
            kept -= _deleted_gain(gain[:n], v, budget)
        out[i] = max(0.0, required[i] - entries.y[i] * intercept - kept)


@compiled
def feasible_dual(start, stop, entries, required, offset, p, p_row, weight, gained, pulled):
    """Multipliers of each row, made feasible: 0 <= r <= t <= price and v.r >= remaining t; sums by class.

    weight (2,) adds t, gained (2,) required t + offset v.r, pulled (2, n_columns) y x r; class 1 has y > 0.
    """
    r = np.empty(longest_row(entries.length, start, stop))
    for i in range(start, stop):
        low, n = entries.start[i], entries.length[i]
        high = low + n
        p_i, v, yx, column = p[0, low:high], entries.v[low:high], entries.yx[low:high], entries.column[low:high]
        t = min(p_row[0, i], entries.price[i])
        total, full = 0.0, 0.0
        for k in range(n):
            r[k] = min(p_i[k], t)
        for k in range(n):
            total += v[k] * r[k]
            full += v[k] * t
        missing = entries.remaining[i] * t - total
        if missing > 0.0:
            # All of r at t satisfies it, as the values sum to more than `remaining`: mix the two.
            share = min(1.0, missing / (full - total)) if full > total else 1.0
            for k in range(n):
                r[k] += share * (t - r[k])
            total += share * (full - total)
        c = 1 if entries.y[i] > 0.0 else 0
        weight[c] += t
        gained[c] += required[i] * t + offset * total
        pull = pulled[c]
        for k in range(n):
            r[k] *= yx[k]
        for k in range(n):
            pull[column[k]] += r[k]
