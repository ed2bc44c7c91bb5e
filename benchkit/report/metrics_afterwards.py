"""Metrics and weights that nobody asked for when the run was made, computed from rows that it has kept and its data.

Metrics whose rows count by a column of the data: an error in money where the column is an amount.

With l_i the loss of test row i and w_i its weight, the metric is the ratio m = sum w_i l_i / sum w_i. Weights are drawn
with the rows, so that the sum below varies, too. To first order (Taylor linearisation, as of a ratio in survey
statistics: Cochran 1977, *Sampling Techniques*, section 6.3) m is the mean over rows of

    m + (l_i - m) w_i / mean(w)

which are the rows' values that intervals for new rows are made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from benchkit.errors import RequestError, one_line
from benchkit.journal import JournalError, Record, changed
from benchkit.journal.row_metrics import ColumnsOf, extended
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.report.kept_rows import is_mean_of_losses
from benchkit.report.results import Results
from benchkit.suite.names import dataset_name

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations import Categories, Data, MetricContext
    from benchkit.trial.outcomes import TestPart


class NoDataError(RequestError):
    """The data of a run cannot be had again; the message is one line for the user."""


@dataclass
class DataOfRun:
    """Data sets of a suite's run.

    Parameters
    ----------
    results : Results
        Of one suite.
    plugins : tuple of str, default=()
        Plugin files that declare data sets.
    """

    results: Results
    plugins: tuple[str, ...] = ()

    def of(self, record: Record) -> Data:
        """The data set of a record, as the suite's parameters load it.

        Raises
        ------
        NoDataError
            It was generated, is not declared here, does not load, or has another number of rows than it had.
        """
        name = dataset_name(record["dataset"], record["dataset_params"])
        if record.get("generated"):
            raise NoDataError(f"{name} is generated anew for each repetition: its rows have no columns to go back to")
        declared = registry(self.plugins).datasets.get(self._declared_name(record["dataset"]))
        if declared is None:
            raise NoDataError(f"{name} is declared by no plugin that is installed: name its file with --plugin FILE")
        from benchkit.trial.prepared import check_loaded

        try:
            data = check_loaded(declared.load(**record["dataset_params"]), name)
        except Exception as error:  # of a plugin, or a file that has moved
            raise NoDataError(f"{name} does not load: {one_line(error)}") from None
        if record.get("n_rows") not in (None, len(data.y)):
            was = f"it had {record['n_rows']} rows and has {len(data.y)}"
            raise NoDataError(f"{name} has changed since the run: {was}; run the suite again")
        return data

    def _declared_name(self, label: str) -> str:
        """The name that a plugin declares a data set by, of the label that the suite gave it."""
        for entry in self.results.manifest.get("suite_as_run", {}).get("datasets", ()):
            if isinstance(entry, Mapping) and entry.get("label") == label:
                return str(entry["name"])
        return label


def check_same_rows(data: Data, part: TestPart, name: str) -> None:
    """Refuse data whose rows are not those that a run was tested on.

    Raises
    ------
    NoDataError
    """
    import numpy as np

    there = np.asarray(data.y)[part.rows]
    if part.classes is None:
        same = np.allclose(there.astype(float), part.truth.astype(float), equal_nan=True)
    else:
        same = bool((np.asarray(part.classes)[part.truth].astype(str) == there.astype(str)).all())
    if not same:
        raise NoDataError(f"{name} has changed since the run: its rows have other labels now; run the suite again")


@dataclass
class RowColumns:
    """The columns of a run's data sets, by name.

    Parameters
    ----------
    source : DataOfRun
    """

    source: DataOfRun
    _loaded: dict[str, Data | str] = field(default_factory=dict)

    def __call__(self, record: Record, names: Sequence[str], part: TestPart) -> dict[str, np.ndarray]:
        """For each name the values of a trial's test rows, shape (n_test,); categories as their names, None if missing.

        Raises
        ------
        NotApplicableError
            The data cannot be had again, is another now, or has no such column.
        """
        from benchkit.data.columns import find_column

        key = str([record["dataset"], record["dataset_params"]])
        if key not in self._loaded:
            try:
                self._loaded[key] = self.source.of(record)
            except NoDataError as error:
                self._loaded[key] = str(error)
        data = self._loaded[key]
        if isinstance(data, str):
            raise NotApplicableError(data)
        try:
            check_same_rows(data, part, str(record["dataset"]))
            return {name: _values(find_column(data, name))[part.rows] for name in names}
        except (NoDataError, ValueError) as error:
            raise NotApplicableError(f"{record['dataset']}: {error}") from None


def _values(column: np.ndarray | Categories) -> np.ndarray:
    import numpy as np

    from benchkit.plugin.declarations import Categories

    if not isinstance(column, Categories):
        return np.asarray(column)
    names = np.array([*map(str, column.names), None], dtype=object)
    found: np.ndarray = names[column.codes]  # the code of a missing value is -1
    return found


def weighted(metric: Metric, column: str) -> Metric:
    """A metric with rows that are weighted by a column, named ``METRIC weighted by COLUMN``.

    Parameters
    ----------
    metric : Metric
        A mean of losses that are the rows' own.
    column : str
    """

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

    found = replace(metric, compute=compute, row_values=row_values, columns=(*metric.columns, column))
    # The names of plugins' metrics are checked for spaces, which no plugin's own can be taken for this one by.
    object.__setattr__(found, "name", weighted_name(metric.name, column))
    return found


def weighted_name(metric: str, column: str) -> str:
    """What a metric is called with rows that are weighted by a column."""
    return f"{metric} weighted by {column}"


def _weights(evaluation: MetricContext, column: str) -> np.ndarray:
    import numpy as np

    try:
        weights = np.asarray(evaluation.columns[column], dtype=float)
    except (TypeError, ValueError):
        raise NotApplicableError(f"weights are numbers, and {column} holds others") from None
    if not np.isfinite(weights).all() or (weights < 0).any():
        count = int((~(weights >= 0) | ~np.isfinite(weights)).sum())
        raise NotApplicableError(f"{column} is missing or below 0 in {count} test rows: these can have no weight")
    if not weights.any():
        raise NotApplicableError(f"{column} is 0 in all test rows")
    return weights


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
