"""The margins of the true class over the others, where a model's scores are linear: what deletion attacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchkit import Features, NotApplicableError


class ClassMargins:
    """Margins (w_y - w_r).x + b_y - b_r of rows of true class y over each rival class r.

    A binary linear classifier has one rival per row and the margin y (b + w.x); one with a score per class
    (one against rest, Globerson & Roweis 2006, footnote 1) has the others as rivals.

    Parameters
    ----------
    model : object
        With ``coef_``, ``intercept_`` and ``classes_``.
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        True classes.
    features : Features
        Which columns of X go together.
    left : ndarray of shape (n_columns,)
        What deletion leaves in each column.

    Raises
    ------
    NotApplicableError
        Class scores are not the linear forms that ``coef_`` says, as in a one-against-one SVM; or deletion leaves NaN,
        of which they do not tell.
    """

    def __init__(self, model: Any, X: Any, y: np.ndarray, features: Features, left: np.ndarray) -> None:
        coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.atleast_2d(model.coef_)
        intercept = np.broadcast_to(np.ravel(model.intercept_), len(coef))
        classes = np.asarray(model.classes_)
        if len(coef) == 1 and len(classes) == 2:
            coef, intercept = np.vstack([np.zeros_like(coef), coef]), np.array([0.0, intercept[0]])
        elif len(coef) != len(classes) or not _scores_are(model, X[:8], coef, intercept):
            raise NotApplicableError(f"the scores of {type(model).__name__} are not one linear form per class")
        self._features, self._left = features, without_gaps(model, left, coef)
        self._coef, self._intercept = coef, intercept
        self._own = np.minimum(np.searchsorted(classes, y), len(classes) - 1)

    def worst_deletion(self, rows: slice, dense: np.ndarray, choose: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """What to delete of each row so that its margin over some rival is least.

        Parameters
        ----------
        rows : slice
        dense : ndarray of shape (n_rows, n_columns)
            These rows.
        choose : callable
            Takes the gains of deleting each feature, what it adds to the margin over a rival beyond what deletion
            leaves; returns a mask of their shape.

        Returns
        -------
        ndarray of bool, shape (n_rows, n_features)
        """
        own = self._own[rows]
        dense = np.where(np.isnan(dense), self._left, dense)  # only a model without weights takes gaps
        worst = np.full(len(dense), np.inf)
        deleted = np.zeros((len(dense), self._features.n_features), dtype=bool)
        for step in range(1, len(self._coef)):
            rival = (own + step) % len(self._coef)
            weights = self._coef[own] - self._coef[rival]
            gains = self._features.sum((dense - self._left) * weights)
            chosen = choose(gains)
            least = self._intercept[own] - self._intercept[rival] + weights @ self._left
            margin = least + ((1 - chosen) * gains).sum(axis=1)
            better = margin < worst
            deleted[better], worst[better] = chosen[better], margin[better]
        return deleted


def without_gaps(model: Any, left: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """What deletion leaves, 0 instead of NaN: only a model that gives a column no weight may be left NaN there."""
    gaps = np.isnan(left)
    if (np.atleast_2d(coef)[:, gaps] != 0).any():
        raise NotApplicableError(
            f"{type(model).__name__} takes NaN in a way that its coef_ does not tell: query-delete asks the model"
        )
    return np.where(gaps, 0.0, left)


def _scores_are(model: Any, X: Any, coef: np.ndarray, intercept: np.ndarray) -> bool:
    return bool(np.allclose(model.decision_function(X), X @ coef.T + intercept))
