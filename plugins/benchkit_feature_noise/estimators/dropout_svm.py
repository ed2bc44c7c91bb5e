"""The support vector machine trained on rows with features deleted at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from benchkit import AttackContext, check_positive
from benchkit_deletion.adversaries.given import RandomDelete
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier


@dataclass(eq=False, repr=False)
class DropoutSVM(RobustLinearClassifier):
    """Linear support vector machine on copies of the training rows, each with other features deleted at random.

    What data augmentation against deletion amounts to. The loss of a row is the mean over its copies, so that C means
    what it means to a support vector machine on the rows themselves.

    Parameters
    ----------
    C : float, default=1
    n_deleted : float, default=0
        Features deleted from each copy, rounded down.
    n_copies : int, default=5
        Of each row.
    max_iter : int, default=1_000_000
        Of libsvm, which hardly ends on columns of very different scales; a ConvergenceWarning says so.
    random_state : int, RandomState or None
        Of the deletions.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    n_iter_ : int
    classes_ : ndarray of shape (2,)
    n_features_in_ : int
    """

    C: float = 1.0
    n_deleted: float = 0.0
    n_copies: int = 5
    max_iter: int = 1_000_000
    random_state: Any = None

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Delete features at random and train libsvm."""
        check_positive(C=self.C, n_copies=self.n_copies)
        if not 0 <= self.n_deleted <= X.shape[1]:
            raise ValueError(f"n_deleted is {self.n_deleted:g}, expected 0 <= n_deleted <= {X.shape[1]}")
        copies = int(self.n_copies) if self.n_deleted >= 1 else 1  # copies of whole rows would say nothing new
        stack = sparse.vstack([X] * copies, format="csr") if sparse.issparse(X) else np.tile(X, (copies, 1))
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        attack = AttackContext(
            X=stack,
            y=np.tile(signs, copies),
            budget=float(int(self.n_deleted)),
            feature_values=np.ones(X.shape[1]),
            rng=rng,
        )
        augmented = RandomDelete().corrupt(attack)
        machine = SVC(kernel="linear", C=self.C / copies, max_iter=self.max_iter)
        machine.fit(augmented.X, augmented.y, np.tile(weights, copies))
        coef = machine.coef_
        self.coef_ = coef.toarray() if sparse.issparse(coef) else np.array(coef)
        self.intercept_ = np.array(machine.intercept_)
        self.n_iter_ = int(machine.n_iter_.sum())
