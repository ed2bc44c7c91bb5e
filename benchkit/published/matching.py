"""Which published rows answer the question of a run's trials: by content, never by name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter
from typing import Any

from benchkit.published.asked import Asked, as_text
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored

Spot = tuple[str, str, int]
"""A design of the run, a place on the axis, a repetition: where rows of several methods stand side by side."""

Same = Mapping[str, tuple[str, tuple[str, ...]]]
"""From a published design to the run's, and the metrics that both compute alike."""

# What a row is called is its run's business, and not that of the row that was published.
_NAMES = (
    *("suite", "profile", "dataset", "dataset_params", "group", "feature_values"),
    *("adversary", "adversary_params", "budget", "axis", "axis_value", "repetition"),
)

Names = Mapping[Spot, Mapping[str, Any]]
"""What rows are called in a run, by spot."""


def spot_of(design: str, row: Mapping[str, Any]) -> Spot:
    """Where a row stands."""
    return design, json.dumps(row["axis_value"], sort_keys=True, default=str), int(row["repetition"])


def names_of(rows: Iterable[tuple[Asked, Mapping[str, Any]]]) -> dict[Spot, Mapping[str, Any]]:
    """What rows are called, by spot.

    Parameters
    ----------
    rows : iterable of (Asked, record or fields of one)
    """
    return {spot_of(place.design, row): {name: row.get(name) for name in _NAMES} for place, row in rows}


def entry_of(method: Mapping[str, Any]) -> str:
    """What a suite says of a method, whatever the version of its code, as text that two of them can be compared by."""
    return as_text(method["question"])


def question_of(design: Mapping[str, Any]) -> str:
    """What a design asks, whatever the version of the code, as text that two of them can be compared by."""
    return as_text(design["question"])


def question_of_data(design: Mapping[str, Any]) -> str:
    """What a design asks, and of which content: of a user's file the question has the name alone."""
    files = design.get("files") if "path" in design["question"]["dataset"]["params"] else None
    return question_of(design) + (as_text(files) if files else "")


def same_designs(
    here: Mapping[str, Any], there: Mapping[str, Any], texts: Mapping[str, str] | None = None
) -> tuple[Same, list[str]]:
    """Published designs that ask what a design here asks, by the same code.

    Parameters
    ----------
    here, there : mapping of id to design
    texts : mapping of id to str, optional
        What each of ``there`` asks, as `question_of` gives it, where ``here`` are some of them.

    Returns
    -------
    same : mapping of str to (str, tuple of str)
        From the published design to the one here, and the metrics that both compute alike.
    reasons : list of str
        Why others, which ask the same, are not the same.
    """
    by_question: dict[str, list[str]] = defaultdict(list)
    asked = {key: question_of(design) for key, design in there.items()} if texts is None else texts
    for key, design in here.items():
        by_question[question_of(design) if texts is None else texts[key]].append(key)
    same: dict[str, tuple[str, tuple[str, ...]]] = {}
    reasons: list[str] = []
    for key, design in there.items():
        for match in by_question.get(asked[key], ()):
            mine = here[match]
            other = [part for part, code in mine["code"].items() if design["code"].get(part) != code]
            metrics = tuple(name for name, code in mine["metrics"].items() if design["metrics"].get(name) == code)
            data = design["question"]["dataset"]["name"]
            if other:
                reasons.append(f"{data}: the code or content of {' and '.join(other)} is another than was published")
            elif not metrics:
                reasons.append(f"{data}: no metric is computed as it was for the published rows")
            else:
                same[key] = match, metrics
                break
    if not same and not reasons:
        reasons.append("no published row asks what this run asks (seed, data, split, preprocessing, adversary)")
    return same, reasons


def answering(stored: Stored, same: Same, spots: Collection[Spot]) -> list[tuple[Spot, PublishedRow]]:
    """The published rows that stand at these spots: of each method and code the best row, the newest of equals."""
    contributions = stored.index["contributions"]
    by_design = stored.by_design
    best: dict[tuple[Any, ...], tuple[Spot, PublishedRow]] = {}
    entries: dict[tuple[str, str], str] = {}
    found = [numbered for design in same for numbered in by_design.get(design, ())]
    for _, row in sorted(found, key=itemgetter(0)):
        spot = spot_of(same[row["design"]][0], row)
        if spot not in spots:
            continue
        contribution = contributions[row["contribution"]]
        made = row["contribution"], row["method"]
        if made not in entries:
            entries[made] = entry_of(contribution["methods"][row["method"]])
        key = (spot, row["algorithm"], entries[made], contribution["by"])
        if key not in best or _rank(row, contributions) >= _rank(best[key][1], contributions):
            best[key] = spot, row
    return list(best.values())


def answered(trials: Mapping[str, Mapping[str, Any]], content: Mapping[str, Any], stored: Stored) -> set[str]:
    """The trials that need not be run, because a published row that ended ok answers each of them.

    Parameters
    ----------
    trials : mapping of str to mapping
        Fields of their records, by id.
    content : mapping
        What they ask, as a manifest's ``content`` says it.
    stored : Stored
    """
    same, _ = same_designs(content["designs"], stored.index["designs"])
    if not same:
        return set()
    spots: dict[tuple[Spot, str], str] = {}
    entries = {key: entry_of(method) for key, method in content["methods"].items()}
    for trial_id, fields in trials.items():
        design, method = content["places"][trial_id]
        spots[spot_of(design, fields), entries[method]] = trial_id
    contributions = stored.index["contributions"]
    told = set()
    for spot, row in answering(stored, same, {spot for spot, _ in spots}):
        method = contributions[row["contribution"]]["methods"][row["method"]]
        complete = all(row["metrics"].get(name) is not None for name in same[row["design"]][1])
        key = spot, entry_of(method)
        if row["status"] == "ok" and complete and key in spots:
            told.add(spots[key])
    return told


def _rank(row: PublishedRow, contributions: Mapping[str, Any]) -> tuple[bool, str, str]:
    return row["status"] == "ok", *age_of(contributions[row["contribution"]])


def age_of(contribution: Mapping[str, Any]) -> tuple[str, str]:
    """When rows were published, and when their run began; newer ones are greater."""
    return str(contribution["published"]), str(contribution["started"])
