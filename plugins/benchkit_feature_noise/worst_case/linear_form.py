"""The linear form of a fitted binary classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchkit import NotApplicableError


def linear_form(model: Any) -> tuple[np.ndarray, float]:
    """Weights of shape (n_features,) and bias of a binary linear classifier."""
    coef = model.coef_
    coef = coef.toarray() if sparse.issparse(coef) else np.asarray(coef)
    coef = np.atleast_2d(coef)
    if coef.shape[0] != 1:
        raise NotApplicableError(f"{type(model).__name__} has {coef.shape[0]} linear forms; one is needed")
    return coef[0], float(np.ravel(model.intercept_)[0])


def signs(model: Any, y: np.ndarray) -> np.ndarray:
    """Labels as -1 and +1, +1 for the model's second class."""
    return np.where(y == model.classes_[-1], 1.0, -1.0)
