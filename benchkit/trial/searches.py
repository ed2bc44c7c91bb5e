"""The tuners that benchkit brings: every value of a grid, random draws, successive halving on rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchkit.plugin.declarations import Tuner
from benchkit.plugin.parameters import check_count
from benchkit.plugin.spec import hookimpl

if TYPE_CHECKING:
    from benchkit.plugin.declarations.exchanged import TuningContext

benchkit_api = 1

Search = Callable[["TuningContext"], object]


@hookimpl
def benchkit_tuners() -> list[Tuner]:
    """Declare the tuners, through the hook that other people's are declared through."""
    here, random = "benchkit.trial.searches", "Random draws from lists of values and from distributions"
    halving = "Successive halving: many candidates on few rows, the better of them on more"
    source, paper = "Bergstra & Bengio, JMLR 13, 2012", "Jamieson & Talwalkar, AISTATS 2016, algorithm 1"
    return [
        Tuner(name="grid", make=f"{here}:grid_search", summary="Every combination of listed values"),
        Tuner(name="random", make=f"{here}:random_search", summary=random, reference=source),
        Tuner(name="halving", make=f"{here}:successive_halving", summary=halving, reference=paper),
    ]


def draw_candidates(context: TuningContext, count: int) -> Sequence[Mapping[str, Any]]:
    """Candidates: from lists alone without replacement, all of them in the grid's order where there are no more."""
    if context.grid is not None and len(context.grid) <= count:
        return context.grid
    import numpy as np  # planning makes tuners, and searches nothing
    from sklearn.model_selection import ParameterSampler

    from benchkit.plugin.declarations.exchanged import Distribution

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


def grid_search() -> Search:
    """Judge every candidate of the grid on all rows."""

    def search(context: TuningContext) -> None:
        if context.grid is None:
            raise ValueError("a grid search needs lists of values, and was given a distribution")
        context.judge(context.grid)

    return search


def random_search() -> Search:
    """Judge so many random candidates on all rows (Bergstra & Bengio 2012); 20 unless the suite says how many."""
    return lambda context: context.judge(draw_candidates(context, context.candidates or 20))


def successive_halving(factor: int = 3, min_rows: int = 30) -> Search:
    """Judge all candidates (27 unless the suite says) on few rows, the better part on more, and the last few on all.

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
    check_count(2, factor=factor)
    check_count(min_rows=min_rows)

    def search(context: TuningContext) -> None:
        whole = context.grid if context.candidates is None else None
        survivors = list(draw_candidates(context, context.candidates or 27) if whole is None else whole)
        count, last = len(survivors), 0
        while count > factor ** (last + 1):
            last += 1
        for number in range(last + 1):
            survivors = survivors[: math.ceil(count / factor**number)]
            rows = math.ceil(context.n_rows / factor ** (last - number))
            losses = context.judge(survivors, rows=max(min(min_rows, context.n_rows), rows))
            # Stable: of equals the earlier stays; those without a value go first.
            ranked = sorted(zip(losses, survivors, strict=True), key=lambda pair: (math.isnan(pair[0]), pair[0]))
            survivors = [candidate for _, candidate in ranked]

    return search
