"""The first-party report section and formats, declared through the hooks that other people's are."""

from typing import Any

from benchkit.plugin.declarations import ReportFormat, ReportSection
from benchkit.plugin.spec import hookimpl

benchkit_api = 1


@hookimpl
def benchkit_report_sections() -> list[ReportSection]:
    """Declare the consistency check."""
    return [
        ReportSection(
            name="consistency-check",
            compute="benchkit.report.tables:consistency_table",
            title="Consistency check failures",
            summary="Where a weaker attack did more damage than one that is declared to be at least as strong",
        )
    ]


@hookimpl
def benchkit_report_formats() -> list[ReportFormat]:
    """Declare text, Markdown, LaTeX, HTML, and the numbers for other programs."""

    def declare(name: str, suffix: str, render: str, summary: str, join: str = "", **more: Any) -> ReportFormat:
        room = "benchkit.report."
        joined = room + join if join else None
        return ReportFormat(name=name, suffix=suffix, render=room + render, join=joined, summary=summary, **more)

    markdown = "documents:markdown", "documents:joined_markdown"
    page = "One page with sortable tables and interactive curves; a folder for several suites"
    line = "A line for every mean, with spread, interval, and the comparison with the reference"
    means = "Every mean with its values by repetition"
    rows = "A line for each test row of each trial: truth, prediction, loss, scores"
    return [
        declare("text", ".txt", markdown[0], "Tables for the terminal; in a file, those of markdown", markdown[1]),
        declare("markdown", ".md", markdown[0], "Tables, claims, and trials that did not end ok", markdown[1]),
        declare("latex", ".tex", "documents:latex", "Tables and claims for a paper; they need booktabs"),
        declare("html", ".html", "documents:html", page, "documents:joined_html", separate=True),
        declare("csv", ".csv", "exports:csv_text", line, "exports:joined_csv"),
        declare("json", ".json", "exports:json_text", means, "exports:joined_json"),
        declare("rows", ".csv", "exports:rows_csv", rows, "exports:joined_rows_csv"),
    ]
