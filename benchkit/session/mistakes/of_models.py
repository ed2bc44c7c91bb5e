"""What of a plan its trials will skip or find without a meaning: environments, adversaries and metrics of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchkit.environment.errors import EnvironmentMissingError
from benchkit.environment.place import build_command, place_of
from benchkit.plugin.declarations import Algorithm
from benchkit.plugin.declarations.words import Task
from benchkit.plugin.manager import Registry
from benchkit.suite.plan import Trial

_JUDGED = {"classification": "classes", "regression": "numbers"}


def will_be_skipped(trials: Iterable[Trial], registry: Registry) -> list[str]:
    """A line for each method, pair of method and adversary, and metric of which trials have no result.

    It is told from declarations and classes: no model is made. What a fitted model offers is seen in its trials.

    Parameters
    ----------
    trials : iterable of Trial
        Those that are left to run.
    registry : Registry
    """
    found: dict[str, None] = {}
    lacking: dict[str, list[str]] = {}
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
        if adversary.requires == "decision_function" and _lacks_scores(algorithm):
            labels = lacking.setdefault(trial.adversary.label, [])
            labels += [label] if label not in labels else []
    for name in metrics:
        if name in registry.metrics and tasks and tasks.isdisjoint(registry.metrics[name].tasks):
            holds = " and ".join(sorted(_JUDGED[task] for task in tasks))
            found[f"metric {name} does not judge {holds}, as the data holds: it has no value; leave it out"] = None
    for adversary_label, labels in lacking.items():
        found[
            f"{adversary_label} needs scores, and there is neither decision_function nor predict_proba in "
            f"{', '.join(labels)}: {'its' if len(labels) == 1 else 'their'} trials there will be skipped"
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


def _lacks_scores(algorithm: Algorithm) -> bool:
    """Whether a method's class has neither method that gives scores."""
    made = algorithm.make.resolve()
    return isinstance(made, type) and not (hasattr(made, "decision_function") or hasattr(made, "predict_proba"))
