"""What sources say, whatever their layout: a hash of their syntax, what they import, and in which versions."""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, distributions, packages_distributions
from pathlib import Path

from benchkit.data.files import keep, kept
from benchkit.environment.place import BuiltEnvironment
from benchkit.plugin.declarations.declaration import module_path

# Another Python has other trees, and another version of this file may read them otherwise.
_READER = hashlib.sha256(sys.version.encode() + Path(__file__).read_bytes()).digest()
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def read_module(name: str) -> tuple[Path, str, list[str]] | None:
    """A module's file, a hash of its syntax tree without docstrings, and names of the modules that it imports.

    None of a module that is no file; what is compiled imports nothing. Parsing the sources of a plugin takes a second,
    in every process: what was parsed is kept on disk, by content.
    """
    file = getattr(sys.modules.get(name), "__file__", None)
    path = Path(file) if file else module_path(name)
    if path is None:
        return None
    source = path.read_bytes()
    if path.suffix != ".py":
        return path, hashlib.sha256(source).hexdigest(), []
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    key = hashlib.sha256(_READER + package.encode() + b"\0" + source).hexdigest()
    with suppress(ValueError, TypeError):  # nothing, or damaged
        content, imported = kept("syntax", key)  # type: ignore[misc]
        return path, str(content), [*map(str, imported)]
    tree = ast.parse(source)
    imported = list(dict.fromkeys(_imports(tree, package)))
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    content = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    keep("syntax", key, [content, imported])
    return path, content, imported


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


def versions_of(top: str, built: BuiltEnvironment | None = None) -> dict[str, str]:
    """Versions of the distributions that a top-level package belongs to, by name, as workers of an environment see it.

    None of a package that is elsewhere.
    """
    if built is not None and (top in built.packages or not built.inherit):
        return {name: built.versions[name] for name in built.packages.get(top, [])}
    versions, packages = installed()
    return {name: versions[name] for name in packages.get(top, [])}


@cache
def is_source(top: str) -> bool:
    """Whether a top-level package is a plain file or folder, or one that is edited: its version says nothing."""
    packages = installed()[1]
    for name in packages.get(top, []):
        with suppress(PackageNotFoundError, ValueError):
            origin = json.loads(distribution(name).read_text("direct_url.json") or "{}")
            if origin.get("dir_info", {}).get("editable"):
                return True
    return top not in packages


@cache
def installed() -> tuple[dict[str, str], dict[str, list[str]]]:
    """Versions of the distributions that are installed, and the distributions of each top-level package.

    Reading the metadata of a hundred distributions takes half a second, in every worker: what was read is kept on disk
    for as long as the same distributions lie on the path.
    """
    state = [sys.version]  # and the folders of metadata, whose names hold the versions
    for entry in sys.path:
        if os.path.isdir(entry or "."):
            state += sorted(
                f"{item.path} {item.stat().st_mtime_ns}"
                for item in os.scandir(Path(entry))
                if item.name.endswith((".dist-info", ".egg-info", ".egg-link"))
            )
    key = hashlib.sha256("\n".join(state).encode()).hexdigest()[:16]
    try:
        versions, packages = kept("installed", key)  # type: ignore[misc]
        return dict(versions), dict(packages)
    except (ValueError, TypeError):  # nothing, or damaged
        versions = {}
        for each in reversed([*distributions()]):  # of two by one name, the first is what is imported
            with suppress(Exception):  # one that is half installed has no name, or raises in place of that
                versions[each.name or ""] = each.version
        versions.pop("", None)
        both = versions, dict(packages_distributions())
        keep("installed", key, both)
        return both
