"""A suite's experiment in MLflow: found, made, or brought back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchkit import Run, markdown_text
from benchkit_mlflow.address import is_remote
from benchkit_mlflow.views import run_views, view_link

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


def end_killed(client: Any, experiment: str, run: Run) -> None:
    """Say of earlier runs of the same journal that they were killed, where MLflow holds that they are running.

    Parameters
    ----------
    client : mlflow.MlflowClient
    experiment : str
        Id.
    run : Run
        Its process holds the journal's lock: no other run that writes there is alive.
    """
    for other in client.search_runs([experiment], "attributes.status = 'RUNNING'", max_results=_MOST_KILLED):
        name = other.data.tags.get(RUN, run.id)
        if name != run.id and (run.folder.parent / name).is_dir():  # else another journal's, perhaps elsewhere
            client.set_terminated(other.info.run_id, "KILLED")


def show_newest(client: Any, experiment: str, run: Run) -> None:
    """Let the experiment's views and its note lead to the curves of a run."""
    views = run_views(run)
    for key, state in views.items():
        client.set_experiment_tag(experiment, f"{VIEW}{key}", json.dumps(state))
    links = [
        f"- [{state['compareRunSections'][0]['name']}]({view_link(experiment, key)})" for key, state in views.items()
    ]
    if len(links) > _MOST_LINKS:
        links[_MOST_LINKS:] = [f"- and {len(links) - _MOST_LINKS} more"]
    client.set_experiment_tag(experiment, NOTE, "\n".join([markdown_text(run.title or run.suite), "", *links]))
