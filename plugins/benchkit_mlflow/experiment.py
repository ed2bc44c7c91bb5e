"""A suite's experiment in MLflow: found, made, or brought back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from benchkit import Run, markdown_text
from benchkit_mlflow.address import is_remote
from benchkit_mlflow.views import ALL, run_views, view_link

_KIND = "mlflow.experimentKind"
_TRAINING = "custom_model_development"
"""Kind that opens on runs and curves; an experiment without one opens on MLflow's pages for language models."""

NOTE = "mlflow.note.content"
VIEW = "mlflow.sharedViewState."
RUN = "benchkit.run"
"""Tag of parents and curves: the id of the run."""
_MOST_LINKS = 40
_MOST_KILLED = 5000  # as many as MLflow returns at once; the next run ends the others


def open_experiment(client: Any, run: Run, warn: Callable[[str], None]) -> str:
    """The id of a suite's experiment.

    One that was deleted in the dashboard is restored, for MLflow keeps its name taken and refuses its runs.

    Parameters
    ----------
    client : mlflow.MlflowClient
    run : Run
    warn : callable
        Is told in one line that an experiment was restored.
    """
    known = client.get_experiment_by_name(run.suite)
    if known is None:
        location = None if is_remote() else (run.out / "mlartifacts").resolve().as_uri()
        experiment = str(client.create_experiment(run.suite, artifact_location=location))
    else:
        experiment = str(known.experiment_id)
        if known.lifecycle_stage == "deleted":
            client.restore_experiment(experiment)
            warn(f"experiment {run.suite!r} had been deleted in the dashboard; it is restored, with its earlier runs")
    client.set_experiment_tag(experiment, _KIND, _TRAINING)
    return experiment


def end_running(client: Any, experiments: Mapping[str, str], ended: Callable[[str, str], bool]) -> None:
    """Say of runs that they were killed, where MLflow holds that they are running.

    Parameters
    ----------
    client : mlflow.MlflowClient
    experiments : mapping of str to str
        Ids of experiments, and their names, which are those of suites.
    ended : callable
        Takes the names of a suite and of a run, and says whether the run does not go on.
    """
    for experiment, suite in experiments.items():
        for other in client.search_runs([experiment], "attributes.status = 'RUNNING'", max_results=_MOST_KILLED):
            name = other.data.tags.get(RUN)
            if name is not None and ended(suite, name):
                client.set_terminated(other.info.run_id, "KILLED")


def show_newest(client: Any, experiment: str, run: Run) -> None:
    """Let the experiment's views and its note lead to the curves of a run."""
    views = run_views(run)
    for key, state in views.items():
        client.set_experiment_tag(experiment, f"{VIEW}{key}", json.dumps(state))
    links = [
        f"- [{state['compareRunSections'][0]['name']}]({view_link(experiment, key)})"
        for key, state in views.items()
        if key != ALL
    ]
    if len(links) > _MOST_LINKS:
        links[_MOST_LINKS:] = [f"- and {len(links) - _MOST_LINKS} more"]
    client.set_experiment_tag(experiment, NOTE, "\n".join([markdown_text(run.title or run.suite), "", *links]))
