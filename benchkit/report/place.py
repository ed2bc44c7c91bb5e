"""Where trials of several methods meet: a data set, what is done to it, and a point on the axis."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from benchkit.suite.names import values_name
from benchkit.trial.record import Record

Params = tuple[tuple[str, str], ...]
"""Parameters by name, each value as JSON: they compare and hash, and 1, 1.0 and true are three values."""


class Place(NamedTuple):
    """What the records of a place share, whatever the method and the repetition.

    Labels are the suite's. An axis value is JSON, as those of parameters are.
    """

    dataset: str
    dataset_params: Params
    group: str | None
    feature_values: str
    adversary: str
    adversary_params: Params
    axis: str
    axis_value: str

    @property
    def curve(self) -> Place:
        """The place without its point on the axis: what it shares with the others of its curve."""
        return self._replace(
            dataset_params=_without(self.dataset_params, varied(self.axis, "dataset")),
            adversary_params=_without(self.adversary_params, varied(self.axis, "adversary")),
            axis_value="",
        )

    @property
    def of_group(self) -> Place:
        """The place of its group's mean, which members of other parameters and feature values share."""
        return self._replace(dataset=self.group or "", dataset_params=(), feature_values="")

    @property
    def panel(self) -> tuple[str, str]:
        """Group, or data set without one, and adversary: what figures and tables are put together by."""
        return self.group or self.dataset, self.adversary

    @property
    def data(self) -> tuple[str, Params, str]:
        """What a model is fitted to, whatever attacks it later."""
        return self.dataset, self.dataset_params, self.feature_values

    @property
    def attack(self) -> tuple[str, Params, str, str]:
        """What is done to the data, and how much of it: alike for all members of a group."""
        return self.adversary, self.adversary_params, self.axis, self.axis_value

    @property
    def as_named(self) -> Place:
        """By its names alone, which two runs share where their suites group and attack in other ways."""
        return self._replace(group=None, feature_values="", adversary_params=())


def place_of(record: Record | Mapping[str, Any]) -> Place:
    """Where a record stands, or the fields of a trial that is yet to run."""
    return Place(
        record["dataset"],
        _params(record["dataset_params"]),
        record.get("group"),
        values_name(record.get("feature_values", "")),  # an earlier version wrote the list itself
        record["adversary"],
        _params(record["adversary_params"]),
        record["axis"],
        _text(record["axis_value"]),
    )


def placed(records: Iterable[Record]) -> Iterator[tuple[Record, Place]]:
    """Each record with its place, which is made once for the records of a cell."""
    known: dict[str, Place] = {}
    for record in records:
        cell = record["cell"]
        place = known.get(cell)
        if place is None:
            place = known[cell] = place_of(record)
        yield record, place


def varied(axis: str, what: str) -> str:
    """The parameter of a ``dataset`` (or ``adversary``) that an axis runs over; empty where it runs over none."""
    of, _, name = axis.partition(".")
    return name if of == what else ""


def off_axis(params: Mapping[str, Any], axis: str) -> Mapping[str, Any]:
    """Parameters of a data set without the one that the axis runs over: of every point it is another."""
    along = varied(axis, "dataset")
    return {name: value for name, value in params.items() if name != along} if along else params


def _params(params: Mapping[str, Any]) -> Params:
    return tuple(sorted((name, _text(value)) for name, value in params.items())) if params else ()


def _without(params: Params, name: str) -> Params:
    return tuple(each for each in params if each[0] != name) if name else params


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
