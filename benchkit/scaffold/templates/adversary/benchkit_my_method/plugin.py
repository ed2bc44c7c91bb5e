"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Adversary, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Declare the adversaries."""
    return [
        Adversary(
            name="my-method",
            make="benchkit_my_method.my_method:MyMethod",
            situation="If the largest features go",
            summary="Deletes the largest features of each row, whatever the model",
            budget_unit="features",
        )
    ]
