"""What the site shows of each suite: every method on every panel, over the axis, with what is decided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from benchkit.report.analysis import Analysis
from benchkit.report.grid import Grid
from benchkit.report.leads import along_the_axis, over_axis
from benchkit.report.statistics.points import by_repetition, combined
from benchkit.report.statistics.robustness import worst_ranks
from benchkit.statistics.estimate import LEVEL, Estimate
from benchkit.statistics.sampling import ROWS


@dataclass(frozen=True)
class Standing:
    """One method on one panel.

    Attributes
    ----------
    method : str
        Its label.
    mean : Estimate
        Over the axis, on new rows.
    behind : Estimate or None
        By how much it is worse than the leader on shared repetitions; None of the leader.
    decided : bool
        Whether the interval of that lies above zero.
    place : int
        By the mean, 1 is best.
    breakdown, worst_rank : float or None
        Where its curve passes half-way between best and worst mean of the panel; its worst rank along the axis.
    complete : bool
        Whether it ended ok in as many repetitions as any.
    """

    method: str
    mean: Estimate
    behind: Estimate | None
    decided: bool
    place: int
    breakdown: float | None
    worst_rank: float | None
    complete: bool


@dataclass(frozen=True)
class Panel:
    """A data set under an adversary in a suite, of one metric.

    Attributes
    ----------
    suite, profile, title : str
    grid : Grid
    standings : sequence of Standing
        The best first; methods that are incomplete come last.
    limits : tuple of float
        Values that the metric can have.
    """

    suite: str
    profile: str
    title: str
    grid: Grid
    standings: Sequence[Standing]
    limits: tuple[float, float] = (-math.inf, math.inf)

    @property
    def may_lead(self) -> list[Standing]:
        """The leader and all that are not decidedly behind it."""
        return [each for each in self.standings if each.complete and not each.decided]

    @property
    def is_decided(self) -> bool:
        """Whether the leader is better than every other that is complete: no correction is needed, as all must be."""
        return len(self.may_lead) == 1 and len([each for each in self.standings if each.complete]) > 1


def panels_of(analysis: Analysis, profile: str) -> list[Panel]:
    """The panels of a suite on which two methods or more can be compared.

    Parameters
    ----------
    analysis : Analysis
    profile : str
    """
    results = analysis.results
    panels = []
    for grid in analysis.grids:
        standings = _standings(analysis, grid)
        if len(standings) > 1:
            limits = results.ranges.get(grid.metric, (-math.inf, math.inf))
            panels.append(Panel(results.suite, profile, results.title or results.suite, grid, standings, limits))
    return panels


def _standings(analysis: Analysis, grid: Grid) -> list[Standing]:
    curves = over_axis(grid)
    most = max((len(values) for values, _ in curves.values()), default=0)
    sign = -1.0 if grid.greater_is_better else 1.0
    means = {name: by_repetition(values) for name, (values, _) in curves.items()}
    known = {name: curve for name, curve in curves.items() if means[name]}
    order = sorted(known, key=lambda name: (len(known[name][0]) < most, sign * fmean(means[name].values()), name))
    if not order:
        return []
    in_numbers = {curve.algorithm: curve for curve in analysis.robustness(grid)}
    ranks = worst_ranks(grid)
    standings = []
    for place, name in enumerate(order, start=1):
        mean = combined(along_the_axis(grid, name), ROWS)
        behind = None
        if place > 1:
            terms = [*along_the_axis(grid, name, sign), *along_the_axis(grid, order[0], -sign)]
            behind = combined(terms, ROWS)
        assert mean is not None
        numbers = in_numbers.get(name)
        standings.append(
            Standing(
                method=name,
                mean=mean,
                behind=behind,
                decided=behind is not None and behind.decides and behind.interval(LEVEL)[0] > 0,
                place=place,
                breakdown=None if numbers is None else numbers.breakdown,
                worst_rank=ranks.get(name),
                complete=len(known[name][0]) == most,
            )
        )
    return standings


def interval_of(mean: Estimate, limits: tuple[float, float] = (-math.inf, math.inf)) -> tuple[float, float] | None:
    """The 95 % interval of an estimate, within limits; None where nothing can be said."""
    if not mean.decides and not math.isfinite(mean.stderr):
        return None
    low, high = mean.interval(LEVEL, limits)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None
