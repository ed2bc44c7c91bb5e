"""The protocol of a trial, step by step.

Load, split, corrupt the training part (adversaries of phase ``train``), preprocess (fitted on the training part),
feature values, tune, refit, corrupt the test part, ask the model, score, keep rows.
"""

import math
import time
from collections.abc import Callable
from typing import Any

from benchkit.plugin.declarations import Features, NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.suite.schema import KeptRows
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.learner import FitCache, Learner
from benchkit.trial.prepared import prepare
from benchkit.trial.refusals import of_adversary, of_algorithm, takes_many_classes
from benchkit.trial.rows import outcomes_of
from benchkit.trial.scoring import ask, corrupt, score
from benchkit.trial.seeds import seed_of
from benchkit.trial.tuning import Choice, plain, tune

# Algorithms of sets of plugins whose warm-up this process has called.
_warm: set[tuple[tuple[str, ...], str]] = set()


def run_trial(
    trial: Trial, fit_cache: FitCache, keep: Callable[[Any], None] | None = None, keep_rows: KeptRows = "none"
) -> dict[str, Any]:
    """Run one trial; return what it adds to its `Record`, but that ``outcomes`` is a `RowOutcomes`, or None.

    Beside that it has under ``raised`` what a metric has raised, where others have values; None where none has.

    ``keep`` is given the fitted estimator. The trial is to be skipped where a `DataUnavailableError` or a
    `NotApplicableError` is raised.
    """
    get_ready(trial)  # where nobody has before the clock
    seeds.seed_global(seed_of(trial, "global"))
    known = registry(trial.plugins)
    algorithm, dataset = known.algorithms[trial.algorithm.name], known.datasets[trial.dataset.name]
    if trial.adversary and (reason := of_adversary(known.adversaries[trial.adversary.name], dataset.task)):
        raise NotApplicableError(f"{trial.adversary.name} {reason}")

    # Load, split, corrupt the training part, preprocess, value the features.
    prepared = prepare(trial)
    learner = Learner(trial, prepared, fit_cache)
    many = prepared.kind.n_classes <= 2 or takes_many_classes(algorithm, learner.params({}))
    if reason := of_algorithm(algorithm, prepared.kind, many):
        raise NotApplicableError(f"it {reason}")
    adversary = None
    if trial.adversary and known.adversaries[trial.adversary.name].phase == "test":
        adversary = known.adversaries[trial.adversary.name].make(**trial.adversary.params)

    tunes = bool(trial.algorithm.tune) and learner.instead is None
    choice = tune(trial, learner, adversary) if tunes else Choice()
    params = learner.params(choice.params)
    fit = learner.fit([params], learner.refit_on())
    (model,) = fit.model
    if keep is not None:
        keep(model)

    # Whether the fit was done here or found done: what follows draws the same.
    seeds.seed_global(seed_of(trial, "global", "test"))
    start = time.perf_counter()
    test, truth = corrupt(trial, prepared, adversary, model, prepared.test, "test")
    seconds = {"load": prepared.load_seconds, "fit": fit.seconds, "tune": choice.seconds}
    seconds["corrupt"] = time.perf_counter() - start

    judged = ask(model, test, prepared.test, prepared, truth, seconds)
    scores = score([known.metrics[name] for name in trial.metrics], judged)

    rows = prepared.test.rows
    assert rows is not None
    split = trial.dataset.split
    units = "rows" if split.groups is None else {"column": split.groups, "groups": prepared.n_groups}
    # The groups are the dataset's, as long as it has columns, and no choice.
    recorded = {name: plain(value) for name, value in params.items() if name != algorithm.groups_param}
    return {
        # A metric that has no value here is null in the journal, and so it is before that.
        "metrics": {name: value if math.isfinite(value) else None for name, value in scores.values.items()},
        "params": recorded | ({"at_all_features": learner.instead.name} if learner.instead is not None else {}),
        "budget": prepared.budget if trial.adversary else None,
        "fit_seconds": fit.seconds,
        "tune_seconds": choice.seconds if tunes else None,
        "n_rows": len(prepared.data.y),
        "n_train": len(prepared.train.y),
        "n_validation": len(prepared.validation.y),
        "n_test": len(rows),
        "n_features": Features(len(prepared.values), prepared.data.groups).n_features,
        "generated": dataset.generated,
        "split": "time" if split.time is not None else "given" if split.test_is_given else split.method,
        "folds": split.folds,
        "units": units,
        "warnings": {when: by for when, by in (("fit", fit.warned), ("tune", choice.warned)) if by},
        "at_edge": choice.at_edge,
        "no_value": scores.reasons,
        "raised": scores.raised,
        "tuning": choice.stages,
        "outcomes": outcomes_of(judged, rows, adversary is not None, keep_rows, prepared.data, prepared.test.groups),
    }


def get_ready(trial: Trial) -> None:
    """Import what a trial needs and compile what its algorithm compiles on first use, before its clocks start."""
    known = registry(trial.plugins)
    algorithm = known.algorithms[trial.algorithm.name]
    algorithm.make.resolve()
    if trial.adversary is not None:
        known.adversaries[trial.adversary.name].make.resolve()
    for stage in trial.algorithm.tune:
        known.tuners[stage.search].make.resolve()
    once = (trial.plugins, algorithm.name)
    if algorithm.warm_up is not None and once not in _warm:
        algorithm.warm_up()
        _warm.add(once)
