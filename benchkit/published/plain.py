"""A row as it is published: without what is private, and what other rows it is the same as."""

from __future__ import annotations

from typing import Any, cast

from benchkit.journal import Record
from benchkit.published.private_text import Scrubber


def plain_row(row: Record, scrub: Scrubber) -> Record:
    """A row without what is private: error messages, which may name anything, are left out whole."""
    kept = {key: value for key, value in row.items() if key not in ("error", "metrics", "measured_in", "tuning")}
    scrubbed = scrub.value(kept | {"candidates": _candidates(row)})
    own = {"trial": row["trial"], "cell": row["cell"], "metrics": dict(row["metrics"]), "error": None}
    return cast(Record, {**scrubbed, **own})


def _candidates(row: Record) -> list[dict[str, Any]] | None:
    """What tuning tried, stage by stage: values of its parameters and their scores, without the seconds of each."""
    stages = row.get("tuning") or []
    return [
        {
            "metric": stage["metric"],
            "judged_on": stage["judged_on"],
            "params": stage["params"],
            "values": [[_short(value) for value in values] for values in stage["values"]],
            "scores": stage["scores"],
        }
        for stage in stages
    ] or None


def _short(value: Any) -> Any:
    """Six significant digits, which tell the values of a grid apart."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def same_outcome(mine: Record, other: Record) -> bool:
    """Whether two rows of a trial tell the same."""
    if mine["status"] != other["status"]:
        return False
    names = {*mine["metrics"], *other["metrics"]}
    return all(mine["metrics"].get(name) == other["metrics"].get(name) for name in names)
