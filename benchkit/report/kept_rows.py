"""Rows that a run has kept: what each test row adds to a metric."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchkit.errors import JournalError, one_line
from benchkit.journal.rows import ColumnsOf, Outcomes, context_for
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.plugin.guard import note_failure
from benchkit.statistics.measurement import RowValues
from benchkit.statistics.row_differences import has_mean
from benchkit.statistics.sampling import Part
from benchkit.trial.record import Record

if TYPE_CHECKING:
    from benchkit.trial.rows import RowOutcomes


_HELD = 2**27  # bytes that are held, for the comparisons to come: 250,000 trials of 60 rows
_OF_TRIAL = 450  # bytes of a trial beside its values: rows are shared, but for published ones


@dataclass
class KeptRows:
    """Values of a metric, row by row, from what a run has kept.

    Parameters
    ----------
    outcomes : Outcomes
    metrics : mapping of str to Metric
        Those that are installed.
    beside : sequence of callable, default=()
        What may have the outcomes of a record of which the run has none.
    columns : callable, optional
        Where raw columns of the data come from, for metrics that read some.

    Attributes
    ----------
    unreadable : dict of str to None
        Why rows that were kept could not be read, each reason once.
    """

    outcomes: Outcomes
    metrics: Mapping[str, Metric]
    beside: Sequence[Callable[[Record], RowOutcomes | None]] = ()
    columns: ColumnsOf | None = None
    unreadable: dict[str, None] = field(default_factory=dict, init=False)
    _held: dict[tuple[str, str, str], RowValues] = field(default_factory=dict, init=False)
    _bytes: int = field(default=0, init=False)

    def of_method(self, name: str, records: Mapping[Part, Record]) -> Callable[[Part], RowValues] | None:
        """What tells the rows of each part, for a `Measurement`; None where the metric is no mean over rows."""
        metric = self.metrics.get(name)
        if metric is None or metric.row_values is None:
            return None

        def rows_of(part: Part) -> RowValues:
            try:
                return self.values(records[part], metric)
            except JournalError as error:
                self.unreadable[str(error)] = None
                raise LookupError(part) from None
            except NotApplicableError as error:
                raise LookupError(part) from error

        return rows_of

    def outcomes_of(self, records: Iterable[Record]) -> Iterator[tuple[Record, RowOutcomes]]:
        """The records of which something was kept that can be read: the folder of a trial's rows may be gone."""
        for record in records:
            with suppress(JournalError):
                if (kept := self.outcomes.of(record)) is not None:
                    yield record, kept

    def values(self, record: Record, metric: Metric) -> RowValues:
        """A trial's test rows in the order of their numbers, and the metric's value for each.

        Raises
        ------
        JournalError, NotApplicableError, KeyError
            They were not kept, or the metric has no values of rows there; or these have another mean than the record.
        """
        # Others may have published the same trial.
        key = metric.name, str(record["trial"]), str(record.get("contribution", ""))
        if key in self._held:
            return self._held[key]
        kept = self.outcomes.of(record, losses_only=metric.needs == "losses")
        if kept is None:
            kept = next((outcomes for source in self.beside if (outcomes := source(record)) is not None), None)
        if kept is None:
            raise KeyError(key)
        values = row_values(metric, kept, record, self.columns)
        if not has_mean(values, record["metrics"].get(metric.name)):
            if record.get("contribution"):
                # A metric that looks at classes, which are not published; or losses that somebody made up.
                raise NotApplicableError(f"the published losses have another mean than {metric.name}")
            raise JournalError(f"{metric.name} was computed by other code in this run: 'benchkit run' computes it anew")
        order, rows, groups = kept.part.in_order
        values = values if order is None else values[order]
        as_bits = values.astype(bool)
        small = as_bits if (as_bits == values).all() else values  # 0 and 1 take an eighth of the memory
        if self._bytes > _HELD:
            self._held, self._bytes = {}, 0
        self._bytes += small.nbytes + _OF_TRIAL
        self._held[key] = RowValues(rows, groups, small)
        return self._held[key]

    def is_mean_of_losses(self, name: str, record: Record, kept: RowOutcomes) -> bool:
        """Whether a metric's value of a row is its own, whatever the other rows are, so that parts have means, too.

        It is not where values are a linearisation, as of F1 or the area under the ROC curve: every other row alone has
        other values then.
        """
        metric = self.metrics.get(name)
        if metric is None or metric.row_values is None:
            return False
        part = replace(kept.part, rows=kept.part.rows[::2], truth=kept.part.truth[::2])
        every_other: dict[str, Any] = {
            field: None if (values := getattr(kept, field)) is None else values[::2]
            for field in ("loss", "predictions", "decision", "probabilities")
        }
        half = replace(kept, part=part, changed=None, **every_other)
        try:
            alone, among_all = (row_values(metric, rows, record, self.columns) for rows in (half, kept))
        except NotApplicableError:
            return False
        return bool(np.allclose(alone, among_all[::2]))


def row_values(
    metric: Metric, kept: RowOutcomes, record: Record | None = None, columns: ColumnsOf | None = None
) -> np.ndarray:
    """What each row adds to a metric, which is their mean; a `NotApplicableError` where it has no values of rows."""
    try:
        with redirect_stdout(sys.stderr):  # what it prints is no part of a report
            values = np.asarray(metric.row_values(context_for(metric, kept, record, columns)), dtype=float)
    except NotApplicableError:
        raise
    except (Exception, SystemExit) as error:  # of a plugin
        note_failure(f"metric {metric.name!r}: its values of rows cannot be had: {one_line(error)}")
        raise NotApplicableError(one_line(error)) from error
    if values.shape != kept.loss.shape:
        raise NotApplicableError(f"row_values of {metric.name} has shape {values.shape} of {len(kept.loss)} rows")
    return values
