"""The preprocessing steps of a suite, as a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

from benchkit.plugin.declarations import NotApplicableError, PreprocessingStep
from benchkit.suite.names import STEPS

WHERE_NEEDED = "impute-where-needed"


def preprocessor(
    steps: Sequence[str | Mapping[str, Any]],
    is_sparse: bool,
    groups: Sequence[Sequence[int]] = (),
    takes_missing: bool = False,
    declared: Mapping[str, PreprocessingStep] = MappingProxyType({}),
) -> Pipeline | None:
    """Unfitted pipeline of a suite's preprocessing steps; every step lets NaN pass except the two that impute.

    On sparse data ``standardize`` and ``unit-variance`` only divide, so that zeros stay zeros.

    Parameters
    ----------
    steps : sequence of str or mapping
    is_sparse : bool
    groups : sequence of sequences of int, default=()
        Columns that ``standardize: numbers`` leaves as they are.
    takes_missing : bool, default=False
        Whether the data is for a method that takes NaN, which ``impute-where-needed`` leaves as it is.
    declared : mapping of str to PreprocessingStep, default={}
        Those of plugins.

    Raises
    ------
    NotApplicableError
        The data is sparse, and a plugin's step does not take that.
    """
    built = []
    for position, step in enumerate(steps):
        name, argument = (step, None) if isinstance(step, str) else next(iter(step.items()))
        transformer: Any
        if name == WHERE_NEEDED and takes_missing:
            continue
        if name not in STEPS:
            step_of_plugin = declared[name]
            if is_sparse and not step_of_plugin.accepts_sparse:
                raise NotApplicableError(f"the preprocessing step {name} does not support sparse data")
            transformer = step_of_plugin.make(*([] if isinstance(step, str) else [argument]))
        elif name == "standardize":
            kept = tuple(column for group in groups if len(group) > 1 for column in group) if argument else ()
            transformer = _Standardizer(with_mean=not is_sparse, kept=kept)
        elif name == "unit-variance":
            transformer = StandardScaler(with_mean=False)
        elif name == "log1p":
            transformer = FunctionTransformer(np.log1p, accept_sparse=True)
        elif name == "clip":
            transformer = FunctionTransformer(_clip, kw_args={"bound": argument}, accept_sparse=True)
        elif name == "scale":
            transformer = MinMaxScaler(feature_range=tuple(argument or (0, 1)), clip=False)
        elif argument == "zero":
            transformer = SimpleImputer(strategy="constant", fill_value=0.0, keep_empty_features=True)
        else:
            transformer = SimpleImputer(strategy=argument, keep_empty_features=True)
        built.append((f"{position}-{name}", transformer))
    return Pipeline(built) if built else None


class _Standardizer(StandardScaler):  # type: ignore[misc]
    """StandardScaler that leaves the columns ``kept`` as they are."""

    def __init__(self, with_mean: bool = True, kept: tuple[int, ...] = ()) -> None:
        super().__init__(with_mean=with_mean)
        self.kept = kept

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> _Standardizer:
        super().fit(X, y, sample_weight)
        if self.kept:
            columns = list(self.kept)
            self.scale_[columns] = 1.0
            if self.with_mean:
                self.mean_[columns] = 0.0
        return self


def imputes(steps: Sequence[str | Mapping[str, Any]], *names: str) -> bool:
    """Whether a step fills gaps; by one of these names, or any."""
    return any(
        isinstance(step, Mapping) and not {*(names or ("impute", WHERE_NEEDED))}.isdisjoint(step) for step in steps
    )


def imputed_row(pipeline: Pipeline | None, n_columns: int) -> np.ndarray | None:
    """What the fitted steps make of missing values, shape (n_columns,); None where any is left missing."""
    if pipeline is None:
        return None
    row: np.ndarray = np.asarray(pipeline.transform(np.full((1, n_columns), np.nan)))[0]
    return None if np.isnan(row).any() else row


def _clip(X: Any, bound: float) -> Any:
    if sparse.issparse(X):
        clipped = X.copy()
        np.clip(clipped.data, -bound, bound, out=clipped.data)
        return clipped
    return np.clip(X, -bound, bound)
