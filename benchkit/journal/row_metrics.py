"""Metrics of trials that ended long ago, from the rows that were kept of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import JournalError, one_line
from benchkit.journal.rows import Outcomes
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.plugin.guard import note_failure, with_blame
from benchkit.plugin.manager import registry
from benchkit.trial.record import Record

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations import MetricContext
    from benchkit.trial.rows import RowOutcomes, TestPart

ColumnsOf = Callable[[Record, Sequence[str], "TestPart"], Mapping[str, "np.ndarray"]]
"""Of a record, names of raw columns and its test part: the columns' values in the test rows."""


@dataclass(frozen=True)
class DeclaredMetric:
    """A metric as another process finds it, which cannot be sent its code: a name, and files that declare it."""

    name: str
    plugins: tuple[str, ...] = ()

    def resolve(self) -> Metric:
        """The metric that is declared."""
        return registry(self.plugins).metrics[self.name]


def context_for(
    metric: Metric, kept: RowOutcomes, record: Record | None = None, columns: ColumnsOf | None = None
) -> MetricContext:
    """What a metric is given where rows alone are left; a `NotApplicableError` where too little was kept for it.

    ``columns`` says where raw columns come from, for metrics that read some.
    """
    from benchkit.trial.rows import stored_context

    task = "regression" if kept.part.classes is None else "classification"
    if metric.needs == "model" or task not in metric.tasks:
        raise NotApplicableError(f"{metric.name} cannot be told from rows")
    if kept.predictions is None and metric.needs != "losses":
        raise NotApplicableError(f"{metric.name} needs predictions, and the run kept losses alone")
    context = stored_context(kept)
    if not metric.columns:
        return context
    if columns is None or record is None:
        raise NotApplicableError(f"{metric.name} reads the columns {', '.join(metric.columns)}, which are not at hand")
    return replace(context, columns=columns(record, metric.columns, kept.part))


def extended(
    record: Record, further: Iterable[Metric], outcomes: Outcomes, columns: ColumnsOf | None = None
) -> dict[str, Any]:
    """The fields ``metrics`` and ``no_value`` of a record, of a trial that ended ok, with further metrics."""
    from benchkit.trial.scoring import value_of

    values, reasons = dict(record["metrics"]), dict(record.get("no_value") or {})
    try:
        kept = outcomes.of(record)
        why = "nothing was kept of this trial's rows: run the suite again with --fresh"
    except JournalError as error:
        kept, why = None, str(error)
    for metric in further:
        try:
            if kept is None:
                raise NotApplicableError(why)
            value = value_of(metric, context_for(metric, kept, record, columns))
            values[metric.name] = value if math.isfinite(value) else None
            reasons.pop(metric.name, None)
        except NotApplicableError as error:
            values[metric.name] = None
            reasons[metric.name] = str(error)
        except (Exception, SystemExit) as error:
            values[metric.name] = None
            reasons[metric.name] = f"{type(error).__name__}: {with_blame(error)}"
            note_failure(f"metric {metric.name!r}: {one_line(error)}")
    return {"metrics": values, "no_value": reasons}


def extended_all(folder: Path, asked: Sequence[tuple[Record, Sequence[DeclaredMetric]]]) -> list[dict[str, Any]]:
    """`extended` for several records of an output folder, as a worker is asked for it."""
    outcomes = Outcomes(folder)
    return [extended(row, [metric.resolve() for metric in metrics], outcomes) for row, metrics in asked]
