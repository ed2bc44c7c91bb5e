"""Declarations of the incomplete-data plugin."""

from benchkit import Algorithm, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Declare the algorithms."""
    return []
