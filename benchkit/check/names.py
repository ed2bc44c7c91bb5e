"""What a suite names and the plugins do not have, or not so: found without data, all of it at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from benchkit.environment.place import is_satisfied_here
from benchkit.errors import RequestError
from benchkit.execute.apart import SECONDS_OF_IMPORT, call_once
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.declarations import Adversary, Algorithm, Dataset, Deferred
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.estimators import FittedAlgorithm, is_estimator_name
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry, UnknownNameError, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.nearest_name import suggestion
from benchkit.suite.claims import MEASURES, Claim
from benchkit.suite.load import Loaded
from benchkit.suite.names import SPLITS, STEPS, VALUES, digest, portable_params
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry, DatasetEntry, Tune
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite


def name_mistakes(loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...] = ()) -> list[str]:
    """Every name, label, parameter and budget that cannot be, whatever the data, each with its place.

    Where a plugin declares what cannot be imported, that alone is told, once, and of the plugin's file.
    """
    if broken := _import_mistakes(loaded.suite, fingerprints, plugins):
        return broken
    checks = _NameChecks(loaded, fingerprints.registry)
    checks.check()
    return list(dict.fromkeys(checks.mistakes))


def _import_mistakes(suite: Suite, fingerprints: Fingerprints, plugins: tuple[str, ...]) -> list[str]:
    """Code is imported in a worker before it may be imported in this process, once as long as it stays the same."""
    registry = fingerprints.registry
    code: dict[str, tuple[str, str]] = {}  # by target: whose it is, and a digest of its sources
    parts = {"datasets": "load", "algorithms": "make", "adversaries": "make", "metrics": "compute"}
    named = [(kind, entry.name) for kind in parts if kind != "metrics" for entry in getattr(suite, kind)]
    for kind, name in [*named, *(("metrics", name) for name in suite.metrics)]:
        if name not in (catalogue := registry.catalogue(kind)):
            continue  # told elsewhere
        environment = getattr(catalogue[name], "environment", None)
        called: Deferred = getattr(catalogue[name], parts[kind])
        # Another interpreter imports it, or its trials are skipped.
        elsewhere = environment is not None and not is_satisfied_here(environment)
        if isinstance(called.target, str) and called.target not in code and not elsewhere:
            plugin = catalogue[name].declared_by
            owner = f"{registry.plugins.get(plugin, plugin)}: {catalogue.kind} {name!r}"
            sources = [called.target, fingerprints.closure(called), fingerprints.protocol]
            code[called.target] = owner, digest(sources, 32)
    calls = [(target, plugins) for target in code]
    answers = call_once("imported", [key for _, key in code.values()], _import, calls, [SECONDS_OF_IMPORT] * len(calls))
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


def parameters_of(takes: Deferred | Dataset) -> set[str] | None:
    """The names of what a suite may give to something, but for a data set's seed; None where it takes any keyword."""
    parameters = (takes.load if isinstance(takes, Dataset) else takes).parameters().values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    names = {parameter.name for parameter in parameters}
    if isinstance(takes, Dataset):
        # An expansion passes on what it does not name; what `load` takes decides about that.
        expanding = () if takes.expand is None else takes.expand.parameters().values()
        names -= {"random_state"}
        names |= {parameter.name for parameter in expanding if parameter.kind is not inspect.Parameter.VAR_KEYWORD}
    return names


class Checks:
    """What is wrong with a suite: each check adds what it finds."""

    def __init__(self, loaded: Loaded, registry: Registry) -> None:
        self.suite, self._source, self.registry = loaded.suite, loaded.source, registry
        self.mistakes: list[str] = []
        self.warnings: list[str] = []

    def mistake(self, at: Location, message: str) -> None:
        """Add what keeps the suite from running."""
        self.mistakes.append(str(self._source.error(at, message)))

    def warn(self, at: Location, message: str) -> None:
        """Add what some trials suffer from."""
        self.warnings.append(str(self._source.error(at, message)))


class _NameChecks(Checks):
    """The checks, in the order of a suite's keys."""

    def check(self) -> None:
        suite, all_declared = self.suite, True
        self.labels = list(dict.fromkeys(entry.display_name for entry in suite.datasets))
        checks: dict[str, Callable[[Any, Any, Location], None]]
        checks = {"datasets": self.dataset, "algorithms": self.algorithm, "adversaries": self.adversary}
        for kind, check in checks.items():
            for position, entry in enumerate(getattr(suite, kind)):
                if (declared := self.declared(kind, entry.name, [kind, position, "name"])) is not None:
                    check(entry, declared, [kind, position])
                else:
                    all_declared = False
        self.preparation(suite, [])
        for position, dataset in enumerate(suite.datasets):
            self.preparation(dataset, ["datasets", position])
        for position, name in enumerate(suite.metrics):
            self.metric(name, ["metrics", position])
        if all_declared:  # where an entry's own name is wrong, what refers to it may be right
            self.references()
            for position, claim in enumerate(suite.expect):
                self.claim(claim, ["expect", position])

    def declared(self, kind: str, name: str, at: Location) -> Any:
        """What has a name; None where that is a mistake."""
        try:
            return self.registry.catalogue(kind)[name]
        except UnknownNameError as error:
            self.mistake(at, str(error))
            return None

    def is_known(self, name: str, known: Collection[str], kind: str, at: Location) -> bool:
        """Whether a name is one of those that are known; it is a mistake where it is not."""
        if name not in known:
            self.mistake(at, str(UnknownNameError(kind, name, known)))
        return name in known

    def among(self, names: Iterable[str] | None, known: Collection[str], kind: str, at: Location) -> None:
        """The same for each name in a list."""
        for position, name in enumerate(names or ()):
            self.is_known(name, known, kind, [*at, position])

    def parameters(
        self, takes: Deferred | Dataset, params: Iterable[str], owner: str, at: Location, place: Location
    ) -> None:
        """Parameters, at a place, of what stands elsewhere."""
        try:
            known = parameters_of(takes)
        except Exception as error:
            target = (takes.load if isinstance(takes, Dataset) else takes).target
            self.mistake(at, f"cannot import {target!r}: {one_line(error)}")
            return
        for name in params:
            if known is not None and name not in known:
                hint = suggestion(name, known, otherwise=f"it takes {', '.join(sorted(known)) or 'none'}")
                self.mistake([*place, name], f"{owner} has no parameter {name!r}; {hint}")

    def dataset(self, entry: DatasetEntry, declared: Dataset, at: Location) -> None:
        """A dataset's parameters, and the files that they name."""
        self.parameters(declared, entry.params, entry.name, at, at)
        if declared.paths is not None:
            try:
                with guarded(f"{of(declared)}: paths", passing=(TypeError, ValueError), raising=RequestError):
                    list(declared.paths(**entry.params))
            except (TypeError, ValueError) as error:
                self.mistake([*at, "path"], str(error))
        for key in sorted(entry.model_fields_set - {"name", "params"}):
            if key in declared.load.parameters() and key not in entry.params:
                remedy = f"write 'params: {{{key}: ...}}' for the parameter"
                message = f"{key!r} is a key of the suite, and a parameter of {entry.name} too: {remedy}"
                self.mistake([*at, key], message)

    def adversary(self, entry: AdversaryEntry, declared: Adversary, at: Location) -> None:
        """An adversary's budgets, and what it is made with."""
        unit = UNITS[declared.budget_unit]
        for position, budget in enumerate(entry.budgets):
            wrong = unit.check(budget) if not isinstance(budget, str) else None
            if isinstance(budget, str) and unit.name != "none" and not unit.takes_shares:
                wrong = f"is a share, and {unit.title} have no most: give a number"
            if wrong:
                self.mistake([*at, "budgets", position], f"budget {budget} of {declared.name} {wrong}")
        self.parameters(declared.make, entry.params, entry.name, at, [*at, "params"])

    def algorithm(self, entry: AlgorithmEntry, declared: Algorithm, at: Location) -> None:
        """What an algorithm is made with, and each stage of its tuning."""
        if isinstance(declared, FittedAlgorithm):
            self.fitted(entry, declared, at)
            return
        self.parameters(declared.make, entry.params, entry.name, at, [*at, "params"])
        for number, stage in enumerate(entry.tune):
            self.stage(entry, declared, stage, [*at, "tune", number])

    def fitted(self, entry: AlgorithmEntry, declared: FittedAlgorithm, at: Location) -> None:
        """Rows that a model may have been trained on, columns that it never saw, a file that executes what it says."""
        if not declared.path.lower().endswith(".skops") and not entry.params.get("trust"):
            remedy = "write 'trust: true' beside it if you made it or trust who did, or store it with skops"
            self.mistake(at, f"{declared.path}: unpickling can execute any code: {remedy}")
        model, suite = f"{entry.display_name} was fitted elsewhere", self.suite
        for dataset in suite.datasets:
            label, split = dataset.display_name, dataset.split or suite.split
            if entry.datasets is not None and label not in entry.datasets:
                continue
            if not split.test_is_given and split.method != "none":
                remedy = "give that part, 'split: {test: FILE}', or test on all, 'split: {method: none}'"
                self.mistake(at, f"{model}, perhaps on rows that {label!r} would draw for its test part: {remedy}")
            steps = suite.preprocess if dataset.preprocess is None else dataset.preprocess
            words = [step if isinstance(step, str) else next(iter(step)) for step in steps]
            # What is done only for methods that do not support missing values touches no fitted model.
            if changing := [word for word in words if word != "impute-where-needed"]:
                remedy = "leave it out, or let the other methods do it by pipelines of their own, 'estimator: [...]'"
                changes = f"{changing[0]!r} in 'preprocess' of {label!r} changes them"
                self.mistake(at, f"{model}, to columns as the table has them, and {changes}: {remedy}")

    def stage(self, entry: AlgorithmEntry, declared: Algorithm, stage: Tune, at: Location) -> None:
        """A stage of tuning: what is tried, by which metric and search, and on which part of the data."""
        for key in ("grid", "space"):
            if isinstance(values := getattr(stage, key), Mapping):
                self.parameters(declared.make, values, entry.name, at, [*at, key])
        if not isinstance(stage.grid, Mapping) and stage.space is None and declared.grid is None:
            self.mistake(at, f"{entry.name} has no default grid: write 'grid: {{PARAMETER: [values]}}'")
        budgets = [budget for adversary in self.suite.adversaries for budget in adversary.budgets]
        for name, values in stage.bounded.items():
            message, least = "", min(values.up_to_budget)
            if not budgets:
                message = "up_to_budget needs 'adversaries' with budgets; write a plain list of values"
            elif any(isinstance(budget, str) for budget in budgets):
                message = "up_to_budget needs budgets that are amounts, not shares such as '10%'"
            elif min(map(float, budgets)) < least:
                message = f"a budget is below {least:g}, the least value of up_to_budget: add 0 to these"
            if message:
                self.mistake([*at, "grid", name], message)
        if stage.metric is not None:
            self.metric(stage.metric, [*at, "metric"])
        if self.is_known(stage.search, self.registry.tuners, "tuner", [*at, "search"]):
            make = self.registry.tuners[stage.search].make
            self.parameters(make, stage.options, f"tuner {stage.search}", [*at, "search"], [*at, "options"])
        for dataset in self.suite.datasets:
            applies = entry.datasets is None or dataset.display_name in entry.datasets
            if stage.folds is None and (dataset.split or self.suite.split).validation is None and applies:
                where = f"the split of {dataset.display_name!r}"
                self.mistake(at, f"tuning needs a validation part in {where}, or 'folds: 5' here")
                break

    def preparation(self, entry: Suite | DatasetEntry, at: Location) -> None:
        """Split, steps and feature values, of the suite or of a dataset that says otherwise."""
        known, split, values = self.registry, entry.split, entry.feature_values
        steps = [step if isinstance(step, str) else next(iter(step)) for step in entry.preprocess or ()]
        self.among(steps, [*STEPS, *known.preprocessing_steps], known.preprocessing_steps.kind, [*at, "preprocess"])
        if isinstance(values, str) and is_estimator_name(values):
            self.declared("feature_values", values, [*at, "feature_values"])
        elif isinstance(values, str):
            every = [*VALUES, *known.feature_values]
            self.is_known(values, every, known.feature_values.kind, [*at, "feature_values"])
        if split is not None:
            self.is_known(split.method, [*SPLITS, *known.splits], known.splits.kind, [*at, "split", "method"])
            if split.method in known.splits:
                make = known.splits[split.method].make
                self.parameters(make, split.params, split.method, [*at, "split"], [*at, "split", "params"])

    def metric(self, name: str, at: Location) -> None:
        """A metric's name."""
        if self.is_known(name, self.registry.metrics, "metric", at) and self.registry.metrics[name].columns:
            afterwards = f"leave it out, and ask for it afterwards with 'benchkit report RUN --metrics {name}'"
            self.mistake(at, f"{name} reads raw columns, which trials do not have: {afterwards}")

    def references(self) -> None:
        """Datasets that entries are for, labels, each used once where both apply, and the parameter of the axis."""
        for kind in ("algorithms", "adversaries"):
            taken: set[tuple[str, str]] = set()
            for position, entry in enumerate(getattr(self.suite, kind)):
                self.among(entry.datasets, self.labels, "dataset", [kind, position, "datasets"])
                pairs = [(entry.display_name, dataset) for dataset in entry.datasets or self.labels]
                if twice := next((pair for pair in pairs if pair in taken), None):
                    message = f"label {twice[0]!r} is used twice for dataset {twice[1]!r}: give one a 'label'"
                    self.mistake([kind, position], message)
                taken.update(pairs)
        seen: dict[str, tuple[str, list[dict[str, Any]]]] = {}
        for position, dataset in enumerate(self.suite.datasets):
            # One label stands for several entries where these are one data set with several parameters; files of one
            # name in two folders would be one curve wherever the folders are not told.
            name, params = seen.setdefault(dataset.display_name, (dataset.name, []))
            own = portable_params(dataset.params)
            if name != dataset.name or own in params:
                self.mistake(
                    ["datasets", position], f"label {dataset.display_name!r} is used twice: give one a 'label'"
                )
            params.append(own)
        if self.suite.axis is not None:
            target, _, parameter = self.suite.axis.parameter.partition(".")
            kind = {"dataset": "datasets", "algorithm": "algorithms"}.get(target, "adversaries")
            before, at = len(self.mistakes), ["axis", "parameter"]
            for entry in getattr(self.suite, kind):
                if len(self.mistakes) == before:  # it is one key: the other entries would only repeat it
                    declared = self.registry.catalogue(kind)[entry.name]  # an axis comes after a data set's expansion
                    takes = declared.load if kind == "datasets" else declared.make
                    self.parameters(takes, [parameter], entry.name, at, at)

    def claim(self, claim: Claim, at: Location) -> None:
        """What a claim compares, and where: the suite has it, and an axis that it can be told by."""
        suite = self.suite
        algorithms = {entry.display_name for entry in suite.algorithms}
        adversaries = {entry.display_name for entry in suite.adversaries}
        groups = {entry.group for entry in suite.datasets if entry.group}
        named_in = next(key for key in ("order", "alike", "algorithm") if getattr(claim, key) is not None)
        self.among(claim.algorithms, algorithms, "algorithm", [*at, named_in])
        self.among(claim.datasets, self.labels, "dataset", [*at, "datasets"])
        self.among(claim.groups, groups, "group", [*at, "groups"])
        self.among(claim.adversaries, adversaries, "adversary", [*at, "adversaries"])
        if claim.metric is not None and claim.metric not in (*suite.metrics, *MEASURES):
            self.mistake([*at, "metric"], f"metric {claim.metric!r} is not among the suite's metrics")
        needed = {"breakdown": "numbers", "exponent": "positive numbers"}.get(claim.form)
        if needed is None:
            return
        name, known = "the budget", []
        if suite.axis is not None:
            name, known = suite.axis.parameter, list(suite.axis.values)
        else:
            budgets = {budget for entry in suite.adversaries for budget in entry.budgets}
            known = sorted(float(budget.rstrip("%")) if isinstance(budget, str) else budget for budget in budgets)
        numbers = [value for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
        fitting = [value for value in numbers if value > 0] if needed == "positive numbers" else numbers
        if len(numbers) < len(known) or len(fitting) < 2:
            needs = f"{claim.form!r} needs an axis of two {needed} or more"
            self.mistake([*at, claim.form], f"{needs}; {name} has {', '.join(map(str, known)) or 'no values'}")
