"""RoOFS (Zhang et al.): robust regression while features arrive batch by batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from benchkit import check_choice, check_count, check_positive
from benchkit_robust_regression.estimators.linear_regressor import SparseLinearRegressor
from benchkit_robust_regression.solvers.selection import largest, resolve_count, robust_length


@dataclass(eq=False, repr=False)
class RoOFS(SparseLinearRegressor):
    """Keeps the k features with the largest weights of those seen so far, fitted to the rows that look clean.

    For each batch of features (Algorithm 1): w <- w + eta X_S^T r_S / n over the retained and the new features, where S
    are the rows taken as clean; all but the k largest |w| become zero; the residual r = y - X w decides S anew; until r
    stands still. Features that are dropped cannot come back. Memory is O(n (k + batch)).

    Parameters
    ----------
    n_selected : int or float, default=10
        k; a float is a fraction of the features, which needs `fit`. More than there are keeps all.
    batch_size : int or "auto", default="auto"
        Features per batch of `fit`; "auto" is a twentieth of them, at least 1 and at most 100. In a batch that is large
        beside k many features without merit join at once, each with a step as long as those of the others. Each call of
        `partial_fit_features` is one batch.
    step : float, default=0.1
        eta, at most the step that minimises the clean rows' squared residuals along the gradient: beyond twice that,
        which features of a larger scale than 1 bring about, the iteration would diverge.
    clean_size : "adaptive" or float or int, default="adaptive"
        Size of S: `estimate_clean_count` (Eq. 5), a fraction of the rows, or a number of rows.
    max_iter : int, default=100
        Steps per batch.
    tol : float, default=1e-3
        Stop where the residual moves by at most ``tol`` times the length of y.
    drop : {"at-once", "after-batch"}, default="at-once"
        When features leave: at the step in which they are not among the k largest (lines 8 to 10), or when their batch
        ends, until when they may come back.
    fit_intercept : bool, default=False
        The paper has none. It starts from the median of y, is not counted among the k, and centres the features, so
        that those of a large mean are not taken for it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    support_ : ndarray of bool of shape (n_features,)
        The retained features.
    inlier_mask_ : ndarray of bool of shape (n_samples,)
        S, as `sklearn.linear_model.RANSACRegressor` names it.
    n_clean_ : int
        Size of S.
    n_iter_ : int
        Steps over all batches.
    n_features_in_ : int
        Features seen.

    References
    ----------
    Zhang, Lei, Zhao, Boedihardjo & Lu, Robust regression via online feature selection under adversarial data
    corruption.
    """

    n_selected: int | float = 10
    batch_size: Literal["auto"] | int = "auto"
    step: float = 0.1
    clean_size: Literal["adaptive"] | float | int = "adaptive"
    max_iter: int = 100
    tol: float = 1e-3
    drop: Literal["at-once", "after-batch"] = "at-once"
    fit_intercept: bool = False

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """See all features, in their order, in batches; a stream cannot go on from there."""
        self._begin(y, resolve_count("n_selected", self.n_selected, X.shape[1]))
        batch = min(max(1, X.shape[1] // 20), 100) if self.batch_size == "auto" else self.batch_size
        for start in range(0, X.shape[1], batch):
            self._see(X[:, start : start + batch])
        self._publish()
        # A fitted model is kept and sent around; the columns are only needed by a stream that goes on.
        del self._block, self._targets, self._residuals

    def partial_fit_features(self, X_batch: Any, y: Any = None) -> Self:
        """See the next features of a stream, of the same rows at every call; y is needed at the first one alone."""
        self._check_parameters()
        X_batch = check_array(X_batch, accept_sparse="csc", dtype=np.float64, estimator=self, input_name="X_batch")
        if not hasattr(self, "_targets"):
            if y is None:
                raise ValueError("y is missing: the first batch of features comes with the targets")
            if isinstance(self.n_selected, float):
                raise ValueError(f"n_selected is {self.n_selected!r}: of a stream, only a count can be kept")
            targets = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
            check_consistent_length(X_batch, targets)
            n_kept = resolve_count("n_selected", self.n_selected, np.iinfo(np.int64).max)
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_  # of an earlier fit; a stream has none
            self._begin(targets, n_kept)
        elif X_batch.shape[0] != len(self._targets):
            raise ValueError(f"X_batch has {X_batch.shape[0]} rows, the batches before it had {len(self._targets)}")
        self._see(X_batch)
        self.n_features_in_ = self._n_seen
        self._publish()
        return self

    def _check_parameters(self) -> None:
        check_positive(step=self.step, tol=self.tol)
        check_count(max_iter=self.max_iter)
        if self.batch_size != "auto":
            check_count(batch_size=self.batch_size)
        self._check_clean_size()
        check_choice(("at-once", "after-batch"), drop=self.drop)

    def _begin(self, y: np.ndarray, n_kept: int) -> None:
        """Forget everything; no feature has been seen."""
        # Steps alone would take long to the intercept, and features are dropped for good on the way. The median does
        # not see corrupted rows as long as they are fewer than half.
        self._location = float(np.median(y)) if self.fit_intercept else 0.0
        self._targets, self._n_kept, self._n_seen = y - self._location, n_kept, 0
        self._block = np.empty((len(y), 0), order="F")  # the retained columns first, then the batch
        self._columns, self._weights, self._bias = np.empty(0, dtype=np.int64), np.empty(0), 0.0
        self._means = np.empty(0)
        self._residuals = self._targets.copy()
        self._clean = self._find_clean(self._residuals)
        self.n_iter_ = 0

    def _see(self, batch: Any) -> None:
        """Lines 3 to 15 of Algorithm 1."""
        self._append(batch)
        scale = robust_length(self._targets)
        for _ in range(self.max_iter):
            self.n_iter_ += 1
            residuals = self._step()
            moved = float(np.linalg.norm(residuals - self._residuals))
            self._residuals = residuals
            self._clean = self._find_clean(residuals)
            if moved <= self.tol * scale:
                break
        self._retain(largest(self._weights, self._n_kept))
        # What rounding has added up to over the steps goes.
        self._residuals = self._targets - self._bias - self._retained() @ self._weights
        self._clean = self._find_clean(self._residuals)

    def _append(self, batch: Any) -> None:
        """Lines 3 and 4: put the new columns behind the retained ones, with weight zero; with an intercept, centred."""
        kept, new = len(self._weights), batch.shape[1]
        if self._block.shape[1] < kept + new:
            self._enlarge(kept, new)
        columns = batch.toarray() if sparse.issparse(batch) else batch
        means = columns.mean(axis=0) if self.fit_intercept else np.zeros(new)
        self._block[:, kept : kept + new] = columns - means
        self._means = np.concatenate([self._means, means])
        self._columns = np.concatenate([self._columns, np.arange(self._n_seen, self._n_seen + new)])
        self._weights = np.concatenate([self._weights, np.zeros(new)])
        self._n_seen += new

    def _enlarge(self, kept: int, new: int) -> None:
        """Make room for k columns and a batch at once: memory is taken as it is written, and never for two blocks."""
        n = len(self._targets)
        try:
            grown = np.empty((n, self._n_kept + new), order="F")
        except (MemoryError, ValueError):  # k is "all of them": then as it comes
            grown = np.empty((n, 2 * kept + new), order="F")
        grown[:, :kept] = self._block[:, :kept]
        self._block = grown

    def _retained(self) -> np.ndarray:
        return self._block[:, : len(self._weights)]

    def _step(self) -> np.ndarray:
        """Lines 6 to 11: a step of the weights, the smallest of which become zero; the new residuals."""
        n = len(self._targets)
        present = self._retained()
        clean = np.where(self._clean, self._residuals, 0.0)
        gradient = present.T @ clean / n
        drift = float(clean.sum()) / n if self.fit_intercept else 0.0
        effect = present @ gradient + drift
        curvature = float(np.sum(effect[self._clean] ** 2)) / n
        squared = float(gradient @ gradient) + drift**2
        step = min(self.step, squared / curvature) if curvature > 0 else self.step
        self._weights += step * gradient
        self._bias += step * drift
        residuals = self._residuals - step * effect
        if len(self._weights) > self._n_kept:
            kept = largest(self._weights, self._n_kept)
            dropped = np.setdiff1d(np.arange(len(self._weights)), kept)
            residuals += self._block[:, dropped] @ self._weights[dropped]
            if self.drop == "at-once":
                self._retain(kept)
            else:
                self._weights[dropped] = 0.0
        return residuals

    def _retain(self, kept: np.ndarray) -> None:
        """Close up the block to some of its columns: those from behind move into the places that become free."""
        count = len(kept)
        places = np.arange(count)
        free = np.setdiff1d(places, kept)
        moving = kept[kept >= count]
        places[free] = moving
        for target, origin in zip(free, moving, strict=True):
            self._block[:, target] = self._block[:, origin]
        self._columns, self._weights = self._columns[places], self._weights[places]
        self._means = self._means[places]

    def _publish(self) -> None:
        intercept = self._location + self._bias - float(self._means @ self._weights)
        self._set_coefficients(self._weights, self._columns, intercept, self._n_seen)
        self._set_clean(self._clean)
