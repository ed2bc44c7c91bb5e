"""A row source: rows of methods that ran elsewhere, beside those of a run."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchkit import PublishError, Results, RowSource, hookimpl

COLUMNS = ("method", "dataset", "adversary", "axis_value", "repetition")


def csv_rows(place: str) -> CsvRows:
    """The rows of a CSV file: these columns, and one for each metric.

    Raises
    ------
    benchkit.PublishError
    """
    try:
        with Path(place).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError) as error:
        raise PublishError(f"{place}: cannot read: {error}") from None
    if missing := [name for name in COLUMNS if not rows or name not in rows[0]]:
        raise PublishError(f"{place}: no column {', '.join(missing)}")
    return CsvRows(place, rows)


@dataclass(frozen=True)
class CsvRows:
    """What a file says; its methods are those of `benchkit.RowsBeside`."""

    place: str
    rows: list[dict[str, str]]

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """No trial of the suite is left out: what is in the file are other methods."""
        return set()

    def join(self, results: Results, answered: Mapping[str, Mapping[str, Any]]) -> Results:
        """The results with the file's methods, wherever the run has a trial at the same place."""
        beside = {_place(row): row for row in results.records}
        joined: list[Any] = []
        for row in self.rows:
            try:
                like = beside.get(_place(row))
                metrics = {name: float(row[name]) for name in results.metrics if row.get(name)}
            except (TypeError, ValueError) as error:  # a word for a number, or a line that ends before
                raise PublishError(f"{self.place}: {error}") from None
            if like is None:
                continue
            own = {"algorithm": row["method"], "metrics": metrics, "status": "ok", "published": self.place}
            blank = dict.fromkeys(("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb", "outcomes"))
            cell = "-".join([row["method"], like["cell"]])
            joined.append({**like, **blank, **own, "trial": f"{cell}-{row['repetition']}", "cell": cell})
        return replace(results, rows=[*results.rows, *joined])


def _place(row: Mapping[str, Any]) -> tuple[str, str, float | str, int]:
    """Where a row stands, of a file or of a run: 0 and 0.0 are one point on the axis."""
    try:
        value: float | str = float(row["axis_value"])
    except (TypeError, ValueError):
        value = str(row["axis_value"])
    return row["dataset"], row["adversary"], value, int(row["repetition"])


@hookimpl
def benchkit_row_sources() -> list[RowSource]:
    """Declare the row sources."""
    return [
        RowSource(
            name="csv-rows",
            open=csv_rows,
            summary="A CSV file with the metrics of methods that ran elsewhere",
        )
    ]
