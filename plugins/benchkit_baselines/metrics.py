"""Metrics of predictions."""

import numpy as np

from benchkit import Evaluation


def error(evaluation: Evaluation) -> float:
    """Share of wrong predictions."""
    return float(np.mean(evaluation.predictions != evaluation.y))


def accuracy(evaluation: Evaluation) -> float:
    """Share of right predictions."""
    return float(np.mean(evaluation.predictions == evaluation.y))
