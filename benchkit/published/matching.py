"""Which published rows answer the question of a run's trials: by content, never by name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchkit.published.rows import PublishedRow
from benchkit.published.stored import PublishedRun, Stored, as_text

Spot = tuple[str, str, int]
"""A design of the run, a place on the axis, a repetition: where rows of several methods stand side by side."""

# What a row is called is its run's business, and not that of the row that was published.
_NAMES = (
    *("suite", "profile", "dataset", "dataset_params", "group", "feature_values"),
    *("adversary", "adversary_params", "budget", "axis", "axis_value", "repetition"),
)

Names = Mapping[Spot, Mapping[str, Any]]
"""What rows are called in a run, by spot."""


@dataclass(frozen=True)
class Match:
    """A published row that stands at a spot of a run, and the metrics that both compute alike."""

    spot: Spot
    run: PublishedRun
    row: PublishedRow
    metrics: tuple[str, ...]

    @property
    def entry(self) -> str:
        """What a suite says of its method, as text."""
        return self.run.entries[self.row["method"]]

    @property
    def by(self) -> str:
        """Who published it."""
        return str(self.run.manifest["by"])

    @property
    def age(self) -> tuple[str, str]:
        """When it was published, and measured."""
        return self.run.age(self.row)


def spot_of(design: str, row: Mapping[str, Any]) -> Spot:
    """Where a row stands."""
    return design, json.dumps(row["axis_value"], sort_keys=True, default=str), int(row["repetition"])


def names_of(content: Mapping[str, Any], rows: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[Spot, dict[str, Any]]:
    """What rows are called, by spot.

    Parameters
    ----------
    content : mapping
        Of the manifest of a run.
    rows : iterable of (str, mapping)
        Its trials, and fields of their records.
    """
    places = content["places"]
    return {
        spot_of(places[trial][0], row): {name: row.get(name) for name in _NAMES}
        for trial, row in rows
        if trial in places
    }


def entries_of(content: Mapping[str, Any]) -> dict[str, str]:
    """What a suite says of each method of a manifest's ``content``, as text."""
    return {key: as_text(method["question"]) for key, method in content["methods"].items()}


class Matching:
    """The designs of published runs that ask what the designs of a run ask, by the same code.

    Parameters
    ----------
    designs : mapping of str to mapping
        Of the run, by id.
    stored : Stored

    Attributes
    ----------
    reasons : list of str
        Why published designs that ask the same are not the same.
    """

    def __init__(self, designs: Mapping[str, Mapping[str, Any]], stored: Stored) -> None:
        self.reasons: list[str] = []
        self._same: list[tuple[PublishedRun, dict[str, tuple[str, tuple[str, ...]]]]] = []
        by_question: dict[str, list[str]] = defaultdict(list)
        for key, design in designs.items():
            by_question[as_text(design["question"])].append(key)
        for run in stored.runs.values():
            same = {}
            for key, question in run.questions.items():
                published = run.manifest["content"]["designs"][key]
                for own in by_question.get(question, ()):
                    if metrics := self._metrics_alike(designs[own], published):
                        same[key] = own, metrics
                        break
            if same:
                self._same.append((run, same))
        if not self._same and not self.reasons:
            self.reasons = ["no published row asks what this run asks (seed, data, split, preprocessing, adversary)"]

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._same)

    def _metrics_alike(self, own: Mapping[str, Any], published: Mapping[str, Any]) -> tuple[str, ...]:
        """The metrics that two designs of one question compute alike; none where other code of theirs differs."""
        data = own["question"]["dataset"]["name"]
        if other := [part for part, code in own["code"].items() if published["code"].get(part) != code]:
            self.reasons.append(f"{data}: the code or content of {' and '.join(other)} is another than was published")
            return ()
        metrics = tuple(name for name, code in own["metrics"].items() if published["metrics"].get(name) == code)
        if not metrics:
            self.reasons.append(f"{data}: no metric is computed as it was for the published rows")
        return metrics

    def at(self, spots: Collection[Spot]) -> list[Match]:
        """The published rows that stand at spots: of each method and code the best row, the newest of equals."""
        best: dict[tuple[Any, ...], Match] = {}
        for match in self.all():
            if match.spot in spots:
                key = match.spot, match.row["algorithm"], match.entry, match.by
                if key not in best or _rank(match) >= _rank(best[key]):
                    best[key] = match
        return list(best.values())

    def all(self) -> Iterator[Match]:
        """Every published row of these designs, but for copies of what other published runs hold."""
        for run, same in self._same:
            for row in run.rows:
                if row["design"] in same and not row.get("published_with"):
                    own, metrics = same[row["design"]]
                    yield Match(spot_of(own, row), run, row, metrics)


def _rank(match: Match) -> tuple[bool, str, str]:
    return match.row["status"] == "ok", *match.age
