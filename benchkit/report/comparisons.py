"""Paired comparisons at every point of the axis: with the best algorithm, or with one that is named.

Splits and corruption are shared by all algorithms, so repetition r of one is paired with repetition r of the other.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.report.signed_rank import magnitude_ranks, signed_rank_pvalues
from benchkit.report.statistics import Point, best_of, t_quantile

if TYPE_CHECKING:
    import numpy as np

BEST = "best"
ALPHA = 0.05


@dataclass(frozen=True)
class Comparison:
    """An algorithm against a reference on shared repetitions.

    Attributes
    ----------
    difference : float
        Mean of algorithm minus reference.
    low, high : float
        Student's t interval of the difference; NaN below two pairs.
    n : int
        Pairs.
    wilcoxon : float
        Two-sided p-value of Wilcoxon's signed-rank test.
    holm : float
        The same, adjusted by Holm's method for all algorithms that are compared with the reference at this point.
    t_test : float
        Two-sided p-value of the paired t-test, not adjusted; NaN where it is not defined.
    dz : float
        Effect size: mean over standard deviation of the differences (Cohen's d of paired samples).
    rank_biserial : float
        Effect size: share of the rank sum in favour of a positive difference, minus the rest (Kerby 2014).
    worse : bool
        Whether the algorithm's mean is worse than the reference's.
    """

    dataset: str
    dataset_params: Mapping[str, Any]
    adversary: str
    axis: str
    axis_value: Any
    metric: str
    algorithm: str
    reference: str
    difference: float
    low: float
    high: float
    n: int
    wilcoxon: float
    holm: float
    t_test: float
    dz: float
    rank_biserial: float
    worse: bool

    def significant(self, alpha: float = ALPHA) -> bool:
        """Whether the difference stands after Holm's correction."""
        return self.holm < alpha

    def to_dict(self) -> dict[str, Any]:
        """All fields, as plain values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def holm(pvalues: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (Holm 1979): those below alpha are safe to reject together."""
    order = sorted(range(len(pvalues)), key=lambda position: pvalues[position])
    adjusted, floor = [0.0] * len(pvalues), 0.0
    for rank, position in enumerate(order):
        floor = max(floor, min(1.0, (len(pvalues) - rank) * pvalues[position]))
        adjusted[position] = floor
    return adjusted


def repetitions_needed(comparisons: int, alpha: float = ALPHA) -> int:
    """Fewest repetitions with which a signed-rank test can reach alpha after Holm's correction at its first step.

    The smallest two-sided p-value of n pairs is 2 / 2^n.
    """
    return max(2, math.floor(1 + math.log2(max(1, comparisons) / alpha)) + 1)


def compare(points: Iterable[Point], greater_is_better: Mapping[str, bool], reference: str = BEST) -> list[Comparison]:
    """Every algorithm against the reference at every point of the axis.

    Parameters
    ----------
    points : iterable of Point
    greater_is_better : mapping of metric to bool
    reference : str, default="best"
        ``best``, the algorithm with the best mean at each point, or the label of one.
    """
    pending = [pair for here in by_place(points) for pair in _pairs(here, greater_is_better, reference)]
    measured = measure_samples([_differences(a, b) for a, b, _ in pending])
    families: dict[int, list[int]] = defaultdict(list)
    for position, (_, b, _) in enumerate(pending):
        families[id(b)].append(position)
    adjusted: dict[int, float] = {}
    for family in families.values():
        adjusted |= zip(family, holm([measured[position]["wilcoxon"] for position in family]), strict=True)
    return [
        Comparison(
            dataset=a.dataset,
            dataset_params=a.dataset_params,
            adversary=a.adversary,
            axis=a.axis,
            axis_value=a.axis_value,
            metric=a.metric,
            algorithm=a.algorithm,
            reference=b.algorithm,
            holm=adjusted[position],
            worse=worse,
            **measured[position],
        )
        for position, (a, b, worse) in enumerate(pending)
    ]


def by_place(points: Iterable[Point]) -> list[list[Point]]:
    """Points of different algorithms at the same dataset, adversary, axis value and metric."""
    places: dict[tuple[str, ...], list[Point]] = defaultdict(list)
    for point in points:
        places[(point.metric, point.dataset, str(point.dataset_params), point.adversary, str(point.axis_value))].append(
            point
        )
    return list(places.values())


def _pairs(
    here: Sequence[Point], greater_is_better: Mapping[str, bool], reference: str
) -> Iterable[tuple[Point, Point, bool]]:
    greater = greater_is_better[here[0].metric]
    if reference == BEST:
        chosen = best_of(here, greater)
    else:
        chosen = next((point for point in here if point.algorithm == reference), None)
    if chosen is None or chosen.mean is None:
        return
    for point in here:
        if point is not chosen and point.mean is not None and point.values.keys() & chosen.values.keys():
            yield point, chosen, (point.mean < chosen.mean if greater else point.mean > chosen.mean)


def _differences(a: Point, b: Point) -> list[float]:
    return [a.values[repetition] - b.values[repetition] for repetition in sorted(a.values.keys() & b.values.keys())]


def measure_samples(samples: Sequence[Sequence[float]]) -> list[dict[str, Any]]:
    """Tests and effect sizes of many samples of differences; those of one size are done together."""
    import numpy as np

    found: list[dict[str, Any]] = [{} for _ in samples]
    sizes: dict[int, list[int]] = defaultdict(list)
    for position, sample in enumerate(samples):
        sizes[len(sample)].append(position)
    for positions in sizes.values():
        columns = measure_differences(np.array([samples[position] for position in positions]))
        names = list(columns)
        for position, *values in zip(positions, *(column.tolist() for column in columns.values()), strict=True):
            found[position] = dict(zip(names, values, strict=True))
    return found


def measure_differences(differences: np.ndarray) -> dict[str, np.ndarray]:
    """Interval, tests and effect sizes of each row of paired differences.

    Parameters
    ----------
    differences : ndarray of shape (n_rows, n_pairs)

    Returns
    -------
    dict of ndarray of shape (n_rows,)
    """
    import numpy as np
    from scipy import special

    n_rows, n = differences.shape
    # 0.3 - 0.1 and 0.5 - 0.3 differ in their last bits only: differences that tie must tie for the ranks too.
    differences = np.round(differences, 12)
    mean = differences.mean(axis=1)
    nan = np.full(n_rows, np.nan)
    low, high, t_test, dz = nan, nan, nan, nan
    if n > 1:
        sd = differences.std(axis=1, ddof=1)
        half = t_quantile(0.95, n - 1) * sd / math.sqrt(n)
        low, high = mean - half, mean + half
        with np.errstate(divide="ignore", invalid="ignore"):
            dz = np.where(sd > 0, mean / sd, np.where(mean == 0, 0.0, np.nan))
        t_test = np.where(np.isnan(dz), np.nan, 2 * special.stdtr(n - 1, -np.abs(dz) * math.sqrt(n)))
    ranks = magnitude_ranks(differences)
    total = ranks.sum(axis=1)
    biserial = np.where(total > 0, (np.sign(differences) * ranks).sum(axis=1) / np.maximum(total, 1), 0.0)
    return {
        "difference": mean,
        "low": low,
        "high": high,
        "n": np.full(n_rows, n),
        "wilcoxon": signed_rank_pvalues(differences),
        "t_test": t_test,
        "dz": dz,
        "rank_biserial": biserial,
    }
