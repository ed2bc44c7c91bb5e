"""The hooks of this plugin."""

from benchkit import Command, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_commands() -> list[Command]:
    """Declare the command, and the Python function of its name."""
    return [
        Command(
            name="judge",
            run="benchkit_judge.command:judge",
            function="benchkit_judge.judge:judge",
            group="Judge and audit",
            summary="Judge a table of scores: which methods can be told apart, their possible ranks, what would decide "
            "the rest.",
        )
    ]
