"""Letting published rows stand beside a run's own, in tables, tests, plots and claims; or alone, as results."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchkit.journal import PublishError, changed
from benchkit.plugin.declarations import ReportSection, ReportTable
from benchkit.plugin.manager import registry
from benchkit.published.matching import Match, Matching, Names, Spot, entries_of, names_of, spot_of
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored, open_stored
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results
from benchkit.suite.names import digest

MEASURED = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What another machine measured: it does not mix with what this one did."""
_OF_ALL = ("numpy", "scipy", "scikit-learn")


def open_published(place: str) -> PublishedRows:
    """The published rows of a folder, or of ``published``."""
    return PublishedRows(open_stored(place))


@dataclass(frozen=True)
class PublishedRows:
    """Rows of a folder of published results; its methods are those of `benchkit.RowsBeside`."""

    stored: Stored

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """The trials that need not be run, because a published row that ended ok answers each of them."""
        entries = entries_of(content)
        by_spot: dict[tuple[Spot, str], str] = {}
        for trial, fields in trials.items():
            design, method = content["places"][trial]
            by_spot[spot_of(design, fields), entries[method]] = trial
        matches = Matching(content["designs"], self.stored).at({spot for spot, _ in by_spot})
        return {
            by_spot[match.spot, match.entry]
            for match in matches
            if match.row["status"] == "ok"
            and (match.spot, match.entry) in by_spot
            and all(match.row["metrics"].get(name) is not None for name in match.metrics)
        }

    def join(self, results: Results, answered: Mapping[str, Mapping[str, Any]]) -> Results:
        """The results with the published rows of methods that were not run here."""
        names = names_of(results.manifest["content"], answered.items()) if answered else {}
        return join_published(results, self.stored, names)


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
    members = tuple(_join(member, stored, names or {}, needed=False) for member in results.members)
    return replace(results, members=members, rows=[row for member in members for row in member.rows])


def _join(results: Results, stored: Stored, further_names: Names, needed: bool = True) -> Results:
    content: Mapping[str, Any] | None = results.manifest.get("content")
    if content is None:
        raise PublishError(
            f"{results.folder}: made by a version that did not note what its trials ask; run the suite again (rows "
            "that are still valid are reused)"
        )
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
    if not matches:
        return results
    by_label = _labelled(matches, {str(row["algorithm"]) for row in results.rows})
    rows = [_renamed(match, label, names, results.metrics) for label, members in by_label.items() for match in members]
    here = (results.manifest.get("environment") or {}).get("versions") or {}
    return replace(
        results,
        rows=[*results.rows, *rows],
        report_sections=(*results.report_sections, _origins(by_label, here)),
        outcomes_beside=(*results.outcomes_beside, stored.outcomes),
    )


def _labelled(matches: Iterable[Match], labels: Collection[str]) -> dict[str, list[Match]]:
    """Rows by the label that they get: two methods of one name, and one that a method here has, are told apart."""
    by_entry: dict[tuple[str, str, str], list[Match]] = defaultdict(list)
    for match in matches:
        by_entry[match.row["algorithm"], match.by or "published", match.entry].append(match)
    # Who came first has the label itself, and of the methods of one publisher the newest.
    publishers = list(dict.fromkeys(key[:2] for key in by_entry))
    newest_first = sorted(by_entry, key=lambda key: max(match.age for match in by_entry[key]), reverse=True)
    spots_of_name: dict[str, set[Spot]] = defaultdict(set)
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
            versions |= {pair for pair in origin["versions"].items() if pair[0] in used}
            versions.add(("benchkit", origin["benchkit"]))
        commits = dict.fromkeys(
            (origin["commit"] or "-")[:10] + (" with changes" if origin["uncommitted_changes"] else "")
            for origin in origins.values()
        )
        other = sorted(f"{name} {version}" for name, version in versions if version and here.get(name) != version)
        dates = dict.fromkeys(origin["published"] for origin in origins.values())
        by = dict.fromkeys(match.by for match in matches if match.by)
        columns = [dates, by or "-", other or ["none"], commits]
        table.append([label, len(matches), *(", ".join(column) for column in columns)])
    shown = ReportTable(
        columns=("method", "rows", "published", "by", "other versions than here", "commit"),
        rows=tuple(table),
        note="These rows were not run here: they are published, and ask the same of the same data, split, "
        "preprocessing and adversary, by content. Their seconds are not shown among this machine's.",
    )
    return ReportSection(name="published-rows", title="Published rows", compute=lambda results: shown)


def published_results(stored: Stored, suite: str, profile: str) -> Results:
    """The rows of the published run of a suite and profile that began last.

    Parameters
    ----------
    stored : Stored
    suite, profile : str

    Returns
    -------
    Results
        Of no folder: their manifest is with them, and outcomes of rows are with what is published. Seconds of rows
        that another machine measured are left out.

    Raises
    ------
    PublishError
    """
    runs = [run for run in stored.of_suite(suite) if run.manifest["profile"] == profile]
    if not runs:
        raise PublishError(f"{stored.name}: nothing is published for {suite} ({profile})")
    run = runs[-1]
    origins = run.manifest["origins"]
    machine = origins[run.manifest["run"]]["machine"] if run.manifest["run"] in origins else None
    rows = [
        changed(row, {"suite": suite, **({} if origins[row["run"]]["machine"] == machine else dict.fromkeys(MEASURED))})
        for row in run.rows
    ]
    content = {**run.manifest["content"], "places": {row["trial"]: [row["design"], row["method"]] for row in rows}}
    manifest = {**run.manifest, "content": content, "trials": [row["trial"] for row in rows], "reused_from": {}}
    sections = tuple(registry().report_sections.values())
    results = make_results(Path(suite, run.manifest["run"]), manifest, rows, sections)
    return replace(results, told=manifest, outcomes_beside=(stored.outcomes,))
