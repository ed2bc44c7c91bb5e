"""What a callable takes and says of itself, read from its source: importing it may take seconds.

Read is what is plain to see: a function, or a class with at most one ``__init__`` among itself and its ancestors, or
one that is a dataclass; otherwise undecorated, with defaults that are literals, possibly imported from one module into
another. Of all else nothing is said, and it is imported.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from inspect import Parameter
from pathlib import Path

_MOST_MODULES = 5  # that a name is imported through
_DATACLASSES = ["dataclass"], ["dataclass(eq=False, repr=False)"]

Description = tuple[Mapping[str, Parameter], str | None]
"""What a callable takes by name, and its docstring (None where it has none of its own)."""


def describe(target: str) -> Description | None:
    """What the source says of ``"package.module:attribute"``; None where only importing tells."""
    module, _, name = target.partition(":")
    try:
        module, node = _definition(module, name)
        if isinstance(node, ast.FunctionDef):
            parameters = _taken_by(node)
        else:
            parameters, *others = [*_constructors(module, node)] or [[]]
            if any(other != parameters for other in others):
                return None
    except (ImportError, OSError, SyntaxError, ValueError, NameError):
        return None
    return {parameter.name: parameter for parameter in parameters}, ast.get_docstring(node)


def module_path(module: str) -> Path | None:
    """The file of a module, found without importing it or its parents."""
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None or not rest:
        return Path(spec.origin) if spec and spec.origin and Path(spec.origin).is_file() else None
    for folder in spec.submodule_search_locations or ():
        base = Path(folder).joinpath(*rest)
        compiled = (base.with_suffix(suffix) for suffix in EXTENSION_SUFFIXES)
        for candidate in (base / "__init__.py", base.with_suffix(".py"), *compiled):
            if candidate.is_file():
                return candidate
    return None


def _definition(module: str, name: str) -> tuple[str, ast.ClassDef | ast.FunctionDef]:
    """What defines a name, and the module that it stands in: this one, or one that it is imported from."""
    for _ in range(_MOST_MODULES):
        (node,) = _statements(module).get(name, [])
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            return module, node
        if not isinstance(node, ast.ImportFrom):
            break
        (name,) = (alias.name for alias in node.names if (alias.asname or alias.name) == name)
        is_package = (module_path(module) or Path()).stem == "__init__"
        package = module if is_package else module.rpartition(".")[0]
        module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    raise ValueError(f"{name} is neither a class nor a function")


@lru_cache(maxsize=64)
def _statements(module: str) -> Mapping[str, list[ast.stmt]]:
    """The statements of a module that bind each name."""
    path = module_path(module)
    if path is None or path.suffix != ".py":
        raise ImportError(module)
    statements: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(path.read_bytes()).body:
        for name in _bound(statement):
            statements.setdefault(name, []).append(statement)
    return statements


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


def _constructors(module: str, node: ast.stmt) -> Iterator[list[Parameter]]:
    """What is taken by the ``__init__`` of a class and of its ancestors, or that which a dataclass gets."""
    if not isinstance(node, ast.ClassDef) or node.keywords:
        raise ValueError("only importing tells")
    own = [each for each in node.body if {"__init__", "__new__", "__signature__"} & _bound(each)]
    if node.decorator_list:
        if own or [*map(ast.unparse, node.decorator_list)] not in _DATACLASSES:
            raise ValueError("only importing tells")
        fields = [field for field in node.body if isinstance(field, ast.AnnAssign)]
        given = [
            ast.unparse(field.target) + (f"={ast.unparse(field.value)}" if field.value else "")
            for field in fields
            if "ClassVar" not in ast.unparse(field.annotation)
        ]
        yield _parameters(", ".join(given))
    if own:  # what it inherits no longer counts, unless by another parent
        (constructor,) = own
        if not isinstance(constructor, ast.FunctionDef) or constructor.name != "__init__":
            raise ValueError("only importing tells")
        yield _taken_by(constructor)[1:]
        return
    for base in map(ast.unparse, node.bases):
        if base not in ("object", "ABC"):
            yield from _constructors(*_definition(module, base))


def _taken_by(function: ast.FunctionDef) -> list[Parameter]:
    if function.decorator_list:
        raise ValueError("only importing tells")
    for each in ast.walk(function.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    return _parameters(ast.unparse(function.args))


def _parameters(arguments: str) -> list[Parameter]:
    """Of ``a, b=1, *, c``; a NameError where a default is more than a literal."""
    return [*inspect.signature(eval(f"lambda {arguments}: None", {"__builtins__": {}})).parameters.values()]
