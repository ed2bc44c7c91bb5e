"""What this plugin declares. It imports nothing heavy: the code is named, and imported when it is used."""

from benchkit import Command, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_commands() -> list[Command]:
    """Declare the commands."""
    return [
        Command(
            name="my-method",
            run="benchkit_my_method.my_method:my_method",
            summary="How many trials of each method ended ok, and what they took.",
        )
    ]
