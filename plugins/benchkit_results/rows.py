"""Published rows: the columns of ``records.parquet``, documented, written, and read with care whoever wrote them.

Beside a trial's own row may lie which rows were tested, and what each of them lost: four columns of bytes, and
nothing else of the rows, no label and no prediction. So methods are compared row by row, by rates of error and squared
or absolute errors; a metric that must know the classes keeps the variance of its repetitions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from benchkit import PublishError, Record, RowOutcomes, TestPart, one_line, parse_record

FILE = "records.parquet"


class PublishedRow(Record):
    """A record with the question that it answers, the method that answers, and the published run that holds it."""

    design: str
    method: str
    contribution: str


_TEXTS = ("trial", "run", "design", "method", "status", "cell", "dataset", "group", "feature_values", "algorithm")
_OBJECTS = ("dataset_params", "params", "adversary_params", "warnings", "at_edge")
_COUNTS = ("repetition", "n_rows", "n_train", "n_validation", "n_test", "folds")
_LOSSES = ("tested", "groups", "wrong", "squared")

COLUMNS: Mapping[str, str] = {
    **dict.fromkeys((*_TEXTS, "adversary", "axis", "split", "error_type"), "string"),
    **dict.fromkeys((*_OBJECTS, "axis_value"), "json"),
    **dict.fromkeys(_COUNTS, "int"),
    **dict.fromkeys(("budget", "fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb"), "float"),
    "generated": "bool",
}
"""Name and kind of each column, whose meanings docs/results.md tells; beside them ``metrics.NAME`` (float) for each
metric. A ``json`` column is text that holds JSON.
"""

FURTHER: Mapping[str, str] = {"units": "json", "published_with": "string", **dict.fromkeys(_LOSSES, "bytes")}
"""The same of columns that are there only where a row has something in them; bytes are losses of rows."""

_ALL = {**COLUMNS, **FURTHER}
_METRIC = "metrics."
_TYPES = {"float": pa.float64(), "int": pa.int64(), "bool": pa.bool_(), "bytes": pa.binary()}
_ROWS_AT_ONCE = 2000
_LONGEST = {pa.string(): 2**14, pa.binary(): 2**20}  # bytes of a value


@dataclass(frozen=True)
class RowLosses:
    """The losses of a trial's test rows, as the columns have them; `wrong` or `squared` is None."""

    tested: bytes
    groups: bytes | None = None
    wrong: bytes | None = None
    squared: bytes | None = None

    @classmethod
    def of(cls, outcomes: RowOutcomes | None) -> RowLosses | None:
        """What is published of a trial's rows; None where one was tested twice, or they are more than a value holds."""
        if outcomes is None:
            return None
        rows, groups = outcomes.part.rows, outcomes.part.groups
        if not len(rows) or rows.max() >= 8 * _LONGEST[pa.binary()] or len(np.unique(rows)) < len(rows):
            return None
        order = np.argsort(rows)
        tested: np.ndarray = np.zeros(int(rows.max()) + 1, bool)
        tested[rows] = True
        loss = outcomes.loss[order]
        classifies = outcomes.part.classes is not None
        losses = cls(
            tested=np.packbits(tested).tobytes(),
            groups=None if groups is None else groups[order].astype("<i4").tobytes(),
            wrong=np.packbits(loss.astype(bool)).tobytes() if classifies else None,
            squared=None if classifies else loss.astype("<f4").tobytes(),
        )
        fits = all(len(part or b"") <= _LONGEST[pa.binary()] for part in astuple(losses))
        return losses if fits and not losses.problem(len(rows)) else None

    def unpacked(self) -> RowOutcomes:
        """As outcomes that a run keeps: what is right is called ``right``, since no label is published."""
        rows = np.flatnonzero(np.unpackbits(np.frombuffer(self.tested, np.uint8))).astype(np.int32)
        groups = None if self.groups is None else np.frombuffer(self.groups, "<i4").astype(np.int32)
        if self.wrong is None:
            loss: np.ndarray = np.frombuffer(self.squared or b"", "<f4").astype(np.float32)
            return RowOutcomes(TestPart(rows, np.zeros(len(rows)), None, groups), loss)
        loss = np.unpackbits(np.frombuffer(self.wrong, np.uint8), count=len(rows)).astype(bool)
        return RowOutcomes(TestPart(rows, np.zeros(len(rows), np.int32), ("right", "wrong"), groups), loss)

    def differing(self, again: RowLosses | None, tolerance: float) -> int:
        """How many of these rows lose something else when the trial is run again.

        A squared error may differ by ``tolerance``, relative to the larger of 1 and its value.
        """
        loss = self.unpacked().loss
        if again is None or (again.tested, again.groups) != (self.tested, self.groups):
            return len(loss)
        now = again.unpacked().loss
        if now.dtype != loss.dtype:
            return len(loss)
        # Squared errors are rounded to 32 bits.
        allowed = 0.0 if loss.dtype == bool else tolerance + float(np.finfo(np.float32).eps)
        return int((np.abs(now.astype(float) - loss) > allowed * np.maximum(1.0, loss)).sum())

    def problem(self, n_test: int | None) -> str:
        """Why these cannot be the losses of so many tested rows; empty where they can."""
        if (self.wrong is None) == (self.squared is None):
            return "expected losses as `wrong` or as `squared`"
        count = int.from_bytes(self.tested).bit_count()
        if count != n_test:
            return f"losses of {count} rows, where {n_test} were tested"
        if self.groups is not None and len(self.groups) != 4 * count:
            return "not one group for each tested row"
        loss, length = (self.squared, 4 * count) if self.wrong is None else (self.wrong, -(-count // 8))
        if loss is None or len(loss) != length:
            return "not one loss for each tested row"
        if self.wrong is None:
            squared = np.frombuffer(loss, "<f4")
            return "" if np.all(np.isfinite(squared) & (squared >= 0)) else "a squared error that is none"
        beyond = np.unpackbits(np.frombuffer(loss, np.uint8))[count:]
        return "a loss of a row that was not tested" if beyond.any() else ""


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], losses: Mapping[str, RowLosses]) -> None:
    """Write rows, with the fields of `PublishedRow`, and the losses of those trials that have any, by trial."""
    columns = {name: [_cell(row.get(name), kind) for row in rows] for name, kind in _ALL.items()}
    columns |= {name: [getattr(losses.get(row["trial"]), name, None) for row in rows] for name in _LOSSES}
    for name in FURTHER:
        if all(value is None for value in columns[name]):
            del columns[name]
    for name in sorted({name for row in rows for name in row["metrics"]}):
        columns[f"{_METRIC}{name}"] = [_cell(row["metrics"].get(name), "float") for row in rows]
    schema = pa.schema([(name, _type(name)) for name in columns])
    parquet.write_table(
        pa.table(columns, schema=schema),
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in columns if _type(name) in _LONGEST],
        write_statistics=False,
    )


def read_rows(path: Path, contribution: str) -> list[PublishedRow]:
    """The rows of a file that anybody may have made, of the published run ``contribution``.

    Only columns of the documented names and types are read; PublishError where it is no such file.
    """
    rows: list[PublishedRow] = []
    for values in _values(path, lambda name: name not in _LOSSES):
        try:
            rows.append(_row(values, contribution))
        except (ValueError, RecursionError) as error:
            raise PublishError(f"{path}: row {len(rows) + 1}: {one_line(error)}") from None
    return rows


def read_losses(path: Path) -> dict[str, RowLosses]:
    """The losses that trials of a file have, which anybody may have made: PublishError where they are none."""
    losses: dict[str, RowLosses] = {}
    shared: dict[bytes, bytes] = {}  # of many trials one part
    for values in _values(path, lambda name: name in ("trial", "n_test", *_LOSSES)):
        parts = {name: values[name] for name in _LOSSES if values.get(name) is not None}
        if "tested" in parts:
            kept = RowLosses(**{name: shared.setdefault(value, value) for name, value in parts.items()})
            if problem := kept.problem(values["n_test"]):
                raise PublishError(f"{path}: trial {values['trial']}: {problem}")
            losses[values["trial"]] = kept
    return losses


def _values(path: Path, wanted: Callable[[str], bool]) -> Iterator[Mapping[str, Any]]:
    """The values of each row in the documented columns that are wanted."""
    try:
        with parquet.ParquetFile(path) as file:
            names = [name for name in _documented(file.schema_arrow, path) if wanted(name)]
        # Texts stay in dictionaries: a value that is repeated takes its room once, however long it is.
        with parquet.ParquetFile(path, read_dictionary=[name for name in names if _type(name) in _LONGEST]) as file:
            for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names):
                for name, column in zip(batch.schema.names, batch.columns, strict=True):
                    if isinstance(column, pa.DictionaryArray):
                        longest, most = pc.max(pc.binary_length(column.dictionary)).as_py() or 0, _LONGEST[_type(name)]
                        if longest > most:
                            raise PublishError(
                                f"{path}: column {name!r} has a value of {longest:,} bytes; at most {most:,} are read"
                            )
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise PublishError(f"{path}: not a readable parquet file: {one_line(error)}") from None


def _documented(schema: pa.Schema, path: Path) -> list[str]:
    """The documented columns of a file."""
    if len(set(schema.names)) < len(schema.names):
        raise PublishError(f"{path}: a column stands twice")
    for column in COLUMNS:
        if column not in schema.names:
            raise PublishError(f"{path}: no column {column!r}: not a file of published results, or of another version")
    fields = [field for field in schema if field.name in _ALL or field.name.startswith(_METRIC)]
    for field in fields:
        if field.type != _type(field.name):
            raise PublishError(f"{path}: column {field.name[:80]!r} is {field.type}, expected {_type(field.name)}")
    return [field.name for field in fields]


def _row(values: Mapping[str, Any], contribution: str) -> PublishedRow:
    row: dict[str, Any] = {"error": None, "contribution": contribution, "metrics": {}}
    for name, value in values.items():
        if name.startswith(_METRIC):
            finite = value is not None and math.isfinite(value)
            row["metrics"][name.removeprefix(_METRIC)] = value if finite else None
        elif value is not None or name not in ("run", *FURTHER):
            row[name] = json.loads(value) if value is not None and _ALL[name] == "json" else value
    row |= {name: row[name] or {} for name in _OBJECTS}
    return cast(PublishedRow, parse_record(json.dumps(row)))


def _type(column: str) -> pa.DataType:
    return _TYPES.get("float" if column.startswith(_METRIC) else _ALL[column], pa.string())


def _cell(value: Any, kind: str) -> Any:
    if kind == "json" and value is not None:
        return json.dumps(value, sort_keys=True, default=str)
    if kind == "float" and value is not None:
        return float(value) if math.isfinite(value) else None
    return value
