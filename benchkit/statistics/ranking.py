"""Algorithms over many datasets: Friedman's test, average ranks, Nemenyi's critical difference; sets of ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.statistics.signed_rank import mean_ranks

if TYPE_CHECKING:
    import numpy as np


# q for 2, 3, ... algorithms at 5 %, as `critical_difference` would compute it: importing scipy.stats takes a second.
_NEMENYI = (1.9600, 2.3437, 2.5690, 2.7278, 2.8497, 2.9483, 3.0309, 3.1017, 3.1637, 3.2187, 3.2680, 3.3127, 3.3536)


@dataclass(frozen=True)
class Ranking:
    """How algorithms rank over datasets.

    Attributes
    ----------
    algorithms : tuple of str
        Best average rank first.
    ranks : tuple of float
        Average ranks, 1 is best; ties share their mean rank.
    wins, ties, losses : tuple of int
        Over all datasets and other algorithms.
    datasets : tuple of str
    chi_square : float
        Friedman's statistic, corrected for ties; NaN below two algorithms or where all tie.
    iman_davenport : float
        Its F version (Iman & Davenport 1980; Demsar 2006, section 3.2.2), with k - 1 and (k - 1)(N - 1) degrees of
        freedom.
    p : float
        Of ``iman_davenport``.
    critical_difference : float
        Nemenyi's: average ranks further apart than this differ at level ``alpha``.
    alpha : float
    left_out : tuple of str
        Algorithms without a value on some dataset.
    """

    algorithms: tuple[str, ...]
    ranks: tuple[float, ...]
    wins: tuple[int, ...]
    ties: tuple[int, ...]
    losses: tuple[int, ...]
    datasets: tuple[str, ...]
    chi_square: float
    iman_davenport: float
    p: float
    critical_difference: float
    alpha: float
    left_out: tuple[str, ...] = ()

    @property
    def tested(self) -> bool:
        """Whether there are enough datasets (three) for a test at all."""
        return len(self.datasets) > 2

    @property
    def summary(self) -> str:
        """Friedman's test and the critical difference in one sentence."""
        left_out = f" Left out, not on every dataset: {', '.join(self.left_out)}." if self.left_out else ""
        ranked = "Ranked are means on these rows"
        if not self.tested:
            return f"{ranked}; two datasets are too few for Friedman's test.{left_out}"
        k, n = len(self.algorithms), len(self.datasets)
        p = "p < 0.001" if self.p < 0.001 else f"p = {self.p:.3f}"
        test = (
            f"Friedman chi² = {self.chi_square:.2f}, F({k - 1}, {(k - 1) * (n - 1)}) = {self.iman_davenport:.2f}, {p}"
        )
        apart = f"critical difference {self.critical_difference:.2f} (Nemenyi, {self.alpha:.0%})"
        return f"{ranked}; the test asks about other datasets like these: {test}; {apart}.{left_out}"

    @property
    def cliques(self) -> list[tuple[int, int]]:
        """Maximal runs (first, last) of algorithms whose average ranks do not differ."""
        intervals: list[tuple[int, int]] = []
        for first, rank in enumerate(self.ranks):
            last = max(each for each, other in enumerate(self.ranks) if other - rank <= self.critical_difference)
            if last > first and (not intervals or last > intervals[-1][1]):
                intervals.append((first, last))
        return intervals


def rank_algorithms(
    scores: Mapping[str, Mapping[str, float]], greater_is_better: bool, alpha: float = 0.05
) -> Ranking | None:
    """Rank algorithms over datasets.

    Parameters
    ----------
    scores : mapping of dataset to mapping of algorithm to float
        An algorithm that lacks a dataset is left out, and named.
    greater_is_better : bool
    alpha : float, default=0.05

    Returns
    -------
    Ranking or None
        None where fewer than two algorithms or datasets can be compared.
    """
    import numpy as np

    names = list(dict.fromkeys(name for row in scores.values() for name in row))
    complete = [name for name in names if all(name in row for row in scores.values())]
    if len(complete) < 2 or len(scores) < 2:
        return None
    table = np.array([[row[name] for name in complete] for row in scores.values()])
    table = np.round(-table if greater_is_better else table, 12)
    ranks, chi_square, f, p = friedman(table)
    wins, ties, losses = _duels(table)
    order = np.argsort(ranks, kind="stable")
    return Ranking(
        algorithms=tuple(complete[position] for position in order),
        ranks=tuple(ranks[order].tolist()),
        wins=tuple(wins[order].tolist()),
        ties=tuple(ties[order].tolist()),
        losses=tuple(losses[order].tolist()),
        datasets=tuple(scores),
        chi_square=chi_square,
        iman_davenport=f,
        p=p,
        critical_difference=critical_difference(len(complete), len(table), alpha),
        alpha=alpha,
        left_out=tuple(name for name in names if name not in complete),
    )


def friedman(table: np.ndarray) -> tuple[np.ndarray, float, float, float]:
    """Average ranks, Friedman's chi-square, Iman and Davenport's F and its p-value.

    Parameters
    ----------
    table : ndarray of shape (n_datasets, n_algorithms)
        Losses: smaller is better.
    """
    import numpy as np
    from scipy.special import fdtrc

    n, k = table.shape
    ranks = mean_ranks(table)
    means = ranks.mean(axis=0)
    # Corrected for ties (Conover 1999, section 5.8); without ties the spread is N k (k + 1) (k - 1) / 12.
    spread = float((ranks**2).sum() - n * k * (k + 1) ** 2 / 4)
    if spread == 0:
        return means, math.nan, math.nan, math.nan
    chi_square = float((k - 1) * n**2 * ((means - (k + 1) / 2) ** 2).sum() / spread)
    rest = n * (k - 1) - chi_square
    if rest <= 1e-9:
        return means, chi_square, math.inf, 0.0
    f = (n - 1) * chi_square / rest
    return np.asarray(means), chi_square, f, float(fdtrc(k - 1, (k - 1) * (n - 1), f))


def critical_difference(algorithms: int, datasets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference q sqrt(k (k + 1) / (6 N)) (Demsar 2006, section 3.2.2).

    q is the studentised range at infinite degrees of freedom, over sqrt(2).
    """
    if alpha == 0.05 and algorithms - 2 < len(_NEMENYI):
        q = _NEMENYI[algorithms - 2]
    else:
        from scipy.stats import studentized_range

        q = float(studentized_range.ppf(1 - alpha, algorithms, math.inf)) / math.sqrt(2)
    return q * math.sqrt(algorithms * (algorithms + 1) / (6 * datasets))


def _duels(table: np.ndarray) -> Sequence[np.ndarray]:
    """Wins, ties and losses of each algorithm against each other, over the datasets."""
    import numpy as np

    differences = table[:, :, None] - table[:, None, :]
    ties = (differences == 0).sum(axis=(0, 2)) - len(table)
    return (differences < 0).sum(axis=(0, 2)), np.asarray(ties), (differences > 0).sum(axis=(0, 2))


def rank_sets(above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest rank that each method may have; 1 is best.

    A method is behind all that are shown to be better, and before all that are shown to be worse: where no pair is told
    apart in the wrong direction, with 95 % for all pairs together, all these sets hold all true ranks with as much
    (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for ranks", theorem 3.3).

    Parameters
    ----------
    above : ndarray of bool of shape (n_methods, n_methods)
        Whether the row's method is shown to be better than the column's.

    Returns
    -------
    lowest, highest : ndarrays of int of shape (n_methods,)
    """
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


def tiers(above: np.ndarray) -> np.ndarray:
    """The tier of each method; 1 is best.

    The first tier are those that no method is shown to be better than, and each next one those of the rest that none of
    the rest is shown to be better than. No two of a tier are told apart, and each method of a later tier is worse than
    some of the tier before: a method of tier t is worse than t - 1 others at least.

    Parameters
    ----------
    above : ndarray of bool of shape (n_methods, n_methods)

    Returns
    -------
    ndarray of int of shape (n_methods,)
    """
    import numpy as np

    place = np.zeros(len(above), dtype=int)
    left = np.ones(len(above), dtype=bool)
    tier = 0
    while left.any():
        tier += 1
        best = left & ~above[left].any(axis=0)
        # Ranks may beat each other in a circle, as stone, paper and scissors do: these are one tier.
        best = best if best.any() else left
        place[best] = tier
        left = left & ~best
    return place
