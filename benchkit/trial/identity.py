"""The identity of a trial: a hash of everything that decides its outcome, and of nothing that does not.

It has two halves. The *question*: seed, repetition, data, split, preprocessing, feature values, adversary and budget,
and the method's name, parameters and tuning. The *code*: of each object of a plugin that the trial uses, the files that
it lies in and imports within its own package or folder (their syntax, not their comments and docstrings), the content
of data files and of declared inputs, the versions of the distributions that those sources import, and the number of
benchkit's own protocol. Not: labels, where files lie, benchkit's own sources, and metrics, unless parameters are chosen
by them: a metric describes what a trial gave, and a record says by which code each of its values was computed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from benchkit.data.files import locate_file
from benchkit.data.stored_model import named_modules
from benchkit.environment.place import EnvironmentMissingError, place_of
from benchkit.plugin import estimators
from benchkit.plugin.declarations import (
    Adversary,
    Algorithm,
    Dataset,
    DeclarationError,
    Deferred,
    Environment,
    FeatureValues,
    Metric,
)
from benchkit.plugin.estimators import FittedAlgorithm
from benchkit.plugin.manager import Catalogue, Registry, portable_name
from benchkit.plugin.spec import PROJECT
from benchkit.suite.names import SPLITS, STEPS, VALUES, digest
from benchkit.suite.trial import PlannedDataset, Trial
from benchkit.trial.record import COMPUTES_WITH, PROTOCOL
from benchkit.trial.source_code import (
    HERE,
    Packages,
    Syntax,
    SyntaxCache,
    is_edited,
    modules_on_the_way,
    note_loaded,
)

_MOST_FILES = 10_000  # of a folder that a declaration names

_CATALOGUES = {
    "algorithm": "algorithms",
    "adversary": "adversaries",
    "dataset": "datasets",
    "metric": "metrics",
    "tuner": "tuners",
}


class Fingerprints:
    """Computes trial identities; holds what it has read, so make a new one for each run.

    Parameters
    ----------
    registry : Registry
    packages : Packages
        Whose versions count: those that the trials' workers see.

    Attributes
    ----------
    ingredients : dict of str to dict
        What was hashed so far: for each of ``algorithm:NAME`` and the like, modules, files and distributions to their
        hashes or versions.
    """

    def __init__(self, registry: Registry, packages: Packages = HERE) -> None:
        self.registry = registry
        self.packages = packages
        self.ingredients: dict[str, dict[str, str]] = {}
        self._owner = ""  # said of ingredients that are an environment's
        self._elsewhere: dict[Environment, Fingerprints] = {}
        self._sources: dict[str, Mapping[str, str]] = {}
        self._places: dict[str, list[tuple[str, Path]]] = {}  # of modules, which many others import
        self._versions: dict[str, dict[str, str]] = {}
        self._hashes: dict[str, str] = {}
        self._shared: dict[tuple[Any, ...], tuple[Any, str]] = {}  # with the objects, so that their ids stay theirs
        self._imports: dict[Path, Syntax] = {}
        self._syntax = SyntaxCache()
        self._paths: dict[str, Path] = {}  # of the modules whose sources were followed

    def identify(self, trial: Trial) -> str:
        """The id of a trial: a hash of what decides its outcome; hashes stand for sources and contents."""
        return self._of(trial)._identify(trial)

    def identify_all(self, trials: Iterable[Trial]) -> list[str]:
        """The ids of a suite's trials: entries that differ in their labels alone are told apart by them."""
        identities: dict[str, None] = {}
        for trial in trials:
            identity = self.identify(trial)
            if identity in identities:
                adversary = trial.adversary.label if trial.adversary else ""
                labels = [trial.dataset.label, trial.dataset.group, trial.algorithm.label, adversary]
                identity = digest([identity, *labels])
            identities[identity] = None
        return list(identities)

    def _of(self, trial: Trial) -> Fingerprints:
        """The fingerprints of where a trial runs."""
        environment = self.registry.algorithms[trial.algorithm.name].environment
        if environment is None:
            return self
        if environment not in self._elsewhere:
            try:
                built = place_of(environment)
            except EnvironmentMissingError:
                built = None  # its trials are skipped, and nothing is reused of those
            there = self if built is None else Fingerprints(self.registry, Packages(built))
            if built is not None:
                there.ingredients, there._owner = self.ingredients, f" in {environment}"
            self._elsewhere[environment] = there
        return self._elsewhere[environment]

    def _identify(self, trial: Trial) -> str:
        # Trials share nearly all that decides them: it is hashed once for the objects that hold it.
        objects = trial.dataset, trial.algorithm, trial.adversary, trial.metrics
        key = (*map(id, objects), *self.within(trial))
        if key not in self._shared:
            self._shared[key] = objects, digest([_question(trial), self._code(trial)], 64)
        return digest([self._shared[key][1], trial.seed, trial.repetition, trial.axis_value])

    def _code(self, trial: Trial) -> list[tuple[str, str, str]]:
        """Hashes of the code that decides a trial's outcome, with what it is of; of a fitted model's file the name."""
        used = [(kind, estimators.portable_name(name), self._hash(kind, name)) for kind, name in self._used(trial)]
        return [("protocol", "", self.protocol), ("dataset", "", self.dataset(trial.dataset)), *used]

    def _used(self, trial: Trial) -> Iterator[tuple[str, str]]:
        """Kind and name of what a trial uses of plugins, beside its data set: what decides its outcome."""
        yield "algorithm", trial.algorithm.name
        yield from (("algorithm", name) for name in self.within(trial))
        yield from prepared_by(trial.dataset)
        if trial.adversary is not None:
            yield "adversary", trial.adversary.name
        for stage in trial.algorithm.tune:
            if stage.search != "grid":  # the grid is the protocol's
                yield "tuner", stage.search
            yield "metric", stage.metric or trial.metrics[0]

    def sources(self, trial: Trial) -> list[str]:
        """Keys of the ingredients of a trial that was identified."""
        keys = ["protocol", f"dataset:{_dataset_key(trial.dataset)}"]
        keys += [f"{kind}:{name}" for kind, name in self._used(trial)]
        return [f"{key}{self._of(trial)._owner}" for key in keys]

    @cached_property
    def protocol(self) -> str:
        """Hash of the protocol's number, and of the versions of Python and of what the protocol computes with."""
        decisive = {"protocol": str(PROTOCOL), "python": self.packages.python}
        for top in COMPUTES_WITH:
            decisive |= self._distribution(top)
        self.ingredients[f"protocol{self._owner}"] = decisive
        return digest(decisive)

    def metric_code(self, trial: Trial) -> dict[str, str]:
        """Hash of the code of each of a trial's metrics, where it runs: no part of its id."""
        there = self._of(trial)
        return {name: there._hash("metric", name) for name in trial.metrics}

    def within(self, trial: Trial) -> list[str]:
        """Names of the declared algorithms that a trial's algorithm is told, or tries, to fit within itself."""
        declared: Algorithm = self.registry.algorithms[trial.algorithm.name]
        if declared.algorithm_param is None:
            return []
        grids = [declared.grid, *(grid for stage in trial.algorithm.tune for grid in (stage.grid, stage.space))]
        given = [declared.defaults, trial.algorithm.params, *(grid for grid in grids if isinstance(grid, Mapping))]
        texts = {text for params in given for text in _texts(params.get(declared.algorithm_param))}
        return sorted(name for name in {*texts, *_texts(trial.axis_value)} if name in self.registry.algorithms)

    def method(self, trial: Trial) -> str:
        """Hash of the sources and declarations of a trial's algorithm, and of those within it."""
        return digest([self.algorithm(name) for name in (trial.algorithm.name, *self.within(trial))], 64)

    def algorithm(self, name: str) -> str:
        """Hash of an algorithm's sources and declaration."""
        return self._hash("algorithm", name)

    def dataset(self, dataset: PlannedDataset) -> str:
        """Hash of a dataset's sources and of the content of its files."""
        key = _dataset_key(dataset)
        if (hashed := self._hashes.get(f"dataset:{key}")) is not None:
            return hashed
        declared: Dataset = self.registry.datasets[dataset.name]
        files = [(file.name, locate_file(file.name)) for file in declared.files]
        if declared.paths is not None:
            files += [(Path(path).name, Path(path)) for path in declared.paths(**dataset.whole.params)]
        contents = [{f"file {name}": _file_digest(path)} for name, path in files if path and path.is_file()]
        return self._hash("dataset", dataset.name, key, contents)

    def _hash(self, kind: str, name: str, key: str = "", contents: Iterable[Mapping[str, str]] = ()) -> str:
        """Hash of what is declared by a name: its sources, its inputs, further contents and plain values."""
        key = f"{kind}:{key or name}"
        if key in self._hashes:
            return self._hashes[key]
        catalogue: Catalogue[Any] = self.registry.catalogue(_CATALOGUES.get(kind, kind))
        declared = catalogue[name]
        targets, plain = _decisive(declared)
        targets = [target for target in targets if isinstance(target, Deferred)]
        parts = [*self._declared_in(catalogue, name, any(map(_is_made, targets))), *map(self.closure, targets)]
        decisive: dict[str, str] = {"declaration": digest(plain)}
        for part in (*parts, *_inputs(getattr(declared, "inputs", ())), *contents):
            for source, content in part.items():
                # Two files may have one name.
                again = decisive.get(source, content) != content
                decisive[f"{source} ({len(decisive)})" if again else source] = content
        self.ingredients[f"{key}{self._owner}"] = decisive
        self._hashes[key] = digest(decisive)
        return self._hashes[key]

    def _declared_in(self, catalogue: Catalogue[Any], name: str, made: bool) -> Iterator[Mapping[str, str]]:
        """The sources of the plugin that declares something, where they decide what it does.

        A plugin file may patch, when it is imported, what it only names; and what a partial, a closure or an instance
        holds is ``made`` there.
        """
        origin = catalogue.origin.get(name, "")
        plugin = self.registry.manager.get_plugin(origin)
        if plugin is not None and (made or origin in self.registry.files):
            yield self.closure(Deferred(f"{getattr(plugin, '__name__', type(plugin).__module__)}:_"))

    def closure(self, target: Deferred) -> Mapping[str, str]:
        """Hashes of the sources that an object's module imports, and versions of the distributions they import."""
        module = target.module
        if module not in self._sources:
            self._sources[module] = self._follow(module)
        return self._sources[module]

    def _follow(self, module: str) -> dict[str, str]:
        """Walk the imports from a module, but into benchkit: what of it decides an outcome is the protocol."""
        contents: dict[str, str] = {}
        waiting: list[tuple[str, Path]] = []
        seen = set()

        def meet(name: str) -> None:
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names or top == PROJECT:
                return
            # Plugins and local files are followed by their sources, all others by their version.
            if top in self.registry.packages or self.packages.is_source(top):
                if name not in self._places:
                    self._places[name] = list(modules_on_the_way(name))
                waiting.extend(self._places[name])
            else:
                contents.update(self._distribution(top))

        meet(module)
        while waiting:
            name, path = waiting.pop()
            if path not in seen:
                seen.add(path)
                syntax = self._read(name, path)
                contents[portable_name(name)] = syntax.content
                self._paths[portable_name(name)] = path
                for imported in syntax.imported:
                    meet(imported)
        self._syntax.keep()
        return contents

    def _read(self, name: str, path: Path) -> Syntax:
        if path not in self._imports:
            source = path.read_bytes()
            if path.suffix == ".py":
                package = name if path.stem == "__init__" else name.rpartition(".")[0]
                self._imports[path] = self._syntax.read(source, package)
            else:  # compiled
                self._imports[path] = Syntax(hashlib.sha256(source).hexdigest(), [])
        return self._imports[path]

    def _distribution(self, top: str) -> dict[str, str]:
        if top not in self._versions:
            self._versions[top] = self.packages.versions_of(top)
        return self._versions[top]

    def edited_since_import(self) -> list[str]:
        """Names of the modules that were hashed and loaded, whose code in memory is not what was hashed.

        Of the others is noted what was hashed, so that the next run in this process may find them edited.
        """
        edited = []
        for name, path in self._paths.items():
            content = self._imports[path].content
            if is_edited(name, path, content):
                edited.append(name)
            else:
                note_loaded(name, content)
        return edited


def _question(trial: Trial) -> dict[str, Any]:
    """What a trial asks, but for seed, repetition and point on the axis; labels say nothing."""
    dataset, algorithm, adversary = trial.dataset, trial.algorithm, trial.adversary
    return {
        "data": dataset.identity,
        **dataset.protocol,
        "method": {key: value for key, value in algorithm.identity.items() if key != "label"},
        "chosen_by": trial.metrics[0] if tunes_by_first(trial) else None,
        "adversary": None if adversary is None else adversary.identity,
        "budget": None if adversary is None else [adversary.amount, adversary.share],
    }


def _dataset_key(dataset: PlannedDataset) -> str:
    """A name for a data set with its parameters; files of one name in two folders make two of one identity."""
    params = dict(dataset.whole.params)
    return f"{dataset.name} {digest(params)}" if params else dataset.name


def tunes_by_first(trial: Trial) -> bool:
    """Whether parameters are chosen by the first of the suite's metrics."""
    return any(stage.metric is None for stage in trial.algorithm.tune)


def prepared_by(dataset: PlannedDataset) -> list[tuple[str, str]]:
    """Kind and name of what plugins declare of how a dataset's rows and columns are prepared."""
    words = [step if isinstance(step, str) else next(iter(step)) for step in dataset.preprocess]
    names = [("preprocessing_steps", word) for word in dict.fromkeys(words) if word not in STEPS]
    if dataset.split.method not in SPLITS:
        names.append(("splits", dataset.split.method))
    if isinstance(dataset.feature_values, str) and dataset.feature_values not in VALUES:
        names.append(("feature_values", dataset.feature_values))
    return names


def _decisive(declared: Any) -> tuple[list[Any], Any]:
    """The callables and the plain values of a declaration that decide what its trials give."""
    match declared:
        case Algorithm():
            plain: list[Any] = [declared.defaults, declared.budget_param, declared.values_param, declared.groups_param]
            plain += [declared.accepts_sparse, declared.accepts_missing, list(declared.tasks)]
            if declared.environment is not None:
                plain.append(str(declared.environment))
            grid = None if isinstance(declared.grid, Deferred) else declared.grid
            targets = [declared.make, declared.grid, declared.fit_path, *getattr(declared, "parts", ())]
            if isinstance(declared, FittedAlgorithm):
                targets += [Deferred(f"{module}:_") for module in named_modules(Path(declared.path))]
            return targets, [_plain(grid), _plain(plain)]
        case Adversary():
            return [declared.make], [declared.phase, declared.requires, declared.budget_unit]
        case Metric():
            return [declared.compute], [declared.greater_is_better, list(declared.tasks)]
        case Dataset():
            return [declared.load, declared.expand], [declared.generated, declared.task]
        case FeatureValues():
            return [declared.compute], []
    return [declared.make], []


def _plain(value: Any) -> Any:
    """A declared value, content instead of what memory addresses print."""
    try:
        json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):
        import joblib  # few declarations hold what is no text and no number

        return joblib.hash(value, hash_name="sha1")
    return value


def _texts(value: Any) -> Iterator[str]:
    """The texts among values, however deep in lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _is_made(target: Deferred) -> bool:
    """Whether a callable is no function or class of its module: a partial, a closure, an instance, a bound method."""
    if isinstance(target.target, str):
        return False
    named = isinstance(target.target, types.FunctionType | type)
    return not named or "<locals>" in target.target.__qualname__


def _inputs(inputs: Iterable[str]) -> Iterator[Mapping[str, str]]:
    """Content of the files, and values of the environment variables, that a declaration says it reads."""
    for name in inputs:
        if name.startswith("$"):
            yield {f"variable {name}": digest(os.environ.get(name[1:]))}
            continue
        path = Path(name)
        content = "absent"
        if path.is_dir():  # with the names of all files below it
            files = sorted(file for file in path.rglob("*") if file.is_file())
            if len(files) > _MOST_FILES:
                raise DeclarationError(f"inputs: {path} has {len(files)} files; name those that are read")
            content = digest([[file.relative_to(path).as_posix(), _file_digest(file)] for file in files], 64)
        elif path.is_file():
            content = _file_digest(path)
        yield {f"file {path.name}": content}


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
