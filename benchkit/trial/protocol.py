"""The protocol of a trial, step by step.

Load, split, corrupt the training part (adversaries of phase ``train``), preprocess (fitted on the training part),
feature values, tune, refit, corrupt the test part, score.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from benchkit.plugin.declarations import Evaluation, NotApplicableError
from benchkit.plugin.manager import Registry, registry
from benchkit.suite.plan import Trial
from benchkit.trial.learner import Learner
from benchkit.trial.memo import Memo
from benchkit.trial.opponent import Opponent
from benchkit.trial.prepared import Part, Prepared, prepare


def run_trial(trial: Trial, memo: Memo) -> dict[str, Any]:
    """Run one trial; return what it adds to its record.

    Parameters
    ----------
    trial : Trial
    memo : Memo
        Where fits are shared.

    Returns
    -------
    dict
        ``metrics``, ``params`` (as chosen), ``budget`` (the amount), ``fit_seconds``, ``tune_seconds``.

    Raises
    ------
    DataUnavailableError, NotApplicableError
        The trial is to be skipped.
    """
    found = registry(trial.plugins)
    algorithm = found.algorithms[trial.algorithm.name]
    adversary = found.adversaries[trial.adversary.name] if trial.adversary else None
    prepared = prepare(trial, adversary)
    learner = Learner(trial, algorithm, prepared, memo)
    learner.check_accepts(found.datasets[trial.dataset.name])
    opponent = Opponent(trial, adversary, prepared)

    params, tune_seconds = learner.params({}), None
    if trial.algorithm.tune is not None:
        params, tune_seconds = _tune(trial, learner, opponent, found)
    model, fit_seconds = learner.fit(params, learner.refit_on())
    test, truth = opponent.corrupt_test(model, prepared.test, "test")
    seconds = {"load": prepared.load_seconds, "fit": fit_seconds, "tune": tune_seconds or 0.0}
    metrics = _score(trial.metrics, found, model, test, prepared.test, prepared, truth, seconds)
    return {
        # A metric that has no value here is null in the journal, and so it is before that.
        "metrics": {name: value if math.isfinite(value) else None for name, value in metrics.items()},
        "params": {name: _plain(value) for name, value in params.items()},
        "budget": prepared.budget if trial.adversary else None,
        "fit_seconds": fit_seconds,
        "tune_seconds": tune_seconds,
    }


def _plain(value: Any) -> Any:
    """A parameter as the record shows it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    return value if isinstance(value, str | int | float | bool | list | dict | None) else repr(value)


def _tune(trial: Trial, learner: Learner, opponent: Opponent, found: Registry) -> tuple[dict[str, Any], float]:
    """Parameters with the best mean on the validation part, the first of equals, and the wall seconds it took."""
    tune = trial.algorithm.tune
    assert tune is not None
    name = tune.metric or trial.metrics[0]
    sign = -1.0 if found.metrics[name].greater_is_better else 1.0
    best: tuple[float, dict[str, Any]] | None = None
    seconds = 0.0
    for candidate in learner.grid():
        params = learner.params(candidate)
        model, fit_seconds = learner.fit(params, learner.prepared.train)
        start = time.perf_counter()
        clean = part = learner.prepared.validation
        truth: Mapping[str, Any] = {}
        if tune.data == "corrupted":
            part, truth = opponent.corrupt_test(model, clean, "validation")
        loss = sign * _score((name,), found, model, part, clean, learner.prepared, truth, {})[name]
        seconds += fit_seconds + time.perf_counter() - start
        if not math.isnan(loss) and (best is None or loss < best[0]):
            best = loss, params
    if best is None:
        raise ValueError(f"the tuning grid of {trial.algorithm.label} is empty or every score is NaN")
    return best[1], seconds


def _score(
    names: tuple[str, ...],
    found: Registry,
    model: Any,
    part: Part,
    clean: Part,
    prepared: Prepared,
    truth: Mapping[str, Any],
    seconds: Mapping[str, float],
) -> dict[str, float]:
    predictions = np.asarray(model.predict(part.X))
    if predictions.shape != part.y.shape:
        raise ValueError(f"predict returned shape {predictions.shape} for {len(part.y)} rows")
    if predictions.dtype.kind == "f" and not np.isfinite(predictions).all():
        raise ValueError("predict returned values that are not finite")
    evaluation = Evaluation(
        model=model,
        X=part.X,
        y=part.y,
        predictions=predictions,
        truth={**prepared.truth, **truth},
        uncorrupted=clean.X,
        budget=prepared.budget,
        feature_values=prepared.values,
        seconds=seconds,
    )
    task = "classification" if is_classifier(model) else "regression"
    scores = {}
    for name in names:
        metric = found.metrics[name]
        if task not in metric.tasks:
            raise NotApplicableError(f"metric {name} does not judge {task}")
        value: Any = metric.compute(evaluation)
        if not isinstance(value, int | float | np.number):
            raise TypeError(f"metric {name} returned {value!r}, expected a number")
        scores[name] = float(value)
    return scores
