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
            open="benchkit.published.join:open_published",
            summary="Published results: a folder, or those of this checkout",
        )
    ]


@hookimpl
def benchkit_commands() -> list[Command]:
    """Declare the commands on published results."""
    return [
        Command(
            name="publish",
            run="benchkit.published.commands:publish",
            summary="Write runs, without what is private, as folders that others can join with theirs.",
        ),
        Command(
            name="verify",
            run="benchkit.published.commands:verify",
            summary="Run a share of the rows again and compare, and recompute what models claim, such as objectives "
            "and gaps.",
        ),
        Command(
            name="site",
            run="benchkit.published.commands:site",
            summary="Build a static site of published results: who is most robust, where; nothing on it is fetched "
            "from elsewhere.",
        ),
    ]
