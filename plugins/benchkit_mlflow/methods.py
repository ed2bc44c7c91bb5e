"""Methods as logged models of MLflow without files: its Models tab is then a table of methods x data sets."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from benchkit import Analysis, Run, dataset_name
from benchkit_mlflow.figures import mean_key, means_over_axis

KIND = "benchkit method"
_NOT_IN_A_NAME = re.compile(r"[/:.%\"']")
# What servers before version 3 answer, which have no such models.
_UNKNOWN_THERE = ("ENDPOINT_NOT_FOUND", "FEATURE_DISABLED", "NOT_IMPLEMENTED")


def log_methods(
    client: Any,
    experiment: str,
    run: Run,
    parent: str,
    analysis: Analysis,
    curves: Mapping[tuple[str, str, str], str],
    data: Mapping[str, Any],
) -> None:
    """One model for each method of a run, with its mean over the axis on each data set under each adversary.

    Parameters
    ----------
    client : mlflow.MlflowClient
    experiment, parent : str
        Ids of the experiment, and of the run's own run.
    run : Run
    analysis : Analysis
    curves : mapping of (data set, algorithm, adversary) to str
        Ids of the runs of curves, to which the means belong as well.
    data : mapping of str to mlflow.entities.Dataset
        By name; the mean of a group belongs to no data set.
    """
    from mlflow.exceptions import MlflowException

    means: dict[str, list[tuple[str, Any]]] = {}
    now = int(time.time() * 1000)
    for grid in analysis.all_grids:
        for algorithm, mean in means_over_axis(analysis, grid).items():
            name = curves.get((_name(grid), algorithm, grid.adversary))
            if name is not None:
                metric = (mean_key(grid), mean, now, data.get(_name(grid)))
                means.setdefault(algorithm, []).append((name, metric))
    try:
        for algorithm, logged in means.items():
            _log_method(client, experiment, run, parent, algorithm, logged)
    except MlflowException as error:
        if error.error_code not in _UNKNOWN_THERE:
            raise


def delete_methods(client: Any, experiment: str, parents: set[str]) -> None:
    """Delete the models of runs that are sent again."""
    from mlflow.exceptions import MlflowException

    try:
        for model in client.search_logged_models([experiment], max_results=1000):
            if model.source_run_id in parents:
                client.delete_logged_model(model.model_id)
    except MlflowException as error:
        if error.error_code not in _UNKNOWN_THERE:
            raise


def _log_method(
    client: Any, experiment: str, run: Run, parent: str, algorithm: str, logged: list[tuple[str, Any]]
) -> None:
    from mlflow.entities import LoggedModelOutput, Metric

    model = client.create_logged_model(
        experiment,
        name=_NOT_IN_A_NAME.sub(" ", algorithm)[:250] or "_",
        source_run_id=parent,
        tags={"benchkit.run": run.id},
        params={"algorithm": algorithm[:250]},
        model_type=KIND,
    )
    by_curve: dict[str, list[Any]] = {}
    for curve, (key, mean, now, data) in logged:
        place = {} if data is None else {"dataset_name": data.name, "dataset_digest": data.digest}
        by_curve.setdefault(curve, []).append(Metric(key, float(mean), now, 0, model_id=model.model_id, **place))
    for curve, metrics in by_curve.items():
        client.log_batch(curve, metrics=metrics)
        client.log_outputs(curve, [LoggedModelOutput(model.model_id, 0)])
    client.finalize_logged_model(model.model_id, "READY")


def _name(grid: Any) -> str:
    """As a curve is called: by all parameters of its data set."""
    return dataset_name(grid.dataset, grid.dataset_params)
