"""What the shell offers when Tab is pressed. Everything is imported when asked for, and nothing heavy is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path


def offering(names: Callable[[], Iterable[object]], *suffixes: str) -> Callable[[str], list[str]]:
    """What offers those of some names that begin with what is typed, and paths that end with a suffix."""

    def offered(incomplete: str) -> list[str]:
        return [*_starting(names(), incomplete), *(_paths(incomplete, *suffixes) if suffixes else ())]

    return offered


def _declared(*kinds: str) -> Callable[[], Iterable[str]]:
    """The names that are declared of some kinds, when they are asked for; of all kinds where none is given."""

    def names() -> list[str]:
        from benchkit.plugin.manager import KINDS, registry

        registered = registry()
        return [name for kind in kinds or KINDS for name in registered.catalogue(kind)]

    return names


def _shipped() -> Iterable[str]:
    from benchkit.suite.names import shipped

    return shipped()


def _installed() -> Iterable[str]:
    from benchkit.plugin.manager import installed_plugins

    return [point.name for point in installed_plugins()]


def _built_in() -> Iterable[str]:
    from benchkit.suite.names import BUILT_IN

    return [name for names in BUILT_IN.values() for name in names]


def _profiles() -> Iterable[str]:
    """Of the suite that stands on the line."""
    from benchkit.suite.source import SuiteError, find, read

    # The words of the line: an option that still lacks its value keeps click from parsing the arguments.
    words = (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()
    for word in words[2:]:
        try:
            named = read(find(word)).values.get("profiles")
        except SuiteError:
            continue
        return named if isinstance(named, dict) else ()
    return ()


suites = offering(_shipped, ".yaml", ".yml")
profiles = offering(_profiles)
algorithms = offering(_declared("algorithms"))
datasets = offering(_declared("datasets"))
declared = offering(_declared("algorithms", "adversaries", "datasets", "metrics"))
executors = offering(_declared("executors"))
formats = offering(_declared("report_formats"))
trackers = offering(_declared("trackers"))
anything = offering(lambda: [*_declared()(), *_built_in(), *_shipped(), *_installed()])
plugins = offering(_installed, ".py")
plugin_files = offering(tuple, ".py")


def runs(incomplete: str) -> list[str]:
    """Folders of suites and of runs, below ``runs`` or below what is typed."""
    typed, _, _ = incomplete.rpartition("/")
    folders = [Path(typed or "."), Path("runs")]
    patterns = ("*/manifest.json", "*/*/manifest.json")
    manifests = [path for folder in folders for pattern in patterns for path in folder.glob(pattern)]
    return _starting((str(parent) for path in manifests for parent in (path.parent, path.parent.parent)), incomplete)


def _starting(names: Iterable[object], incomplete: str) -> list[str]:
    return sorted({str(name) for name in names if str(name).startswith(incomplete)})


def _paths(incomplete: str, *suffixes: str) -> list[str]:
    """Files with one of the suffixes, and folders, whose path begins with what is typed."""
    typed = incomplete.rpartition("/")
    folder = Path(typed[0] + typed[1])
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    fitting = [path for path in paths if (path.is_dir() or path.suffix in suffixes) and path.name.startswith(typed[2])]
    return [typed[0] + typed[1] + path.name + "/" * path.is_dir() for path in fitting if path.name[0] != "."]
