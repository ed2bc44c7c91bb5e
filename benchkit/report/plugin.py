"""The first-party report section and formats, declared through the hooks that other people's are."""

from benchkit.plugin.declarations import ReportFormat, ReportSection
from benchkit.plugin.spec import hookimpl

benchkit_api = 1


@hookimpl
def benchkit_report_sections() -> list[ReportSection]:
    """Declare the consistency check."""
    return [
        ReportSection(
            name="consistency-check",
            compute="benchkit.report.consistency:consistency_table",
            title="Consistency check failures",
            summary="Where a weaker attack did more damage than one that is declared to be at least as strong",
        )
    ]


@hookimpl
def benchkit_report_formats() -> list[ReportFormat]:
    """Declare text, Markdown, LaTeX, HTML, and the numbers for other programs."""
    documents = "benchkit.report.documents"
    return [
        ReportFormat(
            name="text",
            render=f"{documents}:markdown",
            join=f"{documents}:joined_markdown",
            suffix=".txt",
            summary="Tables for the terminal; in a file, those of markdown",
        ),
        ReportFormat(
            name="markdown",
            render=f"{documents}:markdown",
            join=f"{documents}:joined_markdown",
            suffix=".md",
            summary="Tables, claims, and trials that did not end ok",
        ),
        ReportFormat(
            name="latex",
            render=f"{documents}:latex",
            suffix=".tex",
            summary="Tables and claims for a paper; they need booktabs",
        ),
        ReportFormat(
            name="html",
            render=f"{documents}:html",
            join=f"{documents}:joined_html",
            separate=True,
            suffix=".html",
            summary="One page with tables that sort and curves that answer; of several suites a folder",
        ),
        ReportFormat(
            name="csv",
            render="benchkit.report.exports:csv_text",
            join="benchkit.report.exports:joined_csv",
            suffix=".csv",
            summary="A line for every mean, with spread, interval, and the comparison with the reference",
        ),
        ReportFormat(
            name="json",
            render="benchkit.report.exports:json_text",
            join="benchkit.report.exports:joined_json",
            suffix=".json",
            summary="Every mean with its values by repetition",
        ),
        ReportFormat(
            name="parquet",
            render="benchkit.report.exports:parquet_bytes",
            text=False,
            suffix=".parquet",
            summary="All records, a row for each trial",
        ),
        ReportFormat(
            name="rows",
            render="benchkit.report.exports:rows_csv",
            suffix=".csv",
            summary="A line for each test row of each trial: truth, prediction, loss, scores; as .parquet too",
        ),
        ReportFormat(
            name="rows-parquet",
            render="benchkit.report.exports:rows_parquet",
            text=False,
            suffix=".parquet",
            summary="The same as rows, as Parquet",
        ),
    ]
