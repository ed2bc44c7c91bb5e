"""Trees in one form, whatever library fitted them, and the leaves that deletions of one row may reach of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numba
import numpy as np

from benchkit import Features


@dataclass(frozen=True)
class RowTerms:
    """The values that deletions can give each term of one row, and what each needs.

    ``starts`` (n_terms + 1,) is where each term's leaves begin, of which every deletion fits exactly one; ``value`` has
    shape (n_leaves, n_outputs). ``needs`` (n_leaves + 1,) is where each leaf's conditions begin; ``feature`` and
    ``deleted`` (n_conditions,) say which feature it needs deleted, or kept.
    """

    starts: np.ndarray
    value: np.ndarray
    needs: np.ndarray
    feature: np.ndarray
    deleted: np.ndarray


class Tree(NamedTuple):
    """One tree, or several in one array each. Node 0 is the root; a value of at most the threshold goes left.

    Of shape (n_nodes,): ``column``, what a node asks about, -1 at leaves; ``threshold``; ``left`` and ``right``, its
    children; ``missing_left``, whether NaN goes left. ``value`` (n_nodes, n_outputs) is what a leaf adds to outputs.
    """

    column: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class TreeSum:
    """A sum of trees.

    Parameters
    ----------
    trees : sequence of Tree
    single_precision : bool
        Whether the library rounds what it is asked about to single precision before it compares.
    sums_in_single : bool
        Whether it adds leaves up in single precision.
    absent_is_missing : bool, default=False
        Whether entries that a sparse matrix does not store are NaN to it.
    constant : ndarray of shape (n_outputs,) or None, default=None
        What is added to the trees' sum; None where only the library's answers tell.

    """

    trees: Sequence[Tree]
    single_precision: bool
    sums_in_single: bool
    absent_is_missing: bool = False
    constant: np.ndarray | None = None

    @cached_property
    def roots(self) -> np.ndarray:
        """Where each tree begins, shape (n_trees + 1,)."""
        return np.cumsum([0, *(len(tree.column) for tree in self.trees)]).astype(np.int64)

    @cached_property
    def nodes(self) -> Tree:
        """All trees, one after another."""
        moved = [
            tree._replace(left=tree.left + root, right=tree.right + root)
            for tree, root in zip(self.trees, self.roots, strict=False)
        ]
        types = (np.int64, np.float64, np.int64, np.int64, np.bool_, np.float64)
        fields = zip(zip(*moved, strict=True), types, strict=True)
        return Tree(*(np.concatenate(parts).astype(kind, order="C") for parts, kind in fields))

    @property
    def n_outputs(self) -> int:
        """1 for regression and for two classes (the margin of the second), else one score per class."""
        return int(self.trees[0].value.shape[1])

    @property
    def rounding(self) -> float:
        """How far the library's own sum may be from the exact one: n u sum_t max |v_t|.

        With u the unit roundoff and n the number of trees (Higham 2002, Accuracy and Stability of Numerical Algorithms,
        Eq. 4.4).
        """
        unit = 2.0**-24 if self.sums_in_single else 2.0**-53
        leaves = np.where(self.nodes.column < 0, np.abs(self.nodes.value).max(axis=1), 0.0)
        return (len(self.trees) + 1) * unit * float(np.maximum.reduceat(leaves, self.roots[:-1]).sum())

    def as_compared(self, X: np.ndarray) -> np.ndarray:
        """Rows as the library compares them with thresholds: shape (n_rows, n_columns)."""
        rounded = X.astype(np.float32) if self.single_precision else X
        return np.ascontiguousarray(rounded, dtype=np.float64)

    def scores(self, X: np.ndarray) -> np.ndarray:
        """The trees' sum, of shape (n_rows, n_outputs), from rows of shape (n_rows, n_columns)."""
        summed: np.ndarray = _sum_of_leaves(self.as_compared(X), self.roots, *self.nodes)
        return summed

    def rows(
        self, X: np.ndarray, left: np.ndarray, features: Features, cost: np.ndarray, capacity: float
    ) -> Iterator[RowTerms]:
        """What deletions within the capacity can make of each row's terms; ``left`` is what deletion leaves."""
        fill = self.as_compared(left[None, :])[0]
        *nodes, value = self.roots, *self.nodes
        feature_of = features.of_column.astype(np.int64)
        for row in self.as_compared(X):
            starts, leaves, *conditions = reachable_leaves(row, fill, feature_of, cost, capacity, *nodes)
            yield RowTerms(starts, value[leaves], *conditions)


@numba.njit(cache=True)
def _sum_of_leaves(X, roots, column, threshold, left, right, missing_left, value):  # type: ignore[no-untyped-def]
    out = np.zeros((len(X), value.shape[1]))
    for row in range(len(X)):
        for tree in range(len(roots) - 1):
            node = roots[tree]
            while column[node] >= 0:
                x = X[row, column[node]]
                node = left[node] if goes_left(x, threshold[node], missing_left[node]) else right[node]
            for output in range(value.shape[1]):
                out[row, output] += value[node, output]
    return out


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

    ``x`` and ``fill`` are as the library compares them, ``feature_of`` is the feature of each column, ``cost``
    (n_features,) and ``capacity`` are what deletion costs and may cost at most. Returns starts, leaves, needs, feature
    and deleted as of `RowTerms`, the leaves by their nodes.
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
