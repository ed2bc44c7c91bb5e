"""Labels: that each is of one entry, and that what entries refer to is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchkit.session.mistakes.names.known import check_listed
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes
from benchkit.suite.names import portable_params
from benchkit.suite.schema import AdversaryEntry, AlgorithmEntry
from benchkit.suite.whole_suite import Suite


def labels(suite: Suite) -> list[str]:
    """The labels of the suite's datasets, each once."""
    return list(dict.fromkeys(entry.display_name for entry in suite.datasets))


def check_references(suite: Suite) -> Mistakes:
    """Datasets that entries are for: the suite has them."""
    listed: list[tuple[str, Sequence[AlgorithmEntry | AdversaryEntry]]] = [
        ("algorithms", suite.algorithms),
        ("adversaries", suite.adversaries),
    ]
    for kind, entries in listed:
        for position, entry in enumerate(entries):
            yield from check_listed(entry.datasets, labels(suite), "dataset", [kind, position, "datasets"])


def check_labels(suite: Suite) -> Mistakes:
    """Labels: no two entries have the same one where both apply."""
    seen: dict[str, tuple[str, list[dict[str, Any]]]] = {}
    for position, dataset_entry in enumerate(suite.datasets):
        name, params = seen.setdefault(dataset_entry.display_name, (dataset_entry.name, []))
        # Files of one name in two folders would be one curve wherever the folders are not told.
        own = portable_params(dataset_entry.params)
        if name != dataset_entry.name or own in params:
            message = f"label {dataset_entry.display_name!r} is used twice: give one a 'label'"
            yield MistakeError(["datasets", position], message)
        params.append(own)
    listed: list[tuple[str, Sequence[AlgorithmEntry | AdversaryEntry]]] = [
        ("algorithms", suite.algorithms),
        ("adversaries", suite.adversaries),
    ]
    for kind, entries in listed:
        taken: dict[tuple[str, str], int] = {}
        for position, entry in enumerate(entries):
            for dataset in entry.datasets or labels(suite):
                if (entry.display_name, dataset) in taken:
                    message = f"label {entry.display_name!r} is used twice for dataset {dataset!r}: give one a 'label'"
                    yield MistakeError([kind, position], message)
                    break
                taken[entry.display_name, dataset] = position
