"""Metrics and weights that nobody asked for when the run was made, computed from rows that it has kept and its data.

Rows may count by a column of the data: an error in money where the column is an amount. With l_i the loss of test row i
and w_i its weight, the metric is the ratio m = sum w_i l_i / sum w_i. Weights are drawn with the rows, so that the sum
below varies, too. To first order (Taylor linearisation, as of a ratio in survey statistics: Cochran 1977, *Sampling
Techniques*, section 6.3) m is the mean over rows of

    m + (l_i - m) w_i / mean(w)

which are the rows' values that intervals for new rows are made of.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import JournalError, RequestError, one_line
from benchkit.execute.apart import call_all
from benchkit.journal.manifest import is_own, trusted_plugin_files
from benchkit.journal.rows import Outcomes, extended
from benchkit.plugin.declarations import Categories, Metric, NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.report.kept_rows import KeptRows
from benchkit.report.results import Results
from benchkit.suite.names import dataset_name
from benchkit.trial.record import Record, changed

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations import Data, MetricContext
    from benchkit.trial.rows import TestPart


_BATCH, _SECONDS = 500, 60.0  # trials of a call of a stranger's metrics, and what it may take


class NoDataError(RequestError):
    """The data of a run cannot be had again; the message is one line for the user."""


class DataOfRun:
    """Data sets of a suite's run, each loaded once; called, it gives columns of the test rows by name (`ColumnsOf`)."""

    def __init__(self, results: Results, plugins: tuple[str, ...] = ()) -> None:
        entries = results.manifest.get("suite_as_run", {}).get("datasets", ())
        named = [entry for entry in entries if isinstance(entry, Mapping) and entry.get("label")]
        self._declared_names = {str(entry["label"]): str(entry["name"]) for entry in named}
        self._plugins = plugins
        self._loaded: dict[str, Data | NoDataError] = {}

    def of(self, record: Record) -> Data:
        """The data set of a record, as the suite's parameters load it.

        A `NoDataError` where it was generated, is not declared here, does not load, or has another number of rows.
        """
        key = str([record["dataset"], record["dataset_params"]])
        if key not in self._loaded:
            try:
                self._loaded[key] = self._load(record)
            except NoDataError as error:
                self._loaded[key] = error
        if isinstance(data := self._loaded[key], NoDataError):
            raise data
        return data

    def _load(self, record: Record) -> Data:
        from benchkit.trial.prepared import check_loaded

        label, params = record["dataset"], record["dataset_params"]
        name = dataset_name(label, params)
        if record.get("generated"):
            raise NoDataError(f"{name} is generated anew for each repetition: its rows have no columns to go back to")
        declared = registry(self._plugins).datasets.get(self._declared_names.get(label, label))
        if declared is None:
            raise NoDataError(f"{name} is declared by no plugin that is installed: name its file with --plugin FILE")
        try:
            data = check_loaded(declared.load(**params), declared.name)
        except (Exception, SystemExit) as error:  # of a plugin, or a file that has moved
            raise NoDataError(f"{name} does not load: {one_line(error)}") from error
        if record.get("n_rows") not in (None, len(data.y)):
            was = f"it had {record['n_rows']} rows and has {len(data.y)}"
            raise NoDataError(f"{name} has changed since the run: {was}; run the suite again")
        return data

    def __call__(self, record: Record, names: Sequence[str], part: TestPart) -> dict[str, np.ndarray]:
        """The values of a trial's test rows by name, shape (n_test,); categories as their names, None if missing."""
        from benchkit.data.columns import find_column

        try:
            data = self.of(record)
        except NoDataError as error:
            raise NotApplicableError(str(error)) from None
        try:
            check_same_rows(data, part, str(record["dataset"]))
            columns = {name: find_column(data, name) for name in names}
        except (NoDataError, ValueError) as error:
            raise NotApplicableError(f"{record['dataset']}: {error}") from None
        return {
            name: (column.values if isinstance(column, Categories) else column)[part.rows]
            for name, column in columns.items()
        }


def check_same_rows(data: Data, part: TestPart, name: str) -> None:
    """Refuse data whose rows are not those that a run was tested on, by a `NoDataError`."""
    import numpy as np

    labels = np.asarray(data.y)[part.rows]
    if part.classes is None:
        same = np.allclose(labels.astype(float), part.truth.astype(float), equal_nan=True)
    else:
        same = bool((np.asarray(part.classes)[part.truth].astype(str) == labels.astype(str)).all())
    if not same:
        raise NoDataError(f"{name} has changed since the run: its rows have other labels now; run the suite again")


def weighted(metric: Metric, column: str) -> Metric:
    """A metric with rows that are weighted by a column, which must be a mean of losses that are the rows' own."""

    def losses(evaluation: MetricContext) -> tuple[np.ndarray, np.ndarray]:
        import numpy as np

        weights = _weights(evaluation, column)
        return np.asarray(metric.row_values(evaluation), dtype=float), weights

    def compute(evaluation: MetricContext) -> float:
        values, weights = losses(evaluation)
        return float(weights @ values / weights.sum())

    def row_values(evaluation: MetricContext) -> np.ndarray:
        values, weights = losses(evaluation)
        mean = weights @ values / weights.sum()
        linear: np.ndarray = mean + (values - mean) * weights / weights.mean()
        return linear

    columns = (*metric.columns, column)
    by_weight = replace(metric, compute=compute, row_values=row_values, columns=columns, share="")  # no share of rows
    # The names of plugins' metrics are checked for spaces, which no plugin's own can be taken for this one by.
    object.__setattr__(by_weight, "name", weighted_name(metric.name, column))
    return by_weight


def weighted_name(metric: str, column: str) -> str:
    """What a metric is called with rows that are weighted by a column."""
    return f"{metric} weighted by {column}"


def _weights(evaluation: MetricContext, column: str) -> np.ndarray:
    import numpy as np

    try:
        weights = np.asarray(evaluation.columns[column], dtype=float)
    except (TypeError, ValueError):
        raise NotApplicableError(f"weights are numbers, and {column} holds others") from None
    wrong = ~(weights >= 0) | ~np.isfinite(weights)
    if wrong.any():
        raise NotApplicableError(f"{column} is missing or below 0 in {wrong.sum()} test rows: these can have no weight")
    if not weights.any():
        raise NotApplicableError(f"{column} is 0 in all test rows")
    return weights


def with_metrics(
    results: Results, names: Sequence[str], weights: str | None = None, plugins: Sequence[str] = ()
) -> Results:
    """As `Results.with_metrics`."""
    if results.members:
        members = tuple(with_metrics(each, names, weights, plugins) for each in results.members)
        return replace(results, members=members, rows=[row for each in members for row in each.rows])
    known, plugins = registry(tuple(plugins)), tuple(plugins)
    # What was measured need not be loaded, unless it is to be weighed.
    if weights is not None and (strange := [name for name in names if name not in known.metrics]):
        if is_own(results.folder, results.manifest):
            plugins = (*plugins, *trusted_plugin_files(results.folder, results.manifest))
            known = registry(plugins)
        elif strange[0] in results.metrics:
            raise RequestError(f"{strange[0]}: its plugin is not loaded here: name its file with --plugin FILE")
    asked = [known.metrics[name] for name in dict.fromkeys(names) if weights is not None or name in known.metrics]
    columns = DataOfRun(results, plugins)
    kept = replace(results.kept_rows, metrics=known.metrics, columns=columns)
    if weights is not None:
        _check_weighable(results, kept, asked, weights)
    further = {
        metric.name: (each.name, metric)
        for each in asked
        if (metric := each if weights is None else weighted(each, weights)).needs != "model"
        and metric.name not in results.metrics
    }
    if not further:
        return results
    ended = [row for row in results.rows if row["status"] == "ok"]
    names = [name for name, _ in further.values()]
    parts = [ended[start : start + _BATCH] for start in range(0, len(ended), _BATCH)]
    calls = [(kept.outcomes.out.resolve(), part, names, weights, plugins, columns) for part in parts]
    if all(known.is_own(metric) for metric in asked):
        answers = [_further_fields(*call) for call in calls]
    else:
        answers = call_all(_further_fields, calls, [_SECONDS] * len(calls))
    for answer in answers:
        if isinstance(answer, Exception):
            raise RequestError(f"{', '.join(further)}: {one_line(answer)}; report without it")
    fields = iter([each for answer in answers for each in answer])
    rows = [row if row["status"] != "ok" else changed(row, next(fields)) for row in results.rows]
    _check_told(rows, [name for name, (_, metric) in further.items() if metric.columns])
    added = [metric for _, metric in further.values()]
    return replace(
        results,
        rows=rows,
        extended_rows=replace(kept, metrics={**results.kept_rows.metrics, **{each.name: each for each in added}}),
        metrics=[*results.metrics, *further],
        greater_is_better={**results.greater_is_better, **{each.name: each.greater_is_better for each in added}},
        ranges={**results.ranges, **{metric.name: metric.range for metric in added}},
        shares={**results.shares, **{metric.name: metric.share for metric in added if metric.share}},
    )


def _further_fields(
    out: Path,
    rows: Sequence[Record],
    names: Sequence[str],
    weights: str | None,
    plugins: tuple[str, ...],
    columns: DataOfRun,
) -> list[dict[str, Any]]:
    """The fields of trials that ended ok with further metrics; a stranger's are computed in a worker, and may hang."""
    known, outcomes = registry(plugins).metrics, Outcomes(out)
    metrics = [known[name] if weights is None else weighted(known[name], weights) for name in names]
    with redirect_stdout(sys.stderr):  # what a plugin prints is no part of a report
        return [extended(row, metrics, outcomes, columns) for row in rows]


def _check_weighable(results: Results, kept_rows: KeptRows, metrics: Sequence[Metric], column: str) -> None:
    """Refuse to weigh rows of a linearised metric such as F1, which has no losses of them."""
    try:
        rows = ((row, kept) for row in results.rows if (kept := kept_rows.outcomes.of(row)) is not None)
        example = next(rows, None)
    except JournalError as error:
        raise RequestError(f"--weights {column}: {error}") from None
    if example is None:
        raise RequestError(f"--weights {column}: no rows were kept; run the suite again with --fresh to have them")
    for metric in metrics:
        if not kept_rows.is_mean_of_losses(metric.name, *example):
            raise RequestError(f"--weights {column}: {metric.name} is no mean of rows' own losses; error is one")


def _check_told(rows: Sequence[Record], names: Sequence[str]) -> None:
    """Refuse metrics of columns that have no value anywhere, with the reasons."""
    ended = [row for row in rows if row["status"] == "ok"]
    for name in names:
        if ended and all(row["metrics"][name] is None for row in ended):
            reasons = dict.fromkeys(str(row["no_value"].get(name, "it is no number")) for row in ended)
            raise RequestError(f"{name}: {'; '.join(list(reasons)[:3])}")
