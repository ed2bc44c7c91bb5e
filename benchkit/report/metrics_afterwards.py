"""Metrics that nobody asked for when the run was made, computed from rows that it has kept and its data."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchkit.errors import RequestError, one_line
from benchkit.execute.apart import call_all
from benchkit.journal.rows import Outcomes, extended
from benchkit.plugin.declarations import Categories, Data, NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.report.results import Results
from benchkit.suite.names import dataset_name
from benchkit.trial.record import Record, changed

if TYPE_CHECKING:
    from benchkit.trial.rows import TestPart


_BATCH, _SECONDS = 500, 60.0  # trials of a call of a stranger's metrics, and what it may take


class NoDataError(RequestError):
    """The data of a run cannot be had again; the message is one line for the user."""


class DataOfRun:
    """Data sets of a suite's run, each loaded once; called, it gives columns of the test rows by name (`ColumnsOf`)."""

    def __init__(self, results: Results, plugins: tuple[str, ...] = ()) -> None:
        suite = results.manifest.get("suite_as_run", {})
        entries = [entry for entry in suite.get("datasets", ()) if isinstance(entry, Mapping)]
        self._declared_names = {str(entry["label"]): str(entry["name"]) for entry in entries if entry.get("label")}
        tests = {
            entry.get("label") or entry["name"]: (entry.get("split") or suite.get("split") or {}).get("test")
            for entry in entries
        }
        self._test_files = {str(label): test for label, test in tests.items() if isinstance(test, str)}
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
            if label in self._test_files:  # it is loaded behind the others
                path = params["path"]
                params = {**params, "path": [*(path if isinstance(path, list) else [path]), self._test_files[label]]}
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
    labels = np.asarray(data.y)[part.rows]
    if part.classes is None:
        labels, truth = labels.astype(float), part.truth.astype(float)
        same = np.allclose(labels, truth, atol=1e-8 * np.abs(truth).max(), equal_nan=True)
    else:
        same = bool((np.asarray(part.classes)[part.truth].astype(str) == labels.astype(str)).all())
    if not same:
        raise NoDataError(f"{name} has changed since the run: its rows have other labels now; run the suite again")


def with_metrics(results: Results, names: Sequence[str], plugins: Sequence[str] = ()) -> Results:
    """As `Results.with_metrics`."""
    if results.members:
        members = tuple(with_metrics(each, names, plugins) for each in results.members)
        return replace(results, members=members, rows=[row for each in members for row in each.rows])
    plugins = tuple(plugins)
    known = registry(plugins)
    asked = [known.metrics[name] for name in dict.fromkeys(names) if name in known.metrics]
    further = {each.name: each for each in asked if each.needs != "model" and each.name not in results.metrics}
    if not further:
        return results
    ended = [row for row in results.rows if row["status"] == "ok"]
    columns = DataOfRun(results, plugins)
    kept = replace(results.kept_rows, metrics=known.metrics, columns=columns)
    parts = [ended[start : start + _BATCH] for start in range(0, len(ended), _BATCH)]
    calls = [(kept.outcomes.out.resolve(), part, list(further), plugins, columns) for part in parts]
    if all(map(known.is_own, asked)):
        answers = [_further_fields(*call) for call in calls]
    else:
        answers = call_all(_further_fields, calls, [_SECONDS] * len(calls))
    for answer in answers:
        if isinstance(answer, Exception):
            raise RequestError(f"{', '.join(further)}: {one_line(answer)}; report without it")
    fields = iter([each for answer in answers for each in answer])
    rows = [row if row["status"] != "ok" else changed(row, next(fields)) for row in results.rows]
    for name in (name for name, metric in further.items() if metric.columns):
        reasons = {
            str(row["no_value"].get(name, "it is no number")): None
            for row in rows
            if row["status"] == "ok" and row["metrics"][name] is None
        }
        if reasons and all(row["status"] != "ok" or row["metrics"][name] is None for row in rows):
            raise RequestError(f"{name}: {'; '.join(list(reasons)[:3])}")
    directions = {name: metric.greater_is_better for name, metric in further.items()}
    return replace(
        results,
        rows=rows,
        extended_rows=replace(kept, metrics={**results.kept_rows.metrics, **further}),
        metrics=[*results.metrics, *further],
        greater_is_better={**results.greater_is_better, **directions},
        ranges={**results.ranges, **{name: metric.range for name, metric in further.items()}},
        shares={**results.shares, **{name: metric.share for name, metric in further.items() if metric.share}},
    )


def _further_fields(
    out: Path, rows: Sequence[Record], names: Sequence[str], plugins: tuple[str, ...], columns: DataOfRun
) -> list[dict[str, Any]]:
    """The fields of trials that ended ok with further metrics; a stranger's are computed in a worker, and may hang."""
    known, outcomes = registry(plugins).metrics, Outcomes(out)
    metrics = [known[name] for name in names]
    with redirect_stdout(sys.stderr):  # what a plugin prints is no part of a report
        return [extended(row, metrics, outcomes, columns) for row in rows]
