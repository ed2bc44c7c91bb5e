"""Published results as a static site: who is most robust, where, and how that is known; from a folder to pages.

A case is a data set under so much loss, and the methods that answered: who can be told apart there, and who cannot.
"""

from __future__ import annotations

import json
import math
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

from benchkit import (
    Analysis,
    Catalogue,
    Grid,
    PublishError,
    ReportCell,
    ReportTable,
    registry,
    run_document,
)
from benchkit.document.html import Section, framed, html_table
from benchkit.document.text import interval_text, number
from benchkit_results.join import published_results
from benchkit_results.stored import PublishedRun, Stored, digest, open_stored

MARK = ".benchkit-site"
"""A file that marks a folder as a site: such a folder is replaced, any other that holds files is not."""
KINDS: Mapping[str, str] = {
    "worst": "values deleted, the worst ones",
    "random": "values deleted at random, or known ones",
    "corrupted": "values corrupted",
    "training": "values missing in training",
    "outliers": "outliers: training targets or rows corrupted",
}
"""Kinds of loss, in the order in which they are offered."""

_TABLE = re.compile(r"(\d+) x (\d+)")
_MOST_BYTES = 1_000_000
_MOST_NAMES = 4
_LINKS = (("suites.html", "Suites"), ("methods.html", "Methods"), ("data.html", "Data sets"))
_HOME = "../index.html"
_Row = Sequence[ReportCell | str]


@dataclass(frozen=True)
class SuitePage:
    """The published run of a suite and profile, as the site shows it."""

    run: PublishedRun
    analysis: Analysis

    @property
    def name(self) -> str:
        """The suite, and the profile where it is not the default one."""
        suite, profile = self.run.manifest["suite"], self.run.manifest["profile"]
        return str(suite) if profile == "default" else f"{suite} ({profile})"

    @property
    def address(self) -> str:
        """Its page within the site."""
        suite, profile = self.run.manifest["suite"], self.run.manifest["profile"]
        return address("suite", suite if profile == "default" else f"{suite}-{profile}")

    @cached_property
    def methods(self) -> Mapping[str, str]:
        """The registered name of each method's label."""
        methods = self.run.manifest["content"]["methods"]
        return {row["algorithm"]: methods[row["method"]]["question"]["name"] for row in self.run.rows}

    @cached_property
    def questions(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """What the rows of a data set, or a group of some, under an adversary answer."""
        designs = self.run.manifest["content"]["designs"]
        labelled = ((label, row) for row in self.run.rows for label in (row["dataset"], row["group"]) if label)
        return {(label, row["adversary"]): designs[row["design"]]["question"] for label, row in labelled}


@dataclass(frozen=True)
class Answer:
    """One method in a case: its label, mean with a 95 % interval on new rows, tier, and median seconds of a fit.

    Tier 1 holds those that nobody is shown to be better than.
    """

    method: str
    mean: float
    interval: tuple[float, float] | None
    tier: int
    seconds: float | None


@dataclass(frozen=True)
class Case:
    """A place on a suite's curve: the registered name of its data set, and where on the axis, in words.

    ``tags`` are what the front page asks of it: what is predicted, what is lost, which share of it, and how many rows
    there are. Of the answers the best tier comes first, in it the best mean.
    """

    page: SuitePage
    grid: Grid
    data: str
    where: str
    tags: Mapping[str, str]
    answers: Sequence[Answer]
    repetitions: int


def address(folder: str, name: str) -> str:
    """The page of something that may be called anything; it stays the same as long as the name does."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    plain = plain.strip("._-")[:80]
    return f"{folder}/{plain if plain and plain == name else f'{plain or folder}-{digest(name, 8)}'}.html"


def suite_pages(stored: Stored) -> list[SuitePage]:
    """The newest published run of each suite and profile."""
    newest: dict[tuple[str, str], PublishedRun] = {}
    for suite in dict.fromkeys(run.manifest["suite"] for run in stored.runs.values()):
        newest |= {(suite, run.manifest["profile"]): run for run in stored.of_suite(suite)}
    return [SuitePage(run, Analysis(published_results(stored, *key))) for key, run in sorted(newest.items())]


def cases_of(pages: Sequence[SuitePage]) -> list[Case]:
    """The cases of all suites; a quick profile stands back where the suite is published at a larger size."""
    whole = {page.run.manifest["suite"] for page in pages if page.run.manifest["profile"] != "quick"}
    shown = [p for p in pages if p.run.manifest["profile"] != "quick" or p.run.manifest["suite"] not in whole]
    return [case for page in shown for case in _of_suite(page)]


def _of_suite(page: SuitePage) -> list[Case]:
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for row in page.analysis.results.rows:
        fit, size = row.get("fit_seconds"), row.get("n_rows")
        for label in filter(None, (row["dataset"], row["group"])):
            if fit is not None:
                seconds[label, row["algorithm"]].append(fit)
            if size:
                sizes.setdefault(label, size)
    cases = []
    for grid in page.analysis.first_grids:
        question = page.questions.get((grid.dataset, grid.adversary))
        if question is None or question["adversary"] is None or not grid.axis.startswith(("budget", "dataset.")):
            continue
        for column, heading in zip(grid.columns, grid.headings, strict=True):
            tiers = page.analysis.tiers(grid, column)
            points = [point for point in grid.column(column) if point.algorithm in tiers]
            if len(points) < 2 or (grid.axis == "budget" and column == 0):
                continue
            answers = []
            for point in points:
                assert point.mean is not None
                ends = point.interval()
                ends = ends if ends is not None and all(map(math.isfinite, ends)) else None
                spent = seconds.get((grid.dataset, point.algorithm))
                tier = tiers[point.algorithm]
                answers.append(Answer(point.algorithm, point.mean, ends, tier, median(spent) if spent else None))
            sign = -1 if grid.greater_is_better else 1
            answers.sort(key=lambda answer: (answer.tier, sign * answer.mean))
            tags = _tags(question, grid, points[0].budget, sizes.get(grid.dataset))
            repetitions = min(len(point.values) for point in points)
            cases.append(Case(page, grid, question["dataset"]["name"], grid.at(heading), tags, answers, repetitions))
    return cases


def _tags(question: Mapping[str, Any], grid: Grid, budget: float | None, rows: int | None) -> dict[str, str]:
    """What the front page asks of a case."""
    declarations = registry()
    adversary, dataset = question["adversary"], question["dataset"]
    attack, table = declarations.adversaries.get(adversary["name"]), declarations.datasets.get(dataset["name"])
    kind = "outliers" if attack is not None and attack.phase == "train" else "corrupted"
    if attack is not None and attack.loss is not None:
        kind = attack.loss
    tasks = declarations.metrics[grid.metric].tasks if grid.metric in declarations.metrics else ()
    task = table.task if table is not None else "regression" if set(tasks) == {"regression"} else "classification"
    share = None
    if grid.axis != "budget" and adversary["budget"][0] == "share":
        share = float(adversary["budget"][1])
    elif attack is not None and budget is not None:
        size = _TABLE.search(table.shape) if table is not None else None
        columns = dataset["params"].get("p") or (int(size[2]) if size else None)
        if attack.budget_unit == "fraction":
            share = budget
        elif attack.budget_unit in ("value", "features") and columns:
            share = min(1.0, budget / columns)
    shares = ("to 5 %", "5 to 15 %", "15 to 30 %", "30 to 60 %", "above 60 %")
    return {
        "predict": task,
        "what is lost": KINDS.get(kind, kind),
        "share lost": _bin(share, (0.05, 0.15, 0.3, 0.6), shares),
        "rows": _bin(rows, (500, 5000), ("to 500", "500 to 5,000", "above 5,000")),
    }


def _bin(value: float | None, ends: Sequence[float], words: Sequence[str]) -> str:
    return "unknown" if value is None else words[sum(value > end * (1 + 1e-9) for end in ends)]


def build_site(reference: str | Path, folder: str | Path) -> list[Path]:
    """Write the site of published results, named as for `open_stored`; returns the pages.

    The folder is made anew; one that holds anything but an earlier site is refused, by a PublishError.
    """
    target = Path(folder)
    stored = open_stored(reference)
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).is_file():
        raise PublishError(f"{target}: holds files that are no site of benchkit's; name another folder")
    pages = _pages(stored)
    try:
        if target.is_dir():
            shutil.rmtree(target)
        for place, text in pages.items():
            path = target / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (target / MARK).write_text("", encoding="utf-8")
    except OSError as error:
        raise PublishError(f"{target}: cannot write here: {error.strerror or error}") from None
    return [target / place for place in pages]


def _pages(stored: Stored) -> dict[str, str]:
    """The pages by their addresses within the site."""
    suites = suite_pages(stored)
    cases = cases_of(suites)
    by_method: dict[str, list[Case]] = defaultdict(list)
    by_data: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_data[case.data].append(case)
        for name in dict.fromkeys(case.page.methods[answer.method] for answer in case.answers):
            by_method[name].append(case)
    pages = {"index.html": _front(cases)}
    for suite in suites:
        pages[suite.address] = _suite(suite, [case for case in cases if case.page is suite])
    methods = sorted({name for suite in suites for name in suite.methods.values()})
    data = sorted({q["dataset"]["name"] for suite in suites for q in _questions(suite.run.manifest)})
    for name in methods:
        pages[address("method", name)] = _method(name, by_method[name], suites)
    for name in data:
        pages[address("data", name)] = _data(name, by_data[name], suites)
    known = registry()
    pages["suites.html"] = _list(
        "Suites", ("suite", "title", "rows", "published", "by", "licence"), [_suite_row(suite) for suite in suites]
    )
    pages["methods.html"] = _named("Methods", "method", {name: by_method[name] for name in methods}, known.algorithms)
    pages["data.html"] = _named("Data sets", "data", {name: by_data[name] for name in data}, known.datasets)
    return pages


def _questions(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [design["question"] for design in manifest["content"]["designs"].values()]


def _suite_row(suite: SuitePage) -> _Row:
    manifest, results = suite.run.manifest, suite.analysis.results
    rows = ReportCell(f"{len(results.rows):,}", len(results.rows))
    published = max((origin["published"] for origin in manifest["origins"].values()), default="-")
    page = ReportCell(suite.name, href=suite.address)
    return [page, results.title, rows, published, manifest["by"] or "-", manifest["licence"]]


def _named(title: str, folder: str, cases: Mapping[str, Sequence[Case]], known: Catalogue[Any]) -> str:
    """The list of methods or data sets, with the number of their cases."""
    rows = [
        [
            ReportCell(name, href=address(folder, name)),
            known[name].summary if name in known else "not installed here",
            ReportCell(str(len(members)), len(members)),
        ]
        for name, members in cases.items()
    ]
    return _list(title, ("name", "what it is", "cases"), rows)


def _front(cases: Sequence[Case]) -> str:
    """The question; all that the page's script shows lies in it, so that nothing is fetched."""
    methods = {label: place for place, label in enumerate(sorted({a.method for case in cases for a in case.answers}))}
    homes = {a.method: address("method", case.page.methods[a.method]) for case in cases for a in case.answers}
    suites = {case.page.address: [case.page.name, case.page.address] for case in cases}
    names = list(cases[0].tags) if cases else []
    trivial = {each.name for each in registry().algorithms.values() if each.trivial}
    facts = {
        "names": names,
        "methods": [[label, homes[label]] for label in methods],
        "suites": list(suites.values()),
        "trivial": [place for label, place in methods.items() if label in trivial],
        "cases": [
            [
                list(suites).index(case.page.address),
                f"{case.grid.panel}, {case.where}",
                case.grid.metric,
                list(case.tags.values()),
                [[methods[a.method], a.tier, float(f"{a.mean:.3g}")] for a in case.answers],
            ]
            for case in cases
        ],
    }
    text = json.dumps(facts, separators=(",", ":")).replace("<", "\\u003c")
    choices = {name: sorted({case.tags[name] for case in cases}) for name in names}
    selects = "".join(
        f'<label>{escape(name)} <select name="{escape(name)}"><option value="">any</option>'
        + "".join(f"<option>{escape(choice)}</option>" for choice in choices[name])
        + "</select></label> "
        for name in names
    )
    code = files("benchkit_results").joinpath("question.js").read_text(encoding="utf-8")
    note = (
        '<p class="note">A tier holds methods that cannot be told apart: nobody of tier 1 is shown to be worse than '
        "another method, by paired differences on new rows, at 95 % for all pairs of a case together (Holm). There are "
        "no ranks, and nothing is averaged over unlike data.</p>"
    )
    form = (
        f'<form id="question">{selects}</form><noscript><p class="caution">The question needs JavaScript; the suites '
        'hold the same results.</p></noscript><div id="answer" role="status"></div>'
        f'{note}<script type="application/json" id="cases">{text}</script><script>{code}</script>'
    )
    links = " · ".join(f'<a href="{place}">{name}</a>' for place, name in _LINKS)
    use = (
        '<pre tabindex="0"><code>benchkit run SUITE --plugin my_method.py --against DIR</code></pre><p>runs '
        "your method alone, and lets these rows stand beside it.</p>"
    )
    sections = [
        Section("The question", form),
        Section("All results", f"<p>{links}</p>"),
        Section("Use these rows", use),
    ]
    return framed("What should I use?", f"{len(cases):,} cases of published results", sections)


def _suite(suite: SuitePage, cases: Sequence[Case]) -> str:
    """The report of the run; its means and cases alone where that is too long for a page."""
    whole = run_document(suite.analysis, suite.analysis.results.manifest).html(_HOME)
    if len(whole.encode()) <= _MOST_BYTES:
        return whole
    results = suite.analysis.results
    return framed(results.title or results.suite, suite.name, [_cases("Cases", cases, "")], _HOME)


def _method(name: str, cases: Sequence[Case], suites: Sequence[SuitePage]) -> str:
    known = registry()
    declared = known.algorithms.get(name)
    facts = {} if declared is None else {"source": declared.reference, "formula": declared.formula}
    rows: list[_Row] = []
    for suite in suites:
        for method in suite.run.manifest["content"]["methods"].values():
            question = method["question"]
            if question["name"] == name:
                texts = map(json.dumps, (question["params"], question["tune"]))
                rows.append([ReportCell(suite.name, href=f"../{suite.address}"), *texts])
    first = sum(any(a.tier == 1 for a in case.answers if case.page.methods[a.method] == name) for case in cases)
    lead = f"{declared.summary}; " if declared is not None else ""
    sections = [
        Section("What it is", _facts(facts)),
        _cases("Cases", cases, name),
        Section("Parameters", _table(("suite", "parameters", "tuning"), rows)),
    ]
    return framed(name, f"{lead}in the first tier in {first} of {len(cases)} cases", sections, _HOME)


def _data(name: str, cases: Sequence[Case], suites: Sequence[SuitePage]) -> str:
    known = registry()
    facts: dict[str, str] = {}
    if name in known.datasets:
        declared = known.datasets[name]
        facts = {
            "rows x columns": declared.shape,
            "classes or target": declared.classes,
            "source": declared.source,
            "reference": declared.reference,
            "licence": declared.licence,
        }
    uses: dict[tuple[str, ...], _Row] = {}
    for suite in suites:
        for question in _questions(suite.run.manifest):
            if question["dataset"]["name"] == name:
                parts = [question[part] for part in ("seed", "split", "preprocess", "feature_values")]
                texts = [json.dumps(part)[:200] for part in (question["dataset"]["params"], *parts)]
                uses[suite.name, *texts] = [ReportCell(suite.name, href=f"../{suite.address}"), *texts]
    header = ("suite", "parameters", "seed", "split", "preprocessing", "feature values")
    sections = [
        Section("What it is", _facts(facts)),
        _cases("Cases", cases, ""),
        Section("How it was used", _table(header, list(uses.values()))),
    ]
    return framed(name, f"{len(cases)} cases", sections, _HOME)


def _cases(title: str, cases: Sequence[Case], name: str) -> Section:
    """A table of cases: the first tier and its best mean, and how one method stands, if it is named."""
    rows: list[_Row] = []
    for case in cases:
        first = [answer for answer in case.answers if answer.tier == 1]
        texts: _Row = [ReportCell(f"{case.grid.panel}, {case.where}", href=f"../{case.page.address}"), case.grid.metric]
        best = [_labels(answer.method for answer in first), number(first[0].mean), str(case.repetitions)]
        for answer in [a for a in case.answers if case.page.methods[a.method] == name] if name else [None]:
            own: list[ReportCell | str] = []
            if answer is not None:
                mean = number(answer.mean) + (f" {interval_text(*answer.interval)}" if answer.interval else "")
                spent = "-" if answer.seconds is None else number(answer.seconds)
                own = [
                    answer.method,
                    ReportCell(mean, answer.mean),
                    ReportCell(str(answer.tier), answer.tier),
                    ReportCell(spent, answer.seconds),
                ]
            rows.append([*texts, *own, *best])
    mine = ("called", "mean [95 %]", "tier", "median fit seconds") if name else ()
    header = ("case", "metric", *mine, "cannot be told from the best", "best mean of them", "repetitions")
    return Section(title, _table(header, rows) if rows else "<p>None that compares methods.</p>")


def _labels(labels: Iterable[str]) -> str:
    names = list(dict.fromkeys(labels))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return "; ".join(names[:_MOST_NAMES]) + more


def _list(title: str, header: Sequence[str], rows: Sequence[_Row]) -> str:
    return framed(title, f"{len(rows)} of them", [Section(title, _table(header, rows))], "index.html")


def _table(header: Sequence[str], rows: Sequence[_Row]) -> str:
    return str(html_table(ReportTable(columns=header, rows=rows), "left"))


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in facts.items() if text)
    return f"<dl>{rows}</dl>"
