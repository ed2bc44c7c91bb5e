"""Tables in files that anybody may have made: read within bounds, or refused in one line."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from benchkit.data.written_numbers import decimals_as_floats
from benchkit.regular_file import MEMORY, bounded_reading, most_megabytes, open_regular

if TYPE_CHECKING:
    import pandas as pd

_UNPACK: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda file: cast("IO[bytes]", gzip.GzipFile(fileobj=file)),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}

# What is made of a text takes so many times its size: fields of two bytes become objects, and are copied.
_TIMES_TEXT = 16

# What is made of a table in memory takes it several times: copies, and texts as objects.
_TIMES_TABLE = 8

# A file of the user's own may become so many times its size, however large that is.
_TIMES_OWN = 20


def read_text(path: Path, own: bool = False) -> bytes:
    """The content of a text file, unpacked as its name says (``.gz``, ``.bz2``, ``.xz``).

    Parameters
    ----------
    path : Path
    own : bool, default=False
        Whether it is the user's own: a large file may become a large table.

    Raises
    ------
    OSError
        It cannot be read, is no file, or is too large for the memory that reading may take.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        most = max(_most_text(), _TIMES_OWN * size if own else 0)
        unpack = _UNPACK.get(path.suffix.lower())
        if unpack is None and size > most:
            require_little_text(path, size)
        content = (file if unpack is None else unpack(file)).read(most + 1)
    if len(content) > most:
        require_little_text(path, len(content))
    return content


def require_little_text(path: Path, size: int) -> None:
    """Refuse a file whose text of so many bytes is too large for the memory that reading may take.

    Raises
    ------
    OSError
    """
    if size > _most_text():
        raise _too_large(path, f"more than {_most_text() / 2**20:g} MB of text")


def _most_text() -> int:
    return int(most_megabytes() / _TIMES_TEXT * 2**20)


def read_csv(path: Path, own: bool = False, **options: Any) -> pd.DataFrame:
    """The table of a text file, as ``pandas.read_csv`` makes it; ``own`` and errors are those of `read_text`."""
    import pandas as pd

    frame: pd.DataFrame = pd.read_csv(io.BytesIO(read_text(path, own)), **options)
    return frame


def read_parquet(path: Path, own: bool = False) -> pd.DataFrame:
    """The table of a Parquet file, whatever its footer says of its size.

    Parameters
    ----------
    path : Path
    own : bool, default=False
        As of `read_text`.

    Raises
    ------
    OSError, ValueError
        It cannot be read, is no such file, or is too large for the memory that reading may take.
    """
    import pyarrow as pa
    from pyarrow import parquet

    most = max(most_megabytes() / _TIMES_TABLE * 2**20, _TIMES_OWN * path.stat().st_size if own else 0)
    with open_regular(path) as file, bounded_reading(str(path), most * _TIMES_TABLE / 2**20):
        packed = parquet.ParquetFile(file)
        table = pa.Table.from_batches((), packed.schema_arrow)
        # Texts that are the same are one text in memory as in the file.
        texts = {field.name: field.type for field in packed.schema_arrow if _is_text(field.type)}
        shared = parquet.ParquetFile(file, read_dictionary=list(texts))
        batches, size = [], 0
        for batch in shared.iter_batches(use_threads=False):
            size += batch.nbytes
            if size > most:
                raise _too_large(path, f"a table of more than {most / 2**20:g} MB")
            batches.append(batch)
        table = pa.Table.from_batches(batches, batches[0].schema) if batches else table
        written = sum(_written_out(column) for column in table.columns)
    if written > most:
        raise _too_large(path, f"a table of more than {most / 2**20:g} MB")
    plain = [
        column.cast(texts[name]) if name in texts else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    schema = packed.schema_arrow  # with what pandas wrote of the index
    whole = pa.table(plain, names=table.column_names).replace_schema_metadata(schema.metadata)
    frame: pd.DataFrame = decimals_as_floats(whole).to_pandas()
    return frame


def _is_text(kind: Any) -> bool:
    """Whether a column is of texts, which pandas writes as large ones."""
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _written_out(column: Any) -> int:
    """Bytes of a column of texts, each counted as often as it stands there; 0 of others."""
    import pyarrow as pa
    from pyarrow import compute

    size = 0
    for chunk in column.chunks:
        if isinstance(chunk, pa.DictionaryArray) and _is_text(chunk.dictionary.type):
            size += compute.sum(compute.take(compute.binary_length(chunk.dictionary), chunk.indices)).as_py() or 0
    return size


def _too_large(path: Path, what: str) -> OSError:
    return OSError(
        errno.EFBIG,
        f"{what}, of which more than {most_megabytes():g} MB would be made; where you trust it, set {MEMORY} to more",
        str(path),
    )
