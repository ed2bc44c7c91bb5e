"""How long trials may take, from those that were done or from what the suite says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchkit.journal import Record

Kind = tuple[str, str]
"""Labels of a data set and an algorithm."""


@dataclass(frozen=True)
class Forecast:
    """What is expected, and why.

    Attributes
    ----------
    seconds : float or None
        Of one worker; None where nothing is known.
    origin : str
        What it rests on, in words.
    elsewhere : bool
        Whether it rests on trials of other profiles, which may be of another size.
    """

    seconds: float | None
    origin: str
    elsewhere: bool = False


def forecast(left: Sequence[Kind], done: Iterable[Record], profile: str, declared: float | None) -> Forecast:
    """How long the trials left of a profile may take.

    Each is expected to take what trials of the same dataset and algorithm took on average; failing that, of the same
    algorithm; failing that, of any. Trials of other profiles may be of another size: the suite's own word goes before
    them.

    Parameters
    ----------
    left : sequence of (str, str)
        Labels of the data set and the algorithm of each trial.
    done : records of trials
    profile : str
    declared : float or None
        Seconds a trial takes as the suite has it.
    """
    timed = [row for row in done if row["status"] == "ok" and row.get("cpu_seconds") is not None]
    own = [row for row in timed if row.get("profile") == profile]
    if own:
        return Forecast(_extrapolated(left, own), "its own trials")
    if declared is not None:
        return Forecast(declared * len(left), "its 'hours'")
    if timed:
        others = ", ".join(sorted({str(row.get("profile")) for row in timed}))
        return Forecast(_extrapolated(left, timed), f"trials of profile {others}", elsewhere=True)
    return Forecast(None, "no trial was run")


def _extrapolated(left: Sequence[Kind], done: Sequence[Record]) -> float:
    by_key: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in done:
        for key in _keys(row["dataset"], row["algorithm"]):
            by_key[key].append(row["cpu_seconds"] or 0.0)
    means = {key: fmean(values) for key, values in by_key.items()}
    return sum(next(means[key] for key in _keys(*kind) if key in means) for kind in left)


def _keys(dataset: str, algorithm: str) -> tuple[tuple[str, ...], ...]:
    return (dataset, algorithm), (algorithm,), ()
