"""Cases: a data set under so much loss, and the methods that answered; who can be told apart there, and who cannot."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from benchkit import Analysis, Grid, Point, Registry, registry
from benchkit_results.join import published_results
from benchkit_results.stored import PublishedRun, Stored, digest

KINDS: Mapping[str, str] = {
    "worst": "values deleted, the worst ones",
    "random": "values deleted at random, or known ones",
    "corrupted": "values corrupted",
    "training": "values missing in training",
    "outliers": "outliers: training targets or rows corrupted",
}
"""Kinds of loss, in the order in which they are offered."""

_TABLE = re.compile(r"(\d+) x (\d+)")


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

    def question(self, grid: Grid) -> Mapping[str, Any] | None:
        """What the rows of a panel answer."""
        return self._questions.get((grid.dataset, grid.adversary))

    @cached_property
    def _questions(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
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
    """A place on a suite's curve.

    Attributes
    ----------
    page : SuitePage
    grid : Grid
    data : str
        Registered name of the data set.
    where : str
        The place on the axis, in words.
    tags : mapping of str to str
        What the front page asks of it: what is predicted, what is lost, which share of it, and how many rows there are.
    answers : sequence of Answer
        The best tier first, in it the best mean.
    repetitions : int
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
    """The newest published run of each suite and profile.

    Raises
    ------
    PublishError, JournalError
    """
    newest: dict[tuple[str, str], PublishedRun] = {}
    for suite in dict.fromkeys(run.manifest["suite"] for run in stored.runs.values()):
        newest |= {(suite, run.manifest["profile"]): run for run in stored.of_suite(suite)}
    return [SuitePage(run, Analysis(published_results(stored, *key))) for key, run in sorted(newest.items())]


def cases_of(pages: Sequence[SuitePage]) -> list[Case]:
    """The cases of all suites; a quick profile stands back where the suite is published at a larger size."""
    whole = {page.run.manifest["suite"] for page in pages if page.run.manifest["profile"] != "quick"}
    shown = [p for p in pages if p.run.manifest["profile"] != "quick" or p.run.manifest["suite"] not in whole]
    return [case for page in shown for case in _of_suite(page, registry())]


def _of_suite(page: SuitePage, known: Registry) -> list[Case]:
    spent: dict[tuple[str, str], list[float]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for row in page.analysis.results.rows:
        fit, size = row.get("fit_seconds"), row.get("n_rows")
        for label in filter(None, (row["dataset"], row["group"])):
            if fit is not None:
                spent[label, row["algorithm"]].append(fit)
            if size:
                sizes.setdefault(label, size)
    seconds = {key: median(values) for key, values in spent.items()}
    cases = []
    for grid in page.analysis.first_grids:
        question = page.question(grid)
        if question is None or question["adversary"] is None or not grid.axis.startswith(("budget", "dataset.")):
            continue
        for column, heading in zip(grid.columns, grid.headings, strict=True):
            tiers = page.analysis.tiers(grid, column)
            points = [point for point in grid.column(column) if point.algorithm in tiers]
            if len(points) < 2 or (grid.axis == "budget" and column == 0):
                continue
            tags = _tags(question, grid, points[0].budget, sizes.get(grid.dataset), known)
            answers = _answers(points, tiers, grid, seconds)
            repetitions = min(len(point.values) for point in points)
            cases.append(Case(page, grid, question["dataset"]["name"], grid.at(heading), tags, answers, repetitions))
    return cases


def _tags(
    question: Mapping[str, Any], grid: Grid, budget: float | None, rows: int | None, known: Registry
) -> dict[str, str]:
    adversary, data = question["adversary"], question["dataset"]["name"]
    declared = known.adversaries.get(adversary["name"])
    kind = "corrupted" if declared is None or declared.phase != "train" else "outliers"
    if declared is not None and declared.loss is not None:
        kind = declared.loss
    table = known.datasets.get(data)
    tasks = known.metrics[grid.metric].tasks if grid.metric in known.metrics else ()
    task = table.task if table is not None else "regression" if set(tasks) == {"regression"} else "classification"
    share = None
    if grid.axis != "budget" and adversary["budget"][0] == "share":
        share = float(adversary["budget"][1])
    elif declared is not None and budget is not None:
        size = _TABLE.search(table.shape) if table is not None else None
        columns = question["dataset"]["params"].get("p") or (int(size[2]) if size else None)
        if declared.budget_unit == "fraction":
            share = budget
        elif declared.budget_unit in ("value", "features") and columns:
            share = min(1.0, budget / columns)
    return {
        "predict": task,
        "what is lost": KINDS.get(kind, kind),
        "share lost": _bin(
            share, (0.05, 0.15, 0.3, 0.6), ("to 5 %", "5 to 15 %", "15 to 30 %", "30 to 60 %", "above 60 %")
        ),
        "rows": _bin(rows, (500, 5000), ("to 500", "500 to 5,000", "above 5,000")),
    }


def _bin(value: float | None, ends: Sequence[float], words: Sequence[str]) -> str:
    return "unknown" if value is None else words[sum(value > end * (1 + 1e-9) for end in ends)]


def _answers(
    points: Sequence[Point], tiers: Mapping[str, int], grid: Grid, seconds: Mapping[tuple[str, str], float]
) -> list[Answer]:
    answers = []
    for point in points:
        assert point.mean is not None
        ends = point.interval()
        ends = ends if ends is not None and all(map(math.isfinite, ends)) else None
        spent = seconds.get((grid.dataset, point.algorithm))
        answers.append(Answer(point.algorithm, point.mean, ends, tiers[point.algorithm], spent))
    sign = -1 if grid.greater_is_better else 1
    return sorted(answers, key=lambda answer: (answer.tier, sign * answer.mean))
