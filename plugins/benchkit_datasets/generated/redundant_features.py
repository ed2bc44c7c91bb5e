"""Redundant features: Dekel, Shamir & Xiao 2010, section 4.1, second experiment."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchkit import Data, check_count
from benchkit_datasets.generated.separable import draw_separable
from benchkit_datasets.parsing.choices import check_choice


def load_redundant_features(
    n: int = 200,
    n_features: int = 40,
    n_latent: int = 3,
    margin: float = 1.0,
    noise_scale: float = 0.15,
    noise: Literal["variance", "sd", "constant"] = "variance",
    random_state: int | None = None,
) -> Data:
    """Separable points u of few dimensions, seen through many ever noisier features, x = A u + noise.

    u is standard Gaussian without the points closer than ``margin`` to a random hyperplane through 0 that labels the
    rest. The paper prints that u is drawn in R^n, which must read R^3, and does not say how A is drawn: here its
    entries are standard Gaussian.

    Parameters
    ----------
    n : int, default=200
        Rows after that removal.
    n_features : int, default=40
    n_latent : int, default=3
        Dimension of u.
    margin : float, default=1.0
        Smallest distance of u from the hyperplane.
    noise_scale : float, default=0.15
        Feature j (from 1) has Gaussian noise of mean 0 and size ``noise_scale * j``.
    noise : {"variance", "sd", "constant"}, default="variance"
        Whether that size is the variance, as N(0, 0.15 j) says if taken literally, or the standard deviation. With
        ``constant`` every feature has noise of variance ``noise_scale``, so that further features are as good as the
        first ones: what 2.5 assumes when it lets n grow.
    random_state : int, optional

    Returns
    -------
    Data
        With truth ``mixing`` A of shape (n_features, n_latent), ``latent`` u of shape (n, n_latent), ``direction`` of
        shape (n_latent,), the unit normal of the hyperplane, and ``noise_sd`` of shape (n_features,).
    """
    check_choice("noise", noise, ("variance", "sd", "constant"))
    check_count(n_features=n_features)
    rng = np.random.default_rng(random_state)
    latent, direction, y = draw_separable(rng, n, n_latent, margin)
    mixing = rng.standard_normal((n_features, n_latent))
    size = noise_scale * (np.ones(n_features) if noise == "constant" else np.arange(1, n_features + 1))
    noise_sd = size if noise == "sd" else np.sqrt(size)
    X = latent @ mixing.T + noise_sd * rng.standard_normal((n, n_features))
    truth = {"mixing": mixing, "latent": latent, "direction": direction, "noise_sd": noise_sd}
    return Data(X=X, y=y, feature_names=[f"x{j}" for j in range(1, n_features + 1)], truth=truth)
