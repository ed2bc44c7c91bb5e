"""What can be wrong with MLflow."""

from benchkit.errors import BenchkitError


class TrackingError(BenchkitError):
    """MLflow cannot be written to, or its pages not served; the message is one line for the user."""
