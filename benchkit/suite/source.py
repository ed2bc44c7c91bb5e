"""Where a suite comes from: its file, the shipped ones, and where in it a mistake is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import yaml

from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import suggestion
from benchkit.suite.names import shipped
from benchkit.suite.yaml_text import Placed, parse_placed

Location = Sequence[str | int]
IN_PYTHON = Path("suite-given-in-Python")
"""What stands for the file of a suite without one: its paths are relative to the current folder."""
_MOST_TOLD = 20


class SuiteError(RequestError):
    """The suite, or how it was asked for, is wrong; the message is one line for the user."""


def told_at_once(mistakes: Sequence[str]) -> str:
    """One mistake as its line; of several each on a line of its own, of very many the first and how many more."""
    if len(mistakes) == 1:
        return mistakes[0]
    lines = [f"{len(mistakes):,} mistakes:", *mistakes[:_MOST_TOLD]]
    if (more := len(mistakes) - _MOST_TOLD) > 0:
        lines.append(f"... and {more:,} more")
    return "\n  ".join(lines)


@dataclass(frozen=True)
class SuiteText:
    """What a suite says, each value with the line or the option that it comes from."""

    path: Path
    tree: Placed

    def find(self, location: Location) -> tuple[Location, Placed]:
        """The deepest value on the way to a location, and the parts that lead there.

        Parts that only the model has, such as the forms of a union, are passed over.
        """
        parts: list[str | int] = []
        deepest = self.tree
        for part in location:
            inner: Any = deepest.value
            is_there = (
                part in inner if isinstance(inner, dict) else isinstance(inner, list) and part in range(len(inner))
            )
            if is_there:
                parts, deepest = [*parts, part], inner[part]
        return parts, deepest

    def error(self, location: Location, message: str) -> SuiteError:
        """An error that names file, line and key, or the option that a value came from."""
        return SuiteError(f"{self.find(location)[1].place}: {message}")

    def with_profile(self, name: str) -> SuiteText:
        """With the values of a profile, mapping by mapping; lists are replaced whole."""
        change = self.tree.value["profiles"].value[name]
        return SuiteText(self.path, _merged(_timeless(self.tree), change) if change.value else self.tree)

    def with_setting(self, key: str, value: Any) -> SuiteText:
        """With one value replaced, by the keys of mappings and the places in lists that lead to it."""
        return SuiteText(self.path, _replaced(_timeless(self.tree), key.split("."), [], value, f"--set {key}"))


def _timeless(suite: Placed) -> Placed:
    """Without the hours that a run takes: they say nothing of a suite that is changed."""
    return Placed({key: item for key, item in suite.value.items() if key != "hours"}, suite.place)


def _merged(base: Placed, change: Placed) -> Placed:
    if not (isinstance(base.value, dict) and isinstance(change.value, dict)):
        return change
    changed = {key: _merged(base.value[key], item) if key in base.value else item for key, item in change.value.items()}
    return Placed({**base.value, **changed}, change.place)


def _replaced(old: Placed, parts: Sequence[str], before: list[str], value: Any, option: str) -> Placed:
    if not parts:
        return _merged(old, _of_python(value, f"{option}: ", before))
    first, rest = parts[0], parts[1:]
    nothing = Placed(None, option)
    if isinstance(old.value, list):
        if not (first.isdecimal() and int(first) < len(old.value)):
            raise SuiteError(f"{option}: {first!r} is not a position in a list of {len(old.value)} (the first is 0)")
        position = int(first)
        item = _replaced(old.value[position], rest, [*before, first], value, option)
        return Placed([*old.value[:position], item, *old.value[position + 1 :]], old.place)
    # An entry that is a name stands for a mapping.
    keys = {"name": old} if isinstance(old.value, str) else old.value if isinstance(old.value, dict) else {}
    item = _replaced(keys.get(first, nothing), rest, [*before, first], value, option)
    return Placed({**keys, first: item}, old.place)


def find(reference: str) -> Path:
    """Path of a suite that is named as a path or as a shipped suite."""
    path = Path(reference)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        return path
    known = shipped()
    if reference in known:
        return known[reference]
    hint = suggestion(reference, known, otherwise=f"shipped suites: {', '.join(known)}")
    raise SuiteError(f"unknown suite {reference!r}; {hint} (a path ends in .yaml)")


def read(given: Path | Mapping[str, Any]) -> SuiteText:
    """What a suite says: a YAML file, or its keys.

    Among these tuples, paths, and NumPy's numbers and arrays stand for lists, texts and numbers.
    """
    try:
        if isinstance(given, Mapping):
            path, tree = IN_PYTHON, _of_python(given, "suite: ", [])
        elif given.is_file():  # a pipe, say, would be waited for
            path, tree = given, parse_placed(given.read_text(encoding="utf-8"), str(given))
        else:
            raise SuiteError(f"{given}: no such suite file")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{given}: cannot be read: {error}"[:300]) from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise SuiteError(_not_yaml(given, error)) from None
    if not isinstance(tree.value, dict):
        raise SuiteError(f"{path}:1: a suite is a mapping of keys such as 'name', 'datasets', 'algorithms'")
    # The keys ``x-...`` are a place for anchors that several entries refer to.
    keys = {key: item for key, item in tree.value.items() if not str(key).startswith("x-")}
    return SuiteText(path, Placed(keys, tree.place))


def _not_yaml(path: Any, error: Exception) -> str:
    """Where a text stops being YAML, with the line, and what is mostly wrong there."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None:
        return f"{path}: not valid YAML: {problem or str(error).splitlines()[0]}"
    line = Path(path).read_text(encoding="utf-8").splitlines()[mark.line : mark.line + 1]
    shown = f", column {mark.column + 1} of {line[0].rstrip()!r}" if line else ""
    remedy = ""
    if "block end" in str(problem) or "'-' indicator" in str(problem) or "mapping values" in str(problem):
        remedy = "; begin it below the first letter of the key, or of the '- ', that it goes with"
    return f"{path}:{mark.line + 1}: not valid YAML: {problem}{shown}{remedy}"


def _of_python(value: Any, before: str, names: Sequence[str]) -> Placed:
    """Values of Python as a file says them; places are ``before`` and the keys that lead there."""
    place = (before + ".".join(names)).removesuffix(": ")
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        items = {str(key): _of_python(item, before, [*names, str(key)]) for key, item in value.items()}
        return Placed(items, place)
    if isinstance(value, list | tuple):
        entries = [_of_python(item, before, [*names, str(position)]) for position, item in enumerate(value)]
        return Placed(entries, place)
    if value is None or isinstance(value, str | int | float | bool | PurePath):
        return Placed(str(value) if isinstance(value, PurePath) else value, place)
    raise SuiteError(f"{place}: {type(value).__name__}: nothing that a suite file can say: give text, numbers, lists")
