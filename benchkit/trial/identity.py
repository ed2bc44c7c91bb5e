"""The identity of a trial: a hash of everything that decides its outcome.

That is: the sources in the import closure of the objects it uses and of ``trial/``, the content of data files, every
parameter, the seed, and the versions of the distributions that those sources import.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

from benchkit.data.files import locate_file
from benchkit.plugin.declarations import Adversary, Algorithm, Dataset, Deferred, Metric
from benchkit.plugin.manager import Registry
from benchkit.plugin.spec import PROJECT
from benchkit.suite.plan import AdversaryCell, AlgorithmCell, DatasetCell, Trial, digest
from benchkit.trial.installed import distributions_of

# What a plugin imports from here is declarations and errors; what of benchkit decides an outcome is trial/ itself.
_NOT_FOLLOWED = {PROJECT}


class Fingerprints:
    """Computes trial identities; holds what it has read, so make a new one for each run.

    Parameters
    ----------
    registry : Registry

    Attributes
    ----------
    ingredients : dict of str to dict
        What was hashed so far: for each of ``algorithm:NAME`` and the like, modules, files and distributions to their
        hashes or versions.
    """

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._sources: dict[str, Mapping[str, str]] = {}
        self._versions: dict[str, dict[str, str]] = {}
        self._hashes: dict[str, str] = {}
        self._parts: dict[int, tuple[Any, str]] = {}  # the object is held so that its id stays its own
        self.ingredients: dict[str, dict[str, str]] = {}
        self._imports: dict[Path, tuple[str, list[str]]] = {}

    def identify(self, trial: Trial) -> str:
        """The id of a trial: a hash of what decides its outcome; hashes stand for sources and contents."""
        parts = [
            self.protocol,
            str(trial.seed),
            str(trial.repetition),
            self._part(trial.dataset, self._dataset_part),
            self._part(trial.algorithm, self._algorithm_part),
            json.dumps(trial.axis_value, sort_keys=True, default=str),
            self._part(trial.adversary, self._adversary_part) if trial.adversary else "",
            self._part(trial.metrics, lambda names: [[name, self._metric(name)] for name in names]),
        ]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def _part(self, shared: Any, describe: Callable[[Any], Any]) -> str:
        """Hash of what many trials share, computed once for each object."""
        held = self._parts.get(id(shared))
        if held is None:
            held = self._parts[id(shared)] = shared, digest(describe(shared), 64)
        return held[1]

    def _dataset_part(self, cell: DatasetCell) -> Any:
        return [cell.identity, cell.protocol, cell.label, cell.group, self.dataset(cell)]

    def _algorithm_part(self, cell: AlgorithmCell) -> Any:
        metrics = [[stage.metric, self._metric(stage.metric)] for stage in cell.tune if stage.metric]
        return [cell.identity, self.algorithm(cell.name), metrics]

    def _adversary_part(self, cell: AdversaryCell) -> Any:
        return [cell.identity, cell.label, cell.amount, cell.share, self._adversary(cell.name)]

    @cached_property
    def protocol(self) -> str:
        """Hash of ``trial/`` and of the Python version."""
        found: dict[str, str] = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
        for path in sorted(Path(__file__).parent.glob("*.py")):
            found.update(self._follow([(f"{PROJECT}.trial.{path.stem}", path)]))
        self.ingredients["protocol"] = found
        return digest(found)

    @staticmethod
    def _metrics(trial: Trial) -> list[str]:
        return [*trial.metrics, *(stage.metric for stage in trial.algorithm.tune if stage.metric)]

    def _remember(self, kind: str, name: str, compute: Callable[[], tuple[Iterable[Mapping[str, str]], Any]]) -> str:
        """Hash of ingredients and of plain values, computed once."""
        key = f"{kind}:{name}"
        if key not in self._hashes:
            parts, plain = compute()
            found: dict[str, str] = {"declaration": digest(plain)}
            for part in parts:
                found |= part
            self.ingredients[key] = found
            self._hashes[key] = digest(found)
        return self._hashes[key]

    def sources(self, trial: Trial) -> list[str]:
        """Keys of the ingredients of a trial."""
        keys = ["protocol", f"dataset:{_dataset_key(trial.dataset)}", f"algorithm:{trial.algorithm.name}"]
        if trial.adversary is not None:
            keys.append(f"adversary:{trial.adversary.name}")
        return [*keys, *(f"metric:{name}" for name in self._metrics(trial))]

    def algorithm(self, name: str) -> str:
        """Hash of an algorithm's sources and declaration."""
        declared: Algorithm = self.registry.algorithms[name]

        def compute() -> tuple[list[Mapping[str, str]], Any]:
            plain = [dict(declared.defaults), declared.budget_param, declared.values_param]
            targets = [declared.make, declared.grid, declared.fit_path]
            grid = None if isinstance(declared.grid, Deferred) else declared.grid
            return [self.closure(target) for target in targets if isinstance(target, Deferred)], [grid, plain]

        return self._remember("algorithm", name, compute)

    def _adversary(self, name: str) -> str:
        declared: Adversary = self.registry.adversaries[name]
        plain = [declared.phase, declared.requires, declared.budget_unit]
        return self._remember("adversary", name, lambda: ([self.closure(declared.make)], plain))

    def _metric(self, name: str) -> str:
        declared: Metric = self.registry.metrics[name]
        return self._remember("metric", name, lambda: ([self.closure(declared.compute)], declared.greater_is_better))

    def dataset(self, cell: DatasetCell) -> str:
        """Hash of a dataset's sources and of the content of its files."""
        declared: Dataset = self.registry.datasets[cell.name]

        def compute() -> tuple[list[Mapping[str, str]], Any]:
            found = {file.name: locate_file(file.name) for file in declared.files}
            if declared.paths is not None:
                found |= {str(path): Path(path) for path in declared.paths(**cell.params)}
            contents = {name: _file_digest(path) for name, path in found.items() if path and path.is_file()}
            files = {f"file {name}": content for name, content in contents.items()}
            return [self.closure(declared.load), files], declared.generated

        return self._remember("dataset", _dataset_key(cell), compute)

    def closure(self, target: Deferred) -> Mapping[str, str]:
        """Hashes of the sources that an object's module imports, and versions of the distributions they import."""
        module = target.module
        if module not in self._sources:
            top = module.partition(".")[0]
            followed = self._is_source(top)
            self._sources[module] = self._follow(_with_parents(module)) if followed else self._distribution(top)
        return self._sources[module]

    def _follow(self, modules: Iterable[tuple[str, Path]]) -> dict[str, str]:
        """Walk the imports from some source files."""
        found: dict[str, str] = {}
        waiting = list(modules)
        seen = set()
        while waiting:
            name, source = waiting.pop()
            if source in seen:
                continue
            seen.add(source)
            content, imported = self._read(name, source)
            found[name] = content
            for other in imported:
                top = other.partition(".")[0]
                if top in sys.stdlib_module_names or top in _NOT_FOLLOWED:
                    continue
                if not self._is_source(top):
                    found.update(self._distribution(top))
                    continue
                waiting.extend(_with_parents(other))
        return found

    def _read(self, name: str, path: Path) -> tuple[str, list[str]]:
        if path not in self._imports:
            source = path.read_bytes()
            package = name if path.stem == "__init__" else name.rpartition(".")[0]
            imported = list(_imports(ast.parse(source), package)) if path.suffix == ".py" else []
            self._imports[path] = hashlib.sha256(source).hexdigest(), imported
        return self._imports[path]

    @cached_property
    def _plugin_packages(self) -> set[str]:
        return {point.module.partition(".")[0] for point in entry_points(group=PROJECT)}

    def _is_source(self, top: str) -> bool:
        """Whether a top-level package is followed by its sources (plugins, local files) and not by its version."""
        return top in self._plugin_packages or not distributions_of(top)

    def _distribution(self, top: str) -> dict[str, str]:
        if top not in self._versions:
            self._versions[top] = {name: version(name) for name in distributions_of(top)}
        return self._versions[top]


def _dataset_key(cell: DatasetCell) -> str:
    return f"{cell.name} {digest(cell.params)}" if cell.params else cell.name


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Names of the modules that a source imports anywhere, also inside functions; relative ones made absolute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                kept = parents[: len(parents) - node.level + 1]
                base = ".".join([*kept, base] if base else kept)
            yield base
            # `from package import name`: name may be a module.
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")


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
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin and Path(spec.origin).is_file() else None
    for folder in spec.submodule_search_locations or ():
        base = Path(folder).joinpath(*rest)
        for candidate in (base / "__init__.py", base.with_suffix(".py")):
            if candidate.is_file():
                return candidate
    return None
