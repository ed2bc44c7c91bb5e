"""Finding plugins, and the registry of what they declare."""

import inspect
import io
import os
import re
import sys
import zlib
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, get_args, get_type_hints

import pluggy

from benchkit.errors import BenchkitError, RequestError, message_of
from benchkit.errors import one_line as one_line
from benchkit.plugin import declarations, spec
from benchkit.plugin.declarations import Declaration, DeclarationError
from benchkit.plugin.estimators import declare, is_estimator_name
from benchkit.plugin.guard import FILE_MODULE, PluginError, guarded, import_remedy
from benchkit.plugin.parameters import meant_file, suggestion

T = TypeVar("T", bound=Declaration)
_MOST_LISTED = 12


class UnknownNameError(RequestError, KeyError):
    """No plugin declares this name, or nothing can be made of it for a ``reason``."""

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), reason: str = "") -> None:
        names = sorted(known)
        more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
        listed = f"known: {', '.join(names[:_MOST_LISTED]) or 'none'}{more}"
        hint = suggestion(name, names, otherwise=f"{listed}; what a file of yours declares needs --plugin FILE.py")
        super().__init__(reason or f"unknown {kind} {name!r}; {hint}")

    def __str__(self) -> str:
        return str(self.args[0])


class Catalogue(dict[str, T]):
    """Declarations of one kind by name, in the order of their names.

    The catalogue of algorithms also answers to the name of any class of estimators, ``module:Class``.

    Attributes
    ----------
    kind : str
        What is declared, in words.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self._named: dict[str, T] = {}

    def __missing__(self, name: str) -> T:
        if self.kind != "algorithm" or not is_estimator_name(name):
            raise UnknownNameError(self.kind, name, self)
        if name not in self._named:
            try:
                self._named[name] = declare(name)  # type: ignore[assignment]
            except (Exception, SystemExit) as error:
                reason = f"cannot use {name!r}: {one_line(error)}{import_remedy(error)}"
                raise UnknownNameError(self.kind, name, reason=reason) from None
        return self._named[name]


class Registry:
    """All that the installed plugins declare, and plugin files: for each of `KINDS` a mapping from name to declaration.

    What fails is in its ``problems``.

    ``splits`` and ``preprocessing_steps`` are those that plugins add to benchkit's own.

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
    problems : list of tuple of str
        What could not be used: the plugin, and why, in one line that names it.
    hook : object
        The hooks that listen, to be called.
    """

    algorithms: Catalogue[declarations.Algorithm]
    adversaries: Catalogue[declarations.Adversary]
    datasets: Catalogue[declarations.Dataset]
    metrics: Catalogue[declarations.Metric]
    report_sections: Catalogue[declarations.ReportSection]
    report_formats: Catalogue[declarations.ReportFormat]
    executors: Catalogue[declarations.Executor]
    tuners: Catalogue[declarations.Tuner]
    splits: Catalogue[declarations.SplitMethod]
    preprocessing_steps: Catalogue[declarations.PreprocessingStep]
    trackers: Catalogue[declarations.Tracker]
    row_sources: Catalogue[declarations.RowSource]
    commands: Catalogue[declarations.Command]

    def __init__(self, files: Iterable[str | Path] = ()) -> None:
        self.manager = pluggy.PluginManager(spec.PROJECT)
        self.manager.add_hookspecs(spec)
        self.hook = self.manager.hook
        self.plugins: dict[str, str] = {}
        self.files: set[str] = set()
        problems: list[tuple[str, str]] = []
        installed = installed_plugins()
        self.packages = {point.module.partition(".")[0] for point in installed} - {spec.PROJECT}
        # By the distribution itself: asking each for its name parses all of its metadata each time.
        in_benchkit = [point for point in installed if point.module.partition(".")[0] == spec.PROJECT]
        beside = {id(point.dist) for point in in_benchkit if point.dist is not None}
        self.own = {point.name for point in installed if point in in_benchkit or id(point.dist) in beside}
        sources: dict[str, tuple[str, Any]] = {point.name: (point.value, point.load) for point in installed}
        for path in dict.fromkeys(Path(file).resolve() for file in files):
            name = path.stem if path.stem not in sources else f"{path.stem} ({path.parent})"
            self.files.add(name)
            sources[name] = str(path), partial(load_file, path)
        for name, (where, load) in sources.items():
            try:
                # What a plugin prints while it is loaded, and declares, is none of benchkit's answers.
                with guarded(f"loading {where}"), redirect_stdout(io.StringIO()):
                    _register(self.manager, load(), name)
            except PluginError as error:
                cause = error.__cause__ or error
                remedy = import_remedy(cause, ", or uninstall the plugin")
                message = message_of(cause) if isinstance(cause, BenchkitError) else one_line(cause)
                reason = f"cannot be loaded from {where}: {message}{remedy}"
                problems.append((name, reason))
            else:
                self.plugins[name] = where
        for kind, expected in KINDS.items():
            declared: list[tuple[Any, str]] = []
            # pluggy calls the last registered first; a name belongs to the plugin that was registered first.
            for hook in getattr(self.hook, f"benchkit_{kind}").get_hookimpls():
                try:
                    where = f"{self.plugins[hook.plugin_name]}: benchkit_{kind}()"
                    with guarded(where), redirect_stdout(io.StringIO()):
                        if not isinstance(entries := hook.function(), Iterable):
                            raise DeclarationError(f"return a list: [{expected.__name__}(...)]")
                        declared += [(entry, hook.plugin_name) for entry in entries]
                except PluginError as error:
                    hint = ""
                    if wrong := re.search(r"(\w+)\.__init__\(\) .* unexpected keyword argument '(\w+)'$", str(error)):
                        fields = inspect.signature(getattr(declarations, wrong[1], expected)).parameters
                        hint = f"; {suggestion(wrong[2], fields, otherwise='it takes ' + ', '.join(fields))}"
                    problems.append((hook.plugin_name, f"{error}{hint}"))
            catalogue = Catalogue[Any](expected.kind())
            for entry, plugin in sorted(declared, key=lambda pair: str(getattr(pair[0], "name", ""))):
                if not isinstance(entry, expected):
                    odd = f"returned a {type(entry).__name__}, expected {expected.__name__}"
                    problems.append((plugin, f"{self.plugins[plugin]}: benchkit_{kind}() {odd}"))
                elif (other := catalogue.get(entry.name)) is not None:
                    taken = f"{catalogue.kind} {entry.name!r} is already declared by plugin {other.declared_by!r}"
                    problems.append((plugin, f"{taken}: rename one of them"))
                else:
                    object.__setattr__(entry, "declared_by", plugin)  # whose code it names, for who calls it
                    catalogue[entry.name] = entry
            setattr(self, kind, catalogue)
        self.problems = [(plugin, f"plugin {plugin!r}: {reason}") for plugin, reason in problems]

    def catalogue(self, kind: str) -> Catalogue[Any]:
        """The catalogue of one of `KINDS`."""
        catalogue: Catalogue[Any] = getattr(self, kind)
        return catalogue

    def judging(self, metrics: Iterable[str], dataset: str) -> list[str]:
        """Those of some metrics that judge what a data set's rows predict."""
        task = self.datasets[dataset].task
        return [name for name in metrics if name in self.metrics and task in self.metrics[name].tasks]

    def chooses(self, metrics: Sequence[str], dataset: str) -> str:
        """The metric by which a stage of tuning that names none chooses: the first that judges the data."""
        return next(iter(self.judging(metrics, dataset)), metrics[0])

    def is_own(self, declaration: Declaration) -> bool:
        """Whether benchkit brings it: its code may be called in this process."""
        return declaration.declared_by in self.own


# By what each hook's name says, such as ``algorithms``: what it returns.
KINDS: dict[str, type[Declaration]] = {kind: get_args(hint)[0] for kind, hint in get_type_hints(Registry).items()}


def load_file(path: Path) -> Any:
    """Import a plugin that is a plain file, under a module name that worker processes share."""
    if not path.is_file():
        raise RequestError(f"no such file{meant_file(path)}")
    source = path.read_bytes()
    # By content: a file that was edited is another module, and the same file elsewhere is the same.
    name = FILE_MODULE + re.sub(r"\W", "_", f"{path.stem}_{zlib.crc32(source):08x}")
    module = ModuleType(name)
    module.__file__, module.__package__ = str(path), ""
    sys.modules[name] = module
    try:
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _register(manager: pluggy.PluginManager, plugin: Any, name: str) -> None:
    """Register whole or not at all: only what was written for this version of the contract, and for hooks of it."""
    if (wanted := getattr(plugin, "benchkit_api", spec.API)) != spec.API:
        remedy = "upgrade whichever is older"
        raise DeclarationError(f"benchkit_api is {wanted!r}, and this benchkit has version {spec.API}: {remedy}")
    try:
        manager.register(plugin, name=name)
        manager.check_pending()
        if not manager.get_hookcallers(plugin):
            raise DeclarationError("declares nothing: its functions need @benchkit.hookimpl")
    except BaseException as error:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        if isinstance(error, pluggy.PluginValidationError) and (hook := re.match(r"unknown hook '(\w+)'", str(error))):
            hooks = [name for name in dir(spec) if name.startswith("benchkit_")]
            raise UnknownNameError("hook", hook[1], hooks) from None
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


# By the files, and what changes when these are written.
_registries: dict[tuple[tuple[Any, ...], ...], Registry] = {}


def registry(files: tuple[str, ...] = ()) -> Registry:
    """The registry of the installed plugins and of some files; found once in a process, until a file is edited.

    Parameters
    ----------
    files : tuple of str, default=()
        Paths of plugin files to load besides the installed plugins.
    """
    states = [os.stat(file) for file in files if os.path.exists(file)]  # of another, `Registry` says that it is absent
    key = files, *((state.st_mtime_ns, state.st_size, state.st_ino) for state in states)
    if key not in _registries:
        _registries[key] = Registry(files)
    return _registries[key]
