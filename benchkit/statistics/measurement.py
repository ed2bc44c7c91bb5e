"""Means, and differences of methods: the one place where either is estimated, on new rows or on these.

On new rows an estimate is made of the rows themselves wherever they are known (`benchkit.statistics.row_differences`),
else of the repetitions (`benchkit.statistics.sampling`); on these rows always of the repetitions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from benchkit.statistics.estimate import Estimate, estimate
from benchkit.statistics.row_differences import RowMean, mean_over_rows
from benchkit.statistics.sampling import (
    ROWS,
    SPLITS,
    Drawn,
    Part,
    Sample,
    Scope,
    Values,
    counts_rows,
    make_sample,
    rounded,
)


class RowValues(NamedTuple):
    """What the rows of a test part have of a metric.

    Attributes
    ----------
    rows : ndarray of int of shape (n_test,)
        Their numbers, ascending; trials of one test part may share the array.
    groups : ndarray of int of shape (n_test,) or None
        The group of each, where whole groups are drawn and known.
    held : ndarray of shape (n_test,)
        Its value, in as few bytes as it may be.
    """

    rows: np.ndarray
    groups: np.ndarray | None
    held: np.ndarray

    @property
    def values(self) -> np.ndarray:
        """A number for each."""
        return self.held.astype(float)


@dataclass(frozen=True)
class Measurement:
    """What one method came to.

    Attributes
    ----------
    values : mapping of (repetition, data set) to float
    drawn : mapping of data set to Sampling
        How the repetitions drew their rows.
    rows : callable, optional
        Of a repetition and data set, its rows' values, whose mean the value is; raises LookupError where these are not
        known.
    sides : tuple of Measurement, default=()
        What it is a combination of.
    """

    values: Values
    drawn: Drawn
    rows: Callable[[Part], RowValues] | None = field(default=None, compare=False)
    sides: tuple[Measurement, ...] = field(default=(), compare=False, repr=False)

    @property
    def counts_rows(self) -> bool:
        """Whether the values, or those of its sides, may be rates of error."""
        return all(side.counts_rows for side in self.sides) if self.sides else counts_rows(self.values, self.drawn)


def difference(
    a: Measurement, b: Measurement, scope: Scope = ROWS, estimator: Callable[[Sample], Estimate | None] = estimate
) -> Estimate | None:
    """Mean of a minus b on what both have: one that either lacks counts for neither.

    Parameters
    ----------
    a, b : Measurement
    scope : {"rows", "splits"}, default="rows"
        Whether it is to hold on new rows, or on these.
    estimator : callable, optional
        What makes a mean of repetitions: `benchkit.statistics.time_uniform.sequential_estimate` where these were looked
        at one after the other.

    Returns
    -------
    Estimate or None
        None where they share nothing.
    """
    return combination([(1.0, a), (-1.0, b)], scope, estimator)


def combination(
    terms: Sequence[tuple[float, Measurement]],
    scope: Scope = ROWS,
    estimator: Callable[[Sample], Estimate | None] = estimate,
) -> Estimate | None:
    """A linear combination of means with its uncertainty, on the repetitions and data sets that all have.

    Parameters
    ----------
    terms : sequence of (coefficient, Measurement)
    scope : {"rows", "splits"}, default="rows"
    estimator : callable, optional
        As of `difference`.
    """
    whole = combined(terms)
    sample = make_sample(whole.values, whole.drawn, scope)
    rates = all(abs(coefficient) == 1 for coefficient, _ in terms)
    # A mean of rates, as over an axis, seldom ties; on the same rows, what is no rate has no rows to add.
    if not rates or (scope == SPLITS and not whole.counts_rows):
        sample = replace(sample, row_variance=0.0)
    if scope == SPLITS:
        return estimator(replace(sample, counts_rows=whole.counts_rows))
    rows = _mean_over_rows(terms, whole.drawn, sorted(whole.values), rates)
    return estimator(sample) if rows is None else estimate(sample, rows)


def combined(terms: Sequence[tuple[float, Measurement]]) -> Measurement:
    """What a linear combination came to, on the repetitions and data sets that all terms have."""
    values = {}
    for part in terms[0][1].values:
        if all(part in term.values for _, term in terms):
            summands = [coefficient * term.values[part] for coefficient, term in terms]
            values[part] = rounded(math.fsum(summands), max(map(abs, summands)))
    ways = sorted((way for _, term in terms for way in term.drawn.items()), key=lambda way: way[1].ratio)
    # Along an axis of the data's own, `drawn` is that of the point whose repetitions share most rows.
    return Measurement(values, dict(ways), sides=tuple(term for _, term in terms))


def _mean_over_rows(
    terms: Sequence[tuple[float, Measurement]], drawn: Drawn, parts: Sequence[Part], rates: bool
) -> RowMean | None:
    """The combination's mean over rows, which may be a rate of them; None where these tell nothing.

    They do not where they are not known, where data is drawn anew for each repetition, where methods were tested on
    different rows, and of several data sets at once, which may share rows.
    """
    if len({name for _, name in parts}) != 1 or any(term.rows is None for _, term in terms):
        return None
    way = drawn[parts[0][1]]
    if way.fresh or not way.known:
        return None
    sums, groups = [], []
    for part in parts:
        try:
            of_part = [term.rows(part) for _, term in terms if term.rows is not None]
        except LookupError:
            return None
        rows = of_part[0].rows
        if not all(rows is own.rows or (rows.shape == own.rows.shape and (rows == own.rows).all()) for own in of_part):
            return None
        total: Any = sum(coefficient * own.values for (coefficient, _), own in zip(terms, of_part, strict=True))
        sums.append((rows, total))
        groups += [of_part[0].groups] if of_part[0].groups is not None else []
    if way.n_groups and len(groups) < len(sums):
        return None  # rows of one group are not independent, and nobody knows which those are
    # Rows of a given test part are never trained on, so that no row counts on both sides.
    return mean_over_rows(sums, groups or None, 0.0 if way.given else way.ratio, way.given, rates)
