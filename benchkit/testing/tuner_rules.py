"""What every tuner keeps to."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklearn.model_selection import ParameterGrid

from benchkit.plugin.declarations import Distribution, Tuner, TuningContext, TuningOverError
from benchkit.testing.rule import BrokenRuleError, NotAskedError, require, rule

_LISTS: Mapping[str, Sequence[Any]] = {"a": [0.0, 1.0, 2.0, 3.0], "word": ["one", "other"]}
_DRAWN = {"a": Distribution("uniform", (0.0, 4.0)), "word": ["one", "other"]}
_ROWS = 90


class _Judge:
    """Losses of a function of two parameters, and what was asked for; NaN at one corner, as fits that fail give."""

    def __init__(self, most: int | None = None) -> None:
        self.asked: list[tuple[dict[str, Any], int]] = []
        self.most = most
        self.refused = False

    def __call__(self, candidates: Sequence[Mapping[str, Any]], rows: int | None = None) -> list[float]:
        losses = []
        for candidate in candidates:
            if self.most is not None and len(self.asked) >= self.most:
                self.refused = True
                raise TuningOverError
            self.asked.append((dict(candidate), _ROWS if rows is None else rows))
            losses.append((candidate["a"] - 2) ** 2 + (candidate["word"] == "other"))
        return [math.nan if candidate["a"] == 0 else loss for candidate, loss in zip(candidates, losses, strict=True)]


def _search(tuner: Tuner, space: Mapping[str, Any], judge: Callable[..., list[float]], candidates: int | None) -> None:
    listed = not any(isinstance(values, Distribution) for values in space.values())
    grid = list(ParameterGrid(space)) if listed else None
    tuner.make()(
        TuningContext(space=space, grid=grid, candidates=candidates, n_rows=_ROWS, random_state=7, judge=judge)
    )


@rule
def judges_candidates_of_the_space(tuner: Tuner) -> None:
    """It judges something, on no more rows than there are, and every candidate has a listed value of each parameter."""
    judge = _Judge()
    _search(tuner, _LISTS, judge, None)
    require(bool(judge.asked), "judges nothing")
    for candidate, rows in judge.asked:
        inside = candidate.keys() == _LISTS.keys() and all(candidate[name] in _LISTS[name] for name in _LISTS)
        require(inside, f"judges {candidate}, which is not of the space")
        require(isinstance(rows, int) and 1 <= rows <= _ROWS, f"asks for {rows} rows of {_ROWS}")
    require(any(rows == _ROWS for _, rows in judge.asked), "judges no candidate on all rows")


@rule
def draws_the_same_again(tuner: Tuner) -> None:
    """The same context leads to the same candidates in the same order."""
    first, second = _Judge(), _Judge()
    for judge in (first, second):
        _search(tuner, _LISTS, judge, 4 if tuner.name != "grid" else None)
    require(first.asked == second.asked, "judges other candidates the second time: seed it with context.random_state")


@rule
def draws_from_distributions(tuner: Tuner) -> None:
    """From a distribution it draws numbers of Python's own, within the support; or it refuses with ValueError."""
    judge = _Judge()
    try:
        _search(tuner, _DRAWN, judge, 5)
    except ValueError as error:
        raise NotAskedError(str(error)) from None
    for candidate, _ in judge.asked:
        value = candidate["a"]
        require(type(value) in (int, float), f"draws {value!r}, a {type(value).__name__}: give numbers of Python's own")
        require(0 <= value <= 4, f"draws {value}, which is outside of [0, 4]")


@rule
def lets_the_end_pass(tuner: Tuner) -> None:
    """When the seconds are spent, it lets `benchkit.TuningOverError` pass and judges no more."""
    judge = _Judge(most=2)
    try:
        _search(tuner, _LISTS, judge, 6 if tuner.name != "grid" else None)
    except TuningOverError:
        return
    if judge.refused:
        raise BrokenRuleError("catches TuningOverError: let it pass")
    raise NotAskedError("judges two candidates or fewer")


RULES = (
    judges_candidates_of_the_space,
    draws_the_same_again,
    draws_from_distributions,
    lets_the_end_pass,
)
