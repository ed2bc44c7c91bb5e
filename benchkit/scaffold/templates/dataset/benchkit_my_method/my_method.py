"""The data: a function that returns benchkit.Data."""

from __future__ import annotations

import numpy as np

from benchkit import Data


def load_my_method(n: int = 400, n_informative: int = 4, distance: float = 1.5, random_state: int = 0) -> Data:
    """Two Gaussian classes of equal size.

    Parameters
    ----------
    n : int, default=400
        Rows.
    n_informative : int, default=4
        Features, of ten, in which the means differ.
    distance : float, default=1.5
        Between the means, in each of these features, in standard deviations.
    random_state : int, default=0
        Differs by repetition.

    Returns
    -------
    Data
        The truth holds ``informative``, a boolean mask of shape (10,).
    """
    if not 1 <= n_informative <= 10:
        raise ValueError(f"n_informative is {n_informative}, expected 1 to 10")
    rng = np.random.default_rng(random_state)
    y = np.where(rng.random(n) < 0.5, -1, 1)
    informative = np.arange(10) < n_informative
    X = rng.normal(size=(n, 10)) + np.outer(y, informative) * distance / 2
    return Data(X=X, y=y, feature_names=[f"x{column}" for column in range(10)], truth={"informative": informative})
