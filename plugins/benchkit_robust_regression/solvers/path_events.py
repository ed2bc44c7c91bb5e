"""What ends a straight piece of the Lasso's path on [X, I], found in one compiled pass."""

from __future__ import annotations

from numba import njit

JOIN, DROP, ROW_OUT, ROW_IN, END = range(5)


@njit(cache=True, nogil=True, error_model="numpy")
def next_event(penalty, weights, slopes, n_active, correlations, falls, residuals, predictions, outside, barred, last):
    """The first event as the penalty falls: (how far it falls, which, its index, its sign).

    A column joins where its correlation reaches the penalty, and drops where its weight reaches zero; a row's residual
    leaves the penalty's band or comes back into it. Per unit that the penalty falls, ``slopes`` is the weights' rise,
    ``falls`` the fall of the correlations, ``predictions`` that of the residuals. ``barred`` holds the columns, then
    the rows, that depend on what has joined. The event ``last`` = [which, index, sign] stands at its own border and
    is not met again. Where as many columns have joined as rows are within the band, correlations and residuals fall in
    proportion to the penalty, and reach it only at zero.
    """
    n_columns = len(correlations)
    fall, which, index, sign = penalty, END, -1, 0.0
    for j in range(n_active):
        if weights[j] * slopes[j] < 0 and -weights[j] / slopes[j] < fall and not (last[0] == JOIN and last[1] == j):
            fall, which, index, sign = -weights[j] / slopes[j], DROP, j, 0.0
    n_within = 0
    for row in range(len(residuals)):
        n_within += outside[row] == 0.0
    full = n_active >= n_within
    for position in range(n_active, n_columns + len(residuals)):
        row = position - n_columns
        if barred[position]:
            continue
        if row >= 0 and outside[row] != 0.0:
            rate = outside[row] * predictions[row] - 1.0
            room = outside[row] * residuals[row] - penalty
            if rate > 0.0 and room < rate * fall and not (last[0] == ROW_OUT and last[1] == row):
                fall, which, index, sign = max(room, 0.0) / rate, ROW_IN, row, outside[row]
            continue
        if full:
            continue
        value = correlations[position] if row < 0 else residuals[row]
        change = falls[position] if row < 0 else predictions[row]
        item = position if row < 0 else row
        for side in (-1.0, 1.0):
            rate = 1.0 - side * change
            room = penalty - side * value
            if rate > 0.0 and room < rate * fall:
                opposite = DROP if row < 0 else ROW_IN
                if last[0] == opposite and last[1] == item and last[2] == side:
                    continue
                fall, which, index, sign = max(room, 0.0) / rate, JOIN if row < 0 else ROW_OUT, item, side
    return fall, which, index, sign


@njit(cache=True, nogil=True, error_model="numpy")
def add_outer(matrix, size, vector, factor):
    """matrix[:size, :size] += factor * vector vector', in place; the matrix in Fortran's order."""
    for j in range(size):
        scaled = factor * vector[j]
        for i in range(size):
            matrix[i, j] += scaled * vector[i]
