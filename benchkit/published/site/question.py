"""The front page: a question about a task, a kind of loss and data like the reader's, and what is known of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from typing import Any

from benchkit.plugin.manager import registry
from benchkit.published.site.addresses import method_address
from benchkit.published.site.cases import Case
from benchkit.published.site.kinds import KINDS
from benchkit.published.site.over_data import over_data
from benchkit.published.site.shell import shell, site_asset
from benchkit.published.site.short_labels import short_labels
from benchkit.report.page.section import Section
from benchkit.report.statistics.chance import YARDSTICKS
from benchkit.statistics.all_pairs import fewest_units

_ANY = ("", "any")
_TASKS = (("classification", "classes"), ("regression", "numbers"))
_SHARES = (
    (0.05, "s5", "up to 5 %"),
    (0.15, "s10", "about 10 % (5 to 15)"),
    (0.3, "s20", "about 20 % (15 to 30)"),
    (0.6, "s50", "about half (30 to 60)"),
    (1.0, "s100", "more than 60 %"),
)
_ROWS = ((500, "r1", "up to 500"), (5000, "r2", "500 to 5,000"), (math.inf, "r3", "more than 5,000"))
_COLUMNS = ((20, "c1", "up to 20"), (100, "c2", "20 to 100"), (math.inf, "c3", "more than 100"))
_VALUES = (("numbers", "numbers alone"), ("categories", "with categories"))
_CLASSES = (("even", "two, about even"), ("rare", "two, one of them rare (below 1 in 5)"), ("more", "three or more"))
_GAPS = (("gaps", "with gaps"), ("whole", "without"))

FILTERS: Sequence[tuple[str, str, Sequence[tuple[str, str]]]] = (
    ("task", "predict", _TASKS),
    ("kind", "what is lost", tuple(KINDS.items())),
    ("share", "share lost", (_ANY, *((key, text) for _, key, text in _SHARES))),
    ("rows", "rows", (_ANY, *((key, text) for _, key, text in _ROWS))),
    ("columns", "columns", (_ANY, *((key, text) for _, key, text in _COLUMNS))),
    ("values", "values", (_ANY, *_VALUES)),
    ("classes", "classes", (_ANY, *_CLASSES)),
    ("gaps", "training data", (_ANY, *_GAPS)),
)
"""Name in the address, words, and choices (key, words) of each part of the question."""


def question_page(told: Mapping[str, object]) -> str:
    """The page; what it shows of every case and every selection lies in it, so that nothing is fetched.

    Parameters
    ----------
    told : mapping
        From `payload`.
    """
    text = json.dumps(told, separators=(",", ":")).replace("<", "\\u003c")
    options = "".join(
        f'<label>{escape(words)} <select id="f-{name}" name="{name}">'
        + "".join(f'<option value="{escape(key)}">{escape(said)}</option>' for key, said in choices)
        + "</select></label>"
        for name, words, choices in FILTERS
    )
    form = (
        f'<form class="question" id="question">{options}</form>'
        '<noscript><p class="caution">The question needs JavaScript; the suites hold the same results.</p></noscript>'
        '<div id="answer" role="status"></div>'
    )
    places = '<div id="over"></div><div id="where"></div>'
    focus = (
        '<p id="focus-title" class="answer"></p><div id="focus-table"></div>'
        '<div class="pictures"><figure><figcaption>Along the loss</figcaption><div id="curve"></div></figure>'
        '<figure><figcaption>Robust against clean</figcaption><div id="clean"></div></figure>'
        '<figure><figcaption>Robust against seconds of a fit</figcaption><div id="time"></div></figure></div>'
    )
    note = (
        '<p class="note">A tier holds methods that cannot be told apart: nobody of it is shown to be better than '
        "another of it, by paired differences on new rows, at 95 % for all pairs of the case together (Holm). There "
        "are no ranks, and nothing is averaged over unlike data: over data sets, tiers are by data sets as the units "
        "of chance (<code>benchkit judge</code>), where six or more of them have the same methods. A method stands "
        "for itself whatever grid it was tuned over; what tells it from its like is in its name. Intervals are 95 % "
        'on new rows. Seconds are medians of fits on one machine.</p><p class="note">The address of this page holds '
        "the question: send it, and whoever opens it sees the same.</p>"
    )
    sections = [
        Section("The question", form),
        Section("On which data", places),
        Section("One case", focus),
        Section("How to read this", note),
    ]
    lead = "Published results: who is robust against what you expect to lose, how surely, and what it costs"
    code = f'<script type="application/json" id="cases">{text}</script>'
    sections[0] = Section("The question", form + code)
    return shell("What should I use?", lead, sections, here="index.html", script=site_asset("question.js"))


def tags_of(case: Case) -> dict[str, Sequence[str]]:
    """Which choices of each part of the question a case answers."""
    facts = case.facts
    balance = "more" if facts.classes == "more" else "rare" if (facts.balance or 0.5) < 0.2 else "even"
    return {
        "task": ["regression" if facts.classes == "numbers" else "classification"],
        "kind": case.kinds,
        "share": _bin(case.share, _SHARES),
        "rows": _bin(facts.rows, _ROWS),
        "columns": _bin(facts.columns, _COLUMNS),
        "values": [] if facts.categories is None else ["categories" if facts.categories else "numbers"],
        "classes": [] if facts.classes in ("numbers", "unknown") else [balance],
        "gaps": ["gaps" if "training" in case.kinds else "whole"],
    }


def _bin(value: float | None, bins: Sequence[tuple[float, str, str]]) -> list[str]:
    return [] if value is None else [next(key for most, key, _ in bins if value <= most * (1 + 1e-9))]


def payload(cases: Sequence[Case], columns: Mapping[str, str]) -> dict[str, Any]:
    """Everything that the page's script shows.

    Parameters
    ----------
    cases : sequence of Case
    columns : mapping of str to str
        The column of the file of all cases that answers each part of the question.
    """
    labels = labels_of(cases)
    methods = sorted({label for each in labels for label in each.values()})
    position = {label: place for place, label in enumerate(methods)}
    home: dict[str, str] = {}
    for case, each in zip(cases, labels, strict=True):
        for label, shown in each.items():
            home[shown] = method_address(case.shown.methods[label])
    suites = list({case.shown.address: case.shown for case in cases}.values())
    numbers = {each.address: place for place, each in enumerate(suites)}
    grids = list(dict.fromkeys(id(case.grid) for case in cases))
    data = [" and ".join(sorted(case.shown.data.get(case.grid.dataset, {case.grid.dataset}))) for case in cases]
    tags = [tags_of(case) for case in cases]
    told = [
        {
            "suite": numbers[case.shown.address],
            "title": case.grid.panel,
            "data": name,
            "where": case.where,
            "axis": case.grid.axis_title,
            "metric": case.grid.metric,
            "greater": case.grid.greater_is_better,
            "share": rounded(case.share),
            "repetitions": case.repetitions,
            "decided": case.decided,
            "curve": grids.index(id(case.grid)),
            "at": case.at,
            "tags": tag,
            "answers": [
                [
                    position[each[answer.method]],
                    rounded(answer.mean),
                    *((rounded(end) for end in answer.interval) if answer.interval else (None, None)),
                    answer.tier,
                    rounded(answer.seconds),
                    rounded(answer.clean),
                    answer.run_again,
                    answer.trials,
                ]
                for answer in case.answers
            ],
        }
        for case, each, name, tag in zip(cases, labels, data, tags, strict=True)
    ]
    return {
        "filters": [[name, words, [list(choice) for choice in choices]] for name, words, choices in FILTERS],
        "columns": dict(columns),
        "methods": [[label, home[label]] for label in methods],
        "bars": {str(position[label]): words for label, words in YARDSTICKS.items() if label in position},
        "suites": [[each.name, each.title, each.address, each.is_reduced] for each in suites],
        "cases": told,
        **_judged(cases, labels, data, tags),
    }


def labels_of(cases: Sequence[Case]) -> list[dict[str, str]]:
    """What each method of each case is called, by its label in the suite.

    Two of a case that only their grids tell apart bear the suite's label, too.
    """
    known = registry()
    prepared = [name for name in known.algorithms if known.algorithms[name].budget_param]
    names = short_labels((each for case in cases for each in case.shown.identities.values()), prepared)
    labels = []
    for case in cases:
        short = {answer.method: names[case.shown.identities[answer.method]] for answer in case.answers}
        often = list(short.values())
        labels.append({own: name if often.count(name) == 1 else f"{name} ({own})" for own, name in short.items()})
    return labels


def _judged(
    cases: Sequence[Case],
    labels: Sequence[Mapping[str, str]],
    data: Sequence[str],
    tags: Sequence[Mapping[str, Sequence[str]]],
) -> dict[str, object]:
    """What holds over data sets, for every selection that has enough of them."""
    losses = []
    for case, each, name in zip(cases, labels, data, strict=True):
        sign, at = (-1.0, 1.0 if case.grid.metric == "accuracy" else 0.0) if case.grid.greater_is_better else (1.0, 0.0)
        losses.append((case, name, {each[answer.method]: at + sign * answer.mean for answer in case.answers}))
    masks = {
        (name, key): sum(1 << place for place, tag in enumerate(tags) if not key or key in tag[name])
        for name, _, choices in FILTERS
        for key, _ in choices
    }
    found: dict[int, int | None] = {0: None}
    judged: list[object] = []
    selections: dict[str, int] = {}
    for chosen in product(*([key for key, _ in choices] for _, _, choices in FILTERS)):
        mask = -1
        for (name, _, _), key in zip(FILTERS, chosen, strict=True):
            mask &= masks[name, key]
        if mask not in found:
            places = [place for place in range(len(cases)) if mask >> place & 1]
            enough = len({data[place] for place in places}) >= fewest_units()
            over = over_data([losses[place] for place in places], chosen[0] == "regression") if enough else None
            found[mask] = None if over is None else len(judged)
            if over is not None:
                rows = [[method, tier, rounded(over.means[method])] for method, tier in over.tiers.items()]
                judged.append({"data": over.data, "methods": rows})
        told = found[mask]
        if told is not None:
            selections["|".join(chosen)] = told
    return {"over": judged, "selections": selections}


def rounded(value: float | None) -> float | None:
    """To four digits, which is more than any of them is sure of."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.4g}")
