"""Letting published rows stand beside a run's own: in tables, tests, plots and claims."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchkit.journal import PublishError, changed
from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.published.matching import Match, Matching, Names, answered, entries_of, names_of, spot_of
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored, open_stored
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results
from benchkit.suite.names import digest

MEASURED = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What another machine measured: it does not mix with what this one did."""
_OF_ALL = ("numpy", "scipy", "scikit-learn")


def open_published(place: str) -> PublishedRows:
    """The published rows of a folder, an address, or ``published``."""
    return PublishedRows(open_stored(place))


@dataclass(frozen=True)
class PublishedRows:
    """Rows of a folder or an address of published results; its methods are those of `benchkit.RowsBeside`."""

    stored: Stored

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """The trials that a published row which ended ok answers."""
        return answered(content, trials, self.stored)

    def join(self, results: Results, answered: Mapping[str, Mapping[str, Any]]) -> Results:
        """The results with the published rows of methods that were not run here."""
        names = names_of(results.manifest["content"], answered.items()) if answered else {}
        return join_published(results, self.stored, names)

    def counterpart(self, results: Results) -> Results:
        """The published rows of the run's own methods."""
        return counterpart(results, self.stored)


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


def _join(results: Results, stored: Stored, further_names: Names, needed: bool = True) -> Results:
    content = _content(results)
    own = [(str(row["trial"]), row) for row in results.rows]
    names = {**names_of(content, own), **further_names}
    matching = Matching(content["designs"], stored)
    if not matching:
        if needed:
            raise PublishError(f"{stored.name}: nothing joins: {matching.reasons[0]}")
        return results
    entries, places = entries_of(content), content["places"]
    own_entries = {entries[places[trial][1]] for trial, _ in own if trial in places}
    matches = [match for match in matching.at(names) if match.entry not in own_entries]
    by_label = labelled(matches, {str(row["algorithm"]) for row in results.rows})
    rows = [_renamed(match, label, names, results.metrics) for label, members in by_label.items() for match in members]
    if not rows:
        return results
    here = (results.manifest.get("environment") or {}).get("versions") or {}
    return replace(
        results,
        rows=[*results.rows, *rows],
        report_sections=(*results.report_sections, _origins(by_label, here)),
        outcomes_beside=(*results.outcomes_beside, stored.outcomes),
    )


def _content(results: Results) -> Mapping[str, Any]:
    content: Mapping[str, Any] | None = results.manifest.get("content")
    if content is None:
        raise PublishError(
            f"{results.folder}: made by a version that did not note what its trials ask; run the suite again (rows "
            "that are still valid are reused)"
        )
    return content


def labelled(matches: Iterable[Match], labels: Collection[str]) -> dict[str, list[Match]]:
    """Rows by the label that they get: two methods of one name, and one that a method here has, are told apart.

    Parameters
    ----------
    matches : iterable of Match
    labels : collection of str
        Those that are taken.
    """
    by_entry: dict[tuple[str, str, str], list[Match]] = defaultdict(list)
    for match in matches:
        by_entry[match.row["algorithm"], match.by or "published", match.entry].append(match)
    # Who came first has the label itself, and of the methods of one publisher the newest.
    publishers = list(dict.fromkeys(key[:2] for key in by_entry))
    newest_first = sorted(by_entry, key=lambda key: max(match.age for match in by_entry[key]), reverse=True)
    spots_of_name: dict[str, set[Any]] = defaultdict(set)
    names: dict[tuple[str, str, str], str] = {}
    for key in sorted(newest_first, key=lambda key: publishers.index(key[:2])):
        label, source, entry = key
        spots = {match.spot for match in by_entry[key]}
        for name in (label, f"{label} ({source})", f"{label} ({source} {digest(json.loads(entry), 6)})"):
            # Entries of one label that stand at different spots, such as data sets, are one curve to their suite.
            if name not in labels and not spots & spots_of_name[name]:
                spots_of_name[name] |= spots
                names[key] = name
                break
    by_label: dict[str, list[Match]] = {}
    for key, members in by_entry.items():
        if key in names:
            by_label.setdefault(names[key], []).extend(members)
    return by_label


def _renamed(match: Match, label: str, names: Names, metrics: Sequence[str]) -> PublishedRow:
    row, called = match.row, names[match.spot]
    place = [label, called["dataset"], called["dataset_params"], called["adversary"], row["design"]]
    own = {
        "algorithm": label,
        "cell": digest([*place, called["axis_value"]]),
        "metrics": {name: row["metrics"].get(name) for name in metrics if name in match.metrics},
        "run": "",
        "published": match.run.name,
    }
    return changed(row, {**called, **dict.fromkeys(MEASURED), **own})


def _origins(by_label: Mapping[str, Sequence[Match]], here: Mapping[str, Any]) -> ReportSection:
    """Who published each method's rows, when, and which versions are others than those of the run that they join."""
    table = []
    for label, matches in by_label.items():
        origins = {}
        versions: set[tuple[str, str]] = set()
        for match in matches:
            manifest = match.run.manifest
            origin = origins[match.run.name, match.row["run"]] = manifest["origins"][match.row["run"]]
            used = {*_OF_ALL, *manifest["content"]["methods"][match.row["method"]]["versions"]}
            versions |= {each for each in origin["versions"].items() if each[0] in used}
            versions.add(("benchkit", origin["benchkit"]))
        commits = dict.fromkeys(
            (origin["commit"] or "-")[:10] + (" with changes" if origin["uncommitted_changes"] else "")
            for origin in origins.values()
        )
        other = sorted(f"{name} {version}" for name, version in versions if version and here.get(name) != version)
        dates = dict.fromkeys(origin["published"] for origin in origins.values())
        by = dict.fromkeys(match.by for match in matches if match.by)
        columns = [dates, by or "-", other or ["none"], commits]
        table.append([label, len(matches), *(", ".join(each) for each in columns)])
    shown = ReportTable(
        columns=("method", "rows", "published", "by", "other versions than here", "commit"),
        rows=tuple(table),
        note="These rows were not run here: they are published, and ask the same of the same data, split, "
        "preprocessing and adversary, by content. Their seconds are not shown among this machine's.",
    )
    return ReportSection(name="published-rows", title="Published rows", compute=lambda results: shown)


def counterpart(results: Results, stored: Stored) -> Results:
    """The published rows of a run's own methods, under its names, which the run can be compared with.

    Parameters
    ----------
    results : Results
        Of one suite.
    stored : Stored

    Returns
    -------
    Results
        Of no folder: their manifest is with them.

    Raises
    ------
    PublishError
        No published row answers the run's question with one of its methods.
    """
    content = _content(results)
    entries, names = entries_of(content), names_of(content, [(str(row["trial"]), row) for row in results.rows])
    labels: dict[tuple[Any, str], str] = {}
    for row in results.rows:
        if str(row["trial"]) in content["places"]:
            design, method = content["places"][str(row["trial"])]
            labels[spot_of(design, row), entries[method]] = str(row["algorithm"])
    matching = Matching(content["designs"], stored)
    matches = [match for match in matching.at(names) if (match.spot, match.entry) in labels]
    if not matches:
        why = "none of this run's methods is published" if matching else matching.reasons[0]
        raise PublishError(f"{stored.name}: nothing to compare {results.folder} with: {why}")
    manifest = matches[0].run.manifest
    rows = []
    for match in matches:
        called = {**names[match.spot], "algorithm": labels[match.spot, match.entry], "suite": manifest["suite"]}
        place = [called[name] for name in ("algorithm", "dataset", "dataset_params", "adversary", "axis_value")]
        rows.append(changed(match.row, {**called, "cell": digest(place), "run": "published"}))
    told = {
        **manifest,
        "content": {
            "designs": {
                match.row["design"]: match.run.manifest["content"]["designs"][match.row["design"]] for match in matches
            },
            "methods": {
                match.row["method"]: match.run.manifest["content"]["methods"][match.row["method"]] for match in matches
            },
            "places": {row["trial"]: [row["design"], row["method"]] for row in rows},
        },
        "trials": [row["trial"] for row in rows],
    }
    found = make_results(Path(manifest["suite"], "published"), told, rows)
    return replace(found, told=told, outcomes_beside=(stored.outcomes,))
