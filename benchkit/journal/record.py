"""A record: what a line of the journal must be so that every reader can use it, and many of them in little memory."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from benchkit.trial.record import BLANK, Record

_FORMAT = TypeAdapter(Record)


_Row = TypeVar("_Row", bound=Record)


def changed(record: _Row, fields: Mapping[str, Any]) -> _Row:
    """A copy of a record with other values of some fields."""
    return cast(_Row, {**record, **fields})


class DamagedLineError(ValueError):
    """A line of the journal that is no record; the message says what is wrong with it."""


def parse_record(line: str) -> Record:
    """The record of a line, or a `DamagedLineError`."""
    try:
        row = _FORMAT.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DamagedLineError(f"{where}: {first['msg']}" if where else "not a JSON object, or torn") from None
    return row if row.keys() >= BLANK.keys() else cast(Record, BLANK | row)


_PLAIN = (str, int, float, bool, type(None))

_OF_ITS_OWN = ("trial", "fit_seconds", "cpu_seconds", "outcomes")  # to look for their like would cost, and find none


class _Layout:
    """Where the fields of records stand, and where their metrics do, behind them."""

    __slots__ = ("metrics", "positions")

    def __init__(self, names: tuple[str, ...], metrics: tuple[str, ...]) -> None:
        self.positions = {name: position for position, name in enumerate(names)}
        self.metrics = metrics


class CompactRecord(Mapping[str, Any]):
    """A record that nobody changes, in 0.5 kB of its own where a dict of its fields takes 1.2.

    `dict` makes one that may be changed, down to the mappings in it that are shared with others.
    """

    __slots__ = ("_layout", "_values")

    def __init__(self, layout: _Layout, values: tuple[Any, ...]) -> None:
        self._layout, self._values = layout, values

    def __getitem__(self, name: str) -> Any:
        layout = self._layout
        position = layout.positions[name]
        if name == "metrics":
            return dict(zip(layout.metrics, self._values[len(layout.positions) :], strict=True))
        return self._values[position]

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field, or the default where the record has no such field."""
        return self[name] if name in self._layout.positions else default

    def __contains__(self, name: object) -> bool:
        return name in self._layout.positions

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout.positions)

    def __len__(self) -> int:
        return len(self._layout.positions)

    def __repr__(self) -> str:
        return repr(dict(self))


class Compactor:
    """Names, texts and mappings of records, each kept once.

    A record that was pickled or parsed has texts of its own, names of its fields included: 4.5 kB, of which it shares
    nearly all with the others of its run.
    """

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}
        self._layouts: dict[Any, _Layout] = {}

    def compact(self, record: Mapping[str, Any]) -> Record:
        """The record, made of what earlier ones have."""
        metrics = record.get("metrics", {})
        names = tuple(record), tuple(metrics)
        layout = self._layouts.get(names)
        if layout is None:
            own, of_metrics = (tuple(map(sys.intern, each)) for each in names)
            layout = self._layouts[names] = _Layout(own, of_metrics)
        values = [
            None if name == "metrics" else value if name in _OF_ITS_OWN else self._shared(value)
            for name, value in record.items()
        ]
        return cast(Record, CompactRecord(layout, (*values, *metrics.values())))

    def _shared(self, value: Any) -> Any:
        if type(value) is str:
            return self._kept.setdefault(value, value)
        if type(value) is dict or type(value) is float:
            return self._kept.setdefault((type(value), repr(value)), value)  # 1, 1.0 and True in mappings are equal
        return value


def copied(value: Any) -> Any:
    """A copy of a record, or of a value in one, for those who may change it; what cannot change is shared."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, dict | CompactRecord):
        return {name: copied(item) for name, item in value.items()}
    if type(value) is list:
        return [copied(item) for item in value]
    return copy.deepcopy(value)
