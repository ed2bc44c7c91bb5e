"""Suites as they are read: found, parsed, checked, with their profile and settings."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from benchkit.plugin.parameters import nearest_name, suggestion
from benchkit.suite.names import shipped
from benchkit.suite.schema import AXIS, NAME, DatasetEntry, Strict
from benchkit.suite.source import SuiteError, SuiteText, find, read, told_at_once
from benchkit.suite.whole_suite import Suite
from benchkit.suite.yaml_text import At

_Part = TypeVar("_Part", Suite, DatasetEntry)


@dataclass(frozen=True)
class Loaded:
    """A validated suite, the profile that was applied, and where it came from."""

    suite: Suite
    profile: str
    source: SuiteText
    plugins: tuple[str, ...] = ()  # absolute paths of the plugin files that it names
    suites: tuple[Loaded, ...] = ()  # those that run something, of `load_collection`: itself, or all that it includes
    partial: bool = False  # without entries that are wrong in themselves: it is only checked


class InvalidSuiteError(SuiteError):
    """Values that are wrong in themselves, whatever plugins and data have: a line each, and the suite without them."""

    rest: Loaded | None = None

    def __init__(self, lines: Sequence[str], places: Collection[At]) -> None:
        super().__init__(told_at_once(lines))
        self.lines, self.places = lines, places


def load_collection(
    reference: str | Mapping[str, Any],
    profile: str | None = None,
    settings: Mapping[str, Any] | None = None,
    within: tuple[Path, ...] = (),
) -> Loaded:
    """Read and validate a suite, as `load` does, and all that it includes; `SuiteError` where one cannot be.

    Names of included suites are shipped ones, paths are relative to the including file; what included collections
    include stands in their place. A suite that is included twice runs once. Profile and settings are those of the
    suites that run something; ``within`` are the files of collections that it is included by.
    """
    loaded = load(reference, profile, settings)
    path = loaded.source.path.resolve()
    if path in within:
        raise SuiteError(f"{path.name} includes itself")
    if not loaded.suite.include:
        return replace(loaded, suites=(loaded,))
    suites: dict[str, Loaded] = {}  # those that run something, by name
    for position, name in enumerate(loaded.suite.include):
        try:
            included = str(path.parent / name) if name.endswith((".yaml", ".yml")) else name
            for suite in load_collection(included, profile, settings, (*within, path)).suites:
                namesake = suites.setdefault(suite.suite.name, suite)
                if (one := suite.source.path.resolve()) != (other := namesake.source.path.resolve()):
                    raise SuiteError(f"{one} and {other} are both named {suite.suite.name!r}")
        except SuiteError as error:
            raise loaded.source.error(["include", position], str(error)) from None
    return replace(loaded, suites=tuple(suites.values()))


def load(
    reference: str | Mapping[str, Any], profile: str | None = None, settings: Mapping[str, Any] | None = None
) -> Loaded:
    """Read and validate a suite, and every profile of it; a `SuiteError` has all that is wrong.

    It is named, as a shipped one or by its path, or given. The keys of a profile replace the suite's, and so do
    settings, by dotted keys: ``algorithms.0.params.C`` is of the first algorithm.
    """
    source = read(find(reference) if isinstance(reference, str) else reference)
    try:
        return _loaded(source, profile, settings or {})
    except InvalidSuiteError as error:
        with suppress(SuiteError):  # of which too much is left out
            places = {*error.places, *([] if profile else [("profiles",)])}
            error.rest = replace(_loaded(source.without(places), profile, {}), partial=True)
        raise


def _loaded(source: SuiteText, profile: str | None, settings: Mapping[str, Any]) -> Loaded:
    suite = _validated(source)
    texts = {"default": source, **{name: source.with_profile(name) for name in suite.profiles}}
    suites = {name: suite if text is source else _validated(text) for name, text in texts.items()}
    if suite.include:  # what profile and settings change are the suites that it includes
        return Loaded(suite, "default", source)
    for position, claim in enumerate(suite.expect):
        if unknown := [name for name in claim.profiles or () if name not in texts]:
            raise source.error(["expect", position, "profiles"], _unknown_profile(unknown[0], suite, texts))
    if profile not in (None, *suite.profiles):
        raise source.error(["profiles"], _unknown_profile(profile, suite, suite.profiles))
    applied = profile or "default"
    suite, source = suites[applied], texts[applied]
    for key, value in settings.items():
        if key.partition(".")[0] == "profiles":
            remedy = "choose the profile with --profile, and set the key without 'profiles.NAME.'"
            raise SuiteError(f"--set {key}: a profile is applied before what is set, so this changes nothing: {remedy}")
        source = source.with_setting(key, value)
        suite = _validated(source, f"--set {key}: ")
    judged = [claim for claim in suite.expect if claim.profiles is None or applied in claim.profiles]
    plugins = tuple(str((source.path.parent / name).resolve()) for name in suite.plugins)
    suite = _with_test_beside(suite, source.path.parent)
    datasets = []
    for entry in suite.datasets:
        params = {name: _beside(value, source.path.parent) for name, value in entry.params.items() if name == "path"}
        entry = entry.model_copy(update={"params": {**entry.params, **params}})
        datasets.append(_with_test_beside(entry, source.path.parent))
    return Loaded(suite.model_copy(update={"expect": judged, "datasets": datasets}), applied, source, plugins)


def _with_test_beside(part: _Part, folder: Path) -> _Part:
    """A suite, or an entry of one, with the file of test rows that its split names found beside the suite."""
    if part.split is None or not isinstance(part.split.test, str):
        return part
    return part.model_copy(update={"split": part.split.model_copy(update={"test": _beside(part.split.test, folder)})})


def _beside(path: Any, folder: Path) -> Any:
    """A relative path, or those of a list, that names no file of the current folder, but one beside the suite."""
    if isinstance(path, list):
        return [_beside(each, folder) for each in path]
    if not isinstance(path, str) or Path(path).expanduser().is_absolute() or not (folder / path).is_file():
        return path
    beside = (folder / path).resolve()
    if not Path(path).is_file():
        return str(beside)
    if Path(path).resolve() != beside:
        warnings.warn(f"{path} is read from the current folder, and not {beside}, beside the suite", stacklevel=2)
    return path


def shipped_plugins(name: str) -> list[str]:
    """Plugin files of the shipped suite of a name, which are installed with benchkit as its other code is; or none."""
    return list(load(name).plugins) if name in shipped() else []


def _unknown_profile(name: str | None, suite: Suite, names: Mapping[str, Any]) -> str:
    hint = suggestion(name, names, otherwise=f"profiles of {suite.name}: {', '.join(names) or 'none'}")
    return f"unknown profile {name!r}; {hint}"


def _validated(source: SuiteText, blamed: str = "") -> Suite:
    """The suite that a text says; all that is wrong with it at once, each at its place, after the option to blame.

    Where a value may have several forms, the form that fails deepest is what was meant: of mistakes one within the
    other, and of those in one place, the deepest is told.
    """
    try:
        return Suite.model_validate(source.values)
    except ValidationError as error:
        problems: dict[At, list[Any]] = defaultdict(list)
        for problem in error.errors():
            problems[source.find(problem["loc"])].append(problem)
    outer = {place[:length] for place in problems for length in range(len(place))}
    mistakes, entries = [], set[At]()
    for place in [place for place in problems if place not in outer]:
        depth = max(len(problem["loc"]) for problem in problems[place])
        forms = [problem for problem in problems[place] if len(problem["loc"]) == depth]
        mistakes.append(str(source.error(place, _in_words(forms, source))))
        # Of a method or an adversary its key alone is left out: its name may be wrong, too.
        depths = {"algorithms": 3, "adversaries": 3, "datasets": 2, "metrics": 2}
        entries |= {place[: depths.get(str(key), 1)] for key in place[:1]}
    raise InvalidSuiteError([blamed + text.removeprefix(blamed) for text in dict.fromkeys(mistakes)], entries)


_PATTERNS = {
    NAME: "it names a folder, so letters from a to z, digits, '.', '_' and '-', the first a letter or digit",
    AXIS: "it is one of dataset, algorithm and adversary with a parameter of it, such as dataset.n",
}


def _unknown_key(location: Sequence[str | int], source: SuiteText) -> str:
    """What to do about a key that no model has: take the nearest that there is, or write it where it belongs."""

    def models_in(annotation: Any) -> list[type[Strict]]:
        if isinstance(annotation, type) and issubclass(annotation, Strict):
            return [annotation]
        return [model for part in get_args(annotation) for model in models_in(part)]

    models: list[type[Strict]] = [Suite]
    for part in location[:-1]:  # what is no key is a place in a list, or a form of a union
        if entered := [model.model_fields[str(part)] for model in models if part in model.model_fields]:
            models = [model for field in entered for model in models_in(field.annotation)]
    beside = source.value(source.find(location)[:-1])
    key, fields = str(location[-1]), {name: field for model in models for name, field in model.model_fields.items()}
    for name, field in fields.items():
        if name in beside and any(key in model.model_fields for model in models_in(field.annotation)):
            return f"unknown key {key!r}; it is a key of {name!r}: indent it below that"
    names = [*fields, *(name for model in models for name in model.written_as)]
    if "name" in fields and [*beside] == [key] and nearest_name(key, names) is None:
        return f"unknown key {key!r}; an entry has its name behind a key: write 'name: {key}', and its other keys below"
    return f"unknown key {key!r}; " + suggestion(key.split(":")[0], names, "known keys: " + ", ".join(names))


# By pydantic's type of error: what is expected, and how it is written; and what is wrong with a value of its limits.
_EXPECTED = {
    "string": ("text", "write one word, or a text in quotes"),
    "int": ("a whole number", "write it in digits, such as 3"),
    "float": ("a number", "write it in digits, such as 0.5"),
    "finite": ("a finite number", "write it in digits, such as 0.5"),
    "bool": ("true or false", "write one of these two"),
    "list": ("a list", "write [ ] around it, or each entry on its own line, beginning with '- '"),
    **dict.fromkeys(("dict", "model"), ("a mapping", "write {KEY: VALUE}, or 'KEY: VALUE' on lines indented below")),
}
_LIMITS = {
    "greater_than": "too small: give more than {gt:g}",
    "greater_than_equal": "too small: give {ge:g} or more",
    "less_than_equal": "too large: give {le:g} or less",
    "too_short": "too short: give {min_length} or more",
    "string_too_short": "empty: write a text",
    "string_too_long": "too long: give at most {max_length} characters",
}


def _in_words(forms: Sequence[Any], source: SuiteText) -> str:
    """What is wrong with a value in each of the forms that it may have: pydantic's own words are for programmers."""
    problem = next((form for form in forms if form["type"] in _LIMITS), forms[0])
    location, context, message = problem["loc"], problem.get("ctx", {}), str(problem["msg"])
    given = "an empty value" if problem["input"] is None else repr(problem["input"])[:80]
    match problem["type"]:
        case "extra_forbidden":
            return _unknown_key(location, source)
        case "value_error":
            return message.removeprefix("Value error, ")
        case "missing":
            near = nearest_name(location[-1], map(str, source.value(source.find(location))))
            return f"key {location[-1]!r} is missing{f'; did you mean it by {near!r}?' if near else ''}"
        case "literal_error" if len(forms) == 1:
            nearest = nearest_name(problem["input"], re.findall(r"'([^']*)'", context["expected"]))
            hint = f"; did you mean {nearest!r}?" if nearest else ""
            return f"{given} is not one of {context['expected']}{hint}"
        case "model_type" if {"datasets", "algorithms", "adversaries"} & {*location[-2:-1]}:
            return f"{given} is neither a name nor a mapping with a 'name'"
        case "string_pattern_mismatch":
            return f"{given} does not fit: {_PATTERNS[context['pattern']]}"
        case limit if limit in _LIMITS:
            return f"{given} is {_LIMITS[limit].format(**context)}"
    expected: dict[str, str] = {}  # what a value may be, and how that is written
    for form in forms:
        kind, literal = form["type"].partition("_")[0], (form.get("ctx", {}).get("expected", message), "")
        expected |= [_EXPECTED.get(kind, literal)]
    *others, last = expected
    either = f"neither {', '.join(others)} nor {last}" if others else f"not {last}: {expected[last]}"
    return f"{given} is {either}"
