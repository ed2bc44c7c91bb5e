"""The faults plugin: what it declares."""

from benchkit import Adversary, hookimpl
from benchkit_faults.declared import at_test, at_training

benchkit_api = 1


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Faults of the data that a model is asked about, and of the data that it learns from."""
    return [*at_test.ADVERSARIES, *at_training.ADVERSARIES]
