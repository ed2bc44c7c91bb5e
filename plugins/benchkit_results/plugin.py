"""The hooks of this plugin."""

from benchkit import Command, ReportFormat, RowSource, hookimpl

benchkit_api = 1


@hookimpl
def benchkit_row_sources() -> list[RowSource]:
    """Declare the rows of published results."""
    return [
        RowSource(
            name="published",
            open="benchkit_results.join:open_published",
            takes_unnamed=True,
            summary="Published results: a folder, or those of this checkout",
        )
    ]


@hookimpl
def benchkit_report_formats() -> list[ReportFormat]:
    """Declare the works to cite."""
    return [
        ReportFormat(
            name="bibtex",
            suffix=".bib",
            render="benchkit_results.citations:bibtex",
            join="benchkit_results.citations:joined_bibtex",
            summary="Papers of methods, adversaries and data sets, to be cited",
        )
    ]


@hookimpl
def benchkit_commands() -> list[Command]:
    """Declare the commands on published results."""
    return [
        Command(
            name="publish",
            run="benchkit_results.commands:publish",
            group="Run a suite",
            function="benchkit_results.publish:publish",
            summary="Write runs, without what is private, as folders that others can join with theirs.",
        ),
        Command(
            name="verify",
            run="benchkit_results.commands:verify",
            group="Run a suite",
            summary="Run a share of the rows again and compare, and recompute what models claim, such as objectives "
            "and gaps.",
        ),
        Command(
            name="site",
            run="benchkit_results.commands:site",
            group="Run a suite",
            summary="Build a static site of published results: who is most robust, where; nothing on it is fetched "
            "from elsewhere.",
        ),
    ]
