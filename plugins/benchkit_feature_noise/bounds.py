"""What is certain of a linear classifier under deletion: a bracket of its error, and bounds on its risk.

The bracket is greedy <= exact <= relaxation; the worst case that the linear program prepares for is Eq. 4. Theorem 2
and Corollary 1 of Dekel, Shamir & Xiao 2010 bound the risk under feature deletion by the sample's gamma-loss, Theorem 3
the risk under corruption by that under deletion, Theorem 4 and Corollary 2 the Perceptron's loss. Assumed throughout:
|x|_inf <= 1, no bias, v_j > 0, and the conditions that each function names.

Everywhere ``coef`` (n_features,) and ``intercept`` are a linear classifier's, ``C`` is the box of its weights, |w_j| <=
C; ``X`` (n_rows, n_features) is an array or a CSR matrix before deletion, ``y`` (n_rows,) its labels -1 and +1;
``values`` (n_features,) are v and ``noise_budget`` is N, 0 <= N < V; a bound holds with probability 1 - ``delta`` over
samples of ``m`` rows, at least 2.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import rel_entr

from benchkit import Features, check_choice, check_count, check_not_negative, check_positive
from benchkit_deletion.threat import (
    WORK_LIMIT,
    Deletion,
    WorkLimitError,
    deletion_and_shortfall,
    dense_blocks,
    greedy_deletion,
    relaxed_deletion,
)


def remaining_value(values: np.ndarray, noise_budget: float) -> float:
    """P = V - N, which must be positive: 0 <= N < V."""
    total = float(values.sum())
    if not 0 <= noise_budget < total:
        raise ValueError(f"noise_budget is {noise_budget:g}, expected 0 <= noise_budget < {total:g}, the total value")
    return total - noise_budget


class Bracket(NamedTuple):
    """Shares of rows, greedy <= exact <= relaxation: errors that the papers' greedy adversary causes, some deletion
    within the budget (None where the work limit leaves a row undecided), and deletion in parts.
    """

    greedy: float
    exact: float | None
    relaxation: float


def deletion_bracket(
    coef: np.ndarray,
    intercept: float,
    X: Any,
    y: np.ndarray,
    values: np.ndarray,
    budget: float,
    features: Features | None = None,
    work_limit: int = WORK_LIMIT,
) -> Bracket:
    """What deletion within a budget does to a linear classifier, from below, exactly and from above.

    A row is an error where y (b + w.x) <= 0 after deletion. The exact worst case is computed only for rows that greedy
    leaves right and the relaxation makes wrong, with ``work_limit`` as of `exact_deletion`. ``features`` says which
    columns are one feature, that goes whole and costs the sum of their values.
    """
    features = features or Features(len(values))
    values = features.sum(values)
    n_rows = X.shape[0]
    greedy, exact, relaxation = 0, 0, 0
    known = True
    for rows, dense in dense_blocks(X):
        gains = features.sum(y[rows, None] * dense * coef)
        score = y[rows] * intercept + gains.sum(axis=1)
        surely = _wrong(score, gains, values, budget, greedy_deletion)
        # Rounding must not let the upper bound fall below the lower one.
        perhaps = surely | _wrong(score, gains, values, budget, relaxed_deletion)
        greedy += int(surely.sum())
        relaxation += int(perhaps.sum())
        doubt = np.flatnonzero(perhaps & ~surely)
        exact += int(surely.sum())
        if not known or doubt.size == 0:
            continue
        try:
            deleted, shortfall = deletion_and_shortfall(gains[doubt], values, budget, work_limit)
        except WorkLimitError:
            known = False
            continue
        damage = (deleted * gains[doubt]).sum(axis=1)
        wrong = damage >= score[doubt]
        known = not (~wrong & (damage * (1 + shortfall) >= score[doubt])).any()
        exact += int(wrong.sum())
    return Bracket(greedy / n_rows, exact / n_rows if known else None, relaxation / n_rows)


def _wrong(score: np.ndarray, gains: np.ndarray, values: np.ndarray, budget: float, choose: Deletion) -> np.ndarray:
    """Whether each row is an error after a deletion, shape (n_rows,)."""
    wrong: np.ndarray = score - (choose(gains, values, budget) * gains).sum(axis=1) <= 0
    return wrong


def worst_case_hinge(
    coef: np.ndarray, intercept: float, X: Any, y: np.ndarray, values: np.ndarray, noise_budget: float
) -> np.ndarray:
    """Slack of each row in Eq. 4 of Dekel, Shamir & Xiao 2010 at margin 1, in closed form.

    xi_i = [V/P - y_i (b + w.x_i) + max_delta sum_j delta_j (y_i w_j x_ij - v_j/P)]_+, shape (n_rows,).
    """
    required = 1.0 / remaining_value(values, noise_budget)
    slack = np.empty(X.shape[0])
    for rows, dense in dense_blocks(X):
        contributions = y[rows, None] * dense * coef
        gains = contributions - required * values
        removed = relaxed_deletion(gains, values, noise_budget)
        kept = y[rows] * intercept + contributions.sum(axis=1)
        slack[rows] = required * values.sum() - kept + (removed * gains).sum(axis=1)
    return np.maximum(slack, 0.0)


def gamma_loss(
    coef: np.ndarray, X: Any, y: np.ndarray, values: np.ndarray, noise_budget: float, gamma: float
) -> np.ndarray:
    """Whether a deletion leaves each row a margin below gamma V(J)/P, J the features that are kept (Eq. 22).

    The minimum over J is that of y sum_J w_j x_j - gamma V(J)/P, a knapsack with gains y w_j x_j - gamma v_j/P. Here
    features may go in parts, which never understates the loss, so that every bound below stays one. A mask (n_rows,).
    """
    check_not_negative(gamma=gamma)
    required = gamma / remaining_value(values, noise_budget)
    loss = np.empty(X.shape[0], dtype=bool)
    for rows, dense in dense_blocks(X):
        gains = y[rows, None] * dense * coef - required * values
        loss[rows] = ((1 - relaxed_deletion(gains, values, noise_budget)) * gains).sum(axis=1) < 0
    return loss


def complexity(m: int, delta: float, kappa: float, values: np.ndarray, noise_budget: float, C: float) -> float:
    """beta(m, delta, kappa) = ln(m/delta) + sum_j ln max(4 P C / (kappa v_j), 1) of Theorem 2, kappa a margin."""
    _check_sample(m, delta)
    check_positive(kappa=kappa)
    if not (values > 0).all():
        raise ValueError("values must be positive: the bound is infinite for a feature of value 0")
    ratio = 4 * remaining_value(values, noise_budget) * C / (kappa * values)
    return float(np.log(m / delta) + np.log(np.maximum(ratio, 1.0)).sum())


def kl_inverse(empirical: float, limit: float) -> float:
    """Largest epsilon with KL(empirical || epsilon) <= limit, by bisection to machine precision."""
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

    ``loss`` is the mean over the training rows of the (gamma + kappa)-loss, see `gamma_loss`. By ``form`` the inverse
    of the Kullback-Leibler divergence, or the weaker closed form loss + sqrt(2 loss beta/(m - 1)) + 2 beta/(m - 1),
    which may exceed 1.
    """
    check_choice(("kl", "weak"), form=form)
    limit = complexity(m, delta, kappa, values, noise_budget, C) / (m - 1)
    if form == "kl":
        return kl_inverse(loss, limit)
    return float(loss + np.sqrt(2 * loss * limit) + 2 * limit)


def corruption_margin(C: float, n_corrupted: float, epsilon: float) -> float:
    """Least gamma of Theorem 3: C sqrt(2 N ln(1/epsilon)), at which Pr(y w.f(x) <= 0) <= E[gamma-loss] + epsilon.

    f replaces N features of each row, chosen by the adversary, by independent noise on [-1, 1] of mean zero; v = 1, no
    bias.
    """
    if not 0 < epsilon < 1:
        raise ValueError(f"epsilon is {epsilon}, expected 0 < epsilon < 1")
    return float(C * np.sqrt(2 * n_corrupted * np.log(1 / epsilon)))


def regret_bound(C: float, n_features: int, m: int, radius: float = 1.0, step: float | None = None) -> float:
    """Theorem 4: how far the Perceptron's mean loss over m rows may exceed that of the best fixed weights in the box.

    With a ``step`` tau it is C^2 (n + 1)/(2 tau m) + tau (R^2 + 1)/2, as the proof has it before tau is chosen. Of all
    tau C sqrt((n + 1)/(m (R^2 + 1))) makes this least: C sqrt((n + 1)(R^2 + 1)/m), at R = 1 the paper's
    C sqrt(2 (n + 1)/m), whose |x|_1 <= 1 implies |x|_2 <= 1. The bias is in the box, too; the ``radius`` R is the
    largest Euclidean norm of a row.
    """
    distance, squared = C**2 * (n_features + 1), radius**2 + 1
    tau = np.sqrt(distance / (m * squared)) if step is None else step
    return float(distance / (2 * tau * m) + tau * squared / 2)


def online_risk_bound(
    best: float, C: float, m: int, values: np.ndarray, noise_budget: float, delta: float = 0.05
) -> float:
    """Corollary 2: with probability 1 - delta the averaged Perceptron's expected loss (Eq. 29) is at most this.

    best + (3 C + phi) sqrt(2 (n + 1 + ln(2/delta))/m), phi = V/P, for |x|_1 <= 1 and the paper's step; ``best`` is the
    least expected loss in the box.
    """
    _check_sample(m, delta)
    phi = values.sum() / remaining_value(values, noise_budget)
    return float(best + (3 * C + phi) * np.sqrt(2 * (len(values) + 1 + np.log(2 / delta)) / m))


def _check_sample(m: int, delta: float) -> None:
    check_count(2, m=m)
    if not 0 < delta < 1:
        raise ValueError(f"delta is {delta}, expected 0 < delta < 1")
