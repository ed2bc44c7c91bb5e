"""What curves are called in MLflow, and the ready-made view of the newest run: one chart per panel and metric.

A panel is a dataset under an adversary, as one plot of a paper. MLflow keeps a shared view as an experiment's tag.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchkit import Run
from benchkit_mlflow.experiments import RUN

KEY = "benchkit"
VIEW = f"mlflow.sharedViewState.{KEY}"
"""Tag of an experiment that holds the view."""

_LONGEST_KEY = 250  # MLflow's limit
_NOT_IN_A_KEY = re.compile(r"[^\w.: -]+")
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
        return "/".join(" ".join(_NOT_IN_A_KEY.sub(" ", part).split()) for part in (metric, self.name + unit))[
            :_LONGEST_KEY
        ]


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
            for name in self._names(row):
                panel = self._panels.setdefault(name, Panel(name))
                panel.places.setdefault(str(row["axis_value"]), row["axis_value"])

    def __iter__(self) -> Iterator[Panel]:
        """In the order of the suite."""
        return iter(self._panels.values())

    def of(self, dataset: str, params: Mapping[str, Any], adversary: str) -> Panel:
        """The panel of a data set, or of a group, which has no parameters."""
        return self._panels[self._name(dataset, params, adversary)]

    def _names(self, row: Mapping[str, Any]) -> list[str]:
        own = self._name(row["dataset"], row["dataset_params"], row["adversary"])
        return [own, self._name(row["group"], {}, row["adversary"])] if row["group"] else [own]

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
