"""Writing a run to MLflow while it runs: a listener of one run.

One experiment per suite, a parent run per invocation, one child per dataset, algorithm and adversary, and one per group
for its mean. A child's metrics are histories along the axis: step = index along the axis, the axis value is a metric
of its own. A cell is written once, when all its repetitions have ended.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchkit import Analysis, JournalError, Point, Run, dataset_name, hookimpl
from benchkit_mlflow.connection import connect, explained
from benchkit_mlflow.data_sets import as_inputs, data_sets
from benchkit_mlflow.experiment import NOTE, RUN, end_running, open_experiment, show_newest
from benchkit_mlflow.figures import Figures, chosen_params, fit_figures, run_figures
from benchkit_mlflow.methods import log_methods
from benchkit_mlflow.views import axis_metric, panel

Record = Mapping[str, Any]

SENT = "benchkit.sent"
"""Tag of a parent run that is complete: the digest of the records that it was made of."""

_ENDED_WELL = ("ok", "skipped")
_LONGEST_NOTE = 5000  # of a tag
SUMMARY, PLOTS = "summary.md", "plots"  # of a run's folder
FILES = ("report.html", SUMMARY, "tables.md", "points.csv", "records.parquet", "manifest.json", "suite.yaml")
_LARGEST_FILE = 512 * 2**20
_MOST_TABLE_ROWS = 20_000  # MLflow's table is JSON, and its page loads all of it; the parquet file has any number

_SECONDS_TO_GATHER = 2.0
_MOST_METRICS = 1000  # of one log_batch
_MOST_PARAMS = 100
_MOST_DATA_SETS = 100  # of one run: its row shows them all


class MlflowTracking:
    """Writes a run to MLflow; only ever called in the parent process.

    Parameters
    ----------
    warn : callable
        Is told in one line what was repaired.
    live : bool, default=True
        Whether the run runs now, in this process; else it ended, and is sent.
    """

    def __init__(self, warn: Callable[[str], None], live: bool = True) -> None:
        self._warn, self._live = warn, live
        self._client: Any = None
        self._experiment = ""

    @hookimpl
    def benchkit_run_started(self, run: Run) -> None:
        """Make the database, the experiment and the parent run before any worker starts."""
        with explained(run):
            self._start(run)
            if self._live:  # this process writes the journal, which has one writer at a time
                end_running(self._client, {self._experiment: run.suite}, lambda _, other: _is_earlier(other, run))

    def _start(self, run: Run) -> None:
        self._client = connect(run.out, self._warn)
        self._run = run
        self._experiment = open_experiment(self._client, run, self._warn)
        self._only_at_the_end = run.results([]).until_decided  # which repetitions a cell gets is known then
        tags = {"mlflow.runName": f"{run.suite} {run.id}", "benchkit.profile": run.profile, RUN: run.id}
        tags["benchkit.command"] = run.command
        self._parent = self._client.create_run(self._experiment, tags=tags).info.run_id
        self._children: dict[str, str] = {}
        self._places: dict[tuple[str, str, str], str] = {}
        self._batches: dict[str, list[Any]] = defaultdict(list)
        self._flushed = time.monotonic()
        self._waiting: dict[str, set[str]] = defaultdict(set)
        self._units: dict[str, list[str]] = defaultdict(list)
        self._steps: dict[str, dict[str, int]] = defaultdict(dict)
        self._records: dict[str, Record] = {}
        for trial_id, fields in run.planned.items():
            for unit in _units(fields):
                self._waiting[unit].add(trial_id)
                self._units[trial_id].append(unit)
            for curve in _curves(fields):
                self._steps[curve].setdefault(str(fields["axis_value"]), len(self._steps[curve]))
        self._members = {unit: tuple(trials) for unit, trials in self._waiting.items()}
        show_newest(self._client, self._experiment, run)
        for record in run.reused:
            self._take(record)

    @hookimpl
    def benchkit_trial_finished(self, run: Run, record: Record) -> None:
        """Write the cells that this record completes, a few seconds' worth at once."""
        with explained(run):
            self._take(record)
            if time.monotonic() - self._flushed > _SECONDS_TO_GATHER:
                self._flush()

    @hookimpl
    def benchkit_run_finished(self, run: Run, records: Iterable[Record], analysis: Analysis) -> None:
        """Attach the run's files, and end the runs."""
        with explained(run):
            self._finish(run, list(records), analysis)

    @hookimpl
    def benchkit_run_stopped(self, run: Run) -> None:
        """Say of what runs in MLflow that it was killed; how far it had come, only MLflow knows."""
        if self._experiment:
            with explained(run):
                self._end_the_rest(run)

    def _finish(self, run: Run, rows: list[Record], analysis: Analysis) -> None:
        if self._only_at_the_end:
            self._write_all(rows)
        self._flush()
        statuses: dict[str, float] = defaultdict(float)
        for row in rows:
            statuses[row["status"]] += 1
        planned = analysis.results.planned or len(run.planned)
        if planned > len(rows):
            statuses["missing"] = planned - len(rows)
        figures = run_figures(analysis) if rows else Figures()
        figures.metrics |= {f"trials_{status}": count for status, count in statuses.items()}
        self._log_figures(self._parent, figures)
        for path in _plain_files([run.folder / name for name in FILES]):
            self._client.log_artifact(self._parent, str(path))
        if (plots := run.folder / PLOTS).is_dir() and not plots.is_symlink():
            for path in _plain_files(sorted(plots.iterdir())):
                self._client.log_artifact(self._parent, str(path), PLOTS)
        if 0 < len(rows) <= _MOST_TABLE_ROWS:
            self._client.log_table(self._parent, _columns(rows), "records.json")
        for path in _plain_files([run.folder / SUMMARY]):
            note = path.read_text(encoding="utf-8")
            self._client.set_tag(self._parent, NOTE, _note(note))
        cut_short = bool(statuses["missing"])
        curves = _rows_by_curve(rows)
        data = data_sets(rows, _designs(analysis))
        self._log_data(self._parent, rows, data)
        log_methods(self._client, self._experiment, run, self._parent, analysis, self._places, data)
        for curve, child in self._children.items():
            self._log_data(child, curves[curve], data)
            self._log_figures(child, Figures(params=chosen_params(curves[curve])))
            self._client.set_terminated(child, _run_status(curves[curve], cut_short))
        self._client.set_terminated(self._parent, _run_status(rows, cut_short))
        self._end_the_rest(run)  # Ctrl-C came between a child's making and its noting
        self._client.set_tag(self._parent, SENT, digest_of(rows))  # the last: what is stopped before is sent again

    def _end_the_rest(self, run: Run) -> None:
        end_running(self._client, {self._experiment: run.suite}, lambda _, name: name == run.id)

    def _log_data(self, run_id: str, rows: Iterable[Record], data: Mapping[str, Any]) -> None:
        names = dict.fromkeys(dataset_name(row["dataset"], row["dataset_params"]) for row in rows)
        inputs = as_inputs(data[name] for name in list(names)[:_MOST_DATA_SETS] if name in data)
        if inputs:
            self._client.log_inputs(run_id, inputs)

    def _log_figures(self, run_id: str, figures: Figures) -> None:
        from mlflow.entities import Metric, Param

        now = int(time.time() * 1000)
        metrics = [Metric(name, float(value), now, 0) for name, value in figures.metrics.items()]
        for start in range(0, len(metrics), _MOST_METRICS):
            self._client.log_batch(run_id, metrics=metrics[start : start + _MOST_METRICS])
        params = [Param(name, value) for name, value in figures.params.items()]
        for start in range(0, len(params), _MOST_PARAMS):
            self._client.log_batch(run_id, params=params[start : start + _MOST_PARAMS])

    def _take(self, record: Record) -> None:
        trial_id = record["trial"]
        self._records[trial_id] = record
        if self._only_at_the_end:
            return
        for unit in self._units[trial_id]:
            self._waiting[unit].discard(trial_id)
            if not self._waiting[unit]:
                self._write(unit)

    def _write_all(self, rows: Sequence[Record]) -> None:
        members: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            for unit in _units(row):
                members[unit].append(row["trial"])
        self._members = {unit: tuple(trials) for unit, trials in members.items()}
        self._records = {row["trial"]: row for row in rows}
        for unit in members:
            self._write(unit)

    def _write(self, unit: str) -> None:
        """Log the point that a completed unit (a cell, or a group's point) adds to its curve."""
        rows = [self._records[trial] for trial in self._members[unit]]
        is_group = unit.startswith("group:")
        means = [
            point for point in self._run.results(rows).points() if point.of_group == is_group and point.mean is not None
        ]
        if means:
            self._log(means, rows)

    def _log(self, means: list[Point], rows: list[Record]) -> None:
        """Log a step of a curve: the mean of each metric, and what belongs to all of them once."""
        from mlflow.entities import Metric

        first = means[0]
        curve = _curve(first.dataset, first.dataset_params, first.algorithm, first.adversary)
        step = self._steps[curve][str(first.axis_value)]
        now = int(time.time() * 1000)
        values: dict[str, float | None] = {"n": min(point.n for point in means)}
        values["failed"] = max(point.failed for point in means)
        if isinstance(first.axis_value, int | float):
            values[axis_metric(first.axis)] = first.axis_value if first.taken is None else first.taken
        values["budget"] = first.budget
        values |= fit_figures(rows)
        for point in means:
            low, high = point.interval() or (None, None)
            values |= {point.metric: point.mean, f"{point.metric}_stderr": point.stderr}
            values |= {f"{point.metric}_low95": low, f"{point.metric}_high95": high}
        logged = [Metric(name, float(value), now, step) for name, value in values.items() if value is not None]
        self._batches[self._child(curve, first, rows[0])] += logged

    def _flush(self) -> None:
        """Write what was gathered: a call costs as much for one value as for hundreds."""
        for child, metrics in self._batches.items():
            for start in range(0, len(metrics), _MOST_METRICS):
                self._client.log_batch(child, metrics=metrics[start : start + _MOST_METRICS])
        self._batches.clear()
        self._flushed = time.monotonic()

    def _child(self, curve: str, point: Point, row: Record) -> str:
        from mlflow.entities import Param

        if curve not in self._children:
            tags = {"mlflow.runName": curve, "mlflow.parentRunId": self._parent, RUN: self._run.id}
            child = self._client.create_run(self._experiment, tags=tags).info.run_id
            params = {"dataset": point.dataset, "algorithm": point.algorithm, "adversary": point.adversary}
            params["panel"] = panel(point.dataset, point.dataset_params, point.adversary)
            params |= {f"dataset.{key}": str(value) for key, value in point.dataset_params.items()}
            params["feature_values"] = str(row["feature_values"])[:500]
            self._client.log_batch(child, params=[Param(key, value) for key, value in params.items()])
            self._children[curve] = child
            place = dataset_name(point.dataset, point.dataset_params), point.algorithm, point.adversary
            self._places[place] = child
        return self._children[curve]


def _is_earlier(other: str, run: Run) -> bool:
    """Whether another run writes to the journal whose lock this one's process holds: then it ended, or was killed."""
    return other != run.id and (run.folder.parent / other).is_dir()  # else another journal's, perhaps elsewhere


def _run_status(rows: Iterable[Record], cut_short: bool) -> str:
    """MLflow's word for how a run ended: FINISHED only where every trial ended well."""
    if cut_short:
        return "KILLED"
    return "FINISHED" if all(row["status"] in _ENDED_WELL for row in rows) else "FAILED"


def _designs(analysis: Analysis) -> Mapping[str, Any]:
    """What the run's manifest says of its designs; nothing where it is of an earlier version."""
    try:
        content = analysis.results.manifest.get("content") or {}
    except JournalError:
        return {}
    designs: Mapping[str, Any] = content.get("designs", {})
    return designs


def _rows_by_curve(rows: Iterable[Record]) -> dict[str, list[Record]]:
    by_curve: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        for curve in _curves(row):
            by_curve[curve].append(row)
    return by_curve


def digest_of(rows: Iterable[Record]) -> str:
    """What was sent, in short: trials, how they ended, and their metrics."""
    text = json.dumps([[row["trial"], row["status"], row["metrics"]] for row in rows], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _note(summary: str) -> str:
    """The run's summary as a note, which the dashboard shows first."""
    heading, _, rest = summary.partition("\n")
    text = f"{heading}\n\nOpen **report.html** under *Artifacts* for curves and tables.\n{rest}"
    return text if len(text) <= _LONGEST_NOTE else text[: _LONGEST_NOTE - 20] + " ... (cut)"


def _plain_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Those of a run's files that are files: whoever made the run may have put a link, a device or a pipe there."""
    for path in paths:
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _LARGEST_FILE:
            yield path


def _units(fields: Record) -> list[str]:
    """What a trial's record is averaged into: its cell, and its group's point."""
    if not fields["group"]:
        return [fields["cell"]]
    point = (
        fields["group"],
        fields["algorithm"],
        fields["adversary"],
        fields["adversary_params"],
        fields["axis_value"],
    )
    return [fields["cell"], "group:" + json.dumps(point, sort_keys=True, default=str)]


def _curve(dataset: str, params: Mapping[str, Any], algorithm: str, adversary: str) -> str:
    """Short name of a child run."""
    return f"{dataset_name(dataset, params)} | {algorithm} | {adversary}"


def _curves(fields: Record) -> list[str]:
    own = _curve(fields["dataset"], fields["dataset_params"], fields["algorithm"], fields["adversary"])
    if not fields["group"]:
        return [own]
    return [own, _curve(fields["group"], {}, fields["algorithm"], fields["adversary"])]


def _columns(rows: list[Record]) -> dict[str, list[Any]]:
    """Records as columns of plain values, for a table artifact."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    plain = (str, int, float, bool, type(None))
    return {
        name: [value if isinstance(value := row.get(name), plain) else json.dumps(value, default=str) for row in rows]
        for name in names
    }
