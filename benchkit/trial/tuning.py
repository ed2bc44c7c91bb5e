"""Choosing an algorithm's parameters on the validation part, stage by stage."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

from benchkit.plugin.manager import Registry
from benchkit.suite.plan import Trial
from benchkit.suite.schema import Tune
from benchkit.trial.learner import Learner
from benchkit.trial.opponent import Opponent
from benchkit.trial.prepared import Prepared
from benchkit.trial.scoring import score


def tune(
    trial: Trial, learner: Learner, opponent: Opponent, found: Registry, untouched: Prepared
) -> tuple[dict[str, Any], float]:
    """The chosen candidate's parameters and the wall seconds that choosing took.

    Each stage keeps what the stages before it chose.

    Parameters
    ----------
    trial : Trial
    learner : Learner
    opponent : Opponent
    found : Registry
    untouched : Prepared
        The data as it is without an adversary of phase ``train``, for stages that fit on it.
    """
    chosen: dict[str, Any] = {}
    seconds = 0.0
    for stage in trial.algorithm.tune:
        prepared = untouched if stage.fit_on == "clean" else learner.prepared
        best, spent = _choose(stage, chosen, prepared, trial, learner, opponent, found)
        chosen, seconds = best, seconds + spent
    return chosen, seconds


def _choose(
    stage: Tune,
    chosen: Mapping[str, Any],
    prepared: Prepared,
    trial: Trial,
    learner: Learner,
    opponent: Opponent,
    found: Registry,
) -> tuple[dict[str, Any], float]:
    """The candidate with the best score on the validation part, the first of equals."""
    metric = found.metrics[stage.metric or trial.metrics[0]]
    sign = -1.0 if metric.greater_is_better else 1.0
    best: tuple[float, dict[str, Any]] | None = None
    candidates = [{**chosen, **candidate} for candidate in learner.grid(stage)]
    models, seconds = learner.fit_candidates([learner.params(each) for each in candidates], prepared.train)
    for candidate, model in zip(candidates, models, strict=True):
        start = time.perf_counter()
        clean = part = prepared.validation
        truth: Mapping[str, Any] = {}
        if stage.data == "corrupted":
            part, truth = opponent.corrupt_test(model, clean, "validation")
        loss = sign * score([metric], model, part, clean, prepared, truth, {})[metric.name]
        seconds += time.perf_counter() - start
        if not math.isnan(loss) and (best is None or loss < best[0]):
            best = loss, candidate
    if best is None:
        raise ValueError(f"the tuning grid of {trial.algorithm.label} is empty or every score is NaN")
    return best[1], seconds
