"""An attack on a small table with gaps, a category, and preprocessing."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from tests.attacks import attack

# Columns 1 to 3 are a category, 4 and 5 two numbers of one sensor; 0, 6 and 7 stand alone.
GROUPS = ([1, 2, 3], [4, 5])


@pytest.fixture(scope="session")
def scene():
    """Builds an attack; rows as loaded have means and scales of their own."""

    def build(budget, seed=0, n=40, gaps=True, standardised=True, **changes):
        rng = np.random.default_rng(3)
        raw = 5 + rng.normal(size=(n, 8)) * np.array([1, 1, 1, 1, 2, 3, 10, 100])
        raw[:, [1, 2, 3]] = np.eye(3)[rng.integers(0, 3, n)]
        if gaps:
            raw[rng.random(n) < 0.1, 0] = np.nan
            raw[:, 4:6][rng.random(n) < 0.1] = np.nan
        scaler = StandardScaler().fit(raw)
        X = scaler.transform(raw) if standardised else raw
        known = {"X": X, "y": rng.integers(0, 2, n), "raw": raw, "deviations": np.nanstd(X, axis=0)}
        known |= {"feature_names": ("a", "b=x", "b=y", "b=z", "s1", "s2", "c", "d"), "groups": GROUPS}
        known |= {"group_names": ("b", "s"), "preprocess": scaler.transform if standardised else None}
        return attack(model=None, budget=budget, seed=seed, **{**known, **changes})

    return build
