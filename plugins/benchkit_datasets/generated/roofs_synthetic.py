"""The linear data of RoOFS (Zhang et al.), before noise and corruption, which an adversary adds."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchkit import Data, check_count
from benchkit_datasets.parsing.choices import check_choice


def load_roofs_synthetic(
    n: int = 1000,
    p: int = 1000,
    sparsity: int | float = 0.1,
    order: Literal["shuffled", "true-first", "true-last"] = "shuffled",
    random_state: int | None = None,
) -> Data:
    """X ~ N(0, I), y = X beta; beta is uniform on [0, 1] on the true features, then scaled to unit length.

    Parameters
    ----------
    n : int, default=1000
        Rows, those that an adversary will corrupt included.
    p : int, default=1000
        Features.
    sparsity : int or float, default=0.1
        Number of true features, or, as a float between 0 and 1, their fraction of ``p``, rounded, at least one.
    order : {"shuffled", "true-first", "true-last"}, default="shuffled"
        Where in the stream of features the true ones are. The authors' published generator has them first, which
        helps every method that reads features in batches.
    random_state : int, optional

    Returns
    -------
    Data
        With truth ``coef`` of shape (p,) and ``support`` of shape (p,), true where a feature is a true one.
    """
    check_count(n=n)
    check_count(p=p)
    check_choice("order", order, ("shuffled", "true-first", "true-last"))
    k = _count_true(sparsity, p)
    rng = np.random.default_rng(random_state)
    coef = np.zeros(p)
    coef[:k] = rng.random(k)
    coef /= np.linalg.norm(coef)
    X = rng.standard_normal((n, p))
    if order == "true-last":
        coef = coef[::-1].copy()
    elif order == "shuffled":
        coef = rng.permutation(coef)
    # Features are alike, so moving the coefficients is moving the features.
    names = [f"x{j}" for j in range(1, p + 1)]
    return Data(X=X, y=X @ coef, feature_names=names, truth={"coef": coef, "support": coef != 0.0})


def _count_true(sparsity: int | float, p: int) -> int:
    if isinstance(sparsity, float) and 0.0 < sparsity <= 1.0:
        return max(1, round(sparsity * p))
    if isinstance(sparsity, int) and not isinstance(sparsity, bool) and 1 <= sparsity <= p:
        return sparsity
    raise ValueError(f"sparsity is {sparsity!r}, expected a whole number from 1 to {p} or a fraction of at most 1.0")
