"""Cases: a data set under so much loss, and the methods that answered; who can be told apart there, and who cannot."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from benchkit.plugin.declarations.budget_unit import UNITS
from benchkit.plugin.manager import Registry, registry
from benchkit.published.site.kinds import DataFacts, facts_of, kinds_of, share_of
from benchkit.published.site.shown import Shown
from benchkit.report.grid import Grid
from benchkit.report.statistics.comparisons import ALPHA, tested_differences
from benchkit.report.statistics.points import Point, lacking_nothing
from benchkit.statistics.estimate import Estimate
from benchkit.statistics.holm import holm
from benchkit.statistics.rank_sets import tiers
from benchkit.statistics.sampling import ROWS

if TYPE_CHECKING:
    import numpy as np

_WHOLE = ("paper", "part", "default")


@dataclass(frozen=True)
class Answer:
    """One method in a case.

    Attributes
    ----------
    method : str
        Its label in the suite.
    mean : float
    interval : (float, float) or None
        95 %, on new rows.
    tier : int
        1 holds those that nobody is shown to be better than.
    seconds : float or None
        Median of its fits in this suite, where they were measured on one machine.
    clean : float or None
        Its mean at a budget of 0.
    run_again, trials : int
        Of the trials behind it, how many were run again, and how many there are.
    """

    method: str
    mean: float
    interval: tuple[float, float] | None
    tier: int
    seconds: float | None
    clean: float | None
    run_again: int
    trials: int


@dataclass(frozen=True)
class Gap:
    """A pair of methods of a case.

    Attributes
    ----------
    first, second : str
        Their labels in the suite.
    difference : Estimate
        Mean of the first minus the second, on new rows.
    told : {1, 0, -1}
        1 where the first is shown to be better, -1 where the second is.
    """

    first: str
    second: str
    difference: Estimate
    told: int


@dataclass(frozen=True)
class Case:
    """A place on a suite's curve.

    Attributes
    ----------
    shown : Shown
    grid : Grid
    kinds : sequence of str
        As in `benchkit.published.site.kinds.KINDS`.
    where : str
        The place on the axis, in words.
    at : float or None
        The place, where it is a number.
    share : float or None
        Of what could be lost.
    facts : DataFacts
    answers : sequence of Answer
        The best mean first.
    gaps : sequence of Gap
        Of the pairs that share repetitions.
    repetitions : int
    """

    shown: Shown
    grid: Grid
    kinds: Sequence[str]
    where: str
    at: float | None
    share: float | None
    facts: DataFacts
    answers: Sequence[Answer]
    gaps: Sequence[Gap]
    repetitions: int

    @property
    def decided(self) -> int:
        """Pairs of methods that are told apart."""
        return sum(gap.told != 0 for gap in self.gaps)


def cases_of(suites: Sequence[Shown]) -> list[Case]:
    """The cases of all suites; one at reduced size stands back where the suite is published at a larger one."""
    whole = {shown.suite for shown in suites if shown.profile in _WHOLE}
    known = registry()
    cases = []
    for shown in suites:
        if shown.profile in _WHOLE or shown.suite not in whole:
            cases += _of_suite(shown, known)
    return cases


def _of_suite(shown: Shown, known: Registry) -> list[Case]:
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    rows: dict[str, int] = {}
    asked: dict[tuple[str, str], Mapping[str, Any]] = {}
    for row in shown.rows:
        for label in (row["dataset"], row["group"]):
            if label:
                if (spent := row.get("fit_seconds")) is not None:
                    seconds[label, row["algorithm"]].append(spent)
                if n_rows := row.get("n_rows"):
                    rows.setdefault(label, n_rows)
                asked.setdefault((label, row["adversary"]), shown.asked(row))
    fits = {key: median(values) for key, values in seconds.items()}
    cases = []
    for grid in shown.analysis.first_grids:
        question = asked.get((grid.dataset, grid.adversary))
        if question is None or question["adversary"] is None:
            continue
        if not grid.axis.startswith(("budget", "dataset.")):
            continue
        name, params = question["dataset"]["name"], {**question["dataset"]["params"], **grid.dataset_params}
        methods = {shown.methods[label] for label in grid.rows}
        adversary = question["adversary"]
        kinds = kinds_of(adversary["name"], methods, known)
        unit = known.adversaries[adversary["name"]].budget_unit if adversary["name"] in known.adversaries else "none"
        if adversary["name"] in known.adversaries and grid.axis == "budget" and not grid.axis_words:
            title = known.adversaries[adversary["name"]].budget_title
            uniform = question["feature_values"] == "uniform"
            grid = replace(grid, axis_words=UNITS[unit].axis_title(title, False, uniform))
        for column, heading in zip(grid.columns, grid.headings, strict=True):
            here = lacking_nothing(grid.column(column))
            if len(here) < 2 or (grid.axis == "budget" and column == 0):
                continue
            if grid.axis != "budget":
                params = {**params, grid.axis.partition(".")[2]: column}
            facts = facts_of(name, params, rows.get(grid.dataset), grid.metric, known)
            budget = here[0].budget
            given = "amount" if grid.axis == "budget" else adversary["budget"][0]
            spent = float(adversary["budget"][1]) if given == "share" else budget
            share = None if spent is None else share_of(unit, spent, given, facts.columns)
            answers, gaps = _answers(here, grid, fits, shown)
            where = grid.at(heading)
            repetitions = min(len(point.values) for point in here)
            at = float(column) if isinstance(column, int | float) else None
            cases.append(Case(shown, grid, kinds, where, at, share, facts, answers, gaps, repetitions))
    return cases


def _answers(
    here: Sequence[Point], grid: Grid, fits: Mapping[tuple[str, str], float], shown: Shown
) -> tuple[Sequence[Answer], Sequence[Gap]]:
    above, gaps = told_apart(here, grid.greater_is_better)
    place = tiers(above)
    answers = []
    for point, tier in zip(here, place.tolist(), strict=True):
        clean = grid.rows[point.algorithm].get("0.0") or grid.rows[point.algorithm].get("0")
        ends = point.interval()
        assert point.mean is not None
        again, trials = shown.checked([point])
        answers.append(
            Answer(
                method=point.algorithm,
                mean=point.mean,
                interval=ends if ends is not None and all(map(math.isfinite, ends)) else None,
                tier=tier,
                seconds=fits.get((grid.dataset, point.algorithm)),
                clean=clean.mean if clean is not None and grid.axis == "budget" else None,
                run_again=again,
                trials=trials,
            )
        )
    sign = -1 if grid.greater_is_better else 1
    return sorted(answers, key=lambda answer: (answer.tier, sign * answer.mean)), gaps


def told_apart(points: Collection[Point], greater_is_better: bool) -> tuple[np.ndarray, list[Gap]]:
    """Which methods are shown to be better than which, with 95 % for all pairs of a case together.

    Differences are paired by repetition and speak of new rows; each pair has the test of a run's own comparisons
    (`benchkit.report.statistics.comparisons.compare`), and Holm's correction covers all pairs.

    Returns
    -------
    above : ndarray of bool of shape (n_points, n_points)
        Whether the row's method is better than the column's.
    gaps : list of Gap
    """
    import numpy as np

    listed = list(points)
    pairs = [(i, j) for i in range(len(listed)) for j in range(i + 1, len(listed))]
    pairs = [(i, j) for i, j in pairs if listed[i].parts.keys() & listed[j].parts.keys()]
    gaps, _, tests = tested_differences([(listed[i], listed[j]) for i, j in pairs], ROWS)
    above = np.zeros((len(listed), len(listed)), dtype=bool)
    adjusted = holm([1.0 if math.isnan(p) else p for p in tests])
    told = []
    for (i, j), gap, p in zip(pairs, gaps, adjusted, strict=True):
        apart = p < ALPHA and gap.decides
        first = (gap.mean > 0) == greater_is_better
        if apart:
            above[(i, j) if first else (j, i)] = True
        told.append(Gap(listed[i].algorithm, listed[j].algorithm, gap, (1 if first else -1) if apart else 0))
    return above, told
