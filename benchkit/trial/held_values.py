"""What a callable holds beside its source: arguments of a partial, cells of a closure, the state of an instance."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchkit.plugin.declarations import DeclarationError


@dataclass
class HeldValues:
    """The values and callables inside a callable.

    Attributes
    ----------
    name : str
        What the callable is called.
    callables : list
        Functions and classes inside it, whose sources count too.
    values : list
        Everything else that it holds.
    """

    name: str
    callables: list[Callable[..., Any]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """Hash of the values by content; empty where there are none.

        Raises
        ------
        DeclarationError
            A value has no content that could be hashed, so that nobody could tell when it has changed.
        """
        if not self.values:
            return ""
        try:
            import joblib  # few callables hold anything

            hashed: str = joblib.hash(self.values, hash_name="sha1")
        except Exception as error:  # pickling raises anything
            raise DeclarationError(
                f"{self.name} holds a value that cannot be hashed ({type(error).__name__}): name it as "
                "'module:attribute', or let it hold plain values"
            ) from None
        return hashed


def held_values(target: Callable[..., Any]) -> HeldValues:
    """Unwrap a callable.

    Parameters
    ----------
    target : callable
        A function, class, bound method, `functools.partial` or instance with ``__call__``.
    """
    held = HeldValues(getattr(target, "__qualname__", type(target).__qualname__))
    _unwrap(target, held, [])
    return held


def _unwrap(value: Any, held: HeldValues, seen: list[int]) -> None:
    if id(value) in seen:
        return
    seen.append(id(value))
    if isinstance(value, partial):
        for part in (value.func, *value.args, *value.keywords.values()):
            _unwrap(part, held, seen)
        held.values.append(sorted(value.keywords))
    elif isinstance(value, types.MethodType):
        _unwrap(value.__func__, held, seen)
        _unwrap(value.__self__, held, seen)
    elif isinstance(value, types.FunctionType):
        held.callables.append(value)
        if value.__name__ == "<lambda>" or "<locals>" in value.__qualname__:
            held.values.append(value.__qualname__)
        for cell in value.__closure__ or ():
            _unwrap(cell.cell_contents, held, seen)
        for default in (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()):
            _unwrap(default, held, seen)
    elif isinstance(value, type | types.BuiltinFunctionType):
        held.callables.append(value)
    elif isinstance(value, types.ModuleType):
        held.values.append(value.__name__)
    elif callable(value) and hasattr(value, "__dict__"):
        held.callables.append(type(value))
        held.values.append(sorted(vars(value)))
        for part in vars(value).values():
            _unwrap(part, held, seen)
    else:
        held.values.append(value)
