"""Where a suite comes from: its file, the shipped ones, and where in it a mistake is."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import yaml

from benchkit.errors import RequestError
from benchkit.plugin.parameters import meant_file, nearest_name, suggestion
from benchkit.suite.names import shipped
from benchkit.suite.yaml_text import At, parse_with_lines

Location = Sequence[str | int]
IN_PYTHON = Path("suite-given-in-Python")
"""What stands for the file of a suite without one: its paths are relative to the current folder."""
_MOST_TOLD, _MOST_PLACES = 20, 10
# ``key:value``, in a list ``- name:value``: another such entry is the name of a class.
_WITHOUT_SPACE = re.compile(r" *(- +(?=name:))?[\w-]+:[^\s/]")


class SuiteError(RequestError):
    """The suite, or how it was asked for, is wrong; the message is one line for the user."""


def told_at_once(mistakes: Iterable[str]) -> str:
    """One mistake as its line; of several each on a line of its own, of very many the first and how many more.

    Of what is wrong in several places for one reason the first place is told, and the keys of the others.
    """
    first: dict[str, str] = {}  # of each reason
    keys: dict[str, dict[str, None]] = defaultdict(dict)
    for mistake in mistakes:
        *place, reason = mistake.split(": ", 2)
        if first.setdefault(reason, mistake) != mistake:
            keys[reason][place[-1]] = None
    mistakes = []
    for reason, mistake in first.items():
        also = f"{', '.join([*keys[reason]][:_MOST_PLACES])}{', ...' * (len(keys[reason]) > _MOST_PLACES)}"
        mistakes.append(f"{mistake} (also in {also})" if also else mistake)
    if len(mistakes) == 1:
        return mistakes[0]
    more = [f"... and {len(mistakes) - _MOST_TOLD:,} more"] if len(mistakes) > _MOST_TOLD else []
    return "\n  ".join([f"{len(mistakes):,} mistakes:", *mistakes[:_MOST_TOLD], *more])


@dataclass(frozen=True)
class SuiteText:
    """What a suite says, and the line or the option that each value comes from."""

    path: Path
    values: Any
    places: Mapping[At, tuple[str, At]]  # such as ``suite.yaml:3``, and the keys that lead to it there

    def find(self, location: Location) -> At:
        """The way to the deepest value on the way to a location.

        Parts that only the model has, such as the forms of a union, are passed over.
        """
        way: At = ()
        inner = self.values
        for part in location:
            keys = inner if isinstance(inner, dict) else range(len(inner) if isinstance(inner, list) else 0)
            if part in keys:
                way, inner = (*way, part), inner[part]
        return way

    def value(self, way: At) -> Any:
        """What stands where keys and places lead to."""
        return functools.reduce(lambda inner, part: inner[part], way, self.values)

    def error(self, location: Location, message: str) -> SuiteError:
        """An error that names file, line and key, or the option that a value came from."""
        way = self.find(location)
        while way not in self.places:  # of an entry that is a name, and stands for a mapping
            way = way[:-1]
        origin, keys = self.places[way]
        key = ".".join(map(str, keys))
        return SuiteError(": ".join(filter(None, [origin, "" if origin.endswith(f" {key}") else key, message])))

    def without(self, left_out: Collection[At]) -> SuiteText:
        """Without the values at some places; what follows them in a list moves up, and keeps its line."""
        places: dict[At, tuple[str, At]] = {}

        def rest(value: Any, at: At, new: At) -> Any:
            places[new] = self.places.get(at, self.places[()])
            keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            kept = [key for key in keys if (*at, key) not in left_out]
            if isinstance(value, list):
                return [rest(value[key], (*at, key), (*new, position)) for position, key in enumerate(kept)]
            return {key: rest(value[key], (*at, key), (*new, key)) for key in kept} if keys else value

        return SuiteText(self.path, rest(self.values, (), ()), places)

    def with_profile(self, name: str) -> SuiteText:
        """With the values of a profile, mapping by mapping; lists are replaced whole."""
        if not (change := self.values["profiles"][name]):
            return self
        places = {at[2:]: place for at, place in self.places.items() if at[:2] == ("profiles", name)}
        text = SuiteText(self.path, _merged(_timeless(self.values), change), {**self.places, **places})
        return text if "datasets" in change else text._with_numbers_of_split(change.get("split"))

    def with_setting(self, key: str, value: Any) -> SuiteText:
        """With one value replaced, by the keys of mappings and the places in lists that lead to it."""
        option, places = f"--set {key}", dict(self.places)

        def replaced(old: Any, at: At, parts: Sequence[str]) -> Any:
            places.setdefault(at, (option, ()))
            if not parts:
                return _merged(old, _of_python(value, option, at, places))
            first, rest = parts[0], parts[1:]
            if isinstance(old, list):
                if not (first.isdecimal() and int(first) < len(old)):
                    raise SuiteError(f"{option}: {first!r} is not a position in a list of {len(old)} (the first is 0)")
                position = int(first)
                return [*old[:position], replaced(old[position], (*at, position), rest), *old[position + 1 :]]
            # An entry that is a name stands for a mapping.
            keys = {"name": old} if isinstance(old, str) else old if isinstance(old, dict) else {}
            return {**keys, first: replaced(keys.get(first), (*at, first), rest)}

        text = SuiteText(self.path, replaced(_timeless(self.values), (), key.split(".")), places)
        of, _, number = key.partition(".")
        return text._with_numbers_of_split({number: value} if number else value) if of == "split" else text

    def _with_numbers_of_split(self, split: Any) -> SuiteText:
        """With changed numbers of the split also in those that datasets have of their own, where these say them."""
        datasets, places = self.values.get("datasets"), dict(self.places)
        if not (isinstance(split, Mapping) and isinstance(datasets, list)):
            return self
        datasets = [*datasets]
        for position, entry in enumerate(datasets):
            own = entry.get("split") if isinstance(entry, dict) else None
            if isinstance(own, dict):
                keys = [key for key in own.keys() & split if {type(own[key]), type(split[key])} <= {int, float}]
                datasets[position] = {**entry, "split": own | {key: split[key] for key in keys}}
                places |= {("datasets", position, "split", key): places["split", key] for key in keys}
        return SuiteText(self.path, {**self.values, "datasets": datasets}, places)


def _timeless(suite: Mapping[str, Any]) -> dict[str, Any]:
    """Without the hours that a run takes: they say nothing of a suite that is changed."""
    return {key: item for key, item in suite.items() if key != "hours"}


def _merged(base: Any, change: Any) -> Any:
    if isinstance(base, dict) and isinstance(change, dict):
        return {**base, **{key: _merged(base.get(key), item) for key, item in change.items()}}
    return change


def find(reference: str) -> Path:
    """Path of a suite that is named as a path or as a shipped suite."""
    path = Path(reference)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        return path
    known = shipped()
    if reference in known:
        return known[reference]
    if path.is_file():
        raise SuiteError(f"{reference} is no suite (YAML); for a table: benchkit new suite {reference} --target COLUMN")
    here = {file.name.removesuffix(file.suffix): file.name for file in Path().glob("*.y*ml")}
    if (near := nearest_name(reference, {**known, **here})) in here:
        raise SuiteError(f"unknown suite {reference!r}; did you mean the file {here[near]}?")
    hint = suggestion(reference, known, otherwise="see 'benchkit list suites'")
    raise SuiteError(f"unknown suite {reference!r}; {hint} (a path ends in .yaml)")


def read(given: Path | Mapping[str, Any]) -> SuiteText:
    """What a suite says: a YAML file, or its keys.

    Among these tuples, paths, and NumPy's numbers and arrays stand for lists, texts and numbers.
    """
    path = IN_PYTHON if isinstance(given, Mapping) else given
    places: dict[At, tuple[str, At]] = {}
    try:
        if isinstance(given, Mapping):
            values = _of_python(given, "suite", (), places)
        elif given.is_file():  # a pipe, say, would be waited for
            values, lines = parse_with_lines(given.read_text(encoding="utf-8"))
            places = {at: (f"{given}:{line}", at) for at, line in lines.items()}
        else:
            raise SuiteError(f"{given}: no such suite file{meant_file(given)}")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{given}: cannot be read: {error}"[:300]) from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise SuiteError(_not_yaml(given, error)) from None
    if not isinstance(values, dict):
        raise SuiteError(f"{path}:1: a suite is a mapping of keys such as 'name', 'datasets', 'algorithms'")
    # The keys ``x-...`` are a place for anchors that several entries refer to.
    return SuiteText(path, {key: item for key, item in values.items() if not str(key).startswith("x-")}, places)


def _not_yaml(path: Any, error: Exception) -> str:
    """Where a text stops being YAML, with the line, and what is mostly wrong there."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if is_open := any(word in str(getattr(error, "context", "")) for word in ("flow", "quoted")):
        mark = error.context_mark  # type: ignore[attr-defined]
    if mark is None:
        return f"{path}: not valid YAML: {problem or str(error).splitlines()[0]}"
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    if any(words in str(problem) for words in ("mapping values", "expected ':'")):
        for number, text in [*enumerate(lines, 1)][max(mark.line - 1, 0) : mark.line + 1]:  # noticed at the next colon
            if _WITHOUT_SPACE.match(text):
                return f"{path}:{number}: not valid YAML: write a space after the ':' of {text.strip()!r}"
        before = lines[mark.line - 1] if mark.line else ""
        if "mapping values" in str(problem) and re.fullmatch(r"[\w-]+ [^:#]+", before):  # it goes on in the next line
            return f"{path}:{mark.line}: not valid YAML: write ': ' after the key of {before!r}"
    line = lines[mark.line : mark.line + 1]
    shown = f", column {mark.column + 1} of {line[0].rstrip()!r}" if line else ""
    remedy = "; what begins here is not closed" if is_open else ""
    if "unexpected ':'" in str(problem):
        remedy = "; write a space after it"
    elif "cannot start any token" in str(problem) and line and line[0][mark.column : mark.column + 1] == "\t":
        remedy = "; it is a tab: indent with spaces"
    elif "mapping values" in str(problem) and line and line[0].count(": ") > 1:
        remedy = "; a text with ': ' in it stands in quotes"
    elif any(words in str(problem) for words in ("block end", "'-' indicator", "mapping values")):
        remedy = "; begin it below the first letter of the key, or of the '- ', that it goes with"
    elif any(words in str(problem) for words in ("expected key", "<document start>")):
        remedy = "; indent it like the lines around it"
    return f"{path}:{mark.line + 1}: not valid YAML: {problem}{shown}{remedy}"


def _of_python(value: Any, origin: str, at: At, places: dict[At, tuple[str, At]]) -> Any:
    """A value of Python as a file says it; the origin of each in it is noted, with the keys that lead there."""
    places[at] = origin, at
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _of_python(item, origin, (*at, str(key)), places) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_of_python(item, origin, (*at, position), places) for position, item in enumerate(value)]
    if value is None or isinstance(value, str | int | float | bool | PurePath):
        return str(value) if isinstance(value, PurePath) else value
    place, kind = ".".join(map(str, at)), type(value).__name__
    raise SuiteError(f"{origin}: {place}: {kind}: nothing that a suite file can say: give text, numbers, lists")
