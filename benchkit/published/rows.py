"""Published rows: the columns of their parquet files, documented, written and read with care."""

from __future__ import annotations

import errno
import io
import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from benchkit.journal import PublishError, Record
from benchkit.journal.record_format import DamagedLineError, parse_record
from benchkit.published.losses import LONGEST, LOSS_COLUMNS, Key, RowLosses, key_of
from benchkit.regular_file import ReadingRoom, bounded_reading

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet


class PublishedRow(Record):
    """A record, with what it answers and where it comes from: three entries of the index."""

    design: str
    method: str
    contribution: str


COLUMNS: Mapping[str, tuple[str, str]] = {
    "trial": ("string", "id of the trial: a hash of everything that decided its outcome"),
    "contribution": ("string", "which entry of the index's `contributions` the row came with"),
    "run": ("string", "the run that measured it, by the time when it started"),
    "design": ("string", "which entry of the index's `designs` it answers"),
    "method": ("string", "which entry of the contribution's `methods` it was made with"),
    "status": ("string", "ok, failed, timeout, memory, crashed or skipped"),
    "cell": ("string", "the repetitions of one combination share it"),
    "dataset": ("string", "label of the data set in the suite"),
    "dataset_params": ("json", "its parameters"),
    "group": ("string", "cells of one group are averaged together"),
    "feature_values": ("string", "a word, or `list-` and the hash of a list"),
    "repetition": ("int", "number of the repetition, from 0"),
    "algorithm": ("string", "label of the method in the suite"),
    "params": ("json", "its parameters as tuned"),
    "adversary": ("string", "label of the adversary in the suite, or none"),
    "adversary_params": ("json", "its parameters"),
    "budget": ("float", "how much the adversary could do, as an amount"),
    "axis": ("string", "what the curve runs over"),
    "axis_value": ("json", "the place on it"),
    "fit_seconds": ("float", "wall seconds of the final fit, on the machine of the contribution"),
    "tune_seconds": ("float", "wall seconds of all candidates with their scoring"),
    "cpu_seconds": ("float", "processor seconds of the whole trial"),
    "peak_mb": ("float", "memory at its highest, in MB"),
    "n_rows": ("int", "rows of the data set"),
    "n_train": ("int", "rows of the training part"),
    "n_validation": ("int", "rows of the validation part"),
    "n_test": ("int", "rows of the test part"),
    "generated": ("bool", "whether each repetition draws its data anew"),
    "split": ("string", "how rows were split"),
    "folds": ("int", "number of folds, for k-fold"),
    "candidates": ("json", "validation scores of what tuning tried, stage by stage"),
    "warnings": ("json", "warnings of the fits, by class"),
    "at_edge": ("json", "tuned parameters that lie at an end of their grid"),
    "error_type": ("string", "class of the error; its message is not published, for it may name folders"),
}
"""Name, kind and meaning of each column; beside them ``metrics.NAME`` (float) for each metric.

A ``json`` column is text that holds JSON.
"""

FURTHER: Mapping[str, tuple[str, str]] = {
    "units": ("json", "how many groups the data set has, where whole groups are drawn"),
}
"""The same of columns that stand only where a row has something there, as those of losses do."""

_METRIC = "metrics."
_MOST_BYTES = 16 * 2**20
_MOST_FOOTER = 2**20
_MOST_COLUMNS = 300
_MOST_ROWS = 1_000_000
_MOST_UNPACKED = 512 * 2**20
_ROWS_AT_ONCE = 2000
_BETWEEN_LOOKS = 2**20
_MOST_LOSSES = 2**26
_SHARED_TEXT = 200  # characters; longer ones are hardly ever the same
_MAGIC = b"PAR1"


def to_parquet(rows: Sequence[PublishedRow], losses: Mapping[Key, RowLosses] | None = None) -> bytes:
    """The content of a parquet file with these rows.

    Parameters
    ----------
    rows : sequence of record
    losses : mapping of Key to RowLosses, optional
        Of those rows that have any.
    """
    import pyarrow as pa
    from pyarrow import parquet

    metrics = sorted({name for row in rows for name in row["metrics"]})
    further = {name: kept for name, kept in FURTHER.items() if any(isinstance(row.get(name), dict) for row in rows)}
    known = {**COLUMNS, **further}
    columns = {name: [_cell(row.get(name), kind) for row in rows] for name, (kind, _) in known.items()}
    beside = [(losses or {}).get(key_of(row)) for row in rows]
    for name in LOSS_COLUMNS:
        values = [None if each is None else getattr(each, name) for each in beside]
        if any(value is not None for value in values):
            columns[name] = values
    columns |= {f"{_METRIC}{name}": [_cell(row["metrics"].get(name), "float") for row in rows] for name in metrics}
    schema = pa.schema([(name, _type(name)) for name in columns])
    sink = io.BytesIO()
    # Files of a few hundred rows are half footer where columns tell their least and greatest value and types twice.
    parquet.write_table(
        pa.table(columns, schema=schema),
        sink,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in ("tested", "groups") if name in columns],  # of many trials one part
        write_statistics=False,
        store_schema=False,
    )
    return sink.getvalue()


def from_parquet(content: bytes, name: str) -> list[PublishedRow]:
    """The rows of a file that anybody may have made: only columns of the documented names and types are read.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file, for messages.

    Raises
    ------
    PublishError
        It is no such file, or larger than published results are.
    """
    import pyarrow as pa

    with _as_unreadable(name):
        names = _open(content, name).schema_arrow.names
        known = [column for column in names if _is_of_rows(column)]
        texts = [column for column in known if _type(column) == pa.string()]
        # A text that a million rows share is one text in memory too, however long it is.
        rows: list[PublishedRow] = []
        for batch in _open(content, name, texts).iter_batches(_ROWS_AT_ONCE, columns=known):
            rows += _records(batch, len(rows), name)
    return rows


def losses_from_parquet(content: bytes, name: str) -> dict[Key, RowLosses]:
    """The losses that rows of a file have, which anybody may have made.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file, for messages.

    Raises
    ------
    PublishError
        It is no such file, or the losses are none of as many rows as were tested.
    """
    with _as_unreadable(name):
        names = _open(content, name).schema_arrow.names
        there = [column for column in LOSS_COLUMNS if column in names]
        if "tested" not in there:
            return {}
        known = ["contribution", "trial", *there]
        found: dict[Key, RowLosses] = {}
        shared: dict[bytes, bytes] = {}
        place = 0
        for batch in _open(content, name, known).iter_batches(_ROWS_AT_ONCE, columns=[*known, "n_test"]):
            columns = {column: _values(batch.column(column), name) for column in batch.schema.names}
            for each in range(batch.num_rows):
                place += 1
                values = {column: columns[column][each] if column in columns else None for column in LOSS_COLUMNS}
                if values["tested"] is None:
                    continue
                once = {
                    column: shared.setdefault(value, value) for column, value in values.items() if value is not None
                }
                kept = RowLosses(**once)
                problem = kept.problem(columns["n_test"][each])
                if problem:
                    raise PublishError(f"{name}: row {place}: {problem}")
                found[columns["contribution"][each], columns["trial"][each]] = kept
            if sum(map(len, shared)) > _MOST_LOSSES:
                raise PublishError(f"{name}: losses of more than {_MOST_LOSSES // 2**20} MB: more than are published")
    return found


@contextmanager
def _as_unreadable(name: str) -> Iterator[None]:
    """What a file raises that is none, as one line; what its footer says of sizes need not be true."""
    import pyarrow as pa
    from pyarrow import parquet  # noqa: F401  what is imported later would count as read

    try:
        with bounded_reading(name):
            yield
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            raise PublishError(f"{name}: {error.strerror}") from None
        raise PublishError(f"{name}: not a readable parquet file: {_first_line(error)}") from None


def _open(content: bytes, name: str, shared: Sequence[str] = ()) -> parquet.ParquetFile:
    """A file whose size, columns and rows are those of published results.

    Parameters
    ----------
    content : bytes
    name : str
    shared : sequence of str
        Columns of which values that repeat are read once.
    """
    from pyarrow import parquet

    _check_size(content, name)
    file = parquet.ParquetFile(io.BytesIO(content), read_dictionary=list(shared))
    facts = file.metadata
    if not shared:
        _check_schema(file.schema_arrow, name)
    unpacked = sum(facts.row_group(place).total_byte_size for place in range(facts.num_row_groups))
    if facts.num_rows > _MOST_ROWS or unpacked > _MOST_UNPACKED:
        raise PublishError(f"{name}: {facts.num_rows} rows of {unpacked} bytes: more than published results have")
    return file


def _records(batch: pa.RecordBatch, before: int, name: str) -> list[PublishedRow]:
    """The records of some rows, within the memory that reading may take."""
    columns = {column: _values(batch.column(column), name) for column in batch.schema.names}
    parsed: dict[str, Any] = {}
    texts = [columns[column] for column in columns if _kind(column) == "json"]
    room, rows, since = ReadingRoom(name), [], 0
    try:
        for place in range(batch.num_rows):
            rows.append(_record(columns, place, name, before + place + 1, parsed))
            since += sum(len(values[place] or "") for values in texts)
            if since > _BETWEEN_LOOKS:
                since = 0
                room.check()
        room.check()
    except OSError as error:
        raise PublishError(f"{name}: {error.strerror}") from None
    finally:
        room.leave()
    return rows


def _values(column: pa.Array, name: str) -> list[Any]:
    import pyarrow as pa
    from pyarrow import compute

    if not isinstance(column, pa.DictionaryArray):
        values: list[Any] = column.to_pylist()
        return values
    longest = compute.max(compute.binary_length(column.dictionary)).as_py() or 0
    if longest > LONGEST:
        raise PublishError(f"{name}: a value of {longest} bytes; published results have {LONGEST} at most")
    texts = column.dictionary.to_pylist()
    return [None if place is None else texts[place] for place in column.indices.to_pylist()]


def _check_size(content: bytes, name: str) -> None:
    if len(content) > _MOST_BYTES:
        raise PublishError(f"{name}: {len(content)} bytes; a file of published results has {_MOST_BYTES} at most")
    if len(content) < 12 or content[:4] != _MAGIC or content[-4:] != _MAGIC:
        raise PublishError(f"{name}: not a parquet file")
    footer = struct.unpack("<I", content[-8:-4])[0]
    if footer > min(_MOST_FOOTER, len(content)):  # before it is parsed: a million columns need a long one
        raise PublishError(f"{name}: its list of columns takes {footer} bytes: no file of published results")


def _check_schema(schema: pa.Schema, name: str) -> None:
    if len(schema.names) > _MOST_COLUMNS:
        raise PublishError(f"{name}: {len(schema.names)} columns; published results have {_MOST_COLUMNS} at most")
    if len(set(schema.names)) < len(schema.names):
        raise PublishError(f"{name}: a column stands twice")
    for column in COLUMNS:
        if column not in schema.names:
            raise PublishError(f"{name}: no column {column!r}: not a file of published results, or of another version")
    for field in schema:
        if (_is_of_rows(field.name) or field.name in LOSS_COLUMNS) and field.type != _type(field.name):
            raise PublishError(f"{name}: column {field.name[:80]!r} is {field.type}, expected {_type(field.name)}")


def _is_of_rows(column: str) -> bool:
    return column in COLUMNS or column in FURTHER or column.startswith(_METRIC)


def _kind(column: str) -> str:
    if column in LOSS_COLUMNS:
        return "bytes"
    return "float" if column.startswith(_METRIC) else {**COLUMNS, **FURTHER}[column][0]


def _type(column: str) -> pa.DataType:
    import pyarrow as pa

    types = {"float": pa.float64(), "int": pa.int64(), "bool": pa.bool_(), "bytes": pa.binary()}
    return types.get(_kind(column), pa.string())


def _cell(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "json":
        return json.dumps(value, sort_keys=True, default=str)
    if kind == "float":
        return float(value) if math.isfinite(value) else None
    return value


def _record(
    columns: Mapping[str, Sequence[Any]], place: int, name: str, number: int, parsed: dict[str, Any]
) -> PublishedRow:
    """One record; ``parsed`` holds what equal JSON texts say, which many rows share: it is copied by `parse_record`."""
    row: dict[str, Any] = {
        column: values[place] for column, values in columns.items() if not column.startswith(_METRIC)
    }
    try:
        for column in row:
            if _kind(column) == "json":
                row[column] = None if row[column] is None else _parsed(row[column], parsed)
        for blank in ("dataset_params", "params", "adversary_params", "warnings", "at_edge"):
            row[blank] = row[blank] or {}
        row["metrics"] = {
            column.removeprefix(_METRIC): _finite(values[place])
            for column, values in columns.items()
            if column.startswith(_METRIC)
        }
        optional = ("run", "candidates", *FURTHER)
        kept = {key: value for key, value in row.items() if value is not None or key not in optional}
        return cast(PublishedRow, parse_record(json.dumps({**kept, "error": None})))
    except (ValueError, RecursionError, DamagedLineError) as error:
        raise PublishError(f"{name}: row {number}: {_first_line(error)}") from None


def _parsed(text: str, known: dict[str, Any]) -> Any:
    if len(text) > _SHARED_TEXT:
        return json.loads(text)
    if text not in known:
        known[text] = json.loads(text)
    return known[text]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def described_columns() -> dict[str, str]:
    """Meaning of each column, for the index."""
    known = {name: meaning for name, (_, meaning) in {**COLUMNS, **FURTHER}.items()}
    return {**known, "metrics.NAME": "value of that metric", **LOSS_COLUMNS}
