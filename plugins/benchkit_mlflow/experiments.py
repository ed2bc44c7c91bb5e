"""Experiments of MLflow, runs in them that were killed, and the ready-made view of the newest run."""

import json
import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchkit import Run, TrackingError
from benchkit_mlflow.connection import connect, is_remote, sqlite_file, tracking_uri, what_failed

RUN = "benchkit.run"
"""Tag of all runs: the id of the run that they belong to."""
MOST_RUNS = 5000
"""As many as MLflow returns at once."""

# Experiments of this kind open on runs and curves, others on MLflow's pages for language models.
_KIND = ("mlflow.experimentKind", "custom_model_development")
_SECONDS_IF_LOCKED = 5.0
# MLflow's tables; importing MLflow to ask takes a second, which most commands would spend for nothing.
_RUNNING = """
    SELECT DISTINCT experiments.name, tags.value FROM runs
    JOIN tags ON tags.run_uuid = runs.run_uuid AND tags.key = ?
    JOIN experiments ON experiments.experiment_id = runs.experiment_id
    WHERE runs.status = 'RUNNING' AND runs.lifecycle_stage = 'active'
"""


def open_experiment(client: Any, name: str, out: Path, warn: Callable[[str], None]) -> str:
    """The id of an experiment; one that was deleted in the dashboard is restored, since MLflow keeps its name taken."""
    known = client.get_experiment_by_name(name)
    if known is None:
        location = None if is_remote() else (out / "mlartifacts").resolve().as_uri()
        experiment = str(client.create_experiment(name, artifact_location=location))
    else:
        experiment = str(known.experiment_id)
        if known.lifecycle_stage == "deleted":
            client.restore_experiment(experiment)
            warn(f"experiment {name!r} had been deleted in the dashboard; it is restored, with its earlier runs")
    client.set_experiment_tag(experiment, *_KIND)
    return experiment


def end_running(client: Any, experiments: Mapping[str, str], ended: Callable[[str, str], bool]) -> None:
    """Say of runs that they were killed, where MLflow holds that they are running.

    Experiments are names of suites by id; ``ended`` takes the names of a suite and of a run, and says whether the run
    does not go on.
    """
    for experiment, suite in experiments.items():
        for other in client.search_runs([experiment], "attributes.status = 'RUNNING'", max_results=MOST_RUNS):
            name = other.data.tags.get(RUN)
            if name is not None and ended(suite, name):
                client.set_terminated(other.info.run_id, "KILLED")


def end_killed(out: Path, was_killed: Callable[[str, str], bool], connects: bool, warn: Callable[[str], None]) -> None:
    """End, as killed, the runs of an output folder that nobody carries on: ``end_killed`` of `benchkit.Tracker`.

    A database in a file is looked at always, which takes a millisecond.
    """
    uri = tracking_uri(out)
    file = sqlite_file(uri)
    if not connects if file is None else not any(was_killed(suite, run) for suite, run in _running_in(file)):
        return
    try:
        client = connect(out)
        suites = {str(found.experiment_id): found.name for found in client.search_experiments()}
        end_running(client, {key: name for key, name in suites.items() if (out / name).is_dir()}, was_killed)
    except Exception as error:  # whatever MLflow or a database driver raises
        raise TrackingError(what_failed(error, uri)) from None


def _running_in(file: Path) -> list[tuple[str, str]]:
    """Suites and runs that a database holds to be running; none where it is not whole, which others say."""
    if not file.is_file():
        return []
    try:
        connection = sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=_SECONDS_IF_LOCKED)
        with closing(connection):
            return [(str(suite), str(run)) for suite, run in connection.execute(_RUNNING, (RUN,))]
    except sqlite3.Error:
        return []


KEY = "benchkit"
VIEW = f"mlflow.sharedViewState.{KEY}"
"""Tag of an experiment that holds the view."""

_LONGEST_KEY = 250  # MLflow's limit
_NOT_IN_A_KEY = re.compile(r"[^\w. -]+")  # older servers refuse colons
_MOST_CHARTS = 100
_SCALES = (1, 10, 100, 1000, 10_000)


@dataclass
class Panel:
    """A data set under an adversary: its name, and its axis: places by their text, whose steps MLflow draws."""

    name: str
    places: dict[str, Any] = field(default_factory=dict)

    @property
    def scale(self) -> int | None:
        """What makes whole numbers of the places, which MLflow's steps are; None where nothing does."""
        values = list(self.places.values())
        if not all(isinstance(value, int | float) and math.isfinite(value) for value in values):
            return None
        return next((scale for scale in _SCALES if all(_is_whole(scale * value) for value in values)), None)

    def step(self, place: Any) -> int:
        """The place itself where all of the axis are whole numbers, else a multiple of it, or its number in order."""
        return list(self.places).index(str(place)) if self.scale is None else round(self.scale * place)

    def key(self, metric: str) -> str:
        """The name of a metric's curve in MLflow: a slash makes a section of the charts."""
        unit = "" if self.scale in (1, None) else f" in steps of {1 / self.scale:g}"
        parts = (" ".join(_NOT_IN_A_KEY.sub(" ", part).split()) for part in (metric, self.name + unit))
        return "/".join(parts)[:_LONGEST_KEY]


class Panels:
    """The panels of a run, from the fields of its future records.

    Data sets are called by their labels, and by those parameters in which two of one label differ.
    """

    def __init__(self, planned: Iterable[Mapping[str, Any]]) -> None:
        rows = list(planned)
        self._params: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            alike = self._params.setdefault(row["dataset"], [])
            if row["dataset_params"] not in alike:
                alike.append(row["dataset_params"])
        self._panels: dict[str, Panel] = {}
        for row in rows:
            for label, params in ((row["dataset"], row["dataset_params"]), (row["group"], {})):
                if label:
                    name = self._name(label, params, row["adversary"])
                    places = self._panels.setdefault(name, Panel(name)).places
                    places.setdefault(str(row["axis_value"]), row["axis_value"])

    def __iter__(self) -> Iterator[Panel]:
        """In the order of the suite."""
        return iter(self._panels.values())

    def of(self, dataset: str, params: Mapping[str, Any], adversary: str) -> Panel:
        """The panel of a data set, or of a group, which has no parameters."""
        return self._panels[self._name(dataset, params, adversary)]

    def _name(self, dataset: str, params: Mapping[str, Any], adversary: str) -> str:
        alike = self._params.get(dataset, [])
        differing = [name for name in params if any(other.get(name) != params[name] for other in alike)]
        words = [dataset, *(f"{name} {params[name]}" for name in differing)]
        return " ".join(words) + ("" if adversary == "none" else f" under {adversary}")


def _is_whole(value: float) -> bool:
    return math.isclose(value, round(value), abs_tol=1e-9)


def view_link(experiment: str) -> str:
    """Where the view is, from the dashboard's address on."""
    query = f"workflowType=machine_learning&viewStateShareKey={KEY}&compareRunsMode=CHART"
    return f"#/experiments/{experiment}/runs?{query}"


def view(run: Run, panels: Panels) -> str:
    """State of the runs page: the methods of a run, and a line chart for each panel and metric along the axis."""
    keys = [(metric, panel.key(metric)) for metric in run.metrics for panel in panels][:_MOST_CHARTS]
    charts = [
        {
            "type": "LINE",
            "uuid": f"{KEY}-{number}",
            "runsCountToCompare": 100,
            "metricSectionId": metric,
            "isGenerated": False,
            "metricKey": key,
            "selectedMetricKeys": [key],
            "xAxisKey": "step",
            "selectedXAxisMetricKey": "",
            "xAxisScaleType": "linear",
            "scaleType": "linear",
            "lineSmoothness": 0,
            "range": {},
            "deleted": False,
        }
        for number, (metric, key) in enumerate(keys)
    ]
    sections = [
        {"uuid": metric, "name": metric, "display": True, "isReordered": False, "columns": 2, "cardHeight": 360}
        for metric in run.metrics
    ]
    state = {
        "searchFilter": f'tags."{RUN}" = "{run.id}" and params.algorithm != \'\'',
        "orderByKey": "attributes.start_time",
        "orderByAsc": True,
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "datasetsFilter": [],
        "modelVersionFilter": "All Runs",
        "selectedColumns": [f"metrics.`{key}`" for _, key in keys[:5]],
        "runsHiddenMode": "SHOWALL",
        "runsExpanded": {},
        "runsPinned": [],
        "runsHidden": [],
        "viewMaximized": False,
        "runListHidden": False,
        # Otherwise MLflow sorts the sections by name, and those that it makes itself come first.
        "isAccordionReordered": True,
        "groupBy": None,
        "compareRunCharts": charts,
        "compareRunSections": sections,
    }
    return json.dumps(state)
