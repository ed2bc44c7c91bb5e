"""Running a collection: the suites that a suite includes, one after another, each into its own store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchkit.conduct.planning import Planned, plan
from benchkit.conduct.provenance import checkout, command_line, environment
from benchkit.conduct.running import run
from benchkit.conduct.watch import Progress, Silent
from benchkit.report.collection import CollectionResults, write_collection
from benchkit.report.results import Results
from benchkit.suite.include import members
from benchkit.suite.load import Loaded, SuiteError, load
from benchkit.suite.plan import NothingSelectedError

Only = dict[str, list[str]]

# Options of a run that decide which trials it has.
_DECISIVE = ("profile", "out", "only", "settings", "plugins", "add", "shard")


@dataclass(frozen=True)
class Collection:
    """A suite that includes others.

    Attributes
    ----------
    loaded : Loaded
    paths : list of str
        The included suites, in order.
    """

    loaded: Loaded
    paths: Sequence[str]


def open_collection(reference: str) -> Collection:
    """Read a collection and find what it includes."""
    loaded = load(reference)
    if not loaded.suite.include:
        raise SuiteError(f"{loaded.source.path}: not a collection: it has no 'include'")
    return Collection(loaded, members(loaded))


def plan_collection(collection: Collection, **options: Any) -> list[Planned]:
    """The plan of every included suite that has trials of the kind asked for.

    The first that cannot be planned, for one for lack of the profile, is refused.

    Parameters
    ----------
    collection : Collection
    **options
        As for `benchkit.conduct.plan`.
    """
    return [planned for planned, _ in _plans(collection, options)]


def _plans(collection: Collection, options: Mapping[str, Any]) -> list[tuple[Planned, Only]]:
    """Plans, and what of ``only`` each suite has; a value that no suite has is a mistake."""
    wanted: Only = {
        key: [values] if isinstance(values, str) else list(values)
        for key, values in (options.get("only") or {}).items()
    }
    plans: list[tuple[Planned, Only]] = []
    found: set[tuple[str, str]] = set()
    missed: dict[tuple[str, str], NothingSelectedError] = {}
    for path in collection.paths:
        only = dict(wanted)
        while all(only.values()):
            try:
                plans.append((plan(path, **{**options, "only": only}), only))
            except NothingSelectedError as error:
                missed[error.key, error.value] = error
                only[error.key] = [value for value in only[error.key] if value != error.value]
            else:
                found |= {(key, value) for key, values in only.items() for value in values}
                break
    for name, mistake in missed.items():
        if name not in found:
            raise mistake
    return plans


def run_collection(
    collection: Collection,
    *,
    profile: str | None = None,
    out: str | Path = "runs",
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(Silent()),
    finished: Callable[[Results], None] = lambda results: None,
    **options: Any,
) -> CollectionResults:
    """Run the included suites one after another; nothing runs unless all of them can be planned.

    Parameters
    ----------
    collection : Collection
    profile, out
        As for `benchkit.conduct.run`, for each suite.
    progress : callable
        Makes what watches one suite.
    finished : callable
        Told the results of each suite.
    **options
        Further options of `benchkit.conduct.run`.

    Returns
    -------
    CollectionResults
        Of the suites that ran; an interruption ends the one that is running and leaves out the rest.
    """
    options |= {"profile": profile, "out": out}
    plans = _plans(collection, {name: options[name] for name in _DECISIVE if name in options})
    paths = [str(planned.loaded.source.path) for planned, _ in plans]
    name = collection.loaded.suite.name
    now = datetime.now()
    folder = Path(out) / name / f"{now:%Y%m%d-%H%M%S-%f}"
    manifest = _manifest(collection, paths, profile, now)
    done: list[Results] = []
    interrupted = False
    write_collection(folder, manifest)
    for path, (_, only) in zip(paths, plans, strict=True):
        try:
            with progress() as watch:
                results = run(path, **{**options, "only": only}, progress=watch)
        except KeyboardInterrupt:  # between trials, as when a suite is read
            interrupted = True
            break
        done.append(results)
        manifest["runs"][results.suite] = results.folder.name
        write_collection(folder, manifest)
        finished(results)
        if results.interrupted:
            interrupted = True
            break
    return CollectionResults(name, collection.loaded.suite.title, folder, done, manifest, interrupted)


def _manifest(collection: Collection, paths: Sequence[str], profile: str | None, now: datetime) -> dict[str, Any]:
    source, _ = checkout(collection.loaded.source.path.resolve().parent)
    return {
        "collection": collection.loaded.suite.name,
        "title": collection.loaded.suite.title,
        "profile": profile or "default",
        "started": now.isoformat(timespec="seconds"),
        "command": command_line(),
        "environment": environment(),
        "source": source,
        "suites": [Path(path).stem for path in paths],
        "runs": {},
    }
