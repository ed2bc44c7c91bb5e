"""The hooks of this plugin."""

from benchkit import Command, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_commands() -> list[Command]:
    """Declare the command, and the Python function of its name."""
    return [
        Command(
            name="audit",
            run="benchkit_audit.command:audit",
            function="benchkit_audit.audit:audit",
            group="Judge and audit",
            summary="Tell how robust a fitted model is, and which column hurts; exit code 1 if --fail-if holds or is "
            "not measured.",
        )
    ]
