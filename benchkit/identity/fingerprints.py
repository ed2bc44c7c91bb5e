"""The identity of a trial: a hash of everything that decides its outcome, and of nothing that does not.

It has two halves. The *question*: seed, repetition, data, split, preprocessing, feature values, adversary and budget,
and the method's name, parameters and tuning. The *code*: of each object of a plugin that the trial uses, the files that
it lies in and imports within its own package or folder (their syntax, not their comments and docstrings), the content
of data files and of declared inputs, the versions of the distributions that those sources import, and the number of
benchkit's own protocol. Not: labels, where files lie, benchkit's own sources, and metrics, unless parameters are chosen
by them: a metric describes what a trial gave, and a record says by which code each of its values was computed.

The number of the protocol is raised by a person whenever what a trial gives changes, and by nothing else. The test of
golden records (``tests/trial/test_golden_records.py``) fails when an outcome changed and the number did not.

Its values so far: 1, the protocol of version 0.2.0.

What a trial asks, by content: a published row stands beside a row of today where both answer the same question.
A *design* is everything that all methods of a suite share: seed, data, split, preprocessing, feature values, adversary,
axis and metrics. A *method* is an algorithm with its parameters and tuning. Labels, titles and file places count in
neither. Both are noted in a run's manifest, so that whoever reads it later need execute nothing.

Either says apart what is the *question*, under this name, and what the *code* that answered: ``code``, of each metric
``metrics``, of the data ``files``, and ``versions`` of other people's packages. A record is reused where both are
equal; a published row joins where the question is, and the code of data, adversary and metrics; `verify` runs what
another code answered to the same question.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.machinery import ModuleSpec
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

from benchkit.data.files import locate_file
from benchkit.environment.place import BuiltEnvironment, EnvironmentMissingError, place_of, running_python
from benchkit.identity.sources import is_source, read_module, versions_of
from benchkit.plugin.declarations import Adversary, Algorithm, Dataset, Deferred, Environment, Metric
from benchkit.plugin.guard import FILE_MODULE
from benchkit.plugin.manager import KINDS, Registry
from benchkit.plugin.spec import PROJECT
from benchkit.suite.names import SPLITS, STEPS, digest
from benchkit.suite.trial import PlannedDataset, Trial

PROTOCOL = 1
"""The number of the protocol that outcomes follow."""
COMPUTES_WITH = ("numpy", "scipy", "sklearn")
"""What the protocol itself computes with: splits, preprocessing, feature values, draws."""

_CATALOGUES = {declared.kind(): name for name, declared in KINDS.items()}
_CONTENT_HASH = re.compile(r"[0-9a-f]{64}")

# By module: what it was imported by, and the hash of its source then. For as long as the process lives.
_loaded: dict[str, tuple[ModuleSpec | None, str]] = {}


@dataclass(eq=False, repr=False)
class Fingerprints:
    """Computes trial identities; holds what it has read, so make a new one for each run.

    Workers see the packages of ``built``, or of this interpreter. ``ingredients`` are what was hashed so far: for each
    of ``algorithm:NAME`` and the like, modules, files and distributions to their hashes or versions; ``place`` ends the
    keys of those that are an environment's.
    """

    registry: Registry
    built: BuiltEnvironment | None = None
    ingredients: dict[str, dict[str, str]] = field(default_factory=dict)
    place: str = ""
    _elsewhere: dict[Environment, Fingerprints] = field(default_factory=dict)
    _hashes: dict[str, str] = field(default_factory=dict)
    _closures: dict[str, Mapping[str, str]] = field(default_factory=dict)
    _modules: dict[str, tuple[Path, str, list[str]] | None] = field(default_factory=dict)
    _shared: dict[tuple[Any, ...], tuple[Any, str, list[str]]] = field(default_factory=dict)

    def identify_all(self, trials: Iterable[Trial]) -> list[str]:
        """The ids of a suite's trials: entries that differ in their labels alone are told apart by them."""
        identities: dict[str, None] = {}
        for trial in trials:
            identity = digest([self._shared_by(trial)[1], trial.seed, trial.repetition, trial.axis_value])
            if identity in identities:
                adversary = trial.adversary.label if trial.adversary else ""
                labels = [trial.dataset.label, trial.dataset.group, trial.algorithm.label, adversary]
                identity = digest([identity, *labels])
            identities[identity] = None
        return list(identities)

    def sources(self, trial: Trial) -> list[str]:
        """Keys of the ingredients of a trial: of the protocol, of the data set and of what else of plugins it uses."""
        return self._shared_by(trial)[2]

    def _shared_by(self, trial: Trial) -> tuple[Any, str, list[str]]:
        """Objects of a trial, a hash of what they decide, and the keys of its ingredients; hashes stand for contents.

        Trials share nearly all that decides them, which is all but seed, repetition and point on the axis: it is hashed
        once for the objects that hold it. These are held, so that their ids stay theirs.
        """
        dataset, algorithm, adversary = trial.dataset, trial.algorithm, trial.adversary
        objects, within = (dataset, algorithm, adversary, trial.metrics), self.within(trial)
        key_of_objects = (*map(id, objects), *within)
        if key_of_objects in self._shared:
            return self._shared[key_of_objects]
        used = [("algorithm", name) for name in (algorithm.name, *within)] + prepared_by(dataset)
        used += [] if adversary is None else [("adversary", adversary.name)]
        first = self.registry.chooses(trial.metrics, dataset.name)
        for stage in algorithm.tune:
            if stage.search != "grid":  # the grid is the protocol's
                used.append(("tuner", stage.search))
            used.append(("metric", stage.metric or first))
        there = self._of(trial)
        code = [("protocol", "", there.protocol), ("dataset", "", there.code("dataset", dataset.name, dataset))]
        code += [(kind, name, there.code(kind, name)) for kind, name in used]
        by_first = any(stage.metric is None for stage in algorithm.tune)
        question = {
            "data": dataset.identity,
            **dataset.protocol,
            "method": {name: value for name, value in algorithm.identity.items() if name != "label"},
            "chosen_by": first if by_first else None,
            "adversary": None if adversary is None else adversary.identity,
            "budget": None if adversary is None else [adversary.amount, adversary.share],
        }
        keys = ["protocol", f"dataset:{dataset_key(dataset)}", *(f"{kind}:{name}" for kind, name in used)]
        hashed = digest([question, code], 64)
        return self._shared.setdefault(key_of_objects, (objects, hashed, [f"{key}{there.place}" for key in keys]))

    def _of(self, trial: Trial) -> Fingerprints:
        """The fingerprints of where a trial runs; where that is missing these, for its trials are skipped."""
        environment = self.registry.algorithms[trial.algorithm.name].environment
        if environment is None:
            return self
        if environment not in self._elsewhere:
            there = self
            with suppress(EnvironmentMissingError):
                if (built := place_of(environment)) is not None:
                    there = Fingerprints(self.registry, built, self.ingredients, f" in {environment}")
            self._elsewhere[environment] = there
        return self._elsewhere[environment]

    @cached_property
    def protocol(self) -> str:
        """Hash of the protocol's number, and of the versions of Python and of what the protocol computes with."""
        python = running_python() if self.built is None else self.built.python.rpartition(".")[0]
        decisive = {"protocol": str(PROTOCOL), "python": python}
        for top in COMPUTES_WITH:
            decisive |= versions_of(top, self.built)
        self.ingredients[f"protocol{self.place}"] = decisive
        return digest(decisive)

    def metric_code(self, trial: Trial) -> dict[str, str]:
        """Hash of the code of each of a trial's metrics, where it runs: no part of its id."""
        there = self._of(trial)
        return {name: there.code("metric", name) for name in trial.metrics}

    def within(self, trial: Trial) -> list[str]:
        """Names of declared algorithms that a trial's algorithm is told, or tries, to fit within itself, or instead."""
        declared: Algorithm = self.registry.algorithms[trial.algorithm.name]
        instead = [declared.at_all_features] if declared.at_all_features else []
        if declared.algorithm_param is None:
            return instead
        grids = [declared.grid, *(grid for stage in trial.algorithm.tune for grid in (stage.grid, stage.space))]
        given = [declared.defaults, trial.algorithm.params, *(grid for grid in grids if isinstance(grid, Mapping))]
        texts = {text for params in given for text in _texts(params.get(declared.algorithm_param))}
        names = {*texts, *_texts(trial.axis_value)}
        return sorted(name for name in names if name in self.registry.algorithms) + instead

    def code(self, kind: str, name: str, dataset: PlannedDataset | None = None) -> str:
        """Hash of what is declared by a name: its sources, plain values and inputs; a data set's files, as planned."""
        key = f"{kind}:{name if dataset is None else dataset_key(dataset)}"
        if key in self._hashes:
            return self._hashes[key]
        declared = self.registry.catalogue(kind if kind in KINDS else _CATALOGUES[kind])[name]
        callables, plain = _decisive(declared)
        for place, value in enumerate(plain):
            try:
                json.dumps(value, sort_keys=True)
            except (TypeError, ValueError):  # content instead of what memory addresses print
                import joblib  # few declarations hold what is no text and no number

                plain[place] = joblib.hash(value, hash_name="sha1")
        targets = [target for target in callables if isinstance(target, Deferred)]
        # A plugin file may patch, when it is imported, what it only names; and a partial, a closure or an instance
        # holds what is made where it is declared: it is no function or class of its module.
        origin = declared.declared_by
        plugin = self.registry.manager.get_plugin(origin)
        is_made = any(
            not isinstance(target.target, str | types.FunctionType | type)
            or "<locals>" in getattr(target.target, "__qualname__", "")
            for target in targets
        )
        if plugin is not None and (origin in self.registry.files or is_made):
            targets.insert(0, Deferred(f"{getattr(plugin, '__name__', type(plugin).__module__)}:_"))
        decisive: dict[str, str] = {"declaration": digest(plain)}
        for part in (*map(self.closure, targets), *_contents(declared, dataset)):
            for source, content in part.items():
                is_other = decisive.get(source, content) != content  # two files may have one name
                decisive[f"{source} ({len(decisive)})" if is_other else source] = content
        self.ingredients[f"{key}{self.place}"] = decisive
        return self._hashes.setdefault(key, digest(decisive))

    def closure(self, target: Deferred) -> Mapping[str, str]:
        """Hashes of the sources that an object's module imports, and versions of the distributions they import.

        Imports are not followed into benchkit: what of it decides an outcome is the protocol.
        """
        if target.module in self._closures:
            return self._closures[target.module]
        contents: dict[str, str] = {}
        waiting, seen = [target.module], set[str]()
        while waiting:
            name = waiting.pop()
            top = name.partition(".")[0]
            if not name or name in seen or top in sys.stdlib_module_names or top == PROJECT:
                continue
            seen.add(name)
            # Plugins and local files are followed by their sources, all others by their version.
            is_built = self.built is not None and top in self.built.packages
            if top not in self.registry.packages and (is_built or not is_source(top)):
                contents |= versions_of(top, self.built)
                continue
            waiting.append(name.rpartition(".")[0])  # importing it runs the packages that it lies in
            if name not in self._modules:
                self._modules[name] = read_module(name)
            if (module := self._modules[name]) is not None:
                # A plugin file's module is named by the file's content, too, which is hashed here without its layout.
                of_file = name.startswith(FILE_MODULE)
                _, contents[name.rpartition("_")[0] if of_file else name], imported = module
                waiting += imported
        return self._closures.setdefault(target.module, contents)

    def files_read(self) -> dict[str, dict[str, str]]:
        """Of each data set that was hashed the content of its files; of each plugin file its module and its syntax."""
        read: dict[str, dict[str, str]] = {}
        for key, parts in self.ingredients.items():
            if key.startswith("dataset:"):
                files = {name: content for name, content in parts.items() if name.startswith("file ")}
                read |= {key.partition(" in ")[0]: files} if files else {}
        for path, module in plugin_modules(self.registry).items():
            if (source := self._modules.get(module)) is not None:
                read[path] = {module: source[1]}
        return read

    def edited_since_import(self) -> list[str]:
        """Names of the modules that were hashed and loaded, whose code in memory is not what was hashed.

        Of the others is noted what was hashed, so that the next run in this process may find them edited.
        """
        edited = []
        for name, read in self._modules.items():
            module = sys.modules.get(name)
            if module is None or read is None:
                continue
            path, content, _ = read
            is_here = getattr(module, "__file__", None) == str(path)
            if name in _loaded and _loaded[name][0] is module.__spec__:
                if is_here and _loaded[name][1] != content:
                    edited.append(name)
                continue
            # Imported, or reloaded: who imported it after it was compiled, and edited since, has what it was before.
            is_stale = False
            with suppress(OSError), Path(getattr(module, "__cached__", None) or "").open("rb") as file:
                magic, flags, *stamps = (file.read(4) for _ in range(4))  # of the source's time and size
                state = path.stat()
                numbers = (int(number) & 0xFFFFFFFF for number in (state.st_mtime, state.st_size))
                is_stale = stamps != [number.to_bytes(4, "little") for number in numbers]
                is_stale &= is_here and magic == MAGIC_NUMBER and not any(flags)
            if is_stale:
                edited.append(name)
            else:
                _loaded[name] = module.__spec__, content
        return edited


def dataset_key(dataset: PlannedDataset) -> str:
    """A name for a data set with its parameters; files of one name in two folders make two of one identity."""
    params = dict(dataset.whole.params)
    return f"{dataset.name} {digest(params)}" if params else dataset.name


def plugin_modules(known: Registry) -> dict[str, str]:
    """Names of the modules that plugin files were loaded as, which tell their content, by path."""
    loaded = [(name, known.manager.get_plugin(name)) for name in known.files & known.plugins.keys()]
    return {known.plugins[name]: str(getattr(module, "__name__", "")) for name, module in loaded}


def prepared_by(dataset: PlannedDataset) -> list[tuple[str, str]]:
    """Kind and name of what plugins declare of how a dataset's rows and columns are prepared."""
    words = [step if isinstance(step, str) else next(iter(step)) for step in dataset.preprocess]
    names = [("preprocessing_steps", word) for word in dict.fromkeys(words) if word not in STEPS]
    if dataset.split.method not in SPLITS:
        names.append(("splits", dataset.split.method))
    return names


def _decisive(declared: Any) -> tuple[list[Any], list[Any]]:
    """The callables and the plain values of a declaration that decide what its trials give."""
    match declared:
        case Algorithm():
            plain: list[Any] = [declared.defaults, declared.budget_param, declared.values_param, declared.groups_param]
            plain += [declared.accepts_sparse, declared.accepts_missing, list(declared.tasks)]
            plain += [
                each for each in (declared.environment and str(declared.environment), declared.at_all_features) if each
            ]
            grid = None if isinstance(declared.grid, Deferred) else declared.grid
            targets = [declared.make, declared.grid, declared.fit_path]
            return targets, [grid, plain]
        case Adversary():
            return [declared.make], [declared.phase, declared.requires, declared.budget_unit]
        case Metric():
            return [declared.compute], [declared.greater_is_better, list(declared.tasks)]
        case Dataset():
            return [declared.load, declared.expand], [declared.generated, declared.task]
    return [declared.make], []


def _texts(value: Any) -> set[str]:
    """The texts among values, however deep in lists and mappings."""
    if isinstance(value, Mapping | list | tuple):
        return set[str]().union(*map(_texts, value.values() if isinstance(value, Mapping) else value))
    return {value} if isinstance(value, str) else set()


def _contents(declared: Any, dataset: PlannedDataset | None) -> Iterator[Mapping[str, str]]:
    """Content of the files, and values of the environment variables, that a declaration, or its data, says it reads."""
    for name in declared.inputs:
        if name.startswith("$"):
            yield {f"variable {name}": digest(os.environ.get(name[1:]))}
            continue
        path = Path(name)
        content = _file_digest(path) if path.is_file() else "absent"
        if path.is_dir():  # with the names of all files below it
            files = sorted(file for file in path.rglob("*") if file.is_file())
            content = digest([[file.relative_to(path).as_posix(), _file_digest(file)] for file in files], 64)
        yield {f"file {path.name}": content}
    if dataset is not None:
        places = [(file.name, locate_file(file.name)) for file in declared.files]
        if declared.paths is not None:
            places += [(Path(path).name, Path(path)) for path in declared.paths(**dataset.whole.params)]
        yield from ({f"file {name}": _file_digest(path)} for name, path in places if path and path.is_file())


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe_designs(trials: Mapping[str, Trial], fingerprints: Fingerprints) -> dict[str, Any]:
    """The ``designs`` and ``methods`` of trials, by id, and ``places``: the two ids of each trial.

    The trials are given by id, and have been identified by ``fingerprints``.
    """
    described = dict[str, Any](), dict[str, Any]()
    places: dict[str, list[str]] = {}
    ids: dict[Any, str] = {}  # by the objects of a trial that decide its design, and by that which decides its method
    for name, trial in trials.items():
        keys: list[Any] = [(id(trial.dataset), id(trial.adversary), id(trial.metrics)), id(trial.algorithm)]
        for key, describe, contents in zip(keys, (_design, _method), described, strict=True):
            if key not in ids:
                content = describe(trial, fingerprints)
                ids[key] = digest(content)
                contents[ids[key]] = content
        places[name] = [ids[key] for key in keys]
    return {"designs": described[0], "methods": described[1], "places": places}


def _design(trial: Trial, fingerprints: Fingerprints) -> dict[str, Any]:
    """A design, with the metrics that judge what its data predicts."""
    dataset, adversary = trial.dataset, trial.adversary
    protocol, data, *_ = fingerprints.sources(trial)
    ingredients, place = fingerprints.ingredients, protocol.removeprefix("protocol")  # how an environment's keys end
    fingerprints.metric_code(trial)  # notes the ingredients of metrics, which are none of the trial
    attacked, attack = None, ""
    if adversary is not None:
        amount = ["share" if adversary.share is not None else "amount"]
        amount += [] if trial.axis == "budget" else [str(adversary.budget)]
        attacked = {**adversary.identity, "budget": amount}
        attack = digest(_content_of(ingredients[f"adversary:{adversary.name}{place}"]))
    facts = {"seed": trial.seed, "dataset": dataset.identity, **dataset.protocol}
    preparing = [f"{kind}:{name}" for kind, name in prepared_by(dataset)]
    preparation = {key: _content_of(ingredients[f"{key}{place}"]) for key in preparing}
    judging = fingerprints.registry.judging(trial.metrics, dataset.name)
    return {
        "question": {**facts, "adversary": attacked, "axis": trial.axis},
        "code": {
            **({"preparation": digest(preparation)} if preparation else {}),
            "data": digest(_content_of(ingredients[data])),
            "protocol": ingredients[protocol]["protocol"],
            "adversary": attack,
        },
        "metrics": {name: digest(_content_of(ingredients[f"metric:{name}{place}"])) for name in judging},
        "files": {key: value for key, value in ingredients[data].items() if key.startswith("file ")},
    }


def _method(trial: Trial, fingerprints: Fingerprints) -> dict[str, Any]:
    """A method, and whether a file declares it."""
    algorithm = trial.algorithm
    target, _, parameter = trial.axis.partition(".")
    params = {key: value for key, value in algorithm.params.items() if target != "algorithm" or key != parameter}
    ingredients: dict[str, str] = {}
    # Its own first, then those within it.
    for key in (key for key in fingerprints.sources(trial) if key.startswith("algorithm:")):
        for name, content in fingerprints.ingredients[key].items():
            ingredients[name if ingredients.get(name, content) == content else f"{name} of {key}"] = content
    own = _content_of(ingredients)
    code = digest(own)
    # Files of two people may declare methods of one name; what is installed goes by it, in any version.
    of_file = fingerprints.registry.algorithms[algorithm.name].declared_by in fingerprints.registry.files
    file = code if of_file else None
    identity = algorithm.identity
    return {
        "question": {"name": identity["name"], "params": params, "tune": identity["tune"], "file": file},
        "code": code,
        "versions": {key: value for key, value in ingredients.items() if key not in own},
    }


def _content_of(ingredients: Mapping[str, str]) -> dict[str, str]:
    """The ingredients that are content, not versions of other people's distributions."""
    return {
        key: value
        for key, value in ingredients.items()
        if key.startswith(("declaration", "file ", "values of ", "variable ")) or _CONTENT_HASH.fullmatch(value)
    }
