"""Many tests at once, and practical equivalence: better, worse or equivalent by a margin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from benchkit.statistics.estimate import Estimate


def holm(pvalues: Sequence[float], family: int | None = None) -> list[float]:
    """Holm's step-down adjustment (Holm 1979): those below alpha are safe to reject together.

    They may have been chosen from a larger family of tests. The j-th smallest of the chosen has rank j or more in the
    whole family, so that the factor family - j + 1 is at least Holm's.
    """
    size = len(pvalues) if family is None else max(family, len(pvalues))
    order = sorted(range(len(pvalues)), key=lambda position: pvalues[position])
    adjusted, floor = [0.0] * len(pvalues), 0.0
    for rank, position in enumerate(order):
        floor = max(floor, min(1.0, (size - rank) * pvalues[position]))
        adjusted[position] = floor
    return adjusted


Relation = Literal["better", "worse", "equivalent", "undecided"]


def p_equivalent(estimate: Estimate, margin: float) -> float:
    """Two one-sided tests (Schuirmann 1987): p-value against the true mean being outside [-margin, margin]."""
    return max(estimate.p_above(-margin), estimate.p_below(margin))


def p_beyond(estimate: Estimate, margin: float) -> float:
    """Two-sided p-value against the true mean being within [-margin, margin]."""
    return min(1.0, 2 * min(estimate.p_above(margin), estimate.p_below(-margin)))


def relations(
    estimates: Sequence[Estimate], margin: float, greater_is_better: bool, alpha: float, family: int | None = None
) -> list[Relation]:
    """What each difference (algorithm minus reference) says, by Holm's correction over the family.

    ``better`` and ``worse`` are by more than the margin; ``equivalent`` lies within it; anything else is undecided.
    """
    beyond = holm([p_beyond(difference, margin) for difference in estimates], family)
    within = holm([p_equivalent(difference, margin) for difference in estimates], family)
    ahead: Sequence[Relation] = ["better" if (each.mean > 0) == greater_is_better else "worse" for each in estimates]
    return [
        "equivalent" if alike < alpha else relation if apart < alpha else "undecided"
        for relation, apart, alike in zip(ahead, beyond, within, strict=True)
    ]
