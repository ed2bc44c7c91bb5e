"""Seeds of a trial that do not depend on its budget: of many trials in a row they are the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from benchkit.suite.plan import Trial
from benchkit.trial import seeds


def seed_of(trial: Trial, stream: str, *more: str) -> int:
    """The seed of a stream that an algorithm has on a repetition of a dataset."""
    dataset = _Dataset(repr(trial.dataset.identity), trial.dataset.identity)
    return _seed(trial.seed, stream, dataset, trial.repetition, trial.algorithm.name, more)


@dataclass(frozen=True)
class _Dataset:
    text: str
    identity: dict[str, Any] = field(compare=False)


@lru_cache(maxsize=64)
def _seed(seed: int, stream: str, dataset: _Dataset, repetition: int, algorithm: str, more: tuple[str, ...]) -> int:
    return seeds.integer(seed, stream, dataset.identity, repetition, algorithm, *more)
