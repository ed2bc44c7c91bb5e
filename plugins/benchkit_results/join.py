"""Letting published rows stand beside a run's own, in tables, tests, plots and claims; or alone, as results.

Which published rows answer the question of a run's trials is decided by content, never by name.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from benchkit import PublishError, ReportSection, ReportTable, Results, results_of
from benchkit_results.rows import PublishedRow
from benchkit_results.stored import COMPUTES_WITH, PublishedRun, Stored, as_text, digest, entries_of, open_stored

MEASURED = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What another machine measured: it does not mix with what this one did."""

Spot = tuple[str, str, int]
"""A design of the run, a place on the axis, a repetition: where rows of several methods stand side by side."""

# What a row is called is its run's business, and not that of the row that was published.
_NAMES = (
    *("suite", "profile", "dataset", "dataset_params", "group", "feature_values"),
    *("adversary", "adversary_params", "budget", "axis", "axis_value", "repetition"),
)


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


def spot_of(design: str, row: Mapping[str, Any]) -> Spot:
    """Where a row stands."""
    return design, json.dumps(row["axis_value"], sort_keys=True, default=str), int(row["repetition"])


def trials_by_spot(content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> dict[tuple[Spot, str], str]:
    """Trials, given with their fields, by where they stand and what a manifest's ``content`` says of their methods."""
    entries, places = entries_of(content), content["places"]
    return {(spot_of(places[trial][0], row), entries[places[trial][1]]): trial for trial, row in trials.items()}


def matching_rows(designs: Mapping[str, Mapping[str, Any]], stored: Stored) -> tuple[list[Match], list[str]]:
    """Published rows that answer what a run's designs, by id, ask, by the same code; and why others do not.

    Copies of what other published runs hold are left out.
    """
    matches: list[Match] = []
    reasons: list[str] = []
    alike = False
    by_question: dict[str, list[str]] = defaultdict(list)
    for key, design in designs.items():
        by_question[as_text(design["question"])].append(key)
    for run in stored.runs.values():
        same: dict[str, tuple[str, tuple[str, ...]]] = {}
        for key, question in run.questions.items():
            for own in by_question.get(question, ()):
                metrics = _metrics_alike(designs[own], run.manifest["content"]["designs"][key], reasons)
                if metrics and key not in same:
                    same[key] = own, metrics
        alike = alike or bool(same)
        for row in run.rows if same else ():
            if row["design"] in same and not row.get("published_with"):
                own, metrics = same[row["design"]]
                matches.append(Match(spot_of(own, row), run, row, metrics))
    if not alike and not reasons:
        reasons = ["no published row asks what this run asks (seed, data, split, preprocessing, adversary)"]
    return matches, reasons


def _metrics_alike(own: Mapping[str, Any], published: Mapping[str, Any], reasons: list[str]) -> tuple[str, ...]:
    """The metrics that two designs of one question compute alike; none where other code of theirs differs."""
    data = own["question"]["dataset"]["name"]
    if other := [part for part, code in own["code"].items() if published["code"].get(part) != code]:
        reasons.append(f"{data}: the code or content of {' and '.join(other)} is another than was published")
        return ()
    metrics = tuple(name for name, code in own["metrics"].items() if published["metrics"].get(name) == code)
    if not metrics:
        reasons.append(f"{data}: no metric is computed as it was for the published rows")
    return metrics


def _best_at(matches: Iterable[Match], spots: Collection[Spot]) -> list[Match]:
    """The rows that stand at spots: of each method and code the best row, the newest of equals."""

    def rank(match: Match) -> tuple[bool, str, str]:
        return match.row["status"] == "ok", *match.run.age(match.row)

    best: dict[tuple[Any, ...], Match] = {}
    for match in matches:
        key = match.spot, match.row["algorithm"], match.entry, match.run.manifest["by"]
        if match.spot in spots and (key not in best or rank(match) >= rank(best[key])):
            best[key] = match
    return list(best.values())


def open_published(place: str) -> PublishedRows:
    """The published rows of a folder, or of ``published``."""
    return PublishedRows(open_stored(place))


@dataclass(frozen=True)
class PublishedRows:
    """Rows of a folder of published results; its methods are those of `benchkit.RowsBeside`."""

    stored: Stored

    def answered(self, content: Mapping[str, Any], trials: Mapping[str, Mapping[str, Any]]) -> set[str]:
        """The trials that need not be run, because a published row that ended ok answers each of them."""
        by_spot = trials_by_spot(content, trials)
        matches, _ = matching_rows(content["designs"], self.stored)
        return {
            by_spot[match.spot, match.entry]
            for match in _best_at(matches, {spot for spot, _ in by_spot})
            if match.row["status"] == "ok"
            and (match.spot, match.entry) in by_spot
            and all(match.row["metrics"].get(name) is not None for name in match.metrics)
        }

    def join(self, results: Results, answered: Mapping[str, Mapping[str, Any]] | None = None) -> Results:
        """The results, of a suite or a collection, with the published rows of methods that were not run here.

        A row joins where seed, data, split, preprocessing, feature values, adversary and axis are the same by content,
        and brings the metrics that are computed alike. What other code it was made with is told in a report section.
        Its seconds stay out, since they are another machine's. ``answered`` are trials of the run that published rows
        answer, and the fields of their future records; by default those that the run's manifest names. Raises
        PublishError where nothing that is published answers the run's question; it says what differs.
        """
        if not results.members:
            return _join(results, self.stored, answered or {})
        members = tuple(_join(member, self.stored, answered or {}, needed=False) for member in results.members)
        return replace(results, members=members, rows=[row for member in members for row in member.rows])


def _join(results: Results, stored: Stored, answered: Mapping[str, Mapping[str, Any]], needed: bool = True) -> Results:
    content: Mapping[str, Any] | None = results.manifest.get("content")
    if content is None:
        raise PublishError(
            f"{results.folder}: made by a version that did not note what its trials ask; run the suite again (rows "
            "that are still valid are reused)"
        )
    published, reasons = matching_rows(content["designs"], stored)
    if not published:
        if needed and reasons:
            raise PublishError(f"{stored.name}: nothing joins: {reasons[0]}")
        return results
    answered = answered or results.manifest.get("answered", {})
    entries, places = entries_of(content), content["places"]
    own = {row["trial"]: row for row in results.rows if row["trial"] in places}
    # What rows are called at each spot of the run.
    names = {
        spot_of(places[trial][0], row): {name: row.get(name) for name in _NAMES}
        for trial, row in [*own.items(), *answered.items()]
        if trial in places
    }
    ran_at = trials_by_spot(content, own)
    own_entries = {entry for _, entry in ran_at}
    best = _best_at(published, names)
    # Where what ran here is what was published, other published tunings of the method say nothing more.
    ran = {match.row["algorithm"] for match in best if match.entry in own_entries}
    matches = [
        match
        for match in best
        if (match.spot, match.entry) not in ran_at and (match.entry in own_entries or match.row["algorithm"] not in ran)
    ]
    if not matches:
        return results
    own_labels: dict[str, set[str]] = {row["algorithm"]: set() for row in results.rows}
    for trial, row in own.items():
        own_labels[row["algorithm"]].add(entries[places[trial][1]])
    by_label = _labelled(matches, own_labels, set(entries.values()), results.suite)
    rows = [
        _renamed(match, label, names[match.spot], results.metrics)
        for label, members in by_label.items()
        for match in members
    ]
    here = (results.manifest.get("environment") or {}).get("versions") or {}
    return replace(
        results,
        rows=[*results.rows, *rows],
        report_sections=(*results.report_sections, _origins(by_label, here)),
        outcomes_beside=(*results.outcomes_beside, stored.outcomes),
    )


def _labelled(
    matches: Iterable[Match], labels: Mapping[str, set[str]], asked: Collection[str], suite: str
) -> dict[str, list[Match]]:
    """Rows by the label that they get: that of their method, with its publisher where another method here has the same.

    ``labels`` are those of methods that ran here, each with its entries.

    Where two methods of one publisher and label stand at the same place, that which the run ``asked`` for is taken, or
    else that of the suite itself, of most places, the newest: two tunings of one method are one curve to a reader.
    """
    by_entry: dict[tuple[str, str, str], list[Match]] = defaultdict(list)
    for match in matches:
        by_entry[match.row["algorithm"], match.run.manifest["by"] or "published", match.entry].append(match)

    def rank(key: tuple[str, str, str]) -> tuple[Any, ...]:
        members = by_entry[key]
        of_suite = any(match.run.manifest["suite"] == suite for match in members)
        newest = max(match.run.age(match.row) for match in members)
        return key[2] in asked, of_suite, len({match.spot for match in members}), newest

    names: dict[tuple[str, str], str] = {}
    taken: dict[str, set[Spot]] = defaultdict(set)
    by_label: dict[str, list[Match]] = defaultdict(list)
    # Who published first has the label itself.
    publishers = list(dict.fromkeys(key[:2] for key in by_entry))
    for key in sorted(sorted(by_entry, key=rank, reverse=True), key=lambda key: publishers.index(key[:2])):
        label, source, entry = key
        is_taken = entry not in labels.get(label, {entry}) or label in names.values()
        name = names.setdefault((label, source), f"{label} ({source})" if is_taken else label)
        spots = {match.spot for match in by_entry[key]}
        if not spots & taken[name]:
            taken[name] |= spots
            by_label[name] += by_entry[key]
    return by_label


def _renamed(match: Match, label: str, names: Mapping[str, Any], metrics: Sequence[str]) -> PublishedRow:
    """A row as it is called in the run that it joins."""
    row = match.row
    place = [label, names["dataset"], names["dataset_params"], names["adversary"], row["design"], names["axis_value"]]
    own = {
        "algorithm": label,
        "cell": digest(place),
        "metrics": {name: row["metrics"].get(name) for name in metrics if name in match.metrics},
        "run": "",
        "published": match.run.name,
    }
    return cast(PublishedRow, {**row, **names, **dict.fromkeys(MEASURED), **own})


def _origins(by_label: Mapping[str, Sequence[Match]], here: Mapping[str, Any]) -> ReportSection:
    """Who published each method's rows, when, and which versions are others than those of the run that they join."""
    table = []
    for label, matches in by_label.items():
        origins = {}
        versions: set[tuple[str, str]] = set()
        for match in matches:
            manifest = match.run.manifest
            origin = origins[match.run.name, match.row["run"]] = manifest["origins"][match.row["run"]]
            used = {*COMPUTES_WITH, *manifest["content"]["methods"][match.row["method"]]["versions"]}
            versions |= {pair for pair in origin["versions"].items() if pair[0] in used}
            versions.add(("benchkit", origin["benchkit"]))
        commits = dict.fromkeys(
            (origin["commit"] or "-")[:10] + (" with changes" if origin["uncommitted_changes"] else "")
            for origin in origins.values()
        )
        other = sorted(f"{name} {version}" for name, version in versions if version and here.get(name) != version)
        dates = dict.fromkeys(origin["published"] for origin in origins.values())
        by = dict.fromkeys(match.run.manifest["by"] for match in matches if match.run.manifest["by"])
        columns = [dates, by or "-", other or ["none"], commits]
        table.append([label, len(matches), *(", ".join(column) for column in columns)])
    report_table = ReportTable(
        columns=("method", "rows", "published", "by", "other versions than here", "commit"),
        rows=tuple(table),
        title="Published rows",
        note="These rows were not run here: they are published, and ask the same of the same data, split, "
        "preprocessing and adversary, by content. Their seconds are not shown among this machine's.",
    )
    return ReportSection(name="published-rows", title="Published rows", compute=lambda results: report_table)


def published_results(stored: Stored, suite: str, profile: str) -> Results:
    """The rows of the published run of a suite and profile that began last; PublishError where there is none.

    They are of no folder: their manifest is with them, and outcomes of rows are with what is published. Seconds of rows
    that another machine measured are left out.
    """
    if (suite, profile) not in stored.newest:
        raise PublishError(f"{stored.name}: nothing is published for {suite} ({profile})")
    run = stored.newest[suite, profile]
    origins = run.manifest["origins"]
    machine = origins[run.manifest["run"]]["machine"] if run.manifest["run"] in origins else None
    rows = [
        {**row, "suite": suite, **({} if origins[row["run"]]["machine"] == machine else dict.fromkeys(MEASURED))}
        for row in run.rows
    ]
    content = {**run.manifest["content"], "places": {row["trial"]: [row["design"], row["method"]] for row in rows}}
    manifest = {**run.manifest, "content": content, "trials": [row["trial"] for row in rows], "reused_from": {}}
    return results_of(manifest, rows, stored.outcomes)
