"""Data of the paper's kind, small."""

import numpy as np
import pytest


@pytest.fixture
def draw():
    """Returns X, y = X w* + noise on ``n`` rows, a fraction of them corrupted, w* and the clean rows."""

    def make(n=200, p=30, k=4, corrupted=0.0, noise=0.0, seed=0, first=True):
        rng = np.random.default_rng(seed)
        X, coef = rng.standard_normal((n, p)), np.zeros(p)
        where = np.arange(k) if first else rng.permutation(p)[:k]
        coef[where] = rng.uniform(0.5, 1.5, k) * rng.choice([-1, 1], k)
        y, clean = X @ coef, np.ones(n, dtype=bool)
        clean[rng.permutation(n)[: round(corrupted * n)]] = False
        shift = rng.uniform(-5, 5, n) * np.abs(y).max()
        return X, y + np.where(clean, 0.0, shift) + noise * rng.standard_normal(n), coef, clean

    return make
