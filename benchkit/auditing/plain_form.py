"""What an audit measured as plain values that a file can hold, and back; reading executes nothing."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from benchkit.auditing.column import Column
from benchkit.auditing.confidence import Confidence
from benchkit.auditing.fills import Filled
from benchkit.auditing.gap_probes import Probed
from benchkit.auditing.gap_reading import Reading
from benchkit.auditing.hardened import Hardened
from benchkit.auditing.lost_columns import Lost
from benchkit.auditing.lost_sets import LostPair, LostSet
from benchkit.auditing.measured import Measured
from benchkit.auditing.outages import Outages
from benchkit.auditing.outcome import Outcome
from benchkit.auditing.random_loss import RandomLoss
from benchkit.auditing.row_attack import Attacked
from benchkit.auditing.slices import Slice
from benchkit.auditing.sources import Source
from benchkit.auditing.subject import Subject

_KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        Attacked,
        Column,
        Confidence,
        Filled,
        Hardened,
        Lost,
        LostPair,
        LostSet,
        Measured,
        Outages,
        Outcome,
        Probed,
        RandomLoss,
        Reading,
        Slice,
        Source,
        Subject,
    )
}
# What only asking needs: the model itself, its columns' values, all its answers, and what stands for a lost column.
_LEFT_OUT = {("Subject", "model"), ("Column", "values"), ("Filled", "values")}

_MOST_NUMBERS = 10_000_000
_CLASS = "class"  # no field has such a name


def to_plain(value: Any) -> Any:
    """Mappings, lists, texts and numbers that JSON holds.

    Parameters
    ----------
    value : object
        Of the dataclasses of an audit, arrays, tuples, lists, mappings by text or number, and plain values.

    Raises
    ------
    TypeError
        It is none of these.
    """
    import numpy as np

    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value).__name__
        said = {
            each.name: None if (kind, each.name) in _LEFT_OUT else to_plain(getattr(value, each.name))
            for each in fields(value)
        }
        return {_CLASS: kind, **said}
    if isinstance(value, np.ndarray):
        contents = base64.b64encode(zlib.compress(np.ascontiguousarray(value).tobytes(), 1)).decode()
        return {_CLASS: "array", "type": value.dtype.str, "shape": list(value.shape), "contents": contents}
    if isinstance(value, tuple):
        return {_CLASS: "tuple", "of": [to_plain(each) for each in value]}
    if isinstance(value, list):
        return [to_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {_CLASS: "mapping", "of": [[to_plain(key), to_plain(each)] for key, each in value.items()]}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {_CLASS: "number", "is": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{type(value).__name__} has no plain form")


def from_plain(said: Any) -> Any:
    """What `to_plain` was given, without what only asking needs.

    Raises
    ------
    ValueError
        Another program wrote it.
    """
    if isinstance(said, list):
        return [from_plain(each) for each in said]
    if not isinstance(said, dict):
        return said
    kind = said.get(_CLASS)
    try:
        if kind == "tuple":
            return tuple(from_plain(each) for each in said["of"])
        if kind == "mapping":
            return {from_plain(key): from_plain(each) for key, each in said["of"]}
        if kind == "number":
            return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[said["is"]]
        if kind == "array":
            return _array(said)
        made = {name: from_plain(each) for name, each in said.items() if name != _CLASS}
        return _KINDS[str(kind)](**made)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{kind} is no part of an audit of this benchkit ({type(error).__name__})") from None


def _array(said: Mapping[str, Any]) -> Any:
    import numpy as np

    kind, size = np.dtype(said["type"]), math.prod(said["shape"])
    if kind.kind not in "biuf" or size > _MOST_NUMBERS:
        raise ValueError("an array of an audit holds so many numbers at most")
    packed = base64.b64decode(said["contents"])
    try:
        contents = zlib.decompressobj().decompress(packed, size * kind.itemsize + 1)  # what is longer does not fit
    except zlib.error:
        raise ValueError("an array of an audit is compressed") from None
    return np.frombuffer(contents, dtype=kind).reshape(said["shape"]).copy()
