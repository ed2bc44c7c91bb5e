"""A way to divide rows: those that follow each other stay together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchkit import SplitContext, SplitMethod, hookimpl

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]


def split_by_blocks(block: int = 5) -> Callable[[SplitContext], Parts]:
    """Make a split by blocks: rows that follow each other were collected together, and stay together.

    Parameters
    ----------
    block : int, default=5
        Rows in a block.
    """

    def split(context: SplitContext) -> Parts:
        blocks = np.arange(len(context.y)) // block
        drawn = np.random.default_rng(context.random_state).permutation(blocks.max() + 1)
        place = (drawn[blocks] + 0.5) / len(drawn)  # of each row's block in the order drawn, between 0 and 1
        train, validation = (_share(size, context) for size in (context.train, context.validation))
        test = 1 - train - validation if context.test is None else _share(context.test, context)
        known = train + validation
        return (
            np.flatnonzero(place < train),
            np.flatnonzero((train <= place) & (place < known)),
            np.flatnonzero(place >= max(known, 1 - test)),
        )

    return split


def _share(size: float | int | None, context: SplitContext) -> float:
    """The share of the rows that a suite asks for, as a share or as a count."""
    return size / len(context.y) if isinstance(size, int) else size or 0.0


@hookimpl
def benchkit_splits() -> list[SplitMethod]:
    """Declare the splits."""
    return [
        SplitMethod(
            name="blocks",
            make=split_by_blocks,
            summary="Rows that follow each other stay together, in blocks",
        )
    ]
