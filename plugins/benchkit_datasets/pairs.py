"""Binary problems from many classes: one pair, or all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np


def choose_pair(X: Any, y: np.ndarray, pair: Sequence[Any]) -> tuple[Any, np.ndarray]:
    """Rows of two classes, labelled -1 for the first of the pair and +1 for the second."""
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise ValueError(f"pair is {pair!r}, expected two different classes such as [4, 7]")
    for label in pair:
        if label not in y:
            raise ValueError(f"pair names class {label!r}; the classes are {np.unique(y).tolist()}")
    rows = np.isin(y, pair)
    return X[rows], np.where(y[rows] == pair[1], 1, -1)


def expand_pairs(classes: Sequence[Any], pairs: str | None, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """``pairs: all`` as one parameter mapping per pair of classes; other parameters are kept."""
    if pairs is None:
        return [dict(params)]
    if pairs != "all":
        raise ValueError(f"pairs is {pairs!r}, expected 'all' (or 'pair: [a, b]' for one)")
    if params.get("pair") is not None:
        raise ValueError("'pairs: all' and 'pair' exclude each other")
    return [{**params, "pair": list(pair)} for pair in combinations(classes, 2)]


def expand_digit_pairs(pairs: str | None = None, **params: Any) -> list[dict[str, Any]]:
    """`expand_pairs` for the ten digits."""
    return expand_pairs(range(10), pairs, params)
