"""The MLflow dashboard: a plugin of ours that listens to the run's hooks.

One experiment per suite, a parent run per invocation, one child per dataset, algorithm and adversary, and one per group
for its mean. A child's metrics are histories along the axis: step = index along the axis, the axis value is a metric
of its own. A cell is written once, when all its repetitions have ended.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit.plugin.manager import one_line
from benchkit.plugin.spec import Run, hookimpl
from benchkit.report.files import PLOTS
from benchkit.report.statistics import Point, points
from benchkit.suite.plan import dataset_name, digest
from benchkit.tracking.note import run_note
from benchkit.tracking.views import axis_metric, panel, run_views

Record = Mapping[str, Any]

DATABASE = "mlflow.db"
SENT = "benchkit.sent"
"""Tag of a parent run that is complete: the digest of the records that it was made of."""

FILES = ("report.html", "tables.md", "points.csv", "records.parquet", "manifest.json", "suite.yaml")
_MOST_TABLE_ROWS = 20_000  # MLflow's table is JSON, and its page loads all of it; the parquet file has any number

_SECONDS_TO_GATHER = 2.0
_MOST_METRICS = 1000  # of one log_batch


def tracking_uri(out: Path) -> str:
    """``MLFLOW_TRACKING_URI``, or the database in the output folder."""
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{(out / DATABASE).resolve()}"


def quiet_mlflow() -> Any:
    """MLflow, imported without telemetry and without the migration's log lines."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "true")
    # By default a server that is down is asked for minutes, before the first trial and after the last.
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")
    import logging

    import mlflow

    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return mlflow


class TrackingError(Exception):
    """MLflow cannot be written to; the message is one line for the user."""


@contextmanager
def explained(run: Run) -> Iterator[None]:
    """Say of any failure which MLflow it was, and how the run gets there later."""
    try:
        yield
    except Exception as error:
        later = f"'benchkit sync {run.folder}' sends the run later"
        raise TrackingError(f"{later}; MLflow at {tracking_uri(run.out)}: {one_line(error)}") from error


class MlflowTracking:
    """Writes a run to MLflow; only ever called in the parent process."""

    @hookimpl
    def benchkit_run_started(self, run: Run) -> None:
        """Make the database, the experiment and the parent run before any worker starts."""
        with explained(run):
            self._start(run)

    def _start(self, run: Run) -> None:
        mlflow = quiet_mlflow()
        self._client = mlflow.MlflowClient(tracking_uri(run.out))
        self._run = run
        self._experiment = self._find_experiment(run)
        tags = {"mlflow.runName": f"{run.suite} {run.id}", "benchkit.profile": run.profile, "benchkit.run": run.id}
        tags["benchkit.command"] = run.command
        self._parent = self._client.create_run(self._experiment, tags=tags).info.run_id
        self._children: dict[str, str] = {}
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
        for key, view in run_views(run).items():
            self._client.set_experiment_tag(self._experiment, f"mlflow.sharedViewState.{key}", json.dumps(view))
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
    def benchkit_run_finished(self, run: Run, records: Iterable[Record]) -> None:
        """Attach the run's files, and end the runs."""
        with explained(run):
            self._finish(run, list(records))

    def _finish(self, run: Run, rows: list[Record]) -> None:
        self._flush()
        statuses: dict[str, float] = defaultdict(float)
        for row in rows:
            statuses[row["status"]] += 1
        for status, count in statuses.items():
            self._client.log_metric(self._parent, f"trials_{status}", count)
        for name in FILES:
            if (run.folder / name).exists():
                self._client.log_artifact(self._parent, str(run.folder / name))
        if (run.folder / PLOTS).is_dir():
            self._client.log_artifacts(self._parent, str(run.folder / PLOTS), PLOTS)
        if 0 < len(rows) <= _MOST_TABLE_ROWS:
            self._client.log_table(self._parent, _columns(rows), "records.json")
        self._client.set_tag(self._parent, "mlflow.note.content", run_note(run))
        for child in self._children.values():
            self._client.set_terminated(child)
        complete = statuses["ok"] + statuses["skipped"] == len(run.planned)
        self._client.set_tag(self._parent, SENT, digest_of(rows))
        self._client.set_terminated(self._parent, "FINISHED" if complete else "FAILED")

    def _find_experiment(self, run: Run) -> str:
        found = self._client.get_experiment_by_name(run.suite)
        if found is not None:
            experiment = str(found.experiment_id)
        else:
            location = None
            if "MLFLOW_TRACKING_URI" not in os.environ:
                location = (run.out / "mlartifacts").resolve().as_uri()
            experiment = str(self._client.create_experiment(run.suite, artifact_location=location))
        if run.title:
            self._client.set_experiment_tag(experiment, "mlflow.note.content", run.title)
        return experiment

    def _take(self, record: Record) -> None:
        trial_id = record["trial"]
        self._records[trial_id] = record
        for unit in self._units[trial_id]:
            self._waiting[unit].discard(trial_id)
            if not self._waiting[unit]:
                self._write(unit)

    def _write(self, unit: str) -> None:
        """Log the point that a completed unit (a cell, or a group's point) adds to its curve."""
        rows = [self._records[trial] for trial in self._members[unit]]
        metrics = sorted({name for row in rows for name in row["metrics"]})
        found = points(rows, metrics)
        is_group = unit.startswith("group:")
        for point in found:
            if (point.group is not None and point.dataset == point.group and not point.dataset_params) == is_group:
                self._log(point, rows[0])

    def _log(self, point: Point, row: Record) -> None:
        from mlflow.entities import Metric

        if point.mean is None:
            return
        curve = _curve(point.dataset, point.dataset_params, point.algorithm, point.adversary)
        step = self._steps[curve][str(point.axis_value)]
        now = int(time.time() * 1000)
        values = {point.metric: point.mean, f"{point.metric}_stderr": point.stderr, "n": point.n}
        values["failed"] = point.failed
        if isinstance(point.axis_value, int | float):
            values[axis_metric(point.axis)] = point.axis_value
        if point.budget is not None:
            values["budget"] = point.budget
        logged = [Metric(name, float(value), now, step) for name, value in values.items() if value is not None]
        self._batches[self._child(curve, point, row)] += logged

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
            tags = {"mlflow.runName": curve, "mlflow.parentRunId": self._parent, "benchkit.run": self._run.id}
            child = self._client.create_run(self._experiment, tags=tags).info.run_id
            params = {"dataset": point.dataset, "algorithm": point.algorithm, "adversary": point.adversary}
            params["panel"] = panel(point.dataset, point.dataset_params, point.adversary)
            params |= {f"dataset.{key}": str(value) for key, value in point.dataset_params.items()}
            params["feature_values"] = str(row["feature_values"])[:500]
            self._client.log_batch(child, params=[Param(key, value) for key, value in params.items()])
            self._children[curve] = child
        return self._children[curve]


def digest_of(rows: Iterable[Record]) -> str:
    """What was sent, in short: trials, how they ended, and their metrics."""
    return digest([[row["trial"], row["status"], row["metrics"]] for row in rows])


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
