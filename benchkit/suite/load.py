"""Loading what a reference stands for: one suite, or all that a collection includes. Each file is read once.

A reference is a shipped name or a path; errors name file, line and key. A suite is found, read and validated, and then
what it includes is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchkit.suite.find import find, find_included
from benchkit.suite.loaded import Collection, Loaded
from benchkit.suite.reading import read
from benchkit.suite.source import SuiteError
from benchkit.suite.validate import validated


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
