"""How outcomes of rows lie in Arrow streams beside the journal: ``<suite>/rows/<run>.arrows``, one batch a trial.

A record's ``outcomes``, such as ``quickstart/rows/20260101-120000-000000.arrows:832+2928``, names the file, below the
output folder, with the place and the length of its batch there, so that one is read without the others. What the test
parts of a run are (row numbers and true labels, which all methods share) is in ``<run>.parts.arrows`` beside it, each
part once. Both are streams that any reader of Arrow takes.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

FOLDER = "rows"


def trials_schema() -> pa.Schema:
    """Columns of a trial's outcomes: its name, its test part, and a list of what became of each row."""
    import pyarrow as pa

    return pa.schema(
        {
            "trial": pa.string(),
            "part": pa.string(),
            "wrong": pa.list_(pa.bool_()),
            "squared": pa.list_(pa.float32()),
            "label": pa.list_(pa.int32()),
            "target": pa.list_(pa.float64()),
            "decision": pa.list_(pa.float64()),
            "probabilities": pa.list_(pa.float64()),
            "classes": pa.string(),  # of the columns of the two before it, as JSON
            "changed": pa.binary(),  # bits, row after row
        }
    )


def parts_schema() -> pa.Schema:
    """Columns of a test part: its name, and lists of the rows' numbers and truths."""
    import pyarrow as pa

    return pa.schema(
        {
            "part": pa.string(),
            "rows": pa.list_(pa.int32()),
            "label": pa.list_(pa.int32()),
            "target": pa.list_(pa.float64()),
            "classes": pa.string(),
            "groups": pa.list_(pa.int32()),  # where whole groups are drawn
            "names": pa.string(),  # of classes and of the columns' features, as JSON
        }
    )


def require_plain(metadata: bytes) -> None:
    """Refuse a batch that is compressed, as none is that is written here: it may become any size.

    The metadata of a message is a FlatBuffer (Message.fbs of Arrow): the table of the message has a batch as its third
    field, whose fourth field says how it is compressed.

    Raises
    ------
    ValueError
    """

    def field(table: int, number: int) -> int:
        """Where a field of a table is; 0 where it has none."""
        (back,) = struct.unpack_from("<i", metadata, table)
        (size,) = struct.unpack_from("<H", metadata, table - back)
        place = 4 + 2 * number
        return table + within if place < size and (within := _short(metadata, table - back + place)) else 0

    def target(place: int) -> int:
        return place + int(struct.unpack_from("<I", metadata, place)[0])

    try:
        batch = field(target(0), 2)
        compressed = not batch or field(target(batch), 3)
    except struct.error:
        compressed = True
    if compressed:
        raise ValueError("a batch that is compressed, or none")


def _short(metadata: bytes, place: int) -> int:
    return int(struct.unpack_from("<H", metadata, place)[0])
