"""What is done to the columns: a suite's preprocessing steps, and what each feature costs the adversary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler

from benchkit.plugin.declarations import Data, Features, NotApplicableError, PreprocessingStep
from benchkit.suite.names import IMPUTE_WHERE_NEEDED, STEPS
from benchkit.suite.schema import ValuesEntry

_NONE: Mapping[str, Any] = MappingProxyType({})


def preprocessor(
    steps: Sequence[str | Mapping[str, Any]],
    is_sparse: bool,
    groups: Sequence[Sequence[int]] = (),
    takes_missing: bool = False,
    declared: Mapping[str, PreprocessingStep] = _NONE,
) -> Pipeline | None:
    """Unfitted pipeline of a suite's preprocessing steps; every step lets NaN pass except the two that impute.

    On sparse data ``standardize`` and ``unit-variance`` only divide, so that zeros stay zeros; ``standardize: numbers``
    leaves the columns of groups as they are, ``impute-where-needed`` the gaps of data for a method that takes them. A
    plugin's step that does not take sparse data is refused.
    """
    built = []
    for position, step in enumerate(steps):
        name, argument = (step, None) if isinstance(step, str) else next(iter(step.items()))
        transformer: Any
        if name == IMPUTE_WHERE_NEEDED and takes_missing:
            continue
        if name not in STEPS:
            if is_sparse and not declared[name].accepts_sparse:
                raise NotApplicableError(f"the preprocessing step {name} does not support sparse data")
            transformer = declared[name].make(*([] if isinstance(step, str) else [argument]))
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
        else:  # fills gaps
            fill = {"strategy": "constant", "fill_value": 0.0} if argument == "zero" else {"strategy": argument}
            transformer = SimpleImputer(**fill, keep_empty_features=True)
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


def _clip(X: Any, bound: float) -> Any:
    if sparse.issparse(X):
        clipped = X.copy()
        np.clip(clipped.data, -bound, bound, out=clipped.data)
        return clipped
    return np.clip(X, -bound, bound)


def feature_values(kind: ValuesEntry, X: Any, y: np.ndarray, data: Data) -> np.ndarray:
    """Values v >= 0 of the columns, shape (n_columns,), from the preprocessed training part; a group's is their sum.

    They are what each feature costs the adversary (Dekel, Shamir & Xiao 2010, 2.1 and 4.2). Of the kinds ``uniform`` is
    1 for each feature, ``given`` takes the dataset's own, ``mutual-information`` is computed here. A list has a value
    for each feature, or for each column.
    """
    features = Features(X.shape[1], data.groups)
    if kind == "uniform":
        return features.share(np.ones(features.n_features))
    if kind == "mutual-information":
        return _mutual_information_values(X, y, features)
    values = data.feature_values if kind == "given" else kind
    if values is None:
        raise ValueError("feature_values: given, but this dataset declares none")
    given = np.asarray(values, dtype=float)
    if not np.all(np.isfinite(given)) or np.any(given < 0):
        raise ValueError(f"feature values ({kind}) must be finite numbers that are not negative")
    if given.shape == (features.n_features,):
        return features.share(given)
    if given.shape != (features.n_columns,):
        columns = "" if features.plain else f" of {features.n_columns} columns"
        raise ValueError(f"{given.size} feature values given for {features.n_features} features{columns}")
    return given


def _mutual_information_values(X: Any, y: np.ndarray, features: Features) -> np.ndarray:
    """Scaled mutual information of the best threshold of each feature, summing to n_features.

    v_j = (1/Z) max_c I([[x_j > c]]; y), c over the midpoints between observed values, Z such that sum v = n
    (Dekel, Shamir & Xiao 2010, 4.2). A constant feature has value 0. A group with few different rows, such as a one-hot
    block, has the information of the category, I(row; y), and any other group the sum of its columns';
    the columns of a group share it alike.
    """
    n_samples, n_columns = X.shape
    classes, codes = np.unique(y, return_inverse=True)
    one_hot = np.eye(len(classes))[codes]
    totals, count = one_hot.sum(axis=0), np.arange(1, n_samples)[:, None]
    marginal = (_entropy_sum(totals) + _xlogx(n_samples)) / n_samples
    of_columns = np.zeros(n_columns)
    block = max(1, 2_000_000 // max(1, n_samples * len(classes)))
    for start in range(0, n_columns, block):
        columns = dense(X[:, start : start + block])
        order = np.argsort(columns, axis=0, kind="stable")
        ordered = np.take_along_axis(columns, order, axis=0)
        below = np.cumsum(one_hot[order], axis=0)[:-1]  # (n_samples - 1, n_columns, n_classes)
        conditional = (_entropy_sum(below) + _entropy_sum(totals - below)) / n_samples
        conditional += (_xlogx(count) + _xlogx(n_samples - count)) / n_samples
        gain = np.where(ordered[1:] > ordered[:-1], marginal - conditional, 0.0)  # in nats
        of_columns[start : start + block] = np.maximum(gain.max(axis=0, initial=0.0), 0.0)
    information = of_columns if features.plain else features.sum(of_columns)
    for feature in () if features.plain else np.flatnonzero(np.bincount(features.of_column) > 1):
        columns = dense(X[:, np.flatnonzero(features.of_column == feature)])
        rows, category = np.unique(np.where(np.isnan(columns), np.inf, columns), axis=0, return_inverse=True)
        # A one-hot block has a row for each category, and perhaps one for none and one for a missing value.
        if len(rows) <= columns.shape[1] + 2:
            counts = np.zeros((len(rows), len(classes)))
            np.add.at(counts, category.ravel(), one_hot)
            conditional = _entropy_sum(counts).sum() + _xlogx(counts.sum(axis=1)).sum()
            of_rows = _entropy_sum(counts.sum(axis=0)) + _xlogx(n_samples)
            information[feature] = max((of_rows - conditional) / n_samples, 0.0)
    total = information.sum()
    if total <= 0:
        raise ValueError("mutual-information values are all zero: no feature carries information about the labels")
    return features.share(information * (features.n_features / total))


def dense(block: Any) -> np.ndarray:
    """An array of what may be sparse."""
    return np.asarray(block.toarray() if sparse.issparse(block) else block)


def _xlogx(counts: Any) -> np.ndarray:
    return np.asarray(counts * np.log(np.where(counts > 0, counts, 1)))


def _entropy_sum(counts: np.ndarray) -> np.ndarray:
    """Minus the sum over classes of k log k, so that n H = n log n + this."""
    return np.asarray(-_xlogx(counts).sum(axis=-1))
