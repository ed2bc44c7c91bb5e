"""What a suite names and the plugins do not have, or not so: found without data, all of it at once."""

import inspect
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from benchkit.environment.place import is_satisfied_here
from benchkit.errors import RequestError
from benchkit.execute.apart import SECONDS_OF_IMPORT, call_once
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.declarations import Adversary, Algorithm, Dataset, Declaration, Deferred
from benchkit.plugin.declarations.adversary import UNITS
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import UnknownNameError, one_line
from benchkit.plugin.manager import registry as known_plugins
from benchkit.plugin.parameters import suggestion
from benchkit.suite.claims import MEASURES, Claim
from benchkit.suite.load import Loaded
from benchkit.suite.names import NO_ADVERSARY, SPLITS, STEPS, VALUES, digest, portable_params
from benchkit.suite.schema import AlgorithmEntry, DatasetEntry, Tune
from benchkit.suite.source import Location
from benchkit.suite.whole_suite import Suite
from benchkit.trial.refusals import HOLDS

ANY = "**"  # among the parameters of what takes any


def name_mistakes(loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...] = ()) -> list[str]:
    """Every name, label, parameter and budget that cannot be, whatever the data, each with its place.

    Where a plugin declares what cannot be imported, that alone is told, once, and of the plugin's file.
    """
    checks = Checks(loaded, fingerprints, plugins)
    suite, known = loaded.suite, fingerprints.registry
    entries: list[tuple[Any, Any, Location]] = [
        (entry, checks.declared(kind, entry.name, [kind, position, "name"]), [kind, position])
        for kind in ("datasets", "algorithms", "adversaries")
        for position, entry in enumerate(getattr(suite, kind))
    ]
    code = [declared for _, declared, _ in entries if declared is not None]
    code += [known.metrics[name] for name in suite.metrics if name in known.metrics]
    stages = [stage for entry in suite.algorithms for stage in entry.tune]
    code += [known.tuners[stage.search] for stage in stages if stage.search in known.tuners]
    splits = [suite.split, *(entry.split for entry in suite.datasets if entry.split is not None)]
    code += [known.splits[split.method] for split in splits if split.method in known.splits]
    if broken := checks.import_code(code):
        return broken
    for entry, declared, at in entries:
        if isinstance(declared, Dataset):
            checks.dataset(entry, declared, at)
        elif declared is not None:
            checks.parameters(declared.make, entry.params, entry.name, at, [*at, "params"])
        if isinstance(declared, Adversary):
            for position, budget in enumerate(entry.budgets):
                if wrong := UNITS[declared.budget_unit].check(budget):
                    checks.mistake([*at, "budgets", position], f"budget {budget} of {declared.name} {wrong}")
        elif isinstance(declared, Algorithm):
            for number, stage in enumerate(entry.tune):
                checks.stage(entry, declared, stage, [*at, "tune", number])
    checks.preparation(suite, [])
    for position, dataset in enumerate(suite.datasets):
        checks.preparation(dataset, ["datasets", position])
    metrics: list[tuple[str, Location]] = [(name, ["metrics", position]) for position, name in enumerate(suite.metrics)]
    for place, entry in enumerate(suite.algorithms):
        for number, stage in enumerate(entry.tune):
            metrics += [(stage.metric, ["algorithms", place, "tune", number, "metric"])] if stage.metric else []
    for name, at in metrics:
        if checks.among(name, known.metrics, "metric", at) and known.metrics[name].columns:
            afterwards = f"leave it out, and ask for it afterwards with 'benchkit report RUN --metrics {name}'"
            checks.mistake(at, f"{name} reads raw columns, which trials do not have: {afterwards}")
    tasks = {known.datasets[entry.name].task for entry in suite.datasets if entry.name in known.datasets}
    judging = [name for name, metric in known.metrics.items() if tasks.intersection(metric.tasks)]
    if tasks and known.metrics.keys() >= {*suite.metrics} and not {*suite.metrics}.intersection(judging):
        holds = " and ".join(HOLDS[task] for task in sorted(tasks))
        checks.mistake(["metrics"], f"none of them is for {holds}, which the data has; see 'benchkit list metrics'")
    if all(declared is not None for _, declared, _ in entries):  # else what refers to a wrong name may be right
        checks.references()
        for position, claim in enumerate(suite.expect):
            checks.claim(claim, ["expect", position])
    return [*checks.mistakes]


class Checks:
    """What is wrong with a suite, each once: mistakes, with which it does not run, and what some trials suffer from."""

    def __init__(self, loaded: Loaded, fingerprints: Fingerprints, plugins: tuple[str, ...]) -> None:
        self.suite, self._source, self._partial = loaded.suite, loaded.source, loaded.partial
        self.registry, self.fingerprints, self.plugins = fingerprints.registry, fingerprints, plugins
        self.mistakes: dict[str, None] = {}
        self.sections: set[str] = set()  # those with a mistake: what refers to them may be right
        self.warnings: dict[str, None] = {}
        self.labels = list(dict.fromkeys(entry.display_name for entry in loaded.suite.datasets))
        # By target, its parameters; of each the texts that it takes, where its documentation lists them.
        self._taken: dict[str, dict[str, list[str]]] = {}

    def mistake(self, at: Location, message: str) -> None:
        """Add what keeps the suite from running; of a part of one, what cannot come from what is left out of it."""
        if (
            self._partial
            and at[0] not in ("datasets", "metrics", "preprocess", "split")
            and not {"name", "params"} & {*at}
        ):
            return
        self.sections.add(str(at[0]))
        self.mistakes[str(self._source.error(at, message))] = None

    def warn(self, at: Location, message: str) -> None:
        """Add what some trials suffer from."""
        self.warnings[str(self._source.error(at, message))] = None

    def import_code(self, declarations: Iterable[Declaration]) -> list[str]:
        """Import in workers what may then be imported in this process, once as long as it stays the same.

        Returns a line for each that cannot be imported.
        """
        calls: dict[str, tuple[str, bool, tuple[str, ...]]] = {}
        owners, keys = [], []
        for declared in declarations:
            environment, plugin = getattr(declared, "environment", None), declared.declared_by
            # Another interpreter imports it, or its trials are skipped.
            elsewhere = environment is not None and not is_satisfied_here(environment)
            for code in (getattr(declared, field, None) for field in ("load", "expand", "make", "compute")):
                if isinstance(code, Deferred) and isinstance(code.target, str) and code.target not in calls:
                    calls[code.target] = code.target, elsewhere, self.plugins
                    owners.append(f"{self.registry.plugins.get(plugin, plugin)}: {declared.kind()} {declared.name!r}")
                    sources = [self.fingerprints.closure(code), self.fingerprints.protocol]
                    keys.append(digest([code.target, elsewhere, *sources], 32))
        answers = call_once("parameters", keys, _parameters, [*calls.values()], [SECONDS_OF_IMPORT] * len(calls))
        broken = []
        for owner, (target, elsewhere, _), answer in zip(owners, calls.values(), answers, strict=True):
            self._taken[target] = {ANY: []} if isinstance(answer, Exception) else answer
            if isinstance(answer, Exception) and not elsewhere:
                broken.append(f"{owner} cannot be imported from {target!r}: {answer}")
        return broken

    def taken(self, code: Deferred | Dataset) -> set[str]:
        """The names of what a suite may give to something, but for a data set's seed."""
        if isinstance(code, Dataset):
            # An expansion passes on what it does not name; what `load` takes decides about that.
            expanding = set() if code.expand is None else self.taken(code.expand) - {ANY}
            return self.taken(code.load) - {"random_state"} | expanding
        if isinstance(code.target, str) and code.target in self._taken:
            return {*self._taken[code.target]}
        return {*_names(code.parameters())}

    def declared(self, kind: str, name: str, at: Location) -> Any:
        """What has a name; None where that is a mistake."""
        try:
            return self.registry.catalogue(kind)[name]
        except UnknownNameError as error:
            self.mistake(at, str(error))
            return None

    def among(self, names: str | Iterable[str] | None, known: Collection[str], kind: str, at: Location) -> bool:
        """Whether a name, or each of a list, is one of those that are known; a mistake for each that is not."""
        places = [(names, at)] if isinstance(names, str) else [(name, [*at, n]) for n, name in enumerate(names or ())]
        unknown = [(name, place) for name, place in places if name not in known]
        for name, place in unknown:
            self.mistake(place, str(UnknownNameError(kind, name, known)))
        return not unknown

    def parameters(
        self,
        code: Deferred | Dataset,
        params: Mapping[str, Any],
        owner: str,
        at: Location,
        place: Location,
        keys: Iterable[str] = (),
    ) -> None:
        """Names of parameters, which stand beside keys, and texts where the documentation lists which it takes."""
        target = (code.load if isinstance(code, Dataset) else code).target
        try:
            taken = self.taken(code)
        except Exception as error:
            self.mistake(at, f"cannot import {target!r}: {one_line(error)}")
            return
        for name, value in params.items():
            if name not in taken and ANY not in taken:
                hint = suggestion(name, [*taken, *keys], otherwise=f"it takes {', '.join(sorted(taken)) or 'none'}")
                self.mistake([*place, name], f"{owner} has no parameter {name!r}; {hint}")
            texts = self._taken.get(str(target), {}).get(name)
            for text in value if isinstance(value, list) else [value]:
                if texts and isinstance(text, str) and text not in texts:
                    expected = suggestion(text, texts, otherwise=f"expected one of {', '.join(map(repr, texts))}")
                    self.mistake([*place, name], f"{name} is {text!r}; {expected}")

    def dataset(self, entry: DatasetEntry, declared: Dataset, at: Location) -> None:
        """A dataset's parameters, the files that they name, and feature values that its target can have."""
        if declared.task == "regression" and (entry.feature_values or self.suite.feature_values) == _OF_CLASSES:
            self.mistake(at, f"feature values by {_OF_CLASSES} need classes, and {entry.name} has numbers to predict")
        self.parameters(declared, entry.params, entry.name, at, at, DatasetEntry.model_fields)
        if declared.paths is not None:
            try:
                with guarded(f"{of(declared)}: paths", passing=(TypeError, ValueError), raising=RequestError):
                    list(declared.paths(**entry.params))
            except (TypeError, ValueError) as error:
                self.mistake([*at, "path"], str(error))
        for key in sorted(entry.model_fields_set - {"name", "params"} - entry.params.keys()):
            if key in self.taken(declared.load):
                remedy = f"write 'params: {{{key}: ...}}' for the parameter"
                message = f"{key!r} is a key of the suite, and a parameter of {entry.name} too: {remedy}"
                self.mistake([*at, key], message)

    def stage(self, entry: AlgorithmEntry, declared: Algorithm, stage: Tune, at: Location) -> None:
        """A stage of tuning: what is tried, by which metric and search, and on which part of the data."""
        by_key = {key: getattr(stage, key) for key in ("grid", "space") if isinstance(getattr(stage, key), Mapping)}
        for key, values in by_key.items():
            self.parameters(declared.make, values, entry.name, at, [*at, key])
        if not by_key and isinstance(declared.grid, Mapping):
            by_key = {"default grid": declared.grid}
            self.parameters(declared.make, declared.grid, f"{entry.name}, by its default grid,", at, at)
        elif not by_key and declared.grid is None:
            self.mistake(at, f"{entry.name} has no default grid: write 'grid: {{PARAMETER: [values]}}'")
        # A later stage may choose what the stages before it were given.
        target, _, of_axis = self.suite.axis.parameter.partition(".") if self.suite.axis else ("", "", "")
        given = {name: repr(value) for name, value in entry.params.items()}
        tried = {name: values for each in by_key.values() for name, values in each.items()}
        if target == "algorithm" and not (isinstance(one := tried.get(of_axis), list) and len(one) == 1):
            given[of_axis] = "the axis"
        for name in sorted(given.keys() & tried.keys()) if stage is entry.tune[0] else ():
            never = f"'tune' chooses {name}, and {given[name]} is never used: leave one of them out"
            self.mistake([*at[:2], "params", name] if name in entry.params else at, never)
        budgets = [budget for adversary in self.suite.adversaries for budget in adversary.budgets]
        for name, values in stage.bounded.items():
            least = min(values.up_to_budget)
            if not budgets or any(isinstance(budget, str) or budget < least for budget in budgets):
                needs = f"needs 'adversaries' whose budgets are amounts (not '10%') of at least its least, {least:g}"
                self.mistake([*at, "grid", name], f"up_to_budget {needs}: add 0 to its values, or write a plain list")
        if self.among(stage.search, self.registry.tuners, "tuner", [*at, "search"]):
            make = self.registry.tuners[stage.search].make
            self.parameters(make, stage.options, f"tuner {stage.search}", [*at, "search"], [*at, "options"])
        for dataset in self.suite.datasets if stage.folds is None else ():
            label, split = dataset.display_name, dataset.split or self.suite.split
            known = split.method in [*SPLITS, *self.registry.splits]
            if known and split.validation is None and label in (entry.datasets or self.labels):
                self.mistake(at, f"tuning needs a validation part in the split of {label!r}, or 'folds: 5' here")
                break

    def preparation(self, entry: Suite | DatasetEntry, at: Location) -> None:
        """Split, steps and feature values, of the suite or of a dataset that says otherwise."""
        known, split, values = self.registry, entry.split, entry.feature_values
        self.steps(entry.preprocess or (), [*at, "preprocess"])
        if isinstance(values, str):
            self.among(values, VALUES, "feature values", [*at, "feature_values"])
        if split is not None:
            self.among(split.method, [*SPLITS, *known.splits], known.splits.kind, [*at, "split", "method"])
            if split.method in known.splits:
                make = known.splits[split.method].make
                self.parameters(make, split.params, split.method, [*at, "split"], [*at, "split", "params"])

    def steps(self, steps: Iterable[str | Mapping[str, Any]], at: Location) -> bool:
        """Whether all steps of a preparation are known."""
        known = self.registry.preprocessing_steps
        names = [step if isinstance(step, str) else next(iter(step)) for step in steps]
        return self.among(names, [*STEPS, *known], known.kind, at)

    def references(self) -> None:
        """Datasets that entries are for, labels, each used once where both apply, and the parameter of the axis."""
        for kind in ("algorithms", "adversaries"):
            taken: set[tuple[str, str]] = set()
            for position, entry in enumerate(getattr(self.suite, kind)):
                if "datasets" not in self.sections:
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
                message = f"label {dataset.display_name!r} is used twice: give one a 'label'"
                self.mistake(["datasets", position], message)
            params.append(own)
        if self.suite.axis is not None:
            for position, adversary in enumerate(self.suite.adversaries):
                if len(adversary.budgets) > 1:
                    one = "beside an axis an adversary has one budget: write an entry with a 'label' for each"
                    self.mistake(["adversaries", position, "budgets"], one)
            target, _, parameter = self.suite.axis.parameter.partition(".")
            kind = {"dataset": "datasets", "algorithm": "algorithms"}.get(target, "adversaries")
            before, at = len(self.mistakes), ["axis", "parameter"]
            for entry in getattr(self.suite, kind):
                if len(self.mistakes) == before:  # it is one key: the other entries would only repeat it
                    declared = self.registry.catalogue(kind)[entry.name]  # an axis comes after a data set's expansion
                    takes = declared.load if kind == "datasets" else declared.make
                    self.parameters(takes, {parameter: None}, entry.name, at, at)

    def claim(self, claim: Claim, at: Location) -> None:
        """What a claim compares, and where: the suite has it, and an axis that it can be told by."""
        suite = self.suite
        algorithms = {entry.display_name for entry in suite.algorithms}
        adversaries = {NO_ADVERSARY, *(entry.display_name for entry in suite.adversaries)}
        groups = {entry.group for entry in suite.datasets if entry.group}
        named_in = next(key for key in ("order", "alike", "algorithm") if getattr(claim, key) is not None)
        self.among(claim.algorithms, algorithms, "algorithm", [*at, named_in])
        self.among(claim.adversaries, adversaries, "adversary", [*at, "adversaries"])
        if "datasets" not in self.sections:
            self.among(claim.datasets, self.labels, "dataset", [*at, "datasets"])
            self.among(claim.groups, groups, "group", [*at, "groups"])
        if "metrics" not in self.sections and claim.metric not in (None, *suite.metrics, *MEASURES):
            self.mistake([*at, "metric"], f"metric {claim.metric!r} is not among the suite's metrics")
        if claim.form not in ("breakdown", "exponent"):
            return
        if suite.axis is not None:
            name, known = suite.axis.parameter, list(suite.axis.values)
        else:
            budgets = {budget for entry in suite.adversaries for budget in entry.budgets}
            amounts = {float(budget.rstrip("%")) if isinstance(budget, str) else budget for budget in budgets}
            name, known = "the budget", sorted(amounts)
        numbers = [value for value in known if isinstance(value, int | float) and not isinstance(value, bool)]
        fitting = [value for value in numbers if value > 0 or claim.form == "breakdown"]  # a power needs positive ones
        if len(numbers) < len(known) or len(fitting) < 2:
            needs = f"{claim.form!r} needs an axis of two {'positive ' * (claim.form == 'exponent')}numbers or more"
            self.mistake([*at, claim.form], f"{needs}; {name} has {', '.join(map(str, known)) or 'no values'}")


_OF_CLASSES = "mutual-information"
# As numpydoc writes it: ``fill : {"zero", "nan", "mean"}, default="zero"``. What takes other texts too is left alone.
_LISTED = re.compile(
    r"^ *(\w+) : \{([^{}]+)\}(?: or (?:callable|None))?(?:, *(?:(?:default|optional).*)?)?$", re.MULTILINE
)


def _parameters(target: str, elsewhere: bool, plugins: tuple[str, ...]) -> dict[str, list[str]]:
    """The names of what something takes, and of each the texts that its documentation lists. Called in a worker."""
    known_plugins(plugins)  # the modules of plugin files
    try:
        called = Deferred(target).resolve()
    except (Exception, SystemExit) as error:
        if elsewhere:
            return {ANY: []}
        raise RequestError(one_line(error)) from None
    try:
        names = _names(inspect.signature(called).parameters)
    except (TypeError, ValueError):  # compiled code may have none
        return {ANY: []}
    listed = dict(_LISTED.findall(inspect.getdoc(called) or ""))
    return {name: re.findall(r"['\"](.*?)['\"]", listed.get(name, "")) for name in names}


def _names(parameters: Mapping[str, inspect.Parameter]) -> list[str]:
    return [ANY if parameter.kind is parameter.VAR_KEYWORD else name for name, parameter in parameters.items()]
