"""The Lasso's path on [X, I], with the identity taken out of every product.

At penalty t the errors e are what of the residuals v = y - X w lies beyond the band [-t, t], so that the path is that
of t |w|_1 + sum_i H_t(v_i), H_t being Huber's loss. With S the columns whose weight is not zero, s their signs, Q the
rows within the band, E the others and z their signs, a piece of the path satisfies

    X_QS' v_Q + t X_ES' z = t s,   so that   X_QS' X_QS dw = s - X_ES' z   per unit that t falls.

Its matrix has the order of S, where the Lasso's own has that of S and E together, which is the number of rows at the
end; and a row that changes sides, like a column, changes the inverse by rank one.
"""

import numpy as np
from numba import njit
from scipy import linalg

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


# A direction solves its equations to this size of residual (their right-hand side is of size 1) ...
_ACCURACY = 1e-9
# ... after at most so many corrections; then the inverse is computed anew.
_CORRECTIONS = 3
# A pivot below this share of its diagonal is rounding: the column or row depends on those that have joined.
_PIVOT = 1e-10
# Steps after which residuals and correlations are computed from the weights, so that rounding does not add up.
_REFRESH = 100
# Events below this share of the largest target are rounding: the piece before them is the last, and the objective too
# large by half of that for each row at most. A share of the first penalty would be the more the larger a column is.
_LAST = 1e-9


class DenseErrorPath:
    """The state at one penalty.

    ``dual`` (n_rows,) are the residuals within the band over the penalty: at its end a solution of max y.u, |u|_inf <=
    1, |X'u|_inf <= 1.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        n_rows, n_columns = X.shape
        self._X = np.array(X, dtype=np.float64, order="F")  # its columns are permuted: those of S come first
        self._y = y
        self._columns = np.arange(n_columns)
        self._n_active = 0
        self._weights = np.zeros(n_columns)
        self._signs = np.zeros(n_columns)
        self._residuals = np.array(y, dtype=np.float64)
        self._outside = np.zeros(n_rows)  # the sign where the residual is beyond the band, else 0
        self._correlations = self._X.T @ self._residuals
        self._barred = np.zeros(n_columns + n_rows, dtype=np.bool_)
        order = min(n_rows, n_columns)
        self._inverse = np.empty((order, order), order="F")
        self._last = np.array([END, -1, 0.0])
        self.penalty = float(max(np.abs(self._residuals).max(), np.abs(self._correlations).max(initial=0.0)))
        self._last_penalty = _LAST * float(np.abs(self._residuals).max())
        self.n_steps = 0
        self.dual = np.clip(self._residuals / self.penalty, -1.0, 1.0) if self.penalty else np.zeros(n_rows)

    def follow(self, max_steps: int) -> bool:
        """Follow the path to penalty zero; False where that takes more than ``max_steps``."""
        while self.penalty > 0.0:
            if self.n_steps == max_steps:
                return False
            self.n_steps += 1
            self._step()
        return True

    @property
    def weights(self) -> np.ndarray:
        """Shape (n_columns,)."""
        weights = np.zeros(len(self._columns))
        weights[self._columns] = self._weights
        return weights

    def _step(self) -> None:
        slopes, predictions, falls = self._direction()
        size = self._n_active
        fall, which, index, sign = next_event(
            self.penalty,
            self._weights,
            slopes,
            size,
            self._correlations,
            falls,
            self._residuals,
            predictions,
            self._outside,
            self._barred,
            self._last,
        )
        if self.penalty - fall <= self._last_penalty:
            fall, which = self.penalty, END
        self._weights[:size] += fall * slopes
        if which == END:
            self.dual = np.clip(self._residuals / self.penalty, -1.0, 1.0)
        self._residuals -= fall * predictions
        self._correlations -= fall * falls
        self.penalty = 0.0 if which == END else self.penalty - fall
        if self.n_steps % _REFRESH == 0:
            self._refresh()
        self._correlations[:size] = self.penalty * self._signs[:size]
        if which == JOIN:
            self._join(index, sign)
        elif which == DROP:
            self._drop(index)
        elif which != END:
            self._move_row(index, sign if which == ROW_OUT else 0.0)
            self._last[:] = which, index, sign

    def _direction(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Per unit that the penalty falls: the weights' rise, the residuals' fall, the correlations' fall."""
        size = self._n_active
        active = self._X[:, :size]
        inverse = self._inverse[:size, :size]
        signs = self._signs[:size]
        slopes = inverse @ (signs - active.T @ self._outside)
        for attempt in range(2 * _CORRECTIONS):
            predictions = active @ slopes
            falls = self._X.T @ np.where(self._outside == 0.0, predictions, self._outside)
            missing = signs - falls[:size]
            if np.abs(missing).max(initial=0.0) <= _ACCURACY:
                break
            if attempt == _CORRECTIONS:
                inverse[:] = self._inverse_anew()
            slopes = slopes + inverse @ missing
        return slopes, predictions, falls

    def _inverse_anew(self) -> np.ndarray:
        within = self._X[self._outside == 0.0, : self._n_active]
        return np.asarray(linalg.pinvh(within.T @ within))

    def _refresh(self) -> None:
        self._residuals = self._y - self._X @ self._weights
        self._correlations = self._X.T @ np.clip(self._residuals, -self.penalty, self.penalty)

    def _join(self, index: int, sign: float) -> None:
        size = self._n_active
        column = np.where(self._outside == 0.0, self._X[:, index], 0.0)
        coupling = self._X[:, :size].T @ column
        image = self._inverse[:size, :size] @ coupling
        diagonal = float(column @ column)
        pivot = diagonal - float(coupling @ image)
        if size == len(self._inverse) or pivot <= _PIVOT * diagonal:
            self._barred[index] = True
            return
        self._swap(index, size)
        self._signs[size] = sign
        add_outer(self._inverse, size, image, 1.0 / pivot)
        self._inverse[:size, size] = self._inverse[size, :size] = -image / pivot
        self._inverse[size, size] = 1.0 / pivot
        self._n_active += 1
        self._last[:] = JOIN, size, sign

    def _drop(self, index: int) -> None:
        last = self._n_active - 1
        sign = self._signs[index]
        self._weights[index] = 0.0
        self._swap(index, last)
        inverse = self._inverse
        inverse[:, [index, last]] = inverse[:, [last, index]]
        inverse[[index, last], :] = inverse[[last, index], :]
        add_outer(inverse, last, inverse[:last, last].copy(), -1.0 / inverse[last, last])
        self._n_active = last
        self._barred[:] = False
        self._last[:] = DROP, last, sign

    def _move_row(self, row: int, sign: float) -> None:
        """Out of the band on the side of ``sign``, or into it where that is 0."""
        size = self._n_active
        entries = self._X[row, :size].copy()
        image = self._inverse[:size, :size] @ entries
        leverage = float(entries @ image)
        if sign == 0.0:
            add_outer(self._inverse, size, image, -1.0 / (1.0 + leverage))
            self._barred[:] = False
        elif 1.0 - leverage <= _PIVOT:
            self._barred[len(self._columns) + row] = True
            return
        else:
            add_outer(self._inverse, size, image, 1.0 / (1.0 - leverage))
        self._outside[row] = sign

    def _swap(self, a: int, b: int) -> None:
        if a != b:
            for values in (self._columns, self._weights, self._signs, self._correlations, self._barred):
                values[a], values[b] = values[b], values[a]
            self._X[:, [a, b]] = self._X[:, [b, a]]
