"""A run's numbers for other programs: CSV and JSON of the points, parquet of the records, and its test rows."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from benchkit.document.text import spreadsheet_cell
from benchkit.errors import RequestError
from benchkit.journal import JournalError, Record
from benchkit.report.analysis import Analysis
from benchkit.report.points import FIELDS
from benchkit.report.results import Results

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.trial.outcomes import RowOutcomes


EXTRA = (
    *("sd", "scope", "low", "high", "reference", "difference", "difference_low", "difference_high"),
    *("p_wilcoxon", "p_holm", "p_interval", "dz", "rank_biserial", "relation"),
    *("probability_better", "probability_equivalent", "probability_worse"),
)


def json_text(analysis: Analysis) -> str:
    """Every point as JSON."""
    return json.dumps([point.to_dict() for point in analysis.points], indent=1, default=str)


def joined_json(results: Results, analyses: Sequence[Analysis]) -> str:
    """Every point of every suite, with the suite's name."""
    rows = [{"suite": each.results.suite, **point.to_dict()} for each in analyses for point in each.points]
    return json.dumps(rows, indent=1, default=str)


def csv_text(analysis: Analysis) -> str:
    """Every point as a line of CSV: the fields of the JSON report, then spread and comparison with the reference."""
    return _csv([*FIELDS, *EXTRA], _rows(analysis))


def joined_csv(results: Results, analyses: Sequence[Analysis]) -> str:
    """Every point of every suite, the suite in the first column."""
    rows = ({"suite": each.results.suite, **row} for each in analyses for row in _rows(each))
    return _csv(["suite", *FIELDS, *EXTRA], rows)


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _blank(value) for name, value in row.items()} for row in rows)
    return buffer.getvalue()


def _rows(analysis: Analysis) -> Iterator[dict[str, Any]]:
    for point in analysis.points:
        row: dict[str, Any] = {**point.to_dict(), "sd": point.sd, "scope": point.scope}
        row["dataset_params"] = json.dumps(dict(point.dataset_params), default=str)
        ends = point.interval()
        if ends is not None:
            row["low"], row["high"] = ends
        compared = analysis.comparison(point)
        if compared is not None:
            row |= {"reference": compared.reference, "difference": compared.difference}
            row |= {"difference_low": compared.low, "difference_high": compared.high}
            row |= {"p_wilcoxon": compared.wilcoxon, "p_holm": compared.holm, "p_interval": compared.p_interval}
            row |= {"dz": compared.dz, "rank_biserial": compared.rank_biserial, "relation": compared.relation}
            chances = {} if compared.probabilities is None else compared.probabilities._asdict()
            row |= {f"probability_{name}": value for name, value in chances.items()}
        yield row


def _blank(value: Any) -> Any:
    if isinstance(value, str):
        return spreadsheet_cell(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


_ROWS_AT_ONCE = 10_000


def parquet_bytes(analysis: Analysis) -> bytes:
    """All records, one row per trial; a metric's column is ``metrics.NAME``, nested values are JSON."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = analysis.records
    names = list(dict.fromkeys(name for row in rows for name in row if name != "metrics"))
    columns = [_Column(name, partial(_field, name)) for name in names]
    columns += [_Column(f"metrics.{name}", partial(_metric, name)) for name in analysis.metrics]
    for column in columns:
        column.look_at(rows)
    schema = pa.schema([(column.name, pa.array([column.example]).type) for column in columns])
    file = io.BytesIO()
    with parquet.ParquetWriter(file, schema) as writer:
        for start in range(0, len(rows), _ROWS_AT_ONCE):  # all at once would hold as much as the records do
            part = rows[start : start + _ROWS_AT_ONCE]
            arrays = [
                pa.array(map(column.value, part), field.type) for column, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    return file.getvalue()


def _field(name: str, row: Record) -> Any:
    return row.get(name)


def _metric(name: str, row: Record) -> Any:
    return row["metrics"].get(name)


class _Column:
    """Values of one type, so that they make a column: numbers, or text.

    Parameters
    ----------
    name : str
    take : callable
        The value of a record.

    Attributes
    ----------
    example : object
        One of its values; None where there is no other.
    """

    def __init__(self, name: str, take: Callable[[Record], Any]) -> None:
        self.name, self._take = name, take

    def look_at(self, rows: Sequence[Record]) -> None:
        """See of which types the values are."""
        kinds = {type(self._take(row)) for row in rows} - {type(None)}
        self._as_it_is = len(kinds) == 1 and not kinds & {dict, list, tuple}
        self._number = kinds <= {int, float}
        self.example = next((value for value in map(self.value, rows) if value is not None), None)

    def value(self, row: Record) -> Any:
        """The value of a record, as the column has it."""
        value = self._take(row)
        if value is None or self._as_it_is:
            return value
        if self._number:
            return float(value)
        return value if isinstance(value, str) else json.dumps(value, default=str)


NAMES = ("trial", "dataset", "algorithm", "adversary", "axis_value", "repetition")


class NoRowsError(RequestError):
    """The run has kept no rows; the message is one line for the user."""


def rows_frame(results: Results, records: Any = None) -> pd.DataFrame:
    """A table with a line for each test row of each trial.

    Parameters
    ----------
    results : Results
    records : sequence of record, optional
        Only these; all by default.

    Returns
    -------
    DataFrame
        What names the trial; ``row``, the row's number in the data set from 0; ``truth`` and ``prediction``, as the
        labels are called there; ``loss``, 1 for a wrong prediction or the squared distance from the target;
        ``decision`` and ``probability`` (with the class, where there are several) where the model gave them; and
        ``changed``, how many columns the adversary changed. Trials that have kept nothing are left out.

    Raises
    ------
    NoRowsError
        No trial has kept rows.
    """
    import pandas as pd

    kept = results.kept_rows.outcomes
    parts = []
    for record in results.rows if records is None else records:
        try:
            outcomes = kept.of(record)
        except JournalError:  # the folder of rows was deleted, or was not brought along
            continue
        if outcomes is not None:
            parts.append(pd.DataFrame(dict(_columns(record, outcomes))))
    if not parts:
        raise NoRowsError(
            f"{results.folder}: no rows were kept (keep: {{rows: none}}, or an earlier version); run it with --fresh"
        )
    return pd.concat(parts, ignore_index=True)


def _columns(record: Record, kept: RowOutcomes) -> Iterator[tuple[str, Any]]:
    import numpy as np

    part, n = kept.part, len(kept.loss)
    for name in NAMES:
        yield name, [record.get(name)] * n
    yield "row", part.rows
    labels = None if part.classes is None else np.asarray(part.classes)
    yield "truth", part.truth if labels is None else labels[part.truth]
    if kept.predictions is not None:
        yield "prediction", kept.predictions if labels is None else labels[kept.predictions]
    yield "loss", kept.loss.astype(float)
    for name, answers in (("decision", kept.decision), ("probability", kept.probabilities)):
        if answers is not None and answers.ndim == 1:
            yield name, answers
        elif answers is not None:
            names = kept.model_classes or range(answers.shape[1])
            yield from ((f"{name} {each}", answers[:, place]) for place, each in enumerate(names))
    if kept.changed is not None:
        yield "changed", kept.changed.sum(axis=1)


def rows_csv(analysis: Analysis) -> str:
    """The rows of the chosen trials, as CSV."""
    text: str = rows_frame(analysis.results, analysis.records).to_csv(index=False)
    return text


def rows_parquet(analysis: Analysis) -> bytes:
    """The rows of the chosen trials, as Parquet."""
    frame = rows_frame(analysis.results, analysis.records)
    mixed = [name for name in ("truth", "prediction", "axis_value") if frame[name].map(type).nunique() > 1]
    file = BytesIO()
    frame.astype(dict.fromkeys(mixed, "string")).to_parquet(file, index=False)
    return file.getvalue()
