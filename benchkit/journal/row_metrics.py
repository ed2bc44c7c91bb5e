"""Metrics of trials that ended long ago, from the rows that were kept of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from benchkit.journal.errors import JournalError
from benchkit.journal.outcomes import Outcomes
from benchkit.plugin.declarations import Metric, NotApplicableError

if TYPE_CHECKING:
    from benchkit.plugin.declarations import MetricContext
    from benchkit.trial.outcomes import RowOutcomes


def context_for(metric: Metric, kept: RowOutcomes) -> MetricContext:
    """What a metric is given where rows alone are left.

    Raises
    ------
    NotApplicableError
        Too little was kept for it.
    """
    from benchkit.trial.outcomes import stored_context

    task = "regression" if kept.part.classes is None else "classification"
    if metric.needs == "model" or task not in metric.tasks:
        raise NotApplicableError(f"{metric.name} cannot be told from rows")
    if kept.predictions is None and metric.needs != "losses":
        raise NotApplicableError(f"{metric.name} needs predictions, and the run kept losses alone")
    return stored_context(kept)


def extended(record: Mapping[str, Any], further: Iterable[Metric], outcomes: Outcomes) -> dict[str, Any]:
    """The fields ``metrics`` and ``no_value`` of a record with further metrics.

    Parameters
    ----------
    record : mapping
        Of a trial that ended ok.
    further : iterable of Metric
    outcomes : Outcomes
    """
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
            value = float(metric.compute(context_for(metric, kept)))
            values[metric.name] = value if math.isfinite(value) else None
        except NotApplicableError as error:
            values[metric.name] = None
            reasons[metric.name] = str(error)
    return {"metrics": values, "no_value": reasons}
