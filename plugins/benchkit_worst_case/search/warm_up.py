"""Compiling the search, before anything is timed."""

from __future__ import annotations

from functools import cache

import numpy as np

from benchkit import Features
from benchkit_worst_case.models.reading import SumModel
from benchkit_worst_case.models.trees import Tree, TreeSum
from benchkit_worst_case.search.worst_deletion import Search


@cache
def compile_search() -> None:
    """Search a stump, once in a process."""
    stump = Tree(
        column=np.array([0, -1, -1]),
        threshold=np.array([0.5, 0.0, 0.0]),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        missing_left=np.zeros(3, dtype=bool),
        value=np.array([[0.0], [-1.0], [1.0]]),
    )
    terms = TreeSum([stump], single_precision=False, sums_in_single=False)
    model = SumModel(terms, np.zeros(1), np.array([0, 1]), 0.0)
    model.scores(np.ones((1, 1)))
    search = Search(Features(1), np.ones(1), 1.0, node_limit=10, until_decided=False)
    list(search.rows(model, np.ones((1, 1)), np.ones(1), np.zeros(1)))
