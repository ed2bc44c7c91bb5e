"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Tracker, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_trackers() -> list[Tracker]:
    """Declare the trackers."""
    return [
        Tracker(
            name="my-method",
            make="benchkit_my_method.my_method:MyMethod",
            send="benchkit_my_method.my_method:send",
            summary="A line for each run, in the output folder",
        )
    ]
