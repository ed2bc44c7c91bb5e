"""What every metric keeps to."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from benchkit.plugin.declarations import Metric, MetricContext, NotApplicableError
from benchkit.suite.schema import KeptRows
from benchkit.testing.rule import NotAskedError, quietly, require, rule
from benchkit.testing.tiny import data_for
from benchkit.trial.prepared import protected
from benchkit.trial.record import LARGEST
from benchkit.trial.rows import outcomes_of, stored_context
from benchkit.trial.scoring import value_of

_close = partial(np.isclose, rtol=1e-6, atol=1e-9, equal_nan=True)


@rule("metrics")
def returns_a_number(metric: Metric) -> None:
    """Of every task it declares, it makes a number, the same one again; NaN where it has none."""
    for evaluation in _evaluations(metric):
        first, second = (_value(metric, evaluation) for _ in range(2))
        far = f"returned {first}, which is too large to average: return nan where there is no value"
        require(not abs(first) > LARGEST, far)
        require(_close(first, second, rtol=0, atol=0), f"returned {first}, then {second}")


@rule("metrics")
def needs_no_more_than_tuning_knows(metric: Metric) -> None:
    """Without times, training part and truth, as while candidates are judged, it returns a number or NaN."""
    for full in _evaluations(metric):
        _value(metric, MetricContext(model=full.model, X=full.X, y=full.y, predictions=full.predictions, truth={}))


@rule("metrics")
def better_as_declared(metric: Metric) -> None:
    """Where predictions decide it, right ones are no worse than wrong ones, by `greater_is_better`."""
    asked = False
    for evaluation in _evaluations(metric):
        labels = np.unique(evaluation.y)
        wrong_ones = labels.sum() - evaluation.y if len(labels) == 2 else evaluation.y + 10 * np.std(evaluation.y)
        right, wrong = (
            _value(metric, replace(evaluation, predictions=predictions)) for predictions in (evaluation.y, wrong_ones)
        )
        if right == wrong or math.isnan(right) or math.isnan(wrong):
            continue
        asked = True
        require(
            (right > wrong) == metric.greater_is_better,
            f"is {right:g} of right predictions and {wrong:g} of wrong ones: declare greater_is_better={right > wrong}",
        )
    if not asked:
        raise NotAskedError("is not decided by predictions")


@rule("metrics")
def follows_from_what_it_needs(metric: Metric) -> None:
    """Of what `needs` says alone, as a run keeps it of its rows, it makes the same number."""
    if metric.needs == "model":
        raise NotAskedError("needs the model")
    for evaluation in _evaluations(metric):
        kept = outcomes_of(evaluation, np.arange(len(evaluation.y)), False, cast(KeptRows, metric.needs))
        assert kept is not None
        value, again = _value(metric, evaluation), _value(metric, stored_context(kept))
        differ = f"is {value:g} in the trial and {again:g} of its {metric.needs}: declare what else it needs"
        require(_close(value, again), differ)


@rule("metrics")
def rows_have_it_as_their_mean(metric: Metric) -> None:
    """The mean of `row_values` is the metric."""
    if metric.row_values is None:
        raise NotAskedError("declares no row_values")
    for evaluation in _evaluations(metric):
        with quietly():
            values = np.asarray(metric.row_values(evaluation), dtype=float)
        require(values.shape == evaluation.y.shape, f"row_values has shape {values.shape} of {len(evaluation.y)} rows")
        value, mean = _value(metric, evaluation), float(values.mean())
        require(_close(value, mean), f"is {value:g}, and row_values mean {mean:g}")


def _evaluations(metric: Metric) -> Iterator[MetricContext]:
    """What a metric is given of a model of each of its tasks; it cannot be written to."""
    for task in metric.tasks:
        data = data_for(task)
        X, y = protected(data.X), protected(data.y)
        model = (LogisticRegression() if task == "classification" else LinearRegression()).fit(X, y)
        yield MetricContext(
            model=model,
            X=X,
            y=y,
            predictions=protected(np.asarray(model.predict(X))),
            truth=data.truth,
            uncorrupted=X,
            X_train=X,
            y_train=y,
            budget=1.0,
            feature_values=protected(np.ones(X.shape[1])),
            seconds={"load": 0.1, "fit": 0.2, "tune": 0.3},
        )


def _value(metric: Metric, evaluation: MetricContext) -> float:
    with quietly():
        try:
            return value_of(metric, evaluation)
        except NotApplicableError as error:
            raise NotAskedError(str(error)) from None
