"""Published results as a static site: who is most robust, where, and how that is known; from a folder to pages.

A case is a data set under so much loss, and the methods that answered: who can be told apart there, and who cannot.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
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
from benchkit.document.text import number
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

    suite: str
    profile: str
    run: PublishedRun
    analysis: Analysis

    @property
    def name(self) -> str:
        """The suite, and the profile where it is not the default one."""
        return self.suite if self.profile == "default" else f"{self.suite} ({self.profile})"

    @property
    def address(self) -> str:
        """Its page within the site."""
        return address("suite", self.suite if self.profile == "default" else f"{self.suite}-{self.profile}")

    @cached_property
    def content(self) -> Mapping[str, Mapping[str, Any]]:
        """What its designs ask and its methods are, by id: ``{"designs": ..., "methods": ...}``."""
        content = self.run.manifest["content"]
        return {
            kind: {key: entry["question"] for key, entry in content[kind].items()} for kind in ("designs", "methods")
        }

    @cached_property
    def methods(self) -> Mapping[str, str]:
        """The registered name of each method's label."""
        return {row["algorithm"]: self.content["methods"][row["method"]]["name"] for row in self.run.rows}

    @cached_property
    def questions(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """What the rows of a data set, or a group of some, under an adversary answer."""
        labelled = ((label, row) for row in self.run.rows for label in (row["dataset"], row["group"]) if label)
        return {(label, row["adversary"]): self.content["designs"][row["design"]] for label, row in labelled}


@dataclass(frozen=True)
class Answer:
    """One method in a case: its label, mean, and tier, of which the first holds those that nobody is better than."""

    method: str
    mean: float
    tier: int


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
    newest = sorted(stored.newest.items())
    return [SuitePage(*key, run, Analysis(published_results(stored, *key))) for key, run in newest]


def cases_of(pages: Sequence[SuitePage]) -> list[Case]:
    """The cases of all suites; a quick profile stands back where the suite is published at a larger size."""
    whole = {page.suite for page in pages if page.profile != "quick"}
    return [case for page in pages if page.profile != "quick" or page.suite not in whole for case in _of_suite(page)]


def _of_suite(page: SuitePage) -> list[Case]:
    sizes: dict[str, int] = {}
    for row in page.analysis.results.rows:
        if size := row.get("n_rows"):
            for label in filter(None, (row["dataset"], row["group"])):
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
            means = {point.algorithm: point.mean for point in points if point.mean is not None}
            answers = [Answer(name, mean, tiers[name]) for name, mean in means.items()]
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
    suites, declarations = suite_pages(stored), registry()
    cases = cases_of(suites)
    of_method: dict[str, list[Case]] = {
        name: [] for name in sorted({n for page in suites for n in page.methods.values()})
    }
    used = {design["dataset"]["name"] for page in suites for design in page.content["designs"].values()}
    of_data: dict[str, list[Case]] = {name: [] for name in sorted(used)}
    for case in cases:
        of_data[case.data].append(case)
        for name in dict.fromkeys(case.page.methods[answer.method] for answer in case.answers):
            of_method[name].append(case)
    header = ("suite", "title", "rows", "published", "by", "licence")
    return {
        "index.html": _front(cases),
        **{page.address: _suite(page, [case for case in cases if case.page is page]) for page in suites},
        **{address("method", name): _method(name, own) for name, own in of_method.items()},
        **{address("data", name): _data(name, own) for name, own in of_data.items()},
        "suites.html": _list("Suites", header, [_suite_row(page) for page in suites]),
        "methods.html": _named("Methods", "method", of_method, declarations.algorithms),
        "data.html": _named("Data sets", "data", of_data, declarations.datasets),
    }


def _suite_row(suite: SuitePage) -> _Row:
    manifest, results = suite.run.manifest, suite.analysis.results
    rows = ReportCell(f"{len(results.rows):,}", len(results.rows))
    published = max((origin["published"] for origin in manifest["origins"].values()), default="-")
    page = ReportCell(suite.name, href=suite.address)
    return [page, results.title, rows, published, manifest["by"] or "-", manifest["licence"]]


def _named(title: str, folder: str, cases: Mapping[str, Sequence[Case]], declared: Catalogue[Any]) -> str:
    """The list of methods or data sets, with the number of their cases."""
    rows = [
        [
            ReportCell(name, href=address(folder, name)),
            declared[name].summary if name in declared else "not installed here",
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
    trivial = {method.name for method in registry().algorithms.values() if method.trivial}
    facts = {
        "names": list(cases[0].tags) if cases else [],
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
    code = files("benchkit_results").joinpath("question.js").read_text(encoding="utf-8")
    note = (
        '<p class="note">A tier holds methods that cannot be told apart: nobody of tier 1 is shown to be worse than '
        "another method, by paired differences on new rows, at 95 % for all pairs of a case together (Holm). There are "
        "no ranks, and nothing is averaged over unlike data.</p>"
    )
    form = (
        '<form id="question"></form><noscript><p class="caution">The question needs JavaScript; the suites hold the '
        'same results.</p></noscript><div id="answer" role="status"></div>'
        f'{note}<script type="application/json" id="cases">{text}</script><script>{code}</script>'
    )
    links = " · ".join(f'<a href="{place}">{name}</a>' for place, name in _LINKS)
    sections = [Section("The question", form), Section("All results", f"<p>{links}</p>")]
    return framed("What should I use?", f"{len(cases):,} cases of published results", sections)


def _suite(suite: SuitePage, cases: Sequence[Case]) -> str:
    """The report of the run; its means and cases alone where that is too long for a page."""
    whole = run_document(suite.analysis, suite.analysis.results.manifest).html(_HOME)
    if len(whole.encode()) <= _MOST_BYTES:
        return whole
    results = suite.analysis.results
    return framed(results.title or results.suite, suite.name, [_cases(cases)], _HOME)


def _method(name: str, cases: Sequence[Case]) -> str:
    first = sum(any(a.tier == 1 for a in case.answers if case.page.methods[a.method] == name) for case in cases)
    return framed(name, f"in the first tier in {first} of {len(cases)} cases", [_cases(cases, name)], _HOME)


def _data(name: str, cases: Sequence[Case]) -> str:
    return framed(name, f"{len(cases)} cases", [_cases(cases)], _HOME)


def _cases(cases: Sequence[Case], name: str = "") -> Section:
    """A table of cases: the first tier and its best mean, and how one method stands, if it is named."""
    rows: list[_Row] = []
    for case in cases:
        first = [answer for answer in case.answers if answer.tier == 1]
        texts: _Row = [ReportCell(f"{case.grid.panel}, {case.where}", href=f"../{case.page.address}"), case.grid.metric]
        best = [_labels(answer.method for answer in first), number(first[0].mean), str(case.repetitions)]
        rows += [] if name else [[*texts, *best]]
        for answer in case.answers:
            if case.page.methods[answer.method] == name:
                mean, tier = ReportCell(number(answer.mean), answer.mean), ReportCell(str(answer.tier), answer.tier)
                rows.append([*texts, answer.method, mean, tier, *best])
    mine = ("called", "mean", "tier") if name else ()
    header = ("case", "metric", *mine, "cannot be told from the best", "best mean of them", "repetitions")
    return Section("Cases", _table(header, rows) if rows else "<p>None that compares methods.</p>")


def _labels(labels: Iterable[str]) -> str:
    names = list(dict.fromkeys(labels))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return "; ".join(names[:_MOST_NAMES]) + more


def _list(title: str, header: Sequence[str], rows: Sequence[_Row]) -> str:
    return framed(title, f"{len(rows)} of them", [Section(title, _table(header, rows))], "index.html")


def _table(header: Sequence[str], rows: Sequence[_Row]) -> str:
    return str(html_table(ReportTable(columns=header, rows=rows), "left"))
