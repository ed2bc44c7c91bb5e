"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import SplitMethod, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_splits() -> list[SplitMethod]:
    """Declare the splits."""
    return [
        SplitMethod(
            name="my-method",
            make="benchkit_my_method.my_method:my_method",
            summary="Rows that follow each other stay together, in blocks",
        )
    ]
