"""Everything that follows from a run's records under a reader's settings; computed when first asked for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from benchkit.report import failures
from benchkit.report.comparisons import ALPHA, BEST, Comparison, by_place, compare, repetitions_needed
from benchkit.report.formatting import SPREAD_NAMES, Spread
from benchkit.report.grid import Grid, arrange, without_members
from benchkit.report.ranking import Ranking, rank_algorithms
from benchkit.report.results import Results
from benchkit.report.robustness import Robustness, robustness
from benchkit.report.statistics import Point, Record, points
from benchkit.report.verdict import Verdict

MARK = "*"


class SelectionError(Exception):
    """The reader asked for what the run does not have; the message is one line for the user."""


@dataclass(frozen=True)
class Settings:
    """What a reader asked for.

    Parameters
    ----------
    metrics, algorithms, datasets : tuple of str, optional
        Only these; all by default.
    baseline : str, default="best"
        What every algorithm is compared with: the best at each point, or the label of one.
    failures : str, default="drop"
        ``drop``, ``worst`` or ``baseline:NAME``.
    level : float, optional
        Of the breakdown point.
    spread : {"stderr", "sd", "interval", "none"}, default="stderr"
    members : bool, default=False
        Also show the datasets that a group's mean stands for.
    """

    metrics: tuple[str, ...] | None = None
    algorithms: tuple[str, ...] | None = None
    datasets: tuple[str, ...] | None = None
    baseline: str = BEST
    failures: str = failures.DROP
    level: float | None = None
    spread: Spread = "stderr"
    members: bool = False


class Analysis:
    """A run's results under a reader's settings.

    Parameters
    ----------
    results : Results
    settings : Settings, optional

    Raises
    ------
    SelectionError, PolicyError
        The settings name what the run does not have.
    """

    def __init__(self, results: Results, settings: Settings | None = None) -> None:
        self.results, self.settings = results, settings or Settings()
        labels = list(dict.fromkeys(row["algorithm"] for row in results.records))
        names = list(dict.fromkeys([row["dataset"] for row in results.records]))
        groups = list(dict.fromkeys(row["group"] for row in results.records if row.get("group")))
        self.metrics = _chosen("metric", self.settings.metrics, results.metrics)
        self.algorithms = _chosen("algorithm", self.settings.algorithms, labels)
        self.datasets = _chosen("dataset", self.settings.datasets, list(dict.fromkeys(names + groups)))
        if self.settings.baseline != BEST:
            _chosen("baseline", (self.settings.baseline,), self.algorithms)
        self._policy = failures.parse_policy(self.settings.failures, labels)

    @cached_property
    def records(self) -> Sequence[Record]:
        """The chosen records, with what failed trials count as."""
        wanted = set(self.datasets)
        rows = [row for row in self.results.records if row["dataset"] in wanted or row.get("group") in wanted]
        counted = failures.count_failures(rows, self.metrics, self.results.greater_is_better, *self._policy)
        shown = set(self.algorithms)
        return [row for row in counted if row["algorithm"] in shown]

    @cached_property
    def points(self) -> list[Point]:
        """Means along the axis, groups last."""
        return points(self.records, self.metrics)

    @cached_property
    def all_grids(self) -> list[Grid]:
        """Every grid, members of groups included."""
        return arrange(self.points, self.results.greater_is_better)

    @cached_property
    def grids(self) -> list[Grid]:
        """The grids to show."""
        return self.all_grids if self.settings.members else without_members(self.all_grids)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every algorithm against the baseline, or the best, at every point."""
        return compare(self.points, self.results.greater_is_better, self.settings.baseline)

    @cached_property
    def _compared(self) -> Mapping[tuple[str, ...], Comparison]:
        return {_key(found): found for found in self.comparisons}

    def comparison(self, point: Point) -> Comparison | None:
        """The comparison of a point with the reference; None for the reference itself."""
        return self._compared.get(_key(point))

    def mark(self, point: Point | None) -> str:
        """``*`` where a point differs significantly from the reference."""
        found = self.comparison(point) if point is not None else None
        return MARK if found is not None and found.significant() else ""

    def robustness(self, grid: Grid) -> list[Robustness]:
        """Each algorithm's curve in numbers."""
        return robustness(grid, self.settings.level)

    @cached_property
    def rankings(self) -> list[tuple[str, str, Ranking]]:
        """(metric, adversary, ranking over datasets) where there are two datasets or more.

        What is ranked is a dataset's area under the robustness curve, or its mean where the axis has one point.
        """
        scores: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
        for grid in self.all_grids:
            if not grid.is_group:
                scores.setdefault((grid.metric, grid.adversary), {})[grid.name] = _scores(grid)
        found = []
        for (metric, adversary), table in scores.items():
            ranking = rank_algorithms(table, self.results.greater_is_better[metric], ALPHA)
            if ranking is not None:
                found.append((metric, adversary, ranking))
        return found

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The suite's claims, judged on all records: the settings do not change them."""
        return self.results.verdicts()

    @cached_property
    def notes(self) -> list[str]:
        """What is to be said under the tables."""
        reference = "the best" if self.settings.baseline == BEST else self.settings.baseline
        side = "worse than" if self.settings.baseline == BEST else "different from"
        said = []
        if any(point.stderr is not None for point in self.points):
            said.append(f"{SPREAD_NAMES[self.settings.spread]}; best of each column in bold")
        if any(found.significant() for found in self.comparisons):
            said.append(
                f"{MARK} {side} {reference}: Wilcoxon signed-rank over repetitions, Holm's correction, p < {ALPHA}"
            )
        failed = sum(row["status"] != "ok" for row in self.records)
        if failed:
            trials = f"{failed} of {len(self.records)} trials did not end ok (n of N in their cells)"
            said.append(f"{trials}; {failures.describe(*self._policy)}")
        return said + self.cautions

    @cached_property
    def cautions(self) -> list[str]:
        """Why some differences cannot be claimed: too few repetitions."""
        few: dict[tuple[int, int], None] = {}
        for here in by_place(self.points):
            known = [len(point.values) for point in here if point.values]
            if len(known) > 1:
                needed = repetitions_needed(len(known) - 1)
                if min(known) < needed:
                    few[min(known), needed] = None
        if not few:
            return []
        n, needed = min(few)
        times = "1 repetition is" if n == 1 else f"{n} repetitions are"
        return [f"{times} too few for a claim: no signed-rank test here can reach p < {ALPHA} below {needed}"]


def _chosen(kind: str, wanted: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    for name in wanted or ():
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known)}"
            raise SelectionError(f"no {kind} {name!r} in this run; {hint}")
    return [name for name in known if wanted is None or name in wanted]


def _key(place: Point | Comparison) -> tuple[str, ...]:
    params = str(place.dataset_params)
    return place.metric, place.dataset, params, place.adversary, str(place.axis_value), place.algorithm


def _scores(grid: Grid) -> dict[str, float]:
    """One number per algorithm: the area under its curve, or the mean of its values where the axis is not numeric."""
    curves = robustness(grid)
    if curves:
        return {curve.algorithm: curve.area for curve in curves if curve.area is not None}
    found = {}
    for algorithm, row in grid.rows.items():
        means = [point.mean for point in row.values() if point.mean is not None]
        if len(means) == len(grid.columns):
            found[algorithm] = fmean(means)
    return found
