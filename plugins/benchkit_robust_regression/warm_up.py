"""Compiling the path of dense error correction before anything is timed."""

from __future__ import annotations

import numpy as np

from benchkit_robust_regression.homotopy import Homotopy


def compile_path() -> None:
    """Follow it on a tiny problem."""
    random = np.random.default_rng(0)
    X = random.normal(size=(12, 3))
    Homotopy().fit(X, X @ np.ones(3) + 0.1 * random.normal(size=12))
