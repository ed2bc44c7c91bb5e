"""The protocol of a trial, step by step.

Load, split, corrupt the training part (adversaries of phase ``train``), preprocess (fitted on the training part),
feature values, tune, refit, corrupt the test part, score.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchkit.plugin.manager import registry
from benchkit.suite.plan import Trial
from benchkit.trial.learner import Learner, warm_up
from benchkit.trial.memo import Memo
from benchkit.trial.opponent import Opponent
from benchkit.trial.prepared import Part, Prepared, prepare, prepare_untouched
from benchkit.trial.scoring import score
from benchkit.trial.tuning import tune


def run_trial(
    trial: Trial,
    memo: Memo,
    keep: Callable[[Any], None] | None = None,
    witness: Callable[[Prepared, Part], None] | None = None,
) -> dict[str, Any]:
    """Run one trial; return what it adds to its record.

    Parameters
    ----------
    trial : Trial
    memo : Memo
        Where fits are shared.
    keep : callable, optional
        Given the fitted estimator.
    witness : callable, optional
        Given the data, and the test part as the adversary left it.

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
    if trial.algorithm.tune:
        chosen, tune_seconds = tune(trial, learner, opponent, found, prepare_untouched(trial, adversary))
        params = learner.params(chosen)
    model, fit_seconds = learner.fit(params, learner.refit_on())
    if keep is not None:
        keep(model)
    start = time.perf_counter()
    test, truth = opponent.corrupt_test(model, prepared.test, "test")
    corrupt_seconds = time.perf_counter() - start
    if witness is not None:
        witness(prepared, test)
    seconds = {
        "load": prepared.load_seconds,
        "fit": fit_seconds,
        "tune": tune_seconds or 0.0,
        "corrupt": corrupt_seconds,
    }
    metrics = score(
        [found.metrics[name] for name in trial.metrics], model, test, prepared.test, prepared, truth, seconds
    )
    for name, value in metrics.items():
        if math.isinf(value):
            raise ValueError(f"metric {name} is {value}: no mean has room for it (NaN says that there is no value)")
    return {
        # A metric that has no value here is null in the journal, and so it is before that.
        "metrics": {name: value if math.isfinite(value) else None for name, value in metrics.items()},
        "params": {name: _plain(value) for name, value in params.items()},
        "budget": prepared.budget if trial.adversary else None,
        "fit_seconds": fit_seconds,
        "tune_seconds": tune_seconds,
    }


def get_ready(trial: Trial) -> None:
    """Import what a trial needs and compile what its algorithm compiles on first use, before its clocks start."""
    found = registry(trial.plugins)
    found.algorithms[trial.algorithm.name].make.resolve()
    if trial.adversary is not None:
        found.adversaries[trial.adversary.name].make.resolve()
    warm_up(trial.plugins, trial.algorithm.name)


def _plain(value: Any) -> Any:
    """A parameter as the record shows it."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    return value if isinstance(value, str | int | float | bool | list | dict | None) else repr(value)
