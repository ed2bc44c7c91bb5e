"""The identity of a trial: a hash of everything that decides its outcome, and of nothing that does not.

That is: the files of the plugins' objects it uses and the sources that these import (their syntax, not their comments
and docstrings), the content of data files and of declared inputs, every parameter, the seed, the versions of the
distributions that those sources import, and the number of benchkit's own protocol. Not: labels, where files lie,
benchkit's own sources, and metrics, unless parameters are chosen by them: a metric describes what a trial gave, and a
record says by which code each of its values was computed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from benchkit.data.files import locate_file
from benchkit.data.stored_model import named_modules
from benchkit.environment.place import EnvironmentMissingError, place_of
from benchkit.plugin.declarations import (
    Adversary,
    Algorithm,
    Dataset,
    Declaration,
    DeclarationError,
    Deferred,
    Environment,
    Metric,
    Tuner,
)
from benchkit.plugin.declarations.source import module_path
from benchkit.plugin.estimators import FittedAlgorithm
from benchkit.plugin.manager import Catalogue, Registry, portable_name
from benchkit.plugin.spec import PROJECT
from benchkit.suite.names import SPLITS, STEPS, VALUES, digest
from benchkit.suite.trial import PlannedAdversary, PlannedAlgorithm, PlannedDataset, Trial
from benchkit.trial.record import COMPUTES_WITH, PROTOCOL
from benchkit.trial.source_code import (
    HERE,
    InstalledHere,
    InstalledThere,
    Syntax,
    SyntaxCache,
    installed_versions,
    is_edited,
    note_loaded,
)

_MOST_FILES = 10_000  # of a folder that a declaration names


class Fingerprints:
    """Computes trial identities; holds what it has read, so make a new one for each run.

    Parameters
    ----------
    registry : Registry
    packages : InstalledHere
        Whose versions count: those that the trials' workers see.

    Attributes
    ----------
    ingredients : dict of str to dict
        What was hashed so far: for each of ``algorithm:NAME`` and the like, modules, files and distributions to their
        hashes or versions.
    """

    def __init__(self, registry: Registry, packages: InstalledHere = HERE) -> None:
        self.registry = registry
        self.packages = packages
        self._owner = ""  # said of ingredients that are an environment's
        self._elsewhere: dict[Environment, Fingerprints] = {}
        self._sources: dict[str, Mapping[str, str]] = {}
        self._versions: dict[str, dict[str, str]] = {}
        self._hashes: dict[str, str] = {}
        self._dataset_params: dict[str, list[str]] = {}  # of those that have one identity
        self._parts: dict[int, tuple[Any, str]] = {}  # the object is held so that its id stays its own
        self.ingredients: dict[str, dict[str, str]] = {}
        self._imports: dict[Path, Syntax] = {}
        self._syntax = SyntaxCache()
        self._paths: dict[str, Path] = {}  # of the modules whose sources were followed

    def identify(self, trial: Trial) -> str:
        """The id of a trial: a hash of what decides its outcome; hashes stand for sources and contents."""
        there = self._of(trial)
        return self._identify(trial) if there is self else there._identify(trial)

    def _of(self, trial: Trial) -> Fingerprints:
        """The fingerprints of where a trial runs."""
        environment = self.registry.algorithms[trial.algorithm.name].environment
        if environment is None:
            return self
        if environment not in self._elsewhere:
            self._elsewhere[environment] = self._in(environment)
        return self._elsewhere[environment]

    def _in(self, environment: Environment) -> Fingerprints:
        try:
            built = place_of(environment)
        except EnvironmentMissingError:
            return self  # its trials are skipped, and nothing is reused of those
        if built is None:
            return self
        packages = InstalledThere(built)
        there = Fingerprints(self.registry, packages)
        there.ingredients, there._owner = self.ingredients, f" in {environment}"
        return there

    def _identify(self, trial: Trial) -> str:
        tuned = tunes_by_first(trial)
        parts = [
            self.protocol,
            str(trial.seed),
            str(trial.repetition),
            self._part(trial.dataset, self._dataset_part),
            self._part(trial.algorithm, self._algorithm_part),
            json.dumps(trial.axis_value, sort_keys=True, default=str),
            self._part(trial.adversary, self._adversary_part) if trial.adversary else "",
            *([self._part(trial.metrics, lambda names: [names[0], self._metric(names[0])])] if tuned else []),
            *([self.method(trial)] if self.within(trial) else []),
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def identify_all(self, trials: Iterable[Trial]) -> list[str]:
        """The ids of a suite's trials: entries that differ in their labels alone are told apart by them."""
        identities: list[str] = []
        taken: set[str] = set()
        for trial in trials:
            identity = self.identify(trial)
            if identity in taken:
                adversary = trial.adversary.label if trial.adversary else ""
                identity = digest(
                    [identity, trial.dataset.label, trial.dataset.group, trial.algorithm.label, adversary]
                )
            taken.add(identity)
            identities.append(identity)
        return identities

    def _part(self, shared: Any, describe: Callable[[Any], Any]) -> str:
        """Hash of what many trials share, computed once for each object."""
        held = self._parts.get(id(shared))
        if held is None:
            held = self._parts[id(shared)] = shared, digest(describe(shared), 64)
        return held[1]

    def _dataset_part(self, dataset: PlannedDataset) -> Any:
        preparing = [self._preparation(kind, name) for kind, name in prepared_by(dataset)]
        return [dataset.identity, dataset.protocol, self.dataset(dataset), *([preparing] if preparing else [])]

    def _algorithm_part(self, algorithm: PlannedAlgorithm) -> Any:
        metrics = [[stage.metric, self._metric(stage.metric)] for stage in algorithm.tune if stage.metric]
        decisive = {key: value for key, value in algorithm.identity.items() if key != "label"}
        # The grid, which is searched unless the suite says otherwise, is the protocol's.
        tuners = [[stage.search, self._tuner(stage.search)] for stage in algorithm.tune if stage.search != "grid"]
        return [decisive, self.algorithm(algorithm.name), metrics, *([tuners] if tuners else [])]

    def _adversary_part(self, adversary: PlannedAdversary) -> Any:
        return [adversary.identity, adversary.amount, adversary.share, self._adversary(adversary.name)]

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
        return {name: there._metric(name) for name in trial.metrics}

    def _remember(self, kind: str, name: str, compute: Callable[[], tuple[Iterable[Mapping[str, str]], Any]]) -> str:
        """Hash of ingredients and of plain values, computed once."""
        key = f"{kind}:{name}"
        if key not in self._hashes:
            parts, plain = compute()
            decisive: dict[str, str] = {"declaration": digest(plain)}
            for part in parts:
                for name, content in part.items():
                    # Two files may have one name.
                    again = decisive.get(name, content) != content
                    decisive[f"{name} ({len(decisive)})" if again else name] = content
            self.ingredients[f"{key}{self._owner}"] = decisive
            self._hashes[key] = digest(decisive)
        return self._hashes[key]

    def sources(self, trial: Trial) -> list[str]:
        """Keys of the ingredients of a trial that was identified."""
        environment = self.registry.algorithms[trial.algorithm.name].environment
        owner = "" if environment is None else self._elsewhere.get(environment, self)._owner
        keys = ["protocol", f"dataset:{self._dataset_key(trial.dataset)}", f"algorithm:{trial.algorithm.name}"]
        keys += [f"algorithm:{name}" for name in self.within(trial)]
        keys += [f"{kind}:{name}" for kind, name in prepared_by(trial.dataset)]
        if trial.adversary is not None:
            keys.append(f"adversary:{trial.adversary.name}")
        keys += [f"tuner:{stage.search}" for stage in trial.algorithm.tune if stage.search != "grid"]
        keys += [f"metric:{stage.metric or trial.metrics[0]}" for stage in trial.algorithm.tune]
        return [f"{key}{owner}" for key in keys]

    def within(self, trial: Trial) -> list[str]:
        """Names of the declared algorithms that a trial's algorithm is told, or tries, to fit within itself."""
        declared: Algorithm = self.registry.algorithms[trial.algorithm.name]
        if declared.algorithm_param is None:
            return []
        grids = [declared.grid, *(each for stage in trial.algorithm.tune for each in (stage.grid, stage.space))]
        given = [declared.defaults, trial.algorithm.params, *(each for each in grids if isinstance(each, Mapping))]
        told = {text for each in given for text in _texts(each.get(declared.algorithm_param))}
        return sorted(name for name in {*told, *_texts(trial.axis_value)} if name in self.registry.algorithms)

    def method(self, trial: Trial) -> str:
        """Hash of the sources and declarations of a trial's algorithm, and of those within it."""
        own, within = self.algorithm(trial.algorithm.name), self.within(trial)
        return digest([own, *([name, self.algorithm(name)] for name in within)], 64) if within else own

    def algorithm(self, name: str) -> str:
        """Hash of an algorithm's sources and declaration."""
        declared: Algorithm = self.registry.algorithms[name]

        def compute() -> tuple[list[Mapping[str, str]], Any]:
            plain: list[Any] = [declared.defaults, declared.budget_param, declared.values_param, declared.groups_param]
            plain += [declared.accepts_sparse, declared.accepts_missing, list(declared.tasks)]
            if declared.environment is not None:
                plain.append(str(declared.environment))
            grid = None if isinstance(declared.grid, Deferred) else declared.grid
            targets = [declared.make, declared.grid, declared.fit_path, *getattr(declared, "parts", ())]
            if isinstance(declared, FittedAlgorithm):
                targets += [Deferred(f"{module}:_") for module in named_modules(Path(declared.path))]
            return self._all_of(self.registry.algorithms, declared, *targets), [_plain(grid), _plain(plain)]

        return self._remember("algorithm", name, compute)

    def _adversary(self, name: str) -> str:
        declared: Adversary = self.registry.adversaries[name]
        plain = [declared.phase, declared.requires, declared.budget_unit]
        return self._remember(
            "adversary", name, lambda: (self._all_of(self.registry.adversaries, declared, declared.make), plain)
        )

    def _metric(self, name: str) -> str:
        declared: Metric = self.registry.metrics[name]
        plain = [declared.greater_is_better, list(declared.tasks)]
        return self._remember(
            "metric", name, lambda: (self._all_of(self.registry.metrics, declared, declared.compute), plain)
        )

    def _tuner(self, name: str) -> str:
        declared: Tuner = self.registry.tuners[name]
        return self._remember("tuner", name, lambda: (self._parts_of(declared.make), []))

    def _preparation(self, kind: str, name: str) -> str:
        declared = self.registry.catalogue(kind)[name]
        part = declared.compute if kind == "feature_values" else declared.make
        return self._remember(kind, name, lambda: (self._all_of(self.registry.catalogue(kind), declared, part), []))

    def dataset(self, dataset: PlannedDataset) -> str:
        """Hash of a dataset's sources and of the content of its files."""
        params = dataset.whole.params
        declared: Dataset = self.registry.datasets[dataset.name]

        def compute() -> tuple[list[Mapping[str, str]], Any]:
            places = [(file.name, locate_file(file.name)) for file in declared.files]
            if declared.paths is not None:
                places += [(Path(path).name, Path(path)) for path in declared.paths(**params)]
            files = [{f"file {name}": _file_digest(path)} for name, path in places if path and path.is_file()]
            plain = [declared.generated, declared.task]
            return [*self._all_of(self.registry.datasets, declared, declared.load, declared.expand), *files], plain

        return self._remember("dataset", self._dataset_key(dataset), compute)

    def _dataset_key(self, dataset: PlannedDataset) -> str:
        """A name for a data set with its parameters; files of one name in two folders make two of one identity."""
        dataset = dataset.whole
        if not dataset.params:
            return dataset.name
        key, params = f"{dataset.name} {digest(dataset.identity)}", digest(dict(dataset.params))
        known = self._dataset_params.setdefault(key, [])
        if params not in known:
            known.append(params)
        number = known.index(params) + 1
        return key if number == 1 else f"{key} ({number})"

    def covered(self, declared: Declaration) -> tuple[set[Path], set[str]]:
        """The source files, and the names of the distributions, that enter the ids of a declaration's trials."""
        apart = ("paths", "warm_up")  # what they do decides no outcome
        targets = [value for name, value in vars(declared).items() if name not in apart]
        names = {name for part in self._parts_of(*targets) for name in part}
        return {self._paths[name] for name in names & self._paths.keys()}, names & installed_versions().keys()

    def edited_since_import(self) -> list[str]:
        """Names of the modules that were hashed and loaded, whose code in memory is not what was hashed.

        Of the others is noted what was hashed, so that the next run in this process may find them edited.
        """
        edited = []
        for name, path in self._paths.items():
            digest = self._imports[path].content
            if is_edited(name, path, digest):
                edited.append(name)
            else:
                note_loaded(name, digest)
        return edited

    def _parts_of(self, *targets: Any) -> Iterator[Mapping[str, str]]:
        """Sources of the callables that a declaration names."""
        return (self.closure(target) for target in targets if isinstance(target, Deferred))

    def _all_of(self, catalogue: Catalogue[Any], declared: Any, *targets: Any) -> list[Mapping[str, str]]:
        """What a declaration names, what declares it, and the inputs that it says."""
        own = self._declared_in(catalogue, declared.name, any(map(_is_made, targets)))
        return [*own, *self._parts_of(*targets), *self._inputs(declared.inputs)]

    def _declared_in(self, catalogue: Catalogue[Any], name: str, made: bool) -> Iterator[Mapping[str, str]]:
        """The sources of the plugin that declares something, where they decide what it does.

        A plugin file may patch, when it is imported, what it only names; and what a partial, a closure or an instance
        holds is ``made`` there.
        """
        origin = catalogue.origin.get(name, "")
        plugin = self.registry.manager.get_plugin(origin)
        if plugin is not None and (made or origin in self.registry.files):
            yield self.closure(Deferred(f"{getattr(plugin, '__name__', type(plugin).__module__)}:_"))

    def _inputs(self, inputs: Iterable[str]) -> Iterator[Mapping[str, str]]:
        """Content of the files, and values of the environment variables, that a declaration says it reads."""
        for name in inputs:
            if name.startswith("$"):
                yield {f"variable {name}": digest(os.environ.get(name[1:]))}
            else:
                path = Path(name)
                yield {f"file {path.name}": _content_of(path)}

    def closure(self, target: Deferred) -> Mapping[str, str]:
        """Hashes of the sources that an object's module imports, and versions of the distributions they import."""
        module = target.module
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names or top == PROJECT:  # the tuners of benchkit are its protocol's
            return {}
        if module not in self._sources:
            self._sources[module] = self._follow(module) if self._is_source(top) else self._distribution(top)
        return self._sources[module]

    def _follow(self, module: str) -> dict[str, str]:
        """Walk the imports from a module, but into benchkit: what of it decides an outcome is the protocol."""
        contents: dict[str, str] = {}
        waiting = [*_with_parents(module)]
        seen = set()
        while waiting:
            name, source = waiting.pop()
            if source in seen:
                continue
            seen.add(source)
            syntax = self._read(name, source)
            contents[portable_name(name)] = syntax.content
            self._paths[portable_name(name)] = source
            for other in syntax.imported:
                top = other.partition(".")[0]
                if top in sys.stdlib_module_names or top == PROJECT:
                    continue
                if self._is_source(top):
                    waiting.extend(_with_parents(other))
                else:
                    contents.update(self._distribution(top))
        self._syntax.keep()
        return contents

    def _read(self, name: str, path: Path) -> Syntax:
        if path not in self._imports:
            source = path.read_bytes()
            package = name if path.stem == "__init__" else name.rpartition(".")[0]
            compiled = path.suffix != ".py"
            self._imports[path] = (
                Syntax(hashlib.sha256(source).hexdigest(), []) if compiled else self._syntax.read(source, package)
            )
        return self._imports[path]

    def _is_source(self, top: str) -> bool:
        """Whether a top-level package is followed by its sources (plugins, local files) and not by its version."""
        return top in self.registry.packages or self.packages.is_source(top)

    def _distribution(self, top: str) -> dict[str, str]:
        if top not in self._versions:
            self._versions[top] = self.packages.versions_of(top)
        return self._versions[top]


def tunes_by_first(trial: Trial) -> bool:
    """Whether parameters are chosen by the first of the suite's metrics."""
    return any(stage.metric is None for stage in trial.algorithm.tune)


def prepared_by(dataset: PlannedDataset) -> list[tuple[str, str]]:
    """Kind and name of what plugins declare of how a dataset's rows and columns are prepared."""
    words = [step if isinstance(step, str) else next(iter(step)) for step in dataset.preprocess]
    found = [("preprocessing_steps", word) for word in dict.fromkeys(words) if word not in STEPS]
    if dataset.split.method not in SPLITS:
        found.append(("splits", dataset.split.method))
    if isinstance(dataset.feature_values, str) and dataset.feature_values not in VALUES:
        found.append(("feature_values", dataset.feature_values))
    return found


def _texts(value: Any) -> Iterator[str]:
    """The texts among values, however deep in lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)


def _plain(value: Any) -> Any:
    """A declared value, content instead of what memory addresses print."""
    try:
        json.dumps(value, sort_keys=True)
    except (TypeError, ValueError):
        import joblib  # few declarations hold what is no text and no number

        return joblib.hash(value, hash_name="sha1")
    return value


def _content_of(path: Path) -> str:
    """Hash of a file, or of all files below a folder with their names; ``absent`` where there is neither."""
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file())
        if len(files) > _MOST_FILES:
            raise DeclarationError(f"inputs: {path} has {len(files)} files; name those that are read")
        return digest([[each.relative_to(path).as_posix(), _file_digest(each)] for each in files], 64)
    return _file_digest(path) if path.is_file() else "absent"


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_made(target: Any) -> bool:
    """Whether a callable is no function or class of its module: a partial, a closure, an instance, a bound method."""
    if not isinstance(target, Deferred) or isinstance(target.target, str):
        return False
    named = isinstance(target.target, types.FunctionType | type)
    return not named or "<locals>" in target.target.__qualname__


def _with_parents(module: str) -> Iterable[tuple[str, Path]]:
    """A module and the packages it lies in, those that are source files: importing it runs them all."""
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        path = _module_path(name)
        if path is not None:
            yield name, path


def _module_path(module: str) -> Path | None:
    """The file of a module, found without importing it or its parents."""
    loaded = sys.modules.get(module)
    if loaded is not None and getattr(loaded, "__file__", None):
        return Path(str(loaded.__file__))
    return module_path(module)
