"""The page as a format of reports."""

from __future__ import annotations

from benchkit.report.analysis import Analysis
from benchkit.report.page.document import page


def html(analysis: Analysis) -> str:
    """The page, with what the run's manifest says of its making."""
    return page(analysis, analysis.results.manifest)
