"""The threat: who deletes features of each row, of total value at most N, and what deletion leaves.

One place for feature values, budgets, fills and the knapsack: greedy, relaxed and exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from benchkit import AttackContext, Features, NotApplicableError, check_choice

Deletion = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
"""From gains of shape (n_rows, n_features), what deleting each feature brings the adversary, values (n_features,) and
budget to what is deleted, a share or a mask of the gains' shape.
"""


def check_values(feature_values: Any, n_features: int, features: Features | None = None) -> np.ndarray:
    """Values v >= 0 of the columns, shape (n_features,); None stands for ones, a group's columns sharing its one.

    Parameters
    ----------
    feature_values : array-like of shape (n_features,) or None
    n_features : int
        Columns.
    features : Features, optional
        Which columns are one feature; each is one where None.

    Raises
    ------
    ValueError
        Wrong shape, negative or not finite.
    """
    if feature_values is None:
        return np.ones(n_features) if features is None else features.share(np.ones(features.n_features))
    values = np.asarray(feature_values, dtype=float)
    if values.shape != (n_features,):
        raise ValueError(f"feature_values has shape {values.shape}, expected ({n_features},)")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("feature_values must be finite and not negative")
    return values


def relaxed_deletion(gains: np.ndarray, values: np.ndarray, budget: float) -> np.ndarray:
    """The fractional knapsack: what share of each feature the relaxed worst case deletes, a `Deletion`.

    Solves max sum_j delta_j gains_j subject to 0 <= delta <= 1, sum_j delta_j v_j <= budget, row by row: features in
    the order of gains / v while gains are positive, the last one in part.
    """
    order = np.argsort(-gain_per_value(gains, values), axis=1, kind="stable")
    paid = np.where(np.take_along_axis(gains, order, axis=1) > 0, values[order], 0.0)
    before = np.cumsum(paid, axis=1) - paid
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(paid > 0, (budget - before) / paid, 1.0)
    chosen = np.where(np.take_along_axis(gains, order, axis=1) > 0, np.clip(share, 0.0, 1.0), 0.0)
    deleted = np.empty_like(chosen)
    np.put_along_axis(deleted, order, chosen, axis=1)
    return deleted


def gain_per_value(gains: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Gain per value; a feature of value 0 comes first (inf) if it gains, last (-inf) if it does not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = gains / values
    free = np.where(gains > 0, np.inf, -np.inf)
    ratios: np.ndarray = np.where(values > 0, ratio, free)
    return ratios


def greedy_deletion(gains: np.ndarray, values: np.ndarray, budget: float) -> np.ndarray:
    """The papers' greedy adversary: which features of each row go, a `Deletion` as a mask; gains are y w_j x_j.

    By gains / v descending, delete j if its gain is positive and the budget still holds after it; a feature that does
    not fit is passed over, later ones may fit (Dekel, Shamir & Xiao 2010, section 4).
    """
    order = np.argsort(-gain_per_value(gains, values), axis=1, kind="stable")
    deleted = np.zeros(gains.shape, dtype=bool)
    rows = np.arange(len(gains))
    left = np.full(len(gains), budget * (1 + 1e-12))
    for position in range(gains.shape[1]):
        feature = order[:, position]
        gain = gains[rows, feature]
        if not (gain > 0).any():
            break  # sorted by ratio: no later feature gains either
        taken = (gain > 0) & (values[feature] <= left)
        deleted[rows[taken], feature[taken]] = True
        left -= np.where(taken, values[feature], 0.0)
    return deleted


WORK_LIMIT = 5_000_000
_SHORTFALLS = (0.0, 1e-6, 1e-4)


class WorkLimitError(RuntimeError):
    """The knapsack of a row was given up."""


def exact_deletion(gains: np.ndarray, values: np.ndarray, budget: float, work_limit: int = WORK_LIMIT) -> np.ndarray:
    """The 0/1 knapsack: which features of each row the worst case deletes, a `Deletion` as a mask.

    Solves max sum_j delta_j gains_j subject to delta in {0, 1}, sum_j delta_j v_j <= budget, row by row. Where all
    features that cost anything cost the same these are the top ones, otherwise dynamic programming over the features
    whose choice is in doubt. A row in which that takes too long, because the gain per value of many features is the
    same, is given a deletion that is proven to be within a millionth of the best one, or a ten-thousandth:
    `deletion_and_shortfall` says which.

    Parameters
    ----------
    work_limit : int, default=5,000,000
        States per row that the dynamic programme may look at, some 30 ns each, in each of the three attempts.

    Raises
    ------
    WorkLimitError
        A row needs more states than ``work_limit`` even so.
    """
    return deletion_and_shortfall(gains, values, budget, work_limit)[0]


def deletion_and_shortfall(
    gains: np.ndarray, values: np.ndarray, budget: float, work_limit: int = WORK_LIMIT
) -> tuple[np.ndarray, np.ndarray]:
    """What `exact_deletion` returns, and by what fraction each row's total gain may fall short of the best one.

    The second is of shape (n_rows,), and 0 where the deletion is proven to be the best.
    """
    deleted = greedy_deletion(gains, values, budget)
    shortfall = np.zeros(len(gains))
    costs = values[values > 0]
    if costs.size == 0 or np.ptp(costs) == 0:
        return deleted, shortfall
    from benchkit_deletion.knapsack import solve  # compiles

    capacity = budget * (1 + 1e-12)  # as the greedy adversary's
    fits = (values > 0) & (values <= capacity)
    order = np.argsort(-gain_per_value(gains, values), axis=1, kind="stable")
    for row, gain in enumerate(gains):
        items = order[row][fits[order[row]] & (gain[order[row]] > 0)]
        if values[items].sum() <= capacity:
            continue  # greedy took them all
        known = gain[items] @ deleted[row, items]
        for slack in _SHORTFALLS:
            chosen, states = solve(gain[items], values[items], capacity, known, slack, work_limit)
            if states <= work_limit:
                break
        else:
            raise WorkLimitError(
                f"the worst case of a row with {len(items)} features in play needs more than {work_limit} states"
            )
        shortfall[row] = slack
        if chosen.any():
            deleted[row, items] = chosen
    return deleted, shortfall


Fill = Literal["zero", "nan", "mean"]
"""What deletion leaves: zeros, NaN, or the means of the training part."""


def check_fill(fill: Fill) -> Fill:
    """The fill; refused where it is none."""
    check_choice(("zero", "nan", "mean"), fill=fill)
    return fill


def left_by(fill: Fill, X: np.ndarray) -> np.ndarray:
    """What deletion leaves in each column of training rows, shape (n_columns,): 0, NaN, or their mean without gaps."""
    if check_fill(fill) != "mean":
        return np.full(X.shape[1], np.nan if fill == "nan" else 0.0)
    known = ~np.isnan(X)
    means: np.ndarray = np.where(known, X, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return means


def column_of(name: str | int, attack: AttackContext) -> int:
    """The column that a name of a column or of a group, or a column's number from 0, stands for; a group's first one.

    Raises
    ------
    ValueError
        There is none.
    """
    names, n_columns = list(attack.feature_names), attack.X.shape[1]
    if isinstance(name, str):
        if name in attack.group_names:
            return int(attack.groups[list(attack.group_names).index(name)][0])
        if name not in names:
            raise ValueError(f"no feature is named {name!r}; the features are {', '.join(names) or 'unnamed'}")
        return names.index(name)
    if not 0 <= name < n_columns:
        raise ValueError(f"no feature {name}: columns are 0 to {n_columns - 1}")
    return name


Choice = Callable[[slice, np.ndarray], np.ndarray]


def delete(X: Any, features: Features, choose: Choice, left: np.ndarray) -> Any:
    """A copy of X, an array or CSR matrix, without the chosen features; ``left`` is what each column then holds.

    ``choose`` takes a slice of rows and these rows, dense; it returns a mask of shape (n_rows, n_features).
    """
    return replace(X, features, choose, lambda rows, dense: left)


def replace(X: Any, features: Features, choose: Choice, fill: Choice) -> Any:
    """As `delete`, with other values in place of what is chosen.

    ``fill`` takes a slice of rows and these rows, dense; it returns what to put there, which broadcasts to their shape.
    """
    parts = []
    for rows, dense in dense_blocks(X):
        chosen = features.spread(choose(rows, dense))
        replaced = np.where(chosen, fill(rows, dense), dense)
        parts.append(sparse.csr_matrix(replaced) if sparse.issparse(X) else replaced)
    return sparse.vstack(parts, format="csr") if sparse.issparse(X) else np.concatenate(parts)


_WIDEST = 1_000_000


def dense_blocks(X: Any, entries: int = 4_000_000) -> Any:
    """Yield (slice, dense rows) over a matrix, so that sparse data is never dense at once.

    Raises NotApplicableError where one row has more than a million columns, such as of hashed words: some of them would
    take minutes and gigabytes.
    """
    if X.shape[1] > _WIDEST:
        raise NotApplicableError(
            f"rows of {X.shape[1]:,} columns are too wide to be looked at whole, {_WIDEST:,} at most: hash into fewer"
        )
    step = max(1, entries // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        block = X[rows]
        yield rows, block.toarray() if sparse.issparse(block) else np.asarray(block)
