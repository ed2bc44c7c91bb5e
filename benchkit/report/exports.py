"""A run's numbers for other programs: CSV and JSON of the points, parquet of the records."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.statistics import FIELDS

EXTRA = ("sd", "low", "high", "reference", "difference", "p_wilcoxon", "p_holm", "p_t_test", "dz", "rank_biserial")


def json_text(analysis: Analysis) -> str:
    """Every point as JSON."""
    return json.dumps([point.to_dict() for point in analysis.points], indent=1, default=str)


def csv_text(analysis: Analysis) -> str:
    """Every point as a line of CSV: the fields of the JSON report, then spread and comparison with the reference."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=[*FIELDS, *EXTRA], lineterminator="\n")
    writer.writeheader()
    for point in analysis.points:
        row: dict[str, Any] = {**point.to_dict(), "sd": point.sd}
        row["dataset_params"] = json.dumps(dict(point.dataset_params), default=str)
        ends = point.interval()
        if ends is not None:
            row["low"], row["high"] = ends
        found = analysis.comparison(point)
        if found is not None:
            row |= {"reference": found.reference, "difference": found.difference, "p_wilcoxon": found.wilcoxon}
            row |= {"p_holm": found.holm, "p_t_test": found.t_test, "dz": found.dz}
            row["rank_biserial"] = found.rank_biserial
        writer.writerow({name: _blank(value) for name, value in row.items()})
    return buffer.getvalue()


def _blank(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def write_parquet(analysis: Analysis, path: Path) -> None:
    """All records, one row per trial; a metric's column is ``metrics.NAME``, nested values are JSON."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = analysis.records
    names = list(dict.fromkeys(name for row in rows for name in row if name != "metrics"))
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    for metric in analysis.metrics:
        columns[f"metrics.{metric}"] = [row["metrics"].get(metric) for row in rows]
    parquet.write_table(pa.table(columns), path)


def _column(values: list[Any]) -> list[Any]:
    """Values of one type, so that they make a column: numbers, or text."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and not kinds & {dict, list, tuple}:
        return values
    if kinds <= {int, float}:
        return [None if value is None else float(value) for value in values]
    return [value if value is None or isinstance(value, str) else json.dumps(value, default=str) for value in values]
