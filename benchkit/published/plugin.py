"""Published results, declared through the hooks that other people's plugins have."""

from benchkit.plugin.declarations import Command, RowSource
from benchkit.plugin.spec import hookimpl

benchkit_api = 1


@hookimpl
def benchkit_row_sources() -> list[RowSource]:
    """Declare the rows of published results."""
    return [
        RowSource(
            name="published",
            open="benchkit.published.beside:open_published",
            summary="Published results: a folder, an address, or those of this checkout",
        )
    ]


@hookimpl
def benchkit_commands() -> list[Command]:
    """Declare the commands on published results."""
    return [
        Command(
            name="publish",
            run="benchkit.published.commands.publish:publish",
            summary="Write rows of runs as files that others can join with theirs; what is published already is kept.",
        ),
        Command(
            name="recheck",
            run="benchkit.published.commands.recheck:recheck",
            summary="Run a random part of published results again, and write what came of it into their index.",
        ),
        Command(
            name="check-submission",
            run="benchkit.published.commands.check_submission:check_submission",
            summary="Check published results that somebody submits: format, digests, sizes, ranges, nothing private.",
        ),
        Command(
            name="site",
            run="benchkit.published.commands.site:site",
            summary="Build a static site of published results: who is most robust, where; nothing on it is fetched "
            "from elsewhere.",
        ),
    ]
