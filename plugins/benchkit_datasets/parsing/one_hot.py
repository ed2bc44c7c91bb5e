"""Categories as numbers: one column each, or one column a category."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np


def find_codes(
    path: Path, name: str, values: Sequence[str], categories: Sequence[str], missing: str = ""
) -> np.ndarray:
    """Positions of values among the categories, as float64 of shape (rows,); NaN where a value is missing.

    ``missing`` is what the file writes then; empty where none may be missing. ``path`` and the column's ``name`` are
    for the ValueError that a value raises which is not among the categories.
    """
    positions = {category: float(position) for position, category in enumerate(categories)}
    if missing:
        positions[missing] = np.nan
    try:
        return np.array([positions[value] for value in values])
    except KeyError as error:
        row = list(values).index(error.args[0]) + 1
        known = ", ".join(categories)
        raise ValueError(f"{path}: {name} is {error.args[0]!r} in row {row}, expected one of {known}") from None


def make_block(codes: np.ndarray, n_categories: int) -> np.ndarray:
    """One column a category, float64 of shape (rows, n_categories); a missing code makes its whole row NaN."""
    block = (codes[:, None] == np.arange(n_categories)).astype(float)
    block[np.isnan(codes)] = np.nan
    return block


def join_blocks(blocks: Sequence[np.ndarray]) -> tuple[np.ndarray, list[list[int]]]:
    """Blocks side by side, and the columns of each block.

    Returns
    -------
    X : ndarray of shape (rows, total width)
    groups : list of lists of int
        One per block.
    """
    starts = np.cumsum([0, *(block.shape[1] for block in blocks)])
    groups = [list(range(start, stop)) for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    return np.column_stack(blocks), groups
