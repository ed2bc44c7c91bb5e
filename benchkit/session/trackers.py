"""Choosing where runs are tracked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from benchkit.errors import RequestError
from benchkit.journal import is_written
from benchkit.plugin.declarations import Tracker
from benchkit.plugin.manager import Registry, one_line


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
    """What listens to a run, by the tracker's name; one that cannot be made is said, and left out."""
    made = {}
    for tracker in chosen:
        try:
            made[tracker.name] = tracker.make(warn=warn)
        except (Exception, SystemExit) as error:
            warn(f"tracker {tracker.name!r} cannot be used: {one_line(error)}")
    return made


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
            try:
                tracker.end_killed(out=out, was_killed=was_killed, connects=connects, warn=warn)
            except (Exception, SystemExit) as error:
                warn(f"tracker {tracker.name!r}: runs that were killed are not ended there: {one_line(error)}")


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
