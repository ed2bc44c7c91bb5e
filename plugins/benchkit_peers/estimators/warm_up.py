"""What happens once in a process, before the first fit that is timed."""

from __future__ import annotations

import numpy as np


def compile_groot() -> None:
    """Let numba compile the search for splits."""
    from benchkit_peers.estimators.classifiers import GrootForest

    X = np.random.default_rng(0).normal(size=(40, 3))
    GrootForest(n_estimators=2).fit(X, np.where(X[:, 0] > 0, 1, -1)).predict(X)


def import_torch() -> None:
    """Importing it takes seconds."""
    import torch

    torch.set_num_threads(1)
