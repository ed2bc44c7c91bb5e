"""The files that a run's folder holds beside its manifest: tables, points, records."""

from __future__ import annotations

from pathlib import Path

from benchkit.report.analysis import Analysis
from benchkit.report.exports import csv_text, write_parquet
from benchkit.report.markdown import markdown
from benchkit.report.results import Results


def write_files(results: Results, folder: Path) -> None:
    """Write ``tables.md``, ``points.csv`` and ``records.parquet`` into the run's folder."""
    analysis = Analysis(results)
    (folder / "tables.md").write_text(markdown(analysis), encoding="utf-8")
    (folder / "points.csv").write_text(csv_text(analysis), encoding="utf-8")
    write_parquet(analysis, folder / "records.parquet")
