"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Metric, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """Declare the metrics."""
    return [
        Metric(
            name="my-method",
            compute="benchkit_my_method.my_method:my_method",
            summary="Mean over the classes of the share of wrong predictions",
            formula="mean over classes c of mean over rows i of class c of [prediction_i != c]",
        )
    ]
