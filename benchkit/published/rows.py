"""Published rows: the columns of ``records.parquet``, documented, written, and read with care whoever wrote them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchkit.journal import PublishError, Record
from benchkit.journal.record import DamagedLineError, parse_record
from benchkit.published.losses import LOSS_COLUMNS, RowLosses

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

FILE = "records.parquet"


class PublishedRow(Record):
    """A record with the question that it answers, the method that answers, and the published run that holds it."""

    design: str
    method: str
    contribution: str


COLUMNS: Mapping[str, tuple[str, str]] = {
    "trial": ("string", "id of the trial: a hash of everything that decided its outcome"),
    "run": ("string", "the run that measured it: an entry of the manifest's `origins`"),
    "design": ("string", "the question that it answers: an entry of the manifest's `content.designs`"),
    "method": ("string", "the method that answers: an entry of the manifest's `content.methods`"),
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
    "fit_seconds": ("float", "wall seconds of the final fit, on the machine of the run"),
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
    "published_with": ("string", "the suite whose published run holds the same row, where that is another"),
}
"""The same of columns that are there only where a row has something in them, as those of losses are."""

_KNOWN = {**COLUMNS, **FURTHER}
_METRIC = "metrics."
_ROWS_AT_ONCE = 2000


def write_rows(path: Path, rows: Sequence[PublishedRow], losses: Mapping[str, RowLosses]) -> None:
    """Write rows, and the losses of those trials that have any.

    Parameters
    ----------
    path : Path
    rows : sequence of PublishedRow
    losses : mapping of str to RowLosses
        By trial.
    """
    import pyarrow as pa
    from pyarrow import parquet

    further = [
        name
        for name, (kind, _) in FURTHER.items()
        if any(isinstance(row.get(name), dict if kind == "json" else str) for row in rows)
    ]
    columns = {name: [_cell(row.get(name), _KNOWN[name][0]) for row in rows] for name in [*COLUMNS, *further]}
    for name in LOSS_COLUMNS:
        values = [getattr(losses.get(row["trial"]), name, None) for row in rows]
        if any(value is not None for value in values):
            columns[name] = values
    for name in sorted({name for row in rows for name in row["metrics"]}):
        columns[f"{_METRIC}{name}"] = [_cell(row["metrics"].get(name), "float") for row in rows]
    schema = pa.schema([(name, _type(name)) for name in columns])
    table, shared = pa.table(columns, schema=schema), [name for name in columns if _type(name) in _shared_types()]
    parquet.write_table(
        table, path, compression="zstd", compression_level=19, use_dictionary=shared, write_statistics=False
    )


def read_rows(path: Path, contribution: str) -> list[PublishedRow]:
    """The rows of a file that anybody may have made: only columns of the documented names and types are read.

    Parameters
    ----------
    path : Path
    contribution : str
        The published run that holds it.

    Raises
    ------
    PublishError
        It is no such file.
    """
    rows: list[PublishedRow] = []
    with _opened(path) as file:
        names = [name for name in file.schema_arrow.names if _is_of_rows(name)]
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names):
            for values in batch.to_pylist():
                rows.append(_record(values, contribution, f"{path}: row {len(rows) + 1}"))
    return rows


def read_losses(path: Path) -> dict[str, RowLosses]:
    """The losses that trials of a file have, which anybody may have made.

    Raises
    ------
    PublishError
        It is no such file, or the losses are none of as many rows as were tested.
    """
    losses: dict[str, RowLosses] = {}
    shared: dict[bytes, bytes] = {}  # of many trials one part
    with _opened(path) as file:
        there = [name for name in LOSS_COLUMNS if name in file.schema_arrow.names]
        if "tested" not in there:
            return {}
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=["trial", "n_test", *there]):
            for values in batch.to_pylist():
                if values["tested"] is None:
                    continue
                given = {
                    name: shared.setdefault(values[name], values[name]) for name in there if values[name] is not None
                }
                kept = RowLosses(**given)
                if problem := kept.problem(values["n_test"]):
                    raise PublishError(f"{path}: trial {values['trial']}: {problem}")
                losses[values["trial"]] = kept
    return losses


@contextmanager
def _opened(path: Path) -> Iterator[parquet.ParquetFile]:
    """A file of the documented columns; what is none is said in one line."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            _check_schema(file.schema_arrow, path)
            yield file
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise PublishError(f"{path}: not a readable parquet file: {_first_line(error)}") from None


def _check_schema(schema: pa.Schema, path: Path) -> None:
    if len(set(schema.names)) < len(schema.names):
        raise PublishError(f"{path}: a column stands twice")
    for column in COLUMNS:
        if column not in schema.names:
            raise PublishError(f"{path}: no column {column!r}: not a file of published results, or of another version")
    for field in schema:
        if (_is_of_rows(field.name) or field.name in LOSS_COLUMNS) and field.type != _type(field.name):
            raise PublishError(f"{path}: column {field.name[:80]!r} is {field.type}, expected {_type(field.name)}")


def _record(values: Mapping[str, Any], contribution: str, where: str) -> PublishedRow:
    try:
        row: dict[str, Any] = {"error": None, "contribution": contribution, "metrics": {}}
        for name, value in values.items():
            if name.startswith(_METRIC):
                finite = value is not None and math.isfinite(value)
                row["metrics"][name.removeprefix(_METRIC)] = value if finite else None
            elif value is not None or name not in ("run", "candidates", *FURTHER):
                row[name] = json.loads(value) if value is not None and _kind(name) == "json" else value
        for name in ("dataset_params", "params", "adversary_params", "warnings", "at_edge"):
            row[name] = row[name] or {}
        return cast(PublishedRow, parse_record(json.dumps(row)))
    except (ValueError, RecursionError, DamagedLineError) as error:
        raise PublishError(f"{where}: {_first_line(error)}") from None


def _is_of_rows(column: str) -> bool:
    return column in _KNOWN or column.startswith(_METRIC)


def _kind(column: str) -> str:
    if column in LOSS_COLUMNS:
        return "bytes"
    return "float" if column.startswith(_METRIC) else _KNOWN[column][0]


def _type(column: str) -> pa.DataType:
    import pyarrow as pa

    types = {"float": pa.float64(), "int": pa.int64(), "bool": pa.bool_(), "bytes": pa.binary()}
    return types.get(_kind(column), pa.string())


def _shared_types() -> tuple[pa.DataType, ...]:
    import pyarrow as pa

    return pa.string(), pa.binary()


def _cell(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "json":
        return json.dumps(value, sort_keys=True, default=str)
    if kind == "float":
        return float(value) if math.isfinite(value) else None
    return value


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
