"""Datasets that scikit-learn bundles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from sklearn import datasets

from benchkit import Data
from benchkit_datasets.pairs import choose_pair


def load_breast(columns: Literal["mean", "all"] = "mean") -> Data:
    """Breast Cancer Wisconsin (Diagnostic).

    Parameters
    ----------
    columns : {"mean", "all"}, default="mean"
        The ten means, as the paper's "10 features", or also their errors and worst values.
    """
    if columns not in ("mean", "all"):
        raise ValueError(f"columns is {columns!r}, expected 'mean' or 'all'")
    bunch = datasets.load_breast_cancer()
    kept = 10 if columns == "mean" else 30
    names = [str(name) for name in bunch.feature_names[:kept]]
    return Data(X=bunch.data[:, :kept], y=np.where(bunch.target == 0, 1, -1), feature_names=names)


def load_digits(pair: Sequence[int] | None = None) -> Data:
    """8 x 8 digits, grey values divided by their largest, 16.

    Parameters
    ----------
    pair : two digits, optional
        Labels -1 and +1 in this order; all ten classes where absent.
    """
    bunch = datasets.load_digits()
    X, y = bunch.data / 16.0, bunch.target
    if pair is not None:
        X, y = choose_pair(X, y, pair)
    return Data(X=X, y=y, feature_names=[f"pixel-{row}-{column}" for row in range(8) for column in range(8)])
