"""What a source says, apart from its comments and layout: a hash of its syntax tree, and what it imports."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchkit.data.files import cache_folder
from benchkit.regular_file import write_whole


class Syntax(NamedTuple):
    """What a source says.

    Attributes
    ----------
    content : str
        Hash of its syntax tree.
    imported : list of str
        Names of the modules that it imports.
    """

    content: str
    imported: list[str]


class SyntaxCache:
    """Reads sources; what it has parsed once it keeps on disk, by content.

    Parsing the sources of benchkit and of a plugin takes a second, in every process.
    """

    def __init__(self) -> None:
        # Another Python has other trees, and another version of this file may read them otherwise.
        self._path = cache_folder() / f"syntax-{_version()}.json"
        self._known: dict[str, Syntax] | None = None
        self._is_new = False

    def read(self, source: bytes, package: str) -> Syntax:
        """The syntax of a source, without its docstrings.

        Parameters
        ----------
        source : bytes
        package : str
            That relative imports are relative to.
        """
        if self._known is None:
            self._known = self._load()
        key = hashlib.sha256(package.encode() + b"\0" + source).hexdigest()
        if key not in self._known:
            tree = _without_docstrings(ast.parse(source))
            content = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
            self._known[key] = Syntax(content, list(dict.fromkeys(_imports(tree, package))))
            self._is_new = True
        return self._known[key]

    def _load(self) -> dict[str, Syntax]:
        try:
            known: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
            return {key: Syntax(str(content), list(map(str, names))) for key, (content, names) in known.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def keep(self) -> None:
        """Write what was parsed, for the next process."""
        if not self._is_new or self._known is None:
            return
        self._is_new = False
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, json.dumps(self._known))
        except OSError:  # parsed again next time
            return


@cache
def _version() -> str:
    return hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes()).hexdigest()[:16]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:]
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
                kept = parents[: len(parents) - node.level + 1]
                base = ".".join([*kept, base] if base else kept)
            yield base
            # `from package import name`: name may be a module.
            yield from (f"{base}.{alias.name}" for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            name = node.args[0].value
            if called in ("import_module", "__import__") and isinstance(name, str) and not name.startswith("."):
                yield name
