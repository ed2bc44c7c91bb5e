"""Names and parameters of splits, preprocessing steps and feature values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.names.known import check_name
from benchkit.session.mistakes.names.mistake import Mistakes
from benchkit.session.mistakes.names.parameters import check_params, parameters_of
from benchkit.suite.schema import SPLITS, STEPS, VALUES, DatasetEntry, Split
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite


def preparation_checks(suite: Suite, registry: Registry) -> Iterator[Mistakes]:
    """Checks of how data is prepared, in the suite and in those of its datasets that say otherwise."""
    entries: list[tuple[Location, Suite | DatasetEntry]] = [([], suite)]
    entries += [(["datasets", position], entry) for position, entry in enumerate(suite.datasets)]
    for at, entry in entries:
        if entry.split is not None:
            yield _check_split(registry, entry.split, [*at, "split"])
        for number, step in enumerate(entry.preprocess or ()):
            yield _check_step(registry, step, [*at, "preprocess", number])
        if isinstance(entry.feature_values, str) and entry.feature_values not in VALUES:
            yield check_name(registry.feature_values, VALUES, entry.feature_values, [*at, "feature_values"])


def _check_split(registry: Registry, split: Split, at: Location) -> Mistakes:
    if split.method in SPLITS:
        return
    yield from check_name(registry.splits, SPLITS, split.method, [*at, "method"])
    declared = registry.splits[split.method]
    yield from check_params(split.params, parameters_of(declared.make, at), split.method, [*at, "params"])


def _check_step(registry: Registry, step: str | Mapping[str, Any], at: Location) -> Mistakes:
    word = step if isinstance(step, str) else next(iter(step))
    if word not in STEPS:
        yield from check_name(registry.preprocessing_steps, STEPS, word, at)
