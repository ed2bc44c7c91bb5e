"""What is wrong with a suite, in words: pydantic speaks to programmers."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from benchkit.plugin.nearest_name import nearest_name
from benchkit.suite.schema import AXIS, NAME


def describe(error: ValidationError) -> tuple[list[str | int], str]:
    """Location and one-line message of the first thing that pydantic found wrong.

    Where a value may have several forms, the form that fails deepest is what was meant.
    """
    problems = error.errors()
    same_key = [problem for problem in problems if problem["loc"][:1] == problems[0]["loc"][:1]]
    first = max(same_key, key=lambda problem: len(problem["loc"]))
    location = list(first["loc"])
    if first["type"] == "unknown_key":
        location.append(first["ctx"]["key"])
        message = _as_it_is(first)
    elif first["type"] == "missing":
        message = f"key {location.pop()!r} is missing"
    else:
        message = _IN_WORDS.get(first["type"], _as_it_is)(first)
    return location, message


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
