"""Suites as they are read: found, parsed, checked, with their profile and settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchkit.plugin.nearest_name import Suggestion, nearest_name
from benchkit.suite.schema import AXIS, NAME
from benchkit.suite.source import Location, SuiteError, SuiteText, find, find_included, read, told_at_once
from benchkit.suite.whole_suite import Suite


def load(
    reference: str | Mapping[str, Any], profile: str | None = None, settings: Mapping[str, Any] | None = None
) -> Loaded:
    """Read and validate a suite.

    Parameters
    ----------
    reference : str or mapping
        Name of a shipped suite, a path, or the suite itself.
    profile : str or None
        Name of one of the suite's profiles, whose keys replace the suite's.
    settings : mapping of dotted key to value, optional
        Further replacements, as given by ``--set``; ``algorithms.0.params.C`` is of the first algorithm.
    """
    values, source = read(find(reference) if isinstance(reference, str) else reference)
    return validated(values, source, profile, settings)


def load_collection(
    reference: str | Mapping[str, Any], profile: str | None = None, settings: Mapping[str, Any] | None = None
) -> Collection:
    """Read and validate a suite and all that it includes.

    Names of included suites are shipped ones, paths are relative to the including file; what included collections
    include stands in their place. A suite that is included twice runs once.

    Parameters
    ----------
    reference, profile, settings
        As for `load`; profile and settings are those of the suites that run something.

    Raises
    ------
    SuiteError
        A file cannot be read, includes itself, or two suites have the same name.
    """
    known: dict[Path, Loaded] = {}  # every file that was read
    suites: dict[str, Loaded] = {}  # those that run something, by name
    # What is to be read; the collection that includes it, and where in its list; and all files that led to it.
    waiting: list[tuple[str | Mapping[str, Any], Loaded | None, int, tuple[Path, ...]]] = [(reference, None, 0, ())]
    while waiting:
        reference, outer, position, within = waiting.pop()
        try:
            given: Path | Mapping[str, Any]
            if isinstance(reference, str):
                given = find(reference) if outer is None else find_included(reference, outer.source.path.parent)
            else:
                given = reference
            place = given.resolve() if isinstance(given, Path) else Path()
            if place in within:
                raise SuiteError(f"{reference} includes itself")
            if place not in known:
                values, source = read(given)
                known[place] = validated(values, source, profile, settings)
        except SuiteError as error:
            if outer is None:
                raise
            raise outer.source.error(["include", position], str(error)) from None
        loaded = known[place]
        if loaded.suite.include:
            included = [(name, loaded, at, (*within, place)) for at, name in enumerate(loaded.suite.include)]
            waiting += reversed(included)  # what an included collection includes stands in its place
            continue
        namesake = suites.setdefault(loaded.suite.name, loaded)
        if namesake is not loaded and outer is not None:
            both = f"{place} and {namesake.source.path}"
            raise outer.source.error(["include", position], f"{both} are both named {loaded.suite.name!r}")
    outermost, *_ = known.values()
    return Collection(outermost, tuple(suites.values()))


@dataclass(frozen=True)
class Loaded:
    """A validated suite, the profile that was applied, and where it came from."""

    suite: Suite
    profile: str
    source: SuiteText

    def plugin_files(self, others: Sequence[str] = ()) -> tuple[str, ...]:
        """Absolute paths of the plugin files that the suite names, and after them of others.

        Raises
        ------
        SuiteError
            One of them is not there.
        """
        base = self.source.path.parent
        files = [*(str((base / name).resolve()) for name in self.suite.plugins), *others]
        for file in files:
            if not Path(file).is_file():
                raise SuiteError(f"no such plugin file: {file}")
        return tuple(dict.fromkeys(files))


@dataclass(frozen=True)
class Collection:
    """Suites that are asked for under one name; a suite that includes no other is a collection of one.

    Attributes
    ----------
    loaded : Loaded
        The file that was asked for.
    suites : tuple of Loaded
        The suites that run something: the file itself, or what it includes, in its order.
    """

    loaded: Loaded
    suites: tuple[Loaded, ...]

    @property
    def is_one(self) -> bool:
        """Whether the file asked for is the suite that runs."""
        return not self.loaded.suite.include

    @property
    def name(self) -> str:
        """The name of the file's suite."""
        return self.loaded.suite.name


# Of a key such as datasets; each is looked at for all that may be wrong with it.
_MOST_ENTRIES = 10_000


def validated(
    values: dict[str, Any], source: SuiteText, profile: str | None = None, settings: Mapping[str, Any] | None = None
) -> Loaded:
    """The suite that values say.

    Parameters
    ----------
    values : dict
        As plain text says them; every profile of them is validated too.
    source : SuiteText
    profile : str or None
        Name of one of the suite's profiles, whose keys replace the suite's.
    settings : mapping of dotted key to value, optional
        Further replacements, as given by ``--set``; ``algorithms.0.params.C`` is of the first algorithm.

    Raises
    ------
    SuiteError
        With all that is wrong.
    """
    try:
        return _validated(values, source, profile, settings or {})
    except _InvalidError as invalid:
        told = [invalid.place(*mistake) for mistake in describe(invalid.error, invalid.values)]
        raise SuiteError(told_at_once(list(dict.fromkeys(told)))) from None


class _InvalidError(Exception):
    """What pydantic found wrong with values, and how a mistake at a location of them is told."""

    def __init__(
        self, error: ValidationError, values: dict[str, Any], place: Callable[[list[str | int], str], str]
    ) -> None:
        self.error, self.values, self.place = error, values, place


def _validated(values: dict[str, Any], source: SuiteText, profile: str | None, settings: Mapping[str, Any]) -> Loaded:
    for key, value in values.items():
        if isinstance(value, list) and len(value) > _MOST_ENTRIES:
            raise source.error([key], f"{len(value)} entries, of which a suite has {_MOST_ENTRIES} at most")
    suite = _suite(values, source)
    for name, change in suite.profiles.items():
        _suite(merge(values, change), source, within=["profiles", name])
    # What profile and settings change are the suites that a collection includes.
    if suite.include or (profile is None and not settings):
        return Loaded(_with_claims_of(suite, "default", source), "default", source)
    if profile is not None and profile not in suite.profiles:
        known = ", ".join(suite.profiles) or "none"
        hint = Suggestion(profile, suite.profiles, otherwise=f"profiles of {suite.name}: {known}")
        raise source.error(["profiles"], f"unknown profile {profile!r}; {hint}")
    merged = values
    if profile is not None:
        change = values["profiles"][profile] or {}
        merged = merge(_timeless(merged) if change else merged, change)
        _suite(merged, source, within=["profiles", profile])
    if settings:
        merged = _timeless(merged)
    for key, value in settings.items():
        merged = _replace(merged, key.split("."), value, key)
        _set_suite(merged, key)
    source = replace(source, profile=profile, settings=tuple(settings))
    applied = profile or "default"
    return Loaded(_with_claims_of(_suite(merged, source), applied, source), applied, source)


def _suite(values: dict[str, Any], source: SuiteText, within: Location = ()) -> Suite:
    try:
        return Suite.model_validate(values)
    except ValidationError as error:
        raise _InvalidError(
            error, values, lambda location, message: str(source.error([*within, *location], message))
        ) from None


def _set_suite(values: dict[str, Any], setting: str) -> Suite:
    """The suite with a value that ``--set`` gave it, which is to blame for what is wrong now."""
    try:
        return Suite.model_validate(values)
    except ValidationError as error:
        raise _InvalidError(
            error, values, lambda location, message: f"--set {setting}: {'.'.join(map(str, location))}: {message}"
        ) from None


def _with_claims_of(suite: Suite, profile: str, source: SuiteText) -> Suite:
    """The suite without the claims that are judged in other profiles."""
    known = ["default", *suite.profiles]
    for place, claim in enumerate(suite.expect):
        for name in claim.profiles or ():
            if name not in known:
                hint = Suggestion(name, known, otherwise=f"profiles of {suite.name}: {', '.join(known)}")
                raise source.error(["expect", place, "profiles"], f"unknown profile {name!r}; {hint}")
    told = [claim for claim in suite.expect if claim.profiles is None or profile in claim.profiles]
    return suite.model_copy(update={"expect": told}) if len(told) < len(suite.expect) else suite


def _timeless(values: dict[str, Any]) -> dict[str, Any]:
    """Without the hours that a run takes: they say nothing of a suite that is changed."""
    return {key: value for key, value in values.items() if key != "hours"}


def merge(base: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the values of ``base`` by those of ``change``, mapping by mapping; lists are replaced whole."""
    merged = dict(base)
    for key, value in change.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return merged


def _replace(whole: Any, parts: Sequence[str], value: Any, setting: str) -> Any:
    """A copy with one value replaced, by the keys of mappings and the places in lists that lead to it."""
    if not parts:
        return merge(whole, value) if isinstance(whole, dict) and isinstance(value, Mapping) else value
    first, rest = parts[0], parts[1:]
    if isinstance(whole, list):
        if not (first.isdecimal() and int(first) < len(whole)):
            raise SuiteError(f"--set {setting}: {first!r} is no place in a list of {len(whole)}, counted from 0")
        place = int(first)
        return [*whole[:place], _replace(whole[place], rest, value, setting), *whole[place + 1 :]]
    # An entry that is a name stands for a mapping.
    entry = {"name": whole} if isinstance(whole, str) else whole if isinstance(whole, dict) else {}
    return {**entry, first: _replace(entry.get(first), rest, value, setting)}


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
