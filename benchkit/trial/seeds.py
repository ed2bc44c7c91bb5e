"""Streams of random numbers that pair trials by construction.

A stream is named by what it may depend on. Data, split and corruption never depend on the algorithm, and corruption
never on the budget; algorithms have streams of their own.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchkit.suite.trial import Trial


def seed_sequence(seed: int, *names: Any) -> np.random.SeedSequence:
    """Seed sequence of the stream with these names (plain values)."""
    text = json.dumps(names, sort_keys=True, default=str)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint32)
    return np.random.SeedSequence([seed, *words.tolist()])


def stream(seed: int, *names: Any) -> np.random.Generator:
    """Generator of the stream with these names."""
    return np.random.default_rng(seed_sequence(seed, *names))


def integer(seed: int, *names: Any) -> int:
    """One integer in [0, 2**31) from the stream with these names, for ``random_state`` parameters."""
    return int(seed_sequence(seed, *names).generate_state(1)[0] >> 1)


def seed_global(seed: int) -> None:
    """Seed the global generators of Python and of `numpy.random`, for those who draw from them against the rules."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


@contextmanager
def global_generators_kept() -> Iterator[None]:
    """Leave the global generators as they are now."""
    before = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002


def seed_of(trial: Trial, stream: str, *more: str) -> int:
    """The seed of a stream that an algorithm has on a repetition of a dataset."""
    return integer(trial.seed, stream, trial.dataset.identity, trial.repetition, trial.algorithm.name, *more)
