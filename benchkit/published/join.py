"""Letting published rows stand beside a run's own: in tables, tests, plots and claims."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchkit.journal import PublishError, changed
from benchkit.published.asked import asked_of
from benchkit.published.matching import Names, Same, Spot, age_of, answering, entry_of, names_of, same_designs
from benchkit.published.rows import PublishedRow
from benchkit.published.sections import origin_section, seconds_section
from benchkit.published.stored import Stored
from benchkit.report.results import Results
from benchkit.suite.names import digest

MEASURED = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What another machine measured: it does not mix with what this one did."""


def join_published(results: Results, stored: Stored, names: Names | None = None) -> Results:
    """Results with the published rows of methods that were not run here.

    A row joins where seed, data, split, preprocessing, feature values, adversary and axis are the same by content, and
    brings the metrics that are computed alike. What other code it was made with is told in a report section. Its
    seconds stay out, since they are another machine's.

    Parameters
    ----------
    results : Results
        Of one suite, or of a collection.
    stored : Stored
    names : mapping, optional
        What rows are called at spots where the run has none, as `benchkit.published.matching.names_of` returns it.

    Returns
    -------
    Results

    Raises
    ------
    PublishError
        Nothing that is published answers the run's question; the message says what differs.
    """
    if not results.members:
        return _join(results, stored, names or {})
    members = tuple(_join(each, stored, names or {}, needed=False) for each in results.members)
    return replace(results, members=members, rows=[row for each in members for row in each.rows])


def _join(results: Results, stored: Stored, extra: Names, needed: bool = True) -> Results:
    manifest = results.manifest
    if "content" not in manifest:
        raise PublishError(
            f"{results.folder}: made by a version that did not note what its trials ask; run the suite again (rows "
            "that are still valid are reused)"
        )
    places, content = asked_of(manifest), manifest["content"]
    own = [(places[str(row["trial"])], row) for row in results.rows if str(row["trial"]) in places]
    names = {**names_of(own), **extra}
    same, reasons = same_designs(content["designs"], stored.index["designs"])
    if not same:
        if needed:
            raise PublishError(f"{stored.name}: nothing joins: {reasons[0]}")
        return results
    entries = {entry_of(content["methods"][place.method]) for place, _ in own}
    contributions = stored.index["contributions"]
    chosen = [
        (spot, row)
        for spot, row in answering(stored, same, names)
        if entry_of(contributions[row["contribution"]]["methods"][row["method"]]) not in entries
    ]
    labels = {str(row["algorithm"]) for row in results.rows}
    rows: list[PublishedRow] = []
    by_method: dict[str, list[str]] = {}
    for label, members in labelled(chosen, contributions, labels).items():
        by_method[label] = list(dict.fromkeys(row["contribution"] for _, row in members))
        rows += [_renamed(row, label, names[spot], same, results.metrics) for spot, row in members]
    if not rows:
        return results
    joint = [*results.rows, *rows]
    here = (manifest.get("environment") or {}).get("versions") or {}
    sections = [origin_section(by_method, joint, stored, here)]
    label_of = {key: label for label, keys in by_method.items() for key in keys}
    seconds = seconds_section(label_of, [row for _, row in chosen], results.rows, stored, manifest.get("probe"))
    if seconds is not None:
        sections.append(seconds)
    return replace(
        results,
        rows=joint,
        report_sections=(*results.report_sections, *sections),
        outcomes_beside=(*results.outcomes_beside, stored.outcomes),
    )


def labelled(
    rows: Iterable[tuple[Spot, PublishedRow]], contributions: Mapping[str, Any], labels: Iterable[str]
) -> dict[str, list[tuple[Spot, PublishedRow]]]:
    """Rows by the label that they get: two methods of one name, and one that a method here has, are told apart.

    Parameters
    ----------
    rows : iterable of (Spot, record)
    contributions : mapping
        Of the index.
    labels : iterable of str
        Those that are taken.
    """
    taken = set(labels)
    by_entry: dict[tuple[str, str, str], list[tuple[Spot, PublishedRow]]] = defaultdict(list)
    for spot, row in rows:
        contribution = contributions[row["contribution"]]
        entry = entry_of(contribution["methods"][row["method"]])
        by_entry[row["algorithm"], contribution["by"] or "published", entry].append((spot, row))
    given: dict[str, set[Spot]] = {}
    names: dict[tuple[str, str, str], str] = {}
    # Who came first has the label itself, and of the methods of one publisher the newest.
    newest_first = sorted(
        by_entry, key=lambda key: max(_age(row, contributions) for _, row in by_entry[key]), reverse=True
    )
    publishers = list(dict.fromkeys(key[:2] for key in by_entry))
    for key in sorted(newest_first, key=lambda key: publishers.index(key[:2])):
        label, source, entry = key
        spots = {spot for spot, _ in by_entry[key]}
        for name in (label, f"{label} ({source})", f"{label} ({source} {digest(json.loads(entry), 6)})"):
            # Entries of one label that stand at different spots, such as data sets, are one curve to their suite.
            if name not in taken and not spots & given.get(name, set()):
                given.setdefault(name, set()).update(spots)
                names[key] = name
                break
    labelled: dict[str, list[tuple[Spot, PublishedRow]]] = {}
    for key, members in by_entry.items():
        if key in names:
            labelled.setdefault(names[key], []).extend(members)
    return labelled


def _age(row: PublishedRow, contributions: Mapping[str, Any]) -> tuple[str, str]:
    return age_of(contributions[row["contribution"]])


def _renamed(
    row: PublishedRow, label: str, names: Mapping[str, Any], same: Same, metrics: Sequence[str]
) -> PublishedRow:
    alike = same[row["design"]][1]
    place = [label, names["dataset"], names["dataset_params"], names["adversary"], row["design"], names["axis_value"]]
    own = {
        "algorithm": label,
        "cell": digest(place),
        "metrics": {name: row["metrics"].get(name) for name in metrics if name in alike},
        "run": "",
        "published": row["contribution"],
    }
    return changed(row, {**names, **dict.fromkeys(MEASURED), **own})
