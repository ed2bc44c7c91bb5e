"""The row-wise passes of the structured interior-point method, compiled; the algebra is in `interior_point`.

Every kernel works on the rows [start, stop) of a program and is free of Python's lock, so that threads may share the
rows. Arrays over entries have shape (n_entries,), those over rows (n_rows,). ``entries`` and ``rows`` pack them:

    entries[0..] = slack of the entry constraint, alpha, and their multipliers
    rows[0..]    = slack of the row constraint, xi, lambda, and their multipliers
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Division that raises, as Python's does, would keep every loop from being vectorised.
compiled = njit(cache=True, nogil=True, fastmath=True, error_model="numpy")


@compiled
def factor_rows(start, stop, pointer, v, remaining, s, p, s_row, p_row, phi, f, inverse, sigma, delta, den):
    """Weights of the elimination: phi, f and 1/D of entries; sigma, Delta and d_l + kappa of rows."""
    for i in range(start, stop):
        total_inverse, value_phi, value_f = 0.0, 0.0, 0.0
        for k in range(pointer[i], pointer[i + 1]):
            d_r = p[0, k] / s[0, k]
            d_a = p[1, k] / s[1, k]
            inv = 1.0 / (d_r + d_a)
            ratio = d_r * inv
            both = d_a * ratio
            phi[k], f[k], inverse[k] = ratio, both, inv
            total_inverse += inv
            value_phi += ratio * v[k]
            value_f += both * v[k] * v[k]
        sigma[i] = s_row[0, i] / p_row[0, i] + s_row[1, i] / p_row[1, i] + total_inverse
        delta[i] = value_phi - remaining[i]
        den[i] = p_row[2, i] / s_row[2, i] + value_f + delta[i] * delta[i] / sigma[i]


@compiled
def fill_block(start, stop, pointer, column, yx, y, v, phi, f, sigma, delta, den, plus, minus, diagonal):
    """Dense rows whose products make the system: + [phi; 1]/sqrt(sigma), - omega/sqrt(d_l + kappa); its diagonal."""
    last = diagonal.shape[0] - 1
    for i in range(start, stop):
        row = i - start
        plus[row, :] = 0.0
        minus[row, :] = 0.0
        ratio = delta[i] / sigma[i]
        scale_plus, scale_minus = 1.0 / np.sqrt(sigma[i]), 1.0 / np.sqrt(den[i])
        for k in range(pointer[i], pointer[i + 1]):
            omega = v[k] * f[k] + phi[k] * ratio
            j = column[k]
            plus[row, j] = phi[k] * yx[k] * scale_plus
            minus[row, j] = omega * yx[k] * scale_minus
            diagonal[j] += yx[k] * yx[k] * (f[k] + phi[k] * phi[k] / sigma[i] - omega * omega / den[i])
        plus[row, last] = y[i] * scale_plus
        minus[row, last] = y[i] * ratio * scale_minus
        diagonal[last] += 1.0 / sigma[i] - ratio * ratio / den[i]


@compiled
def right_side(
    start, stop, pointer, column, yx, y, v, remaining, price, s, p_row, s_row, phi, f, inverse, sigma, delta, den,
    t, t_row, k_row, h_row, out,
):  # fmt: skip
    """Add the rows' part of the right-hand side for the targets t of all products; keeps k and h of each row."""
    last = out.shape[0] - 1
    part = np.empty(last)
    for i in range(start, stop):
        # Slices, and one output per loop: only so do the loops vectorise.
        low, high = pointer[i], pointer[i + 1]
        yx_i, v_i, phi_i, f_i, inverse_i = yx[low:high], v[low:high], phi[low:high], f[low:high], inverse[low:high]
        s_0, s_1, t_0, t_1 = s[0, low:high], s[1, low:high], t[0, low:high], t[1, low:high]
        columns = column[low:high]
        g_row = t_row[0, i] / s_row[0, i]
        r_xi = g_row + t_row[1, i] / s_row[1, i] - price
        k_sum, l_sum = 0.0, 0.0
        for k in range(high - low):
            g_entry = t_0[k] / s_0[k]
            r_alpha = g_entry + t_1[k] / s_1[k] - g_row
            k_sum += r_alpha * inverse_i[k]
            part[k] = g_entry - phi_i[k] * r_alpha
            l_sum -= v_i[k] * part[k]
        k_i = r_xi * s_row[1, i] / p_row[1, i] - k_sum
        ratio = delta[i] / sigma[i]
        h_i = (l_sum + remaining[i] * g_row + t_row[2, i] / s_row[2, i] + ratio * k_i) / den[i]
        k_row[i], h_row[i] = k_i, h_i
        share = ratio * h_i - k_i / sigma[i]
        for k in range(high - low):
            part[k] = yx_i[k] * (part[k] + phi_i[k] * share + v_i[k] * f_i[k] * h_i)
        for k in range(high - low):
            out[columns[k]] += part[k]
        out[last] += y[i] * (g_row + share)


@compiled
def direction(
    start, stop, pointer, column, yx, y, v, price, s, p, s_row, p_row, phi, f, inverse, sigma, delta, den,
    t, t_row, k_row, h_row, dw, db, ds, dp, ds_row, dp_row,
):  # fmt: skip
    """Steps of all slacks and multipliers from those of w and b; returns the largest -ds/s and -dp/p."""
    worst_primal, worst_dual = 0.0, 0.0
    for i in range(start, stop):
        dot_phi, dot_f = 0.0, 0.0
        for k in range(pointer[i], pointer[i + 1]):
            u = yx[k] * dw[column[k]]
            dot_phi += phi[k] * u
            dot_f += v[k] * f[k] * u
        moved = dot_phi + y[i] * db
        d_lambda = h_row[i] + (dot_f + delta[i] / sigma[i] * moved) / den[i]
        eta = (moved - delta[i] * d_lambda + k_row[i]) / sigma[i]
        g_row = t_row[0, i] / s_row[0, i]
        g_xi = t_row[1, i] / s_row[1, i]
        d_xi = (g_row + g_xi - price - eta) * s_row[1, i] / p_row[1, i]
        ds_row[0, i] = eta * s_row[0, i] / p_row[0, i]
        ds_row[1, i] = d_xi
        ds_row[2, i] = d_lambda
        dp_row[0, i] = g_row - p_row[0, i] - eta
        dp_row[1, i] = g_xi - p_row[1, i] - p_row[1, i] / s_row[1, i] * d_xi
        dp_row[2, i] = t_row[2, i] / s_row[2, i] - p_row[2, i] - p_row[2, i] / s_row[2, i] * d_lambda
        for c in range(3):
            worst_primal = max(worst_primal, -ds_row[c, i] / s_row[c, i])
            worst_dual = max(worst_dual, -dp_row[c, i] / p_row[c, i])
        push = eta - g_row
        for k in range(pointer[i], pointer[i + 1]):
            inv_s, inv_a = 1.0 / s[0, k], 1.0 / s[1, k]
            g_entry, g_alpha = t[0, k] * inv_s, t[1, k] * inv_a
            q = yx[k] * dw[column[k]] - v[k] * d_lambda
            common = (g_entry + g_alpha + push) * inverse[k]
            d_alpha = common - phi[k] * q
            # Not q + d_alpha, which cancels where phi is near 1.
            d_slack = common + p[1, k] * inv_a * inverse[k] * q
            ds[0, k], ds[1, k] = d_slack, d_alpha
            d_r = g_entry - p[0, k] - p[0, k] * inv_s * d_slack
            d_a = g_alpha - p[1, k] - p[1, k] * inv_a * d_alpha
            dp[0, k], dp[1, k] = d_r, d_a
            worst_primal = max(worst_primal, -d_slack * inv_s, -d_alpha * inv_a)
            worst_dual = max(worst_dual, -d_r / p[0, k], -d_a / p[1, k])
    return worst_primal, worst_dual


@compiled
def products(s, p, ds, dp, start, stop, primal, dual):
    """Sum of the products of slacks and multipliers after steps of these lengths."""
    total = 0.0
    for c in range(s.shape[0]):
        for k in range(start, stop):
            total += (s[c, k] + primal * ds[c, k]) * (p[c, k] + dual * dp[c, k])
    return total


@compiled
def second_order_targets(ds, dp, t, start, stop, center):
    """Mehrotra's targets: the centre minus the products of the affine steps."""
    for c in range(t.shape[0]):
        for k in range(start, stop):
            t[c, k] = center - ds[c, k] * dp[c, k]


@compiled
def corrected_targets(s, p, ds, dp, t, out, start, stop, primal, dual, low, high):
    """Gondzio's targets: products that a longer step would push out of [low, high] are pulled back to it."""
    for c in range(t.shape[0]):
        for k in range(start, stop):
            product = (s[c, k] + primal * ds[c, k]) * (p[c, k] + dual * dp[c, k])
            pull = 0.0
            if product < low:
                pull = low - product
            elif product > high:
                pull = max(high - product, -high)
            out[c, k] = t[c, k] + pull


@compiled
def move(s, p, ds, dp, start, stop, primal, dual):
    """Take a step."""
    for c in range(s.shape[0]):
        for k in range(start, stop):
            s[c, k] += primal * ds[c, k]
            p[c, k] += dual * dp[c, k]


@compiled
def worst_case_slack(start, stop, pointer, column, yx, y, v, remaining, required, offset, coef, intercept, out):
    """Smallest xi of each row for given weights: the fractional knapsack, by its dual in lambda."""
    for i in range(start, stop):
        low, high = pointer[i], pointer[i + 1]
        n = high - low
        ratio = np.empty(n)
        value = np.empty(n)
        kept = 0.0
        for k in range(n):
            gain = yx[low + k] * coef[column[low + k]] - offset * v[low + k]
            ratio[k] = gain / v[low + k]
            value[k] = v[low + k]
            kept += gain
        # Delete the largest ratios while they gain and while more than `remaining` of value is left.
        budget = value.sum() - remaining[i]
        if budget > 0:
            order = np.argsort(-ratio)
            for position in range(n):
                k = order[position]
                if ratio[k] <= 0 or budget <= 0:
                    break
                taken = min(value[k], budget)
                kept -= ratio[k] * taken
                budget -= taken
        out[i] = max(0.0, required[i] - y[i] * intercept - kept)


@compiled
def feasible_dual(start, stop, pointer, v, remaining, price, p, p_row, r, t):
    """Multipliers of each row, made feasible: 0 <= r <= t <= price and v.r >= remaining t."""
    for i in range(start, stop):
        t_i = min(p_row[0, i], price)
        total = 0.0
        for k in range(pointer[i], pointer[i + 1]):
            r[k] = min(p[0, k], t_i)
            total += v[k] * r[k]
        if total < remaining[i] * t_i:
            # All of r at t satisfies it, as the values sum to more than `remaining`: mix the two.
            full = -remaining[i] * t_i
            for k in range(pointer[i], pointer[i + 1]):
                full += v[k] * t_i
            gap = full + remaining[i] * t_i - total
            share = min(1.0, (remaining[i] * t_i - total) / gap) if gap > 0 else 1.0
            for k in range(pointer[i], pointer[i + 1]):
                r[k] += share * (t_i - r[k])
        t[i] = t_i


@compiled
def pull_of(start, stop, pointer, column, yx, r, scale, out):
    """Add sum_i y x_ij r_ij, each row scaled, to ``out`` of shape (n_columns,)."""
    for i in range(start, stop):
        for k in range(pointer[i], pointer[i + 1]):
            out[column[k]] += yx[k] * r[k] * scale[i]
