"""Published rows as the results of a run: what reads runs reads them, too."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchkit.journal import PublishError, changed
from benchkit.plugin.manager import registry
from benchkit.published.asked import Asked, as_text, asked_of
from benchkit.published.join import MEASURED, labelled
from benchkit.published.matching import Spot, age_of, answering, entry_of, names_of, question_of_data, same_designs
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored
from benchkit.report.results import Results
from benchkit.report.stored_results import make_results
from benchkit.suite.names import digest

RUN = "published"
"""The name of the run's folder."""

Maker = tuple[str, str]
"""Who published a row, and the entry of its method."""


@dataclass(frozen=True)
class _PublishedRun:
    """Published rows under the names of one suite, with the manifest of a run that had made them.

    Attributes
    ----------
    manifest : dict
    rows : dict of str to PublishedRow
        By their trials in the run.
    published : dict of str to PublishedRow
        The same, as they were published.
    """

    manifest: dict[str, Any]
    rows: dict[str, PublishedRow]
    published: dict[str, PublishedRow]


def suite_results(stored: Stored, suite: str, profile: str, *, beside: bool = True) -> Results:
    """A suite's published rows: those of the text that most rows are of, and all rows that stand beside them.

    Parameters
    ----------
    stored : Stored
    suite, profile : str
    beside : bool, default=True
        Add what methods of other suites answer to the same questions. Answers of the suite's own methods always count.

    Returns
    -------
    Results
        Of no folder: their manifest is with them, and outcomes of rows are with what is published.

    Raises
    ------
    PublishError
    """
    return _results(_of_suite(stored, suite, profile, beside), stored)


def _of_suite(stored: Stored, suite: str, profile: str, beside: bool) -> _PublishedRun:
    contributions = stored.index["contributions"]
    mine = {key: each for key, each in contributions.items() if (each["suite"], each["profile"]) == (suite, profile)}
    if not mine:
        raise PublishError(f"{stored.name}: nothing is published for {suite} ({profile})")
    counts: Counter[str] = Counter()
    for each in mine.values():
        counts[each["suite_spec"]] += each["rows"]
    spec_id = counts.most_common(1)[0][0]
    rows = [row for path in dict.fromkeys(each["file"] for each in mine.values()) for row in stored.rows(path)]
    placed = [(Asked(row["design"], row["method"]), row) for row in rows if row["contribution"] in mine]
    own = _of_one_code(stored, _of_one_text(stored, placed, spec_id))
    names = names_of(own)
    designs = {place.design: stored.index["designs"][place.design] for place, _ in own}
    same, _ = same_designs(designs, stored.index["designs"], stored.questions)
    # The suite's own methods keep their labels, whatever other suites call these methods, or name as these are.
    by_design: dict[tuple[str, Maker], list[str]] = defaultdict(list)
    by_maker: dict[Maker, list[str]] = defaultdict(list)
    for maker, (place, row) in zip(_makers(stored, own), own, strict=True):
        for labels in (by_maker[maker], by_design[same[place.design][0], maker]):
            if row["algorithm"] not in labels:
                labels.append(row["algorithm"])
    alike = {(design, _but_for_grids(maker)) for design, maker in by_design}
    chosen = answering(stored, same, names)
    here: dict[tuple[Spot, Maker, str], tuple[Spot, PublishedRow]] = {}
    others: list[tuple[Spot, PublishedRow]] = []
    for maker, (spot, row) in zip(_makers(stored, chosen), chosen, strict=True):
        labels = by_design.get((spot[0], maker)) or by_maker.get(maker, [])
        if not labels:
            if (spot[0], _but_for_grids(maker)) not in alike:
                others.append((spot, row))
            continue
        label = row["algorithm"] if row["algorithm"] in labels else labels[0]
        if row["algorithm"] == label or (spot, maker, label) not in here:
            here[spot, maker, label] = spot, changed(row, {"algorithm": label})
    by_label = labelled(here.values(), contributions, ())
    if beside:
        by_label |= labelled(others, contributions, by_label)
    named = [
        changed(row, {**names[spot], "algorithm": label})
        for label, members in by_label.items()
        for spot, row in members
    ]
    base = next(each for each in mine.values() if each["suite_spec"] == spec_id)
    return _run_of(stored, named, spec_id, base)


def _of_one_text(
    stored: Stored, rows: Sequence[tuple[Asked, PublishedRow]], spec_id: str
) -> list[tuple[Asked, PublishedRow]]:
    """Rows of a text of a suite, and of its other texts those whose labels it has no rows of, or means the same by."""
    declared = {key: _declared(spec["as_run"]) for key, spec in stored.index["suites"].items()}
    contributions = stored.index["contributions"]
    texts = [contributions[row["contribution"]]["suite_spec"] for _, row in rows]
    measured = {row["algorithm"] for text, (_, row) in zip(texts, rows, strict=True) if text == spec_id}
    own = []
    for text, (place, row) in zip(texts, rows, strict=True):
        here, there = (declared[key].get(row["algorithm"]) for key in (spec_id, text))
        if text == spec_id or row["algorithm"] not in measured or here == there:
            own.append((place, row))
    return own


def _of_one_code(stored: Stored, rows: Sequence[tuple[Asked, PublishedRow]]) -> list[tuple[Asked, PublishedRow]]:
    """Rows without those of questions that newer rows ask by other code: their repetitions were drawn otherwise."""
    designs, contributions = stored.index["designs"], stored.index["contributions"]
    answered = dict.fromkeys(place.design for place, _ in rows)
    questions = {design: question_of_data(designs[design]) for design in answered}
    newest: dict[str, tuple[tuple[str, str], str]] = {}
    for place, row in rows:
        mine = age_of(contributions[row["contribution"]]), place.design
        question = questions[place.design]
        newest[question] = max(newest.get(question, mine), mine)
    codes = {question: designs[design]["code"] for question, (_, design) in newest.items()}
    return [(place, row) for place, row in rows if designs[place.design]["code"] == codes[questions[place.design]]]


def _declared(as_run: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What a suite says of each label."""
    by_label: dict[str, list[Any]] = {}
    for entry in as_run.get("algorithms") or ():
        named = entry if isinstance(entry, dict) else {"name": entry}
        by_label.setdefault(str(named.get("label") or named.get("name")), []).append(
            {key: value for key, value in named.items() if key != "datasets"}
        )
    return by_label


def _makers(stored: Stored, rows: Iterable[tuple[object, PublishedRow]]) -> list[Maker]:
    """Who made each row, and with which method."""
    contributions = stored.index["contributions"]
    known: dict[tuple[str, str], Maker] = {}
    makers = []
    for _, row in rows:
        key = str(row["contribution"]), str(row["method"])
        if key not in known:
            contribution = contributions[key[0]]
            known[key] = str(contribution["by"]), entry_of(contribution["methods"][key[1]])
        makers.append(known[key])
    return makers


def _but_for_grids(maker: Maker) -> Maker:
    """Who, and which method whatever values were tried: with another grid it is no other method beside a suite's own.

    Counted twice, it would take part twice in ranks and in the family of Holm's correction.
    """
    by, text = maker
    entry = json.loads(text)
    for step in entry["tune"]:
        step.pop("grid", None)
    return by, as_text(entry)


def twin_of(results: Results, stored: Stored) -> Results:
    """The published rows of a run's own methods, which the run can be compared with.

    Parameters
    ----------
    results : Results
        Of one suite.
    stored : Stored

    Returns
    -------
    Results
        As of `suite_results`.

    Raises
    ------
    PublishError
        No published row answers the run's question with one of its methods.
    """
    manifest = results.manifest
    places, content = asked_of(manifest), manifest.get("content") or {"designs": {}, "methods": {}}
    own = [(places[str(row["trial"])], row) for row in results.rows if str(row["trial"]) in places]
    same, reasons = same_designs(content["designs"], stored.index["designs"])
    labels = {
        (spot, entry_of(content["methods"][place.method])): str(row["algorithm"])
        for place, row in own
        for spot in names_of([(place, row)])
    }
    names = names_of(own)
    contributions = stored.index["contributions"]
    named: list[PublishedRow] = []
    for spot, row in answering(stored, same, names):
        entry = entry_of(contributions[row["contribution"]]["methods"][row["method"]])
        if (spot, entry) in labels:
            named.append(changed(row, {**names[spot], "algorithm": labels[spot, entry]}))
    if not named:
        why = reasons[0] if not same else "none of this run's methods is published"
        raise PublishError(f"{stored.name}: nothing to compare {results.folder} with: {why}")
    first = contributions[named[0]["contribution"]]
    return _results(_run_of(stored, named, first["suite_spec"], first), stored)


def _run_of(stored: Stored, rows: Iterable[PublishedRow], spec_id: str, base: Mapping[str, Any]) -> _PublishedRun:
    """Manifest and rows as of a run that a contribution made; seconds of other machines are left out."""
    spec = stored.index["suites"][spec_id]
    contributions = stored.index["contributions"]
    made: dict[str, PublishedRow] = {}
    published: dict[str, PublishedRow] = {}
    places: dict[str, list[str]] = {}
    methods: dict[str, Any] = {}
    for row in rows:
        contribution = contributions[row["contribution"]]
        trial = row["trial"] if row["trial"] not in made else digest([row["trial"], row["contribution"]])
        cell = digest([row["algorithm"], row["dataset"], row["dataset_params"], row["adversary"], row["axis_value"]])
        elsewhere = dict.fromkeys(MEASURED) if contribution["machine"] != base["machine"] else {}
        joined = {} if contribution["suite"] == spec["suite"] else {"published_with": contribution["suite"]}
        named = {"trial": trial, "cell": cell, "suite": spec["suite"], "run": RUN}
        made[trial] = changed(row, {**elsewhere, **joined, **named})
        published[trial] = row
        places[trial] = [row["design"], row["method"]]
        methods[row["method"]] = contribution["methods"][row["method"]]
    manifest = {
        "run": RUN,
        "suite": spec["suite"],
        "title": spec["title"],
        "profile": base["profile"],
        "started": base["started"],
        "suite_as_run": spec["as_run"],
        "greater_is_better": spec["greater_is_better"],
        "ranges": spec["ranges"],
        "attack_order": spec["attack_order"],
        "feature_values": spec["feature_values"],
        "environment": _environment(base),
        "source": {"commit": base["commit"] or "unknown", "changed_files": []},
        "licence": base["licence"],
        "content": {
            "designs": {design: stored.index["designs"][design] for design, _ in places.values()},
            "methods": methods,
            "places": places,
        },
        "reused_from": {},
        "trials": list(made),
    }
    return _PublishedRun(manifest, made, published)


def _results(made: _PublishedRun, stored: Stored) -> Results:
    """Results of no folder: their manifest is with them, and outcomes of rows are with what is published."""
    sections = tuple(registry().report_sections.values())
    results = make_results(Path(made.manifest["suite"], RUN), made.manifest, list(made.rows.values()), sections)
    outcomes = (lambda record: stored.outcomes(made.published[record["trial"]]),)
    return replace(results, told=made.manifest, outcomes_beside=outcomes)


def _environment(contribution: Mapping[str, Any]) -> dict[str, Any]:
    """Where a contribution was made, in the words of a run's manifest."""
    machine = contribution["machine"]
    memory = machine["memory_gb"]
    return {
        "cpu": machine["cpu"],
        "processors": machine["processors"],
        "memory_mb": None if memory is None else 1024 * memory,
        "platform": machine["system"],
        "python": contribution["python"],
        "versions": {**contribution["versions"], "benchkit": contribution["benchkit"]},
    }
