"""The files that a run's folder holds beside its manifest: tables, points, records, the page, the plots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchkit.journal import JournalError
from benchkit.regular_file import write_whole
from benchkit.report.analysis import Analysis
from benchkit.report.exports import csv_text, write_parquet
from benchkit.report.formats.markdown import markdown, summary
from benchkit.report.page.document import page

SUMMARY, TABLES, POINTS, RECORDS = "summary.md", "tables.md", "points.csv", "records.parquet"
PAGE, PLOTS = "report.html", "plots"


def write_files(
    analysis: Analysis,
    folder: Path,
    plots: bool = False,
    manifest: Mapping[str, Any] | None = None,
) -> None:
    """Write the report's files into the run's folder.

    Parameters
    ----------
    analysis : Analysis
        Of one suite's run.
    folder : Path
        Gets ``summary.md``, ``tables.md``, ``points.csv``, ``records.parquet`` and ``report.html``.
    plots : bool, default=False
        Also the curve of each panel, into ``plots/``; drawing takes seconds.
    manifest : mapping, optional
        What the page says of the run's making; the run's own by default.

    Raises
    ------
    JournalError
        A link, a device or a pipe is where a file would be written: whoever made the run may have put it there.
    """
    _require_own_places(folder, plots)
    write_whole(folder / SUMMARY, summary(analysis))
    write_whole(folder / TABLES, markdown(analysis))
    write_whole(folder / POINTS, csv_text(analysis))
    write_parquet(analysis, folder / RECORDS)
    write_whole(folder / PAGE, page(analysis, analysis.results.manifest if manifest is None else manifest))
    if plots:
        from benchkit.report.plots.all_plots import write_plots

        write_plots(analysis, folder / PLOTS, curves_alone=True)


def _require_own_places(folder: Path, plots: bool) -> None:
    """Refuse to write through links that lead elsewhere, to devices, and to pipes that nobody reads."""
    drawn = [folder / PLOTS, *(folder / PLOTS).glob("*")] if plots else []
    for path in [*(folder / name for name in (SUMMARY, TABLES, POINTS, RECORDS, PAGE)), *drawn]:
        if path.is_symlink() or (path.exists() and not (path.is_dir() if path.name == PLOTS else path.is_file())):
            what = "folder" if path.name == PLOTS else "file"
            raise JournalError(f"{path} is no {what} of a report but a link, a device or something else; remove it")
