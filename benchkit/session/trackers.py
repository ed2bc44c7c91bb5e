"""Choosing where runs are tracked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from benchkit.errors import RequestError
from benchkit.journal import is_written
from benchkit.plugin.declarations import Tracker
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry

_LOGGED = ".logged"  # of a suite's folder: for each run that a tracker has heard to its end, its name and the trials


def chosen_trackers(known: Registry, wanted: bool | str | Sequence[str]) -> list[Tracker]:
    """The trackers of these names; True stands for all.

    Raises
    ------
    UnknownNameError
    """
    if isinstance(wanted, bool):
        return list(known.trackers.values()) if wanted else []
    return [known.trackers[name] for name in dict.fromkeys([wanted] if isinstance(wanted, str) else wanted)]


def make_trackers(chosen: Sequence[Tracker], warn: Callable[[str], None]) -> dict[str, object]:
    """What listens to a run, by whose it is; one that cannot be made is said, and left out."""
    made = {}
    for tracker in chosen:
        with guarded(f"{of(tracker)}: make", warn):
            made[of(tracker)] = tracker.make(warn=warn)
    return made


def is_logged(folder: Path, tracker: Tracker, trials: Iterable[str]) -> bool:
    """Whether a tracker has heard a run of exactly these trials to its end, in this suite's folder."""
    try:
        return _line(tracker, trials) in (folder / _LOGGED).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False


def note_logged(folder: Path, tracker: Tracker, trials: Iterable[str]) -> None:
    """Note that a tracker has heard a run of these trials to its end."""
    if not is_logged(folder, tracker, trials):
        with suppress(OSError), (folder / _LOGGED).open("a", encoding="utf-8") as file:  # it is logged again then
            file.write(f"{_line(tracker, trials)}\n")


def _line(tracker: Tracker, trials: Iterable[str]) -> str:
    return f"{tracker.name} {hashlib.sha256(' '.join(sorted(trials)).encode()).hexdigest()}"


def end_killed(chosen: Sequence[Tracker], out: Path, warn: Callable[[str], None], *, connects: bool) -> None:
    """Let trackers end what they show as running though its process was killed; one that fails is named.

    Parameters
    ----------
    chosen : sequence of Tracker
    out : Path
        Output folder.
    warn : callable
    connects : bool
        Whether the command connects to them anyway.
    """

    def was_killed(suite: str, run: str) -> bool:
        return is_written(out, suite, run) is False

    for tracker in chosen:
        if tracker.end_killed is not None:
            with guarded(f"{of(tracker)}: end_killed", warn):
                tracker.end_killed(out=out, was_killed=was_killed, connects=connects, warn=warn)


def tracker_with_pages(known: Registry, name: str | None) -> Tracker:
    """The tracker whose dashboard is opened: the named one, or the only one that has one.

    Raises
    ------
    RequestError
        There is none, or there are several and none is named.
    """
    having = [
        tracker for tracker in chosen_trackers(known, True if name is None else name) if tracker.serve is not None
    ]
    if name is not None and not having:
        raise RequestError(f"tracker {name!r} serves no dashboard")
    if not having:
        raise RequestError("no tracker is installed that serves a dashboard")
    if len(having) > 1:
        raise RequestError(f"--tracker NAME: name one of {', '.join(tracker.name for tracker in having)}")
    return having[0]
