"""What the shell offers when Tab is pressed. Everything is imported when asked for, and nothing heavy is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

LISTED = (
    *("algorithms", "adversaries", "datasets", "metrics", "splits", "steps", "values", "executors", "sections"),
    *("formats", "tuners", "trackers", "sources", "commands", "suites", "plugins"),
)


def suites(incomplete: str) -> list[str]:
    """Shipped suites, and paths of YAML files."""
    from benchkit.suite.names import shipped

    return [*_starting(shipped(), incomplete), *_paths(incomplete, ".yaml", ".yml")]


def profiles(incomplete: str) -> list[str]:
    """Profiles of the suite that stands on the line."""
    from benchkit.suite.source import SuiteError, find, read

    for word in _words()[2:]:
        try:
            named = read(find(word)).tree.plain.get("profiles")
        except SuiteError:
            continue
        return _starting(named, incomplete) if isinstance(named, dict) else []
    return []


def runs(incomplete: str) -> list[str]:
    """Folders of suites and of runs, below ``runs`` or below what is typed."""
    typed, _, _ = incomplete.rpartition("/")
    folders = [Path(typed or "."), Path("runs")]
    patterns = ("*/manifest.json", "*/*/manifest.json")
    manifests = [path for folder in folders for pattern in patterns for path in folder.glob(pattern)]
    return _starting((str(parent) for path in manifests for parent in (path.parent, path.parent.parent)), incomplete)


def _declared(*kinds: str) -> Callable[[str], list[str]]:
    """What offers the names that are declared of some kinds."""

    def offered(incomplete: str) -> list[str]:
        from benchkit.plugin.manager import registry

        known = registry()
        return _starting((name for kind in kinds for name in known.catalogue(kind)), incomplete)

    return offered


algorithms = _declared("algorithms")
datasets = _declared("datasets")
declared = _declared("algorithms", "adversaries", "datasets", "metrics")
executors = _declared("executors")
formats = _declared("report_formats")
trackers = _declared("trackers")


def anything(incomplete: str) -> list[str]:
    """Anything that ``benchkit show`` knows."""
    from benchkit.plugin.manager import KINDS
    from benchkit.suite.names import shipped

    return [*_declared(*KINDS)(incomplete), *_starting(shipped(), incomplete)]


def plugins(incomplete: str) -> list[str]:
    """Installed plugins, and paths of Python files."""
    from benchkit.plugin.manager import installed_plugins

    return [*_starting((point.name for point in installed_plugins()), incomplete), *_paths(incomplete, ".py")]


def kinds_to_list(incomplete: str) -> list[str]:
    """What ``benchkit list`` lists."""
    return _starting(LISTED, incomplete)


def new_kinds(incomplete: str) -> list[str]:
    """What ``benchkit new plugin`` has a template for."""
    from benchkit.scaffold.write import KINDS

    return _starting(KINDS, incomplete)


def plugin_files(incomplete: str) -> list[str]:
    """Paths of Python files."""
    return _paths(incomplete, ".py")


def _words() -> list[str]:
    """The words of the line. An option that still lacks its value keeps click from parsing the arguments."""
    return (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({str(name) for name in names if str(name).startswith(incomplete)})


def _paths(incomplete: str, *suffixes: str) -> list[str]:
    """Files with one of the suffixes, and folders, whose path begins with what is typed."""
    typed = incomplete.rpartition("/")
    folder = Path(typed[0] + typed[1])
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    fitting = [path for path in paths if (path.is_dir() or path.suffix in suffixes) and path.name.startswith(typed[2])]
    return [typed[0] + typed[1] + path.name + "/" * path.is_dir() for path in fitting if path.name[0] != "."]
