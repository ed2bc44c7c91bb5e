"""What a stranger's suite may ask for when its rows are run again: installed methods, told numbers and plain words.

A published suite is data until it is run. Then it names classes and gives them parameters, and some of these write
files, unpickle what lies in one, or import a module: ``memory: docs/cache`` does all three.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from benchkit.plugin.fitted_model import is_fitted_name
from benchkit.plugin.named_estimator import is_estimator_name

_ENTRIES = ("datasets", "algorithms", "adversaries")
# What all entries share. Of the rest, `include` and `plugins` name files to run, and claims may name what is left out.
_SHARED = ("split", "preprocess", "feature_values", "axis")
_PLAIN = ("name", "title", "metrics", "seed", "exclusive", "tuning_seconds", "margin")
_WORDS_OF_ENTRIES = {"name", "label", "group", "datasets"}  # of an entry itself: no parameters
_NAMES_FILES = re.compile(r"(^|_)(memory|path|file|filename|folder|dir|directory|cache|location|url)s?$")
_NAMES_CODE = re.compile(r"[\w.]+:[A-Za-z_]\w*")


def harmless_part(suite: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A published suite without the entries that are not run unless you trust it, and what is wrong with these.

    Parameters
    ----------
    suite : mapping
        As it was run.

    Returns
    -------
    suite : dict
        With what decides its trials and nothing else; without any entry where what they share is wrong.
    reasons : list of str
        A line for each problem.
    """
    kept = {key: value for key, value in suite.items() if key in (*_ENTRIES, *_SHARED, *_PLAIN)}
    reasons = [f"{key}: {problem}" for key in _SHARED for problem in _of_shared(key, suite.get(key))]
    if reasons:
        return {**kept, **{kind: [] for kind in _ENTRIES}}, reasons
    for kind in _ENTRIES:
        entries = []
        for entry in suite.get(kind) or ():
            named = entry if isinstance(entry, Mapping) else {"name": entry}
            label = str(named.get("label") or named.get("name") or named.get("estimator") or named.get("fitted"))[:60]
            checked = _without_bare_paths(named) if kind == "datasets" else named
            problems = [f"{label}: {problem}" for problem in (*_of_name(named), *_of_values(checked, ""))]
            reasons += problems
            if not problems:
                entries.append(entry)
        if kind in suite:
            kept[kind] = entries
    return kept, list(dict.fromkeys(reasons))


def _of_shared(key: str, value: Any) -> Iterator[str]:
    if key == "axis" and isinstance(value, Mapping):  # its values are those of the parameter that it names
        value = {str(value.get("parameter")).rpartition(".")[2]: value.get("values")}
    yield from _of_values(value, key)


def _without_bare_paths(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A data set without the bare name of its file, which a reader of an installed plugin may take as data."""
    inner = entry.get("params")
    kept = {**entry, "params": _without_bare_paths(inner)} if isinstance(inner, Mapping) else dict(entry)
    path = kept.get("path")
    if isinstance(path, str) and re.fullmatch(r"\w[\w.-]*", path):
        del kept["path"]
    return kept


def _of_name(entry: Mapping[str, Any]) -> Iterator[str]:
    """Classes that no plugin declares, of which scikit-learn's estimators are taken, and files of models."""
    given = entry.get("estimator")
    if "fitted" in entry or is_fitted_name(entry.get("name")):
        yield "it is the file of a model, and reading that may execute what it says"
    for each in [entry.get("name"), *(given if isinstance(given, list) else [given])]:
        name = each.get("estimator") if isinstance(each, Mapping) else each
        if is_estimator_name(name):
            for part in str(name).split(" | "):
                if part not in _estimators():
                    yield f"{part[:80]} is no estimator of scikit-learn's"


def _of_values(value: Any, key: str) -> Iterator[str]:
    """Parameters that name files or code, however deep."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if key == "" and name in _WORDS_OF_ENTRIES:
                continue
            last = str(name).rpartition("__")[2]
            if _NAMES_FILES.search(last) and inner not in (None, False, True):
                yield f"the parameter {str(name)[:60]} names a file or a folder"
            else:
                yield from _of_values(inner, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _of_values(inner, key)
    elif isinstance(value, str):
        if key != "estimator" and _NAMES_CODE.fullmatch(value):
            yield f"the value {value[:60]!r} of {key} names code"
        elif "/" in value or "\\" in value or value.startswith(("~", "..")):
            yield f"the value {value[:60]!r} of {key} is a path"


@cache
def _estimators() -> frozenset[str]:
    """Every estimator of scikit-learn by the names that a suite may give it: of its own and of public modules."""
    from sklearn.utils import all_estimators

    names = set()
    for name, found in all_estimators():
        parts = found.__module__.split(".")
        public = parts[: next((place for place, part in enumerate(parts) if part.startswith("_")), len(parts))]
        names |= {f"{found.__module__}:{name}", f"{'.'.join(public)}:{name}", f"{'.'.join(parts[:2])}:{name}"}
    return frozenset(names)
