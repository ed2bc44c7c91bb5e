"""Label copies: Dekel, Shamir & Xiao 2010, section 4.1, first experiment."""

from __future__ import annotations

import numpy as np

from benchkit import Data
from benchkit_datasets.generated.separable import draw_separable


def load_label_copies(
    n: int = 1000,
    n_features: int = 20,
    label_noise: float = 0.2,
    margin: float = 0.1,
    copy_value: float = 10.0,
    random_state: int | None = None,
) -> Data:
    """Linearly separable Gaussian data, flipped labels, and two copies of the flipped label as features.

    The paper does not say how far the points are from the hyperplane; its error of 0.22 implies a small margin
    (0.26 without one, 0.20 from 0.5 on).

    Parameters
    ----------
    n : int, default=1000
    n_features : int, default=20
        Features besides the copies, each of value 1.
    label_noise : float, default=0.2
        Probability that a label is flipped.
    margin : float, default=0.1
        Smallest distance of a point from the separating hyperplane, which passes through 0.
    copy_value : float, default=10
        Value of each copy.
    random_state : int, optional

    Returns
    -------
    Data
        With truth ``direction`` of shape (n_features,), the unit normal of the hyperplane, and ``clean_labels`` of
        shape (n,), the labels before flipping.
    """
    if not 0.0 <= label_noise <= 1.0:
        raise ValueError(f"label_noise is {label_noise!r}, expected a probability")
    rng = np.random.default_rng(random_state)
    X, direction, clean = draw_separable(rng, n, n_features, margin)
    y = np.where(rng.random(n) < label_noise, -clean, clean)
    return Data(
        X=np.column_stack([X, y, y]).astype(float),
        y=y,
        feature_names=[*(f"x{j + 1}" for j in range(n_features)), "copy-1", "copy-2"],
        feature_values=np.concatenate([np.ones(n_features), [copy_value, copy_value]]),
        truth={"direction": direction, "clean_labels": clean},
    )
