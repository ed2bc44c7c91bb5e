"""Judging a fitted model: its predictions, and the metrics of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from benchkit.plugin.declarations import Metric, MetricContext, NotApplicableError
from benchkit.plugin.guard import blamed_on
from benchkit.trial.prepared import Part, Prepared

_ROUNDING = 1e-6


def ask(
    model: Any,
    part: Part,
    clean: Part,
    prepared: Prepared,
    truth: Mapping[str, Any],
    seconds: Mapping[str, float],
) -> MetricContext:
    """A model's predictions on a part, with all that metrics are given.

    Parameters
    ----------
    model : object
        Fitted on ``prepared.train``, or on it and the validation part.
    part, clean : Part
        What the model is asked to predict, and the same before the adversary.
    prepared : Prepared
    truth : mapping
        What the adversary did to ``part``.
    seconds : mapping
        As in `MetricContext`.
    """
    predictions = np.asarray(model.predict(part.X)).view()
    predictions.flags.writeable = False  # metrics share it, and the rows that are kept are made of it
    if predictions.shape != part.y.shape:
        raise ValueError(f"predict returned shape {predictions.shape} for {len(part.y)} rows")
    if predictions.dtype.kind == "f" and not np.isfinite(predictions).all():
        raise ValueError("predict returned values that are not finite")
    if is_classifier(model):
        _check_labels(predictions, np.concatenate([prepared.train.y, clean.y]))
    return MetricContext(
        model=model,
        X=part.X,
        y=part.y,
        predictions=predictions,
        truth={**prepared.truth, **truth},
        uncorrupted=clean.X,
        X_train=prepared.train.X,
        y_train=prepared.train.y,
        budget=prepared.budget,
        feature_values=prepared.values,
        groups=prepared.data.groups,
        seconds=seconds,
    )


def score(metrics: Sequence[Metric], judged: MetricContext, reasons: dict[str, str] | None = None) -> dict[str, float]:
    """Each metric's value for what a model did; NaN for one that has no meaning there.

    Parameters
    ----------
    metrics : sequence of Metric
    judged : MetricContext
    reasons : dict, optional
        Takes why a metric has no meaning.

    Raises
    ------
    NotApplicableError
        None of the metrics has a meaning.
    """
    task = "classification" if is_classifier(judged.model) else "regression"
    scores: dict[str, float] = {}
    without = reasons if reasons is not None else {}
    for metric in metrics:
        try:
            if task not in metric.tasks:
                raise NotApplicableError(f"metric {metric.name} does not judge {task}")
            scores[metric.name] = value_of(metric, judged)
        except NotApplicableError as error:
            scores[metric.name] = math.nan
            without[metric.name] = str(error)
    if without and len(without) == len(metrics):
        raise NotApplicableError("; ".join(without.values()))
    return scores


def value_of(metric: Metric, judged: MetricContext) -> float:
    """A metric's value: a number in the range that it declares, or NaN.

    Raises
    ------
    NotApplicableError
        It has no meaning there.
    TypeError, ValueError
        It is no number, or outside the range.
    """
    with blamed_on(f"metric {metric.name}"):
        value: Any = metric.compute(judged)
    if not isinstance(value, int | float | np.number):
        raise TypeError(f"metric {metric.name} returned {value!r}, expected a number")
    low, high = metric.range
    if not low - _ROUNDING <= value <= high + _ROUNDING and not math.isnan(value):
        raise ValueError(f"metric {metric.name} is {value:g}, outside the range {low:g} to {high:g} that it declares")
    return float(value)


def _check_labels(predictions: np.ndarray, known: np.ndarray) -> None:
    """Refuse labels that the data does not have: a model that names its classes otherwise is not a bad model."""
    classes = np.unique(known).tolist()
    strange = [label for label in np.unique(predictions).tolist() if label not in classes]
    if strange:
        shown = ", ".join(map(repr, classes[:10])) + (", ..." if len(classes) > 10 else "")
        raise ValueError(f"predict returned {strange[0]!r}, which is none of the classes: {shown}")
