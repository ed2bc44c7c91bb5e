"""Tuning grids that depend on the data's size."""

from __future__ import annotations


def box_grid(n_features: int, total_value: float, budget: float) -> dict[str, list[float]]:
    """Radii C of the box of weights, in units of 1/P, P = V - N: at C max|x| <= min v / P no deletion pays."""
    remaining = max(total_value - budget, 1e-12)
    return {"C": [factor / remaining for factor in (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)]}
