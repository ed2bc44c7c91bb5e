"""The files that a run's folder holds beside its manifest: tables, points, records, the page, the plots."""

from __future__ import annotations

from pathlib import Path

from benchkit.report.analysis import Analysis
from benchkit.report.exports import csv_text, write_parquet
from benchkit.report.markdown import markdown
from benchkit.report.page.document import write_page
from benchkit.report.results import Results

PLOTS = "plots"


def write_files(results: Results, folder: Path, plots: bool = False) -> None:
    """Write the report's files into the run's folder.

    Parameters
    ----------
    results : Results
    folder : Path
        Gets ``tables.md``, ``points.csv``, ``records.parquet`` and ``report.html``.
    plots : bool, default=False
        Also ``plots/``; drawing takes seconds.
    """
    analysis = Analysis(results)
    (folder / "tables.md").write_text(markdown(analysis), encoding="utf-8")
    (folder / "points.csv").write_text(csv_text(analysis), encoding="utf-8")
    write_parquet(analysis, folder / "records.parquet")
    write_page(analysis, results.manifest, folder / "report.html")
    if plots:
        from benchkit.report.plots.all_plots import write_plots

        write_plots(analysis, folder / PLOTS)
