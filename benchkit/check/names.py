"""What a suite names and the plugins do not have, or not so: found without data, all of it at once."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

from benchkit.environment.place import is_satisfied_here
from benchkit.errors import RequestError
from benchkit.execute.apart import SECONDS, SECONDS_OF_IMPORT, call_all, call_once
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.declarations import Dataset, Deferred
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.estimators import FittedAlgorithm
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Catalogue, Registry, UnknownNameError, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.claims import MEASURES, Claim
from benchkit.suite.load import Loaded
from benchkit.suite.names import SPLITS, STEPS, VALUES, digest, portable_params
from benchkit.suite.schema import (
    AdversaryEntry,
    AlgorithmEntry,
    DatasetEntry,
    Tune,
    UpToBudget,
)
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite

_MOST_CANDIDATES = 100_000
_MOST_DRAWN = 10**9


def name_mistakes(loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...] = ()) -> list[str]:
    """Every name, label, parameter and budget that cannot be, whatever the data, each with its place.

    Where a plugin declares what cannot be imported, that alone is told, once, and of the plugin's file.

    Parameters
    ----------
    loaded : Loaded
    fingerprints : Fingerprints
        Tell code that was imported before from code that was not.
    plugins : tuple of str, default=()
        Plugin files.
    """
    if broken := _import_mistakes(loaded.suite, fingerprints, plugins):
        return broken
    checks = _NameChecks(loaded, fingerprints.registry)
    checks.check()
    return list(checks.mistakes)


def _import_mistakes(suite: Suite, fingerprints: Fingerprints, plugins: tuple[str, ...]) -> list[str]:
    """Code is imported in a worker before it may be imported in this process, once as long as it stays the same."""
    registry = fingerprints.registry
    code: dict[str, tuple[str, str]] = {}  # by target: whose it is, and a digest of its sources
    for kind in ("datasets", "algorithms", "adversaries", "metrics"):
        catalogue = registry.catalogue(kind)
        for name in suite.metrics if kind == "metrics" else [entry.name for entry in getattr(suite, kind)]:
            if name not in catalogue:
                continue  # told elsewhere
            declared = catalogue[name]
            environment = getattr(declared, "environment", None)
            if environment is not None and not is_satisfied_here(environment):
                continue  # another interpreter imports it, or its trials are skipped
            called: Deferred = getattr(declared, {"datasets": "load", "metrics": "compute"}.get(kind, "make"))
            if isinstance(called.target, str) and called.target not in code:
                plugin = catalogue.origin[name]
                owner = f"{registry.plugins.get(plugin, plugin)}: {catalogue.kind} {name!r}"
                sources = [called.target, fingerprints.closure(called), fingerprints.protocol]
                code[called.target] = owner, digest(sources, 32)
    keys = [key for _, key in code.values()]
    calls = [(target, plugins) for target in code]
    answers = call_once("imported", keys, _import, calls, [SECONDS_OF_IMPORT] * len(calls))
    return [
        f"{owner} cannot be imported from {target!r}: {answer}"
        for (target, (owner, _)), answer in zip(code.items(), answers, strict=True)
        if isinstance(answer, Exception)
    ]


def _import(target: str, plugins: tuple[str, ...]) -> bool:
    """Called in a worker."""
    known_plugins(plugins)  # the modules of plugin files
    try:
        Deferred(target).resolve()
    except (Exception, SystemExit) as error:
        raise RequestError(one_line(error)) from None
    return True


def _tuner_error(name: str, options: Mapping[str, Any], plugins: tuple[str, ...]) -> str:
    """Why a tuner cannot be made; empty where it can. Called in a worker for what is not benchkit's."""
    try:
        known_plugins(plugins).tuners[name].make(**options)
    except (Exception, SystemExit) as error:
        return one_line(error)
    return ""


def parameters_of(target: Deferred) -> set[str] | None:
    """The names of what can be given to something; None where it takes any keyword."""
    parameters = target.parameters()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return None
    return set(parameters)


def dataset_parameters(dataset: Dataset) -> set[str] | None:
    """What a suite may give a dataset: not its seed, which is the trial's; None where it takes any keyword."""
    known = parameters_of(dataset.load)
    if known is None:
        return None
    # An expansion passes on what it does not name; what `load` takes decides about that.
    expanding = () if dataset.expand is None else dataset.expand.parameters().values()
    return known - {"random_state"} | {p.name for p in expanding if p.kind is not inspect.Parameter.VAR_KEYWORD}


class _NameChecks:
    """The checks, in the order of a suite's keys; each adds what it finds wrong."""

    def __init__(self, loaded: Loaded, registry: Registry) -> None:
        self.suite, self._source, self.registry = loaded.suite, loaded.source, registry
        self.labels = list(dict.fromkeys(entry.display_name for entry in self.suite.datasets))
        self.mistakes: dict[str, None] = {}

    def add(self, at: Location, message: str) -> None:
        self.mistakes[str(self._source.error(at, message))] = None

    def check(self) -> None:
        suite = self.suite
        for position, dataset in enumerate(suite.datasets):
            self.dataset(dataset, ["datasets", position])
        for position, algorithm in enumerate(suite.algorithms):
            self.algorithm(algorithm, ["algorithms", position])
        for position, adversary in enumerate(suite.adversaries):
            self.adversary(adversary, ["adversaries", position])
        self.preparation(suite, [])
        for position, dataset in enumerate(suite.datasets):
            self.preparation(dataset, ["datasets", position])
        for position, name in enumerate(suite.metrics):
            self.metric(name, ["metrics", position])
        catalogues = {kind: self.registry.catalogue(kind) for kind in ("datasets", "algorithms", "adversaries")}
        # Where an entry's own name is wrong, what refers to it may be right.
        if all(self.find(known, entry.name) for kind, known in catalogues.items() for entry in getattr(suite, kind)):
            self.references()
            self.dataset_labels()
            self.axis()
            for position, claim in enumerate(suite.expect):
                self.claim(claim, ["expect", position])

    def find(self, catalogue: Catalogue[Any], name: str, at: Location | None = None) -> Any:
        """What is declared under a name; None where nothing is, which is a mistake where the name's place is given."""
        try:
            return catalogue[name]
        except UnknownNameError as error:
            if at is not None:
                self.add(at, str(error))
            return None

    def either(self, catalogue: Catalogue[Any], own: Sequence[str], name: str, at: Location) -> None:
        """A name that benchkit has, or a plugin."""
        if name not in own and name not in catalogue:
            self.add(at, str(UnknownNameError(catalogue.kind, name, [*own, *catalogue])))

    def listed(self, names: Iterable[str] | None, known: Sequence[str], kind: str, at: Location) -> None:
        """Names in a list of the suite, which has them."""
        for position, name in enumerate(names or ()):
            if name not in known:
                hint = Suggestion(name, known, otherwise=f"this suite has {', '.join(known)}")
                self.add([*at, position], f"unknown {kind} {name!r}; {hint}")

    def parameters(self, target: Deferred, params: Iterable[str], owner: str, at: Location, place: Location) -> None:
        """Parameters, at a place, of something that stands elsewhere."""
        try:
            known = parameters_of(target)
        except Exception as error:
            self.add(at, f"cannot import {target.target!r}: {one_line(error)}")
            return
        self.take(params, known, owner, place)

    def take(self, params: Iterable[str], known: set[str] | None, owner: str, at: Location) -> None:
        for name in params if known is not None else ():
            if known is not None and name not in known:
                hint = Suggestion(name, known, otherwise=f"it takes {', '.join(sorted(known)) or 'none'}")
                self.add([*at, name], f"{owner} has no parameter {name!r}; {hint}")

    def dataset(self, entry: DatasetEntry, at: Location) -> None:
        """A dataset's name, its parameters, and the files that they name."""
        declared = self.find(self.registry.datasets, entry.name, [*at, "name"])
        if declared is None:
            return
        try:
            known = dataset_parameters(declared)
        except Exception as error:
            self.add(at, f"cannot import {declared.load.target!r}: {one_line(error)}")
            return
        self.take(entry.params, known, entry.name, at)
        if declared.paths is not None:
            try:
                with guarded(f"{of(declared)}: paths", passing=(TypeError, ValueError), raising=RequestError):
                    list(declared.paths(**entry.params))
            except (TypeError, ValueError) as error:
                self.add([*at, "path"], str(error))
        parameters = declared.load.parameters()
        for key in sorted(entry.model_fields_set - {"name", "params"}):
            if key in parameters and key not in entry.params:
                remedy = f"write 'params: {{{key}: ...}}' for the parameter"
                self.add([*at, key], f"{key!r} is a key of the suite, and a parameter of {entry.name} too: {remedy}")
        for name, value in entry.params.items() if declared.generated else ():
            # A parameter whose default is a count: more is to be drawn than any memory holds.
            if name in parameters and type(parameters[name].default) is int:
                for count in value if isinstance(value, list) else [value]:
                    if isinstance(count, int | float) and count > _MOST_DRAWN:
                        message = f"{name} of {entry.name} is {count:g}: a count is at most {_MOST_DRAWN}"
                        self.add([*at, "params", name], message)
                        break

    def adversary(self, entry: AdversaryEntry, at: Location) -> None:
        """An adversary's name, its budgets, and what it is made with."""
        declared = self.find(self.registry.adversaries, entry.name, [*at, "name"])
        if declared is None:
            return
        unit = UNITS[declared.budget_unit]
        for position, budget in enumerate(entry.budgets):
            if isinstance(budget, str):
                if unit.name != "none" and not unit.takes_shares:
                    message = f"is a share, and {unit.title} have no most: give a number"
                    self.add([*at, "budgets", position], f"budget {budget} of {declared.name} {message}")
            elif wrong := unit.check(budget):
                self.add([*at, "budgets", position], f"budget {budget} of {declared.name} {wrong}")
        self.parameters(declared.make, entry.params, entry.name, at, [*at, "params"])

    def algorithm(self, entry: AlgorithmEntry, at: Location) -> None:
        """An algorithm's name, what it is made with, and each stage of its tuning."""
        declared = self.find(self.registry.algorithms, entry.name, [*at, "name"])
        if isinstance(declared, FittedAlgorithm):
            self.fitted(entry, declared, at)
        elif declared is not None:
            self.parameters(declared.make, entry.params, entry.name, at, [*at, "params"])
            for number, stage in enumerate(entry.tune):
                self.stage(entry, declared, stage, [*at, "tune", number])

    def fitted(self, entry: AlgorithmEntry, declared: FittedAlgorithm, at: Location) -> None:
        """Rows that a model may have been trained on, columns that it never saw, a file that executes what it says."""
        if not declared.path.lower().endswith(".skops") and not entry.params.get("trust"):
            self.add(
                at,
                f"{declared.path}: unpickling executes whatever the file says: write 'trust: true' beside it if you "
                "made it or trust who did, or store it with skops",
            )
        for dataset in self.suite.datasets:
            if entry.datasets is not None and dataset.display_name not in entry.datasets:
                continue
            split = dataset.split or self.suite.split
            steps = self.suite.preprocess if dataset.preprocess is None else dataset.preprocess
            if not split.test_is_given and split.method != "none":
                self.add(
                    at,
                    f"{entry.display_name} was fitted elsewhere, perhaps on rows that {dataset.display_name!r} would "
                    "draw for its test part: give that part, 'split: {test: FILE}', or test on all, 'split: {method: "
                    "none}'",
                )
            # What is done only for methods that do not support missing values touches no fitted model.
            words = [step if isinstance(step, str) else next(iter(step)) for step in steps]
            if changing := [word for word in words if word != "impute-where-needed"]:
                self.add(
                    at,
                    f"{entry.display_name} was fitted elsewhere, to columns as the table has them, and {changing[0]!r} "
                    f"in 'preprocess' of {dataset.display_name!r} changes them: leave it out, or let the other methods "
                    "do it by pipelines of their own, 'estimator: [...]'",
                )

    def stage(self, entry: AlgorithmEntry, declared: Any, stage: Tune, at: Location) -> None:
        """A stage of tuning: what is tried, by which metric and search, and on which part of the data."""
        if isinstance(stage.grid, Mapping):
            self.parameters(declared.make, stage.grid, entry.name, at, [*at, "grid"])
            self.bounded(stage, at)
            sizes = [len(v.up_to_budget if isinstance(v, UpToBudget) else v) for v in stage.grid.values()]
            if prod(sizes) > _MOST_CANDIDATES:
                remedy = f"{_MOST_CANDIDATES:,} are the most: give shorter lists, or 'search: random' with a 'space'"
                self.add([*at, "grid"], f"{prod(sizes):,} combinations are tried; {remedy}")
        elif stage.space is not None:
            self.parameters(declared.make, stage.space, entry.name, at, [*at, "space"])
        elif declared.grid is None:
            self.add(at, f"{entry.name} has no default grid: write 'grid: {{PARAMETER: [values]}}'")
        if stage.metric is not None:
            self.metric(stage.metric, [*at, "metric"])
        self.search(stage, at)
        for dataset in self.suite.datasets:
            applies = entry.datasets is None or dataset.display_name in entry.datasets
            if stage.folds is None and (dataset.split or self.suite.split).validation is None and applies:
                where = f"the split of {dataset.display_name!r}"
                self.add(at, f"tuning needs a validation part in {where}, or 'folds: 5' here")
                return

    def bounded(self, stage: Tune, at: Location) -> None:
        """Values that the budget bounds: every budget has to be an amount, and to leave one of them."""
        budgets = [budget for adversary in self.suite.adversaries for budget in adversary.budgets]
        for name, values in stage.bounded.items():
            least = min(values.up_to_budget)
            if not budgets:
                message = "up_to_budget needs 'adversaries' with budgets; write a plain list of values"
            elif any(isinstance(budget, str) for budget in budgets):
                message = "up_to_budget needs budgets that are amounts, not shares such as '10%'"
            elif min(float(budget) for budget in budgets) < least:
                message = f"a budget is below {least:g}, the least value of up_to_budget: add 0 to these"
            else:
                continue
            self.add([*at, "grid", name], message)

    def search(self, stage: Tune, at: Location) -> None:
        """The tuner, which takes its options, and can be made with them."""
        tuner = self.find(self.registry.tuners, stage.search, [*at, "search"])
        if tuner is None:
            return
        why: Any
        try:
            known = parameters_of(tuner.make)
        except (ImportError, TypeError, ValueError) as error:
            why = one_line(error)
        else:
            unknown = [] if known is None else [name for name in stage.options if name not in known]
            for name in unknown:
                hint = Suggestion(name, known or (), otherwise=f"it takes {', '.join(known or ()) or 'none'}")
                self.add([*at, "options", name], f"tuner {tuner.name} has no option {name!r}; {hint}")
            files = tuple(self.registry.plugins[name] for name in sorted(self.registry.files))
            arguments = stage.search, dict(stage.options), files
            if unknown:
                return
            own = self.registry.is_own(tuner)
            why = _tuner_error(*arguments) if own else call_all(_tuner_error, [arguments], [SECONDS])[0]
        if str(why):
            self.add([*at, "search"], f"tuner {tuner.name} cannot be made: {why}")

    def preparation(self, entry: Suite | DatasetEntry, at: Location) -> None:
        """Split, steps and feature values, of the suite or of a dataset that says otherwise."""
        known, split = self.registry, entry.split
        if split is not None and split.method not in SPLITS:
            self.either(known.splits, SPLITS, split.method, [*at, "split", "method"])
            if split.method in known.splits:
                make = known.splits[split.method].make
                self.parameters(make, split.params, split.method, [*at, "split"], [*at, "split", "params"])
        for number, step in enumerate(entry.preprocess or ()):
            word = step if isinstance(step, str) else next(iter(step))
            self.either(known.preprocessing_steps, STEPS, word, [*at, "preprocess", number])
        if isinstance(entry.feature_values, str):
            self.either(known.feature_values, VALUES, entry.feature_values, [*at, "feature_values"])

    def metric(self, name: str, at: Location) -> None:
        """A metric's name."""
        metric = self.find(self.registry.metrics, name, at)
        if metric is not None and metric.columns:
            self.add(
                at,
                f"{name} reads raw columns ({', '.join(metric.columns)}), which trials do not have: leave it out, and "
                f"ask for it afterwards with 'benchkit report RUN --metrics {name}'",
            )

    def axis(self) -> None:
        """The axis's parameter, which each entry that it is of takes."""
        if self.suite.axis is None:
            return
        target, _, parameter = self.suite.axis.parameter.partition(".")
        kind = {"adversary": "adversaries"}.get(target, target + "s")
        before = len(self.mistakes)
        for entry in getattr(self.suite, kind):
            declared, at = self.registry.catalogue(kind)[entry.name], ["axis", "parameter"]
            make = declared.load if target == "dataset" else declared.make
            self.parameters(make, [parameter], entry.name, at, at)
            if len(self.mistakes) > before:
                return  # it is one key: the other entries would only repeat it

    def claim(self, claim: Claim, at: Location) -> None:
        """What a claim compares, and where: the suite has it, and an axis that it can be told by."""
        suite = self.suite
        algorithms = list(dict.fromkeys(entry.display_name for entry in suite.algorithms))
        self.listed(claim.algorithms, algorithms, "algorithm", [*at, claim.names_in])
        if claim.needs_axis is not None:
            self.claimed_axis(claim, at)
        if claim.metric is not None and claim.metric not in (*suite.metrics, *MEASURES):
            self.add([*at, "metric"], f"metric {claim.metric!r} is not among the suite's metrics")
        self.listed(claim.datasets, self.labels, "dataset", [*at, "datasets"])
        groups = list(dict.fromkeys(entry.group for entry in suite.datasets if entry.group))
        self.listed(claim.groups, groups, "group", [*at, "groups"])
        adversaries = list(dict.fromkeys(entry.display_name for entry in suite.adversaries))
        self.listed(claim.adversaries, adversaries, "adversary", [*at, "adversaries"])

    def claimed_axis(self, claim: Claim, at: Location) -> None:
        """An axis of numbers, for claims about how far along it."""
        name, known = "the budget", []
        if self.suite.axis is not None:
            name, known = self.suite.axis.parameter, list(self.suite.axis.values)
        else:
            budgets = {budget for entry in self.suite.adversaries for budget in entry.budgets}
            known = sorted(float(each.removesuffix("%")) if isinstance(each, str) else each for each in budgets)
        numbers = [value for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
        fitting = [value for value in numbers if value > 0] if claim.needs_axis == "positive numbers" else numbers
        if len(numbers) < len(known) or len(fitting) < 2:
            needs = f"{claim.form!r} needs an axis of two {claim.needs_axis} or more"
            self.add([*at, claim.form], f"{needs}; {name} has {', '.join(map(str, known)) or 'no values'}")

    def references(self) -> None:
        """Datasets that entries are for, which the suite has; and labels, each used once where both apply."""
        kinds: dict[str, Sequence[AlgorithmEntry | AdversaryEntry]]
        kinds = {"algorithms": self.suite.algorithms, "adversaries": self.suite.adversaries}
        for kind, entries in kinds.items():
            taken: set[tuple[str, str]] = set()
            for position, entry in enumerate(entries):
                self.listed(entry.datasets, self.labels, "dataset", [kind, position, "datasets"])
                pairs = [(entry.display_name, dataset) for dataset in entry.datasets or self.labels]
                if twice := next((pair for pair in pairs if pair in taken), None):
                    message = f"label {twice[0]!r} is used twice for dataset {twice[1]!r}: give one a 'label'"
                    self.add([kind, position], message)
                taken.update(pairs)

    def dataset_labels(self) -> None:
        """Labels of datasets: one stands for several where these are one data set with several parameters."""
        seen: dict[str, tuple[str, list[dict[str, Any]]]] = {}
        for position, entry in enumerate(self.suite.datasets):
            name, params = seen.setdefault(entry.display_name, (entry.name, []))
            # Files of one name in two folders would be one curve wherever the folders are not told.
            own = portable_params(entry.params)
            if name != entry.name or own in params:
                self.add(["datasets", position], f"label {entry.display_name!r} is used twice: give one a 'label'")
            params.append(own)
