"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Tuner, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_tuners() -> list[Tuner]:
    """Declare the tuners."""
    return [
        Tuner(
            name="my-method",
            make="benchkit_my_method.my_method:MyMethod",
            summary="All candidates on some rows, the better half on all",
        )
    ]
