"""Gaussian points that a hyperplane separates by a margin."""

from __future__ import annotations

import numpy as np

from benchkit import check_count


def draw_separable(
    rng: np.random.Generator, n: int, n_dimensions: int, margin: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard Gaussian points at a distance of at least ``margin`` from a random hyperplane through 0.

    The margin is from 0 to 3: a point beyond that comes once in 400 draws or less. Returns points (n, n_dimensions),
    the hyperplane's unit normal, and labels, +1 on the side that it points to.
    """
    check_count(n=n)
    check_count(n_dimensions=n_dimensions)
    if not 0.0 <= margin <= 3.0:
        raise ValueError(f"margin is {margin!r}, expected a number from 0 to 3")
    direction = rng.standard_normal(n_dimensions)
    direction /= np.linalg.norm(direction)
    rows = np.empty((0, n_dimensions))
    while len(rows) < n:
        drawn = rng.standard_normal((n, n_dimensions))
        rows = np.concatenate([rows, drawn[np.abs(drawn @ direction) >= margin]])
    points = rows[:n]
    return points, direction, np.where(points @ direction > 0, 1, -1)
