"""Loading what a reference stands for: one suite, or all that a collection includes. Each file is read once.

A reference is a shipped name or a path; errors name file, line and key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite import yaml_text
from benchkit.suite.from_python import read_mapping
from benchkit.suite.mistakes import describe
from benchkit.suite.schema import Suite
from benchkit.suite.source import Location, Source, SuiteError, told_at_once


def shipped_folder() -> Path:
    """Where the shipped suites are: inside the wheel, or beside the package in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "suites"
    return inside if inside.is_dir() else package.parent / "suites"


def shipped() -> dict[str, Path]:
    """Names and paths of the shipped suites."""
    return {path.stem: path for path in sorted(shipped_folder().glob("*.yaml"))}


def find(reference: str) -> Path:
    """Path of a suite that is named as a path or as a shipped suite."""
    path = Path(reference)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        try:
            if path.is_file():
                return path
        except OSError as error:
            raise SuiteError(f"{reference[:80]}...: {error.strerror}") from None
        raise SuiteError(f"{reference}: " + ("a folder, not a suite file" if path.is_dir() else "no such suite file"))
    known = shipped()
    if reference in known:
        return known[reference]
    hint = Suggestion(reference, known, otherwise=f"shipped suites: {', '.join(known)}")
    raise SuiteError(f"unknown suite {reference!r}; {hint} (a path ends in .yaml)")


@dataclass(frozen=True)
class Loaded:
    """A validated suite, the profile that was applied, and where it came from."""

    suite: Suite
    profile: str
    source: Source


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


def read(path: Path) -> tuple[dict[str, Any], Source]:
    """Parse YAML into plain values and a source that knows lines."""
    try:
        values, root = yaml_text.read(path)
    except yaml_text.UnreadableError as error:
        raise SuiteError(str(error)) from None
    # A place for anchors that several entries refer to.
    said = {key: value for key, value in values.items() if not (isinstance(key, str) and key.startswith("x-"))}
    return said, Source(path, root)


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
    values, source = read(find(reference)) if isinstance(reference, str) else read_mapping(reference)
    validated = _validate(values, source)
    for name, change in validated.profiles.items():
        _validate(merge(values, change), source, within=["profiles", name])
    # What profile and settings change are the suites that a collection includes.
    if validated.include or (profile is None and not settings):
        return Loaded(_with_claims_of(validated, "default", source), "default", source)
    if profile is not None and profile not in validated.profiles:
        known = ", ".join(validated.profiles) or "none"
        hint = Suggestion(profile, validated.profiles, otherwise=f"profiles of {validated.name}: {known}")
        raise source.error(["profiles"], f"unknown profile {profile!r}; {hint}")
    merged = values
    if profile is not None:
        change = values["profiles"][profile] or {}
        merged = merge(_timeless(merged) if change else merged, change)
        _validate(merged, source, within=["profiles", profile])
    if settings:
        merged = _timeless(merged)
    for key, value in (settings or {}).items():
        merged = _replace(merged, key.split("."), value, key)
        try:
            Suite.model_validate(merged)
        except ValidationError as error:
            told = describe(error, merged)
            lines = [f"--set {key}: {'.'.join(map(str, location))}: {message}" for location, message in told]
            raise SuiteError(told_at_once(lines)) from None
    source = replace(source, profile=profile, settings=tuple(settings or ()))
    applied = profile or "default"
    return Loaded(_with_claims_of(_validate(merged, source), applied, source), applied, source)


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
    loaded = load(reference, profile, settings)
    if not loaded.suite.include:
        return Collection(loaded, (loaded,))
    included: dict[str, Loaded] = {}
    _include(loaded, included, {}, [loaded.source.path.resolve().as_posix()], profile, settings)
    return Collection(loaded, tuple(included.values()))


def _include(
    outer: Loaded,
    included: dict[str, Loaded],
    read: dict[str, Loaded],
    open_files: list[str],
    profile: str | None,
    settings: Mapping[str, Any] | None,
) -> None:
    """Add what a collection includes to ``included``, by name; ``read`` holds every file that was read, by path."""
    base = outer.source.path.parent
    for position, reference in enumerate(outer.suite.include):
        try:
            place = find(str(base / reference) if reference.endswith((".yaml", ".yml")) else reference)
            path = place.resolve().as_posix()
            if path in open_files:
                raise SuiteError(f"{reference} includes itself")
            if path not in read:
                read[path] = load(path, profile, settings)
        except SuiteError as error:
            raise outer.source.error(["include", position], str(error)) from None
        member = read[path]
        if member.suite.include:
            _include(member, included, read, [*open_files, path], profile, settings)
            continue
        namesake = included.setdefault(member.suite.name, member)
        if namesake is not member:
            both = f"{path} and {namesake.source.path}"
            raise outer.source.error(["include", position], f"{both} are both named {member.suite.name!r}")


def _with_claims_of(suite: Suite, profile: str, source: Source) -> Suite:
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


def _validate(values: dict[str, Any], source: Source, within: Location = ()) -> Suite:
    try:
        return Suite.model_validate(values)
    except ValidationError as error:
        told = [source.error([*within, *location], message) for location, message in describe(error, values)]
        raise SuiteError(told_at_once(list(dict.fromkeys(map(str, told))))) from None
