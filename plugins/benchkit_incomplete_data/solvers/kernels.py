"""Kernels and regularisers, with the sums and gradients that a search for imputations needs; they keep dtypes."""

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from benchkit import check_positive


class RBFKernel:
    """k(a, b) = exp(-gamma |a - b|^2)."""

    of_differences = True  # k(a + s, b + s) = k(a, b)

    def __init__(self, gamma: float) -> None:
        # A NumPy number of float64 would turn float32 arrays into its own kind.
        self.gamma = float(gamma)

    def matrix(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """k(a_i, b_j), shape (len(A), len(B))."""
        similar: np.ndarray = rbf_kernel(A, B, gamma=self.gamma)
        return similar

    def diagonal(self, A: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_i k(a_i, a_i) and its gradient in A."""
        return float(len(A)), np.zeros_like(A)

    def pairs(self, A: np.ndarray, B: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_i k(a_i, b_i) and its gradient in A."""
        difference = A - B
        similar = np.exp(-self.gamma * np.einsum("ij,ij->i", difference, difference))
        difference *= (-2 * self.gamma * similar)[:, None]
        return float(similar.sum(dtype=np.float64)), difference

    def quadratic(self, A: np.ndarray, c: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_ij c_i c_j k(a_i, a_j) and its gradient in A.

        With W = (c c^T) o K and r = W 1 that is -4 gamma (diag(r) A - W A).
        """
        # Distances do not see a shift, but float32 does.
        A = A - A.mean(axis=0)
        sums, weighted = self._sums(A, A, c)
        row_sums = c * sums
        return float(row_sums.sum(dtype=np.float64)), -4 * self.gamma * (row_sums[:, None] * A - c[:, None] * weighted)

    def bilinear(self, A: np.ndarray, B: np.ndarray, c: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_ij c_j k(a_i, b_j) and its gradient in A."""
        centre = B.mean(axis=0)
        A, B = A - centre, B - centre
        sums, weighted = self._sums(A, B, c)
        return float(sums.sum(dtype=np.float64)), -2 * self.gamma * (sums[:, None] * A - weighted)

    def _sums(self, A: np.ndarray, B: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """K c of shape (len(A),), and K diag(c) B of shape (len(A), n_features)."""
        # The exponent is -gamma (|a|^2 - 2 a.b + |b|^2).
        scale = np.sqrt(2 * self.gamma).astype(A.dtype)
        scaled = scale * A
        others = scaled if B is A else scale * B
        # NumPy sees where a matrix meets itself, and then computes half of the product.
        similar = scaled @ others.T
        similar -= 0.5 * np.einsum("ij,ij->i", scaled, scaled)[:, None]
        similar -= 0.5 * np.einsum("ij,ij->i", others, others)
        np.minimum(similar, 0, out=similar)
        np.exp(similar, out=similar)
        return similar @ c, similar @ (c[:, None] * B)


class LinearKernel:
    """k(a, b) = a.b."""

    of_differences = False

    def matrix(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        """k(a_i, b_j), shape (len(A), len(B))."""
        products: np.ndarray = linear_kernel(A, B)
        return products

    def diagonal(self, A: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_i k(a_i, a_i) and its gradient in A."""
        return float(np.einsum("ij,ij->", A, A, dtype=np.float64)), 2 * A

    def pairs(self, A: np.ndarray, B: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_i k(a_i, b_i) and its gradient in A."""
        return float(np.einsum("ij,ij->", A, B, dtype=np.float64)), B.copy()

    def quadratic(self, A: np.ndarray, c: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_ij c_i c_j k(a_i, a_j) and its gradient in A."""
        weights = c @ A
        return float(weights @ weights), 2 * np.outer(c, weights)

    def bilinear(self, A: np.ndarray, B: np.ndarray, c: np.ndarray) -> tuple[float, np.ndarray]:
        """sum_ij c_j k(a_i, b_j) and its gradient in A."""
        weights = c @ B
        return float((A @ weights).sum(dtype=np.float64)), np.tile(weights, (len(A), 1))


Kernel = RBFKernel | LinearKernel


def make_kernel(kernel: str, gamma: float | str, X: np.ndarray) -> Kernel:
    """The kernel that an estimator's parameters name, for complete rows X.

    For ``gamma``, "scale" is 1 / (n_features var(X)), as in `sklearn.svm.SVC`.
    """
    if kernel == "linear":
        return LinearKernel()
    if kernel != "rbf":
        raise ValueError(f"kernel is {kernel!r}, expected 'rbf' or 'linear'")
    if gamma == "scale":
        variance: Any = X.var()
        return RBFKernel(1.0 / (X.shape[1] * variance) if variance > 0 else 1.0)
    if isinstance(gamma, str) or gamma is None:
        raise ValueError(f"gamma is {gamma!r}, expected a positive number or 'scale'")
    check_positive(gamma=gamma)
    return RBFKernel(gamma)


class SquaredDistance:
    """Squared distance of rows from their prior imputations in feature space: the regulariser Q, or the like of it.

    Q_sq = sum_i k(omega_i, omega_i) - 2 k(omega_i, prior_i) + k(prior_i, prior_i): Dick, Haider & Scheffer 2008, Eq. 4.

    Another one is a sum over rows, too, least where each row is its prior imputation, so that its mean under p is
    linear in p. It may be asked for some of the rows alone, and sees them as the kernel does: where that is one of
    differences, all rows may be shifted alike.
    """

    def value_and_gradient(self, kernel: Kernel, omega: np.ndarray, prior: np.ndarray) -> tuple[float, np.ndarray]:
        """Q of one imputation and its gradient in omega; both arrays of shape (n_rows, n_features)."""
        own, own_gradient = kernel.diagonal(omega)
        shared, shared_gradient = kernel.pairs(omega, prior)
        return own - 2 * shared + kernel.diagonal(prior)[0], own_gradient - 2 * shared_gradient
