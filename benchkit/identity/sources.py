"""What sources say, whatever their layout: a hash of their syntax, and the modules that they import."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import marshal
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from benchkit.data.files import keep, kept
from benchkit.plugin.declarations.source import module_path


class Syntax(NamedTuple):
    """A hash of a source's syntax tree, without docstrings, and the names of the modules that it imports."""

    content: str
    imported: list[str]


class SyntaxCache:
    """Reads sources; what it has parsed once it keeps on disk, by content.

    Parsing the sources of a plugin takes a second, in every process. Another Python has other trees, and another
    version of this file may read them otherwise.
    """

    def __init__(self) -> None:
        self._is_new = False

    def read(self, path: Path, package: str) -> Syntax:
        """What a file says; relative imports are relative to ``package``, and what is compiled imports nothing."""
        source = path.read_bytes()
        if path.suffix != ".py":
            return Syntax(hashlib.sha256(source).hexdigest(), [])
        key = hashlib.sha256(package.encode() + b"\0" + source).hexdigest()
        if key not in self._parsed:
            tree = ast.parse(source)
            imported = list(dict.fromkeys(_imports(tree, package)))
            _drop_docstrings(tree)
            self._parsed[key] = Syntax(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), imported)
            self._is_new = True
        return self._parsed[key]

    @cached_property
    def _parsed(self) -> dict[str, Syntax]:
        entries: Any = kept("syntax", _version())
        try:
            return {key: Syntax(str(content), list(map(str, names))) for key, (content, names) in entries.items()}
        except (ValueError, TypeError, AttributeError):  # nothing, or damaged
            return {}

    def keep(self) -> None:
        """Write what was parsed, for the next process."""
        if self._is_new:
            self._is_new = False
            keep("syntax", _version(), self._parsed)


@cache
def _version() -> str:
    return hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes()).hexdigest()[:16]


def _drop_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                match node.body:
                    case [ast.Expr(value=ast.Constant(value=str())), *rest]:
                        node.body = rest


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
    """A module and the packages it lies in, those that are files: importing it runs them all."""
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        name = ".".join(parts[:length])
        file = getattr(sys.modules.get(name), "__file__", None)
        path = Path(file) if file else module_path(name)
        if path is not None:
            yield name, path


_HEADER = 16  # bytes before the code in a compiled file: magic number, flags, time and size of the source


def is_newer_than_compiled(path: Path, cached: str | None) -> bool:
    """Whether a source was edited since it was compiled to a file: who has imported it, has what it was before."""
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
