"""The protocol of a trial, step by step.

Load, split, corrupt the training part (adversaries of phase ``train``), preprocess (fitted on the training part),
feature values, tune, refit, corrupt the test part, score.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from benchkit.plugin.declarations import NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.suite.schema import KeptRows
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.attack import Attacker
from benchkit.trial.fits import FitCache, bounded
from benchkit.trial.keeping import outcomes_of
from benchkit.trial.learner import Learner, warm_up
from benchkit.trial.prepared import Part, Prepared, prepare, prepare_untouched, sampling_fields
from benchkit.trial.record import LARGEST
from benchkit.trial.refusals import of_adversary
from benchkit.trial.scoring import ask, score
from benchkit.trial.seeds import seed_of
from benchkit.trial.tuning import tune
from benchkit.trial.tuning_scores import plain


def run_trial(
    trial: Trial,
    fit_cache: FitCache,
    keep: Callable[[Any], None] | None = None,
    on_corrupted: Callable[[Prepared, Part], None] | None = None,
    keep_rows: KeptRows = "none",
) -> dict[str, Any]:
    """Run one trial; return what it adds to its record.

    Parameters
    ----------
    trial : Trial
    fit_cache : FitCache
        Where fits are shared.
    keep : callable, optional
        Given the fitted estimator.
    on_corrupted : callable, optional
        Given the data, and the test part as the adversary left it.
    keep_rows : {"scores", "labels", "losses", "none"}, default="none"
        What is returned of each test row.

    Returns
    -------
    dict
        ``metrics``, ``params`` (as chosen), ``budget`` (the amount), ``fit_seconds``, ``tune_seconds``, the fields of
        `benchkit.trial.prepared.sampling_fields`, ``warnings`` (of the fits, by class: ``fit`` and ``tune``),
        ``at_edge`` (parameters that tuning chose at an end of their grid), ``no_value`` (why a metric has no
        meaning for this model or these labels), ``tuning`` (what each of its stages tried, with score and cost) and
        ``outcomes`` (`RowOutcomes` or None).

    Raises
    ------
    DataUnavailableError, NotApplicableError
        The trial is to be skipped.
    """
    seeds.seed_global(seed_of(trial, "global"))
    fit_cache.begin_trial()
    known = registry(trial.plugins)
    algorithm, dataset = known.algorithms[trial.algorithm.name], known.datasets[trial.dataset.name]
    adversary = known.adversaries[trial.adversary.name] if trial.adversary else None
    if adversary is not None and (reason := of_adversary(adversary, dataset.task)):
        raise NotApplicableError(f"{adversary.name} {reason}")
    prepared = prepare(trial, adversary)
    learner = Learner(trial, algorithm, prepared, fit_cache)
    learner.check_accepts(dataset)
    attacker = Attacker(trial, adversary, prepared)

    params, choice = learner.params({}), None
    if trial.algorithm.tune and learner.instead is None:
        choice = tune(trial, learner, attacker, known, prepare_untouched(trial, adversary))
        params = learner.params(choice.params)
    tune_seconds = choice.seconds if choice else None
    model, fit_seconds, warned = learner.fit(params, learner.refit_on())
    if keep is not None:
        keep(model)
    # Whether the fit was done here or found done: what follows draws the same.
    seeds.seed_global(seed_of(trial, "global", "test"))
    start = time.perf_counter()
    test, truth = attacker.corrupt_test(model, prepared.test, "test")
    corrupt_seconds = time.perf_counter() - start
    if on_corrupted is not None:
        on_corrupted(prepared, test)
    seconds = {
        "load": prepared.load_seconds,
        "fit": fit_seconds,
        "tune": tune_seconds or 0.0,
        "corrupt": corrupt_seconds,
    }
    reasons: dict[str, str] = {}
    judged = ask(model, test, prepared.test, prepared, truth, seconds)
    metrics = score([known.metrics[name] for name in trial.metrics], judged, reasons)
    for name, value in metrics.items():
        if abs(value) > LARGEST:
            raise ValueError(f"metric {name} is {value}: no mean has room for it (NaN says that there is no value)")
    return {
        # A metric that has no value here is null in the journal, and so it is before that.
        "metrics": {name: value if math.isfinite(value) else None for name, value in metrics.items()},
        # The groups, and what columns are called, are the dataset's, as long as it has columns, and no choice.
        "params": {
            **{name: plain(value) for name, value in params.items() if name not in learner.of_the_data},
            **({"at_all_features": learner.instead.name} if learner.instead is not None else {}),
        },
        "budget": prepared.budget if trial.adversary else None,
        "fit_seconds": fit_seconds,
        "tune_seconds": tune_seconds,
        **sampling_fields(trial.dataset.split, dataset, prepared),
        "warnings": {
            when: bounded(counts)
            for when, counts in (("fit", warned), ("tune", choice.warned if choice else {}))
            if counts
        },
        "at_edge": dict(choice.at_edge) if choice else {},
        "no_value": reasons,
        "tuning": list(choice.tried) if choice else [],
        "outcomes": outcomes_of(
            judged,
            prepared.test_rows,
            attacker.declared is not None,
            keep_rows,
            prepared.data,
            prepared.test.groups,
        ),
    }


def get_ready(trial: Trial) -> None:
    """Import what a trial needs and compile what its algorithm compiles on first use, before its clocks start."""
    known = registry(trial.plugins)
    known.algorithms[trial.algorithm.name].make.resolve()
    if trial.adversary is not None:
        known.adversaries[trial.adversary.name].make.resolve()
    for stage in trial.algorithm.tune:
        known.tuners[stage.search].make.resolve()
    warm_up(trial.plugins, trial.algorithm.name)
