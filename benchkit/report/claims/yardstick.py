"""What a claim's metric is like, and how its means and differences are taken."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from benchkit.journal import Record
from benchkit.report.claims.check import Basis, Range, drawn
from benchkit.report.claims.curves import Curves, metric_values, rows_of
from benchkit.report.comparisons import paired
from benchkit.statistics.estimate import Estimate, estimate
from benchkit.statistics.sampling import (
    SPLITS,
    Sample,
    Values,
    complete_repetitions,
    counts_rows,
    make_sample,
)

Estimator = Callable[[Sample], Estimate | None]
"""What makes a mean with its uncertainty of a sample."""


@dataclass(frozen=True)
class Yardstick:
    """What a claim is measured by.

    Attributes
    ----------
    metric : str
    greater_is_better : bool
    limits : tuple of float
        Values that the metric can have.
    estimator : callable, default=estimate
        What makes a mean of a sample; `benchkit.statistics.time_uniform.sequential_estimate` where repetitions
        were run until the claim was decided.
    data_sets : frozenset of str, optional
        That the claim's algorithms have, each somewhere on the axis: means over other data sets are others. Absent,
        those that values have.
    """

    metric: str
    greater_is_better: bool
    limits: Range = (-math.inf, math.inf)
    estimator: Estimator = estimate
    data_sets: frozenset[str] | None = None

    def between(self, algorithms: Curves, names: Iterable[str]) -> Yardstick:
        """The same for some of the algorithms, on the data sets that all of these have."""
        held = [{part for _, part in metric_values(rows_of(algorithms, name), self.metric)} for name in names]
        return replace(self, data_sets=frozenset(set.intersection(*held)))

    def complete(self, values: Values) -> Values:
        """The values of the repetitions that have every data set that the claim is about."""
        return complete_repetitions(values, self.data_sets)

    @property
    def difference_limits(self) -> Range:
        """Values that a difference of two of the metric's values can have."""
        width = self.limits[1] - self.limits[0]
        return -width, width

    def values(self, rows: Sequence[Record]) -> Basis:
        """The metric's values."""
        return Basis(self.complete(metric_values(rows, self.metric)), rows)

    def difference(self, first: Sequence[Record], second: Sequence[Record]) -> Basis:
        """First minus second on repetitions and data sets that both have: one that either lacks counts for neither."""
        ours, theirs = (metric_values(rows, self.metric) for rows in (first, second))
        rows = [*first, *second]
        sampling = drawn(rows)
        counted = counts_rows(ours, sampling) and counts_rows(theirs, sampling)
        return Basis(self.complete(paired(ours, theirs)), rows, counted)

    def mean(self, basis: Basis) -> Estimate | None:
        """Mean of some values on these rows; None where there are none."""
        return self.estimator(make_sample(basis.values, drawn(basis.rows), SPLITS))
