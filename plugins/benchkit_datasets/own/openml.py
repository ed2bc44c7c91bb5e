"""Any dataset of OpenML, by its number. Needs the network the first time; scikit-learn keeps what it fetched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import datasets

from benchkit import Data, DataUnavailableError, check_count
from benchkit_datasets.own.frames import (
    OwnTable,
    choose_labels,
    class_names,
    load_classes,
    load_targets,
    to_classes,
    to_targets,
)


def load_openml(
    data_id: int | None = None,
    target: str | None = None,
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
    missing_target: str = "error",
) -> Data:
    """A table of OpenML with classes to predict.

    Parameters
    ----------
    data_id : int
        The number in the address https://www.openml.org/d/NUMBER, which stands for one version that never changes.
    target : str, optional
        The column of classes; OpenML's own default target where absent.
    positive : class, optional
        The class that becomes +1 where there are two; else the larger, or later in the alphabet, does.
    pair, one_against_rest
        A binary problem of more classes, see `benchkit_datasets.problems.choose_problem`.
    missing_target : {"error", "drop"}, default="error"
        Whether rows without a target are a mistake, or left out (of tables that are not sparse).

    Returns
    -------
    Data
        Categories one-hot with one group per feature; sparse where OpenML's table is.

    Raises
    ------
    DataUnavailableError
        There is no network and the table was never fetched.
    """
    source = f"OpenML {data_id}"
    features, labels, names = _fetch(data_id, target)
    if sparse.issparse(features):
        named = to_classes(labels)
        rows, y = choose_labels(named, source, positive, pair, one_against_rest)
        return Data(X=features[rows], y=y, feature_names=names, class_names=class_names(named[rows], y))
    table = OwnTable(pd.concat([features, labels], axis=1), -1, source)
    return load_classes(table, positive, pair, one_against_rest, missing_target)


def load_openml_regression(
    data_id: int | None = None, target: str | None = None, missing_target: str = "error"
) -> Data:
    """A table of OpenML with numbers to predict.

    Parameters
    ----------
    data_id, target, missing_target
        As of `load_openml`; the target is a column of numbers.
    """
    source = f"OpenML {data_id}"
    features, labels, names = _fetch(data_id, target)
    if sparse.issparse(features):
        return Data(X=features, y=to_targets(labels, source), feature_names=names)
    return load_targets(OwnTable(pd.concat([features, labels], axis=1), -1, source), missing_target)


def _fetch(data_id: int | None, target: str | None) -> tuple[Any, pd.Series, list[str]]:
    if data_id is None:
        raise ValueError("'data_id' is missing: the number of a dataset, as in https://www.openml.org/d/40945")
    check_count(data_id=data_id)
    column = "default-target" if target is None else target
    try:
        bunch = datasets.fetch_openml(data_id=data_id, target_column=column, as_frame="auto", n_retries=1)
    except OSError as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataUnavailableError(f"OpenML {data_id} cannot be fetched and was not before: {reason}") from None
    except KeyError as error:
        raise ValueError(f"OpenML {data_id}: no column {target!r} ({' '.join(str(error).split())})") from None
    if bunch.target is None or getattr(bunch.target, "ndim", 1) != 1:
        raise ValueError(f"OpenML {data_id}: has no single default target: give 'target'")
    features = bunch.data.tocsr().astype(np.float64) if sparse.issparse(bunch.data) else bunch.data
    return features, pd.Series(bunch.target), [str(name) for name in bunch.feature_names]
