"""Linear models' data: the logistic toy of Globerson & Roweis 2006, section 4.1, and that of RoOFS (Zhang et al.)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import expit

from benchkit import Data, check_choice, check_count


def load_logistic_toy(
    n: int = 1000,
    n_features: int = 20,
    strong: float = 5.0,
    weak: float = -2.0,
    values: Literal["signs", "bits"] = "signs",
    random_state: int | None = None,
) -> Data:
    """Uniform binary features; P(y = +1) = 1 / (1 + exp(-logit)), w = (5, -2, ..., -2), b the mean of w, -1.65.

    The paper says "uniformly" and writes x in R^20. Features of 0 and 1 taken literally would make P(y = +1) 0.0002,
    so the features are signs, or the bits are centred in the logit.

    Parameters
    ----------
    n : int, default=1000
        The paper does not give a number.
    n_features : int, default=20
    strong, weak : float, default=5.0 and -2.0
        Weight of the first feature, and of each other.
    values : {"signs", "bits"}, default="signs"
        x in {-1, 1} with logit w.x + b, or x in {0, 1} with logit w.(x - 1/2) + b. A deleted feature is 0, which is
        no value of a sign but is one of a bit.
    random_state : int, optional

    Returns
    -------
    Data
        With truth ``coef`` of shape (n_features,) and ``intercept``, the logit of X as given, and ``probability`` of
        shape (n,), P(y = +1).
    """
    check_count(n=n)
    check_count(n_features=n_features)
    check_choice(("signs", "bits"), values=values)
    rng = np.random.default_rng(random_state)
    coef = np.full(n_features, float(weak))
    coef[0] = strong
    intercept = coef.mean()
    X = rng.integers(2, size=(n, n_features)).astype(np.float64)
    if values == "signs":
        X = 2.0 * X - 1.0
    else:
        intercept -= coef.sum() / 2.0
    probability = expit(X @ coef + intercept)
    return Data(
        X=X,
        y=np.where(rng.random(n) < probability, 1, -1),
        feature_names=[f"x{j}" for j in range(1, n_features + 1)],
        truth={"coef": coef, "intercept": float(intercept), "probability": probability},
    )


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
    check_choice(("shuffled", "true-first", "true-last"), order=order)
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
