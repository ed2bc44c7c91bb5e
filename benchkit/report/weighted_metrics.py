"""Metrics whose rows count by a column of the data: an error in money where the column is an amount.

With l_i the loss of test row i and w_i its weight, the metric is the ratio m = sum w_i l_i / sum w_i. Weights are drawn
with the rows, so that the sum below varies, too. To first order (Taylor linearisation, as of a ratio in survey
statistics: Cochran 1977, *Sampling Techniques*, section 6.3) m is the mean over rows of

    m + (l_i - m) w_i / mean(w)

which are the rows' values that intervals for new rows are made of.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchkit.plugin.declarations import Metric, NotApplicableError

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations import MetricContext


def weighted(metric: Metric, column: str) -> Metric:
    """A metric with rows that are weighted by a column, named ``METRIC weighted by COLUMN``.

    Parameters
    ----------
    metric : Metric
        A mean of losses that are the rows' own.
    column : str
    """

    def losses(evaluation: MetricContext) -> tuple[np.ndarray, np.ndarray]:
        import numpy as np

        weights = _weights(evaluation, column)
        return np.asarray(metric.row_values(evaluation), dtype=float), weights

    def compute(evaluation: MetricContext) -> float:
        values, weights = losses(evaluation)
        return float(weights @ values / weights.sum())

    def row_values(evaluation: MetricContext) -> np.ndarray:
        values, weights = losses(evaluation)
        mean = weights @ values / weights.sum()
        linear: np.ndarray = mean + (values - mean) * weights / weights.mean()
        return linear

    found = replace(metric, compute=compute, row_values=row_values, columns=(*metric.columns, column))
    # The names of plugins' metrics are checked for spaces, which no plugin's own can be taken for this one by.
    object.__setattr__(found, "name", weighted_name(metric.name, column))
    return found


def weighted_name(metric: str, column: str) -> str:
    """What a metric is called with rows that are weighted by a column."""
    return f"{metric} weighted by {column}"


def _weights(evaluation: MetricContext, column: str) -> np.ndarray:
    import numpy as np

    try:
        weights = np.asarray(evaluation.columns[column], dtype=float)
    except (TypeError, ValueError):
        raise NotApplicableError(f"weights are numbers, and {column} holds others") from None
    if not np.isfinite(weights).all() or (weights < 0).any():
        count = int((~(weights >= 0) | ~np.isfinite(weights)).sum())
        raise NotApplicableError(f"{column} is missing or below 0 in {count} test rows: these can have no weight")
    if not weights.any():
        raise NotApplicableError(f"{column} is 0 in all test rows")
    return weights
