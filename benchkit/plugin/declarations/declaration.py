"""What all declarations are: a name, a line about it, and code that is named now and imported when it is needed."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from inspect import Parameter
from pathlib import Path
from typing import Any, ClassVar, Literal

from benchkit.errors import BenchkitError

Task = Literal["classification", "regression"]
TASKS: tuple[Task, ...] = ("classification", "regression")

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME_IN_WORDS = NAME, "lower-case words joined by hyphens"


class DeclarationError(BenchkitError):
    """A plugin declared something that cannot be used."""


class DataUnavailableError(BenchkitError):
    """A dataset's file is not on this machine; the message says which file to put where. Trials become ``skipped``."""


class NotApplicableError(BenchkitError):
    """A combination of algorithm, adversary and dataset that has no meaning. Trials become ``skipped``."""


class Deferred:
    """A callable, or ``"package.module:attribute"``, which is imported when it is first called.

    Each call receives the ``defaults`` that it does not give itself. What it imports may be missing here where it is
    called ``elsewhere``, in another interpreter. ``module`` is where it is defined.
    """

    def __init__(
        self, target: str | Callable[..., Any], defaults: Mapping[str, Any] | None = None, elsewhere: bool = False
    ) -> None:
        if isinstance(target, str):
            if not re.fullmatch(r"[\w.]+:[\w.]+", target):
                raise DeclarationError(f"{target!r} is not of the form 'package.module:attribute'")
            self.module = target.partition(":")[0]
        elif callable(target):
            self.module = target.__module__
        else:
            raise DeclarationError(f"{target!r} is neither a callable nor a 'package.module:attribute' string")
        self.target = target
        self.defaults = dict(defaults or {})
        self.elsewhere = elsewhere

    def resolve(self) -> Callable[..., Any]:
        """Import and return the target."""
        target: Callable[..., Any]
        target = pkgutil.resolve_name(self.target) if isinstance(self.target, str) else self.target
        return target

    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters that may be given by name. Any, where only another interpreter knows."""
        if (described := self._described()) is not None:
            return described[0]
        try:
            return inspect.signature(self.resolve()).parameters
        except ModuleNotFoundError:
            if not self.elsewhere:
                raise
            return {"parameters": inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD)}

    def doc(self) -> str | None:
        """The docstring, without its indentation."""
        described = self._described()
        return described[1] if described and described[1] else inspect.getdoc(self.resolve())

    def _described(self) -> Description | None:
        """What its source says, where that is enough and it is not imported yet."""
        by_name = isinstance(self.target, str) and self.module not in sys.modules
        return describe(str(self.target)) if by_name else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Import the target and call it."""
        return self.resolve()(*args, **{**self.defaults, **kwargs})

    def __repr__(self) -> str:
        return f"Deferred({self.target!r})"


# Without comparisons and texts of its own, which Python would compile for each class: all commands wait for that.
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Declaration:
    """Anything that a plugin declares: each kind has these fields beside its own.

    Parameters
    ----------
    name : str
        Lower-case words joined by hyphens; unique among declarations of its kind.
    summary : str, default=""
        One line for ``benchkit list``.
    reference, formula : str, default=""
        For ``benchkit show``.
    inputs : sequence of str, default=()
        What else decides the outcome of trials: paths of files that the code reads, and ``$NAME`` for environment
        variables. Their content enters the identity of trials, and values of metrics are computed anew.
    """

    _code: ClassVar[Sequence[str]] = ()  # the fields that name code, or hold what stands in its place
    _choices: ClassVar[Mapping[str, Sequence[str | None]]] = {}  # fields, and what they may be
    _patterns: ClassVar[Mapping[str, tuple[re.Pattern[str], str]]] = {"name": NAME_IN_WORDS}
    declared_by: ClassVar[str] = ""
    """The plugin, once it is registered: whose code it names."""

    name: str
    summary: str = ""
    reference: str = ""
    formula: str = ""
    inputs: Sequence[str] = ()

    def __post_init__(self) -> None:
        for field, (pattern, words) in self._patterns.items():
            if not isinstance(given := getattr(self, field), str) or not pattern.fullmatch(given):
                raise DeclarationError(f"{self.kind()}: {field} {given!r} is not {words}")
        for field in self._code:
            target = getattr(self, field)
            if target is not None and not isinstance(target, Deferred | Mapping):
                object.__setattr__(self, field, Deferred(target))
        for field, choices in self._choices.items():
            if (given := getattr(self, field)) not in choices:
                allowed = ", ".join(map(repr, choices))
                raise DeclarationError(f"{self.name!r}: {field} is {given!r}, expected one of {allowed}")

    @classmethod
    def kind(cls) -> str:
        """What such a declaration is, in words: ``report section``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__).lower()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"


_MOST_MODULES = 5  # that a name is imported through
_DATACLASSES = ["dataclass"], ["dataclass(eq=False, repr=False)"]

Description = tuple[Mapping[str, Parameter], str | None]
"""What a callable takes by name, and its docstring (None where it has none of its own)."""


def describe(target: str) -> Description | None:
    """What the source says of ``"package.module:attribute"``; None where only importing tells, which may take seconds.

    Read is what is plain to see: a function, or a class with at most one ``__init__`` among itself and its ancestors,
    or one that is a dataclass; otherwise undecorated, with defaults that are literals, possibly imported from one
    module into another.
    """
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
