"""From the plain values of a suite to the suite, as a profile and settings change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.loaded import Loaded
from benchkit.suite.mistakes import describe
from benchkit.suite.source import Location, SuiteError, SuiteText, told_at_once
from benchkit.suite.whole_suite import Suite

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
