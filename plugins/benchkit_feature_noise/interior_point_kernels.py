"""The row-wise passes of the structured interior-point method, compiled; the algebra is in `interior_point`.

Each pass reads every array over entries once and needs no lock of Python's, so that threads may share the rows.
Nothing that can be computed again from slacks, multipliers and the step of (w, b) is stored. Within a row, loops have
one output each, on contiguous slices: only so are they vectorised.

Of an entry, with slacks s_0 (of its constraint), s_1 = alpha, their multipliers p_0, p_1, and c = p_0 s_1 + p_1 s_0:
phi = p_0 s_1 / c, f = p_0 p_1 / c, 1/D = s_0 s_1 / c.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from benchkit_feature_noise.larger import larger
from benchkit_feature_noise.symmetric_products import BLOCK, LANES, add_products

# Division that raises, as Python's does, would keep every loop from being vectorised.
compiled = njit(cache=True, nogil=True, fastmath=True, error_model="numpy")


class Entries(NamedTuple):
    """What does not change: CSR pointers, columns, y x and v of entries; y and P_i of rows; the price of xi."""

    pointer: np.ndarray
    column: np.ndarray
    yx: np.ndarray
    v: np.ndarray
    y: np.ndarray
    remaining: np.ndarray
    price: float


class Point(NamedTuple):
    """Slacks and multipliers, shape (2, n_entries): constraint, alpha; (3, n_rows): row constraint, xi, lambda."""

    s: np.ndarray
    p: np.ndarray
    s_row: np.ndarray
    p_row: np.ndarray


class Eliminated(NamedTuple):
    """Of rows, shape (n_rows,): sigma, Delta, and d_l + kappa."""

    sigma: np.ndarray
    delta: np.ndarray
    den: np.ndarray


class RowStep(NamedTuple):
    """What determines a step once (w, b)'s is known.

    t (2, n_entries), float32, and the common centre sum to the targets of entries; t_row (3, n_rows) are those of rows;
    k, h (n_rows,) are what they leave of the eliminated right-hand sides; u_row, e_row (3, n_rows) the steps of rows'
    slacks and multipliers in units of themselves; ``push`` the multiplier t after a full step, times -1; d_lambda.
    """

    t: np.ndarray
    t_row: np.ndarray
    k: np.ndarray
    h: np.ndarray
    u_row: np.ndarray
    e_row: np.ndarray
    push: np.ndarray
    d_lambda: np.ndarray


@compiled
def longest_row(pointer, start, stop):
    """Entries of the longest row."""
    longest = 0
    for i in range(start, stop):
        longest = max(longest, pointer[i + 1] - pointer[i])
    return longest


@compiled
def _relative_step(s, p, s_other, p_other, t, t_other, push, q):
    """Steps of one slack and its multiplier in units of themselves.

    With T the targets and q = y x dw - v dlambda: ds_0/s_0 = (s_1 push + p_1 q + T_1)/c + phi T_0/(s_0 p_0),
    ds_1/s_1 = (s_0 push - p_0 q + T_0)/c + (1 - phi) T_1/(s_1 p_1): one formula, but for the sign of q; and
    dp/p = T/(s p) - 1 - ds/s.
    """
    c = p * s_other + p_other * s
    z = 1.0 / (s * p * c)  # one division instead of two
    e = t * c * z
    u = s * p * z * (s_other * push + p_other * q + t_other + p * s_other * e)
    return u, e - 1.0 - u


@compiled
def _multiply_add(yx, column, dw, v, d_lambda, q):
    for k in range(len(yx)):
        q[k] = yx[k] * dw[column[k]] - v[k] * d_lambda


@compiled
def _largest_ratios(yx, v, column, s_0, s_1, p_0, p_1, t_0, t_1, center, dw, d_lambda, push):
    """The largest -ds/s and -dp/p of a row's entries."""
    worst_u0, worst_u1, worst_e0, worst_e1 = 0.0, 0.0, 0.0, 0.0  # two updates of one would not be vectorised
    for k in range(len(yx)):
        q = yx[k] * dw[column[k]] - v[k] * d_lambda
        goal_0, goal_1 = center + t_0[k], center + t_1[k]
        # As `_relative_step` twice, with one division.
        a, b, c = s_0[k] * p_0[k], s_1[k] * p_1[k], p_0[k] * s_1[k] + p_1[k] * s_0[k]
        z = 1.0 / (a * b * c)
        e_0, e_1 = goal_0 * b * c * z, goal_1 * a * c * z
        z *= a * b
        u_0 = z * (s_1[k] * push + p_1[k] * q + goal_1 + p_0[k] * s_1[k] * e_0)
        u_1 = z * (s_0[k] * push - p_0[k] * q + goal_0 + p_1[k] * s_0[k] * e_1)
        worst_u0, worst_u1 = larger(worst_u0, -u_0), larger(worst_u1, -u_1)
        worst_e0, worst_e1 = larger(worst_e0, 1.0 + u_0 - e_0), larger(worst_e1, 1.0 + u_1 - e_1)
    return max(worst_u0, worst_u1), max(worst_e0, worst_e1)


@compiled
def _move(i, low, high, entries, point, step, center, dw, primal, dual, work):
    """Take a row's step."""
    n = high - low
    s_0, s_1, p_0, p_1 = point.s[0, low:high], point.s[1, low:high], point.p[0, low:high], point.p[1, low:high]
    t_0, t_1 = step.t[0, low:high], step.t[1, low:high]
    u_0, u_1, q = work[0, :n], work[1, :n], work[2, :n]
    push = step.push[i]
    _multiply_add(entries.yx[low:high], entries.column[low:high], dw, entries.v[low:high], step.d_lambda[i], q)
    for k in range(n):
        u_0[k] = _relative_step(s_0[k], p_0[k], s_1[k], p_1[k], center + t_0[k], center + t_1[k], push, q[k])[0]
    for k in range(n):
        u_1[k] = _relative_step(s_1[k], p_1[k], s_0[k], p_0[k], center + t_1[k], center + t_0[k], push, -q[k])[0]
    for k in range(n):
        p_0[k] += dual * ((center + t_0[k]) / s_0[k] - p_0[k] * (1.0 + u_0[k]))
    for k in range(n):
        p_1[k] += dual * ((center + t_1[k]) / s_1[k] - p_1[k] * (1.0 + u_1[k]))
    for k in range(n):
        s_0[k] *= 1.0 + primal * u_0[k]
    for k in range(n):
        s_1[k] *= 1.0 + primal * u_1[k]
    for c in range(3):
        point.s_row[c, i] *= 1.0 + primal * step.u_row[c, i]
        point.p_row[c, i] *= 1.0 + dual * step.e_row[c, i]


@compiled
def form(
    first, last, entries, point, step, center, dw, primal, dual, eliminated, masks, panels, tiles, diagonal, right
):
    """Take the step; eliminate; add the rows of blocks [first, last) to the system and its affine right-hand side.

    The system is the diagonal of shape (n_columns + 1,) off which the products in ``tiles`` count: their own diagonals
    are rounded, the one here is not. ``step.k``, ``step.h`` become those of targets 0.
    """
    m = len(entries.y)
    bias = len(diagonal) - 1
    tile_size = BLOCK * 2 * LANES
    flat = panels.reshape(-1)
    n = longest_row(entries.pointer, first * BLOCK, min(last * BLOCK, m))
    work = np.empty((4, n))
    z, a, b, d = work[0], work[1], work[2], work[3]
    for block in range(first, last):
        flat[:] = 0.0
        for i in range(block * BLOCK, min(m, block * BLOCK + BLOCK)):
            low, high = entries.pointer[i], entries.pointer[i + 1]
            n = high - low
            if primal > 0.0:
                _move(i, low, high, entries, point, step, center, dw, primal, dual, work)
            s_0, s_1, p_0, p_1 = point.s[0, low:high], point.s[1, low:high], point.p[0, low:high], point.p[1, low:high]
            yx, v, column = entries.yx[low:high], entries.v[low:high], entries.column[low:high]
            for k in range(n):
                z[k] = 1.0 / (p_0[k] * s_1[k] + p_1[k] * s_0[k])
            total, value_phi, value_f = 0.0, 0.0, 0.0
            for k in range(n):
                total += s_0[k] * s_1[k] * z[k]
                value_phi += v[k] * p_0[k] * s_1[k] * z[k]
                value_f += v[k] * v[k] * p_0[k] * p_1[k] * z[k]
            s_row, p_row = point.s_row[:, i], point.p_row[:, i]
            sigma = s_row[0] / p_row[0] + s_row[1] / p_row[1] + total
            delta = value_phi - entries.remaining[i]
            den = p_row[2] / s_row[2] + value_f + delta * delta / sigma
            eliminated.sigma[i], eliminated.delta[i], eliminated.den[i] = sigma, delta, den
            ratio = delta / sigma
            k_i = -entries.price * s_row[1] / p_row[1]
            h_i = ratio * k_i / den
            step.k[i], step.h[i] = k_i, h_i
            share = ratio * h_i - k_i / sigma
            scale_plus, scale_minus = 1.0 / np.sqrt(sigma), 1.0 / np.sqrt(den)
            for k in range(n):
                d[k] = yx[k] * p_0[k] * (s_1[k] * share + v[k] * p_1[k] * h_i) * z[k]
            for k in range(n):
                a[k] = yx[k] * p_0[k] * s_1[k] * z[k] * scale_plus
            for k in range(n):
                b[k] = yx[k] * p_0[k] * (v[k] * p_1[k] + s_1[k] * ratio) * z[k] * scale_minus
            for k in range(n):  # what the two products leave of the diagonal
                z[k] = yx[k] * yx[k] * p_0[k] * p_1[k] * z[k] + a[k] * a[k] - b[k] * b[k]
            base = (i - block * BLOCK) * 2 * LANES
            for k in range(n):
                j = column[k]
                at = base + (j // LANES) * tile_size + j % LANES
                flat[at] = a[k]
                flat[at + LANES] = b[k]
                diagonal[j] += z[k]
                right[j] += d[k]
            at = base + (bias // LANES) * tile_size + bias % LANES
            flat[at] = entries.y[i] * scale_plus
            flat[at + LANES] = entries.y[i] * ratio * scale_minus
            diagonal[bias] += 1.0 / sigma - ratio * ratio / den
            right[bias] += entries.y[i] * share
        add_products(panels, masks[block], tiles)


@compiled
def _right_side(i, low, high, entries, point, eliminated, part, center, t_0, t_1, t_row, price, out):
    """Add a row's part of the right-hand side for targets center + t; returns k and h."""
    n = high - low
    s_0, s_1, p_0, p_1 = point.s[0, low:high], point.s[1, low:high], point.p[0, low:high], point.p[1, low:high]
    yx, v, column = entries.yx[low:high], entries.v[low:high], entries.column[low:high]
    g_row = t_row[0] / point.s_row[0, i]
    k_sum, l_sum = 0.0, 0.0
    for k in range(n):
        z = 1.0 / (p_0[k] * s_1[k] + p_1[k] * s_0[k])
        goal_0, goal_1 = center + t_0[k], center + t_1[k]
        k_sum += (goal_0 * s_1[k] + goal_1 * s_0[k] - g_row * s_0[k] * s_1[k]) * z
        l_sum -= v[k] * (goal_0 * p_1[k] - goal_1 * p_0[k] + g_row * p_0[k] * s_1[k]) * z
    k_i = (g_row + t_row[1] / point.s_row[1, i] - price) * point.s_row[1, i] / point.p_row[1, i] - k_sum
    sigma = eliminated.sigma[i]
    ratio = eliminated.delta[i] / sigma
    h_i = (l_sum + entries.remaining[i] * g_row + t_row[2] / point.s_row[2, i] + ratio * k_i) / eliminated.den[i]
    share = ratio * h_i - k_i / sigma
    share_all = share + g_row
    for k in range(n):
        force = (center + t_0[k]) * p_1[k] + p_0[k] * (s_1[k] * share_all + v[k] * p_1[k] * h_i - center - t_1[k])
        part[k] = yx[k] * force / (p_0[k] * s_1[k] + p_1[k] * s_0[k])
    for k in range(n):
        out[column[k]] += part[k]
    out[len(out) - 1] += entries.y[i] * share_all
    return k_i, h_i


@compiled
def _dots(yx, v, column, s_0, s_1, p_0, p_1, dw):
    """phi.u and (v f).u with u = y x dw, for a row."""
    dot_phi, dot_f = 0.0, 0.0
    for k in range(len(yx)):
        u = yx[k] * dw[column[k]] * p_0[k] / (p_0[k] * s_1[k] + p_1[k] * s_0[k])
        dot_phi += s_1[k] * u
        dot_f += v[k] * p_1[k] * u
    return dot_phi, dot_f


@compiled
def _row_steps(i, entries, point, eliminated, step, dot_phi, dot_f, db, t_row):
    """Steps of a row's own slacks and multipliers from those of w and b."""
    sigma, delta = eliminated.sigma[i], eliminated.delta[i]
    moved = dot_phi + entries.y[i] * db
    d_lambda = step.h[i] + (dot_f + delta / sigma * moved) / eliminated.den[i]
    eta = (moved - delta * d_lambda + step.k[i]) / sigma
    g_row = t_row[0] / point.s_row[0, i]
    d_xi = (g_row + t_row[1] / point.s_row[1, i] - entries.price - eta) * point.s_row[1, i] / point.p_row[1, i]
    step.u_row[0, i] = eta / point.p_row[0, i]
    step.u_row[1, i] = d_xi / point.s_row[1, i]
    step.u_row[2, i] = d_lambda / point.s_row[2, i]
    for c in range(3):
        step.e_row[c, i] = t_row[c] / (point.s_row[c, i] * point.p_row[c, i]) - 1.0 - step.u_row[c, i]
    step.push[i] = eta - g_row
    step.d_lambda[i] = d_lambda


@compiled
def affine(start, stop, entries, point, eliminated, step, dw, db, k_row, h_row, right):
    """The affine step of rows, and what Mehrotra's targets, the centre minus the products of it, make of it.

    The centre is not known yet: index 0 of ``right``, ``k_row`` and ``h_row`` is for targets of 1, index 1 for minus
    the products, which go to ``step.t`` and ``step.t_row``. Returns sum s p, sum ds p, sum -ds dp, and the largest
    -ds/s and -dp/p.
    """
    n = longest_row(entries.pointer, start, stop)
    q, part = np.empty(n), np.empty(n)
    ones, zeros = np.ones(3), np.zeros(n, dtype=np.float32)
    t_row = np.zeros(3)
    total, linear, square, worst_primal, worst_dual = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(start, stop):
        low, high = entries.pointer[i], entries.pointer[i + 1]
        s_0, s_1, p_0, p_1 = point.s[0, low:high], point.s[1, low:high], point.p[0, low:high], point.p[1, low:high]
        yx, v, column = entries.yx[low:high], entries.v[low:high], entries.column[low:high]
        t_0, t_1 = step.t[0, low:high], step.t[1, low:high]
        t_row[:] = 0.0
        dot_phi, dot_f = _dots(yx, v, column, s_0, s_1, p_0, p_1, dw)
        _row_steps(i, entries, point, eliminated, step, dot_phi, dot_f, db, t_row)
        push = step.push[i]
        for c in range(3):
            product = point.s_row[c, i] * point.p_row[c, i]
            x = step.u_row[c, i]
            t_row[c] = product * x * (1.0 + x)
            step.t_row[c, i] = t_row[c]
            total, linear, square = total + product, linear + product * x, square + t_row[c]
            worst_primal, worst_dual = max(worst_primal, -x), max(worst_dual, 1.0 + x)
        _multiply_add(yx, column, dw, v, step.d_lambda[i], q)
        for k in range(high - low):
            x = (s_1[k] * push + p_1[k] * q[k]) / (p_0[k] * s_1[k] + p_1[k] * s_0[k])
            t_0[k] = s_0[k] * p_0[k] * x * (1.0 + x)
        for k in range(high - low):
            x = (s_0[k] * push - p_0[k] * q[k]) / (p_0[k] * s_1[k] + p_1[k] * s_0[k])
            t_1[k] = s_1[k] * p_1[k] * x * (1.0 + x)
        least_0, least_1, most_0, most_1 = 0.0, 0.0, 0.0, 0.0
        for k in range(high - low):
            z = 1.0 / (p_0[k] * s_1[k] + p_1[k] * s_0[k])
            x_0 = z * (s_1[k] * push + p_1[k] * q[k])
            x_1 = z * (s_0[k] * push - p_0[k] * q[k])
            total += s_0[k] * p_0[k] + s_1[k] * p_1[k]
            linear += s_0[k] * p_0[k] * x_0 + s_1[k] * p_1[k] * x_1
            square += s_0[k] * p_0[k] * x_0 * (1.0 + x_0) + s_1[k] * p_1[k] * x_1 * (1.0 + x_1)
            least_0, least_1 = larger(least_0, -x_0), larger(least_1, -x_1)
            most_0, most_1 = larger(most_0, x_0), larger(most_1, x_1)
        worst_primal = max(worst_primal, max(least_0, least_1))
        worst_dual = max(worst_dual, 1.0 + max(most_0, most_1))
        k_row[0, i], h_row[0, i] = _right_side(
            i, low, high, entries, point, eliminated, part, 1.0, zeros, zeros, ones, 0.0, right[0]
        )
        k_row[1, i], h_row[1, i] = _right_side(
            i, low, high, entries, point, eliminated, part, 0.0, t_0, t_1, t_row, 0.0, right[1]
        )
    return total, linear, square, worst_primal, worst_dual


@compiled
def measure(start, stop, entries, point, eliminated, step, center, dw, db):
    """Steps of rows from those of w and b; returns the largest -ds/s and -dp/p of all slacks and multipliers."""
    worst_primal, worst_dual = 0.0, 0.0
    for i in range(start, stop):
        low, high = entries.pointer[i], entries.pointer[i + 1]
        s_0, s_1, p_0, p_1 = point.s[0, low:high], point.s[1, low:high], point.p[0, low:high], point.p[1, low:high]
        yx, v, column = entries.yx[low:high], entries.v[low:high], entries.column[low:high]
        dot_phi, dot_f = _dots(yx, v, column, s_0, s_1, p_0, p_1, dw)
        _row_steps(i, entries, point, eliminated, step, dot_phi, dot_f, db, step.t_row[:, i])
        for c in range(3):
            worst_primal = max(worst_primal, -step.u_row[c, i])
            worst_dual = max(worst_dual, -step.e_row[c, i])
        primal, dual = _largest_ratios(
            yx, v, column, s_0, s_1, p_0, p_1, step.t[0, low:high], step.t[1, low:high], center, dw,
            step.d_lambda[i], step.push[i],
        )  # fmt: skip
        worst_primal, worst_dual = max(worst_primal, primal), max(worst_dual, dual)
    return worst_primal, worst_dual


@compiled
def _pull(product, low, high):
    """What brings a product back into [low, high], where it is above by at most ``high``."""
    inside = low if product < low else product
    inside = high if inside > high else inside
    return -high if inside - product < -high else inside - product


@compiled
def correct(start, stop, entries, point, eliminated, step, center, dw, primal, dual, least, most, corrected, right):
    """Gondzio's targets: products that a longer step would push out of [least, most] are pulled back to it."""
    n = longest_row(entries.pointer, start, stop)
    q, part = np.empty(n), np.empty(n)
    for i in range(start, stop):
        low, high = entries.pointer[i], entries.pointer[i + 1]
        s_0, s_1, p_0, p_1 = point.s[0, low:high], point.s[1, low:high], point.p[0, low:high], point.p[1, low:high]
        t_0, t_1 = step.t[0, low:high], step.t[1, low:high]
        new_0, new_1 = corrected.t[0, low:high], corrected.t[1, low:high]
        push = step.push[i]
        _multiply_add(entries.yx[low:high], entries.column[low:high], dw, entries.v[low:high], step.d_lambda[i], q)
        for k in range(high - low):
            u, e = _relative_step(s_0[k], p_0[k], s_1[k], p_1[k], center + t_0[k], center + t_1[k], push, q[k])
            new_0[k] = t_0[k] + _pull(s_0[k] * p_0[k] * (1.0 + primal * u) * (1.0 + dual * e), least, most)
        for k in range(high - low):
            u, e = _relative_step(s_1[k], p_1[k], s_0[k], p_0[k], center + t_1[k], center + t_0[k], push, -q[k])
            new_1[k] = t_1[k] + _pull(s_1[k] * p_1[k] * (1.0 + primal * u) * (1.0 + dual * e), least, most)
        for c in range(3):
            product = point.s_row[c, i] * point.p_row[c, i]
            product *= (1.0 + primal * step.u_row[c, i]) * (1.0 + dual * step.e_row[c, i])
            corrected.t_row[c, i] = step.t_row[c, i] + _pull(product, least, most)
        corrected.k[i], corrected.h[i] = _right_side(
            i, low, high, entries, point, eliminated, part, center, new_0, new_1, corrected.t_row[:, i],
            entries.price, right,
        )  # fmt: skip
