"""The preprocessing steps of a suite, as a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler


def preprocessor(steps: Sequence[str | Mapping[str, Any]], is_sparse: bool) -> Pipeline | None:
    """Unfitted pipeline of a suite's preprocessing steps; every step lets NaN pass except ``impute``.

    On sparse data ``standardize`` and ``unit-variance`` only divide, so that zeros stay zeros.
    """
    built = []
    for position, step in enumerate(steps):
        name, argument = (step, None) if isinstance(step, str) else next(iter(step.items()))
        transformer: Any
        if name == "standardize":
            transformer = StandardScaler(with_mean=not is_sparse)
        elif name == "unit-variance":
            transformer = StandardScaler(with_mean=False)
        elif name == "log1p":
            transformer = FunctionTransformer(np.log1p, accept_sparse=True)
        elif name == "clip":
            transformer = FunctionTransformer(_clip, kw_args={"bound": argument}, accept_sparse=True)
        elif name == "scale":
            transformer = MinMaxScaler(feature_range=tuple(argument or (0, 1)), clip=False)
        else:
            transformer = SimpleImputer(strategy=argument, keep_empty_features=True)
        built.append((f"{position}-{name}", transformer))
    return Pipeline(built) if built else None


def _clip(X: Any, bound: float) -> Any:
    if sparse.issparse(X):
        clipped = X.copy()
        np.clip(clipped.data, -bound, bound, out=clipped.data)
        return clipped
    return np.clip(X, -bound, bound)
