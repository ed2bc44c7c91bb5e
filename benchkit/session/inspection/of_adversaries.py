"""What adversaries ask of the data and it does not have: features, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchkit.plugin.declarations import Adversary, Data, Features
from benchkit.plugin.manager import Registry
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.loaded import Loaded
from benchkit.suite.plan import DatasetCell
from benchkit.suite.schema import AdversaryEntry
from benchkit.suite.source import Location


def feature_mistakes(loaded: Loaded, registry: Registry, cell: DatasetCell, data: Data) -> Iterator[str]:
    """Features that an entry names and the data does not have."""
    known = [*data.feature_names, *(name for name in data.group_names if name not in data.feature_names)]
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        param = adversary.features_param or ""
        named = entry.params.get(param)
        for place, name in enumerate(named if isinstance(named, list) else []):
            if isinstance(name, str) and name not in known:
                hint = Suggestion(name, known, otherwise=f"it has {', '.join(known[:20]) or 'none with a name'}")
                message = f"{cell.label} has no feature {name!r}; {hint}"
            elif isinstance(name, int) and not 0 <= name < data.X.shape[1]:
                message = f"{cell.label} has no column {name}: give 0 to {data.X.shape[1] - 1}"
            else:
                continue
            where: Location = ["adversaries", position, "params", param, place]
            yield str(loaded.source.error(where, message))


def budget_mistakes(loaded: Loaded, registry: Registry, cell: DatasetCell, data: Data) -> Iterator[str]:
    """Budgets above what the data has to spend."""
    features = Features(data.X.shape[1], data.groups)
    for position, entry, adversary in _applied(loaded, registry, cell.label):
        most, what = _most(adversary.budget_unit, cell, data, features)
        for place, budget in enumerate(entry.budgets):
            if not isinstance(budget, str) and budget > most * (1 + 1e-9):
                message = f"budget {budget:g} exceeds {most:g}, {what} of {cell.label}: give at most that"
                yield str(loaded.source.error(["adversaries", position, "budgets", place], message))


def _applied(loaded: Loaded, registry: Registry, label: str) -> Iterator[tuple[int, AdversaryEntry, Adversary]]:
    """The suite's known adversaries of a dataset, with their positions."""
    for position, entry in enumerate(loaded.suite.adversaries):
        if entry.name in registry.adversaries and (not entry.datasets or label in entry.datasets):
            yield position, entry, registry.adversaries[entry.name]


def _most(unit: str, cell: DatasetCell, data: Data, features: Features) -> tuple[float, str]:
    if unit == "value":
        values = data.feature_values if cell.feature_values == "given" else cell.feature_values
        if values is not None and not isinstance(values, str):
            return float(np.sum(values)), "the total value of the features"
    return (float(features.n_features) if unit in ("value", "features") else np.inf), "the number of features"
