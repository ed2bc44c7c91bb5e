"""Suites as they are read: found, parsed, checked, with their profile and settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchkit.plugin.nearest_name import Suggestion, nearest_name
from benchkit.suite.names import share_of, shipped
from benchkit.suite.schema import AXIS, NAME
from benchkit.suite.source import SuiteError, SuiteText, find, read, told_at_once
from benchkit.suite.whole_suite import Suite


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
    outermost = load(reference, profile, settings)
    suites: dict[str, Loaded] = {}  # those that run something, by name

    def add(loaded: Loaded, within: tuple[Path, ...]) -> None:
        place = loaded.source.path.resolve()
        if place in within:
            raise SuiteError(f"{place.name} includes itself")
        namesake = loaded if loaded.suite.include else suites.setdefault(loaded.suite.name, loaded)
        if (other := namesake.source.path.resolve()) != place:
            raise SuiteError(f"{place} and {other} are both named {loaded.suite.name!r}")
        for position, name in enumerate(loaded.suite.include):
            try:
                path = str(loaded.source.path.parent / name) if name.endswith((".yaml", ".yml")) else name
                add(load(path, profile, settings), (*within, place))
            except SuiteError as error:
                raise loaded.source.error(["include", position], str(error)) from None

    add(outermost, ())
    return Collection(outermost, tuple(suites.values()))


def load(
    reference: str | Mapping[str, Any], profile: str | None = None, settings: Mapping[str, Any] | None = None
) -> Loaded:
    """Read and validate a suite, and every profile of it.

    Parameters
    ----------
    reference : str or mapping
        Name of a shipped suite, a path, or the suite itself.
    profile : str or None
        Name of one of the suite's profiles, whose keys replace the suite's.
    settings : mapping of dotted key to value, optional
        Further replacements, as given by ``--set``; ``algorithms.0.params.C`` is of the first algorithm.

    Raises
    ------
    SuiteError
        With all that is wrong.
    """
    values, source = read(find(reference) if isinstance(reference, str) else reference)

    def in_file(*within: str) -> Callable[[list[str | int], str], str]:
        return lambda location, message: str(source.error([*within, *location], message))

    suite = _validated(values, in_file())
    for name, change in suite.profiles.items():
        _validated(merge(values, change), in_file("profiles", name))
    # What profile and settings change are the suites that a collection includes.
    if suite.include or (profile is None and not settings):
        return Loaded(_with_claims_of(suite, "default", source), "default", source)
    if profile is not None:
        if profile not in suite.profiles:
            raise source.error(["profiles"], _unknown_profile(profile, suite, list(suite.profiles)))
        change = values["profiles"][profile] or {}
        values = merge(_timeless(values) if change else values, change)
    for key, value in (settings or {}).items():
        values = _replace(_timeless(values), key.split("."), value, key)
        # The value is to blame for what is wrong now.
        _validated(values, lambda at, message, key=key: f"--set {key}: {'.'.join(map(str, at))}: {message}")  # type: ignore[misc]
    source = replace(source, profile=profile, settings=tuple(settings or ()))
    applied = profile or "default"
    return Loaded(_with_claims_of(_validated(values, in_file()), applied, source), applied, source)


def shipped_plugins(name: str) -> list[str]:
    """Plugin files of the shipped suite of a name, which are installed with benchkit as its other code is; or none."""
    place = shipped().get(name)
    return [] if place is None else [str((place.parent / file).resolve()) for file in load(name).suite.plugins]


def _validated(values: dict[str, Any], place: Callable[[list[str | int], str], str]) -> Suite:
    """The suite that plain values say; all that is wrong with them at once, each at its place."""
    try:
        return Suite.model_validate(values)
    except ValidationError as error:
        told = [place(*mistake) for mistake in _describe(error, values)]
        raise SuiteError(told_at_once(list(dict.fromkeys(told)))) from None


def _unknown_profile(name: str, suite: Suite, known: Sequence[str]) -> str:
    hint = Suggestion(name, known, otherwise=f"profiles of {suite.name}: {', '.join(known) or 'none'}")
    return f"unknown profile {name!r}; {hint}"


def _with_claims_of(suite: Suite, profile: str, source: SuiteText) -> Suite:
    """The suite without the claims that are judged in other profiles."""
    known = ["default", *suite.profiles]
    for place, claim in enumerate(suite.expect):
        for name in claim.profiles or ():
            if name not in known:
                raise source.error(["expect", place, "profiles"], _unknown_profile(name, suite, known))
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


def _describe(error: ValidationError, values: Any) -> list[tuple[list[str | int], str]]:
    """Location and one-line message of everything that pydantic found wrong.

    Where a value may have several forms, the form that fails deepest is what was meant: of mistakes one within the
    other, and of those in one place, the deepest is told.
    """
    deepest: dict[tuple[str | int, ...], Any] = {}
    for problem in error.errors():
        place = _place(problem["loc"], values)
        if place not in deepest or len(problem["loc"]) > len(deepest[place]["loc"]):
            deepest[place] = problem
    outer = {place[:length] for place in deepest for length in range(len(place))}
    return [_in_words(problem) for place, problem in deepest.items() if place not in outer]


def _place(location: Sequence[str | int], values: Any) -> tuple[str | int, ...]:
    """The parts of a location that are keys and positions of the values: others name forms that a value may have."""
    parts: list[str | int] = []
    for part in location:
        try:
            values = values[part]
        except (LookupError, TypeError):
            continue
        parts.append(part)
    return tuple(parts)


_PATTERNS = {
    NAME: "it names a folder, so letters from a to z, digits, '.', '_' and '-', the first a letter or digit",
    AXIS: "it is one of dataset, algorithm and adversary with a parameter of it, such as dataset.n",
}


def _in_words(problem: Any) -> tuple[list[str | int], str]:
    """Where and what: pydantic's own words are for programmers."""
    location, given, context = list(problem["loc"]), problem["input"], problem.get("ctx", {})
    match problem["type"]:
        case "unknown_key":
            return [*location, context["key"]], problem["msg"]
        case "missing":
            return location[:-1], f"key {location[-1]!r} is missing"
        case "literal_error":
            nearest = nearest_name(given, re.findall(r"'([^']*)'", context["expected"]))
            hint = f"; did you mean {nearest!r}?" if nearest else ""
            message = f"{given!r} is not one of {context['expected']}{hint}"
        case "list_type" if given is None or isinstance(given, dict):
            message = f"a list is expected, not {'nothing' if given is None else 'a mapping'}"
        case "list_type":
            message = f"{given!r} is not a list: write [{given}]"
        case "model_type":
            quoted = "; quote it if it is a name" if isinstance(given, bool) else ""
            message = f"{given!r} is neither a name nor a mapping with a 'name'{quoted}"
        case "int_parsing" | "float_parsing":
            share = share_of(given)
            message = f"{given!r} is not a number" + ("" if share is None else f": write {share:g}")
        case "float_type":
            message = f"{given!r} is not a number"
        case "int_type":
            message = f"{given!r} is not a whole number"
        case "finite_number":
            message = f"{given!r} is not a finite number"
        case "string_pattern_mismatch":
            message = f"{given!r} does not fit: {_PATTERNS.get(context['pattern'], problem['msg'])}"
        case _:
            message = str(problem["msg"]).removeprefix("Value error, ")
    return location, message
