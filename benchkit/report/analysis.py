"""Everything that follows from a run's records under a reader's settings; computed when first asked for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from benchkit.document import Block
from benchkit.document.text import BEST_IN_BOLD
from benchkit.errors import RequestError
from benchkit.plugin.manager import registry
from benchkit.plugin.parameters import suggestion
from benchkit.report.answers import MARK, answers
from benchkit.report.cautions import CHECKS, changes
from benchkit.report.comparisons import ALPHA, BEST, Comparison, compare, shown_better
from benchkit.report.grid import Grid, arrange, changed_nothing
from benchkit.report.own_methods import own_sentences
from benchkit.report.points import Place, Point, judged, lacking_nothing, of_first_metric, points
from benchkit.report.results import Results
from benchkit.report.row_sections import changed_blocks
from benchkit.report.standings import Standings, standings
from benchkit.statistics.ranking import Ranking, rank_algorithms, tiers
from benchkit.statistics.sampling import ROWS, SCOPE_NAMES, Scope
from benchkit.trial.record import Record

if TYPE_CHECKING:
    from benchkit.report.claims.verdict import Verdict
    from benchkit.report.questions import RunQuestion
    from benchkit.report.slices import Sliced

# Of a significant difference, of the reader's own method, and of one that breaks down.


class SelectionError(RequestError):
    """The reader asked for what the run does not have; the message is one line for the user."""


@dataclass(frozen=True)
class Settings:
    """What a reader asked for.

    Parameters
    ----------
    metrics : tuple of str, optional
        Only these; all by default.
    baseline : str, default="best"
        What every algorithm is compared with: the best at each point, or the label of one.
    scope : {"rows", "splits"}, default="rows"
        Whether stars, p-values and intervals generalise to new rows, or condition on these rows.
    margin : float, optional
        Of practical equivalence, of the first metric shown; the suite's by default.
    by : str, optional
        A column of the data sets: also tell each method's loss on the rows that are alike in it.
    details : bool, default=False
        Also show the datasets that a group's mean stands for, and which columns the adversaries changed.
    plugins : tuple of str, default=()
        Plugin files that declare the data sets, for ``by``.
    """

    metrics: tuple[str, ...] | None = None
    baseline: str = BEST
    scope: Scope = ROWS
    margin: float | None = None
    by: str | None = None
    details: bool = False
    plugins: tuple[str, ...] = ()


class Analysis:
    """A run's results under a reader's settings.

    Parameters
    ----------
    results : Results
    settings : Settings, optional

    Raises
    ------
    SelectionError
        The settings name what the run does not have.
    """

    def __init__(self, results: Results, settings: Settings | None = None) -> None:
        self.results, self.settings = results, settings or Settings()
        self.records: Sequence[Record] = results.rows
        self.metrics = _chosen("metric", self.settings.metrics, results.metrics)
        self.algorithms = list(dict.fromkeys(row["algorithm"] for row in results.rows))
        if self.settings.baseline != BEST:
            _chosen("baseline", (self.settings.baseline,), self.algorithms)
        self._standings: dict[int, Standings] = {}
        where = SCOPE_NAMES[self.settings.scope]
        # What a star beside a mean over the axis says.
        worse = f"{MARK} significantly worse than the best {where} (each by itself)"
        self.star_note = f"{worse}; no {MARK}: it may be as good"

    @cached_property
    def points(self) -> list[Point]:
        """Means along the axis, groups last; of a data set those of the metrics that judge what it predicts."""
        results, scope = self.results, self.settings.scope
        return judged(points(self.records, self.metrics, scope, results.ranges, results.kept_rows, results.trivial))

    @cached_property
    def all_grids(self) -> list[Grid]:
        """Every grid, members of groups included."""
        results = self.results
        words = results.axis_titles, results.situations, results.shares
        return arrange(self.points, results.greater_is_better, results.labels, *words)

    @cached_property
    def grids(self) -> list[Grid]:
        """The grids to show: without details a group's mean stands for its members."""
        return self.all_grids if self.settings.details else self._whole_groups

    @cached_property
    def _whole_groups(self) -> list[Grid]:
        groups = {grid.group for grid in self.all_grids if grid.is_group}
        return [grid for grid in self.all_grids if grid.is_group or grid.group not in groups]

    @cached_property
    def first_grids(self) -> list[Grid]:
        """Of each data set those of the first metric that judges it: what answers are about."""
        return of_first_metric(self._whole_groups, self.metrics)

    def tiers(self, grid: Grid, column: int) -> dict[str, int]:
        """The tier of each method at a place of a grid: nobody of tier 1 is shown to be worse than another method.

        Methods without a mean that may be compared are left out.
        """
        compared = lacking_nothing(grid.column(column))
        places = tiers(shown_better(compared, grid.greater_is_better))
        return {point.algorithm: int(tier) for point, tier in zip(compared, places, strict=True)}

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Every algorithm against the baseline, or the best, at every point."""
        directions, settings = self.results.greater_is_better, self.settings
        return compare(self.points, directions, settings.baseline, settings.scope, self.margins)

    @cached_property
    def margins(self) -> Mapping[str, float]:
        """The margin of practical equivalence, of the metric that has one."""
        if self.settings.margin is not None:
            return {self.metrics[0]: self.settings.margin}
        first = self.results.metrics[0]
        return {first: self.results.margin} if self.results.margin is not None and first in self.metrics else {}

    @cached_property
    def _compared(self) -> Mapping[tuple[str, Place, str], Comparison]:
        return {(each.metric, each.place, each.algorithm): each for each in self.comparisons}

    def comparison(self, point: Point) -> Comparison | None:
        """The comparison of a point with the reference; None for the reference itself."""
        return self._compared.get((point.metric, point.place, point.algorithm))

    def mark(self, point: Point) -> str:
        """``*`` where a point differs significantly from the reference."""
        comparison = self.comparison(point)
        return MARK if comparison is not None and comparison.significant() else ""

    def is_loss(self, grid: Grid) -> bool:
        """Whether its metric is a loss of rows; seconds, which a model has, are none."""
        known = self.results.row_metrics.get(grid.metric)
        return known is not None and known.needs != "model" and not grid.greater_is_better

    def standings(self, grid: Grid) -> Standings:
        """Who is complete and best over the axis of one of its grids; answers, tables and ranks read it."""
        if id(grid) not in self._standings:
            margin = self.margins.get(grid.metric)
            self._standings[id(grid)] = standings(grid, self.settings.scope, margin, self.is_loss(grid))
        return self._standings[id(grid)]

    @cached_property
    def own(self) -> Sequence[str]:
        """The reader's own methods: those that benchkit does not bring, else those that ran beside published rows.

        That is first which is most often the best of them. None where all methods are the reader's: then none of them
        stands out.
        """
        ran = self.results.own_rows
        beside = len(ran) < len(self.results.rows)
        own = self.results.declared_elsewhere or [row["algorithm"] for row in ran if beside]
        if set(own) | self.results.trivial.keys() >= set(self.algorithms):
            return ()
        ahead = [next((name for name in panel.complete if name in own), "") for panel in self.judged_panels]
        return sorted(dict.fromkeys(own), key=lambda name: -ahead.count(name))

    @property
    def answers(self) -> list[str]:
        """Where own methods stand; per adversary, in plain sentences, which method to use and how sure that is."""
        return [text for part in self.answers_in_parts for text in part]

    @cached_property
    def answers_in_parts(self) -> tuple[list[str], list[str]]:
        """Where own methods stand, and the other answers."""
        return [*own_sentences(self.judged_panels, self.own)], answers(self.judged_panels, self.own)

    @cached_property
    def judged_panels(self) -> list[Standings]:
        """Of each of the first grids how methods stand there, but where the adversary changed nothing."""
        return self._panels_of(self.first_grids)

    @property
    def further_panels(self) -> list[Standings]:
        """The same by each further metric, but seconds."""
        first, known = {id(grid) for grid in self.first_grids}, self.results.row_metrics
        times = {name for name in self.metrics if name in known and known[name].measures_time}
        return self._panels_of([grid for grid in self.grids if id(grid) not in first and grid.metric not in times])

    def _panels_of(self, grids: Sequence[Grid]) -> list[Standings]:
        outcomes = self.results.kept_rows.outcomes
        return [self.standings(grid) for grid in grids if not changed_nothing(grid, outcomes)]

    @cached_property
    def slices(self) -> tuple[list[Sliced], list[str]]:
        """Each method's loss by the column that the settings name, and why data sets are not among them."""
        from benchkit.report.slices import SliceError, slices

        if self.settings.by is None:
            return [], []
        try:
            return slices(self, self.settings.by, self.settings.plugins)
        except SliceError as error:  # of a collection others may have the column: `check_sliced`
            return [], [str(error)]

    @cached_property
    def changed_columns(self) -> list[Block]:
        """Which columns the adversaries changed, as far as rows were kept: page and tables read these once."""
        return list(changed_blocks(self))

    @cached_property
    def rankings(self) -> list[tuple[str, str, Ranking]]:
        """(metric, adversary, ranking over datasets) where there are three datasets or more.

        What is ranked is a dataset's area under the robustness curve, or its mean where the axis has one point.
        """
        scores: dict[tuple[str, str], dict[str, Mapping[str, float]]] = defaultdict(dict)
        for grid in self.all_grids:
            if not grid.is_group:
                standing = self.standings(grid)
                means = {name: standing.means[name] for name in standing.complete}
                scores[grid.metric, grid.adversary][grid.name] = means
        ranked = [
            (metric, adversary, rank_algorithms(table, self.results.greater_is_better[metric], ALPHA))
            for (metric, adversary), table in scores.items()
        ]
        return [(metric, adversary, ranking) for metric, adversary, ranking in ranked if ranking is not None]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The suite's claims, judged on all records: the settings do not change them."""
        return self.results.verdicts()

    @cached_property
    def questions(self) -> list[RunQuestion]:
        """What repetitions were run for, where they were run until it was decided."""
        from benchkit.report.questions import questions_of

        return questions_of(self.results) if self.results.until_decided else []

    @cached_property
    def notes(self) -> list[str]:
        """What is to be said under the tables, cautions apart."""
        notes = self.legend()
        notes += [
            f"equivalent: {metric} within {margin:g} of the reference, by two one-sided tests"
            for metric, margin in self.margins.items()
        ]
        # Seconds that several runs measured do not compare.
        here = self.results.folder.name
        runs = Counter(
            "published rows" if row.get("published") else str(row.get("measured_in") or row.get("run") or here)
            for row in self.records
        )
        if len(runs) > 1:
            counts = ", ".join(f"{count} of {run}" for run, count in sorted(runs.items()))
            notes.append(f"seconds were measured at {len(runs)} times, and do not compare between them: {counts}")
        return notes

    def legend(self, grid: Grid | None = None) -> list[str]:
        """What the signs in the cells of a grid mean, or in those of all."""
        shown = self.points if grid is None else [point for row in grid.rows.values() for point in row.values()]
        compared = [comparison for point in shown if (comparison := self.comparison(point))]
        kept = [point for point in shown if grid is None or point.algorithm not in grid.skipped]
        rows = self.records if grid is None else [row for point in kept for row in point.rows]
        failed = sum(row["status"] not in ("ok", "skipped") for row in rows)
        legend = []
        if any(point.stderr is not None for point in shown):
            legend.append(f"mean ± standard error over repetitions; {BEST_IN_BOLD}")
        if compared:
            where, baseline = SCOPE_NAMES[self.settings.scope], self.settings.baseline
            tests = ", ".join(sorted({each.test for each in compared if each.significant()}))
            than = f"worse than the best {where}" if baseline == BEST else f"different from {baseline} {where}"
            pairs = " over all pairs" if baseline == BEST else ""
            legend.append(
                f"{MARK} {than}: {tests}, Holm's correction{pairs}, p < {ALPHA}"
                if tests
                else f"differences are judged {where}; none is significant at {ALPHA:.0%}"
            )
        if failed:
            groups = ", repetitions of a group" if any(point.of_group for point in shown) else ""
            not_ok = f"{failed} of {len(rows)} trials did not end ok (n of N in their cells{groups})"
            legend.append(f"{not_ok}; means leave failed trials out")
        return legend

    @cached_property
    def cautions(self) -> list[str]:
        """What a reader must be warned of."""
        _ = self.comparisons  # which reads the rows
        return [*self.changes, *(caution for check in CHECKS for caution in check(self))]

    @cached_property
    def changes(self) -> list[str]:
        """Adversaries that changed nothing, or something for a budget of 0, of which the answers warn as well."""
        return list(changes(self))


def _chosen(kind: str, wanted: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    for name in wanted or ():
        if name not in known:
            if kind == "metric" and name in registry().metrics:
                raise SelectionError(f"{name} was not measured, and cannot be told from rows: add it and run the suite")
            metrics = registry().metrics if kind == "metric" else {}
            further = ", ".join(each for each in metrics if metrics[each].needs != "model" and each not in known)
            has = f"it has {', '.join(known)}{', and rows that were kept can give ' * bool(further)}{further}"
            raise SelectionError(f"no {kind} {name!r} in this run; {suggestion(name, [*known, *metrics], has)}")
    return list(dict.fromkeys(known if wanted is None else wanted))
