"""Writing a run to MLflow, while it runs or after it ended.

One experiment per suite. In it, for each run: a run of MLflow for each method, by its label, whose metrics are its
curves along the axis (one per panel and metric, the place on the axis is the step); and one with the run's files. A
point is written once, when all its repetitions have ended.
"""

import hashlib
import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchkit import Analysis, Run, hookimpl, markdown_text, one_line
from benchkit_mlflow.connection import connect, explained, hide_secrets, is_refusal, masked, tracking_uri
from benchkit_mlflow.experiments import MOST_RUNS, RUN, VIEW, Panels, end_running, open_experiment, view

Record = Mapping[str, Any]

SENT = "benchkit.sent"
"""Tag of the run with the files: the digest of the records that what is in MLflow was made of, once it is complete."""

_NOTE = "mlflow.note.content"
_LONGEST_NOTE = 5000  # of a tag
_SUMMARY, _PLOTS = "summary.md", "plots"  # of a run's folder
_FILES = ("report.html", _SUMMARY, "tables.md", "points.csv", "records.parquet", "manifest.json", "suite.yaml")
_LARGEST_FILE = 512 * 2**20
_SECONDS_TO_GATHER = 2.0
_MOST_METRICS = 1000  # of one log_batch
_LONGEST_NAME, _LONGEST_PARAMETER = 250, 500  # that every version, and database, takes


class MlflowTracking:
    """Writes a run to MLflow, in the parent process; ``warn`` takes a line that says what was repaired."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._experiment = ""
        self._refused: set[str] = set()

    @hookimpl
    def benchkit_run_started(self, run: Run) -> None:
        """Make the database, the experiment and the run's own run before any worker starts."""
        with explained(run):
            self._client = connect(run.out)
            self._experiment = open_experiment(self._client, run.suite, run.out, self._warn)
            self._run, self._panels = run, Panels(run.planned.values())
            self._own = self._create(run.id, {"benchkit.profile": run.profile, "benchkit.command": run.command})
            self._methods: dict[str, str] = {}
            self._gathered: dict[str, list[Any]] = defaultdict(list)
            self._written = time.monotonic()
            self._records: dict[str, Record] = {}
            self._members: dict[str, list[str]] = defaultdict(list)
            for trial, fields in run.planned.items():
                for unit in _units(fields):
                    self._members[unit].append(trial)
            self._left = {unit: len(trials) for unit, trials in self._members.items()}
            for tag, value in ((VIEW, view(run, self._panels)), (_NOTE, markdown_text(run.title or run.suite))):
                self._send(f"the tag {tag}", self._client.set_experiment_tag, self._experiment, tag, value)
            for record in run.reused:
                self._take(record)

    def _create(self, name: str, tags: Mapping[str, str]) -> str:
        cut = {key: text[:_LONGEST_NOTE] for key, text in tags.items()}
        given = {"mlflow.runName": name[:_LONGEST_NAME], RUN: self._run.id, **cut}
        return str(self._client.create_run(self._experiment, tags=given).info.run_id)

    def _send(self, what: str, write: Callable[..., Any], *arguments: Any) -> None:
        """Write what a server may refuse: that is a warning, once, and the rest is written all the same."""
        try:
            write(*arguments)
        except Exception as error:
            if not is_refusal(error):
                raise
            if what not in self._refused:
                cause = hide_secrets(one_line(error), tracking_uri(self._run.out))
                self._warn(f"MLflow did not take {what}, and has the rest: {cause[:300]}")
            self._refused.add(what)

    @hookimpl
    def benchkit_trial_finished(self, run: Run, record: Record) -> None:
        """Write the points that this record completes, a few seconds' worth at once."""
        with explained(run):
            self._take(record)
            if time.monotonic() - self._written > _SECONDS_TO_GATHER:
                self._write()

    @hookimpl
    def benchkit_run_finished(self, run: Run, records: Iterable[Record], analysis: Analysis) -> None:
        """Attach the run's files, and end the runs."""
        with explained(run):
            rows = list(records)
            missing = (analysis.results.planned or len(run.planned)) - len(rows)
            self._write()
            counts = Counter(row["status"] for row in rows) + Counter(missing=missing)
            for status, count in counts.items():
                self._send("counts of trials", self._client.log_metric, self._own, f"trials_{status}", count)
            self._send_files(run.folder)
            for label, run_id in self._methods.items():
                statuses = {row["status"] for row in rows if row["algorithm"] == label}
                self._client.set_terminated(run_id, _run_status(statuses, counts))
            self._client.set_terminated(self._own, _run_status(counts.keys(), counts))
            self._end_the_rest(run)  # Ctrl-C came between a method's making and its noting
            self._client.set_tag(self._own, SENT, _digest(rows))  # the last: what is stopped before is sent again

    @hookimpl
    def benchkit_run_stopped(self, run: Run) -> None:
        """Say of what runs in MLflow that it was killed; how far it had come, only MLflow knows."""
        if self._experiment:
            with explained(run):
                self._end_the_rest(run)

    def _take(self, record: Record) -> None:
        """Gather the points (of cells, and of groups) whose last record this is."""
        from mlflow.entities import Metric

        self._records[record["trial"]] = record
        for unit in _units(self._run.planned[record["trial"]]):
            self._left[unit] -= 1
            if self._left[unit]:
                continue
            rows = [self._records[trial] for trial in self._members[unit]]
            now = int(time.time() * 1000)
            for point in self._run.results(rows).points():
                if point.mean is None or point.of_group != unit.startswith("group:"):
                    continue
                panel = self._panels.of(point.dataset, point.dataset_params, point.adversary)
                metric = Metric(panel.key(point.metric), float(point.mean), now, panel.step(point.axis_value))
                self._gathered[self._method(point.algorithm)].append(metric)

    def _method(self, label: str) -> str:
        """The run of a method."""
        if label not in self._methods:
            self._methods[label] = self._create(label, {})
            shown = label[:_LONGEST_PARAMETER]
            self._send("a method's name", self._client.log_param, self._methods[label], "algorithm", shown)
        return self._methods[label]

    def _write(self) -> None:
        """Write what was gathered: a call costs as much for one value as for hundreds."""
        for run_id, metrics in self._gathered.items():
            for start in range(0, len(metrics), _MOST_METRICS):
                self._send("some curves", self._client.log_batch, run_id, metrics[start : start + _MOST_METRICS])
        self._gathered.clear()
        self._written = time.monotonic()

    def _send_files(self, folder: Path) -> None:
        for path in _plain_files(folder / name for name in _FILES):
            self._send("the run's files", self._client.log_artifact, self._own, str(path))
        if (plots := folder / _PLOTS).is_dir() and not plots.is_symlink():
            for path in _plain_files(sorted(plots.iterdir())):
                self._send("the run's files", self._client.log_artifact, self._own, str(path), _PLOTS)
        for path in _plain_files([folder / _SUMMARY]):
            self._send("the summary", self._client.set_tag, self._own, _NOTE, _note(path.read_text(encoding="utf-8")))

    def _end_the_rest(self, run: Run) -> None:
        end_running(self._client, {self._experiment: run.suite}, lambda _, name: name == run.id)


def send(
    run: Run, records: Sequence[Record], analyse: Callable[[], Analysis], warn: Callable[[str], None]
) -> tuple[str, str]:
    """Send a run that ended, in place of what MLflow has of it in part: ``send`` of `benchkit.Tracker`."""
    place = masked(tracking_uri(run.out))
    with explained(run):
        client = connect(run.out)
        experiment = open_experiment(client, run.suite, run.out, warn)
        there = client.search_runs([experiment], f"tags.`{RUN}` = '{run.id}'", max_results=MOST_RUNS)
        if any(sent.data.tags.get(SENT) == _digest(records) for sent in there):
            return "already there", place
        for earlier in there:
            client.delete_run(earlier.info.run_id)
    analysis = analyse()
    tracking = MlflowTracking(warn)
    tracking.benchkit_run_started(run)
    tracking.benchkit_run_finished(run, records, analysis)
    return ("sent again" if there else "sent"), place


def _units(fields: Record) -> list[str]:
    """What a trial's record is averaged into: its cell, and its group's point."""
    if not fields["group"]:
        return [fields["cell"]]
    names = ("group", "algorithm", "adversary", "adversary_params", "axis_value")
    point = json.dumps([fields[name] for name in names], sort_keys=True, default=str)
    return [fields["cell"], f"group:{point}"]


def _run_status(statuses: Iterable[str], counts: Mapping[str, int]) -> str:
    """MLflow's word for how a run ended: FINISHED only where every trial ended well, KILLED where some are missing."""
    if counts.get("missing"):
        return "KILLED"
    return "FINISHED" if {*statuses} <= {"ok", "skipped", "missing"} else "FAILED"


def _digest(rows: Iterable[Record]) -> str:
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
