"""What all declarations are: a name, a line about it, and code that is named now and imported when it is needed."""

import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, ClassVar, Literal

from benchkit.errors import BenchkitError

Task = Literal["classification", "regression"]
TASKS: tuple[Task, ...] = ("classification", "regression")

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME_IN_WORDS = NAME, "lower-case words joined by hyphens"
TARGET = re.compile(r"[\w.]+:[\w.]+")


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
        if isinstance(target, str) and TARGET.fullmatch(target):
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
        try:
            return inspect.signature(self.resolve()).parameters
        except ModuleNotFoundError:
            if not self.elsewhere:
                raise
            return {"parameters": inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD)}

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
    _reserved: ClassVar[Sequence[str]] = ()  # names of benchkit's own
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
        if self.name in self._reserved:
            raise DeclarationError(f"{self.kind()} {self.name!r} is benchkit's own: name it otherwise")
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
