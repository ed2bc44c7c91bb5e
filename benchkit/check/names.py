"""What a suite names and the plugins do not have, or not so: found without data."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

from benchkit.errors import RequestError
from benchkit.execute.apart import SECONDS, call_all
from benchkit.plugin.declarations import Adversary, Algorithm, Dataset, Deferred
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.estimators import FittedAlgorithm
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Catalogue, Registry, UnknownNameError, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.claims import MEASURES, Claim
from benchkit.suite.load import Loaded
from benchkit.suite.names import SPLITS, STEPS, VALUES, portable_params
from benchkit.suite.schema import (
    AdversaryEntry,
    AlgorithmEntry,
    DatasetEntry,
    Split,
    Tune,
    UpToBudget,
)
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite


def name_mistakes(loaded: Loaded, registry: Registry) -> list[str]:
    """Every name, label and parameter that does not exist, each with its place.

    Imports the algorithms, adversaries and datasets that the suite names, to see their parameters.
    """
    suite = loaded.suite
    checks = [
        *(_check_dataset(registry, position, entry) for position, entry in enumerate(suite.datasets)),
        *(check_algorithm(suite, registry, position, entry) for position, entry in enumerate(suite.algorithms)),
        *(_check_adversary(registry, position, entry) for position, entry in enumerate(suite.adversaries)),
        *preparation_checks(suite, registry),
        *(check_metric(registry, name, ["metrics", position]) for position, name in enumerate(suite.metrics)),
    ]
    # Where an entry's own name is wrong, what refers to it may be right.
    if _are_named(suite, registry):
        checks += [check_references(suite), check_labels(suite), _check_axis(suite, registry), check_claims(suite)]
    mistakes = [mistake for check in checks for mistake in until_it_ends(check)]
    return list(dict.fromkeys(str(loaded.source.error(each.at, each.message)) for each in mistakes))


def _are_named(suite: Suite, registry: Registry) -> bool:
    """Whether every entry's name is declared."""
    try:
        for kind in ("datasets", "algorithms", "adversaries"):
            for entry in getattr(suite, kind):
                registry.catalogue(kind)[entry.name]
    except UnknownNameError:
        return False
    return True


def _check_dataset(registry: Registry, position: int, entry: DatasetEntry) -> Mistakes:
    """A dataset's name, its parameters, and the files that they name."""
    at: Location = ["datasets", position]
    dataset: Dataset = look_up(registry.datasets, entry.name, [*at, "name"])
    parameters_of(dataset.load, at)  # where it cannot be imported, that is the mistake
    yield from check_params(entry.params, dataset_parameters(dataset), entry.name, at)
    if dataset.paths is not None:
        try:
            with guarded(f"{of(dataset)}: paths", passing=(TypeError, ValueError), raising=RequestError):
                list(dataset.paths(**entry.params))
        except (TypeError, ValueError) as error:
            yield MistakeError([*at, "path"], str(error))


def _check_adversary(registry: Registry, position: int, entry: AdversaryEntry) -> Mistakes:
    """An adversary's name, its budgets, and what it is made with."""
    at: Location = ["adversaries", position]
    declared: Adversary = look_up(registry.adversaries, entry.name, [*at, "name"])
    yield from _check_budgets(declared, entry.budgets, [*at, "budgets"])
    known = parameters_of(declared.make, at)
    yield from check_params(entry.params, known, entry.name, [*at, "params"])


def _check_budgets(declared: Adversary, budgets: Iterable[float | str], at: Location) -> Mistakes:
    unit = UNITS[declared.budget_unit]
    for position, budget in enumerate(budgets):
        if isinstance(budget, str):
            if unit.spent is not None and not unit.takes_shares:
                message = f"budget {budget} of {declared.name} is a share, and {unit.title} have no most: give a number"
                yield MistakeError([*at, position], message)
        elif wrong := unit.check(budget):
            yield MistakeError([*at, position], f"budget {budget} of {declared.name} {wrong}")


def _check_axis(suite: Suite, registry: Registry) -> Mistakes:
    """The axis's parameter: each entry that it is of takes it."""
    if suite.axis is None:
        return
    target, _, parameter = suite.axis.parameter.partition(".")
    at: Location = ["axis", "parameter"]
    kind = {"adversary": "adversaries"}.get(target, target + "s")
    for entry in getattr(suite, kind):
        declared = registry.catalogue(kind)[entry.name]
        known = parameters_of(declared.load if target == "dataset" else declared.make, at)
        if wrong := list(check_params([parameter], known, entry.name, at)):
            yield wrong[0]
            return  # it is one key: the other entries would only repeat it


_MOST_CANDIDATES = 100_000


def check_algorithm(suite: Suite, registry: Registry, position: int, entry: AlgorithmEntry) -> Mistakes:
    """An algorithm's name, what it is made with, and each stage of its tuning."""
    at: Location = ["algorithms", position]
    declared: Algorithm = look_up(registry.algorithms, entry.name, [*at, "name"])
    if isinstance(declared, FittedAlgorithm):
        yield from _check_fitted(suite, entry, declared, at)
        return
    known = parameters_of(declared.make, at)
    yield from check_params(entry.params, known, entry.name, [*at, "params"])
    for number, stage in enumerate(entry.tune):
        yield from until_it_ends(_check_stage(suite, registry, entry, stage, known, [*at, "tune", number]))


def _check_fitted(suite: Suite, entry: AlgorithmEntry, declared: FittedAlgorithm, at: Location) -> Mistakes:
    """Rows that the model may have been trained on, columns that it never saw, a file that executes what it says."""
    if not declared.path.lower().endswith(".skops") and not entry.params.get("trust"):
        yield MistakeError(
            at,
            f"{declared.path}: unpickling executes whatever the file says: write 'trust: true' beside it if you made "
            "it or trust who did, or store it with skops",
        )
    for dataset in suite.datasets:
        if entry.datasets is not None and dataset.display_name not in entry.datasets:
            continue
        split, steps = dataset.split or suite.split, dataset.preprocess
        if not split.test_is_given and split.method != "none":
            yield MistakeError(
                at,
                f"{entry.display_name} was fitted elsewhere, perhaps on rows that {dataset.display_name!r} would draw "
                "for its test part: give that part, 'split: {test: FILE}', or test on all, 'split: {method: none}'",
            )
        changing = [step for step in (suite.preprocess if steps is None else steps) if not _is_where_needed(step)]
        if changing:
            word = changing[0] if isinstance(changing[0], str) else next(iter(changing[0]))
            yield MistakeError(
                at,
                f"{entry.display_name} was fitted elsewhere, to columns as the table has them, and {word!r} in "
                f"'preprocess' of {dataset.display_name!r} changes them: leave it out, or let the other methods do it "
                "by pipelines of their own, 'estimator: [...]'",
            )


def _is_where_needed(step: Any) -> bool:
    """Whether a step touches nothing for methods that take gaps, as fitted models may."""
    return isinstance(step, Mapping) and "impute-where-needed" in step


def _check_stage(
    suite: Suite, registry: Registry, entry: AlgorithmEntry, stage: Tune, known: set[str], at: Location
) -> Mistakes:
    if isinstance(stage.grid, Mapping):
        yield from check_params(stage.grid, known, entry.name, [*at, "grid"])
        yield from _check_bounded(suite, stage, at)
        yield from _check_size(stage.grid, at)
    elif stage.space is not None:
        yield from check_params(stage.space, known, entry.name, [*at, "space"])
    elif registry.algorithms[entry.name].grid is None:
        yield MistakeError(at, f"{entry.name} has no default grid: write 'grid: {{PARAMETER: [values]}}'")
    if stage.metric is not None:
        yield from until_it_ends(check_metric(registry, stage.metric, [*at, "metric"]))
    yield from until_it_ends(_check_search(stage, registry, at))
    for dataset in suite.datasets:
        split = dataset.split or suite.split
        applies = entry.datasets is None or dataset.display_name in entry.datasets
        if stage.folds is None and split.validation is None and applies:
            where = f"the split of {dataset.display_name!r}"
            raise MistakeError(at, f"tuning needs a validation part in {where}, or 'folds: 5' here")


def _check_bounded(suite: Suite, stage: Tune, at: Location) -> Mistakes:
    """Values that the budget bounds: every budget has to be an amount, and to leave one of them."""
    for name, values in stage.bounded.items():
        place: Location = [*at, "grid", name]
        budgets = [budget for adversary in suite.adversaries for budget in adversary.budgets]
        least = min(values.up_to_budget)
        if not budgets:
            yield MistakeError(place, "up_to_budget needs 'adversaries' with budgets; write a plain list of values")
        elif any(isinstance(budget, str) for budget in budgets):
            yield MistakeError(place, "up_to_budget needs budgets that are amounts, not shares such as '10%'")
        elif min(float(budget) for budget in budgets) < least:
            yield MistakeError(place, f"a budget is below {least:g}, the least value of up_to_budget: add 0 to these")


def _check_size(grid: Mapping[str, Any], at: Location) -> Mistakes:
    """A grid that nobody could try whole."""
    sizes = [len(values.up_to_budget if isinstance(values, UpToBudget) else values) for values in grid.values()]
    if prod(sizes) > _MOST_CANDIDATES:
        remedy = f"{_MOST_CANDIDATES:,} are the most: give shorter lists, or 'search: random' with a 'space'"
        yield MistakeError([*at, "grid"], f"{prod(sizes):,} combinations are tried; {remedy}")


def _check_search(stage: Tune, registry: Registry, at: Location) -> Mistakes:
    """Options that the tuner does not take; raised where no plugin declares it, or it cannot be made."""
    try:
        tuner = registry.tuners[stage.search]
    except UnknownNameError as error:
        raise MistakeError([*at, "search"], str(error)) from None
    try:
        parameters = tuner.make.parameters()
        unknown = []
        if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
            unknown = [name for name in stage.options if name not in parameters]
        for name in unknown:
            hint = Suggestion(name, parameters, otherwise=f"it takes {', '.join(parameters) or 'none'}")
            yield MistakeError([*at, "options", name], f"tuner {tuner.name} has no option {name!r}; {hint}")
    except (ImportError, TypeError, ValueError) as error:
        raise MistakeError([*at, "search"], f"tuner {tuner.name} cannot be made: {one_line(error)}") from None
    if unknown:
        return
    arguments = stage.search, dict(stage.options), tuple(registry.plugins[name] for name in sorted(registry.files))
    why = _tuner_error(*arguments) if registry.is_own(tuner) else call_all(_tuner_error, [arguments], [SECONDS])[0]
    if str(why):
        raise MistakeError([*at, "search"], f"tuner {tuner.name} cannot be made: {why}")


def _tuner_error(name: str, options: Mapping[str, Any], plugins: tuple[str, ...]) -> str:
    """Why a tuner cannot be made; empty where it can. Called in a worker for what is not benchkit's."""
    try:
        known_plugins(plugins).tuners[name].make(**options)
    except (Exception, SystemExit) as error:
        return one_line(error)
    return ""


def preparation_checks(suite: Suite, registry: Registry) -> Iterator[Mistakes]:
    """Checks of how data is prepared, in the suite and in those of its datasets that say otherwise."""
    entries: list[tuple[Location, Suite | DatasetEntry]] = [([], suite)]
    entries += [(["datasets", position], entry) for position, entry in enumerate(suite.datasets)]
    for at, entry in entries:
        if entry.split is not None:
            yield _check_split(registry, entry.split, [*at, "split"])
        for number, step in enumerate(entry.preprocess or ()):
            yield _check_step(registry, step, [*at, "preprocess", number])
        if isinstance(entry.feature_values, str) and entry.feature_values not in VALUES:
            yield check_name(registry.feature_values, VALUES, entry.feature_values, [*at, "feature_values"])


def _check_split(registry: Registry, split: Split, at: Location) -> Mistakes:
    if split.method in SPLITS:
        return
    yield from check_name(registry.splits, SPLITS, split.method, [*at, "method"])
    declared = registry.splits[split.method]
    yield from check_params(split.params, parameters_of(declared.make, at), split.method, [*at, "params"])


def _check_step(registry: Registry, step: str | Mapping[str, Any], at: Location) -> Mistakes:
    word = step if isinstance(step, str) else next(iter(step))
    if word not in STEPS:
        yield from check_name(registry.preprocessing_steps, STEPS, word, at)


def check_claims(suite: Suite) -> Mistakes:
    """What claims compare, and where: the suite has it, and an axis that they can tell by."""
    algorithms = list(dict.fromkeys(entry.display_name for entry in suite.algorithms))
    adversaries = list(dict.fromkeys(entry.display_name for entry in suite.adversaries))
    groups = list(dict.fromkeys(entry.group for entry in suite.datasets if entry.group))
    for position, claim in enumerate(suite.expect):
        at: Location = ["expect", position]
        yield from check_listed(claim.algorithms, algorithms, "algorithm", [*at, claim.names_in])
        yield from _check_axis_of(claim, suite, at)
        if claim.metric is not None and claim.metric not in (*suite.metrics, *MEASURES):
            yield MistakeError([*at, "metric"], f"metric {claim.metric!r} is not among the suite's metrics")
        yield from check_listed(claim.datasets, labels(suite), "dataset", [*at, "datasets"])
        yield from check_listed(claim.groups, groups, "group", [*at, "groups"])
        yield from check_listed(claim.adversaries, adversaries, "adversary", [*at, "adversaries"])


def _check_axis_of(claim: Claim, suite: Suite, at: Location) -> Mistakes:
    """Refuse claims about how far along the axis where the axis has no numbers to tell by."""
    if claim.needs_axis is None:
        return
    if suite.axis is None:
        places = {budget for entry in suite.adversaries for budget in entry.budgets}
        known = sorted(float(each.removesuffix("%")) if isinstance(each, str) else each for each in places)
        name = "the budget"
    else:
        name, known = suite.axis.parameter, suite.axis.values
    numbers = [value for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
    fitting = [value for value in numbers if value > 0] if claim.needs_axis == "positive numbers" else numbers
    if len(numbers) < len(known) or len(fitting) < 2:
        has = ", ".join(map(str, known)) or "no values"
        needs = f"{claim.form!r} needs an axis of two {claim.needs_axis} or more"
        yield MistakeError([*at, claim.form], f"{needs}; {name} has {has}")


def labels(suite: Suite) -> list[str]:
    """The labels of the suite's datasets, each once."""
    return list(dict.fromkeys(entry.display_name for entry in suite.datasets))


def check_references(suite: Suite) -> Mistakes:
    """Datasets that entries are for: the suite has them."""
    listed: list[tuple[str, Sequence[AlgorithmEntry | AdversaryEntry]]] = [
        ("algorithms", suite.algorithms),
        ("adversaries", suite.adversaries),
    ]
    for kind, entries in listed:
        for position, entry in enumerate(entries):
            yield from check_listed(entry.datasets, labels(suite), "dataset", [kind, position, "datasets"])


def check_labels(suite: Suite) -> Mistakes:
    """Labels: no two entries have the same one where both apply."""
    seen: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for position, dataset_entry in enumerate(suite.datasets):
        name, params = seen.setdefault(dataset_entry.display_name, (dataset_entry.name, []))
        # Files of one name in two folders would be one curve wherever the folders are not told.
        own = portable_params(dataset_entry.params)
        if name != dataset_entry.name or own in params:
            message = f"label {dataset_entry.display_name!r} is used twice: give one a 'label'"
            yield MistakeError(["datasets", position], message)
        params.append(own)
    listed: list[tuple[str, Sequence[AlgorithmEntry | AdversaryEntry]]] = [
        ("algorithms", suite.algorithms),
        ("adversaries", suite.adversaries),
    ]
    for kind, entries in listed:
        taken: dict[tuple[str, str], int] = {}
        for position, entry in enumerate(entries):
            for dataset in entry.datasets or labels(suite):
                if (entry.display_name, dataset) in taken:
                    message = f"label {entry.display_name!r} is used twice for dataset {dataset!r}: give one a 'label'"
                    yield MistakeError([kind, position], message)
                    break
                taken[entry.display_name, dataset] = position


def check_metric(registry: Registry, name: str, at: Location) -> Mistakes:
    """A metric's name."""
    metric = look_up(registry.metrics, name, at)
    if metric.columns:
        yield MistakeError(
            at,
            f"{name} reads raw columns ({', '.join(metric.columns)}), which trials do not have: leave it out, and ask "
            f"for it afterwards with 'benchkit report RUN --metrics {name}'",
        )


def look_up(catalogue: Catalogue[Any], name: str, at: Location) -> Any:
    """What is declared under a name."""
    try:
        return catalogue[name]
    except UnknownNameError as error:
        raise MistakeError(at, str(error)) from None


def check_name(catalogue: Catalogue[Any], own: Sequence[str], name: str, at: Location) -> Mistakes:
    """Raise where neither benchkit nor a plugin has it."""
    if name not in catalogue:
        raise MistakeError(at, str(UnknownNameError(catalogue.kind, name, [*own, *catalogue])))
    yield from ()


def check_listed(names: Iterable[str] | None, known: Iterable[str], kind: str, at: Location) -> Mistakes:
    """Names in a list of the suite: each is known."""
    for position, name in enumerate(names or ()):
        if name not in known:
            hint = Suggestion(name, known, otherwise=f"this suite has {', '.join(known)}")
            yield MistakeError([*at, position], f"unknown {kind} {name!r}; {hint}")


# A generated dataset takes its seed from the trial, not from the suite.
_GIVEN_BY_TRIAL = {"random_state"}


def parameters_of(target: Deferred, at: Location) -> set[str]:
    """The names of what can be given to something; any, where it takes any keyword."""
    try:
        return _names_of(target)
    except Exception as error:
        raise MistakeError(at, f"cannot import {target.target!r}: {one_line(error)}") from None


def dataset_parameters(dataset: Dataset) -> set[str]:
    """What a suite may give a dataset; anything, where it takes any keyword."""
    known = _names_of(dataset.load)
    known -= _GIVEN_BY_TRIAL
    if dataset.expand is not None:
        # It passes on what it does not name; what `load` takes decides about that.
        expanding = dataset.expand.parameters().values()
        known |= {p.name for p in expanding if p.kind is not inspect.Parameter.VAR_KEYWORD}
    return known


def check_params(params: Iterable[str], known: set[str], owner: str, at: Location) -> Mistakes:
    """Names that are not known."""
    for name in params:
        if name not in known:
            hint = Suggestion(name, known, otherwise=f"it takes {', '.join(sorted(known)) or 'none'}")
            yield MistakeError([*at, name], f"{owner} has no parameter {name!r}; {hint}")


def _names_of(target: Deferred) -> set[str]:
    parameters = target.parameters()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return _Anything()
    return set(parameters)


class _Anything(set[str]):
    """The parameters of something that takes any keyword."""

    def __contains__(self, item: object) -> bool:
        return True


class MistakeError(Exception):
    """What is wrong at a location of the suite."""

    def __init__(self, at: Location, message: str) -> None:
        super().__init__(message)
        self.at, self.message = at, message


Mistakes = Iterator[MistakeError]
"""What a check finds. It raises, at last, what it cannot go on without."""


def until_it_ends(check: Mistakes) -> Mistakes:
    """What a check finds, the last that it raises included."""
    try:
        yield from check
    except MistakeError as last:
        yield last
