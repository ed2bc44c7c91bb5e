"""The files that a run's folder holds beside its manifest: tables, points, records, the page, the plots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.formats.exports import csv_text, write_parquet
from benchkit.report.formats.markdown import markdown, summary
from benchkit.report.formats.written_before import FILES, PAGE, PLOTS, POINTS, RECORDS, page_before, take_over
from benchkit.report.page.document import page

SUMMARY = "summary.md"


def write_files(
    analysis: Analysis,
    folder: Path,
    plots: bool = False,
    manifest: Mapping[str, Any] | None = None,
    written: str | None = None,
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
    written : str, optional
        The `content_key` of the analysis: what the run before this one wrote of the same is copied.
    """
    names = tuple(name for name in FILES if plots or name != PLOTS)
    taken = set() if written is None else take_over(folder, written, names)
    (folder / SUMMARY).write_text(summary(analysis), encoding="utf-8")
    (folder / "tables.md").write_text(markdown(analysis), encoding="utf-8")
    if POINTS not in taken:
        (folder / POINTS).write_text(csv_text(analysis), encoding="utf-8")
    if RECORDS not in taken:
        write_parquet(analysis, folder / RECORDS)
    manifest = analysis.results.manifest if manifest is None else manifest
    before = "" if written is None else page_before(folder, written)
    (folder / PAGE).write_text(page(analysis, manifest, written=written or "", before=before), encoding="utf-8")
    if plots and PLOTS not in taken:
        from benchkit.report.plots.all_plots import write_plots

        write_plots(analysis, folder / PLOTS)
