"""The suites that a collection includes."""

from __future__ import annotations

from benchkit.suite.load import Loaded, SuiteError, find, load


def is_collection(reference: str) -> bool:
    """Whether a suite includes others instead of running anything itself."""
    return bool(load(reference).suite.include)


def members(collection: Loaded) -> list[str]:
    """Paths of the suites that a collection includes, in its order; those of included collections in their place.

    Names are shipped suites, paths are relative to the collection's file. A suite that is included twice runs once.
    """
    found: dict[str, str] = {}
    _collect(collection, found, [collection.source.path.resolve().as_posix()])
    return list(found.values())


def _collect(collection: Loaded, found: dict[str, str], open_files: list[str]) -> None:
    base = collection.source.path.parent
    for position, reference in enumerate(collection.suite.include):
        try:
            path = find(str(base / reference) if reference.endswith((".yaml", ".yml")) else reference).resolve()
            member = load(str(path))
        except SuiteError as error:
            raise collection.source.error(["include", position], str(error)) from None
        if path.as_posix() in open_files:
            raise collection.source.error(["include", position], f"{reference} includes itself")
        name = member.suite.name
        if member.suite.include:
            _collect(member, found, [*open_files, path.as_posix()])
        elif found.setdefault(name, str(path)) != str(path):
            other = found[name]
            raise collection.source.error(["include", position], f"{path} and {other} are both named {name!r}")
