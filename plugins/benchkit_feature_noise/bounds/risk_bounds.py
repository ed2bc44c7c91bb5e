"""Bounds on the risk of the linear program and of the online-to-batch Perceptron (Dekel, Shamir & Xiao 2010).

Theorem 2 and Corollary 1 bound the risk under feature deletion by the sample's gamma-loss, Theorem 3 the risk under
corruption by that under deletion, Theorem 4 and Corollary 2 the Perceptron's loss. Assumed throughout: |x|_inf <= 1,
no bias, v_j > 0, and the conditions that each function names.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import rel_entr

from benchkit_deletion.threat import WORK_LIMIT, dense_blocks, exact_deletion, relaxed_deletion
from benchkit_feature_noise.worst_case import remaining_value


def gamma_loss(
    coef: np.ndarray,
    X: Any,
    y: np.ndarray,
    values: np.ndarray,
    noise_budget: float,
    gamma: float,
    inner: Literal["exact", "relaxed"] = "exact",
    work_limit: int = WORK_LIMIT,
) -> np.ndarray:
    """Whether a deletion leaves each row a margin below gamma V(J)/P, J the features that are kept (Eq. 22).

    The minimum over J is that of y sum_J w_j x_j - gamma V(J)/P, a knapsack with gains y w_j x_j - gamma v_j/P.

    Parameters
    ----------
    coef : ndarray of shape (n_features,)
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,), -1 or +1
    values : ndarray of shape (n_features,)
    noise_budget : float
        N, 0 <= N < V.
    gamma : float
        At least 0.
    inner : {"exact", "relaxed"}, default="exact"
        Solve the knapsack, or allow deletion in parts: cheaper, and never below the exact loss, so that every bound
        below stays one.
    work_limit : int, default=5,000,000
        As for `exact_deletion`, which raises `WorkLimitError` above it.

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    if inner not in ("exact", "relaxed"):
        raise ValueError(f"inner is {inner!r}, expected 'exact' or 'relaxed'")
    if not gamma >= 0:
        raise ValueError(f"gamma is {gamma}, expected at least 0")
    required = gamma / remaining_value(values, noise_budget)
    loss = np.empty(X.shape[0], dtype=bool)
    for rows, dense in dense_blocks(X):
        gains = y[rows, None] * dense * coef - required * values
        if inner == "exact":
            deleted = exact_deletion(gains, values, noise_budget, work_limit)
        else:
            deleted = relaxed_deletion(gains, values, noise_budget)
        loss[rows] = ((1 - deleted) * gains).sum(axis=1) < 0
    return loss


def complexity(m: int, delta: float, kappa: float, values: np.ndarray, noise_budget: float, C: float) -> float:
    """beta(m, delta, kappa) = ln(m/delta) + sum_j ln max(4 P C / (kappa v_j), 1) of Theorem 2.

    Parameters
    ----------
    m : int
        Size of the sample, at least 2.
    delta : float
        Probability with which the bound may fail, 0 < delta < 1.
    kappa : float
        Margin paid for the bound, positive.
    values : ndarray of shape (n_features,)
        Positive.
    noise_budget : float
        N, 0 <= N < V.
    C : float
        Box that holds the weights, |w_j| <= C.
    """
    _check_sample(m, delta)
    if not kappa > 0:
        raise ValueError(f"kappa is {kappa}, expected a positive number")
    if not (values > 0).all():
        raise ValueError("values must be positive: the bound is infinite for a feature of value 0")
    ratio = 4 * remaining_value(values, noise_budget) * C / (kappa * values)
    return float(np.log(m / delta) + np.log(np.maximum(ratio, 1.0)).sum())


def kl_inverse(empirical: float, limit: float) -> float:
    """Largest epsilon with KL(empirical || epsilon) <= limit, by bisection to machine precision.

    Parameters
    ----------
    empirical : float
        A share, 0 to 1.
    limit : float
        At least 0.
    """
    if not 0 <= empirical <= 1 or not limit >= 0:
        raise ValueError(f"empirical is {empirical}, limit {limit}: expected 0 <= empirical <= 1 and limit >= 0")
    low, high = empirical, 1.0
    while True:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            return high  # the side that does not understate the bound
        divergence = rel_entr(empirical, middle) + rel_entr(1.0 - empirical, 1.0 - middle)
        if divergence <= limit:
            low = middle
        else:
            high = middle


def deletion_risk_bound(
    loss: float,
    m: int,
    delta: float,
    kappa: float,
    values: np.ndarray,
    noise_budget: float,
    C: float,
    form: Literal["kl", "weak"] = "kl",
) -> float:
    """Theorem 2: with probability 1 - delta the expected gamma-loss of every w in the box is at most this.

    Parameters
    ----------
    loss : float
        Mean over the training rows of the (gamma + kappa)-loss; see `gamma_loss`.
    m, delta, kappa, values, noise_budget, C
        As for `complexity`.
    form : {"kl", "weak"}, default="kl"
        The inverse of the Kullback-Leibler divergence, or the weaker closed form
        loss + sqrt(2 loss beta/(m - 1)) + 2 beta/(m - 1), which may exceed 1.
    """
    limit = complexity(m, delta, kappa, values, noise_budget, C) / (m - 1)
    if form == "kl":
        return kl_inverse(loss, limit)
    if form != "weak":
        raise ValueError(f"form is {form!r}, expected 'kl' or 'weak'")
    return float(loss + np.sqrt(2 * loss * limit) + 2 * limit)


def deletion_error_bound(
    coef: np.ndarray,
    X: Any,
    y: np.ndarray,
    values: np.ndarray,
    noise_budget: float,
    C: float,
    kappa: float,
    delta: float = 0.05,
) -> float:
    """Corollary 1: with probability 1 - delta the risk under deletion is at most this.

    Theorem 2's weak form at gamma = 0, from the training rows.

    Parameters
    ----------
    coef : ndarray of shape (n_features,)
        Weights with |w_j| <= C; the bias is 0.
    X : ndarray or CSR matrix of shape (m, n_features)
        Training rows, |x| <= 1.
    y : ndarray of shape (m,), -1 or +1
    values, noise_budget, C, kappa, delta
        As for `complexity`; kappa is chosen before the data is seen.
    """
    if np.abs(coef).max() > C * (1 + 1e-9):
        raise ValueError(f"a weight is {np.abs(coef).max():g} in absolute value, outside the box of C = {C:g}")
    if np.abs(X).max() > 1 + 1e-9:
        raise ValueError("features must lie in [-1, 1]")
    loss = gamma_loss(coef, X, y, values, noise_budget, kappa).mean()
    return deletion_risk_bound(float(loss), X.shape[0], delta, kappa, values, noise_budget, C, form="weak")


def corruption_margin(C: float, n_corrupted: float, epsilon: float) -> float:
    """Least gamma of Theorem 3: C sqrt(2 N ln(1/epsilon)).

    Parameters
    ----------
    C : float
        Box that holds the weights.
    n_corrupted : float
        N, how many features are replaced in each row (v = 1).
    epsilon : float
        0 < epsilon < 1.
    """
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon is {epsilon}, expected 0 < epsilon < 1")
    return float(C * np.sqrt(2 * n_corrupted * np.log(1 / epsilon)))


def corruption_risk_bound(expected_loss: float, epsilon: float) -> float:
    """Theorem 3: Pr(y w.f(x) <= 0) <= E[gamma-loss] + epsilon for gamma >= `corruption_margin`.

    f replaces N features, chosen by the adversary, by independent noise on [-1, 1] of mean zero; v = 1, no bias.

    Parameters
    ----------
    expected_loss : float
        Expected gamma-loss under deletion, or a bound on it.
    epsilon : float
    """
    return expected_loss + epsilon


def regret_bound(C: float, n_features: int, m: int, radius: float = 1.0) -> float:
    """Theorem 4: how far the Perceptron's mean loss over m rows may exceed that of the best fixed weights in the box.

    C sqrt((n + 1)(R^2 + 1)/m), with the step tau = C sqrt((n + 1)/(m (R^2 + 1))); at R = 1 the paper's
    C sqrt(2 (n + 1)/m), whose |x|_1 <= 1 implies |x|_2 <= 1.

    Parameters
    ----------
    C : float
        Box that holds weights and bias.
    n_features, m : int
    radius : float, default=1
        R, the largest Euclidean norm of a row.
    """
    return float(C * np.sqrt((n_features + 1) * (radius**2 + 1) / m))


def online_risk_bound(
    best: float, C: float, m: int, values: np.ndarray, noise_budget: float, delta: float = 0.05
) -> float:
    """Corollary 2: with probability 1 - delta the averaged Perceptron's expected loss (Eq. 29) is at most this.

    best + (3 C + phi) sqrt(2 (n + 1 + ln(2/delta))/m), phi = V/P, for |x|_1 <= 1 and the paper's step.

    Parameters
    ----------
    best : float
        Least expected loss in the box of C.
    C, m, values, noise_budget, delta
        As for `complexity`.
    """
    _check_sample(m, delta)
    phi = values.sum() / remaining_value(values, noise_budget)
    return float(best + (3 * C + phi) * np.sqrt(2 * (len(values) + 1 + np.log(2 / delta)) / m))


def _check_sample(m: int, delta: float) -> None:
    if m < 2:
        raise ValueError(f"m is {m}, expected at least 2")
    if not 0 < delta < 1:
        raise ValueError(f"delta is {delta}, expected 0 < delta < 1")
