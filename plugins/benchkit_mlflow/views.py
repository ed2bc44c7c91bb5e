"""Ready-made views of the MLflow dashboard: the curves of the newest run, one view per panel.

A panel is a dataset under an adversary, as one plot of a paper. MLflow keeps a shared view as an experiment's tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchkit import Run, dataset_name

ALL = "benchkit"


def axis_metric(axis: str) -> str:
    """Name of the metric that holds a point's place on the axis."""
    return f"axis {axis}".replace(".", " ")


def panel(dataset: str, params: Mapping[str, Any], adversary: str) -> str:
    """Name of the panel that a curve belongs to."""
    return f"{dataset_name(dataset, params)} | {adversary}"


def view_link(experiment: str, key: str = ALL) -> str:
    """Where a view is, from the dashboard's address on."""
    query = f"workflowType=machine_learning&viewStateShareKey={key}&compareRunsMode=CHART"
    return f"#/experiments/{experiment}/runs?{query}"


def run_views(run: Run) -> dict[str, dict[str, Any]]:
    """View states by key: ``benchkit-1``, ``benchkit-2`` ... for the panels in order, and `ALL`, which is the first."""
    fields = list(run.planned.values())
    if not fields:
        return {}
    axis = axis_metric(fields[0]["axis"])
    metric = run.metrics[0]
    here = f'tags."benchkit.run" = "{run.id}"'
    names = dict.fromkeys(panel(row["dataset"], row["dataset_params"], row["adversary"]) for row in fields)
    names |= dict.fromkeys(panel(row["group"], {}, row["adversary"]) for row in fields if row["group"])
    # One panel at a time: curves of several have as many legend entries of one name as there are panels.
    states = [_state(f'{here} and params.panel = "{name}"', metric, axis, name) for name in names]
    return {ALL: states[0]} | {f"{ALL}-{number}": state for number, state in enumerate(states, start=1)}


def _state(search: str, metric: str, axis: str, title: str) -> dict[str, Any]:
    """State of the runs page: a line chart of the metric along the axis for the runs that a search finds."""
    chart = {
        "type": "LINE",
        "uuid": "benchkit-curve",
        "runsCountToCompare": 100,
        "metricSectionId": "benchkit",
        "isGenerated": False,
        "metricKey": metric,
        "selectedMetricKeys": [metric],
        "xAxisKey": "metric",
        "selectedXAxisMetricKey": axis,
        "xAxisScaleType": "linear",
        "scaleType": "linear",
        "lineSmoothness": 0,
        "range": {},
        "deleted": False,
    }
    keys = [{"mode": "param", "groupByData": "algorithm"}]
    section = {"uuid": "benchkit", "name": f"Robustness curves: {title}", "display": True, "isReordered": False}
    section |= {"columns": 1, "cardHeight": 420}
    return {
        "searchFilter": search,
        "orderByKey": "attributes.start_time",
        "orderByAsc": True,
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "datasetsFilter": [],
        "modelVersionFilter": "All Runs",
        "selectedColumns": ["params.`dataset`", "params.`algorithm`", "params.`adversary`", f"metrics.`{metric}`"],
        "runsHiddenMode": "SHOWALL",
        "runsExpanded": {},
        "runsPinned": [],
        "runsHidden": [],
        "viewMaximized": False,
        "runListHidden": False,
        # Otherwise MLflow sorts the sections by name, and those that it makes itself come first.
        "isAccordionReordered": True,
        "useGroupedValuesInCharts": True,
        # Children of a folded parent run are not drawn; runs that are grouped are, one line per group.
        "groupBy": {"aggregateFunction": "average", "groupByKeys": keys},
        "groupsExpanded": {},
        "compareRunCharts": [chart],
        "compareRunSections": [section],
    }
