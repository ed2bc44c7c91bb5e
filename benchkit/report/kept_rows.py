"""Means over rows that a run has kept: differences between methods, row by row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.journal import JournalError, Record
from benchkit.journal.outcomes import Outcomes
from benchkit.journal.row_metrics import ColumnsOf, context_for
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.statistics.estimate import Estimate, estimate
from benchkit.statistics.row_differences import RowMean, has_mean, mean_over_rows
from benchkit.statistics.sampling import ROWS, Sampling, Scope, Values, make_sample

if TYPE_CHECKING:
    import numpy as np

    from benchkit.trial.outcomes import RowOutcomes


_HELD = 2**27  # bytes that are held, for the comparisons to come: 250,000 trials of 60 rows
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

    Attributes
    ----------
    unreadable : dict of str to None
        What was said of rows that were kept and could not be read, in this order.
    """

    outcomes: Outcomes
    metrics: Mapping[str, Metric]
    beside: Sequence[Callable[[Record], RowOutcomes | None]] = ()
    columns: ColumnsOf | None = None
    unreadable: dict[str, None] = field(default_factory=dict)
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
        values = row_values(metric, kept, record, self.columns)
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
