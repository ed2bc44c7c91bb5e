"""What the fields of a table mean, whichever reader reads it: which are missing, and which texts are numbers.

Missing is what the file's format says is missing: an empty field, NaN and null of a text, null and NaN of Parquet, null
of JSON. "NA", "None" and "?" are texts like others, unless ``na_values`` names them; among numbers they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MISSING = ("", "NaN", "nan", "NULL", "null")
"""Fields of a text that are missing values."""

_WORDS = ("?", "NA", "N/A", "n/a", "na", "#N/A", "<NA>", "None", "none", "-", "--", ".")
_OTHER_MARK = {".": ",", ",": "."}


class TableQuestionError(ValueError):
    """A table that can be read in two ways; the message says how to choose."""


def missing_texts(na_values: Sequence[Any] | None) -> list[str]:
    """Fields that are missing, with those that a user names as they are written in the file."""
    return [*MISSING, *map(str, na_values or ())]


def read_decided(
    read: Callable[[str], pd.DataFrame], path: Path, decimal: str | None, na_values: Sequence[Any] | None
) -> pd.DataFrame:
    """The table of a text file, once it is clear what separates decimals and which words are missing values.

    Parameters
    ----------
    read : callable
        Reads it with ``"."`` or ``","`` before the decimals: columns of numbers alone as such, others as texts.
    path : Path
        For messages.
    decimal : {".", ","} or None
        Where None, commas are decimal marks if no number of the file can be read otherwise, and none has a point. The
        other mark may group thousands.
    na_values : sequence or None
        What is missing besides `MISSING`, as ``read`` knows; where None, words such as NA among numbers are asked for.

    Raises
    ------
    TableQuestionError
        There are two readings, or a table mixes both marks.
    """
    frame = read(decimal or ".")
    if na_values is None:
        _ask_for_words(frame, path)
    if decimal is None:
        decimal = _decimal_mark(frame, path)
        frame = frame if decimal == "." else read(decimal)
    return _with_thousands(frame, decimal, path)


def decimals_as_floats(table: pa.Table) -> pa.Table:
    """An Arrow table whose decimal numbers, which pandas takes for objects, are floats."""
    import pyarrow as pa

    fields = [field.with_type(pa.float64()) if pa.types.is_decimal(field.type) else field for field in table.schema]
    return table.cast(pa.schema(fields, metadata=table.schema.metadata))


def _texts(frame: pd.DataFrame) -> Iterator[tuple[Any, list[str]]]:
    """Columns of texts, and what they hold."""
    import pandas as pd

    for name, column in frame.items():
        if pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype):
            texts = [text.strip() if isinstance(text, str) else "x" for text in column.dropna().unique()]
            if texts:
                yield name, texts


def _plain(mark: str) -> re.Pattern[str]:
    mark = re.escape(mark)
    return re.compile(rf"[+-]?(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?")


def _grouped(mark: str) -> re.Pattern[str]:
    """Numbers whose thousands are grouped by the other mark."""
    group, mark = re.escape(_OTHER_MARK[mark]), re.escape(mark)
    return re.compile(rf"[+-]?[1-9]\d{{0,2}}({group}\d{{3}})+({mark}\d*)?")


def _are_numbers(texts: Sequence[str], mark: str) -> bool:
    plain, grouped = _plain(mark), _grouped(mark)
    return all(plain.fullmatch(text) or grouped.fullmatch(text) for text in texts)


def _ask_for_words(frame: pd.DataFrame, path: Path) -> None:
    for name, texts in _texts(frame):
        words = [text for text in texts if text in _WORDS]
        numbers = [text for text in texts if text not in _WORDS]
        if words and numbers and (_are_numbers(numbers, ".") or _are_numbers(numbers, ",")):
            rows = int(frame[name].isin(words).sum())
            raise TableQuestionError(
                f"{path}: column {str(name)!r} has numbers, and {', '.join(map(repr, words))} in {rows} rows: give "
                f"na_values: [{', '.join(map(repr, words))}] where that is missing, na_values: [] where it is text "
                f"(--na-values {','.join(words)}, --na-values '')"
            )


def _decimal_mark(frame: pd.DataFrame, path: Path) -> str:
    """What separates decimals; a line that asks where it cannot be told."""
    import pandas as pd

    only_decimal: list[tuple[Any, str]] = []
    only_group: list[tuple[Any, str]] = []
    either: list[tuple[Any, str]] = []
    for name, texts in _texts(frame):
        if not any("," in text for text in texts):
            continue
        as_point, as_comma = _are_numbers(texts, "."), _are_numbers(texts, ",")
        if as_point or as_comma:
            example = name, next(text for text in texts if "," in text)
            (either if as_point and as_comma else only_group if as_point else only_decimal).append(example)
    points = [
        (name, f"{column[column % 1 != 0].iloc[0]:g}")
        for name, column in frame.items()
        if pd.api.types.is_float_dtype(column.dtype) and (column.dropna() % 1 != 0).any()
    ]
    if only_decimal and not only_group and not points:
        return ","
    if not only_decimal and not either:
        return "."
    if only_group and not only_decimal:
        return "."
    name, text = (either or only_decimal)[0]
    other = f", and column {str(points[0][0])!r} such as {points[0][1]}" if points else ""
    raise TableQuestionError(
        f"{path}: column {str(name)!r} has numbers such as {text!r}{other}: give decimal: ',' where the comma stands "
        "before decimals, decimal: '.' where it groups thousands (--decimal , or --decimal .)"
    )


def _with_thousands(frame: pd.DataFrame, decimal: str, path: Path) -> pd.DataFrame:
    """Texts whose thousands are grouped as numbers; a line where numbers have the other decimal mark."""
    import pandas as pd

    other = _OTHER_MARK[decimal]
    made = {}
    for name, texts in _texts(frame):
        if _are_numbers(texts, decimal):
            plain = frame[name].map(
                lambda text: text.strip().replace(other, "").replace(decimal, "."), na_action="ignore"
            )
            made[name] = pd.to_numeric(plain)
        elif decimal == "," and _are_numbers(texts, "."):
            raise TableQuestionError(
                f"{path}: column {str(name)!r} has numbers such as {texts[0]!r}, where decimals stand behind commas: "
                "write all numbers alike, or give decimal: '.'"
            )
    return frame.assign(**made) if made else frame
