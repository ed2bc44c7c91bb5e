"""Metrics that nobody asked for when the run was made, computed from the rows that it has kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchkit.errors import RequestError
from benchkit.journal import JournalError, Record, changed
from benchkit.journal.row_metrics import ColumnsOf, extended
from benchkit.plugin.declarations import Metric
from benchkit.plugin.manager import registry
from benchkit.report.data_of_run import DataOfRun
from benchkit.report.results import Results
from benchkit.report.row_columns import RowColumns
from benchkit.report.statistics.kept_rows import is_mean_of_losses
from benchkit.report.weighted_metrics import weighted


def with_metrics(
    results: Results, names: Sequence[str], weights: str | None = None, plugins: Sequence[str] = ()
) -> Results:
    """The results with further metrics, as far as they are installed and follow from rows; the others are left out.

    Parameters
    ----------
    results : Results
    names : sequence of str
    weights : str, optional
        A column of the data that rows count by; the metrics are then further ones.
    plugins : sequence of str, default=()
        Plugin files that declare data sets, for what reads columns.

    Raises
    ------
    RequestError
        There is no such metric to weigh, or it has no value anywhere: the data has no such column, or cannot be loaded
        again.
    """
    if results.members:
        members = tuple(with_metrics(each, names, weights, plugins) for each in results.members)
        return replace(results, members=members, rows=[row for each in members for row in each.rows])
    columns = RowColumns(DataOfRun(results, tuple(plugins)))
    known = registry(tuple(plugins)).metrics
    if weights is None:
        further = [known[name] for name in dict.fromkeys(names) if name in known]
    else:
        further = _weighted(results, [known[name] for name in dict.fromkeys(names)], weights, columns)
    further = [metric for metric in further if metric.needs != "model" and metric.name not in results.metrics]
    if not further:
        return results
    outcomes = results.kept_rows.outcomes
    rows = [
        row if row["status"] != "ok" else changed(row, extended(row, further, outcomes, columns))
        for row in results.rows
    ]
    _check_told(rows, [metric.name for metric in further if metric.columns])
    return replace(
        results,
        rows=rows,
        columns=columns,
        further={**results.further, **{metric.name: metric for metric in further}},
        metrics=[*results.metrics, *(metric.name for metric in further)],
        greater_is_better={
            **results.greater_is_better,
            **{metric.name: metric.greater_is_better for metric in further},
        },
        ranges={**results.ranges, **{metric.name: metric.range for metric in further}},
        shares={**results.shares, **{metric.name: metric.share for metric in further if metric.share}},
    )


def _weighted(results: Results, metrics: Sequence[Metric], column: str, columns: ColumnsOf) -> list[Metric]:
    """The metrics with rows that count by a column, which a linearised metric such as F1 has no losses for."""
    outcomes = results.kept_rows.outcomes
    try:
        found = next(((row, kept) for row in results.rows if (kept := outcomes.of(row)) is not None), None)
    except JournalError as error:
        raise RequestError(f"--weights {column}: {error}") from None
    if found is None:
        raise RequestError(f"--weights {column}: no rows were kept; run the suite again with --fresh to have them")
    record, kept = found
    for metric in metrics:
        if metric.row_values is None or not is_mean_of_losses(metric, kept, record, columns):
            raise RequestError(f"--weights {column}: {metric.name} is no mean of rows' own losses; error is one")
    return [weighted(metric, column) for metric in metrics]


def _check_told(rows: Sequence[Record], names: Sequence[str]) -> None:
    """Refuse metrics of columns that have no value anywhere, with the reasons."""
    ended = [row for row in rows if row["status"] == "ok"]
    for name in names:
        if ended and all(row["metrics"][name] is None for row in ended):
            reasons = dict.fromkeys(str(row["no_value"].get(name, "it is no number")) for row in ended)
            raise RequestError(f"{name}: {'; '.join(list(reasons)[:3])}")
