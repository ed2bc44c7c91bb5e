"""A split that anybody draws again with scikit-learn alone."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

from benchkit import SplitContext


class GivenSeed:
    """``train_test_split`` of scikit-learn, with a seed that is the suite's and not the run's.

    Sizes are the suite's ``test`` (0.2 where absent) and ``validation``, a fraction of which is one of the rows that
    the test part leaves; the training part is all that is left. Classes do not keep their proportions, whatever
    ``stratify`` says: the split that this repeats does not keep them.

    Parameters
    ----------
    seed : int, default=42
        Of repetition 0; repetition r has ``seed + r``.

    Raises
    ------
    ValueError
        The seed is none, or the suite gives a size for the training part.
    """

    def __init__(self, seed: int = 42) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**31:
            raise ValueError(f"seed is {seed!r}, expected a whole number from 0")
        self.seed = seed

    def __call__(self, context: SplitContext) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers of the rows of the parts train, validation and test."""
        if context.train not in (None, SplitContext.train):
            raise ValueError(f"train is {context.train}, and given-seed trains on all that is left: say 'train: null'")
        seed = self.seed + context.repetition
        rows = np.arange(len(context.y))
        train, test = train_test_split(rows, test_size=context.test or 0.2, random_state=seed)
        validation = rows[:0]
        if context.validation:
            train, validation = train_test_split(train, test_size=context.validation, random_state=seed)
        return train, validation, test
