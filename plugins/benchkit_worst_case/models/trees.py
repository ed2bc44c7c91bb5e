"""Trees in one form, whatever library fitted them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numba
import numpy as np

from benchkit import Features
from benchkit_worst_case.models.reachable import goes_left, reachable_leaves
from benchkit_worst_case.models.row_terms import RowTerms


@dataclass(frozen=True)
class Tree:
    """One tree. Node 0 is the root; a value of at most the threshold goes left.

    Attributes
    ----------
    column : ndarray of int, shape (n_nodes,)
        What a node asks about; -1 at leaves.
    threshold : ndarray of shape (n_nodes,)
    left, right : ndarray of int, shape (n_nodes,)
    missing_left : ndarray of bool, shape (n_nodes,)
        Whether NaN goes left.
    value : ndarray of shape (n_nodes, n_outputs)
        What a leaf adds to each output.
    """

    column: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    value: np.ndarray


@dataclass(frozen=True)
class TreeSum:
    """A sum of trees: all nodes in one array each.

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

    Attributes
    ----------
    n_outputs : int
        1 for regression and for two classes (the margin of the second), else one score per class.
    rounding : float
        How far the library's own sum may be from the exact one: n u sum_t max |v_t|, with u the unit roundoff and n the
        number of trees (Higham 2002, Accuracy and Stability of Numerical Algorithms, Eq. 4.4).
    """

    trees: Sequence[Tree]
    single_precision: bool
    sums_in_single: bool
    absent_is_missing: bool = False
    constant: np.ndarray | None = None
    roots: np.ndarray = field(init=False, repr=False)
    column: np.ndarray = field(init=False, repr=False)
    threshold: np.ndarray = field(init=False, repr=False)
    left: np.ndarray = field(init=False, repr=False)
    right: np.ndarray = field(init=False, repr=False)
    missing_left: np.ndarray = field(init=False, repr=False)
    value: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sizes = [len(tree.column) for tree in self.trees]
        roots = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

        def joined(name: str, dtype: type) -> np.ndarray:
            return np.ascontiguousarray(np.concatenate([getattr(tree, name) for tree in self.trees]), dtype=dtype)

        def shifted(name: str) -> np.ndarray:
            parts = [getattr(tree, name) + root for tree, root in zip(self.trees, roots, strict=False)]
            return np.concatenate(parts).astype(np.int64)

        for name, array in {
            "roots": roots,
            "column": joined("column", np.int64),
            "threshold": joined("threshold", np.float64),
            "left": shifted("left"),
            "right": shifted("right"),
            "missing_left": joined("missing_left", np.bool_),
            "value": joined("value", np.float64),
        }.items():
            object.__setattr__(self, name, array)

    @property
    def n_outputs(self) -> int:
        """1 for regression and for two classes, else one score per class."""
        return int(self.trees[0].value.shape[1])

    @property
    def rounding(self) -> float:
        """How far the library's own sum may be from the exact one."""
        unit = 2.0**-24 if self.sums_in_single else 2.0**-53
        leaves = np.where(self.column < 0, np.abs(self.value).max(axis=1), 0.0)
        return (len(self.trees) + 1) * unit * float(np.maximum.reduceat(leaves, self.roots[:-1]).sum())

    def as_compared(self, X: np.ndarray) -> np.ndarray:
        """Rows as the library compares them with thresholds: shape (n_rows, n_columns)."""
        rounded = X.astype(np.float32) if self.single_precision else X
        return np.ascontiguousarray(rounded, dtype=np.float64)

    def scores(self, X: np.ndarray) -> np.ndarray:
        """The trees' sum, of shape (n_rows, n_outputs), from rows of shape (n_rows, n_columns)."""
        nodes = (self.roots, self.column, self.threshold, self.left, self.right, self.missing_left, self.value)
        summed: np.ndarray = _sum_of_leaves(self.as_compared(X), *nodes)
        return summed

    def rows(
        self, X: np.ndarray, left: np.ndarray, features: Features, cost: np.ndarray, capacity: float
    ) -> Iterator[RowTerms]:
        """What deletions within the capacity can make of each row's terms.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
        left : ndarray of shape (n_columns,)
            What deletion leaves.
        features : Features
        cost : ndarray of shape (n_features,)
        capacity : float
        """
        fill = self.as_compared(left[None, :])[0]
        nodes = (self.roots, self.column, self.threshold, self.left, self.right, self.missing_left)
        feature_of = features.of_column.astype(np.int64)
        for row in self.as_compared(X):
            starts, leaves, *conditions = reachable_leaves(row, fill, feature_of, cost, capacity, *nodes)
            yield RowTerms(starts, self.value[leaves], *conditions)


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
