"""Which entries are largest or smallest, and how many: asked for, or clean by RoOFS's Eq. 5 or RLHH's form of it."""

from typing import Any, Literal

import numpy as np

_TYPICAL = 100.0  # times the median size: beyond, it is a sentinel


def largest(weights: np.ndarray, count: int) -> np.ndarray:
    """Positions of the ``count`` largest magnitudes (all, where there are no more), ascending; of equals the first."""
    order = np.argsort(-np.abs(weights), kind="stable")
    return np.sort(order[:count])


def smallest_mask(residuals: np.ndarray, count: int) -> np.ndarray:
    """True at the ``count`` smallest magnitudes, of equals the first; shape of ``residuals``."""
    magnitudes = np.abs(residuals)
    mask = np.zeros(len(magnitudes), dtype=bool)
    mask[np.argsort(magnitudes, kind="stable")[:count]] = True
    return mask


def resolve_count(name: str, value: Any, total: int) -> int:
    """What a count (at least 1, capped by ``total``) or a fraction of ``total`` (rounded, at least 1) comes to."""
    if isinstance(value, float | np.floating) and 0.0 < value <= 1.0:
        return max(1, round(float(value) * total))
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 1:
        return min(int(value), total)
    raise ValueError(f"{name} is {value!r}, expected a count of at least 1 or a fraction of at most 1.0")


def robust_length(y: np.ndarray) -> float:
    """The length of y, of which no entry counts for more than a hundred times their median size.

    What convergence is measured by: a sentinel such as 99999999 would end a fit after its first iteration.
    """
    sizes = np.abs(y)
    typical = float(np.median(sizes[sizes > 0])) if sizes.any() else 0.0
    return float(np.linalg.norm(np.minimum(sizes, _TYPICAL * typical)))


Variant = Literal["roofs", "rlhh"]


def estimate_clean_count(residuals: np.ndarray, variant: Variant = "roofs") -> int:
    """The largest tau, from floor(n/2) + 1 to n, whose residual fits what the smaller residuals let expect.

    With r_(1) <= ... <= r_(n) the sorted magnitudes, a candidate tau is judged by the root mean square rho of the tau''
    smallest and by tau', the position of the residual nearest to rho (of equals the last): it is accepted where r_(tau)
    <= 2 tau rho / tau'. Candidates are n, n - 1, ..., floor(n/2) + 1, since most rows are taken to be clean; where none
    is accepted the last of them is the answer. The number of features does not enter.

    tau'' is tau - floor(n/2) (Zhang et al., RoOFS, Eq. 5), or with the variant "rlhh" ceil(tau/2) (Zhang et al. 2017).
    """
    magnitudes = np.sort(np.abs(residuals))
    n = len(magnitudes)
    candidates = np.arange(n // 2 + 1, n + 1)
    limits = acceptance_limits(magnitudes, candidates, variant)
    accepted = candidates[magnitudes[candidates - 1] <= limits]
    return int(accepted[-1]) if len(accepted) else int(candidates[0])


def acceptance_limits(magnitudes: np.ndarray, candidates: np.ndarray, variant: Variant = "roofs") -> np.ndarray:
    """The largest r_(tau) at which each candidate tau is accepted, 2 tau rho / tau'; magnitudes ascend.

    Candidates are more than floor(n/2) for the variant "roofs".
    """
    leads = leading_counts(candidates, len(magnitudes), variant)
    # Scaled to the size of the largest, so that no square over- or underflows; by a power of two, which rounds nothing.
    scale = 2.0 ** np.floor(np.log2(magnitudes[-1])) if magnitudes[-1] > 0 else 1.0
    scaled = magnitudes / scale
    rho = np.sqrt(np.cumsum(scaled**2)[leads - 1] / leads)
    limits: np.ndarray = 2.0 * candidates * rho * scale / _nearest_positions(scaled, rho)
    return limits


def leading_counts(candidates: np.ndarray, n_samples: int, variant: Variant = "roofs") -> np.ndarray:
    """How many of the smallest residuals judge each candidate, tau'': shape (n_candidates,)."""
    if variant == "roofs":
        return candidates - n_samples // 2
    if variant == "rlhh":
        return (candidates + 1) // 2
    raise ValueError(f"variant is {variant!r}, expected 'roofs' or 'rlhh'")


def _nearest_positions(ascending: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Positions, counted from 1, of the entries nearest to each value; of equals the last."""
    above = np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)
    below = np.maximum(above - 1, 0)
    nearer_below = values - ascending[below] < ascending[above] - values
    nearest = np.where(nearer_below, ascending[below], ascending[above])
    return np.searchsorted(ascending, nearest, side="right")
