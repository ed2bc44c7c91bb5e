"""Code that is named now and imported when it is first needed."""

from __future__ import annotations

import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from benchkit.plugin.declarations.source import Description, describe
from benchkit.plugin.declarations.words import DeclarationError


class Deferred:
    """A callable that is named now and imported when it is first called.

    Parameters
    ----------
    target : str or callable
        ``"package.module:attribute"``, or the callable itself.
    defaults : mapping, default={}
        Keyword arguments that every call receives unless it gives its own.
    elsewhere : bool, default=False
        Whether what it imports may be missing here, because it is called in another interpreter.
    """

    def __init__(
        self, target: str | Callable[..., Any], defaults: Mapping[str, Any] | None = None, elsewhere: bool = False
    ) -> None:
        if isinstance(target, str):
            if not re.fullmatch(r"[\w.]+:[\w.]+", target):
                raise DeclarationError(f"{target!r} is not of the form 'package.module:attribute'")
        elif not callable(target):
            raise DeclarationError(f"{target!r} is neither a callable nor a 'package.module:attribute' string")
        self.target = target
        self.defaults = dict(defaults or {})
        self.elsewhere = elsewhere

    @property
    def module(self) -> str:
        """Name of the module that defines the target."""
        return self.target.partition(":")[0] if isinstance(self.target, str) else self.target.__module__

    def resolve(self) -> Callable[..., Any]:
        """Import and return the target."""
        if not isinstance(self.target, str):
            return self.target
        name, _, attribute = self.target.partition(":")
        target: Callable[..., Any]
        try:  # it mostly is imported, and this takes a tenth of the time; who edited it imports it anew
            target = attrgetter(attribute)(sys.modules[name])
        except (KeyError, AttributeError):
            target = pkgutil.resolve_name(self.target)
        return target

    def parameters(self) -> dict[str, inspect.Parameter]:
        """Parameters that may be given by name. Any, where only another interpreter knows."""
        if (described := self._described()) is not None:
            return {parameter.name: parameter for parameter in described.parameters}
        try:
            target = self.resolve()
        except ModuleNotFoundError:
            if not self.elsewhere:
                raise
            return {"parameters": inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD)}
        return dict(inspect.signature(target).parameters)

    def doc(self) -> str | None:
        """The docstring, without its indentation."""
        if (described := self._described()) is not None and described.doc:
            return described.doc
        return inspect.getdoc(self.resolve())

    def _described(self) -> Description | None:
        """What its source says, where that is enough and it is not imported yet."""
        if not isinstance(self.target, str) or self.module in sys.modules:
            return None
        return describe(self.target)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Import the target and call it."""
        return self.resolve()(*args, **{**self.defaults, **kwargs})

    def __repr__(self) -> str:
        return f"Deferred({self.target!r})"


def defer(declaration: Any, *attributes: str) -> None:
    """Make each of these attributes, where it is given, `Deferred`."""
    for attribute in attributes:
        target = getattr(declaration, attribute)
        if target is not None and not isinstance(target, Deferred):
            object.__setattr__(declaration, attribute, Deferred(target))
