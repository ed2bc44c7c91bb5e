"""What code says, whatever its layout: normalised sources, what is installed, and what this process has loaded."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import marshal
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, distribution, distributions, packages_distributions
from pathlib import Path
from typing import Any, NamedTuple

from benchkit.data.files import keep, kept
from benchkit.environment.place import BuiltEnvironment
from benchkit.plugin.declarations.source import module_path


class Syntax(NamedTuple):
    """What a source says: a hash of its syntax tree, and the names of the modules that it imports."""

    content: str
    imported: list[str]


class SyntaxCache:
    """Reads sources; what it has parsed once it keeps on disk, by content.

    Parsing the sources of a plugin takes a second, in every process. Another Python has other trees, and another
    version of this file may read them otherwise.
    """

    def __init__(self) -> None:
        self._is_new = False

    def read(self, source: bytes, package: str) -> Syntax:
        """The syntax of a source, without its docstrings; relative imports are relative to ``package``."""
        key = hashlib.sha256(package.encode() + b"\0" + source).hexdigest()
        known = self._known
        if key not in known:
            tree = _without_docstrings(ast.parse(source))
            content = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
            known[key] = Syntax(content, list(dict.fromkeys(_imports(tree, package))))
            self._is_new = True
        return known[key]

    @cached_property
    def _known(self) -> dict[str, Syntax]:
        found: Any = kept("syntax", _version())
        try:
            return {key: Syntax(str(content), list(map(str, names))) for key, (content, names) in found.items()}
        except (ValueError, TypeError, AttributeError):  # nothing, or damaged
            return {}

    def keep(self) -> None:
        """Write what was parsed, for the next process."""
        if self._is_new:
            self._is_new = False
            keep("syntax", _version(), self._known)


@cache
def _version() -> str:
    return hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes()).hexdigest()[:16]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                match node.body:
                    case [ast.Expr(value=ast.Constant(value=str())), *rest]:
                        node.body = rest
    return tree


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Names of the modules that a source imports anywhere, also inside functions; relative ones made absolute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")
                above = parents[: len(parents) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            yield base
            # `from package import name`: name may be a module.
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            name = node.args[0].value
            if called in ("import_module", "__import__") and isinstance(name, str) and not name.startswith("."):
                yield name


def modules_on_the_way(module: str) -> Iterator[tuple[str, Path]]:
    """A module and the packages it lies in, those that are source files: importing it runs them all."""
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        file = getattr(sys.modules.get(name), "__file__", None)
        path = Path(file) if file else module_path(name)
        if path is not None:
            yield name, path


def installed_versions() -> Mapping[str, str]:
    """Version of each distribution."""
    return _installed()[0]


def distributions_of(top: str) -> list[str]:
    """Names of the distributions that a top-level package belongs to; none for a plain file or folder."""
    return _installed()[1].get(top, [])


@cache
def is_editable(top: str) -> bool:
    """Whether a top-level package is installed from a folder that is edited: its version then says nothing."""
    for name in distributions_of(top):
        try:
            origin = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        except (PackageNotFoundError, ValueError):
            continue
        if origin.get("dir_info", {}).get("editable"):
            return True
    return False


class Packages:
    """The packages that trials see: of this interpreter, or of a worker process of an environment.

    Parameters
    ----------
    built : BuiltEnvironment or None
    """

    def __init__(self, built: BuiltEnvironment | None = None) -> None:
        self._built = built
        self.python = f"{sys.version_info.major}.{sys.version_info.minor}"
        if built is not None:
            self.python = built.python.rpartition(".")[0]

    def versions_of(self, top: str) -> dict[str, str]:
        """Versions of the distributions that a top-level package belongs to, by name; none of one that is elsewhere."""
        built = self._built
        if built is not None and (top in built.packages or not built.inherit):
            return {name: built.versions[name] for name in built.packages.get(top, [])}
        return {name: installed_versions()[name] for name in distributions_of(top)}

    def is_source(self, top: str) -> bool:
        """Whether a top-level package is a plain file or folder, or one that is edited: its version says nothing."""
        if self._built is not None and top in self._built.packages:
            return False
        return not distributions_of(top) or is_editable(top)


HERE = Packages()


@cache
def _installed() -> tuple[dict[str, str], dict[str, list[str]]]:
    """Versions, and distributions by package.

    Reading the metadata of a hundred distributions takes half a second, in every worker: what was read is kept on disk
    for as long as the same distributions lie on the path.
    """
    state = _state()
    try:
        versions, packages = kept("installed", state)  # type: ignore[misc]
        return dict(versions), dict(packages)
    except (ValueError, TypeError):  # nothing, or damaged
        # Of two by one name, the first is what is imported.
        both = {each.name: each.version for each in reversed([*distributions()])}, dict(packages_distributions())
        keep("installed", state, both)
        return both


def _state() -> str:
    """Hash of what lies on the path: names and times of the folders of metadata, whose names hold the versions."""
    signs = [sys.version]
    for entry in sys.path:
        try:
            with os.scandir(Path(entry)) as items:
                signs += sorted(
                    f"{item.path} {item.stat().st_mtime_ns}"
                    for item in items
                    if item.name.endswith((".dist-info", ".egg-info", ".egg-link"))
                )
        except OSError:
            continue  # not a folder
    return hashlib.sha256("\n".join(signs).encode()).hexdigest()[:16]


# By module: what it was imported by, and the digest of its source then. For as long as the process lives.
_noted: dict[str, tuple[ModuleSpec | None, str]] = {}

_HEADER = 16  # bytes before the code in a compiled file: magic number, flags, time and size of the source


def note_loaded(name: str, digest: str) -> None:
    """Note what the source of a module says, as it was when it was imported; not of one that was noted before."""
    module = sys.modules.get(name)
    if module is not None and (name not in _noted or _noted[name][0] is not module.__spec__):  # imported, or reloaded
        _noted[name] = module.__spec__, digest


def is_edited(name: str, path: Path, digest: str) -> bool:
    """Whether a module was loaded from an earlier version of its source, whose digest is another now."""
    module = sys.modules.get(name)
    if module is None or getattr(module, "__file__", None) != str(path):
        return False
    noted = _noted.get(name)
    if noted is not None and noted[0] is module.__spec__:
        return noted[1] != digest
    return _is_newer_than_compiled(path, getattr(module, "__cached__", None))


def _is_newer_than_compiled(path: Path, cached: str | None) -> bool:
    """Whether nobody has imported a source since it was edited: who has loaded it, has loaded what it was before."""
    try:
        compiled = Path(cached or "").read_bytes()
        source, state = path.read_bytes(), path.stat()
    except OSError:  # it was never compiled to a file: nothing is known
        return False
    if compiled[:4] != importlib.util.MAGIC_NUMBER or any(compiled[4:8]):
        return False
    stamps = int(state.st_mtime) & 0xFFFFFFFF, state.st_size & 0xFFFFFFFF
    if compiled[8:_HEADER] == b"".join(stamp.to_bytes(4, "little") for stamp in stamps):
        return False
    older: object = marshal.loads(compiled[_HEADER:])
    return older != compile(source, str(path), "exec", dont_inherit=True)
