"""Problems made of a dataset: one pair of classes or all, one class against the rest, odd against even, some rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from benchkit import check_choice, check_count


def choose_problem(
    y: np.ndarray, pair: Sequence[Any] | None = None, one_against_rest: Any = None, task: str | None = None
) -> tuple[np.ndarray | slice, np.ndarray]:
    """Which rows a problem has, and their labels; rows are chosen before the features are converted.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Classes, which are the labels where no option is given.
    pair : two classes, optional
        Rows of these two: -1 for the first and +1 for the second.
    one_against_rest : class, optional
        All rows: +1 for this class, -1 for every other.
    task : {"odd-even"}, optional
        All rows, the classes being numbers: +1 for odd, -1 for even.
    """
    if sum(option is not None for option in (pair, one_against_rest, task)) > 1:
        raise ValueError("only one of 'pair', 'one_against_rest' and 'task' can be given")
    if task is not None:
        if task != "odd-even":
            raise ValueError(f"task is {task!r}, expected 'odd-even'")
        return slice(None), np.where(y % 2 == 1, 1, -1)
    if one_against_rest is not None:
        chosen = _find_class(y, one_against_rest, "one_against_rest")
        return slice(None), np.where(y == chosen, 1, -1)
    if pair is None:
        return slice(None), y
    _check_pair(pair)
    first, second = (_find_class(y, label, "pair") for label in pair)
    if first == second:
        raise ValueError(f"pair is {pair!r}, expected two different classes such as [4, 7]")
    rows = (y == first) | (y == second)
    return rows, np.where(y[rows] == second, 1, -1)


def _check_pair(pair: Any) -> None:
    """Refuse what is not two different classes, before any data is read."""
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2 or pair[0] == pair[1]:
        raise ValueError(f"pair is {pair!r}, expected two different classes such as [4, 7]")


def _find_class(y: np.ndarray, label: Any, option: str) -> Any:
    """The class that a suite means: YAML's 4 is also the class "4"."""
    classes = np.unique(y).tolist()
    for known in classes:
        if known == label or str(known) == str(label):
            return known
    shown = classes if len(classes) <= 20 else [*classes[:20], "..."]
    raise ValueError(f"{option} names class {label!r}; the classes are {shown}")


def expand_pairs(classes: Sequence[Any], pairs: str | None, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    """``pairs: all`` as one parameter mapping per pair of classes; other parameters are kept."""
    if params.get("pair") is not None:
        _check_pair(params["pair"])
    if pairs is None:
        return [dict(params)]
    if pairs != "all":
        raise ValueError(f"pairs is {pairs!r}, expected 'all' (or 'pair: [a, b]' for one)")
    for option in ("pair", "one_against_rest", "task"):
        if params.get(option) is not None:
            raise ValueError(f"'pairs: all' and {option!r} exclude each other")
    return [{**params, "pair": list(pair)} for pair in combinations(classes, 2)]


def expand_digit_pairs(pairs: str | None = None, **params: Any) -> list[dict[str, Any]]:
    """`expand_pairs` for the ten digits."""
    return expand_pairs(range(10), pairs, params)


def expand_wave_pairs(pairs: str | None = None, **params: Any) -> list[dict[str, Any]]:
    """`expand_pairs` for the three classes of the waveform data."""
    return expand_pairs(range(3), pairs, params)


def choose_wave_problem(
    waves: np.ndarray, classes: str, pair: Sequence[int] | None, one_against_rest: int | None
) -> tuple[np.ndarray | slice, np.ndarray]:
    """Rows and labels as of `choose_problem`; class 1 against the rest where only ``classes="binary"`` is given."""
    check_choice(("binary", "all"), classes=classes)
    if classes == "binary" and pair is None and one_against_rest is None:
        one_against_rest = 1
    return choose_problem(waves, pair, one_against_rest)


def draw_rows(available: int, n: int | None, subset_seed: int) -> np.ndarray | slice:
    """Which rows to keep: all where ``n`` is None, else ``n`` drawn without replacement, in the file's order."""
    if n is None:
        return slice(None)
    check_count(most=available, n=n)
    return np.sort(np.random.default_rng(subset_seed).choice(available, size=n, replace=False))
