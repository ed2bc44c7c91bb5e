"""What a model may come to under deletion, what its solver reached, and what was chosen: metrics; NaN where not known.

The brackets say of any point whose budget counts features or their values, whatever adversary acted, what deletion
within its budget, which leaves zeros, could do to the same rows; they are of models with a linear form.

The bounds of Dekel, Shamir & Xiao 2010 stand beside the measured risk. Each is NaN where its assumptions do not hold: a
binary linear model without bias whose weights lie in a box of its parameter ``C``, features of one column in [-1, 1],
positive feature values, a budget below V. They hold with probability 0.95, for a ``C`` that was fixed before the data
was seen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from benchkit import MetricContext, NotApplicableError
from benchkit_deletion.adversaries.linear import linear_form, signs
from benchkit_deletion.threat import check_values, greedy_deletion
from benchkit_feature_noise import bounds

DELTA = 0.05
"""Probability with which a bound may fail."""
KAPPAS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Margins that are paid for a bound; the best one counts, each at an equal share of `DELTA`."""
EPSILON = 0.05
"""epsilon of Theorem 3."""

_UNKNOWN = float("nan")


def greedy_error(evaluation: MetricContext) -> float:
    """Error that the greedy adversary causes, rows of margin 0 counted as errors: a lower bound."""
    return _bracket(evaluation).greedy


def exact_error(evaluation: MetricContext) -> float:
    """Error that some deletion within the budget causes; NaN where the work limit leaves it open."""
    exact = _bracket(evaluation).exact
    return _UNKNOWN if exact is None else exact


def relaxation_error(evaluation: MetricContext) -> float:
    """Error that deletion in parts causes: an upper bound."""
    return _bracket(evaluation).relaxation


def _bracket(evaluation: MetricContext) -> bounds.Bracket:
    form = _linear_form(evaluation.model)
    if form is None or evaluation.uncorrupted is None:
        return bounds.Bracket(_UNKNOWN, None, _UNKNOWN)
    y = signs(evaluation.model, evaluation.y)
    values = check_values(evaluation.prices, len(form[0]))
    return bounds.deletion_bracket(*form, evaluation.uncorrupted, y, values, evaluation.budget, evaluation.features)


def _linear_form(model: Any) -> tuple[np.ndarray, float] | None:
    """Weights and bias of a binary linear classifier; None of others."""
    try:
        return linear_form(model) if hasattr(model, "coef_") else None
    except NotApplicableError:
        return None


class _Sample(NamedTuple):
    """A model's linear form, with the training rows that the bounds are taken on."""

    coef: np.ndarray
    intercept: float
    C: float
    X: Any
    y: np.ndarray
    values: np.ndarray
    budget: float

    def gamma_loss(self, gamma: float) -> float:
        """Share of training rows with a loss; deletion in parts, which never understates it."""
        return float(bounds.gamma_loss(self.coef, self.X, self.y, self.values, self.budget, gamma).mean())

    def risk_bound(self, gamma: float, form: Any) -> float:
        """Theorem 2 at the best of the kappas."""
        threat = self.values, self.budget, self.C, form
        losses = {kappa: self.gamma_loss(gamma + kappa) for kappa in KAPPAS}
        m, share = len(self.y), DELTA / len(KAPPAS)
        return min(bounds.deletion_risk_bound(losses[kappa], m, share, kappa, *threat) for kappa in KAPPAS)


def gamma_loss(evaluation: MetricContext) -> float:
    """Share of training rows that some deletion leaves a margin below V(J)/P: Eq. 22 at gamma = 1."""
    sample = _sample(evaluation)
    return _UNKNOWN if sample is None or sample.intercept != 0 else sample.gamma_loss(1.0)


def theorem2_bound(evaluation: MetricContext) -> float:
    """Theorem 2's bound on the risk under deletion, by the inverse of the divergence."""
    sample = _sample_in_assumptions(evaluation)
    return _UNKNOWN if sample is None else sample.risk_bound(0.0, "kl")


def theorem2_slack(evaluation: MetricContext) -> float:
    """Theorem 2's bound on the risk minus the exact worst-case error of the test rows; NaN where either is."""
    return theorem2_bound(evaluation) - exact_error(evaluation)


def corollary1_bound(evaluation: MetricContext) -> float:
    """Corollary 1's bound on the risk under deletion: Theorem 2's weak form, which may exceed 1."""
    sample = _sample_in_assumptions(evaluation)
    return _UNKNOWN if sample is None else sample.risk_bound(0.0, "weak")


def theorem3_bound(evaluation: MetricContext) -> float:
    """Theorem 3's bound on the risk under bounded zero-mean corruption, all values 1, through Theorem 2."""
    sample = _sample_in_assumptions(evaluation)
    if sample is None or not (sample.values == 1).all():
        return _UNKNOWN
    margin = bounds.corruption_margin(sample.C, sample.budget, EPSILON)
    return sample.risk_bound(margin, "kl") + EPSILON


def worst_case_loss(evaluation: MetricContext) -> float:
    """Mean loss of Eq. 29 (margin 1) over the uncorrupted test rows, its inner maximum relaxed."""
    sample = _sample(evaluation)
    if sample is None or evaluation.uncorrupted is None:
        return _UNKNOWN
    rows = evaluation.uncorrupted, signs(evaluation.model, evaluation.y)
    return float(bounds.worst_case_hinge(sample.coef, sample.intercept, *rows, sample.values, sample.budget).mean())


def online_loss(evaluation: MetricContext) -> float:
    """Mean loss that an online learner suffered, whose regret Theorem 4 bounds."""
    model = evaluation.model
    return model.cumulative_loss_ / model.n_seen_ if hasattr(model, "cumulative_loss_") else _UNKNOWN


def theorem4_regret(evaluation: MetricContext) -> float:
    """Theorem 4: how far the mean online loss may exceed that of the best fixed weights in the box."""
    model = evaluation.model
    if not hasattr(model, "cumulative_loss_") or evaluation.X_train is None:
        return _UNKNOWN
    radius = float(np.sqrt(row_norms(evaluation.X_train, squared=True).max()))
    return bounds.regret_bound(model.C, model.n_features_in_, model.n_seen_, radius, model.step_)


def corollary2_excess(evaluation: MetricContext) -> float:
    """Corollary 2: how far the averaged Perceptron's expected loss may exceed the least in the box, for |x|_1 <= 1.

    Its step must leave no more regret than the one of Theorem 4.
    """
    sample, model = _sample(evaluation), evaluation.model
    if sample is None or not hasattr(model, "cumulative_loss_") or np.abs(sample.X).sum(axis=1).max() > 1 + 1e-9:
        return _UNKNOWN
    if theorem4_regret(evaluation) > bounds.regret_bound(model.C, model.n_features_in_, model.n_seen_) * (1 + 1e-9):
        return _UNKNOWN
    return bounds.online_risk_bound(0.0, model.C, model.n_seen_, sample.values, sample.budget, DELTA)


def _sample(evaluation: MetricContext) -> _Sample | None:
    model, form = evaluation.model, _linear_form(evaluation.model)
    if form is None or evaluation.X_train is None or not hasattr(model, "C"):
        return None
    values = check_values(evaluation.prices, len(form[0]))
    # The theorems are of columns that go one by one.
    if not evaluation.budget < values.sum() or not evaluation.features.plain:
        return None
    y = signs(model, evaluation.y_train)
    return _Sample(*form, float(model.C), evaluation.X_train, y, values, evaluation.budget)


def _sample_in_assumptions(evaluation: MetricContext) -> _Sample | None:
    sample = _sample(evaluation)
    if sample is None or sample.intercept != 0 or np.abs(sample.coef).max() > sample.C * (1 + 1e-9):
        return None
    return sample if abs(sample.X).max() <= 1 + 1e-9 and (sample.values > 0).all() else None


def objective(evaluation: MetricContext) -> float:
    """Objective of the fitted weights, from the closed form of the worst case."""
    return float(getattr(evaluation.model, "objective_", _UNKNOWN))


def duality_gap(evaluation: MetricContext) -> float:
    """Objective minus the lower bound by the solver's multipliers."""
    return float(getattr(evaluation.model, "duality_gap_", _UNKNOWN))


def iterations(evaluation: MetricContext) -> float:
    """Iterations of the solver, of all classes together where it ran for each."""
    counts = getattr(evaluation.model, "n_iter_", None)
    return _UNKNOWN if counts is None else float(np.sum(counts))


def unconverged(evaluation: MetricContext) -> float:
    """1 where the solver ended before the gap or the tolerances asked of it, 0 where it reached them."""
    converged = getattr(evaluation.model, "converged_", None)
    return _UNKNOWN if converged is None else float(not converged)


def seconds_per_iteration(evaluation: MetricContext) -> float:
    """Wall seconds of the fit over the iterations of the solver."""
    return evaluation.seconds.get("fit", _UNKNOWN) / max(iterations(evaluation), 1.0)


def chosen_k(evaluation: MetricContext) -> float:
    """How much deletion the fitted model was made for: K of FDROP and its like, N of LP and O2B; NaN for others."""
    for name in ("n_deleted", "noise_budget"):
        if (amount := getattr(evaluation.model, name, None)) is not None:
            return float(amount)
    return _UNKNOWN


def first_feature_deleted(evaluation: MetricContext) -> float:
    """Share of the training rows with x_1 > 0 and y = +1 whose worst deletion takes x_1 (GR06, 4.1).

    The deletion is of the model's own K; NaN for models that have none, or are not linear.
    """
    model, X, form = evaluation.model, evaluation.X_train, _linear_form(evaluation.model)
    n_deleted = getattr(model, "n_deleted", None)
    if n_deleted is None or form is None or X is None or evaluation.y_train is None:
        return _UNKNOWN
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
    y = signs(model, evaluation.y_train)
    rows = (dense[:, 0] > 0) & (y > 0)
    if not rows.any():
        return _UNKNOWN
    deleted = greedy_deletion(y[rows, None] * dense[rows] * form[0], np.ones(dense.shape[1]), n_deleted)
    return float(deleted[:, 0].mean())


def corruption_excess(evaluation: MetricContext) -> float:
    """Error as the adversary leaves the rows, minus the error that greedy deletion within its budget causes."""
    return float(np.mean(evaluation.predictions != evaluation.y)) - greedy_error(evaluation)


def greedy_understatement(evaluation: MetricContext) -> float:
    """Error of the exact worst case minus that of the greedy adversary."""
    return exact_error(evaluation) - greedy_error(evaluation)


def bracket_width(evaluation: MetricContext) -> float:
    """Error of deletion in parts minus that of the greedy adversary: at most this much is left open."""
    return relaxation_error(evaluation) - greedy_error(evaluation)
