"""The row-wise passes of the structured interior-point method, compiled; the algebra is in `interior_point`.

Each pass reads every array over entries once and needs no lock of Python's, so that threads may share the rows.
Nothing that can be computed again from slacks, multipliers and the step of (w, b) is stored: a pass is as fast as
memory gives its arrays, and what a row's second loop needs of its first waits in the processor's cache.

Of an entry, with slacks s_0 (of its constraint), s_1 = alpha, their multipliers p_0, p_1, and c = p_0 s_1 + p_1 s_0:
phi = p_0 s_1 / c, f = p_0 p_1 / c, 1/D = s_0 s_1 / c. With T the targets, ``push`` and q = y x dw - v dlambda,

    ds_0/s_0 = (s_1 push + p_1 q + T_1 + p_0 s_1 E_0) / c,    E = T / (s p),    dp/p = E - 1 - ds/s,
    ds_1/s_1 = (s_0 push - p_0 q + T_0 + p_1 s_0 E_1) / c.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from benchkit_feature_noise.solvers.programs import Program
from benchkit_feature_noise.solvers.symmetric_products import BLOCK, add_products
from benchkit_feature_noise.solvers.vectors import (
    LANES,
    choose,
    gather,
    larger,
    largest,
    load,
    rounded,
    splat,
    store,
    total,
)

# Division that raises, as Python's does, would keep loops from being vectorised.
compiled = njit(cache=True, nogil=True, fastmath=True, error_model="numpy")


class Entries(NamedTuple):
    """What does not change: where rows start and their numbers of entries; columns, y x and v of entries; y and P_i of
    rows; the prices of xi.

    Each row's entries are followed by entries with y x = v = 0 up to a multiple of ``LANES``.
    """

    start: np.ndarray
    length: np.ndarray
    column: np.ndarray
    yx: np.ndarray
    v: np.ndarray
    y: np.ndarray
    remaining: np.ndarray
    price: np.ndarray


def entries_of(program: Program) -> Entries:
    """The program's entries as compiled code takes them, each row filled up to a multiple of ``LANES``."""
    X = program.X
    length = np.diff(X.indptr).astype(np.int64)
    padded = -(-length // LANES) * LANES
    start = np.cumsum(padded) - padded
    places = places_of(start, length)

    def spread(values: np.ndarray) -> np.ndarray:
        filled = np.zeros(padded.sum(), dtype=values.dtype)
        filled[places] = values
        return filled

    return Entries(
        start=start,
        length=length,
        # Unsigned, so that compiled code needs no care for negative indices.
        column=spread(X.indices.astype(np.uint32)),
        yx=spread(X.data * np.repeat(program.y, length)),
        v=spread(program.values[X.indices]),
        y=program.y,
        remaining=program.remaining,
        price=program.price,
    )


def places_of(start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Where the entries of a CSR matrix are among those filled up, shape (n_entries,)."""
    before = np.cumsum(length) - length
    places: np.ndarray = np.repeat(start - before, length) + np.arange(length.sum())
    return places


class Point(NamedTuple):
    """Slacks and multipliers, shape (2, n_entries): constraint, alpha; (3, n_rows): row constraint, xi, lambda.

    They are 1 where a row is filled up, and stay so.
    """

    s: np.ndarray
    p: np.ndarray
    s_row: np.ndarray
    p_row: np.ndarray


class Eliminated(NamedTuple):
    """Of rows, shape (n_rows,): sigma, sum_j 1/D, phi.v, Delta = phi.v - P_i, and d_l + kappa."""

    sigma: np.ndarray
    inverse: np.ndarray
    value: np.ndarray
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
def longest_row(length, start, stop):
    """Entries of the longest row, filled up."""
    longest = 0
    for i in range(start, stop):
        longest = max(longest, length[i])
    return (longest + LANES - 1) // LANES * LANES


@compiled
def _ratios(s_0, s_1, p_0, p_1):
    """1/c, 1/(s_0 p_0) and 1/(s_1 p_1), by one division."""
    a, b, c = s_0 * p_0, s_1 * p_1, p_0 * s_1 + p_1 * s_0
    ab = a * b
    w = 1.0 / (ab * c)
    wc = w * c
    return ab * w, b * wc, a * wc


@compiled
def _move(low, n, entries, point, step, center, dw, primal, dual, push, d_lambda):
    """Take the step of a row's entries."""
    s_0, s_1, p_0, p_1 = point.s[0], point.s[1], point.p[0], point.p[1]
    t_0, t_1 = step.t[0], step.t[1]
    for k in range(low, low + n, LANES):
        a_0, a_1, b_0, b_1 = load(s_0, k), load(s_1, k), load(p_0, k), load(p_1, k)
        goal_0, goal_1 = load(t_0, k) + center, load(t_1, k) + center
        q = load(entries.yx, k) * gather(dw, entries.column, k) - load(entries.v, k) * d_lambda
        z, r_0, r_1 = _ratios(a_0, a_1, b_0, b_1)
        e_0, e_1 = goal_0 * r_0, goal_1 * r_1
        u_0 = z * (a_1 * push + b_1 * q + goal_1 + b_0 * a_1 * e_0)
        u_1 = z * (a_0 * push - b_0 * q + goal_0 + b_1 * a_0 * e_1)
        live = low + n - k
        store(s_0, k, choose(live, a_0 + a_0 * u_0 * primal, a_0))
        store(s_1, k, choose(live, a_1 + a_1 * u_1 * primal, a_1))
        store(p_0, k, choose(live, b_0 + b_0 * (e_0 - 1.0 - u_0) * dual, b_0))
        store(p_1, k, choose(live, b_1 + b_1 * (e_1 - 1.0 - u_1) * dual, b_1))


@compiled
def _eliminate(i, entries, point, step, center, dw, primal, dual, eliminated, a, b, d, f):
    """Take the step of a row, and eliminate what is its own.

    Its part of the system is diag(f) + plus plus^T - minus minus^T, with ``a``, ``b`` those two where it has entries
    and ``d`` its part of the affine right-hand side. Returns the same three of the bias, but for the label.
    """
    nothing = splat(0.0)
    s_0, s_1, p_0, p_1 = point.s[0], point.s[1], point.p[0], point.p[1]
    low, n = entries.start[i], entries.length[i]
    s_row, p_row = point.s_row[:, i], point.p_row[:, i]
    if primal > 0.0:
        _move(low, n, entries, point, step, center, dw, primal, dual, step.push[i], step.d_lambda[i])
        for c in range(3):
            s_row[c] *= 1.0 + primal * step.u_row[c, i]
            p_row[c] *= 1.0 + dual * step.e_row[c, i]
    inverse, value_phi, value_f = nothing, nothing, nothing
    for k in range(0, n, LANES):
        a_0, a_1, b_0, b_1 = load(s_0, low + k), load(s_1, low + k), load(p_0, low + k), load(p_1, low + k)
        yx, v = load(entries.yx, low + k), load(entries.v, low + k)
        z = 1.0 / (b_0 * a_1 + b_1 * a_0)
        phi = b_0 * a_1 * z
        vf = v * b_0 * b_1 * z
        inverse = inverse + choose(n - k, a_0 * a_1 * z, nothing)
        value_phi = value_phi + v * phi
        value_f = value_f + v * vf
        store(a, k, yx * phi)
        store(b, k, yx * vf)
        store(f, k, yx * yx * b_0 * b_1 * z)
    eliminated.inverse[i] = total(inverse)
    eliminated.value[i] = total(value_phi)
    sigma = s_row[0] / p_row[0] + s_row[1] / p_row[1] + eliminated.inverse[i]
    delta = eliminated.value[i] - entries.remaining[i]
    ratio = delta / sigma
    den = p_row[2] / s_row[2] + total(value_f) + delta * ratio
    eliminated.sigma[i], eliminated.delta[i], eliminated.den[i] = sigma, delta, den
    k_i = -entries.price[i] * s_row[1] / p_row[1]
    h_i = ratio * k_i / den
    step.k[i], step.h[i] = k_i, h_i
    share = ratio * h_i - k_i / sigma
    scale_plus, scale_minus = 1.0 / np.sqrt(sigma), 1.0 / np.sqrt(den)
    for k in range(0, n, LANES):
        phi, vf = load(a, k), load(b, k)
        store(d, k, phi * share + vf * h_i)
        store(a, k, phi * scale_plus)
        store(b, k, (vf + phi * ratio) * scale_minus)
    return scale_plus, ratio * scale_minus, share


@compiled
def form(
    first, last, entries, point, step, center, dw, primal, dual, eliminated, masks, panels, tiles, diagonal, right
):
    """Take the step; eliminate; add the rows of blocks [first, last) to the system and its affine right-hand side.

    The system is ``diagonal`` of shape (n_columns + 1,) and the products in ``tiles``. ``step.k``, ``step.h`` become
    those of targets 0.
    """
    m = len(entries.y)
    bias = len(diagonal) - 1
    tile_size = BLOCK * 2 * LANES
    flat = panels.reshape(-1)
    columns = entries.column
    width = longest_row(entries.length, first * BLOCK, min(last * BLOCK, m))
    a, b, d, f = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    for block in range(first, last):
        flat[:] = 0.0
        for i in range(block * BLOCK, min(m, block * BLOCK + BLOCK)):
            plus, minus, share = _eliminate(i, entries, point, step, center, dw, primal, dual, eliminated, a, b, d, f)
            low, n = entries.start[i], entries.length[i]
            base = (i - block * BLOCK) * 2 * LANES
            for k in range(n):
                j = columns[low + k]
                at = base + (j // LANES) * tile_size + j % LANES
                flat[at] = a[k]
                flat[at + LANES] = b[k]
                diagonal[j] += f[k]
                right[j] += d[k]
            at = base + (bias // LANES) * tile_size + bias % LANES
            flat[at] = entries.y[i] * plus
            flat[at + LANES] = entries.y[i] * minus
            right[bias] += entries.y[i] * share
        add_products(panels, masks[block], tiles)


@compiled
def form_rows(
    start, stop, entries, point, step, center, dw, primal, dual, eliminated, rows, bias_rows, diagonal, right, squares
):
    """As `form`, for a system that is kept as its rows, and is never multiplied out.

    ``rows`` (2, n_entries) and ``bias_rows`` (2, n_rows) are what is added and what is taken away of each row;
    ``squares`` is the diagonal of that.
    """
    bias, columns = len(diagonal) - 1, entries.column
    width = longest_row(entries.length, start, stop)
    d, f = np.empty(width), np.empty(width)
    for i in range(start, stop):
        low, n = entries.start[i], entries.length[i]
        a, b = rows[0, low : low + n + LANES], rows[1, low : low + n + LANES]
        plus, minus, share = _eliminate(i, entries, point, step, center, dw, primal, dual, eliminated, a, b, d, f)
        for k in range(n):
            j = columns[low + k]
            diagonal[j] += f[k]
            right[j] += d[k]
            squares[j] += a[k] * a[k] - b[k] * b[k]
        bias_rows[0, i], bias_rows[1, i] = entries.y[i] * plus, entries.y[i] * minus
        squares[bias] += plus * plus - minus * minus
        right[bias] += entries.y[i] * share


@compiled
def apply_rows(start, stop, entries, rows, bias_rows, x, out):
    """Add the product of `form_rows`' rows with ``x`` to ``out``, both of shape (n_columns + 1,)."""
    bias, columns = len(x) - 1, entries.column
    for i in range(start, stop):
        low, high = entries.start[i], entries.start[i] + entries.length[i]
        plus, minus = bias_rows[0, i] * x[bias], bias_rows[1, i] * x[bias]
        for k in range(low, high):
            at = x[columns[k]]
            plus += rows[0, k] * at
            minus += rows[1, k] * at
        for k in range(low, high):
            out[columns[k]] += rows[0, k] * plus - rows[1, k] * minus
        out[bias] += bias_rows[0, i] * plus - bias_rows[1, i] * minus


@compiled
def _row_side(i, entries, point, eliminated, k_sum, l_sum, t_row, price):
    """k, h and the shares of phi and v f in a row's part of the right-hand side, from sums over its entries.

    k_sum and l_sum add (T_0 s_1 + T_1 s_0)/c and v (T_0 p_1 - T_1 p_0)/c.
    """
    g_row = t_row[0] / point.s_row[0, i]
    k_sum -= g_row * eliminated.inverse[i]
    l_sum += g_row * eliminated.value[i]
    k_i = (g_row + t_row[1] / point.s_row[1, i] - price) * point.s_row[1, i] / point.p_row[1, i] - k_sum
    sigma = eliminated.sigma[i]
    ratio = eliminated.delta[i] / sigma
    left = entries.remaining[i] * g_row + t_row[2] / point.s_row[2, i]
    h_i = (left - l_sum + ratio * k_i) / eliminated.den[i]
    return k_i, h_i, ratio * h_i - k_i / sigma + g_row


@compiled
def _row_steps(i, entries, point, eliminated, step, dot_phi, dot_f, db, t_row):
    """Steps of a row's own slacks and multipliers from those of w and b."""
    sigma, delta = eliminated.sigma[i], eliminated.delta[i]
    moved = dot_phi + entries.y[i] * db
    d_lambda = step.h[i] + (dot_f + delta / sigma * moved) / eliminated.den[i]
    eta = (moved - delta * d_lambda + step.k[i]) / sigma
    g_row = t_row[0] / point.s_row[0, i]
    d_xi = (g_row + t_row[1] / point.s_row[1, i] - entries.price[i] - eta) * point.s_row[1, i] / point.p_row[1, i]
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
    width = longest_row(entries.length, start, stop)
    f, g, x, z_of = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    one, other = np.empty(width), np.empty(width)
    ones, t_row = np.ones(3), np.zeros(3)
    s_0, s_1, p_0, p_1 = point.s[0], point.s[1], point.p[0], point.p[1]
    t_0, t_1, columns = step.t[0], step.t[1], entries.column
    right_one, right_other = right[0], right[1]
    bias = len(right_one) - 1
    nothing = splat(0.0)
    sum_all, sum_linear, sum_square, most_primal, most_dual = nothing, nothing, nothing, nothing, nothing
    row_all, row_linear, row_square, worst_primal, worst_dual = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(start, stop):
        low, n = entries.start[i], entries.length[i]
        dot_phi, dot_f = nothing, nothing
        for k in range(0, n, LANES):
            a_0, a_1, b_0, b_1 = load(s_0, low + k), load(s_1, low + k), load(p_0, low + k), load(p_1, low + k)
            yx = load(entries.yx, low + k)
            z = 1.0 / (b_0 * a_1 + b_1 * a_0)
            phi, vf = yx * b_0 * a_1 * z, yx * load(entries.v, low + k) * b_0 * b_1 * z
            moved = gather(dw, columns, low + k)
            dot_phi = dot_phi + phi * moved
            dot_f = dot_f + vf * moved
            store(f, k, phi)
            store(g, k, vf)
            store(x, k, yx * moved)
            store(z_of, k, z)
        t_row[:] = 0.0
        _row_steps(i, entries, point, eliminated, step, total(dot_phi), total(dot_f), db, t_row)
        push, d_lambda = step.push[i], step.d_lambda[i]
        for c in range(3):
            product = point.s_row[c, i] * point.p_row[c, i]
            u = step.u_row[c, i]
            t_row[c] = product * u * (1.0 + u)
            step.t_row[c, i] = t_row[c]
            row_all, row_linear, row_square = row_all + product, row_linear + product * u, row_square + t_row[c]
            worst_primal, worst_dual = max(worst_primal, -u), max(worst_dual, 1.0 + u)
        k_one, l_one, k_other, l_other = nothing, nothing, nothing, nothing
        for k in range(0, n, LANES):
            a_0, a_1, b_0, b_1 = load(s_0, low + k), load(s_1, low + k), load(p_0, low + k), load(p_1, low + k)
            yx, v, z = load(entries.yx, low + k), load(entries.v, low + k), load(z_of, k)
            q = load(x, k) - v * d_lambda
            live = n - k
            u_0 = choose(live, z * (a_1 * push + b_1 * q), nothing)
            u_1 = choose(live, z * (a_0 * push - b_0 * q), nothing)
            product_0, product_1 = a_0 * b_0, a_1 * b_1
            new_0, new_1 = product_0 * u_0, product_1 * u_1
            sum_all = sum_all + choose(live, product_0 + product_1, nothing)
            sum_linear = sum_linear + new_0 + new_1
            new_0, new_1 = rounded(new_0 + new_0 * u_0), rounded(new_1 + new_1 * u_1)
            sum_square = sum_square + new_0 + new_1
            most_primal = larger(most_primal, larger(-1.0 * u_0, -1.0 * u_1))
            most_dual = larger(most_dual, larger(u_0, u_1))
            store(t_0, low + k, new_0)
            store(t_1, low + k, new_1)
            force = z * (b_1 - b_0)
            k_one = k_one + choose(live, z * (a_1 + a_0), nothing)
            l_one = l_one + v * force
            store(one, k, yx * force)
            force = z * (new_0 * b_1 - new_1 * b_0)
            k_other = k_other + z * (new_0 * a_1 + new_1 * a_0)
            l_other = l_other + v * force
            store(other, k, yx * force)
        k_row[0, i], h_row[0, i], share_one = _row_side(
            i, entries, point, eliminated, total(k_one), total(l_one), ones, 0.0
        )
        k_row[1, i], h_row[1, i], share_other = _row_side(
            i, entries, point, eliminated, total(k_other), total(l_other), t_row, 0.0
        )
        h_one, h_other = h_row[0, i], h_row[1, i]
        for k in range(n):
            j = columns[low + k]
            right_one[j] += one[k] + f[k] * share_one + g[k] * h_one
            right_other[j] += other[k] + f[k] * share_other + g[k] * h_other
        right_one[bias] += entries.y[i] * share_one
        right_other[bias] += entries.y[i] * share_other
    worst_primal, worst_dual = max(worst_primal, largest(most_primal)), max(worst_dual, 1.0 + largest(most_dual))
    return (
        row_all + total(sum_all), row_linear + total(sum_linear), row_square + total(sum_square),
        worst_primal, worst_dual,
    )  # fmt: skip


@compiled
def measure(start, stop, entries, point, eliminated, step, center, dw, db):
    """Steps of rows from those of w and b; returns the largest -ds/s and -dp/p of all slacks and multipliers."""
    width = longest_row(entries.length, start, stop)
    x, z_of, r_0, r_1 = np.empty(width), np.empty(width), np.empty(width), np.empty(width)
    s_0, s_1, p_0, p_1 = point.s[0], point.s[1], point.p[0], point.p[1]
    t_0, t_1 = step.t[0], step.t[1]
    nothing = splat(0.0)
    most_primal, most_dual, worst_primal, worst_dual = nothing, nothing, 0.0, 0.0
    for i in range(start, stop):
        low, n = entries.start[i], entries.length[i]
        dot_phi, dot_f = nothing, nothing
        for k in range(0, n, LANES):
            a_0, a_1, b_0, b_1 = load(s_0, low + k), load(s_1, low + k), load(p_0, low + k), load(p_1, low + k)
            z, inverse_0, inverse_1 = _ratios(a_0, a_1, b_0, b_1)
            moved = load(entries.yx, low + k) * gather(dw, entries.column, low + k)
            part = moved * b_0 * z
            dot_phi = dot_phi + part * a_1
            dot_f = dot_f + part * b_1 * load(entries.v, low + k)
            store(x, k, moved)
            store(z_of, k, z)
            store(r_0, k, inverse_0)
            store(r_1, k, inverse_1)
        _row_steps(i, entries, point, eliminated, step, total(dot_phi), total(dot_f), db, step.t_row[:, i])
        push, d_lambda = step.push[i], step.d_lambda[i]
        for c in range(3):
            worst_primal = max(worst_primal, -step.u_row[c, i])
            worst_dual = max(worst_dual, -step.e_row[c, i])
        for k in range(0, n, LANES):
            a_0, a_1, b_0, b_1 = load(s_0, low + k), load(s_1, low + k), load(p_0, low + k), load(p_1, low + k)
            goal_0, goal_1 = load(t_0, low + k) + center, load(t_1, low + k) + center
            q, z = load(x, k) - load(entries.v, low + k) * d_lambda, load(z_of, k)
            e_0, e_1 = goal_0 * load(r_0, k), goal_1 * load(r_1, k)
            u_0 = z * (a_1 * push + b_1 * q + goal_1 + b_0 * a_1 * e_0)
            u_1 = z * (a_0 * push - b_0 * q + goal_0 + b_1 * a_0 * e_1)
            most_primal = larger(most_primal, choose(n - k, larger(-1.0 * u_0, -1.0 * u_1), nothing))
            most_dual = larger(most_dual, choose(n - k, larger(1.0 + u_0 - e_0, 1.0 + u_1 - e_1), nothing))
    return max(worst_primal, largest(most_primal)), max(worst_dual, largest(most_dual))


@compiled
def _pull(product, low, high):
    """What brings a product back into [low, high], where it is above by at most ``high``."""
    inside = low if product < low else product
    inside = high if inside > high else inside
    return -high if inside - product < -high else inside - product


@compiled
def _pull_lanes(product, low, high):
    """`_pull` of a vector: the smaller of two is minus the larger of their opposites."""
    inside = larger(product, low)
    inside = -1.0 * larger(-1.0 * inside, -1.0 * high)
    return larger(inside - product, -1.0 * high)


@compiled
def correct(start, stop, entries, point, eliminated, step, center, dw, primal, dual, least, most, corrected, right):
    """Gondzio's targets: products that a longer step would push out of [least, most] are pulled back to it."""
    width = longest_row(entries.length, start, stop)
    f, g, other = np.empty(width), np.empty(width), np.empty(width)
    s_0, s_1, p_0, p_1 = point.s[0], point.s[1], point.p[0], point.p[1]
    t_0, t_1, new_t_0, new_t_1 = step.t[0], step.t[1], corrected.t[0], corrected.t[1]
    bias, columns = len(right) - 1, entries.column
    nothing, floor, ceiling = splat(0.0), splat(least), splat(most)
    for i in range(start, stop):
        low, n = entries.start[i], entries.length[i]
        push, d_lambda = step.push[i], step.d_lambda[i]
        k_sum, l_sum = nothing, nothing
        for k in range(0, n, LANES):
            a_0, a_1, b_0, b_1 = load(s_0, low + k), load(s_1, low + k), load(p_0, low + k), load(p_1, low + k)
            yx, v = load(entries.yx, low + k), load(entries.v, low + k)
            before_0, before_1 = load(t_0, low + k), load(t_1, low + k)
            goal_0, goal_1 = before_0 + center, before_1 + center
            q = yx * gather(dw, columns, low + k) - v * d_lambda
            z, r_0, r_1 = _ratios(a_0, a_1, b_0, b_1)
            e_0, e_1 = goal_0 * r_0, goal_1 * r_1
            u_0 = z * (a_1 * push + b_1 * q + goal_1 + b_0 * a_1 * e_0)
            u_1 = z * (a_0 * push - b_0 * q + goal_0 + b_1 * a_0 * e_1)
            product_0 = a_0 * b_0 * (1.0 + primal * u_0) * (1.0 + dual * (e_0 - 1.0 - u_0))
            product_1 = a_1 * b_1 * (1.0 + primal * u_1) * (1.0 + dual * (e_1 - 1.0 - u_1))
            new_0 = rounded(before_0 + _pull_lanes(product_0, floor, ceiling))
            new_1 = rounded(before_1 + _pull_lanes(product_1, floor, ceiling))
            store(new_t_0, low + k, new_0)
            store(new_t_1, low + k, new_1)
            goal_0, goal_1 = new_0 + center, new_1 + center
            force = z * (goal_0 * b_1 - goal_1 * b_0)
            k_sum = k_sum + choose(n - k, z * (goal_0 * a_1 + goal_1 * a_0), nothing)
            l_sum = l_sum + v * force
            store(other, k, yx * force)
            part = yx * b_0 * z
            store(f, k, part * a_1)
            store(g, k, part * b_1 * v)
        for c in range(3):
            product = point.s_row[c, i] * point.p_row[c, i]
            product *= (1.0 + primal * step.u_row[c, i]) * (1.0 + dual * step.e_row[c, i])
            corrected.t_row[c, i] = step.t_row[c, i] + _pull(product, least, most)
        corrected.k[i], corrected.h[i], share = _row_side(
            i, entries, point, eliminated, total(k_sum), total(l_sum), corrected.t_row[:, i], entries.price[i]
        )
        h_i = corrected.h[i]
        for k in range(n):
            right[columns[low + k]] += other[k] + f[k] * share + g[k] * h_i
        right[bias] += entries.y[i] * share
