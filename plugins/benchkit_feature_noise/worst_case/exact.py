"""The exact worst case: which features an adversary deletes who solves the knapsack."""

from __future__ import annotations

import numpy as np

from benchkit_feature_noise.worst_case.threat import gain_per_value, greedy_deletion

WORK_LIMIT = 5_000_000
_SHORTFALLS = (0.0, 1e-6, 1e-4)


class WorkLimitError(RuntimeError):
    """The knapsack of a row was given up."""


def exact_deletion(gains: np.ndarray, values: np.ndarray, budget: float, work_limit: int = WORK_LIMIT) -> np.ndarray:
    """The 0/1 knapsack: which features of each row the worst case deletes.

    Solves max sum_j delta_j gains_j subject to delta in {0, 1}, sum_j delta_j v_j <= budget, row by row. Where all
    features that cost anything cost the same these are the top ones, otherwise dynamic programming over the features
    whose choice is in doubt. A row in which that takes too long, because the gain per value of many features is the
    same, is given a deletion that is proven to be within a millionth of the best one, or a ten-thousandth:
    `deletion_and_shortfall` says which.

    Parameters
    ----------
    gains : ndarray of shape (n_rows, n_features)
        What deleting each feature brings the adversary.
    values : ndarray of shape (n_features,)
    budget : float
    work_limit : int, default=5,000,000
        States per row that the dynamic programme may look at, some 30 ns each, in each of the three attempts.

    Returns
    -------
    ndarray of bool, shape (n_rows, n_features)

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
    from benchkit_feature_noise.worst_case.knapsack import solve  # compiles

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
