"""Block-coordinate Frank-Wolfe on the dual of FDROP, one row at a time.

The dual point of row i is alpha_i in [0, C_i] and s_i, alpha_i times a mean of y_i x_i with features deleted;
w = sum s_i. A step looks for the row's worst deletion at the present weights, a subgradient of its loss, and goes
towards it as far as the dual objective rises (S. Lacoste-Julien, M. Jaggi, M. Schmidt, P. Pletscher, Block-coordinate
Frank-Wolfe optimization for structural SVMs, ICML 2013). The bias, which is not regularised, stays near a centre by
(stiffness/2) (b - centre)^2, so that b = centre + sum alpha_i y_i / stiffness; the caller moves the centre.
Weights may be held in a box |w_j| <= box: then w is sum s_i clipped to it, and a step, of the length that is best
without the box, still raises the dual objective, whose curvature the box only lowers.

Rows are given as CSR arrays, entries multiplied by y; only entries that are not zero are visited.
"""

import numba
import numpy as np

from benchkit_deletion.fractional_knapsack import fractional


@numba.njit(cache=True)
def _largest(numbers, size, rank):  # type: ignore[no-untyped-def]
    """The element of that rank, from 0, of numbers[:size] by size descending; reorders them (Hoare's selection)."""
    low, high = 0, size - 1
    while low < high:
        pivot = numbers[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while numbers[left] > pivot:
                left += 1
            while numbers[right] < pivot:
                right -= 1
            if left <= right:
                numbers[left], numbers[right] = numbers[right], numbers[left]
                left += 1
                right -= 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            break
    return numbers[rank]


@numba.njit(cache=True)
def _worst_uniform(gains, budget, share, spare):  # type: ignore[no-untyped-def]
    """`_worst` where every feature costs 1: the top ones, the next one in part; ``spare`` is overwritten."""
    n_gaining = 0
    for k in range(len(gains)):
        share[k] = 0.0
        if gains[k] > 0:
            spare[n_gaining] = gains[k]
            n_gaining += 1
    whole = int(budget)
    top = _largest(spare, n_gaining, whole) if n_gaining > whole else 0.0
    left, total = budget, 0.0
    for k in range(len(gains)):
        if gains[k] > top:
            share[k] = 1.0
            left -= 1.0
            total += gains[k]
    if top > 0:
        for k in range(len(gains)):  # those of the threshold's own size share what is left
            if left <= 0:
                break
            if gains[k] == top:
                share[k] = min(1.0, left)
                left -= share[k]
                total += share[k] * top
    return total


@numba.njit(cache=True)
def _worst(gains, features, values, budget, uniform, share, spare):  # type: ignore[no-untyped-def]
    """Fractional knapsack of a row: writes what share of each feature goes, returns their total gain.

    ``uniform`` says that every feature costs 1.
    """
    if uniform:
        return _worst_uniform(gains, budget, share, spare)
    for k in range(len(gains)):
        spare[k] = values[features[k]]
    return fractional(gains, spare[: len(gains)], budget, share)


@numba.njit(cache=True)
def run(  # type: ignore[no-untyped-def]
    indptr, indices, entries, y, order, values, budget, uniform, price, box, total, s, alpha, centre, pull, stiffness
):
    """Visit rows in the given order; returns the new ``pull``, and changes total, s and alpha in place.

    Rows are CSR arrays whose entries are multiplied by y; ``values`` and ``total`` = sum s_i are of features, ``price``
    (C of each row) and ``alpha`` of rows, ``s`` of entries. ``uniform`` says that every feature costs 1, ``pull`` is
    sum alpha_i y_i; an infinite ``box`` is none, an infinite ``stiffness`` keeps the bias at the centre.
    """
    gains, share, spare = np.empty(len(total)), np.empty(len(total)), np.empty(len(total))
    for i in order:
        start, stop = indptr[i], indptr[i + 1]
        features, row, own = indices[start:stop], entries[start:stop], s[start:stop]
        size = stop - start
        score = along = 0.0
        for k in range(size):
            weight = min(max(total[features[k]], -box), box)
            gains[k] = row[k] * weight
            score += gains[k]
            along += own[k] * weight
        removed = _worst(gains[:size], features, values, budget, uniform, share[:size], spare)
        free = 1.0 - y[i] * (centre + pull / stiffness)
        loss = free - score + removed
        corner = price[i] if loss > 0 else 0.0
        rise = corner * loss - alpha[i] * free + along
        if rise <= 0:
            continue
        curvature = (corner - alpha[i]) ** 2 / stiffness
        for k in range(size):
            share[k] = corner * (1.0 - share[k]) * row[k] - own[k]  # the direction
            curvature += share[k] ** 2
        step = 1.0 if rise >= curvature else rise / curvature
        for k in range(size):
            own[k] += step * share[k]
            total[features[k]] += step * share[k]
        pull += y[i] * step * (corner - alpha[i])
        alpha[i] += step * (corner - alpha[i])
    return pull


@numba.njit(cache=True)
def margins(indptr, indices, entries, values, budget, uniform, w):  # type: ignore[no-untyped-def]
    """Least y w.x of each row after deletion, shape (n_rows,)."""
    worst = np.empty(len(indptr) - 1)
    gains, share, spare = np.empty(len(w)), np.empty(len(w)), np.empty(len(w))
    for i in range(len(worst)):
        start, stop = indptr[i], indptr[i + 1]
        features = indices[start:stop]
        size = stop - start
        score = 0.0
        for k in range(size):
            gains[k] = entries[start + k] * w[features[k]]
            score += gains[k]
        worst[i] = score - _worst(gains[:size], features, values, budget, uniform, share[:size], spare)
    return worst
