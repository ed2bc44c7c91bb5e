"""Means over rows that a run has kept: differences between methods, row by row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.errors import one_line
from benchkit.execute.apart import call_all, call_in_turn
from benchkit.journal import JournalError, Record
from benchkit.journal.outcomes import Outcomes
from benchkit.journal.row_metrics import ColumnsOf, MetricReference, context_for
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.plugin.guard import note_failure
from benchkit.statistics.estimate import Estimate, estimate
from benchkit.statistics.row_differences import RowMean, has_mean, mean_over_rows
from benchkit.statistics.sampling import ROWS, Sampling, Scope, Values, make_sample

if TYPE_CHECKING:
    import numpy as np

    from benchkit.trial.outcomes import RowOutcomes


_HELD = 2**27  # bytes that are held, for the comparisons to come: 250,000 trials of 60 rows
_BATCH, _SECONDS = 500, 60.0  # trials whose rows are sent to a worker at once, and what it may take
_OF_TRIAL = 450  # bytes of a trial beside its values: rows are shared, but for published ones

Term = tuple[float, Mapping[tuple[int, str], Record]]
"""A coefficient, and the records that it goes with, by repetition and data set."""


def estimate_of(
    values: Values,
    drawn: Mapping[str, Sampling],
    scope: Scope,
    metric: str,
    terms: Sequence[Term] = (),
    kept: KeptRows | None = None,
) -> Estimate | None:
    """The mean of some values with its uncertainty; on new rows by the rows themselves, wherever these were kept.

    Every mean and every difference of a report is estimated here, so that no two tables differ in how.

    Parameters
    ----------
    values : mapping of (repetition, data set) to float
    drawn : mapping of data set to Sampling
    scope : {"rows", "splits"}
    metric : str
    terms : sequence of (coefficient, mapping of (repetition, data set) to record), default=()
        What the values are a linear combination of; none where they are no means over rows.
    kept : KeptRows, optional

    Returns
    -------
    Estimate or None
        None where there are no values.
    """
    rows = kept.mean(metric, terms, drawn, values) if kept is not None and terms and scope == ROWS else None
    return estimate(make_sample(values, drawn, scope), rows)


class OfRows(NamedTuple):
    """What a trial's test rows have of a metric.

    Attributes
    ----------
    rows : ndarray of int of shape (n_test,)
        Their numbers, ascending; trials of one test part have one array.
    groups : ndarray of int of shape (n_test,) or None
        The group of each, where whole groups are drawn and known.
    held : ndarray of shape (n_test,)
        Its value, as small as it may be.
    """

    rows: np.ndarray
    groups: np.ndarray | None
    held: np.ndarray

    @property
    def values(self) -> np.ndarray:
        """A number for each."""
        return self.held.astype(float)

    @property
    def size(self) -> int:
        """Bytes, but for what is shared."""
        return self.held.nbytes + _OF_TRIAL


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
    _held: OrderedDict[tuple[str, str], OfRows] = field(default_factory=OrderedDict)
    _bytes: int = 0

    def mean(
        self, name: str, terms: Sequence[Term], drawn: Mapping[str, Sampling], parts: Collection[tuple[int, str]]
    ) -> RowMean | None:
        """The mean of a linear combination over rows; None where that cannot be told.

        Rows tell nothing where they were not kept, where the metric is no mean over rows, where data is drawn anew for
        each repetition, and of several data sets at once, which may share rows.

        Parameters
        ----------
        name : str
            The metric's.
        terms : sequence of (coefficient, mapping of (repetition, data set) to record)
        drawn : mapping of data set to Sampling
        parts : collection of (repetition, data set)
            Those that count.
        """
        metric = self.metrics.get(name)
        if metric is None or metric.row_values is None or len({part for _, part in parts}) != 1:
            return None
        way = drawn[next(iter(parts))[1]]
        if way.fresh or not way.known:
            return None
        try:
            sums = [self._sum(terms, part, metric) for part in sorted(parts)]
        except JournalError as error:
            self.unreadable[str(error)] = None
            return None
        except (NotApplicableError, KeyError):
            return None
        units = [groups for _, _, groups in sums if groups is not None]
        if way.n_groups and len(units) < len(sums):
            return None  # rows of one group are not independent, and nobody knows which those are
        # Rows of a given test part are never trained on, so that no row counts on both sides.
        return mean_over_rows([each[:2] for each in sums], units or None, 0.0 if way.given else way.ratio, way.given)

    def _sum(
        self, terms: Sequence[Term], part: tuple[int, str], metric: Metric
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Row numbers of a test part, the combination's value for each, and the group of each."""
        found = [self.values(records[part], metric) for _, records in terms]
        first = found[0]
        for own in found[1:]:
            if own.rows is not first.rows and (len(own.rows) != len(first.rows) or (own.rows != first.rows).any()):
                raise KeyError(part)  # methods of one repetition that were tested on different rows
        total: Any = sum(coefficient * own.values for (coefficient, _), own in zip(terms, found, strict=True))
        return first.rows, total, first.groups

    def values(self, record: Record, metric: Metric) -> OfRows:
        """A trial's test rows in the order of their numbers, and the metric's value for each.

        Raises
        ------
        JournalError, NotApplicableError
            They were not kept, or the metric has no values of rows there; or these have another mean than the record.
        KeyError
            Nothing was kept of this trial.
        """
        key = metric.name, _trial(record)
        held = self._held.get(key)
        if held is not None:
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
        found = self._held[key] = OfRows(part.rows_in_order, part.groups_in_order, small)
        self._bytes += found.size
        while self._bytes > _HELD and len(self._held) > 1:
            self._bytes -= self._held.popitem(last=False)[1].size
        return found

    def is_mean_of_losses(self, name: str, record: Record, kept: RowOutcomes) -> bool:
        """Whether a metric's value of a row is the row's own; see `is_mean_of_losses`. False of one that has none."""
        metric = self.metrics.get(name)
        if metric is None or metric.row_values is None:
            return False
        if name not in self.foreign:
            return is_mean_of_losses(metric, kept, record, self.columns)
        call = self.foreign[name], kept, record, self.columns
        return call_all(_is_mean_of_losses, [call], [_SECONDS])[0] is True

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
        batches = [records[start : start + _BATCH] for start in range(0, len(records), _BATCH)]
        calls = ((reference, self._readable(batch, metric), self.columns) for batch in batches)
        found: dict[str, np.ndarray | str] = {}
        for batch, answer in zip(batches, call_in_turn(_values_of, calls, _SECONDS), strict=True):
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
        found = (own, *(source(record) for source in self.beside if own is None))
        return next((each for each in found if each is not None), None)


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

    def every_other(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else values[::2]

    part = replace(kept.part, rows=kept.part.rows[::2], truth=kept.part.truth[::2])
    half = replace(
        kept,
        part=part,
        loss=kept.loss[::2],
        predictions=every_other(kept.predictions),
        decision=every_other(kept.decision),
        probabilities=every_other(kept.probabilities),
        changed=None,
    )
    try:
        return bool(
            np.allclose(row_values(metric, half, record, columns), row_values(metric, kept, record, columns)[::2])
        )
    except NotApplicableError:
        return False
