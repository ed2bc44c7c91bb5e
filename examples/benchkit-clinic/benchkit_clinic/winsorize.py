"""Extreme values are drawn in, as far as the training part knows them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class Winsorizer(TransformerMixin, BaseEstimator):
    """Values beyond a quantile of the training part become that quantile; NaN stays.

    Parameters
    ----------
    share : float, default=0.01
        Of the training part's values on each side, between 0 and 0.5.
    """

    def __init__(self, share: float = 0.01) -> None:
        self.share = share

    def fit(self, X: Any, y: Any = None) -> Winsorizer:
        """Learn both quantiles of each column."""
        self.low_, self.high_ = np.nanquantile(X, [self.share, 1 - self.share], axis=0)
        return self

    def transform(self, X: Any) -> Any:
        """Draw in what is beyond them."""
        return np.clip(X, self.low_, self.high_)
