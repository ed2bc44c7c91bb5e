"""What a callable takes and says of itself, read from its source: importing it may take seconds.

Read is what is plain to see: a function, or a class with at most one ``__init__`` among itself and its ancestors, or
one that is a dataclass; otherwise undecorated, with defaults that are literals, possibly imported from one module into
another. Of all else nothing is said, and it is imported.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import math
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from inspect import Parameter, signature
from pathlib import Path
from typing import NamedTuple

_MOST_MODULES = 5  # that a name is imported through
_DATACLASSES = ["dataclass"], ["dataclass(eq=False, repr=False)"]


class Description(NamedTuple):
    """What a callable takes by name, and its docstring (None where it has none of its own)."""

    parameters: tuple[Parameter, ...]
    doc: str | None


class _UnclearError(Exception):
    """Only importing tells."""


def describe(target: str) -> Description | None:
    """What the source says of ``"package.module:attribute"``; None where only importing tells."""
    module, _, name = target.partition(":")
    try:
        found = _definition(module, name)
        if isinstance(found.node, ast.FunctionDef):
            parameters = _parameters(found.node, found.path)
        else:
            constructors = _constructors(found)
            if len(constructors) > 1:
                return None
            parameters = tuple(each for place in constructors for each in _given_by_name(place))
    except (_UnclearError, ImportError, OSError, SyntaxError, ValueError):
        return None
    return Description(parameters, ast.get_docstring(found.node))


def module_path(module: str) -> Path | None:
    """The file of a module, found without importing it or its parents."""
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
        compiled = (base.with_suffix(suffix) for suffix in EXTENSION_SUFFIXES)
        for candidate in (base / "__init__.py", base.with_suffix(".py"), *compiled):
            if candidate.is_file():
                return candidate
    return None


class _Place(NamedTuple):
    module: str
    path: Path
    node: ast.ClassDef | ast.FunctionDef


def _definition(module: str, name: str) -> _Place:
    """What defines a name, in the module or in one that it imports it from."""
    for _ in range(_MOST_MODULES):
        path = module_path(module)
        if path is None or path.suffix != ".py":
            raise _UnclearError
        binding = [node for node in _tree(path).body if name in _bound(node)]
        if len(binding) != 1:
            raise _UnclearError
        (node,) = binding
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            return _Place(module, path, node)
        if not isinstance(node, ast.ImportFrom):
            raise _UnclearError
        (name,) = (alias.name for alias in node.names if (alias.asname or alias.name) == name)
        package = module if path.stem == "__init__" else module.rpartition(".")[0]
        module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    raise _UnclearError


@lru_cache(maxsize=64)
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement of a module binds, wherever within it; a class or a function binds its own."""
    if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {statement.name}
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
    return names


def _constructors(place: _Place) -> list[_Place]:
    """The ``__init__`` of a class and of its ancestors."""
    found, waiting = {}, [place]
    while waiting:
        place = waiting.pop()
        node = place.node
        if not isinstance(node, ast.ClassDef) or node.keywords:
            raise _UnclearError
        if node.decorator_list:
            if [*map(ast.unparse, node.decorator_list)] not in _DATACLASSES:
                raise _UnclearError
            found[place.path, node.name] = place
        own = [each for each in node.body if {"__init__", "__new__", "__signature__"} & _bound(each)]
        if len(own) > 1 or (own and not (isinstance(own[0], ast.FunctionDef) and own[0].name == "__init__")):
            raise _UnclearError
        if own and node.decorator_list:
            raise _UnclearError
        if own:
            # What it inherits no longer counts, unless by another parent.
            assert isinstance(own[0], ast.FunctionDef)
            found[place.path, node.name] = _Place(place.module, place.path, own[0])
            continue
        for base in node.bases:
            if not isinstance(base, ast.Name):
                raise _UnclearError
            if base.id not in ("object", "ABC"):
                waiting.append(_definition(place.module, base.id))
    return list(found.values())


def _given_by_name(place: _Place) -> tuple[Parameter, ...]:
    """What an ``__init__`` takes, or the one that a dataclass gets."""
    if isinstance(place.node, ast.FunctionDef):
        return _parameters(place.node, place.path)[1:]
    fields = [each for each in place.node.body if isinstance(each, ast.AnnAssign)]
    return tuple(
        Parameter(
            ast.unparse(each.target),
            Parameter.POSITIONAL_OR_KEYWORD,
            default=Parameter.empty if each.value is None else _value(each.value, place.path),
        )
        for each in fields
        if "ClassVar" not in ast.unparse(each.annotation)
    )


def _parameters(function: ast.ClassDef | ast.FunctionDef, path: Path) -> tuple[Parameter, ...]:
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        raise _UnclearError
    given = copy.deepcopy(function.args)
    defaults = [_value(node, path) for node in given.defaults]
    keyword_defaults = [None if node is None else _value(node, path) for node in given.kw_defaults]
    for each in ast.walk(given):
        if isinstance(each, ast.arg):
            each.annotation = None
    given.defaults = [ast.Constant(None) for _ in defaults]
    given.kw_defaults = [node and ast.Constant(None) for node in given.kw_defaults]
    alike = eval(f"lambda {ast.unparse(given)}: None")  # it has names alone: nothing of the source is executed
    alike.__defaults__ = tuple(defaults)
    names = [each.arg for each in given.kwonlyargs]
    alike.__kwdefaults__ = {
        name: value
        for name, node, value in zip(names, given.kw_defaults, keyword_defaults, strict=True)
        if node is not None
    }
    return tuple(signature(alike).parameters.values())


_NUMBERS = {"np.inf": math.inf, "np.nan": math.nan, "math.inf": math.inf, "math.nan": math.nan}


def _value(node: ast.expr, path: Path) -> object:
    """A default: a literal, a number that has a name, or a constant of the same module."""
    if isinstance(node, ast.Attribute) and ast.unparse(node) in _NUMBERS:
        return _NUMBERS[ast.unparse(node)]
    if isinstance(node, ast.Name):
        binding = [each for each in _tree(path).body if node.id in _bound(each)]
        if len(binding) != 1 or not isinstance(binding[0], ast.Assign):
            raise _UnclearError
        node = binding[0].value
    return ast.literal_eval(node)
