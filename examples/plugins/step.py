"""A preprocessing step: a transformer of scikit-learn's conventions, fitted on the training part."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from benchkit import PreprocessingStep, hookimpl


class SignedLog(TransformerMixin, BaseEstimator):
    """Signed logarithm: of columns with long tails the order stays, and the tails become short. NaN stays.

    Parameters
    ----------
    scale : float, default=1.0
        In multiples of the median absolute value of each column: what is far below stays as it is.
    """

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def fit(self, X: Any, y: Any = None) -> SignedLog:
        """Learn the size of each column."""
        typical = np.nanmedian(np.abs(X), axis=0)
        self.unit_ = self.scale * np.where(typical > 0, typical, 1.0)
        return self

    def transform(self, X: Any) -> Any:
        """The logarithm of 1 + |x| / unit, with the sign of x, in the column's unit."""
        return self.unit_ * np.sign(X) * np.log1p(np.abs(X) / self.unit_)


@hookimpl
def benchkit_preprocessing_steps() -> list[PreprocessingStep]:
    """Declare the steps."""
    return [
        PreprocessingStep(
            name="signed-log",
            make=SignedLog,
            summary="Long tails become short: a signed logarithm of each column",
        )
    ]
