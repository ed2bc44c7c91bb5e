"""A report format: a function of an Analysis, a run's results under a reader's settings, that returns text."""

from __future__ import annotations

from benchkit import Analysis, ReportFormat, hookimpl


def tabbed(analysis: Analysis) -> str:
    """The answers, then a line for every mean."""
    lines = [analysis.results.title, *analysis.answers]
    for point in analysis.points:
        mean = "-" if point.mean is None else f"{point.mean:.4f}"
        lines.append("\t".join([point.dataset, point.adversary, str(point.axis_value), point.algorithm, mean]))
    return "\n".join(lines)


@hookimpl
def benchkit_report_formats() -> list[ReportFormat]:
    """Declare the formats."""
    return [
        ReportFormat(
            name="tabbed",
            render=tabbed,
            suffix=".txt",
            summary="The answers, and the means in lines that tabs divide",
        )
    ]
