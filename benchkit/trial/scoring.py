"""Judging a fitted model: the test part as the adversary leaves it, the model's predictions, the metrics of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from benchkit.plugin.declarations import AttackContext, AttackResult, Metric, MetricContext, NotApplicableError
from benchkit.plugin.guard import blamed_on, with_blame
from benchkit.plugin.manager import registry
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.prepared import Part, Prepared, check_corruption
from benchkit.trial.record import LARGEST

_ROUNDING = 1e-6
_ROWS_COMPARED = 16  # rows whose scores tell whether a linear model is what its weights say


def _weights_give_scores(model: Any, X: Any) -> bool:
    """Whether the scores of some rows are X w + b with the weights that a linear model shows, as far as it has scores.

    One-against-one scores have other shapes; an adversary that reads weights per class looks at these itself.
    """
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.atleast_2d(model.coef_)
    rows = X[:_ROWS_COMPARED].toarray() if hasattr(X, "toarray") else np.asarray(X[:_ROWS_COMPARED], dtype=float)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not np.isfinite(coef).all():
        return False
    if not len(rows) or not hasattr(model, "decision_function") or rows.shape[1] != coef.shape[1]:
        return True
    scores, shown = np.asarray(model.decision_function(rows)), rows @ coef.T + np.ravel(model.intercept_)
    if scores.size != shown.size:
        return True
    return np.allclose(scores.ravel(), shown.ravel(), rtol=1e-4, atol=1e-6 * (1 + np.abs(shown).max()))


def corrupt(
    trial: Trial, prepared: Prepared, adversary: Any, model: Any, part: Part, stream: str
) -> tuple[Part, Mapping[str, Any]]:
    """A part as the trial's adversary of the phase ``test`` leaves it for a model, and what it tells of that.

    ``adversary`` is what its declaration made; where that is None, nobody acts.
    """
    if adversary is None or trial.adversary is None:
        return part, {}
    known = registry(trial.plugins)
    declared, kind = known.adversaries[trial.adversary.name], type(model).__name__
    if declared.requires == "linear":
        if not (hasattr(model, "coef_") and hasattr(model, "intercept_")):
            others = "'benchkit list adversaries' has others, which take any model"
            raise NotApplicableError(f"{declared.name} needs a linear model, one with coef_: {others}")
        if not _weights_give_scores(model, part.X):
            raise NotApplicableError(
                f"{declared.name} reads coef_ and intercept_, and those of {kind} are not finite, or not what its "
                "decision_function computes: it would not find the harm that it does"
            )
    scores = hasattr(model, "decision_function") or hasattr(model, "predict_proba")
    if declared.requires == "decision_function" and not scores:
        raise NotApplicableError(f"{declared.name} needs a model with decision_function or predict_proba")
    names = ("corruption", trial.dataset.identity, trial.repetition, trial.adversary.identity, stream)
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
        takes_missing=known.algorithms[trial.algorithm.name].accepts_missing,
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
            corruption = adversary.corrupt(attack)
        corruption = check_corruption(corruption, attack, declared)
    except IndexError:
        # The place of a true class among the model's is none where training lacked it: nothing is to be won there, and
        # the rows of other classes alone are corrupted.
        learnt = np.isin(part.y, getattr(model, "classes_", part.y))
        if learnt.all() or not learnt.any():
            raise
        rows = None if part.rows is None else part.rows[learnt]
        of_learnt = {"X": part.X[learnt], "y": part.y[learnt], "raw": part.raw[learnt], "rows": rows}
        attack = replace(attack, rng=seeds.stream(trial.seed, *names), **of_learnt)
        corruption = check_corruption(adversary.corrupt(attack), attack, declared)
        back = np.argsort(np.concatenate([np.flatnonzero(learnt), np.flatnonzero(~learnt)]))
        parts = (corruption.X, part.X[~learnt])
        X = sparse.vstack(parts, format="csr") if sparse.issparse(part.X) else np.concatenate(parts)
        truth = {name: value for name, value in corruption.truth.items() if np.ndim(value) == 0}
        corruption = AttackResult(X=X[back], y=part.y, truth=truth)
    if not np.array_equal(corruption.y, part.y):
        raise ValueError(f"adversary {declared.name} changed the true labels of the test part")
    return Part(corruption.X, corruption.y, part.raw, rows=part.rows), corruption.truth


def ask(
    model: Any, part: Part, clean: Part, prepared: Prepared, truth: Mapping[str, Any], seconds: Mapping[str, float]
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
        budget_unit=prepared.budget_unit,
        feature_values=prepared.values,
        groups=prepared.data.groups,
        seconds=seconds,
    )


class Scores(NamedTuple):
    """What metrics came to."""

    values: dict[str, float]  # NaN where there is none; nothing of metrics that failed
    reasons: dict[str, str]  # why a metric has none
    raised: BaseException | None  # by the first metric that failed


def score(metrics: Sequence[Metric], judged: MetricContext) -> Scores:
    """Each metric's value for what a model did; one that fails costs no other its value.

    Where none has a value, what was raised is raised, or a `NotApplicableError`.
    """
    values, reasons, raised = dict[str, float](), dict[str, str](), None
    for metric in metrics:
        try:
            value = score_one(metric, judged)
            if abs(value) > LARGEST:
                message = f"metric {metric.name} is {value}: too large to average; return NaN where there is no value"
                raise ValueError(message)
            values[metric.name] = value
        except NotApplicableError as error:
            values[metric.name], reasons[metric.name] = math.nan, str(error)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            reasons[metric.name], raised = f"{type(error).__name__}: {with_blame(error)}", raised or error
    if reasons and len(reasons) == len(metrics):
        raise raised or NotApplicableError("; ".join(reasons.values()))
    return Scores(values, reasons, raised)


def score_one(metric: Metric, judged: MetricContext) -> float:
    """A metric's value for what a model did, if it judges what the model does."""
    task = "classification" if is_classifier(judged.model) else "regression"
    if task not in metric.tasks:
        raise NotApplicableError(f"metric {metric.name} does not judge {task}")
    return value_of(metric, judged)


def value_of(metric: Metric, judged: MetricContext) -> float:
    """A metric's value: a number in the range that it declares, or NaN; anything else is refused.

    A `NotApplicableError` says that it has no meaning there.
    """
    with blamed_on(f"metric {metric.name}"):
        value: Any = metric.compute(judged)
    if not isinstance(value, int | float | np.number):
        shape = getattr(value, "shape", None)
        returned = f"{value!r:.80}" if shape is None else f"an array of shape {shape}"
        raise TypeError(f"metric {metric.name} returned {returned}, expected a number")
    low, high = metric.range
    if not low - _ROUNDING <= value <= high + _ROUNDING and not math.isnan(value):
        raise ValueError(f"metric {metric.name} is {value:g}, outside the range {low:g} to {high:g} that it declares")
    return float(value)
