"""Time against size on logarithmic axes, with the exponent that fits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.report.plots.style import curves, legend_below, new_figure
from benchkit.statistics.estimate import t_quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PowerLaw:
    """seconds = exp(intercept) size^exponent, by least squares on the logarithms.

    Attributes
    ----------
    exponent, low, high : float
        With its 95 % interval; NaN at two points.
    """

    exponent: float
    intercept: float
    low: float
    high: float

    def __call__(self, size: float) -> float:
        """Fitted value."""
        return math.exp(self.intercept + self.exponent * math.log(size))


def fit_power_law(sizes: Sequence[float], values: Sequence[float]) -> PowerLaw | None:
    """Fit value = c size^a; None below two sizes.

    Parameters
    ----------
    sizes, values : sequence of float
        Positive.
    """
    if len(set(sizes)) < 2:
        return None
    from scipy.stats import linregress

    fit = linregress([math.log(size) for size in sizes], [math.log(value) for value in values])
    half = t_quantile(0.95, len(sizes) - 2) * fit.stderr if len(sizes) > 2 else math.nan
    return PowerLaw(float(fit.slope), float(fit.intercept), float(fit.slope - half), float(fit.slope + half))


def scaling_plot(
    samples: Mapping[str, Mapping[float, Sequence[float]]], xlabel: str, ylabel: str, title: str = ""
) -> Figure:
    """Medians of values against size, a fitted line each, exponents in the legend.

    Parameters
    ----------
    samples : mapping of algorithm to mapping of size to values
        Sizes and values are positive; others are left out.
    """
    from statistics import median

    figure, (axes,) = new_figure(height=3.2)
    for (name, by_size), style in zip(samples.items(), curves(samples).values(), strict=True):
        kept = {size: [v for v in values if v > 0] for size, values in sorted(by_size.items()) if size > 0}
        medians = {size: median(values) for size, values in kept.items() if values}
        if not medians:
            continue
        law = fit_power_law(list(medians), list(medians.values()))
        label = name
        if law is not None:
            interval = "" if math.isnan(law.low) else f" [{law.low:.2f}, {law.high:.2f}]"
            label = f"{name}: exponent {law.exponent:.2f}{interval}"
            ends = [min(medians), max(medians)]
            axes.plot(ends, [law(size) for size in ends], color=style.color, lw=0.8, alpha=0.6)
        axes.plot(list(medians), list(medians.values()), color=style.color, marker=style.marker, ls="", label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    legend_below(figure, axes, columns=1)
    return figure
