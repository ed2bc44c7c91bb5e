"""Of all that a process has read: what a plugin's own code read, and no identity of a trial knows of."""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import benchkit
from benchkit.data.files import cache_folder, locate_file
from benchkit.plugin.declarations import Dataset
from benchkit.plugin.spec import PROJECT
from benchkit.testing.reading.watch import Kind, ReadItem
from benchkit.trial.identity import Fingerprints
from benchkit.trial.installed import distributions_of

_MACHINE = tuple(Path(folder) for folder in ("/proc", "/sys", "/dev", "/etc"))
_BENCHKIT = Path(benchkit.__file__).resolve().parent


@dataclass(frozen=True)
class Undeclared:
    """Something that a declaration's outcome may depend on, unknown to the identity of its trials.

    Attributes
    ----------
    kind : {"file", "variable", "module"}
    name : str
    where : str
        File and line of the plugin's code that reads it.
    declarations : list of str
        Such as ``algorithm mine``.
    """

    kind: Kind
    name: str
    where: str
    declarations: list[str]


class Declared:
    """What the identity of the trials of one declaration covers.

    Parameters
    ----------
    name : str
        Such as ``algorithm mine``.
    declaration : Algorithm, Adversary, Dataset or Metric
    fingerprints : Fingerprints
    """

    def __init__(self, name: str, declaration: Any, fingerprints: Fingerprints) -> None:
        self.name = name
        sources, self.distributions = fingerprints.covered(declaration)
        self.sources = {path.resolve() for path in sources}
        self.variables = {given[1:] for given in declaration.inputs if given.startswith("$")}
        self.files = {Path(given).resolve() for given in declaration.inputs if not given.startswith("$")}
        if isinstance(declaration, Dataset):
            self.files |= {path.resolve() for file in declaration.files if (path := locate_file(file.name))}
            if declaration.paths is not None and declaration.example is not None:
                self.files |= {Path(path).resolve() for path in declaration.paths(**declaration.example)}

    def covers(self, reading: ReadItem) -> bool:
        """Whether a change of what was read changes the identity."""
        if reading.kind == "variable":
            return reading.name in self.variables
        if reading.kind == "file":
            path = Path(reading.name).resolve()
            return not self.files.isdisjoint((path, *path.parents))
        top = reading.name.partition(".")[0]
        if top in sys.stdlib_module_names or top == PROJECT:
            return True
        source = _source_of(reading.name)
        if source is None or (_is_installed(source) and source not in self.sources):
            return bool(self.distributions & set(distributions_of(top)))
        return source in self.sources | self.files


class OwnCode:
    """Tells a plugin's own code from libraries and from benchkit.

    Parameters
    ----------
    sources : iterable of Path
        Of the plugin, wherever it is installed.
    """

    def __init__(self, sources: Iterable[Path]) -> None:
        self._sources = {path.resolve() for path in sources}
        self._known: dict[str, bool | None] = {}

    def first(self, reading: ReadItem) -> tuple[str, int] | None:
        """The innermost caller that is the plugin's; None where benchkit, or only a library, was at work."""
        for source, line in reading.callers:
            verdict = self._is_own(source)
            if verdict is not None:
                return (source, line) if verdict else None
        return None

    def _is_own(self, source: str) -> bool | None:
        """True for the plugin's, False for benchkit's, None for a library's, which acts for whoever called it."""
        if source not in self._known:
            path = Path(source).resolve()
            if path in self._sources:
                self._known[source] = True
            elif path.is_relative_to(_BENCHKIT):
                self._known[source] = False
            else:
                self._known[source] = None if source.startswith("<") or _is_installed(path) else True
        return self._known[source]


def undeclared(readings: Iterable[ReadItem], declared: Iterable[Declared], own: OwnCode) -> Iterator[Undeclared]:
    """What was read by a plugin's own code and stands in no declaration that depends on it."""
    declared = list(declared)
    named: dict[tuple[Kind, str], Undeclared] = {}
    for reading in readings:
        caller = own.first(reading)
        if caller is None or (reading.kind == "file" and _says_nothing(Path(reading.name).resolve())):
            continue
        # What a module reads when it is imported concerns all whose code it is, whoever imported it first.
        at_work = {Path(source).resolve() for source, _ in reading.callers} if reading.importing else set()
        for each in declared:
            if not (reading.during == each.name or at_work & each.sources) or each.covers(reading):
                continue
            where = f"{Path(caller[0]).name}:{caller[1]}"
            entry = named.setdefault((reading.kind, reading.name), Undeclared(reading.kind, reading.name, where, []))
            if each.name not in entry.declarations:
                entry.declarations.append(each.name)
    yield from named.values()


def _says_nothing(path: Path) -> bool:
    """Whether a file belongs to Python, to an installed distribution, to the machine or to a cache, or is not there."""
    return (
        not path.is_file()
        or path.suffix == ".pyc"
        or "__pycache__" in path.parts
        or path in _loaded_sources(len(sys.modules))  # read to compile it, or to quote a line of it
        or _is_installed(path)
        or any(path.is_relative_to(folder) for folder in (*_MACHINE, _BENCHKIT, cache_folder()))
    )


@cache
def _loaded_sources(count: int) -> frozenset[Path]:
    sources = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return frozenset(Path(source).resolve() for source in sources if source)


def _source_of(module: str) -> Path | None:
    source = getattr(sys.modules.get(module), "__file__", None)
    return Path(source).resolve() if source else None


def _is_installed(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _installation())


@cache
def _installation() -> tuple[Path, ...]:
    """The folders of the standard library and of installed distributions."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*(sysconfig.get_path(name) for name in names), *site.getsitepackages(), site.getusersitepackages()]
    # Those of an environment that this one was made from, too.
    folders += [folder for folder in sys.path if Path(folder).name in ("site-packages", "dist-packages")]
    return tuple({Path(folder).resolve() for folder in folders})
