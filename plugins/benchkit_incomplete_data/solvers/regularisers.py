"""Regularisers Q of the distribution of imputations: what an imputation costs for being unlike the prior's."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from benchkit_incomplete_data.solvers.kernels import Kernel


class Regulariser(Protocol):
    """A sum over rows, least where each row is its prior imputation; Q(p) is its mean under p, so linear in p.

    It may be asked for some of the rows alone, and sees them as the kernel does: where that is one of differences, all
    rows may be shifted alike.
    """

    def value_and_gradient(self, kernel: Kernel, omega: np.ndarray, prior: np.ndarray) -> tuple[float, np.ndarray]:
        """Q of one imputation and its gradient in omega; both arrays of shape (n_rows, n_features)."""


class SquaredDistance:
    """Squared distance of rows from their prior imputations in feature space.

    Q_sq = sum_i k(omega_i, omega_i) - 2 k(omega_i, prior_i) + k(prior_i, prior_i): Dick, Haider & Scheffer 2008, Eq. 4.
    """

    def value_and_gradient(self, kernel: Kernel, omega: np.ndarray, prior: np.ndarray) -> tuple[float, np.ndarray]:
        """As `Regulariser.value_and_gradient`."""
        own, own_gradient = kernel.diagonal(omega)
        shared, shared_gradient = kernel.pairs(omega, prior)
        return own - 2 * shared + kernel.diagonal(prior)[0], own_gradient - 2 * shared_gradient
