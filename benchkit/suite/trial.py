"""Trials, and what they are made of: a dataset, an algorithm and an adversary, each with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any

from benchkit.suite.names import NO_ADVERSARY, dataset_name, digest, portable_params, values_name
from benchkit.suite.schema import Split, Tune, ValuesEntry

# Keys of a stage of tuning that came later: an identity has them where they say something else.
_UNSAID: dict[str, Any] = {"search": "grid", "space": None, "candidates": None, "folds": None, "options": {}}

_OF_CELL = ["suite", "dataset", "dataset_params", "group", "feature_values", "algorithm", "adversary"]
_OF_CELL += ["adversary_params", "budget", "axis", "axis_value"]


@dataclass(frozen=True)
class PlannedDataset:
    """A dataset with all its parameters, and how its rows and columns are prepared."""

    name: str
    label: str
    params: Mapping[str, Any]
    group: str | None
    split: Split
    preprocess: tuple[str | dict[str, Any], ...]
    feature_values: ValuesEntry

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the data of a repetition, and the streams it is drawn from.

        Of a user's file the name, not the folder: it may move. Its content is part of a trial's id.
        """
        return {"name": self.name, "params": portable_params(self.params)}

    @property
    def whole(self) -> PlannedDataset:
        """With the file of its test part, where the split names one, as the last of its files: what is loaded."""
        # Not cached: an object that holds itself outlives its trial until all garbage is looked for.
        if not isinstance(self.split.test, str):
            return self
        path = self.params.get("path", [])
        files = [*(path if isinstance(path, list) else [path]), self.split.test]
        return replace(self, params={**self.params, "path": files})

    @cached_property
    def protocol(self) -> dict[str, Any]:
        """What decides how the data is prepared; of the split neither how often, nor in which folder a file lies."""
        later = {name for name in ("params", "groups", "time") if not getattr(self.split, name)}
        split = self.split.model_dump(exclude={"repetitions", *later})
        if isinstance(self.split.test, str):
            split["test"] = PurePath(self.split.test).name
        return {"split": split, "preprocess": list(self.preprocess), "feature_values": self.feature_values}


@dataclass(frozen=True)
class PlannedAlgorithm:
    """An algorithm with all its parameters, and how it is tuned."""

    name: str
    label: str
    params: Mapping[str, Any]
    tune: tuple[Tune, ...]
    tuning_seconds: float | None = None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides which estimator is fitted."""
        stages = [stage.model_dump().items() for stage in self.tune]
        tune = [{key: item for key, item in stage if key not in _UNSAID or item != _UNSAID[key]} for stage in stages]
        limit = {} if self.tuning_seconds is None or not tune else {"tuning_seconds": self.tuning_seconds}
        return {"name": self.name, "label": self.label, "params": self.params, "tune": tune, **limit}


@dataclass(frozen=True)
class PlannedAdversary:
    """An adversary with all its parameters and one budget: an amount, or a share of what it could take at most."""

    name: str
    label: str
    params: Mapping[str, Any]
    amount: float | None
    share: float | None

    @property
    def budget(self) -> float:
        """The amount, or the share."""
        value = self.amount if self.share is None else self.share
        assert value is not None
        return value

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What decides the stream of its randomness: not the budget, so that larger budgets extend smaller ones."""
        return {"name": self.name, "params": self.params}


@dataclass(frozen=True, slots=True)
class Trial:
    """One repetition of one dataset, algorithm, adversary and point on the axis: one future record."""

    suite: str
    profile: str
    seed: int
    dataset: PlannedDataset
    repetition: int
    algorithm: PlannedAlgorithm
    adversary: PlannedAdversary | None
    axis: str
    axis_value: Any
    metrics: tuple[str, ...]
    plugins: tuple[str, ...] = ()
    position: int = field(default=0, compare=False)  # among all that there can be of the suite: repetitions may go on

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of its record that are known before it runs; ``cell`` is shared by repetitions."""
        adversary = self.adversary
        fields = {
            "suite": self.suite,
            "dataset": self.dataset.label,
            "dataset_params": dict(self.dataset.params),
            "group": self.dataset.group,
            "feature_values": values_name(self.dataset.feature_values),
            "algorithm": self.algorithm.label,
            "adversary": adversary.label if adversary else NO_ADVERSARY,
            "adversary_params": dict(adversary.params) if adversary else {},
            "budget": adversary.amount if adversary else None,
            "axis": self.axis,
            "axis_value": self.axis_value,
            "profile": self.profile,
            "repetition": self.repetition,
            "params": dict(self.algorithm.params),
        }
        return {"cell": cell_of(fields), **fields}

    @property
    def display_name(self) -> str:
        """A short name for people."""
        dataset, adversary = self.dataset, f"{self.adversary.label} " if self.adversary else ""
        params = portable_params(dataset.params)
        if "path" in params:  # a user's file is known by its label, or else its name
            params = {"path": params["path"]} if dataset.label == dataset.name else {}
        where = f"{self.algorithm.label} on {dataset_name(dataset.label, params)}"
        value = f"{self.axis_value:g}" if isinstance(self.axis_value, float) else self.axis_value
        place = "" if value is None else f"{adversary}{self.axis}={value}, "
        return f"{where}, {place}repetition {self.repetition}"


def cell_of(fields: Mapping[str, Any]) -> str:
    """The ``cell`` of a trial's record with these fields."""
    return digest({name: fields.get(name) for name in _OF_CELL}, 12)
