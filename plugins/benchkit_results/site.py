"""Published results as a static site: who is most robust, where, and how that is known; from a folder to pages.

A case is a data set under so much loss, and the methods that answered: who can be told apart there, and who cannot.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchkit import Analysis, Catalogue, Grid, PublishError, ReportCell, ReportTable, registry, run_document
from benchkit.document import Block, Document, Heading, Note, Table
from benchkit.document.text import number
from benchkit_results.join import published_results
from benchkit_results.stored import PublishedRun, Stored, digest, open_stored

MARK = ".benchkit-site"
"""A file that marks a folder as a site: such a folder is replaced, any other that holds files is not."""
_MOST_BYTES = 1_000_000
_MOST_NAMES = 4
_HOME = "../index.html"
_Row = Sequence[ReportCell | str]
_TIERS = (
    "A tier holds methods that cannot be told apart: nobody of tier 1 is shown to be worse than another method, by "
    "paired differences on new rows, at 95 % for all pairs of a case together (Holm)"
)


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
    def methods(self) -> Mapping[str, str]:
        """The registered name of each method's label."""
        methods = self.run.manifest["content"]["methods"]
        return {row["algorithm"]: methods[row["method"]]["question"]["name"] for row in self.run.rows}

    @cached_property
    def questions(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """What the rows of a data set, or a group of some, under an adversary answer."""
        labelled = ((label, row) for row in self.run.rows for label in (row["dataset"], row["group"]) if label)
        designs = self.run.manifest["content"]["designs"]
        return {(label, row["adversary"]): designs[row["design"]]["question"] for label, row in labelled}


@dataclass(frozen=True)
class Answer:
    """One method in a case: its label, mean, and tier, of which the first holds those that nobody is better than."""

    method: str
    mean: float
    tier: int


@dataclass(frozen=True)
class Case:
    """A place on a suite's curve: the registered name of its data set, and where on the axis, in words.

    Of the answers the best tier comes first, in it the best mean.
    """

    page: SuitePage
    grid: Grid
    data: str
    where: str
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
            repetitions = min(len(point.values) for point in points)
            cases.append(Case(page, grid, question["dataset"]["name"], grid.at(heading), answers, repetitions))
    return cases


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
    of_method: dict[str, list[Case]] = {
        name: [] for name in sorted({n for page in suites for n in page.methods.values()})
    }
    designs = [design for page in suites for design in page.run.manifest["content"]["designs"].values()]
    used = {design["question"]["dataset"]["name"] for design in designs}
    of_data: dict[str, list[Case]] = {name: [] for name in sorted(used)}
    for case in cases:
        of_data[case.data].append(case)
        for name in dict.fromkeys(case.page.methods[answer.method] for answer in case.answers):
            of_method[name].append(case)
    return {
        "index.html": front_document(suites, of_method, of_data).html(),
        **{page.address: _suite(page, [case for case in cases if case.page is page]) for page in suites},
        **{address("method", name): cases_document(name, own, name).html(_HOME) for name, own in of_method.items()},
        **{address("data", name): cases_document(name, own).html(_HOME) for name, own in of_data.items()},
    }


def front_document(
    suites: Sequence[SuitePage], of_method: Mapping[str, Sequence[Case]], of_data: Mapping[str, Sequence[Case]]
) -> Document:
    """What the suites answer, and which methods and data sets there are."""
    declarations = registry()
    methods, data = _named("method", of_method, declarations.algorithms), _named("data", of_data, declarations.datasets)
    header = ("suite", "what it answers", "rows", "published", "by", "licence")
    blocks: list[Block] = [
        *(Heading("Suites"), _table(header, [_suite_row(page) for page in suites])),
        *(Heading("Methods"), _table(("name", "what it is", "cases"), methods)),
        *(Heading("Data sets"), _table(("name", "what it is", "cases"), data)),
    ]
    return Document("Published results", blocks, f"{sum(map(len, of_data.values())):,} cases")


def _suite_row(suite: SuitePage) -> _Row:
    manifest, results = suite.run.manifest, suite.analysis.results
    rows = ReportCell(f"{len(results.rows):,}", len(results.rows))
    published = max((origin["published"] for origin in manifest["origins"].values()), default="-")
    page = ReportCell(suite.name, href=suite.address, hint=results.title)
    answer = next(iter(suite.analysis.answers), results.title)
    return [page, answer, rows, published, manifest["by"] or "-", manifest["licence"]]


def _named(folder: str, cases: Mapping[str, Sequence[Case]], declared: Catalogue[Any]) -> list[_Row]:
    """Methods or data sets, with the number of their cases."""
    return [
        [
            ReportCell(name, href=address(folder, name)),
            declared[name].summary if name in declared else "not installed here",
            ReportCell(str(len(members)), len(members)),
        ]
        for name, members in cases.items()
    ]


def _suite(suite: SuitePage, cases: Sequence[Case]) -> str:
    """The report of the run; its cases alone where that is too long for a page."""
    results = suite.analysis.results
    whole = run_document(suite.analysis, results.manifest).html(_HOME)
    if len(whole.encode()) <= _MOST_BYTES:
        return whole
    return cases_document(results.title or results.suite, cases).html(_HOME)


def cases_document(title: str, cases: Sequence[Case], name: str = "") -> Document:
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
    table = _table(header, rows) if rows else Note("None that compares methods")
    return Document(title, [Heading("Cases"), table, Note(_TIERS)], f"{len(cases)} cases")


def _labels(labels: Iterable[str]) -> str:
    names = list(dict.fromkeys(labels))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return "; ".join(names[:_MOST_NAMES]) + more


def _table(header: Sequence[str], rows: Sequence[_Row]) -> Table:
    return Table(ReportTable(columns=header, rows=rows), "left")
