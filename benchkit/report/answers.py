"""The answer in one line per adversary: who is best over the axis, by how much, and whether that is decided."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchkit.report.formatting import number
from benchkit.report.grid import Grid
from benchkit.report.statistics.comparisons import paired
from benchkit.report.statistics.kept_rows import KeptRows, Term
from benchkit.report.statistics.points import by_repetition, mean_on
from benchkit.report.statistics.robustness import numeric_columns, robustness, trapezoid_weights
from benchkit.statistics.estimate import LEVEL, Estimate, estimate
from benchkit.statistics.forecast import in_words, repetitions_range
from benchkit.statistics.out_of_reach import APART, out_of_reach
from benchkit.statistics.sampling import ROWS, SCOPE_NAMES, Sampling, Scope, Values, make_sample


@dataclass(frozen=True)
class Lead:
    """The best algorithm of a grid over the axis.

    Attributes
    ----------
    grid : Grid
    best, second : str
    mean : float
        Of the best, over the axis.
    ahead : Estimate
        By how much it is better than the second.
    decided : bool
        Whether it is better than every other: all 95 % intervals of the differences lie above zero. No correction is
        needed, as all must (intersection-union).
    forecast : (float, float) or None
        Between how many repetitions would decide, see `benchkit.statistics.forecast`.
    out_of_reach : bool
        Whether no number of repetitions of these rows will decide.
    """

    grid: Grid
    best: str
    second: str
    mean: float
    ahead: Estimate
    decided: bool
    forecast: tuple[float, float] | None
    out_of_reach: bool


def lead(grid: Grid, scope: Scope, kept: KeptRows | None = None) -> Lead | None:
    """Who leads over the axis; None below two algorithms that are complete on shared repetitions.

    Parameters
    ----------
    grid : Grid
    scope : {"rows", "splits"}
    kept : KeptRows, optional
        What the run has kept of its rows, for sharper intervals on new rows.
    """
    curves = over_axis(grid)
    most = max((len(values) for values, _ in curves.values()), default=0)
    complete = {
        name: curve
        for name, curve in curves.items()
        if by_repetition(curve[0])
        and (len(curve[0]) == most or all(point.failed == 0 for point in grid.rows[name].values()))
    }
    if len(complete) < 2:
        return None
    sign = 1.0 if grid.greater_is_better else -1.0
    shared = set.intersection(*(set(values) for values, _ in complete.values()))
    order = sorted(complete, key=lambda name: -sign * mean_on(complete[name][0], shared))
    best = order[0]
    gains: dict[str, Estimate] = {}
    for other in order[1:]:
        difference = paired(complete[best][0], complete[other][0])
        drawn = {**complete[other][1], **complete[best][1]}
        rows = None
        if kept is not None and scope == ROWS:
            terms = [(sign * weight, point) for weight, point in _weights(grid, best)]
            terms += [(-sign * weight, point) for weight, point in _weights(grid, other)]
            rows = kept.mean(terms, difference)
        gain = estimate(make_sample({part: sign * value for part, value in difference.items()}, drawn, scope), rows)
        if gain is not None:
            gains[other] = gain
    if not gains:
        return None
    second = min(gains, key=lambda name: gains[name].mean)
    open_ones = [gain for gain in gains.values() if not (gain.decides and gain.interval(LEVEL)[0] > 0)]
    forecasts = [told for gain in open_ones if (told := repetitions_range(gain)) is not None]
    ends = (max(low for low, _ in forecasts), max(high for _, high in forecasts)) if forecasts else None
    mean = fmean(by_repetition(complete[best][0]).values())
    never = any(out_of_reach(gain, APART) for gain in open_ones)
    return Lead(grid, best, second, mean, gains[second], not open_ones, ends, never)


def answers(grids: Iterable[Grid], metric: str, scope: Scope, kept: KeptRows | None = None) -> list[str]:
    """One line per adversary, of one metric.

    Parameters
    ----------
    grids : iterable of Grid
    metric : str
    scope : {"rows", "splits"}
    kept : KeptRows, optional
    """
    by_adversary: dict[str, list[Lead]] = {}
    for grid in grids:
        if grid.metric == metric and (leading := lead(grid, scope, kept)) is not None:
            by_adversary.setdefault(grid.adversary, []).append(leading)
    return [_line(adversary, leads, scope) for adversary, leads in by_adversary.items()]


def _line(adversary: str, leads: Sequence[Lead], scope: Scope) -> str:
    grid = leads[0].grid
    under = "" if adversary == "none" else f"under {adversary} "
    most = "most robust" if grid.axis == "budget" and len(grid.columns) > 1 else "best"
    over = f" over the {grid.axis}" if len(grid.columns) > 1 else ""
    if len(leads) == 1:
        return f"{under}{leads[0].best} is {most} on {grid.name}: {_by_how_much(leads[0], over, scope)}"
    by_best: dict[str, list[Lead]] = {}
    for each in leads:
        by_best.setdefault(each.best, []).append(each)
    ordered = sorted(by_best.items(), key=lambda item: -len(item[1]))
    told = ", ".join(f"{name} on {len(own)} ({_by_how_far(own)})" for name, own in ordered)
    return f"{under}{most} by {grid.metric}{over}, of {len(leads)} data sets {SCOPE_NAMES[scope]}: {told}"


def _by_how_far(leads: Sequence[Lead]) -> str:
    """From how little to how much the best is better than the second, and on how many data sets that is decided."""
    low, high = (number(end([each.ahead.mean for each in leads])) for end in (min, max))
    lead = low if low == high else f"{low} to {high}"
    return f"by {lead}, decided on {sum(each.decided for each in leads)}"


def _by_how_much(leading: Lead, over: str, scope: Scope) -> str:
    gain, where = leading.ahead, SCOPE_NAMES[scope]
    width = leading.grid.limits[1] - leading.grid.limits[0]
    low, high = gain.interval(LEVEL, (-width, width))
    ends = f" [{number(low)}, {number(high)}]" if math.isfinite(gain.stderr) else ""
    text = f"mean {leading.grid.metric}{over} {number(leading.mean)}, {number(gain.mean)}{ends} better than "
    text += leading.second
    if leading.decided:
        return f"{text}; decided {where}"
    if leading.out_of_reach:
        return f"{text}; undecided {where}, and no number of repetitions of these rows will decide"
    told = in_words(leading.forecast, gain.n / gain.sample.per_repetition)
    return f"{text}; undecided {where}" + (f": {told}" if told else "")


def over_axis(grid: Grid) -> dict[str, tuple[Values, Mapping[str, Sampling]]]:
    """Each algorithm's mean over the axis by repetition and data set: areas where the axis has numbers.

    Parameters
    ----------
    grid : Grid

    Returns
    -------
    dict of str to (mapping of (repetition, data set) to float, mapping of data set to Sampling)
    """
    curves = robustness(grid)
    if curves:
        return {curve.algorithm: (curve.areas, curve.drawn) for curve in curves}
    means: dict[str, tuple[Values, Mapping[str, Sampling]]] = {}
    for name, row in grid.rows.items():
        if len(row) == len(grid.columns):
            points = list(row.values())
            shared = set(points[0].parts).intersection(*(point.parts for point in points))
            values = {part: fmean(point.parts[part] for point in points) for part in sorted(shared)}
            means[name] = values, points[0].drawn
    return means


def _weights(grid: Grid, algorithm: str) -> list[Term]:
    """What each point of a curve weighs in its mean over the axis, as in `over_axis`."""
    row = grid.rows[algorithm]
    columns = numeric_columns(grid)
    if columns:
        return [(weight, row[str(at)]) for at, weight in zip(columns, trapezoid_weights(columns), strict=True)]
    return [(1 / len(row), point) for point in row.values()]
