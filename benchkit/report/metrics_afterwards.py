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
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchkit.errors import RequestError, one_line
from benchkit.execute.apart import call_all, call_in_turn
from benchkit.execute.serve import is_worker
from benchkit.journal import JournalError, Record, changed
from benchkit.journal.row_metrics import ColumnsOf, DeclaredMetric, MetricReference, extended, extended_all
from benchkit.plugin.declarations import Metric, NotApplicableError
from benchkit.plugin.guard import failures, note_failure
from benchkit.plugin.manager import Registry, registry
from benchkit.report.kept_rows import BATCH, SECONDS, KeptRows
from benchkit.report.results import Results
from benchkit.suite.names import dataset_name

if TYPE_CHECKING:
    import numpy as np

    from benchkit.plugin.declarations import Categories, Data, MetricContext
    from benchkit.trial.rows import TestPart


_SECONDS_OF_LOADING = 300.0  # that loading data may take


class NoDataError(RequestError):
    """The data of a run cannot be had again; the message is one line for the user."""


@dataclass
class DataOfRun:
    """Data sets of a suite's run, each loaded once; called, it gives columns of the test rows by name (`ColumnsOf`).

    Parameters
    ----------
    declared_names : mapping of str to str
        The name that a plugin declares a data set by, of each label that the suite gave one.
    plugins : tuple of str, default=()
        Plugin files that declare data sets.
    """

    declared_names: Mapping[str, str]
    plugins: tuple[str, ...] = ()
    _loaded: dict[str, Data | NoDataError] = field(default_factory=dict)

    @classmethod
    def of_run(cls, results: Results, plugins: tuple[str, ...] = ()) -> DataOfRun:
        """Those of one suite's results."""
        entries = results.manifest.get("suite_as_run", {}).get("datasets", ())
        named = [each for each in entries if isinstance(each, Mapping) and each.get("label")]
        return cls({str(each["label"]): str(each["name"]) for each in named}, plugins)

    def of(self, record: Record) -> Data:
        """The data set of a record, as the suite's parameters load it: in a worker, where it is not benchkit's.

        Raises
        ------
        NoDataError
            It was generated, is not declared here, does not load, or has another number of rows than it had.
        """
        key = str([record["dataset"], record["dataset_params"]])
        if key not in self._loaded:
            try:
                self._loaded[key] = self._load(record)
            except NoDataError as error:
                self._loaded[key] = error
        data = self._loaded[key]
        if isinstance(data, NoDataError):
            raise data
        return data

    def _load(self, record: Record) -> Data:
        name = dataset_name(record["dataset"], record["dataset_params"])
        if record.get("generated"):
            raise NoDataError(f"{name} is generated anew for each repetition: its rows have no columns to go back to")
        label = record["dataset"]
        declared = registry(self.plugins).datasets.get(self.declared_names.get(label, label))
        if declared is None:
            raise NoDataError(f"{name} is declared by no plugin that is installed: name its file with --plugin FILE")
        call = declared.name, record["dataset_params"], self.plugins
        try:
            own = is_worker() or registry(self.plugins).is_own(declared)
            data = _load(*call) if own else call_all(_load, [call], [_SECONDS_OF_LOADING])[0]
        except Exception as error:  # of a plugin, or a file that has moved
            data = error
        if isinstance(data, Exception):
            raise NoDataError(f"{name} does not load: {one_line(data)}")
        if record.get("n_rows") not in (None, len(data.y)):
            was = f"it had {record['n_rows']} rows and has {len(data.y)}"
            raise NoDataError(f"{name} has changed since the run: {was}; run the suite again")
        return cast("Data", data)

    def __call__(self, record: Record, names: Sequence[str], part: TestPart) -> dict[str, np.ndarray]:
        """For each name the values of a trial's test rows, shape (n_test,); categories as their names, None if missing.

        Raises
        ------
        NotApplicableError
            The data cannot be had again, is another now, or has no such column.
        """
        from benchkit.data.columns import find_column

        try:
            data = self.of(record)
        except NoDataError as error:
            raise NotApplicableError(str(error)) from None
        try:
            check_same_rows(data, part, str(record["dataset"]))
            return {name: _values(find_column(data, name))[part.rows] for name in names}
        except (NoDataError, ValueError) as error:
            raise NotApplicableError(f"{record['dataset']}: {error}") from None


def _load(name: str, params: Mapping[str, Any], plugins: tuple[str, ...]) -> Data:
    from benchkit.trial.prepared import check_loaded

    return check_loaded(registry(plugins).datasets[name].load(**params), name)


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


def _values(column: np.ndarray | Categories) -> np.ndarray:
    import numpy as np

    from benchkit.plugin.declarations import Categories

    if not isinstance(column, Categories):
        return np.asarray(column)
    names = np.array([*map(str, column.names), None], dtype=object)
    found: np.ndarray = names[column.codes]  # the code of a missing value is -1
    return found


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

    found = replace(metric, compute=compute, row_values=row_values, columns=(*metric.columns, column))
    # The names of plugins' metrics are checked for spaces, which no plugin's own can be taken for this one by.
    object.__setattr__(found, "name", weighted_name(metric.name, column))
    return found


@dataclass(frozen=True)
class WeightedMetric:
    """A weighted metric as another process finds it."""

    metric: MetricReference
    column: str

    @property
    def name(self) -> str:
        """As `weighted_name`."""
        return weighted_name(self.metric.name, self.column)

    def resolve(self) -> Metric:
        """The metric, whose rows are weighted."""
        return weighted(self.metric.resolve(), self.column)


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
    """As `Results.with_metrics`."""
    if results.members:
        members = tuple(with_metrics(each, names, weights, plugins) for each in results.members)
        return replace(results, members=members, rows=[row for each in members for row in each.rows])
    plugins = tuple(plugins)
    known = registry(plugins)
    columns = DataOfRun.of_run(results, plugins)
    references: list[MetricReference] = [
        DeclaredMetric(name, plugins) for name in dict.fromkeys(names) if weights is not None or name in known.metrics
    ]
    own = {each.name for each in references if known.is_own(known.metrics[each.name])}
    if weights is not None:
        _check_weighable(results, known, references, weights, columns)
        own = {weighted_name(name, weights) for name in own}
        references = [WeightedMetric(each, weights) for each in references]
    asked = {reference.name: (reference.resolve(), reference) for reference in references}
    asked = {
        name: (metric, reference)
        for name, (metric, reference) in asked.items()
        if metric.needs != "model" and name not in results.metrics
    }
    if not asked:
        return results
    further = [metric for metric, _ in asked.values()]
    foreign = {name: reference for name, (_, reference) in asked.items() if name not in own}
    kept, of_benchkit = results.kept_rows, [metric for metric in further if metric.name in own]
    rows = [
        row if row["status"] != "ok" else changed(row, extended(row, of_benchkit, kept.outcomes, columns))
        for row in results.rows
    ]
    for reference in foreign.values():
        rows = _extended(rows, reference, kept.outcomes.out, columns)
    _check_told(rows, [metric.name for metric in further if metric.columns])
    return replace(
        results,
        rows=rows,
        extended_rows=KeptRows(
            kept.outcomes,
            {**kept.metrics, **{metric.name: metric for metric in further}},
            kept.beside,
            columns,
            {**kept.foreign, **foreign},
            rows,
        ),
        metrics=[*results.metrics, *(metric.name for metric in further)],
        greater_is_better={
            **results.greater_is_better,
            **{metric.name: metric.greater_is_better for metric in further},
        },
        ranges={**results.ranges, **{metric.name: metric.range for metric in further}},
        shares={**results.shares, **{metric.name: metric.share for metric in further if metric.share}},
    )


def _extended(rows: Sequence[Record], reference: MetricReference, folder: Path, columns: ColumnsOf) -> list[Record]:
    """Records with a metric that a worker computes; where that fails they have none, and it is said why."""
    ended = [changed(row, {}) for row in rows if row["status"] == "ok"]
    batches = [ended[start : start + BATCH] for start in range(0, len(ended), BATCH)]
    calls = [(folder.resolve(), [(row, [reference]) for row in batch], columns) for batch in batches]
    fields: list[dict[str, Any]] = []
    for batch, answer in zip(batches, call_in_turn(_extended_noting_failures, calls, SECONDS), strict=True):
        if isinstance(answer, Exception):
            why = one_line(answer)
            note_failure(f"metric {reference.name!r}: {why}")
            fields += [
                {
                    "metrics": {**row["metrics"], reference.name: None},
                    "no_value": {**row["no_value"], reference.name: why},
                }
                for row in batch
            ]
        else:
            made, failed = answer
            fields += made
            for line in failed:
                note_failure(line)
    found = iter(fields)
    return [changed(row, next(found)) if row["status"] == "ok" else row for row in rows]


def _extended_noting_failures(
    folder: Path, asked: Sequence[tuple[Record, Sequence[MetricReference]]], columns: ColumnsOf
) -> tuple[list[dict[str, Any]], list[str]]:
    """`extended_all`, and a line for each way in which a metric failed; called in a worker."""
    with failures() as noted:
        return extended_all(folder, asked, columns), list(noted)


def _check_weighable(
    results: Results, known: Registry, references: Sequence[MetricReference], column: str, columns: ColumnsOf
) -> None:
    """Refuse to weigh rows of a linearised metric such as F1, which has no losses of them."""
    outcomes = results.kept_rows.outcomes
    try:
        found = next(((row, kept) for row in results.rows if (kept := outcomes.of(row)) is not None), None)
    except JournalError as error:
        raise RequestError(f"--weights {column}: {error}") from None
    if found is None:
        raise RequestError(f"--weights {column}: no rows were kept; run the suite again with --fresh to have them")
    foreign = {each.name: each for each in references if not known.is_own(known.metrics[each.name])}
    kept_rows = KeptRows(outcomes, known.metrics, columns=columns, foreign=foreign)
    for name in (each.name for each in references):
        if not kept_rows.is_mean_of_losses(name, *found):
            raise RequestError(f"--weights {column}: {name} is no mean of rows' own losses; error is one")


def _check_told(rows: Sequence[Record], names: Sequence[str]) -> None:
    """Refuse metrics of columns that have no value anywhere, with the reasons."""
    ended = [row for row in rows if row["status"] == "ok"]
    for name in names:
        if ended and all(row["metrics"][name] is None for row in ended):
            reasons = dict.fromkeys(str(row["no_value"].get(name, "it is no number")) for row in ended)
            raise RequestError(f"{name}: {'; '.join(list(reasons)[:3])}")
