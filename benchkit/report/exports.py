"""A run's numbers for other programs: CSV and JSON of the points, parquet of the records, and its test rows."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from benchkit.document.text import spreadsheet_cell
from benchkit.errors import RequestError
from benchkit.report.analysis import Analysis
from benchkit.report.points import FIELDS, off_axis
from benchkit.report.results import Results
from benchkit.suite.names import dataset_name
from benchkit.trial.record import Record

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.trial.rows import RowOutcomes


_COMPARED = {
    **{"reference": "reference", "difference": "difference", "difference_low": "low", "difference_high": "high"},
    **{"p_wilcoxon": "wilcoxon", "p_holm": "holm", "p_interval": "p_interval"},
    **{name: name for name in ("dz", "rank_biserial", "relation")},
}
"""Columns of what a comparison has, by the name of its attribute."""
EXTRA = ("sd", "scope", "low", "high", *_COMPARED)


def json_text(analysis: Analysis) -> str:
    """Every point as JSON."""
    return json.dumps([point.to_dict() for point in analysis.points], indent=1, default=str)


def joined_json(results: Results, analyses: Sequence[Analysis]) -> str:
    """Every point of every suite, with the suite's name."""
    rows = [{"suite": each.results.suite, **point.to_dict()} for each in analyses for point in each.points]
    return json.dumps(rows, indent=1, default=str)


def csv_text(analysis: Analysis) -> str:
    """Every point as a line of CSV: the fields of the JSON report, then spread and comparison with the reference."""
    return _csv([analysis], [*FIELDS, *EXTRA])


def joined_csv(results: Results, analyses: Sequence[Analysis]) -> str:
    """Every point of every suite, the suite in the first column."""
    return _csv(analyses, ["suite", *FIELDS, *EXTRA])


def _csv(analyses: Sequence[Analysis], columns: Sequence[str]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for analysis, point in ((each, point) for each in analyses for point in each.points):
        compared = analysis.comparison(point)
        low, high = point.interval() or (None, None)
        row: dict[str, Any] = {"suite": analysis.results.suite, **point.to_dict(), "sd": point.sd}
        row |= {"scope": point.scope, "low": low, "high": high}
        row |= {column: getattr(compared, name, None) for column, name in _COMPARED.items()}
        row["dataset_params"] = json.dumps(dict(point.dataset_params), default=str)
        for name, value in row.items():
            infinite = isinstance(value, float) and not math.isfinite(value)
            row[name] = spreadsheet_cell(value) if isinstance(value, str) else None if infinite else value
        writer.writerow(row)
    return buffer.getvalue()


def parquet_bytes(analysis: Analysis) -> bytes:
    """All records, one row per trial; a metric's column is ``metrics.NAME``, nested values are JSON."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = analysis.records
    columns: dict[str, list[Any]] = {
        name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)
    }
    columns.pop("metrics", None)
    columns |= {f"metrics.{name}": [row["metrics"].get(name) for row in rows] for name in analysis.metrics}
    for name, values in columns.items():  # of one type: numbers, or text, which of others is JSON
        kinds = {type(value) for value in values} - {type(None)}
        if kinds == {int, float}:
            columns[name] = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1 or kinds & {dict, list, tuple}:
            kept = str, type(None)
            columns[name] = [v if isinstance(v, kept) else json.dumps(v, default=str) for v in values]
    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def rows_frame(results: Results, records: Any = None) -> pd.DataFrame:
    """A table with a line for each test row of each trial (of some records), but of those that have kept nothing.

    Its columns are those of `Results.rows_to_pandas`. A `RequestError` where no trial has kept rows.
    """
    import pandas as pd

    # Of data sets of one name the parameters that differ are a part of it: pairs of classes have a name each.
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record in results.rows:
        for key, value in off_axis(record["dataset_params"], record["axis"]).items():
            values[record["dataset"], key].add(str(value))

    def name_of(record: Record) -> str:
        params = off_axis(record["dataset_params"], record["axis"]).items()
        label = record["dataset"]
        return dataset_name(label, {key: value for key, value in params if len(values[label, key]) > 1})

    kept = results.kept_rows.outcomes_of(results.rows if records is None else records)
    parts = [pd.DataFrame(dict(_columns(record, outcomes, name_of(record)))) for record, outcomes in kept]
    if not parts:
        raise RequestError(
            f"{results.folder}: no rows were kept (keep: {{rows: none}}, or an earlier version); run it with --fresh"
        )
    return pd.concat(parts, ignore_index=True)


def _columns(record: Record, kept: RowOutcomes, dataset: str) -> Iterator[tuple[str, Any]]:
    part, n = kept.part, len(kept.loss)
    for name in ("trial", "dataset", "algorithm", "adversary", "axis_value", "repetition", "generated"):
        yield name, [dataset if name == "dataset" else record.get(name)] * n
    yield "row", part.rows
    labels = None if part.classes is None else np.asarray(part.named_classes)
    yield "truth", part.truth if labels is None else labels[part.truth]
    if kept.predictions is not None:
        yield "prediction", kept.predictions if labels is None else labels[kept.predictions]
    yield "loss", kept.loss.astype(float)
    for name, answers in (("decision", kept.decision), ("probability", kept.probabilities)):
        if answers is not None and answers.ndim == 1:
            yield name, answers
        elif answers is not None:
            outputs = kept.model_classes or tuple(range(answers.shape[1]))
            names = dict(zip(part.classes or (), part.named_classes, strict=True))
            yield from ((f"{name} {names.get(label, label)}", answers[:, place]) for place, label in enumerate(outputs))
    if kept.changed is not None:
        yield "changed", kept.changed.sum(axis=1)


def rows_csv(analysis: Analysis) -> str:
    """The rows of the chosen trials, as CSV."""
    return str(rows_frame(analysis.results, analysis.records).to_csv(index=False))


def joined_rows_csv(results: Results, analyses: Sequence[Analysis]) -> str:
    """The rows of every suite, the suite in the first column."""
    import pandas as pd

    frames = {each.results.suite: rows_frame(each.results, each.records) for each in analyses}
    return str(pd.concat(frames, names=["suite"]).reset_index("suite").to_csv(index=False))
