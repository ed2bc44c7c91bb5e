"""Rows that a run has kept: a metric's value of each, read from the journal or computed apart."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from benchkit.errors import one_line
from benchkit.execute.apart import call_all, call_in_turn
from benchkit.journal import JournalError, Record
from benchkit.journal.row_metrics import ColumnsOf, MetricReference, context_for
from benchkit.journal.rows import Outcomes
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.plugin.guard import note_failure
from benchkit.statistics.measurement import RowValues
from benchkit.statistics.row_differences import has_mean
from benchkit.statistics.sampling import Part

if TYPE_CHECKING:
    import numpy as np

    from benchkit.trial.rows import RowOutcomes


_HELD = 2**27  # bytes that are held, for the comparisons to come: 250,000 trials of 60 rows
_OF_TRIAL = 450  # bytes of a trial beside its values: rows are shared, but for published ones
BATCH, SECONDS = 500, 60.0  # trials whose rows are sent to a worker at once, and what it may take


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
    foreign : mapping of str to MetricReference, default={}
        Those metrics that benchkit does not bring: a worker process computes them.
    records : sequence of mapping, default=()
        Those whose values of foreign metrics may be asked for.

    Attributes
    ----------
    unreadable : dict of str to None
        What was said of rows that were kept and could not be read, in this order.
    """

    outcomes: Outcomes
    metrics: Mapping[str, Metric]
    beside: Sequence[Callable[[Record], RowOutcomes | None]] = ()
    columns: ColumnsOf | None = None
    foreign: Mapping[str, MetricReference] = field(default_factory=dict)
    records: Sequence[Record] = ()
    unreadable: dict[str, None] = field(default_factory=dict)
    _foreign_values: dict[str, dict[str, np.ndarray | str]] = field(default_factory=dict)
    _held: OrderedDict[tuple[str, str], RowValues] = field(default_factory=OrderedDict)
    _bytes: int = 0

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
        JournalError, NotApplicableError
            They were not kept, or the metric has no values of rows there; or these have another mean than the record.
        KeyError
            Nothing was kept of this trial.
        """
        key = metric.name, _trial(record)
        if (held := self._held.get(key)) is not None:
            return held
        kept = self._kept(record, metric)
        if kept is None:
            raise KeyError(key)
        values = self._values(metric, kept, record)
        if not has_mean(values, record["metrics"].get(metric.name)):
            if record.get("contribution"):
                # A metric that looks at classes, which are not published; or losses that somebody made up.
                raise NotApplicableError(f"the published losses have another mean than {metric.name}")
            raise JournalError(f"{metric.name} was computed by other code in this run: 'benchkit run' computes it anew")
        part = kept.part
        small = _small(values if part.order is None else values[part.order])
        self._held[key] = found = RowValues(part.rows_in_order, part.groups_in_order, small)
        self._bytes += small.nbytes + _OF_TRIAL
        while self._bytes > _HELD and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1].held.nbytes + _OF_TRIAL
        return found

    def is_mean_of_losses(self, name: str, record: Record, kept: RowOutcomes) -> bool:
        """Whether a metric's value of a row is the row's own; see `is_mean_of_losses`. False of one that has none."""
        metric = self.metrics.get(name)
        if metric is None or metric.row_values is None:
            return False
        if name not in self.foreign:
            return is_mean_of_losses(metric, kept, record, self.columns)
        call = self.foreign[name], kept, record, self.columns
        return call_all(_is_mean_of_losses, [call], [SECONDS])[0] is True

    def _values(self, metric: Metric, kept: RowOutcomes, record: Record) -> np.ndarray:
        """As `row_values`; those of a foreign metric are computed for all records when the first is asked for."""
        if metric.name not in self.foreign:
            return row_values(metric, kept, record, self.columns)
        if metric.name not in self._foreign_values:
            self._foreign_values[metric.name] = self._compute(metric, self.foreign[metric.name])
        values = self._foreign_values[metric.name][_trial(record)]
        if isinstance(values, str):
            raise NotApplicableError(values)
        return values

    def _compute(self, metric: Metric, reference: MetricReference) -> dict[str, np.ndarray | str]:
        """Of each trial its rows' values, or why there are none; what went wrong is noted once."""
        records = [each for each in self.records if each["status"] == "ok"]
        batches = [records[start : start + BATCH] for start in range(0, len(records), BATCH)]
        calls = ((reference, self._readable(batch, metric), self.columns) for batch in batches)
        found: dict[str, np.ndarray | str] = {}
        for batch, answer in zip(batches, call_in_turn(_values_of, calls, SECONDS), strict=True):
            if isinstance(answer, Exception):
                answer = dict.fromkeys(map(_trial, batch), one_line(answer))
            found |= answer
        for why in dict.fromkeys(value for value in found.values() if isinstance(value, str)):
            note_failure(f"metric {metric.name!r}: its values of rows cannot be had: {why}")
        return found

    def _readable(self, records: Sequence[Record], metric: Metric) -> list[tuple[str, Record, RowOutcomes]]:
        """Of records the outcomes, where they can be read."""
        readable = []
        for record in records:
            with suppress(JournalError):  # said when it is asked for
                if (kept := self._kept(record, metric)) is not None:
                    readable.append((_trial(record), record, kept))
        return readable

    def _kept(self, record: Record, metric: Metric) -> RowOutcomes | None:
        own = self.outcomes.losses_of(record) if metric.needs == "losses" else self.outcomes.of(record)
        if own is not None:
            return own
        return next((kept for source in self.beside if (kept := source(record)) is not None), None)


def _small(values: np.ndarray) -> np.ndarray:
    """The same values in an eighth of the memory, where all are 0 or 1, as whether each row is wrong."""
    as_bits = values.astype(bool)
    return as_bits if (as_bits == values).all() else values


def _trial(record: Record) -> str:
    """Which trial it is: others may have published the same one."""
    contribution = record.get("contribution", "")
    return f"{record['trial']} {contribution}" if contribution else str(record["trial"])


def _values_of(
    reference: MetricReference, asked: Sequence[tuple[str, Record, RowOutcomes]], columns: ColumnsOf | None
) -> dict[str, np.ndarray | str]:
    """Of each trial its rows' values, or why it has none; called in a worker."""
    metric = reference.resolve()
    values: dict[str, np.ndarray | str] = {}
    for trial, record, kept in asked:
        try:
            values[trial] = row_values(metric, kept, record, columns)
        except (Exception, SystemExit) as error:
            values[trial] = str(error) if isinstance(error, NotApplicableError) else one_line(error)
    return values


def _is_mean_of_losses(
    reference: MetricReference, kept: RowOutcomes, record: Record, columns: ColumnsOf | None
) -> bool:
    return is_mean_of_losses(reference.resolve(), kept, record, columns)


def row_values(
    metric: Metric, kept: RowOutcomes, record: Record | None = None, columns: ColumnsOf | None = None
) -> np.ndarray:
    """What each row adds to a metric: values whose mean it is.

    Raises
    ------
    NotApplicableError
        Too little was kept, or the metric has no meaning there.
    """
    import numpy as np

    values = np.asarray(metric.row_values(context_for(metric, kept, record, columns)), dtype=float)
    if values.shape != kept.loss.shape:
        raise NotApplicableError(f"row_values of {metric.name} has shape {values.shape} of {len(kept.loss)} rows")
    return values


def is_mean_of_losses(
    metric: Metric, kept: RowOutcomes, record: Record | None = None, columns: ColumnsOf | None = None
) -> bool:
    """Whether a row's value is its own, whatever the other rows are, so that parts of the rows have means, too.

    It is not where values are a linearisation, as of F1 or the area under the ROC curve: every other row alone has
    other values then.
    """
    import numpy as np

    part = replace(kept.part, rows=kept.part.rows[::2], truth=kept.part.truth[::2])
    answers = {name: getattr(kept, name) for name in ("loss", "predictions", "decision", "probabilities")}
    every_other: dict[str, Any] = {name: None if each is None else each[::2] for name, each in answers.items()}
    half = replace(kept, part=part, changed=None, **every_other)
    try:
        return bool(
            np.allclose(row_values(metric, half, record, columns), row_values(metric, kept, record, columns)[::2])
        )
    except NotApplicableError:
        return False
