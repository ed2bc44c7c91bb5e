"""What can be wrong with an environment."""

from benchkit.errors import RequestError


class EnvironmentMissingError(RequestError):
    """An environment was not built here; the message says what to type. Trials become ``skipped``."""


class EnvironmentBuildError(RequestError):
    """An environment cannot be built; the message is one line for the user."""
