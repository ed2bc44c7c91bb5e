"""Declarations of the incomplete-data plugin."""

from benchkit import Algorithm, hookimpl


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Declare the algorithms."""
    return []
