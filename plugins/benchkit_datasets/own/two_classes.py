"""Labels of a user's data: -1 and +1 where there are two classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def to_binary(source: Path | str, y: np.ndarray, positive: object = None) -> np.ndarray:
    """Two classes as -1 and +1; more than two as they are, unless one of them is to be +1.

    Parameters
    ----------
    source : Path or str
        For the message.
    y : ndarray of shape (n_samples,)
    positive : class, optional
        The one that becomes +1, against all others; where absent and there are two classes, the larger (or later in
        the alphabet) does.
    """
    classes = np.unique(y).tolist()
    if len(classes) < 2:
        raise ValueError(f"{source}: all labels are {classes[0]!r}, expected at least two classes")
    if positive is not None:
        chosen = [known for known in classes if known == positive or str(known) == str(positive)]
        if not chosen:
            shown = classes if len(classes) <= 20 else [*classes[:20], "..."]
            raise ValueError(f"{source}: no label is {positive!r}; the classes are {shown}")
        return np.where(y == chosen[0], 1, -1)
    return np.where(y == classes[1], 1, -1) if len(classes) == 2 else y
