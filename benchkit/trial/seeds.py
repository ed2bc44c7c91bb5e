"""Streams of random numbers that pair trials by construction.

A stream is named by what it may depend on. Data, split and corruption never depend on the algorithm, and corruption
never on the budget; algorithms have streams of their own.
"""

import hashlib
import json
import random
from typing import Any

import numpy as np

from benchkit.suite.trial import Trial


def stream(seed: int, *names: Any) -> np.random.Generator:
    """Generator of the stream with these names (plain values)."""
    text = json.dumps(names, sort_keys=True, default=str)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint32)
    return np.random.default_rng([seed, *words.tolist()])


def integer(seed: int, *names: Any) -> int:
    """One integer in [0, 2**31) from the stream with these names, for ``random_state`` parameters."""
    return int(stream(seed, *names).bit_generator.seed_seq.generate_state(1)[0] >> 1)


def seed_global(seed: int) -> None:
    """Seed the global generators of Python and of `numpy.random`, for those who draw from them against the rules."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def seed_of(trial: Trial, name: str, *more: str | int) -> int:
    """The seed of a stream that an algorithm has on a repetition of a dataset."""
    return integer(trial.seed, name, trial.dataset.identity, trial.repetition, trial.algorithm.name, *more)
