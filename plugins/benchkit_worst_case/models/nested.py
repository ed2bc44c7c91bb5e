"""Trees that libraries write as nested mappings, made flat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchkit_worst_case.models.trees import Tree


def flat_tree(root: Any, read: Callable[[Any], Any], output: int | None, n_outputs: int) -> Tree:
    """A nested tree as arrays.

    Parameters
    ----------
    root : object
        The outermost node.
    read : callable
        Takes a node; returns its value where it is a leaf, else a tuple of column, threshold, whether NaN goes left,
        left child, right child.
    output : int or None
        What the leaves' values add to; None where each leaf has a value for every output.
    n_outputs : int
    """
    columns: list[int] = []
    lefts: list[int] = []
    rights: list[int] = []
    thresholds, missing, values = [], [], []
    waiting = [(root, -1, False)]
    while waiting:
        node, parent, on_the_left = waiting.pop()
        place = len(columns)
        if parent >= 0:
            (lefts if on_the_left else rights)[parent] = place
        found = read(node)
        value = np.zeros(n_outputs)
        if isinstance(found, tuple):
            column, threshold, missing_left, left, right = found
            waiting += [(right, place, False), (left, place, True)]
        else:
            column, threshold, missing_left = -1, 0.0, False
            value[slice(None) if output is None else output] = found
        columns.append(column)
        thresholds.append(threshold)
        missing.append(missing_left)
        lefts.append(-1)
        rights.append(-1)
        values.append(value)
    return Tree(
        column=np.array(columns, dtype=np.int64),
        threshold=np.array(thresholds, dtype=float),
        left=np.array(lefts, dtype=np.int64),
        right=np.array(rights, dtype=np.int64),
        missing_left=np.array(missing, dtype=bool),
        value=np.array(values),
    )
