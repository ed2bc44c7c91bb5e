"""What can be wrong with an environment."""


class EnvironmentMissingError(Exception):
    """An environment was not built here; the message says what to type. Trials become ``skipped``."""


class EnvironmentBuildError(Exception):
    """An environment cannot be built; the message is one line for the user."""
