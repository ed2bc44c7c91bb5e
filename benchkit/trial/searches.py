"""The tuners that benchkit brings: every value of a grid, random draws, successive halving on rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from benchkit.plugin.declarations import Distribution, Tuner, TuningContext
from benchkit.plugin.parameters import check_count
from benchkit.plugin.spec import hookimpl

benchkit_api = 1


@hookimpl
def benchkit_tuners() -> list[Tuner]:
    """Declare the tuners, through the hook that other people's are declared through."""
    return [
        Tuner(
            name="grid",
            make="benchkit.trial.searches:GridSearch",
            summary="Every combination of listed values",
        ),
        Tuner(
            name="random",
            make="benchkit.trial.searches:RandomSearch",
            summary="Random draws from lists of values and from distributions",
            reference="Bergstra & Bengio, JMLR 13, 2012",
        ),
        Tuner(
            name="halving",
            make="benchkit.trial.searches:SuccessiveHalving",
            summary="Successive halving: many candidates on few rows, the better of them on more",
            reference="Jamieson & Talwalkar, AISTATS 2016, algorithm 1",
        ),
    ]


def draw_candidates(context: TuningContext, count: int) -> Sequence[Mapping[str, Any]]:
    """Candidates: from lists alone without replacement, all of them in the grid's order where there are no more."""
    if context.grid is not None and len(context.grid) <= count:
        return context.grid
    import numpy as np  # planning makes tuners, and searches nothing
    from sklearn.model_selection import ParameterSampler

    space = {
        name: values.frozen() if isinstance(values, Distribution) else list(values)
        for name, values in context.space.items()
    }
    sampler = ParameterSampler(space, count, random_state=context.random_state)
    # Numbers of Python's own: numpy's print otherwise, and are other parameters to whoever compares them.
    return [
        {name: value.item() if isinstance(value, np.generic) else value for name, value in candidate.items()}
        for candidate in sampler
    ]


class GridSearch:
    """Judge every candidate of the grid on all rows."""

    def __call__(self, context: TuningContext) -> None:
        """Search."""
        if context.grid is None:
            raise ValueError("a grid search needs lists of values, and was given a distribution")
        context.judge(context.grid)


class RandomSearch:
    """Judge so many random candidates on all rows (Bergstra & Bengio 2012); 20 unless the suite says how many."""

    candidates = 20

    def __call__(self, context: TuningContext) -> None:
        """Search."""
        context.judge(draw_candidates(context, context.candidates or self.candidates))


class SuccessiveHalving:
    """Judge all candidates on few rows, the better part of them on more, and the last few on all.

    Jamieson & Talwalkar 2016, algorithm 1, with rows as the resource. Where n candidates begin, round k keeps
    ceil(n / factor^k) of them and fits them on factor^k times as many rows as the first; the last round takes all rows
    and at most ``factor`` candidates. The rows of a round are among those of the next.

    Parameters
    ----------
    factor : int, default=3
        At least 2.
    min_rows : int, default=30
        No round takes fewer rows than this, if there are so many.
    """

    candidates = 27

    def __init__(self, factor: int = 3, min_rows: int = 30) -> None:
        check_count(2, factor=factor)
        check_count(min_rows=min_rows)
        self.factor, self.min_rows = factor, min_rows

    def __call__(self, context: TuningContext) -> None:
        """Search."""
        if context.grid is not None and context.candidates is None:
            survivors = list(context.grid)
        else:
            survivors = list(draw_candidates(context, context.candidates or self.candidates))
        for kept, rows in self.rounds(len(survivors), context.n_rows):
            survivors = survivors[:kept]
            losses = context.judge(survivors, rows=rows)
            # Stable: of equals the earlier stays; those without a value go first.
            ranked = sorted(zip(losses, survivors, strict=True), key=lambda pair: (math.isnan(pair[0]), pair[0]))
            survivors = [candidate for _, candidate in ranked]

    def rounds(self, candidates: int, n_rows: int) -> list[tuple[int, int]]:
        """How many candidates each round judges, and on how many rows."""
        last = 0
        while candidates > self.factor ** (last + 1):
            last += 1
        least = min(self.min_rows, n_rows)
        return [
            (math.ceil(candidates / self.factor**k), max(least, math.ceil(n_rows / self.factor ** (last - k))))
            for k in range(last + 1)
        ]
