"""A user's Parquet file."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from benchkit import Categories, Data, bounded_reading, decimals_as_floats
from benchkit_datasets.own.frames import leave_out, load_frame_classes, load_frame_targets
from benchkit_datasets.own.sampled_rows import recent, sample_rows
from benchkit_datasets.own.several_files import read_files
from benchkit_datasets.own.sources import Sources, with_sources

if TYPE_CHECKING:
    import pyarrow as pa

# No file holds a table so many times its own size, unless that is small.
_LEAST_LIMIT = 256 * 2**20
_TIMES_PACKED = 100
_LEAST_MEGABYTES = 768.0  # of memory to read it in


def load_parquet(
    path: str | list[str] | None = None,
    target: str | int = -1,
    drop: Sequence[str] = (),
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A Parquet table of numbers and categories, with classes to predict.

    Parameters
    ----------
    path : str or list of str
        Relative to the current directory; of several files with the same columns rows are put together, the column
        ``file`` of `Data.columns` saying where each is from.
    target : str or int, default=-1
        The column of classes: its name, or its position from 0; -1 is the last.
    drop : sequence of str, default=()
        Columns to leave out, such as the names of rows and dates.
    positive : class, optional
        The class that becomes +1 where there are two; else the larger, or later in the alphabet, does.
    pair, one_against_rest
        A binary problem of more classes, see `benchkit_datasets.problems.pairs.choose_problem`.
    missing_target : {"error", "drop"}, default="error"
        Whether rows without a target are a mistake, or left out.
    sources : mapping of str to list of str, optional
        Where columns come from, ``{bureau: [income, score]}``: those of a source are one feature, and fail together.
    rows : int, optional
        Rows to draw at random of a larger table, the same ones each time; all where absent.

    Returns
    -------
    Data
        Categories one-hot with one group per feature; NaN where a value is null.
    """
    frame, target, source, aside, files = _read_own(path, target, drop, rows)
    data = load_frame_classes(frame, target, source, positive, pair, one_against_rest, missing_target, aside, files)
    return with_sources(data, sources, source)


def load_parquet_regression(
    path: str | list[str] | None = None,
    target: str | int = -1,
    drop: Sequence[str] = (),
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A Parquet table of numbers and categories, with numbers to predict.

    Parameters
    ----------
    path, target, drop, missing_target, sources, rows
        As of `load_parquet`; the target is a column of numbers.
    """
    frame, target, source, aside, files = _read_own(path, target, drop, rows)
    return with_sources(load_frame_targets(frame, target, source, missing_target, aside, files), sources, source)


def _read_own(
    given: str | list[str] | None, target: str | int, drop: Sequence[str], rows: int | None
) -> tuple[pd.DataFrame, str | int, str, pd.DataFrame, Categories | None]:
    """The table without the columns to drop, its target, its path, those columns, and which file each row is from."""
    table, source, files = read_files(given, lambda path: recent(_read, path, rows))
    frame, target, aside = leave_out(table, target, drop, source)
    return frame, target, source, aside, files


class _TooLargeError(Exception):
    """The table is much larger than its file."""


def _read_whole(path: Path) -> pd.DataFrame:
    """The table, if it is of a plausible size for its file: a column of one value takes no room on the disk.

    Its texts are read as the file has them, each once; how long they are in all is known before they are written out.
    What the file says of its sizes need not be true: the memory that reading it takes is bounded, too.
    """
    import pyarrow.parquet  # noqa: F401  what is imported while it is read would count as read

    limit = max(_LEAST_LIMIT, _TIMES_PACKED * path.stat().st_size)
    with bounded_reading(str(path), max(_LEAST_MEGABYTES, limit / 2**20)):
        return _read_within(path, limit)


def _read_within(path: Path, limit: int) -> pd.DataFrame:
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    fields, facts = file.schema_arrow, file.metadata
    texts = [field.name for field in fields if _is_text(field.type)]
    packed = sum(facts.row_group(place).total_byte_size for place in range(facts.num_row_groups))
    _require_room(max(packed, facts.num_rows * len(fields)), limit)
    shared = parquet.ParquetFile(path, read_dictionary=texts)
    size, groups = 0, []
    for place in range(facts.num_row_groups):
        group = shared.read_row_group(place, use_threads=False)
        size += sum(_written_out(column) for column in group.columns)
        _require_room(size, limit)
        groups.append(group)
    table = pa.concat_tables(groups) if groups else file.read(use_threads=False)
    plain = {name: fields.field(name).type for name in texts}
    named = zip(table.column_names, table.columns, strict=True)
    columns = [column.cast(plain.get(name, column.type)) for name, column in named]
    return decimals_as_floats(pa.table(columns, schema=fields)).to_pandas(use_threads=False)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind))


def _written_out(column: pa.ChunkedArray) -> int:
    """Bytes of a column, each of its texts counted as often as it stands there."""
    import pyarrow as pa
    from pyarrow import compute

    size = 0
    for chunk in column.chunks:
        if isinstance(chunk, pa.DictionaryArray) and _is_text(chunk.dictionary.type):
            size += compute.sum(compute.take(compute.binary_length(chunk.dictionary), chunk.indices)).as_py() or 0
        size += chunk.nbytes if not isinstance(chunk, pa.DictionaryArray) else 8 * len(chunk)
    return size


def _require_room(size: int, limit: int) -> None:
    if size > limit:
        raise _TooLargeError(f"its table takes {size / 2**20:.0f} MB or more, over a hundred times its file: not read")


def _read(path: Path, rows: int | None = None) -> pd.DataFrame:
    try:
        frame = _read_whole(path)
    except _TooLargeError as error:
        raise ValueError(f"{path}: {error}") from None
    except ImportError:
        raise ValueError(f"{path}: reading Parquet needs pyarrow: pip install pyarrow") from None
    # What a damaged file raises are pyarrow's own errors, some of which are OSError, some ValueError.
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            raise ValueError(f"{path}: {error.strerror}") from None
        raise ValueError(f"{path}: not a Parquet file ({' '.join(str(error).split())})") from None
    if frame.empty:
        raise ValueError(f"{path}: the table is empty")
    return sample_rows(frame, rows)
