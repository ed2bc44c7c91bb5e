"""Metrics of predictions and of time."""

import numpy as np

from benchkit import MetricContext


def error(evaluation: MetricContext) -> float:
    """Share of wrong predictions."""
    return float(np.mean(evaluation.predictions != evaluation.y))


def accuracy(evaluation: MetricContext) -> float:
    """Share of right predictions."""
    return float(np.mean(evaluation.predictions == evaluation.y))


def mean_absolute_error(evaluation: MetricContext) -> float:
    """Mean distance of predictions from targets."""
    return float(np.mean(np.abs(evaluation.predictions - evaluation.y)))


def mean_squared_error(evaluation: MetricContext) -> float:
    """Mean squared distance of predictions from targets."""
    return float(np.mean((evaluation.predictions - evaluation.y) ** 2))


def fit_seconds(evaluation: MetricContext) -> float:
    """Wall seconds of the final fit; NaN while candidates are judged."""
    return evaluation.seconds.get("fit", float("nan"))


def tune_seconds(evaluation: MetricContext) -> float:
    """Wall seconds of choosing parameters."""
    return evaluation.seconds.get("tune", float("nan"))


def corrupt_seconds(evaluation: MetricContext) -> float:
    """Wall seconds that the adversary took for the test part."""
    return evaluation.seconds.get("corrupt", float("nan"))


def load_seconds(evaluation: MetricContext) -> float:
    """Wall seconds until the dataset was ready in the worker that loaded it."""
    return evaluation.seconds.get("load", float("nan"))
