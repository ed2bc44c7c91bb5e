"""Datasets that scikit-learn bundles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from sklearn import datasets

from benchkit import Data
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.problems.pairs import choose_problem


def load_breast(columns: Literal["mean", "all"] = "mean") -> Data:
    """Breast Cancer Wisconsin (Diagnostic): 569 images of cell nuclei; label +1 for malignant.

    Parameters
    ----------
    columns : {"mean", "all"}, default="mean"
        The ten means, as the "10 features" of Dekel, Shamir & Xiao 2010, or also their errors and worst values (30).
    """
    check_choice("columns", columns, ("mean", "all"))
    bunch = datasets.load_breast_cancer()
    kept = 10 if columns == "mean" else 30
    names = [str(name) for name in bunch.feature_names[:kept]]
    return Data(X=bunch.data[:, :kept], y=np.where(bunch.target == 0, 1, -1), feature_names=names)


def load_digits(
    pair: Sequence[int] | None = None,
    one_against_rest: int | None = None,
    task: Literal["odd-even"] | None = None,
) -> Data:
    """1797 digits of 8 x 8 pixels, grey values divided by their largest, 16.

    Parameters
    ----------
    pair, one_against_rest, task
        A binary problem, see `benchkit_datasets.problems.pairs.choose_problem`; all ten classes where none is given.
    """
    bunch = datasets.load_digits()
    rows, y = choose_problem(bunch.target, pair, one_against_rest, task)
    names = [f"pixel-{row}-{column}" for row in range(8) for column in range(8)]
    return Data(X=bunch.data[rows] / 16.0, y=y, feature_names=names)
