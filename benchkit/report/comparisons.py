"""Paired comparisons at every point of the axis: with the best algorithm, or with one that is named.

Splits and corruption are shared by all algorithms, so repetition r of one is paired with repetition r of the other, and
in a group data set by data set. What is tested is the mean difference in the scope that was asked for (see
`benchkit.statistics.sampling`): by Wilcoxon's exact signed-rank test where repetitions are independent draws, by
the corrected resampled t-test where they share rows.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchkit.report.points import Place, Point, best_of, by_place
from benchkit.statistics.estimate import APART, LEVEL, Estimate, Relation, holm, out_of_reach, relations, spread_of
from benchkit.statistics.measurement import difference
from benchkit.statistics.ranking import in_units_of_the_largest, magnitude_ranks, signed_rank_pvalues
from benchkit.statistics.sampling import ROWS, Scope, complete_repetitions, paired

BEST = "best"
ALPHA = 0.05


class TestedDifference(NamedTuple):
    """A mean difference and its p-value, not adjusted."""

    estimate: Estimate
    p: float  # two-sided: of ``wilcoxon`` where repetitions are independent draws, of the estimate elsewhere
    wilcoxon: float  # of Wilcoxon's signed-rank test, for which repetitions must be independent draws
    rank_biserial: float

    @property
    def dz(self) -> float:
        """Effect size: mean over standard deviation; 0 of equal values."""
        return 0.0 if self.estimate.mean == 0 else spread_of(self.estimate)[1]


@dataclass(frozen=True)
class Comparison:
    """An algorithm against a reference on shared repetitions.

    Attributes
    ----------
    difference : float
        Mean of algorithm minus reference.
    low, high : float
        95 % interval of the difference in the scope; NaN below two pairs, infinite where nothing can be said.
    n : int
        Pairs; for k-fold on these rows, shuffles.
    p : float
        Two-sided p-value in the scope: ``wilcoxon`` where repetitions are independent draws, ``p_interval``
        elsewhere.
    holm : float
        The same, adjusted by Holm's method for all algorithms that are compared with the reference at this point; for
        all pairs of algorithms where the reference is the best, which the same numbers chose.
    wilcoxon : float
        Of Wilcoxon's signed-rank test; NaN where repetitions share rows, for which it is not valid.
    p_interval : float
        Two-sided p-value that agrees with the interval, not adjusted: by the normal distribution where the interval is
        made of rows (Student's t, of groups), by the t-test with the scope's variance elsewhere.
    dz : float
        Effect size: mean over standard deviation of the differences (Cohen's d of paired samples).
    rank_biserial : float
        Effect size: share of the rank sum in favour of a positive difference, minus the rest (Kerby 2014).
    worse : bool
        Whether the algorithm's mean is worse than the reference's.
    out_of_reach : bool
        Whether no number of repetitions of these rows will decide, whatever mean and spread are within their intervals.
    by_rows, by_groups : bool
        Whether the interval is made of rows that the run has kept; whether groups of these count, such as a patient's.
    relation : {"better", "worse", "equivalent", "undecided"} or None
        By the margin, where one was given.
    place : Place
        Where both stand.
    """

    metric: str
    algorithm: str
    reference: str
    difference: float
    low: float
    high: float
    n: int
    p: float
    holm: float
    wilcoxon: float
    p_interval: float
    dz: float
    rank_biserial: float
    worse: bool
    out_of_reach: bool
    by_rows: bool
    by_groups: bool
    relation: Relation | None
    place: Place = field(repr=False)

    def significant(self, alpha: float = ALPHA) -> bool:
        """Whether the difference stands after Holm's correction."""
        return self.holm < alpha

    @property
    def disagrees(self) -> bool:
        """Whether the interval and Wilcoxon's test, before correction, differ on whether there is a difference."""
        signed_ranks = not self.by_rows and not math.isnan(self.wilcoxon)
        return signed_ranks and math.isfinite(self.low) and (self.p < ALPHA) != (self.low > 0 or self.high < 0)

    @property
    def test(self) -> str:
        """The test that `p` is of, in words."""
        if self.by_rows:
            unit = "group" if self.by_groups else "row"
            return f"paired test over {unit}s"
        return "corrected resampled t-test" if math.isnan(self.wilcoxon) else "Wilcoxon's signed-rank test"


def repetitions_needed(comparisons: int, alpha: float = ALPHA) -> int:
    """Fewest repetitions with which a signed-rank test can reach alpha after Holm's correction at its first step.

    The smallest two-sided p-value of n pairs is 2 / 2^n.
    """
    return max(2, math.floor(1 + math.log2(max(1, comparisons) / alpha)) + 1)


def family_size(algorithms: int, reference: str) -> int:
    """How many tests Holm's correction covers at a point: all pairs where the reference, the best, was chosen."""
    return algorithms * (algorithms - 1) // 2 if reference == BEST else algorithms - 1


def compare(
    points: Iterable[Point],
    greater_is_better: Mapping[str, bool],
    reference: str = BEST,
    scope: Scope = ROWS,
    margins: Mapping[str, float] | None = None,
) -> list[Comparison]:
    """Every algorithm against the ``best`` at every point of the axis, or against the one that is named.

    Metrics with a margin of practical equivalence are judged by it, too.
    """
    places: list[list[tuple[Point, Point]]] = []
    for here in by_place(points):
        named = (point for point in here if point.algorithm == reference)
        chosen = best_of(here, greater_is_better[here[0].metric]) if reference == BEST else next(named, None)
        if chosen is not None and chosen.mean is not None:
            others = [point for point in here if point is not chosen and point.mean is not None]
            shared = [point for point in others if complete_repetitions(paired(point.parts, chosen.parts))]
            places += [[(point, chosen) for point in shared]] if shared else []
    tested = iter(tested_differences([pair for pairs in places for pair in pairs], scope))
    compared = []
    for pairs in places:
        family = family_size(len(pairs) + 1, reference)
        own = [next(tested) for _ in pairs]
        metric = pairs[0][0].metric
        greater, margin = greater_is_better[metric], (margins or {}).get(metric)
        adjusted = holm([each.p for each in own], family)
        estimates = [each.estimate for each in own]
        related = [None] * len(own) if margin is None else relations(estimates, margin, greater, ALPHA, family)
        for (a, b), measured, p, relation in zip(pairs, own, adjusted, related, strict=True):
            mean, width = measured.estimate, a.limits[1] - a.limits[0]
            low, high = mean.interval(LEVEL, (-width, width))
            compared.append(
                Comparison(
                    metric=metric,
                    algorithm=a.algorithm,
                    reference=b.algorithm,
                    difference=mean.mean,
                    low=low,
                    high=high,
                    n=mean.n,
                    p=measured.p,
                    holm=p,
                    wilcoxon=math.nan if mean.sample.excess else measured.wilcoxon,
                    p_interval=mean.p_differs() if mean.decides else math.nan,
                    dz=measured.dz,
                    rank_biserial=measured.rank_biserial,
                    worse=mean.mean < 0 if greater else mean.mean > 0,
                    out_of_reach=out_of_reach(mean, APART),
                    by_rows=mean.rows is not None,
                    by_groups=mean.rows is not None and mean.rows.grouped,
                    relation=relation,
                    place=a.place,
                )
            )
    return compared


def tested_differences(pairs: Iterable[tuple[Point, Point]], scope: Scope) -> list[TestedDifference]:
    """The differences of pairs that share repetitions, first minus second; signed ranks are counted together."""
    estimates = [mean for a, b in pairs if (mean := difference(a.measurement, b.measurement, scope)) is not None]
    ranked = _signed_ranks([mean.sample.values for mean in estimates])
    return [
        TestedDifference(mean, mean.p_differs() if mean.sample.excess else wilcoxon, wilcoxon, biserial)
        for mean, (wilcoxon, biserial) in zip(estimates, ranked, strict=True)
    ]


def _signed_ranks(samples: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Of each sample of differences Wilcoxon's p-value and the rank-biserial correlation."""
    ranked: list[tuple[float, float]] = [(math.nan, math.nan)] * len(samples)
    sizes: dict[int, list[int]] = defaultdict(list)
    for position, sample in enumerate(samples):
        sizes[len(sample)].append(position)
    for positions in sizes.values():
        # 0.3 - 0.1 and 0.5 - 0.3 differ in their last bits only: differences that tie must tie for the ranks too.
        differences = in_units_of_the_largest(np.array([samples[position] for position in positions]))
        ranks = magnitude_ranks(differences)
        total = ranks.sum(axis=1)
        biserial = np.where(total > 0, (np.sign(differences) * ranks).sum(axis=1) / np.maximum(total, 1), 0.0)
        pvalues = signed_rank_pvalues(differences)
        for position, p, correlation in zip(positions, pvalues.tolist(), biserial.tolist(), strict=True):
            ranked[position] = p, correlation
    return ranked


def shown_better(points: Sequence[Point], greater_is_better: bool) -> np.ndarray:
    """Which methods are shown to be better than which: of bool, of shape (n_points, n_points), i better than j.

    Differences are paired by repetition and speak of new rows; each pair has the test of a run's own comparisons
    (`compare`), and Holm's correction covers all pairs with 95 %.
    """
    above = np.zeros((len(points), len(points)), dtype=bool)
    pairs = [(i, j) for i, j in combinations(range(len(points)), 2) if points[i].parts.keys() & points[j].parts.keys()]
    tested = tested_differences([(points[i], points[j]) for i, j in pairs], ROWS)
    adjusted = holm([1.0 if math.isnan(each.p) else each.p for each in tested])
    for (i, j), each, p in zip(pairs, tested, adjusted, strict=True):
        if p < ALPHA and each.estimate.decides:
            above[(i, j) if (each.estimate.mean > 0) == greater_is_better else (j, i)] = True
    return above
