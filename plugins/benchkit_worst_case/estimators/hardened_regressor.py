"""What regressions that are trained on rows with lost columns have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.utils.validation import validate_data

from benchkit_worst_case.estimators.hardened_model import HardenedModel


class HardenedRegressor(RegressorMixin, HardenedModel):  # type: ignore[misc]
    """A regression fitted on the training rows and on copies of them that lack columns.

    Subclasses say which columns the copies lack.

    Attributes
    ----------
    model_ : fitted estimator
    n_features_in_ : int
    """

    named: ClassVar = {"gradient-boosting": HistGradientBoostingRegressor, "random-forest": RandomForestRegressor}

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the regression.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            May hold NaN where the regression takes it.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64, y_numeric=True)
        self._fit_copies(X, y)
        return self
