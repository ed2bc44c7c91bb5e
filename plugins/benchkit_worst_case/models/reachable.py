"""The leaves that some deletion reaches, and what must be kept and deleted to reach each."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True)
def goes_left(x: float, threshold: float, missing_left: bool) -> bool:
    """Where a value goes at a node."""
    if np.isnan(x):
        return missing_left
    return x <= threshold


@numba.njit(cache=True)
def _roomier(numbers: np.ndarray) -> np.ndarray:
    longer = np.empty(2 * len(numbers), numbers.dtype)
    longer[: len(numbers)] = numbers
    return longer


@numba.njit(cache=True)
def reachable_leaves(x, fill, feature_of, cost, capacity, roots, column, threshold, left, right, missing_left):  # type: ignore[no-untyped-def]
    """What deletions of one row may reach of each tree.

    A feature has two states, kept (its columns hold x) or deleted (they hold the fill). A node whose answer is the same
    in both is no choice; at any other, the way of x needs the feature kept and the way of the fill needs it deleted,
    which a path decides once for each feature.

    Parameters
    ----------
    x, fill : ndarray of shape (n_columns,)
        As the library compares them.
    feature_of : ndarray of int, shape (n_columns,)
        The feature of each column.
    cost : ndarray of shape (n_features,)
    capacity : float
        The most that deletion may cost.
    roots, column, threshold, left, right, missing_left : ndarray
        As of `TreeSum`.

    Returns
    -------
    starts : ndarray of int, shape (n_trees + 1,)
        Where each tree's leaves begin.
    leaves : ndarray of int, shape (n_leaves,)
        Their nodes.
    needs : ndarray of int, shape (n_leaves + 1,)
        Where each leaf's conditions begin.
    feature : ndarray of int, shape (n_conditions,)
    deleted : ndarray of bool, shape (n_conditions,)
        Whether the feature must be deleted; it must be kept otherwise.
    """
    n_trees = len(roots) - 1
    starts = np.zeros(n_trees + 1, np.int64)
    leaves, n_leaves = np.empty(256, np.int64), 0
    needs = np.zeros(256, np.int64)
    feature, deleted, n_needs = np.empty(1024, np.int64), np.empty(1024, np.bool_), 0
    path, path_deleted = np.empty(len(cost) + 1, np.int64), np.empty(len(cost) + 1, np.bool_)
    largest = 1
    for tree in range(n_trees):
        largest = max(largest, roots[tree + 1] - roots[tree])
    # What waits: a node, how long the path to its parent is, and what it adds to that path (feature -1: nothing).
    node_waits, length_waits = np.empty(largest + 1, np.int64), np.empty(largest + 1, np.int64)
    feature_waits, deleted_waits = np.empty(largest + 1, np.int64), np.empty(largest + 1, np.bool_)
    for tree in range(n_trees):
        node_waits[0], length_waits[0], feature_waits[0], deleted_waits[0] = roots[tree], 0, -1, False
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node, length = node_waits[waiting], length_waits[waiting]
            if feature_waits[waiting] >= 0:
                path[length], path_deleted[length] = feature_waits[waiting], deleted_waits[waiting]
                length += 1
            while True:
                if column[node] < 0:
                    break
                of_x = goes_left(x[column[node]], threshold[node], missing_left[node])
                of_fill = goes_left(fill[column[node]], threshold[node], missing_left[node])
                if of_x != of_fill:
                    asked, known = feature_of[column[node]], False
                    spent = 0.0
                    for place in range(length):
                        if path[place] == asked:
                            known = True
                            of_x = of_fill if path_deleted[place] else of_x
                        if path_deleted[place]:
                            spent += cost[path[place]]
                    if not known:
                        if spent + cost[asked] <= capacity:
                            node_waits[waiting] = left[node] if of_fill else right[node]
                            length_waits[waiting], feature_waits[waiting] = length, asked
                            deleted_waits[waiting] = True
                            waiting += 1
                        path[length], path_deleted[length] = asked, False
                        length += 1
                node = left[node] if of_x else right[node]
            while n_leaves + 2 > len(needs):
                needs = _roomier(needs)
            while n_leaves + 1 > len(leaves):
                leaves = _roomier(leaves)
            while n_needs + length > len(feature):
                feature, deleted = _roomier(feature), _roomier(deleted)
            leaves[n_leaves] = node
            for place in range(length):
                feature[n_needs], deleted[n_needs] = path[place], path_deleted[place]
                n_needs += 1
            n_leaves += 1
            needs[n_leaves] = n_needs
        starts[tree + 1] = n_leaves
    return starts, leaves[:n_leaves], needs[: n_leaves + 1], feature[:n_needs], deleted[:n_needs]
