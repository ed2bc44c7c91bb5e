"""Many tests at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(pvalues: Sequence[float], family: int | None = None) -> list[float]:
    """Holm's step-down adjustment (Holm 1979): those below alpha are safe to reject together.

    Parameters
    ----------
    pvalues : sequence of float
    family : int, optional
        How many tests they were chosen from; by default they are all. The j-th smallest of the chosen has rank j or
        more in the whole family, so that the factor family - j + 1 is at least Holm's.
    """
    size = len(pvalues) if family is None else max(family, len(pvalues))
    order = sorted(range(len(pvalues)), key=lambda position: pvalues[position])
    adjusted, floor = [0.0] * len(pvalues), 0.0
    for rank, position in enumerate(order):
        floor = max(floor, min(1.0, (size - rank) * pvalues[position]))
        adjusted[position] = floor
    return adjusted
