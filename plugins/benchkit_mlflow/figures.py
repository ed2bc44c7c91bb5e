"""What a run comes to in numbers, so that MLflow's own Compare of two runs shows it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import Any

from benchkit import Analysis

Record = Mapping[str, Any]

_LONGEST_KEY = 250  # MLflow's limit
_LONGEST_VALUE = 500
_NOT_IN_A_KEY = re.compile(r"[^\w.: -]+")


@dataclass
class Figures:
    """Metrics (numbers) and params (text) of a run, by MLflow's name."""

    metrics: dict[str, float] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)


def run_figures(analysis: Analysis) -> Figures:
    """Of a whole run: each method's mean over the axis, its breakdown point, and how many claims had which verdict.

    The means stay apart by dataset and adversary: a mean over unlike datasets says little.

    Parameters
    ----------
    analysis : Analysis

    Returns
    -------
    Figures
        Metrics ``mean error/lp on breast under greedy-delete``: the area under the curve over the length of the axis,
        or the mean of the means where the axis is not numeric. Params and metrics ``breakdown of error/lp on ...``:
        where the mean passes the level; a curve that does not within the axis has a param alone, such as "beyond 8".
        Metrics ``claims supported`` and so on.
    """
    figures = Figures()
    for grid in analysis.grids:
        # MLflow's Compare cuts long names at their end: the method comes before the place.
        place = grid.title.removeprefix(f"{grid.metric} ")
        for algorithm, mean in means_over_axis(analysis, grid).items():
            figures.metrics[_key(f"mean {grid.metric}", f"{algorithm} {place}")] = mean
        for curve in analysis.robustness(grid):
            if curve.breakdown is None:
                continue
            key = _key(f"breakdown of {grid.metric}", f"{curve.algorithm} {place}")
            if math.isinf(curve.breakdown):
                figures.params[key] = f"beyond {max(grid.places.values()):g}"
            else:
                figures.params[key] = f"{curve.breakdown:.4g}"
                figures.metrics[key] = curve.breakdown
    for outcome, count in Counter(verdict.outcome for verdict in analysis.verdicts).items():
        figures.metrics[_key(f"claims {outcome}")] = count
    return figures


def means_over_axis(analysis: Analysis, grid: Any) -> dict[str, float]:
    """Each method's mean over the axis of a grid; methods with a point missing have none."""
    areas = {curve.algorithm: curve.area for curve in analysis.robustness(grid)}
    if areas:
        return {algorithm: area for algorithm, area in areas.items() if area is not None}
    means = {name: [point.mean for point in row.values() if point.mean is not None] for name, row in grid.rows.items()}
    return {name: fmean(known) for name, known in means.items() if len(known) == len(grid.columns)}


def mean_key(grid: Any) -> str:
    """The name of a method's mean over the axis of a grid, wherever it is: alike on all data sets."""
    return _key(f"mean {grid.metric}" + ("" if grid.adversary == "none" else f" under {grid.adversary}"))


def chosen_params(rows: Sequence[Record]) -> dict[str, str]:
    """The parameters of a curve's fits as text: ``0.1 (x12), 1 (x8)``, the most frequent first."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for name, value in (row.get("params") or {}).items():
            text = f"{value:.6g}" if _is_number(value) else str(value)
            counts.setdefault(name, Counter())[text] += 1
    texts = {}
    for name, values in counts.items():
        several = len(values) > 1
        text = ", ".join(f"{value} (x{count})" if several else value for value, count in values.most_common())
        texts[_key(f"chosen.{name}")] = text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 4] + " ..."
    return texts


def fit_figures(rows: Sequence[Record]) -> dict[str, float]:
    """Medians over a point's trials: wall seconds of fit and of tuning, and the numeric parameters of tuned fits."""
    known: dict[str, list[float]] = {}
    for row in rows:
        for name in ("fit_seconds", "tune_seconds"):
            if _is_number(row.get(name)):
                known.setdefault(name, []).append(row[name])
        if row.get("tune_seconds"):
            for name, value in (row.get("params") or {}).items():
                if _is_number(value):
                    known.setdefault(_key(f"chosen {name}"), []).append(value)
    return {name: median(values) for name, values in known.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _key(*parts: str) -> str:
    """A name that MLflow takes; a slash makes a section of the dashboard's charts."""
    return "/".join(" ".join(_NOT_IN_A_KEY.sub(" ", part).split()) or "_" for part in parts)[:_LONGEST_KEY]
