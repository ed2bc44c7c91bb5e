"""One pass of the projected Perceptron over rows, sparse or dense, compiled."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def run(pointer, column, x, signs, order, values, owner, required, budget, radius, steps, fit_intercept, w, w_sum, b):
    """See rows in the given order; w, w_sum and b = [bias, its sum, cumulative loss] are updated in place.

    The row at position t moves by ``steps[t]`` at most. ``values`` are of features, ``owner`` is the feature of each
    column.
    """
    total, place = values.sum(), np.full(len(values), -1)
    for t in range(len(order)):
        i = order[t]
        low, high = pointer[i], pointer[i + 1]
        see_row(
            column[low:high], x[low:high], signs[i], steps[t], values, owner, total, place, required, budget, radius,
            fit_intercept, w, w_sum, b,
        )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def run_dense(rows, signs, values, owner, required, budget, radius, steps, fit_intercept, w, w_sum, b):
    """`run` on dense rows, in the order in which they stand: what is not zero of each is all that is seen of it.

    ``rows``, shape (n_rows, n_columns), ``signs`` and ``steps`` belong together.
    """
    total, place = values.sum(), np.full(len(values), -1)
    column, x = np.empty(rows.shape[1], np.int32), np.empty(rows.shape[1])
    for t in range(len(rows)):
        size = 0
        for j in range(rows.shape[1]):
            if rows[t, j] != 0.0:
                column[size], x[size] = j, rows[t, j]
                size += 1
        see_row(
            column[:size], x[:size], signs[t], steps[t], values, owner, total, place, required, budget, radius,
            fit_intercept, w, w_sum, b,
        )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def see_row(
    column, x, sign, step, values, owner, total, place, required, budget, radius, fit_intercept, w, w_sum, b
):  # fmt: skip
    """One row, given by its entries that are not zero; ``place`` is -1 everywhere, before and after.

    Zero entries gain the adversary nothing, so each row's knapsack is over the features of its non-zero entries
    (Dekel, Shamir & Xiao 2010, Eq. 29, relaxed), each of which gains what its columns add up to.
    """
    size = len(column)
    w_sum += w
    b[1] += b[0]
    gains = np.empty(size)
    ratios = np.empty(size)
    kept = np.ones(size)
    feature = np.empty(size, np.int64)
    margin = 0.0
    count, positive = 0, 0
    for k in range(size):
        j = column[k]
        contribution = sign * w[j] * x[k]
        margin += contribution
        f = owner[j]
        if place[f] < 0:
            place[f] = count
            feature[count] = f
            gains[count] = contribution - required * values[f]
            count += 1
        else:
            gains[place[f]] += contribution
    for k in range(count):
        if gains[k] > 0:
            value = values[feature[k]]
            ratios[k] = gains[k] / value if value > 0 else np.inf
            positive += 1
        else:
            ratios[k] = -1.0
    loss = required * total - sign * b[0] - margin
    if positive:
        order_k = np.argsort(-ratios[:count])
        left = budget
        for position in range(positive):
            k = order_k[position]
            value = values[feature[k]]
            # Features of value 0 come first and are all deleted, however little of the budget is left.
            share = 1.0 if value <= left else left / value
            loss += share * gains[k]
            kept[k] = 1.0 - share
            if share < 1.0:
                break
            left -= value
    if loss > 0:
        b[2] += loss
        for k in range(size):
            j = column[k]
            w[j] = min(max(w[j] + sign * step * kept[place[owner[j]]] * x[k], -radius), radius)
        if fit_intercept:
            b[0] = min(max(b[0] + sign * step, -radius), radius)
    for k in range(count):
        place[feature[k]] = -1
