"""What of a plan its trials will skip or find without a meaning: environments, adversaries and metrics of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchkit.data.kept import keep, kept
from benchkit.environment.errors import EnvironmentMissingError
from benchkit.environment.place import build_command, place_of
from benchkit.plugin.declarations import Adversary, Algorithm
from benchkit.plugin.declarations.words import Task
from benchkit.plugin.manager import Registry
from benchkit.suite.names import digest
from benchkit.suite.plan import PlannedAlgorithm, Trial
from benchkit.trial.identity import Fingerprints

_ROWS, _COLUMNS = 60, 6
_LINEAR, _SCORES = "a linear model", "a decision function"
# Adversaries that need less.
_OTHERS = {_LINEAR: "query-delete asks any model, and random-delete none", _SCORES: "random-delete asks no model"}
_JUDGED = {"classification": "classes", "regression": "numbers"}


def will_be_skipped(trials: Iterable[Trial], registry: Registry, fingerprints: Fingerprints) -> list[str]:
    """A line for each method, pair of method and adversary, and metric of which trials have no result.

    Parameters
    ----------
    trials : iterable of Trial
        Those that are left to run.
    registry : Registry
    fingerprints : Fingerprints
        Of what the registry declares: what was found of a method is kept until its sources change.
    """
    found: dict[str, None] = {}
    lacking: dict[tuple[str, str, str], list[str]] = {}
    tasks: set[Task] = set()
    metrics: dict[str, None] = {}
    for trial in _one_of_each(trials):
        algorithm, label = registry.algorithms[trial.algorithm.name], trial.algorithm.label
        if (line := _no_environment(algorithm, trial)) is not None:
            found |= {line: None} if line else {}
            continue
        task = registry.datasets[trial.dataset.name].task
        tasks.add(task)
        metrics |= dict.fromkeys(trial.metrics)
        if trial.adversary is None:
            continue
        adversary = registry.adversaries[trial.adversary.name]
        if adversary.phase == "test" and (lack := _lacks(adversary, algorithm, trial.algorithm, task, fingerprints)):
            named = lacking.setdefault((trial.adversary.label, *lack), [])
            named += [label] if label not in named else []
    for name in metrics:
        if name in registry.metrics and tasks and tasks.isdisjoint(registry.metrics[name].tasks):
            holds = " and ".join(sorted(_JUDGED[task] for task in tasks))
            found[f"metric {name} does not judge {holds}, as the data holds: it has no value; leave it out"] = None
    for (adversary_label, needed, instead), labels in lacking.items():
        found[
            f"{adversary_label} needs {needed}, and there is {instead} in {', '.join(labels)}: "
            f"{'its' if len(labels) == 1 else 'their'} trials there will be skipped; {_OTHERS[needed]}"
        ] = None
    return list(found)


def _one_of_each(trials: Iterable[Trial]) -> Iterator[Trial]:
    """One trial of each method and adversary on data of each dataset."""
    seen = set()
    for trial in trials:
        adversary = trial.adversary
        kind = (trial.dataset.name, trial.algorithm.label, adversary and (adversary.name, adversary.label))
        if kind not in seen:
            seen.add(kind)
            yield trial


def _no_environment(algorithm: Algorithm, trial: Trial) -> str | None:
    """What is said where a method's packages are not here; empty where another interpreter has them."""
    if algorithm.environment is None:
        return None
    try:
        built = place_of(algorithm.environment, build_command(algorithm, trial.plugins))
    except EnvironmentMissingError as error:
        return f"{trial.algorithm.label}: {error}; its trials will be skipped"
    return None if built is None else ""  # no other interpreter is started for a plan


@dataclass(frozen=True)
class _Has:
    """What a fitted model has."""

    coef: bool
    scores: bool


def _lacks(
    adversary: Adversary, algorithm: Algorithm, planned: PlannedAlgorithm, task: Task, fingerprints: Fingerprints
) -> tuple[str, str] | None:
    if adversary.requires is None:
        return None
    has = _found(algorithm, planned, task, fingerprints)
    if has is None:
        return None
    if adversary.requires == "linear" and not has.coef:
        return _LINEAR, "no coef_"
    if adversary.requires == "decision_function" and not has.scores:
        return _SCORES, "neither decision_function nor predict_proba"
    return None


_known: dict[str, _Has | None] = {}


def _found(algorithm: Algorithm, planned: PlannedAlgorithm, task: Task, fingerprints: Fingerprints) -> _Has | None:
    """What `_tried` finds, which imports what fits for seconds: once for the same sources and versions."""
    code = Path(__file__).read_text(encoding="utf-8")
    key = digest([planned.name, dict(planned.params), task, fingerprints.algorithm(planned.name), code], 32)
    if key not in _known:
        match kept("models", key):
            case {"coef": bool(coef), "scores": bool(scores)}:
                _known[key] = _Has(coef, scores)
            case "cannot be asked":
                _known[key] = None
            case _:
                _known[key] = has = _tried(algorithm, planned, task)
                keep("models", key, "cannot be asked" if has is None else asdict(has))
    return _known[key]


def _tried(algorithm: Algorithm, planned: PlannedAlgorithm, task: Task) -> _Has | None:
    """What the model has that is fitted to sixty rows; None where it cannot be asked so, and its trials will tell."""
    import warnings

    import numpy as np

    X = np.random.default_rng(0).normal(size=(_ROWS, _COLUMNS))
    y: Any = X[:, 0] if task == "regression" else np.where(X[:, 0] > 0, 1, -1)
    params = {name: value for name, value in planned.params.items() if value not in ("$budget", "$axis")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = algorithm.make(**params).fit(X, y)
        except Exception:  # a rule of the method's own, on data that is not the suite's
            return None
    scores = hasattr(model, "decision_function") or hasattr(model, "predict_proba")
    return _Has(hasattr(model, "coef_") and hasattr(model, "intercept_"), scores)
