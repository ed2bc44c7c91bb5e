"""All mistakes of a suite, and what of its trials will be skipped or means little."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchkit.check.data import Findings, look_at_data
from benchkit.check.names import name_mistakes
from benchkit.check.reading import Limits
from benchkit.data.files import cache_folder
from benchkit.environment.place import EnvironmentMissingError, build_command, is_satisfied_here, place_of
from benchkit.execute.apart import SECONDS_OF_IMPORT, call_all
from benchkit.plugin.declarations import Adversary, Algorithm, Deferred, Task
from benchkit.plugin.manager import Registry, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.suite.load import Loaded
from benchkit.suite.names import digest
from benchkit.suite.trial import Trial
from benchkit.trial.identity import Fingerprints


def find(
    loaded: Loaded,
    registry: Registry,
    fingerprints: Fingerprints,
    plugins: tuple[str, ...] = (),
    data_of: Collection[str] | None = (),
    found: Sequence[str] | None = None,
    limits: Limits = Limits(),  # noqa: B008
) -> Findings:
    """All that is wrong with a suite that could be read, and what of it will be skipped.

    Parameters
    ----------
    loaded : Loaded
    registry : Registry
    fingerprints : Fingerprints
        Under which parsed data is kept.
    plugins : tuple of str, default=()
        Plugin files.
    data_of : collection of str or None, default=()
        Labels of the datasets whose data is looked at: none before it is known which trials are left, all where None.
    found : sequence of str, optional
        What was found without data, and by planning; it is not looked for again.
    limits : Limits, optional
        Of reading a data set.
    """
    if found is None:
        found = import_mistakes(loaded, registry, fingerprints, plugins) or name_mistakes(loaded, registry)
    seen = look_at_data(loaded, registry, fingerprints, plugins, data_of, limits)
    return Findings(list(dict.fromkeys([*found, *seen.mistakes])), seen.warnings, seen.notes)


def import_mistakes(
    loaded: Loaded, registry: Registry, fingerprints: Fingerprints, plugins: tuple[str, ...] = ()
) -> list[str]:
    """What plugins declare that cannot be imported, of what the suite names: once each, and of the plugin's file.

    Code that benchkit does not bring is imported in a worker process before it may be imported in this one.
    """
    suite = loaded.suite
    named: dict[str, Iterable[str]] = {
        "datasets": (entry.name for entry in suite.datasets),
        "algorithms": (entry.name for entry in suite.algorithms),
        "adversaries": (entry.name for entry in suite.adversaries),
        "metrics": suite.metrics,
    }
    own: dict[str, str] = {}
    others: dict[str, str] = {}
    marks: dict[str, Path] = {}
    for kind, names in named.items():
        catalogue = registry.catalogue(kind)
        for name in names:
            if name not in catalogue:
                continue
            declared = catalogue[name]
            environment = getattr(declared, "environment", None)
            if environment is not None and not is_satisfied_here(environment):
                continue  # another interpreter imports it, or its trials are skipped
            code: Deferred = (
                declared.load if kind == "datasets" else getattr(declared, "make", None) or declared.compute
            )
            if not isinstance(code.target, str):
                continue
            key = digest([code.target, fingerprints.closure(code), fingerprints.protocol], 32)
            marks[code.target] = cache_folder() / "imported" / key
            if not marks[code.target].exists():
                plugin = catalogue.origin[name]
                what = f"{registry.plugins.get(plugin, plugin)}: {catalogue.kind} {name!r}"
                (own if registry.is_own(declared) else others).setdefault(code.target, what)
    errors = {target: _import_error(target, plugins) for target in own}
    answers = call_all(_import_error, [(target, plugins) for target in others], [SECONDS_OF_IMPORT] * len(others))
    errors |= {target: str(answer) for target, answer in zip(others, answers, strict=True)}
    for target in [target for target, error in errors.items() if not error]:
        with suppress(OSError):  # imported again next time
            marks[target].parent.mkdir(parents=True, exist_ok=True)
            marks[target].touch()
    broken = {target: error for target, error in errors.items() if error}
    return [f"{(own | others)[target]} cannot be imported from {target!r}: {error}" for target, error in broken.items()]


def _import_error(target: str, plugins: tuple[str, ...]) -> str:
    """Why something cannot be imported; empty where it can. Called in a worker for what is not benchkit's."""
    known_plugins(plugins)  # the modules of plugin files
    try:
        Deferred(target).resolve()
    except (Exception, SystemExit) as error:
        return one_line(error)
    return ""


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


_FILL = "fill"


def other_fills(trials: Iterable[Trial], registry: Registry) -> list[str]:
    """A line for each adversary and each ``fill`` of methods that is not its own.

    Trees tell a lost column by the exact value in its place: trained for the mean, they are hardly protected from zero.
    """
    # Trials of one pair differ in nothing that is asked here, and there may be a hundred thousand.
    pairs = {
        (trial.algorithm.label, str(trial.algorithm.params), adversary.label, str(adversary.params)): (trial, adversary)
        for trial in trials
        if (adversary := trial.adversary) is not None
    }
    found: dict[tuple[str, Any, Any], list[str]] = {}
    for trial, adversary in pairs.values():
        if registry.adversaries[adversary.name].phase != "test":
            continue
        if any(_FILL in grid for stage in trial.algorithm.tune for grid in (stage.grid, stage.space) if grid):
            continue
        prepared = _fill(registry.algorithms[trial.algorithm.name], trial.algorithm.params)
        left = _fill(registry.adversaries[adversary.name], adversary.params)
        if None not in (prepared, left) and prepared != left:
            labels = found.setdefault((adversary.label, left, prepared), [])
            labels += [trial.algorithm.label] if trial.algorithm.label not in labels else []
    return [
        f"{adversary} leaves {left} in place of what it deletes, and {', '.join(labels)} "
        f"{'prepares' if len(labels) == 1 else 'prepare'} for {prepared}: "
        "that may protect little; give both the same `fill` where you can"
        for (adversary, left, prepared), labels in found.items()
    ]


def _fill(declared: Algorithm | Adversary, params: Mapping[str, Any]) -> Any:
    """What a declared object fills with, its default included; None where it takes no such parameter."""
    if _FILL in params:
        return params[_FILL]
    known = getattr(declared, "defaults", {})
    if _FILL in known:
        return known[_FILL]
    parameter = declared.make.parameters().get(_FILL)
    return None if parameter is None else parameter.default
