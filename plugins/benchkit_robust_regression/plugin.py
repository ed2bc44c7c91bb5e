"""Declarations of the robust-regression plugin."""

from benchkit import Algorithm, hookimpl


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Declare the algorithms."""
    return []
