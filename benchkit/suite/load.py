"""Reading a suite: from a shipped name or a path, with errors that name file, line and key."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from benchkit.suite import yaml_text
from benchkit.suite.mistakes import describe
from benchkit.suite.schema import Suite

Location = Sequence[str | int]


class SuiteError(Exception):
    """The suite, or how it was asked for, is wrong; the message is one line for the user."""


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
    close = difflib.get_close_matches(reference, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"shipped suites: {', '.join(known)}"
    raise SuiteError(f"unknown suite {reference!r}; {hint} (a path ends in .yaml)")


@dataclass(frozen=True)
class Source:
    """A suite's text, which can tell the line of a key.

    Attributes
    ----------
    path : Path
    root : Node
    profile : str or None
        The one that was applied.
    settings : tuple of str
        Dotted keys that ``--set`` replaced.
    """

    path: Path
    root: yaml.Node
    profile: str | None = None
    settings: tuple[str, ...] = ()

    def error(self, location: Location, message: str) -> SuiteError:
        """An error that names file, line and key, or the option that a value came from."""
        for setting in self.settings:
            parts = setting.split(".")
            if [str(part) for part in location[: len(parts)]] == parts:
                return SuiteError(f"--set {setting}: {'.'.join(map(str, location))}: {message}")
        if self.profile is not None and self._in_profile(location):
            location = ["profiles", self.profile, *location]
        line, key = self.line(location)
        where = f"{self.path}:{line}"
        return SuiteError(f"{where}: {key}: {message}" if key else f"{where}: {message}")

    def _in_profile(self, location: Location) -> bool:
        """Whether the profile gives the value: mappings are merged key by key, all else is replaced whole."""
        node: yaml.Node | None = self.root
        for part in ("profiles", self.profile, *location):
            if not isinstance(node, yaml.MappingNode):
                return True
            step = _child(node, str(part))
            if step is None:
                return False
            node = step[0]
        return True

    def line(self, location: Location) -> tuple[int, str]:
        """Line (from 1) and dotted name of the deepest part of a location that the file has."""
        node, line, found = self.root, self.root.start_mark.line + 1, []
        for part in location:
            step = _child(node, part)
            if step is None:
                continue  # a part that only the model has, such as the tag of a union
            node, line = step
            found.append(str(part))
        return line, ".".join(found)


def _child(node: yaml.Node, part: str | int) -> tuple[yaml.Node, int] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return value, key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        value = node.value[part]
        return value, value.start_mark.line + 1
    return None


@dataclass(frozen=True)
class Loaded:
    """A validated suite, the profile that was applied, and where it came from."""

    suite: Suite
    profile: str
    source: Source


def read(path: Path) -> tuple[dict[str, Any], Source]:
    """Parse YAML into plain values and a source that knows lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SuiteError(f"{path}: cannot be read: {error}") from None
    try:
        root = yaml_text.compose(text)
        values = yaml_text.parse(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise SuiteError(f"{path}{line}: not valid YAML: {problem}") from None
    if root is not None:
        _refuse_repeated_keys(root, path)
    if root is None or not isinstance(values, dict):
        raise SuiteError(f"{path}:1: a suite is a mapping of keys such as 'name', 'datasets', 'algorithms'")
    # A place for anchors that several entries refer to.
    said = {key: value for key, value in values.items() if not (isinstance(key, str) and key.startswith("x-"))}
    return said, Source(path, root)


def _refuse_repeated_keys(node: yaml.Node, path: Path) -> None:
    """YAML would take the last of two equal keys, and say nothing."""
    waiting, seen = [node], {id(node)}
    while waiting:
        node = waiting.pop()
        children = list(node.value) if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            first: dict[str, int] = {}
            for key, value in node.value:
                line = key.start_mark.line + 1
                if isinstance(key, yaml.ScalarNode) and key.value in first:
                    raise SuiteError(
                        f"{path}:{line}: key {key.value!r} is given twice, first in line {first[key.value]}"
                    )
                if isinstance(key, yaml.ScalarNode):
                    first[key.value] = line
                children.append(value)
        # An alias is the node itself; it need not be walked again.
        waiting += [child for child in children if id(child) not in seen]
        seen |= {id(child) for child in children}


def load(reference: str, profile: str | None = None, settings: Mapping[str, Any] | None = None) -> Loaded:
    """Read and validate a suite.

    Parameters
    ----------
    reference : str
        Name of a shipped suite, or a path.
    profile : str or None
        Name of one of the suite's profiles, whose keys replace the suite's.
    settings : mapping of dotted key to value, optional
        Further replacements, as given by ``--set``; ``algorithms.0.params.C`` is of the first algorithm.
    """
    values, source = read(find(reference))
    validated = _validate(values, source)
    for name, change in validated.profiles.items():
        _validate(merge(values, change), source, within=["profiles", name])
    if profile is None and not settings:
        return Loaded(validated, "default", source)
    if profile is not None and profile not in validated.profiles:
        close = difflib.get_close_matches(profile, validated.profiles, n=1)
        known = ", ".join(validated.profiles) or "none"
        hint = f"did you mean {close[0]!r}?" if close else f"profiles of {validated.name}: {known}"
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
            location, message = describe(error)
            raise SuiteError(f"--set {key}: {'.'.join(map(str, location))}: {message}") from None
    source = replace(source, profile=profile, settings=tuple(settings or ()))
    return Loaded(_validate(merged, source), profile or "default", source)


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
        location, message = describe(error)
        raise source.error([*within, *location], message) from None
