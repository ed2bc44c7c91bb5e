"""What a trial that failed counts as. The choice is the reader's, and is printed under every table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchkit.errors import RequestError
from benchkit.journal import Record, changed
from benchkit.journal.place import Place, placed

DROP, WORST, BASELINE = "drop", "worst", "baseline"

# The algorithm's doing. A trial that was skipped or interrupted says nothing about the algorithm and stays out.
CHARGED = ("failed", "timeout", "memory", "crashed")


class PolicyError(RequestError):
    """The policy cannot be carried out; the message is one line for the user."""


def parse_policy(text: str, algorithms: Iterable[str]) -> tuple[str, str]:
    """``drop``, ``worst`` or ``baseline:NAME`` as a policy and a name."""
    policy, colon, name = text.partition(":")
    known = sorted(set(algorithms))
    if text in (DROP, WORST):
        return text, ""
    if policy == BASELINE and colon:
        if name in known:
            return BASELINE, name
        raise PolicyError(f"--failures {text}: no algorithm {name!r} in this run; it has {', '.join(known)}")
    raise PolicyError(f"--failures {text}: expected drop, worst or baseline:NAME")


def describe(policy: str, name: str = "") -> str:
    """One sentence for under a table."""
    if policy == WORST:
        return "failed trials count as the worst value that any algorithm had at that point"
    if policy == BASELINE:
        return f"failed trials count as {name} in the same repetition"
    return "means leave failed trials out"


def count_failures(
    records: Sequence[Record], metrics: Sequence[str], greater_is_better: Mapping[str, bool], policy: str, name: str
) -> Sequence[Record]:
    """Records in which the trials that failed have the metrics that the policy gives them; their status stays.

    Parameters
    ----------
    records : sequence of mapping
    metrics : sequence of str
    greater_is_better : mapping of metric to bool
    policy, name : str
        From `parse_policy`.
    """
    if policy == DROP:
        return [row if row["status"] == "ok" or not row["metrics"] else {**row, "metrics": {}} for row in records]
    pick = {metric: min if greater_is_better[metric] else max for metric in metrics}
    worst: dict[tuple[Place, str], float] = {}
    own: dict[tuple[Place, int, str], float] = {}
    for row, place in placed(records):
        if row["status"] != "ok":
            continue
        for metric in metrics:
            value = row["metrics"].get(metric)
            if value is not None:
                worst[place, metric] = pick[metric](worst.get((place, metric), value), value)
                if row["algorithm"] == name:
                    own[place, row["repetition"], metric] = value
    counted = []
    for row, place in placed(records):
        if row["status"] == "ok":
            counted.append(row)
            continue
        values: dict[str, Any] = {}
        if row["status"] in CHARGED:
            for metric in metrics:
                values[metric] = (
                    worst.get((place, metric)) if policy == WORST else own.get((place, row["repetition"], metric))
                )
        counted.append(changed(row, {"metrics": values}))
    return counted
