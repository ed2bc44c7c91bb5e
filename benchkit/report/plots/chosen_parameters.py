"""The parameter that tuning chose against the axis: Globerson & Roweis 2006, inset of figure 3."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import quantiles
from typing import TYPE_CHECKING, Any, TypeGuard

from benchkit.journal import Record
from benchkit.report.plots.style import Curve, curves, legend_below, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Choices = Mapping[str, Mapping[float, list[float]]]


def choices(records: Iterable[Record], parameter: str) -> Choices:
    """Values by algorithm and axis value, of trials that ended ok and of algorithms for which they differ."""
    found: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in records:
        value, place = row["params"].get(parameter), row["axis_value"]
        if row["status"] == "ok" and _is_number(value) and _is_number(place):
            found[row["algorithm"]][place].append(value)
    return {
        name: curve
        for name, curve in found.items()
        if len({value for values in curve.values() for value in values}) > 1
    }


def varying_parameters(records: Iterable[Record]) -> list[str]:
    """Names of numeric parameters that were chosen: they differ between repetitions of one cell."""
    seen: dict[tuple[str, str], set[float]] = defaultdict(set)
    for row in records:
        if row["status"] == "ok":
            for name, value in row["params"].items():
                if _is_number(value):
                    seen[row["cell"], name].add(value)
    return list(dict.fromkeys(name for (_, name), values in seen.items() if len(values) > 1))


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _quartiles(values: list[float]) -> list[float]:
    return quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3


def chosen_parameter_plot(
    found: Choices, parameter: str, axis: str, title: str = "", styles: Mapping[str, Curve] | None = None
) -> Figure:
    """Median of the chosen values against the axis, with their quartiles; logarithmic where they span decades.

    Parameters
    ----------
    found : mapping
        From `choices`.
    parameter, axis : str
    """
    figure, (axes,) = new_figure(height=3.0)
    chosen = styles or curves(found)
    values = [value for curve in found.values() for many in curve.values() for value in many]
    for algorithm, curve in found.items():
        places = sorted(curve)
        cuts = [_quartiles(curve[place]) for place in places]
        middle = [cut[1] for cut in cuts]
        # Quartiles of equal values may differ by rounding.
        below, above = [max(0.0, cut[1] - cut[0]) for cut in cuts], [max(0.0, cut[2] - cut[1]) for cut in cuts]
        axes.errorbar(places, middle, yerr=[below, above], capsize=2, label=algorithm, **chosen[algorithm].kwargs())
    if values and min(values) > 0 and max(values) / min(values) >= 100:
        axes.set_yscale("log")
    axes.set_xlabel(axis)
    axes.set_ylabel(f"chosen {parameter}")
    axes.set_title(title)
    legend_below(figure, axes)
    return figure
