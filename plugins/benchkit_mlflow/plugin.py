"""What this plugin declares."""

from benchkit import Tracker, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_trackers() -> list[Tracker]:
    """Declare the tracker."""
    return [
        Tracker(
            name="mlflow",
            make="benchkit_mlflow.tracking:MlflowTracking",
            send="benchkit_mlflow.tracking:send",
            serve="benchkit_mlflow.serve:serve",
            end_killed="benchkit_mlflow.experiments:end_killed",
            summary="MLflow: a database in the output folder, or the server that MLFLOW_TRACKING_URI names",
        )
    ]
