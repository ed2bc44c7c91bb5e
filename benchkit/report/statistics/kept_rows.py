"""Means over rows that a run has kept: differences between methods, row by row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from benchkit.journal import JournalError, Record
from benchkit.journal.outcomes import Outcomes
from benchkit.journal.row_metrics import ColumnsOf, context_for
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.statistics.row_differences import RowMean, has_mean, mean_over_rows

if TYPE_CHECKING:
    import numpy as np

    from benchkit.report.statistics.points import Point
    from benchkit.trial.outcomes import RowOutcomes

_HELD = 2**26  # bytes that are held, for the comparisons to come
_OF_TRIAL = 700  # bytes of a trial's key and arrays, whatever they hold

Term = tuple[float, "Point"]


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
    _held: OrderedDict[tuple[str, str], tuple[np.ndarray, np.ndarray]] = field(default_factory=OrderedDict)
    _groups: dict[str, np.ndarray | None] = field(default_factory=dict)
    _bytes: int = 0

    def mean(self, terms: Sequence[Term], parts: Collection[tuple[int, str]]) -> RowMean | None:
        """The mean of a linear combination of points, over rows; None where that cannot be told.

        Rows tell nothing where they were not kept, where the metric is no mean over rows, where data is drawn anew for
        each repetition, and of several data sets at once, which may share rows.

        Parameters
        ----------
        terms : sequence of (coefficient, Point)
            Of one metric.
        parts : collection of (repetition, data set)
            Those that count.
        """
        first = terms[0][1]
        metric = self.metrics.get(first.metric)
        if metric is None or metric.row_values is None or first.of_group or len({name for _, name in parts}) != 1:
            return None
        ways = [drawn for _, point in terms for drawn in point.drawn.values()]
        if any(drawn.fresh or not drawn.known for drawn in ways):
            return None
        try:
            sums = [self._sum(terms, part, metric) for part in sorted(parts)]
        except JournalError as error:
            self.unreadable[str(error)] = None
            return None
        except (NotApplicableError, KeyError):
            return None
        groups = [self._groups[_trial(first.records[part])] for part in sorted(parts)]
        units = [each for each in groups if each is not None]
        if any(drawn.n_groups for drawn in ways) and len(units) < len(groups):
            return None  # rows of one group are not independent, and nobody knows which those are
        given = all(drawn.given for drawn in ways)
        # Rows of a given test part are never trained on, so that no row counts on both sides.
        excess = 0.0 if given else max(drawn.ratio for drawn in ways)
        return mean_over_rows(sums, units or None, excess, given)

    def _sum(self, terms: Sequence[Term], part: tuple[int, str], metric: Metric) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers of a test part, and the combination's value for each."""
        total: Any = 0.0
        rows: np.ndarray | None = None
        for coefficient, point in terms:
            own, values = self.values(point.records[part], metric)
            if rows is not None and own is not rows and (len(own) != len(rows) or (own != rows).any()):
                raise KeyError(part)  # methods of one repetition that were tested on different rows
            rows, total = own, total + coefficient * values
        assert rows is not None
        return rows, total

    def values(self, record: Record, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers of a trial's test part in their order, and the metric's value for each.

        Raises
        ------
        JournalError, NotApplicableError
            They were not kept, or the metric has no values of rows there; or they are published ones of another mean.
        KeyError
            Nothing was kept of this trial.
        """
        key = _trial(record), metric.name
        held = self._held.get(key)
        if held is not None:
            return held
        kept = self._kept(record, metric)
        if kept is None:
            raise KeyError(key[0])
        rows, groups, values = kept.part.rows, kept.part.groups, row_values(metric, kept, record, self.columns)
        if record.get("contribution") and not has_mean(values, record["metrics"].get(metric.name)):
            # A metric that looks at classes, which are not published; or losses that somebody made up.
            raise NotApplicableError(f"the published losses have another mean than {metric.name}")
        if (rows[1:] < rows[:-1]).any():
            order = rows.argsort(kind="stable")
            rows, values, groups = rows[order], values[order], None if groups is None else groups[order]
        found = self._held[key] = rows, values
        self._groups[key[0]] = groups
        self._bytes += _size(found)
        while self._bytes > _HELD and len(self._held) > 1:
            self._bytes -= _size(self._held.popitem(last=False)[1])
        return found

    def groups(self, record: Record) -> np.ndarray | None:
        """The group of each of the rows that `values` gave of this trial; None where no groups are drawn or known."""
        return self._groups[_trial(record)]

    def _kept(self, record: Record, metric: Metric) -> RowOutcomes | None:
        own = self.outcomes.losses_of(record) if metric.needs == "losses" else self.outcomes.of(record)
        found = (own, *(source(record) for source in self.beside if own is None))
        return next((each for each in found if each is not None), None)


def _size(held: tuple[np.ndarray, np.ndarray]) -> int:
    return held[0].nbytes + held[1].nbytes + _OF_TRIAL


def _trial(record: Record) -> str:
    """Which trial it is: others may have published the same one."""
    return f"{record['trial']} {record.get('contribution', '')}"


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
