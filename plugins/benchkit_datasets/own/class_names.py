"""What a file calls the classes of a problem that was made of them."""

from __future__ import annotations

import numpy as np


def class_names(named: np.ndarray, y: np.ndarray) -> tuple[str, ...]:
    """The file's name of each of ``np.unique(y)``: of several classes that became one, what they are not.

    Parameters
    ----------
    named : ndarray of shape (n_samples,)
        Classes as the file has them.
    y : ndarray of shape (n_samples,)
        Labels as the problem has them.
    """
    made_of = [np.unique(named[y == label]).tolist() for label in np.unique(y)]
    alone = [str(names[0]) for names in made_of if len(names) == 1]
    return tuple(str(names[0]) if len(names) == 1 else f"not {alone[0]}" for names in made_of)
