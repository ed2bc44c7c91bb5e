"""Gaussian points that a hyperplane separates by a margin: the data of Dekel, Shamir & Xiao 2010, section 4.1."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchkit import Data, check_choice, check_count


def draw_separable(
    rng: np.random.Generator, n: int, n_dimensions: int, margin: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Standard Gaussian points at a distance of at least ``margin`` from a random hyperplane through 0.

    The margin is from 0 to 3: a point beyond that comes once in 400 draws or less. Returns points (n, n_dimensions),
    the hyperplane's unit normal, and labels, +1 on the side that it points to.
    """
    check_count(n=n)
    check_count(n_dimensions=n_dimensions)
    if not 0.0 <= margin <= 3.0:
        raise ValueError(f"margin is {margin!r}, expected a number from 0 to 3")
    direction = rng.standard_normal(n_dimensions)
    direction /= np.linalg.norm(direction)
    rows = np.empty((0, n_dimensions))
    while len(rows) < n:
        drawn = rng.standard_normal((n, n_dimensions))
        rows = np.concatenate([rows, drawn[np.abs(drawn @ direction) >= margin]])
    points = rows[:n]
    return points, direction, np.where(points @ direction > 0, 1, -1)


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
    check_choice(("variance", "sd", "constant"), noise=noise)
    check_count(n_features=n_features)
    rng = np.random.default_rng(random_state)
    latent, direction, y = draw_separable(rng, n, n_latent, margin)
    mixing = rng.standard_normal((n_features, n_latent))
    size = noise_scale * (np.ones(n_features) if noise == "constant" else np.arange(1, n_features + 1))
    noise_sd = size if noise == "sd" else np.sqrt(size)
    X = latent @ mixing.T + noise_sd * rng.standard_normal((n, n_features))
    truth = {"mixing": mixing, "latent": latent, "direction": direction, "noise_sd": noise_sd}
    return Data(X=X, y=y, feature_names=[f"x{j}" for j in range(1, n_features + 1)], truth=truth)
