"""Whether names are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchkit.plugin.manager import Catalogue, UnknownNameError
from benchkit.plugin.nearest_name import Suggestion
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes
from benchkit.suite.source import Location


def look_up(catalogue: Catalogue[Any], name: str, at: Location) -> Any:
    """What is declared under a name."""
    try:
        return catalogue[name]
    except UnknownNameError as error:
        raise MistakeError(at, str(error)) from None


def check_name(catalogue: Catalogue[Any], own: Sequence[str], name: str, at: Location) -> Mistakes:
    """Raise where neither benchkit nor a plugin has it."""
    if name not in catalogue:
        raise MistakeError(at, str(UnknownNameError(catalogue.kind, name, [*own, *catalogue])))
    yield from ()


def check_listed(names: Iterable[str] | None, known: Iterable[str], kind: str, at: Location) -> Mistakes:
    """Names in a list of the suite: each is known."""
    for position, name in enumerate(names or ()):
        if name not in known:
            hint = Suggestion(name, known, otherwise=f"this suite has {', '.join(known)}")
            yield MistakeError([*at, position], f"unknown {kind} {name!r}; {hint}")
