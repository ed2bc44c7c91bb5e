"""Breiman's waveform generator, for any number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchkit import Data, check_count
from benchkit_datasets.problems.wave_classes import choose_wave_problem

POINTS = np.arange(1, 22)
PEAKS = (7, 15, 11)
# The two base waves that each class mixes, numbered as in the UCI file.
MIXED = np.array([(0, 1), (0, 2), (1, 2)])


def load_waveform_generated(
    n: int = 5000,
    classes: Literal["binary", "all"] = "binary",
    pair: Sequence[int] | None = None,
    one_against_rest: int | None = None,
    random_state: int | None = None,
) -> Data:
    """Breiman et al. 1984: x_i = u h_a(i) + (1 - u) h_b(i) + N(0, 1) at i = 1 ... 21, u uniform on [0, 1].

    The base waves are triangles h(i) = max(6 - |i - peak|, 0) with peaks at 7, 15 and 11; the three classes, equally
    likely, mix the first and second, first and third, second and third. The best possible error is about 0.14 for the
    three classes.

    Parameters
    ----------
    n : int, default=5000
        Rows before a ``pair`` drops those of the third class.
    classes : {"binary", "all"}, default="binary"
        +1 for class 1 and -1 for classes 0 and 2; or 0, 1, 2.
    pair, one_against_rest
        Another binary problem, see `benchkit_datasets.problems.pairs.choose_problem`.
    random_state : int, optional

    Returns
    -------
    Data
        With truth ``waves`` of shape (3, 21), ``clean_X`` of shape (n_rows, 21), X without noise, and ``wave_classes``
        of shape (n_rows,), the class 0, 1 or 2 of each row.
    """
    check_count(n=n)
    rng = np.random.default_rng(random_state)
    waves = np.maximum(6.0 - np.abs(POINTS - np.array(PEAKS)[:, None]), 0.0)
    wave_classes = rng.integers(3, size=n)
    share = rng.random(n)[:, None]
    clean = share * waves[MIXED[wave_classes, 0]] + (1.0 - share) * waves[MIXED[wave_classes, 1]]
    noisy = clean + rng.standard_normal(clean.shape)
    rows, y = choose_wave_problem(wave_classes, classes, pair, one_against_rest)
    return Data(
        X=noisy[rows],
        y=y,
        feature_names=[f"x{point}" for point in POINTS],
        truth={"waves": waves, "clean_X": clean[rows], "wave_classes": wave_classes[rows]},
    )
