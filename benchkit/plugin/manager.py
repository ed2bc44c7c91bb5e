"""Finding plugins, and the registry of what they declare."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType
from typing import Any, Generic, NamedTuple, TypeVar

import pluggy

from benchkit.errors import RequestError
from benchkit.errors import one_line as one_line
from benchkit.plugin import spec
from benchkit.plugin.declarations import (
    Adversary,
    Algorithm,
    Command,
    Dataset,
    Declaration,
    DeclarationError,
    Executor,
    FeatureValues,
    Metric,
    PreprocessingStep,
    ReportFormat,
    ReportSection,
    RowSource,
    SplitMethod,
    Tracker,
    Tuner,
)
from benchkit.plugin.estimators import declare, declare_fitted, is_estimator_name, is_fitted_name
from benchkit.plugin.guard import PluginError, guarded
from benchkit.plugin.nearest_name import Suggestion

T = TypeVar("T", bound=Declaration)

KINDS: dict[str, type[Declaration]] = {
    "algorithms": Algorithm,
    "adversaries": Adversary,
    "datasets": Dataset,
    "metrics": Metric,
    "report_sections": ReportSection,
    "report_formats": ReportFormat,
    "executors": Executor,
    "tuners": Tuner,
    "splits": SplitMethod,
    "preprocessing_steps": PreprocessingStep,
    "feature_values": FeatureValues,
    "trackers": Tracker,
    "row_sources": RowSource,
    "commands": Command,
}


class UnknownNameError(RequestError, KeyError):
    """No plugin declares this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        hint = Suggestion(name, known, otherwise=f"known: {', '.join(known) or 'none'}")
        super().__init__(f"unknown {kind} {name!r}; {hint}")

    def __str__(self) -> str:
        return str(self.args[0])


class NoEstimatorError(UnknownNameError):
    """A name says where a class is, and there is none that can be used."""

    def __init__(self, name: str, error: BaseException) -> None:
        reason = f"cannot use the estimator {name!r}: {one_line(error)}{_remedy(error)}"
        told = str(error) if is_fitted_name(name) else reason
        KeyError.__init__(self, told)


class Catalogue(Mapping[str, T], Generic[T]):
    """Declarations of one kind by name, with the plugin that each came from.

    The catalogue of algorithms also answers to the name of any class of estimators, ``module:Class``, and to the file
    of a fitted model, ``fitted:PATH``.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._declarations: dict[str, T] = {}
        self.origin: dict[str, str] = {}
        self._named: dict[str, Algorithm] = {}

    def add(self, declaration: T, plugin: str) -> None:
        """Add one, refusing a name that is taken."""
        if declaration.name in self._declarations:
            owner = self.origin[declaration.name]
            raise DeclarationError(
                f"{self.kind} {declaration.name!r} is already declared by plugin {owner!r}: rename one of them"
            )
        object.__setattr__(declaration, "declared_by", plugin)  # whose code it names, for who calls it
        self._declarations[declaration.name] = declaration
        self.origin[declaration.name] = plugin

    def __getitem__(self, name: str) -> T:
        try:
            return self._declarations[name]
        except KeyError:
            if self.kind != "algorithm" or not (is_estimator_name(name) or is_fitted_name(name)):
                raise UnknownNameError(self.kind, name, self._declarations) from None
        if name not in self._named:
            try:
                self._named[name] = declare_fitted(name) if is_fitted_name(name) else declare(name)
            except (Exception, SystemExit) as error:
                raise NoEstimatorError(name, error) from None
        estimator: Any = self._named[name]
        return estimator  # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        return name in self._declarations

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._declarations))

    def __len__(self) -> int:
        return len(self._declarations)


class PluginProblem(NamedTuple):
    """A plugin, or one declaration of it, that cannot be used, and why, in one line."""

    plugin: str
    reason: str

    def __str__(self) -> str:
        return f"plugin {self.plugin!r}: {self.reason}"


class Registry:
    """All that the installed plugins declare: for each of `KINDS` a mapping from name to declaration.

    ``splits``, ``preprocessing_steps`` and ``feature_values`` are those that plugins add to benchkit's own.

    Attributes
    ----------
    plugins : dict of str to str
        Name of each plugin to where it was found.
    files : set of str
        Names of the plugins that are files, which somebody asked for: loaded or not.
    packages : set of str
        Top-level packages of the installed plugins: loaded or not.
    own : set of str
        Names of the plugins that come with benchkit and are tested with it.
    problems : list of PluginProblem
        What could not be used.
    """

    algorithms: Catalogue[Algorithm]
    adversaries: Catalogue[Adversary]
    datasets: Catalogue[Dataset]
    metrics: Catalogue[Metric]
    report_sections: Catalogue[ReportSection]
    report_formats: Catalogue[ReportFormat]
    executors: Catalogue[Executor]
    tuners: Catalogue[Tuner]
    splits: Catalogue[SplitMethod]
    preprocessing_steps: Catalogue[PreprocessingStep]
    feature_values: Catalogue[FeatureValues]
    trackers: Catalogue[Tracker]
    row_sources: Catalogue[RowSource]
    commands: Catalogue[Command]

    def __init__(self, manager: pluggy.PluginManager) -> None:
        self.manager = manager
        for kind, expected in KINDS.items():
            setattr(self, kind, Catalogue[Any](expected.kind()))
        self.plugins: dict[str, str] = {}
        self.files: set[str] = set()
        self.packages: set[str] = set()
        self.own: set[str] = set()
        self.problems: list[PluginProblem] = []

    @property
    def hook(self) -> Any:
        """The hooks that listen, to be called."""
        return self.manager.hook

    def catalogue(self, kind: str) -> Catalogue[Any]:
        """The catalogue of one of `KINDS`."""
        declarations: Catalogue[Any] = getattr(self, kind)
        return declarations

    def is_own(self, declaration: Declaration) -> bool:
        """Whether benchkit brings it: its code may be called in this process."""
        return declaration.declared_by in self.own

    def collect(self) -> None:
        """Ask each plugin for its declarations; what is unusable becomes a problem and leaves the rest alone."""
        for kind, expected in KINDS.items():
            hook = getattr(self.manager.hook, f"benchkit_{kind}")
            # pluggy calls the last registered first; a name belongs to the plugin that was registered first.
            for implementation in hook.get_hookimpls():
                plugin = implementation.plugin_name
                where = f"{self.plugins.get(plugin, plugin)}: benchkit_{kind}()"
                try:
                    with guarded(where):
                        returned = implementation.function()
                        if isinstance(returned, Declaration):
                            raise TypeError(f"it returned one {type(returned).__name__}, expected a list of them")
                        declared = [(each, "" if isinstance(each, expected) else repr(each)) for each in returned]
                except PluginError as error:
                    self.problems.append(PluginProblem(plugin, str(error)))
                    continue
                for declaration, odd in declared:
                    try:
                        if odd:
                            raise DeclarationError(f"{where} returned {odd}, expected {expected.__name__}")
                        self.catalogue(kind).add(declaration, plugin)
                    except DeclarationError as error:
                        self.problems.append(PluginProblem(plugin, str(error)))


def _remedy(error: BaseException, instead: str = "") -> str:
    """Which package is to be installed, where that is what is wrong, or what to do instead."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.partition(".")[0]
        return f"; install what provides {top!r} (often: pip install {top}){instead}"
    return ""


_FILE_MODULE = "benchkit_file_"


def portable_name(module: str) -> str:
    """The name of a module without what depends on the content of a plugin file."""
    return module.rpartition("_")[0] if module.startswith(_FILE_MODULE) else module


class _WithoutBytecode(SourceFileLoader):
    """Runs what a file says: bytecode kept of it is the old code after an edit within a second that leaves the size."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def load_file(path: Path) -> Any:
    """Import a plugin that is a plain file, under a module name that worker processes share."""
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    # By content: a file that was edited is another module, and the same file elsewhere is the same.
    name = f"{_FILE_MODULE}{path.stem}_{zlib.crc32(path.read_bytes()):08x}"
    loader = _WithoutBytecode(name, str(path)) if path.suffix == ".py" else None
    module_spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if module_spec is None or module_spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(module_spec)
    vars(module).pop("__cached__", None)
    sys.modules[name] = module
    try:
        module_spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _check_api(plugin: Any) -> None:
    """Refuse a plugin that was written for another version of the contract; one that does not say is taken as it is."""
    wanted = getattr(plugin, "benchkit_api", spec.API)
    if wanted == spec.API:
        return
    if not isinstance(wanted, int):
        raise DeclarationError(f"benchkit_api is {wanted!r}, expected a whole number such as {spec.API}")
    remedy = "upgrade benchkit" if wanted > spec.API else "upgrade the plugin, or ask its author to"
    raise DeclarationError(f"written for version {wanted} of the plugin API, this benchkit has {spec.API}: {remedy}")


def _register(manager: pluggy.PluginManager, plugin: Any, name: str) -> None:
    """Register whole or not at all; hooks that benchkit does not have are refused, with the nearest that it has."""
    _check_api(plugin)
    try:
        manager.register(plugin, name=name)
        manager.check_pending()
        if not manager.get_hookcallers(plugin):
            raise DeclarationError("declares nothing: its functions need @benchkit.hookimpl")
    except BaseException as error:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        if isinstance(error, pluggy.PluginValidationError) and (hook := re.match(r"unknown hook '(\w+)'", str(error))):
            known = [each for each in dir(spec) if each.startswith("benchkit_")]
            raise UnknownNameError("hook", hook[1], known) from None
        raise


# What benchkit cannot do without is found without the metadata of an installation.
_BUILT_IN = {"reports": "benchkit.report.plugin", "tuners": "benchkit.trial.searches"}


def installed_plugins() -> list[EntryPoint]:
    """The plugins that are installed, and what benchkit brings itself, by name.

    Of several packages whose plugins have one name, benchkit's has it; the others are told apart by their module.
    """
    points = [EntryPoint(name, module, spec.PROJECT) for name, module in _BUILT_IN.items()]
    points += entry_points(group=spec.PROJECT)
    named: dict[str, EntryPoint] = {}
    for point in sorted(points, key=lambda each: (each.module.partition(".")[0] != spec.PROJECT, each.value)):
        if named.get(point.name, point).value != point.value:
            point = EntryPoint(f"{point.name} ({point.value})", point.value, point.group)
        named[point.name] = point
    return [named[name] for name in sorted(named)]


def discover(files: Iterable[str | Path] = ()) -> Registry:
    """Build a registry from the installed entry points and from plugin files.

    Parameters
    ----------
    files : iterable of path, default=()
        Plain Python files with hook implementations.

    Returns
    -------
    Registry
        A plugin that fails to import or to register is in its ``problems``.
    """
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    installed = installed_plugins()
    registry = Registry(manager)
    registry.packages = {point.module.partition(".")[0] for point in installed} - {spec.PROJECT}
    # By the distribution itself: asking each for its name parses all of its metadata each time.
    in_benchkit = [point for point in installed if point.module.partition(".")[0] == spec.PROJECT]
    beside = {id(point.dist) for point in in_benchkit if point.dist is not None}
    registry.own = {point.name for point in installed if point in in_benchkit or id(point.dist) in beside}
    sources: list[tuple[str, str, Any]] = [(point.name, point.value, point.load) for point in installed]
    for path in dict.fromkeys(Path(file).resolve() for file in files):
        taken = [name for name, _, _ in sources]
        name = path.stem if path.stem not in taken else f"{path.stem} ({path.parent.name})"
        registry.files.add(name)
        sources.append((name, str(path), partial(load_file, path)))
    for name, where, load in sources:
        try:
            with guarded(f"loading {where}"):
                if manager.has_plugin(name):
                    raise ValueError(f"another plugin is named {name!r}")
                _register(manager, load(), name)
        except PluginError as error:
            cause = error.__cause__ or error
            reason = f"cannot be loaded from {where}: {one_line(cause)}{_remedy(cause, ', or uninstall the plugin')}"
            registry.problems.append(PluginProblem(name, reason))
        else:
            registry.plugins[name] = where
    registry.collect()
    return registry


def registry(files: tuple[str, ...] = ()) -> Registry:
    """The registry of the installed plugins and of some files; found once in a process, until a file is edited.

    Parameters
    ----------
    files : tuple of str, default=()
        Paths of plugin files to load besides the installed plugins.
    """
    return _registry(files, tuple(_stamp(file) for file in files))


def function_of_command(name: str) -> Any:
    """What a command of an installed plugin is in Python; None where it is nothing."""
    declared = registry().commands.get(name)
    return None if declared is None or declared.function is None else declared.function.resolve()


def _stamp(file: str) -> tuple[int, ...]:
    """What changes when a file is written."""
    try:
        state = os.stat(file)
    except OSError:
        return ()
    return state.st_mtime_ns, state.st_size, state.st_ino


@cache
def _registry(files: tuple[str, ...], stamps: tuple[tuple[int, ...], ...]) -> Registry:
    return discover(files)
