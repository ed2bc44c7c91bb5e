"""How long trials may take, from those that were done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from benchkit.report.statistics import Record


def origin(profile: str, done: Iterable[Record]) -> str:
    """In words, which trials a forecast for a profile rests on."""
    profiles = {str(row.get("profile")) for row in done if row["status"] == "ok"}
    if not profiles:
        return "no trial was run"
    return "its own trials" if profile in profiles else f"trials of profile {', '.join(sorted(profiles))}"


def forecast(left: Iterable[Record], done: Iterable[Record]) -> float | None:
    """Seconds of one worker that the trials left may take, or None where nothing like them was done.

    Each is expected to take what trials of the same dataset and algorithm took on average; failing that, of the same
    algorithm; failing that, of any.
    """
    by_key: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in done:
        if row["status"] == "ok" and row.get("cpu_seconds") is not None:
            for key in ((row["dataset"], row["algorithm"]), (row["algorithm"],), ()):
                by_key[key].append(row["cpu_seconds"])
    if not by_key:
        return None
    means = {key: fmean(values) for key, values in by_key.items()}
    total = 0.0
    for row in left:
        keys: tuple[tuple[str, ...], ...] = ((row["dataset"], row["algorithm"]), (row["algorithm"],), ())
        total += next(means[key] for key in keys if key in means)
    return total
