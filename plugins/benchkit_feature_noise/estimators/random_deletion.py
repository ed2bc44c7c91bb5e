"""Against random deletion: marginalised corrupted features (van der Maaten et al. 2013), the SVM on copies of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from benchkit import AttackContext, check_positive
from benchkit_deletion.adversaries.given import RandomDelete
from benchkit_deletion.adversaries.linear import linear_form
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier


@dataclass(eq=False, repr=False)
class MarginalizedCorruptedFeatures(RobustLinearClassifier):
    """Least squares on infinitely many copies of the training rows with features deleted at random, in closed form.

    Minimises sum_i E (b + w.x~_i - y_i)^2 + ridge |w|^2, x~_ij = 0 with probability q and x_ij / (1 - q) otherwise
    (unbiased blankout noise): the expectation is the loss on X plus q/(1-q) sum_ij x_ij^2 w_j^2.

    Parameters
    ----------
    deletion_rate : float, default=0.5
        q, 0 <= q < 1.
    ridge : float, default=1
    fit_intercept : bool, default=True
        The bias is neither deleted nor regularised.

    Attributes
    ----------
    coef_, intercept_, classes_ : ndarray of shape (1, n_features), (1,) and (2,)
    n_features_in_ : int

    References
    ----------
    L. van der Maaten, M. Chen, S. Tyree, K. Q. Weinberger. Learning with marginalized corrupted features. ICML 2013,
    section 3.2.
    """

    deletion_rate: float = 0.5
    ridge: float = 1.0
    fit_intercept: bool = True

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Solve the normal equations."""
        check_positive(ridge=self.ridge)
        if not 0 <= self.deletion_rate < 1:
            raise ValueError(f"deletion_rate is {self.deletion_rate!r}, expected 0 <= deletion_rate < 1")
        roots = np.sqrt(weights)[:, None]
        scaled = X.multiply(roots).tocsr() if sparse.issparse(X) else X * roots
        gram = scaled.T @ scaled
        gram = gram.toarray() if sparse.issparse(gram) else gram
        variance = self.deletion_rate / (1.0 - self.deletion_rate) * np.diag(gram)
        centre = np.zeros(X.shape[1])
        if self.fit_intercept:
            centre = (X.T @ weights) / weights.sum()
            gram = gram - weights.sum() * np.outer(centre, centre)
        shift = np.average(signs, weights=weights) if self.fit_intercept else 0.0
        gram[np.diag_indices_from(gram)] += variance + self.ridge
        coef = cho_solve(cho_factor(gram), X.T @ (weights * (signs - shift)))
        self.coef_ = coef[None, :]
        self.intercept_ = np.array([shift - centre @ coef])


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
        ones, budget = np.ones(X.shape[1]), float(int(self.n_deleted))
        attack = AttackContext(X=stack, y=np.tile(signs, copies), budget=budget, feature_values=ones, rng=rng)
        augmented = RandomDelete().corrupt(attack)
        machine = SVC(kernel="linear", C=self.C / copies, max_iter=self.max_iter)
        machine.fit(augmented.X, augmented.y, np.tile(weights, copies))
        coef, intercept = linear_form(machine)
        self.coef_, self.intercept_ = coef[None, :], np.array([intercept])
        self.n_iter_ = int(machine.n_iter_.sum())
