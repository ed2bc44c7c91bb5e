"""What is wrong with a suite, in words: pydantic speaks to programmers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from benchkit.plugin.nearest_name import nearest_name
from benchkit.suite.schema import AXIS
from benchkit.suite.whole_suite import NAME


def describe(error: ValidationError, values: Any) -> list[tuple[list[str | int], str]]:
    """Location and one-line message of everything that pydantic found wrong.

    Where a value may have several forms, the form that fails deepest is what was meant: of mistakes one within the
    other, and of those in one place, the deepest is told.

    Parameters
    ----------
    error : ValidationError
    values : mapping
        What was validated.
    """
    deepest: dict[tuple[str | int, ...], Any] = {}
    for problem in error.errors():
        place = _place(problem["loc"], values)
        if place not in deepest or len(problem["loc"]) > len(deepest[place]["loc"]):
            deepest[place] = problem
    outermost = [place for place in deepest if not any(_within(other, place) for other in deepest)]
    return [_in_words(deepest[place]) for place in outermost]


def _place(location: Sequence[str | int], values: Any) -> tuple[str | int, ...]:
    """The parts of a location that are keys and positions of the values: others name forms that a value may have."""
    found: list[str | int] = []
    for part in location:
        try:
            values = values[part]
        except (LookupError, TypeError):
            continue
        found.append(part)
    return tuple(found)


def _within(inner: Sequence[str | int], outer: Sequence[str | int]) -> bool:
    return len(inner) > len(outer) and tuple(inner[: len(outer)]) == tuple(outer)


def _in_words(problem: Any) -> tuple[list[str | int], str]:
    location = list(problem["loc"])
    if problem["type"] == "unknown_key":
        location.append(problem["ctx"]["key"])
        return location, _as_it_is(problem)
    if problem["type"] == "missing":
        return location[:-1], f"key {location[-1]!r} is missing"
    return location, _IN_WORDS.get(problem["type"], _as_it_is)(problem)


def _as_it_is(problem: Any) -> str:
    return str(problem["msg"]).removeprefix("Value error, ")


def _choice(problem: Any) -> str:
    expected = problem["ctx"]["expected"]
    nearest = nearest_name(problem["input"], re.findall(r"'([^']*)'", expected))
    hint = f"; did you mean {nearest!r}?" if nearest else ""
    return f"{problem['input']!r} is not one of {expected}{hint}"


def _list(problem: Any) -> str:
    given = problem["input"]
    if given is None or isinstance(given, dict):
        return f"a list is expected, not {'nothing' if given is None else 'a mapping'}"
    return f"{given!r} is not a list: write [{given}]"


def _entry(problem: Any) -> str:
    given = problem["input"]
    quoted = "; quote it if it is a name" if isinstance(given, bool) else ""
    return f"{given!r} is neither a name nor a mapping with a 'name'{quoted}"


def _number(problem: Any) -> str:
    given = str(problem["input"])
    try:
        share = float(given.removesuffix("%")) / 100
    except ValueError:
        return f"{given!r} is not a number"
    return f"{given!r} is not a number" + (f": write {share:g}" if given.endswith("%") else "")


def _whole(problem: Any) -> str:
    return f"{problem['input']!r} is not a whole number"


def _name(problem: Any) -> str:
    return f"{problem['input']!r} does not fit: {_PATTERNS.get(problem['ctx']['pattern'], problem['msg'])}"


def _finite(problem: Any) -> str:
    return f"{problem['input']!r} is not a finite number"


_PATTERNS = {
    NAME: "it names a folder, so letters from a to z, digits, '.', '_' and '-', the first a letter or digit",
    AXIS: "it is one of dataset, algorithm and adversary with a parameter of it, such as dataset.n",
}

_IN_WORDS = {
    "literal_error": _choice,
    "list_type": _list,
    "model_type": _entry,
    "finite_number": _finite,
    "int_parsing": _number,
    "int_type": _whole,
    "float_parsing": _number,
    "string_pattern_mismatch": _name,
}
