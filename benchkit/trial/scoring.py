"""Judging a fitted model: the test part as the adversary leaves it, the model's predictions, the metrics of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from benchkit.plugin.declarations import (
    Adversary,
    AttackContext,
    AttackResult,
    Metric,
    MetricContext,
    NotApplicableError,
)
from benchkit.plugin.guard import blamed_on
from benchkit.plugin.manager import registry
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.prepared import Part, Prepared, check_corruption

_ROUNDING = 1e-6


class Attacker:
    """The trial's adversary in the phase ``test``, or nobody."""

    def __init__(self, trial: Trial, prepared: Prepared) -> None:
        self.trial, self.prepared = trial, prepared
        self.declared: Adversary | None = None
        if trial.adversary is not None:
            declared = registry(trial.plugins).adversaries[trial.adversary.name]
            if declared.phase == "test":
                self.declared, self.acting = declared, declared.make(**trial.adversary.params)

    def corrupt_test(self, model: Any, part: Part, stream: str) -> tuple[Part, Mapping[str, Any]]:
        """A part as the adversary leaves it for this model, and what it tells of that."""
        trial, cell, prepared, declared = self.trial, self.trial.adversary, self.prepared, self.declared
        if declared is None or cell is None:
            return part, {}
        if declared.requires == "linear" and not (hasattr(model, "coef_") and hasattr(model, "intercept_")):
            raise NotApplicableError(f"{declared.name} needs a linear model; {type(model).__name__} has no coef_")
        asks = hasattr(model, "decision_function") or hasattr(model, "predict_proba")
        if declared.requires == "decision_function" and not asks:
            raise NotApplicableError(f"{declared.name} needs a decision function; {type(model).__name__} has none")
        names = ("corruption", trial.dataset.identity, trial.repetition, cell.identity, stream)
        attack = AttackContext(
            X=part.X,
            y=part.y,
            budget=prepared.budget,
            feature_values=prepared.values,
            rng=seeds.stream(trial.seed, *names),
            model=model,
            raw=part.raw,
            feature_names=prepared.data.feature_names,
            groups=prepared.data.groups,
            group_names=prepared.data.group_names,
            means=prepared.train.means,
            takes_missing=registry(trial.plugins).algorithms[trial.algorithm.name].accepts_missing,
            imputed=prepared.imputed,
            deviations=prepared.train.deviations,
            preprocess=prepared.preprocess,
            train_X=prepared.train.X,
            train_y=prepared.train.y,
            data=prepared.data,
            rows=part.rows,
        )
        try:
            with blamed_on(f"adversary {declared.name}"):
                corruption = self.acting.corrupt(attack)
            corruption = check_corruption(corruption, attack, declared)
        except IndexError:
            known = np.isin(part.y, getattr(model, "classes_", part.y))
            if known.all() or not known.any():
                raise
            # The place of a true class among the model's is none where training lacked it: nothing is to be won there.
            corruption = self._corrupt_rows(replace(attack, rng=seeds.stream(trial.seed, *names)), known)
        if not np.array_equal(corruption.y, part.y):
            raise ValueError(f"adversary {declared.name} changed the true labels of the test part")
        return Part(corruption.X, corruption.y, part.raw, rows=part.rows), corruption.truth

    def _corrupt_rows(self, attack: AttackContext, rows: np.ndarray) -> AttackResult:
        """Corrupt some rows, and leave the others as they are."""
        assert self.declared is not None
        numbers = None if attack.rows is None else attack.rows[rows]
        part = replace(attack, X=attack.X[rows], y=attack.y[rows], raw=attack.raw[rows], rows=numbers)
        corruption = check_corruption(self.acting.corrupt(part), part, self.declared)
        back = np.argsort(np.concatenate([np.flatnonzero(rows), np.flatnonzero(~rows)]))
        parts = (corruption.X, attack.X[~rows])
        X = sparse.vstack(parts, format="csr") if sparse.issparse(attack.X) else np.concatenate(parts)
        truth = {name: value for name, value in corruption.truth.items() if np.ndim(value) == 0}
        return AttackResult(X=X[back], y=attack.y, truth=truth)


def ask(
    model: Any,
    part: Part,
    clean: Part,
    prepared: Prepared,
    truth: Mapping[str, Any],
    seconds: Mapping[str, float],
) -> MetricContext:
    """A model's predictions on a part, with all that metrics are given.

    ``clean`` is the part before the adversary, ``truth`` what that did to it; ``seconds`` are as in `MetricContext`.
    """
    predictions = np.asarray(model.predict(part.X)).view()
    predictions.flags.writeable = False  # metrics share it, and the rows that are kept are made of it
    if predictions.shape != part.y.shape:
        raise ValueError(f"predict returned shape {predictions.shape} for {len(part.y)} rows")
    if predictions.dtype.kind == "f" and not np.isfinite(predictions).all():
        raise ValueError("predict returned values that are not finite")
    if is_classifier(model):  # one that names its classes otherwise is not a bad one
        classes = np.unique(np.concatenate([prepared.train.y, clean.y])).tolist()
        strange = [label for label in np.unique(predictions).tolist() if label not in classes]
        if strange:
            names = ", ".join(map(repr, classes[:10])) + (", ..." if len(classes) > 10 else "")
            raise ValueError(f"predict returned {strange[0]!r}, which is none of the classes: {names}")
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
    """Each metric's value for what a model did; NaN for one that has no meaning there, and why in ``reasons``.

    A `NotApplicableError` is raised where none has.
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
    """A metric's value: a number in the range that it declares, or NaN; anything else is refused.

    A `NotApplicableError` says that it has no meaning there.
    """
    with blamed_on(f"metric {metric.name}"):
        value: Any = metric.compute(judged)
    if not isinstance(value, int | float | np.number):
        raise TypeError(f"metric {metric.name} returned {value!r}, expected a number")
    low, high = metric.range
    if not low - _ROUNDING <= value <= high + _ROUNDING and not math.isnan(value):
        raise ValueError(f"metric {metric.name} is {value:g}, outside the range {low:g} to {high:g} that it declares")
    return float(value)
