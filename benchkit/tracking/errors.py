"""What can be wrong with MLflow."""


class TrackingError(Exception):
    """MLflow cannot be written to, or its pages not served; the message is one line for the user."""
