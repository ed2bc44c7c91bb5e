"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import PreprocessingStep, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_preprocessing_steps() -> list[PreprocessingStep]:
    """Declare the steps."""
    return [
        PreprocessingStep(
            name="my-method",
            make="benchkit_my_method.my_method:MyMethod",
            summary="Long tails become short: a signed logarithm of each column",
        )
    ]
