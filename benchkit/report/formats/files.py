"""The files that a run's folder holds beside its manifest: tables, points, records, the page, the plots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.formats.exports import csv_text, write_parquet
from benchkit.report.formats.markdown import markdown, summary
from benchkit.report.page.document import write_page

PLOTS = "plots"
SUMMARY = "summary.md"


def write_files(
    analysis: Analysis, folder: Path, plots: bool = False, manifest: Mapping[str, Any] | None = None
) -> None:
    """Write the report's files into the run's folder.

    Parameters
    ----------
    analysis : Analysis
        Of one suite's run.
    folder : Path
        Gets ``summary.md``, ``tables.md``, ``points.csv``, ``records.parquet`` and ``report.html``.
    plots : bool, default=False
        Also ``plots/``; drawing takes seconds.
    manifest : mapping, optional
        What the page says of the run's making; the run's own by default.
    """
    (folder / SUMMARY).write_text(summary(analysis), encoding="utf-8")
    (folder / "tables.md").write_text(markdown(analysis), encoding="utf-8")
    (folder / "points.csv").write_text(csv_text(analysis), encoding="utf-8")
    write_parquet(analysis, folder / "records.parquet")
    write_page(analysis, analysis.results.manifest if manifest is None else manifest, folder / "report.html")
    if plots:
        from benchkit.report.plots.all_plots import write_plots

        write_plots(analysis, folder / PLOTS)
