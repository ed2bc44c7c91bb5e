"""Columns of a table as they stand in it, for splits and reports: those that are left out, and categories."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchkit import Categories


def kept_columns(features: pd.DataFrame, aside: pd.DataFrame) -> dict[str, np.ndarray | Categories]:
    """Columns that are no features, or that features hold in another form.

    Parameters
    ----------
    features : DataFrame of shape (n_samples, n_features)
        Of which categories are kept; numbers stand in X.
    aside : DataFrame of shape (n_samples, n_columns)
        Columns that are left out, of which all are kept.

    Returns
    -------
    dict of str to ndarray or Categories
        Of columns whose names do not repeat.
    """
    unique = features.loc[:, ~features.columns.duplicated(keep=False)]
    kept = {str(name): aside[name] for name in aside.columns}
    kept |= {str(name): unique[name] for name in unique.columns if not _is_number(unique[name])}
    return {name: _plain(column) for name, column in kept.items()}


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype))


def _plain(column: pd.Series) -> np.ndarray | Categories:
    if _is_number(column):
        whole = not column.isna().any()
        numbers: np.ndarray = column.to_numpy() if whole else column.to_numpy(dtype=np.float64, na_value=np.nan)
        return numbers
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        zone = getattr(column.dtype, "tz", None)
        moments: np.ndarray = (column if zone is None else column.dt.tz_convert(None)).to_numpy()
        return moments
    return Categories.of(column.astype(object))
