"""Streams of random numbers that pair trials by construction.

A stream is named by what it may depend on. Data, split and corruption never depend on the algorithm, and corruption
never on the budget; algorithms have streams of their own.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np


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
