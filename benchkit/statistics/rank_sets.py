"""What follows of ranks from which methods are told apart: confidence sets of ranks, and tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


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
