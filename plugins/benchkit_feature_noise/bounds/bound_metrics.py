"""The bounds of Dekel, Shamir & Xiao 2010 as metrics, to stand beside the measured risk.

Each is NaN where its assumptions do not hold: a binary linear model without bias whose weights lie in a box of its
parameter ``C``, features of one column in [-1, 1], positive feature values, a budget below V. They hold with
probability 0.95, for a ``C`` that was fixed before the data was seen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.extmath import row_norms

from benchkit import MetricContext, NotApplicableError
from benchkit_deletion.adversaries.linear import linear_form, signs
from benchkit_deletion.threat import check_values
from benchkit_feature_noise.bounds import risk_bounds as bounds
from benchkit_feature_noise.bounds.bracket_metrics import exact_error
from benchkit_feature_noise.worst_case import worst_case_hinge

DELTA = 0.05
"""Probability with which a bound may fail."""
KAPPAS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Margins that are paid for a bound; the best one counts, each at an equal share of `DELTA`."""
EPSILON = 0.05
"""epsilon of Theorem 3."""

_UNKNOWN = float("nan")


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
        rows = bounds.gamma_loss(self.coef, self.X, self.y, self.values, self.budget, gamma, inner="relaxed")
        return float(rows.mean())

    def risk_bound(self, gamma: float, form: Any) -> float:
        """Theorem 2 at the best of the kappas."""
        m, share = len(self.y), DELTA / len(KAPPAS)
        certified = [
            bounds.deletion_risk_bound(
                self.gamma_loss(gamma + kappa), m, share, kappa, self.values, self.budget, self.C, form
            )
            for kappa in KAPPAS
        ]
        return min(certified)


def gamma_loss(evaluation: MetricContext) -> float:
    """Share of training rows that some deletion leaves a margin below V(J)/P: Eq. 22 at gamma = 1."""
    sample = _sample(evaluation)
    return _UNKNOWN if sample is None else sample.gamma_loss(1.0)


def theorem2_bound(evaluation: MetricContext) -> float:
    """Theorem 2's bound on the risk under deletion, by the inverse of the divergence."""
    sample = _sample(evaluation)
    return _UNKNOWN if sample is None or not _in_assumptions(sample) else sample.risk_bound(0.0, "kl")


def theorem2_slack(evaluation: MetricContext) -> float:
    """Theorem 2's bound on the risk minus the exact worst-case error of the test rows; NaN where either is."""
    return theorem2_bound(evaluation) - exact_error(evaluation)


def corollary1_bound(evaluation: MetricContext) -> float:
    """Corollary 1's bound on the risk under deletion: Theorem 2's weak form, which may exceed 1."""
    sample = _sample(evaluation)
    return _UNKNOWN if sample is None or not _in_assumptions(sample) else sample.risk_bound(0.0, "weak")


def theorem3_bound(evaluation: MetricContext) -> float:
    """Theorem 3's bound on the risk under bounded zero-mean corruption, all values 1, through Theorem 2."""
    sample = _sample(evaluation)
    if sample is None or not _in_assumptions(sample) or not (sample.values == 1).all():
        return _UNKNOWN
    margin = bounds.corruption_margin(sample.C, sample.budget, EPSILON)
    return bounds.corruption_risk_bound(sample.risk_bound(margin, "kl"), EPSILON)


def worst_case_loss(evaluation: MetricContext) -> float:
    """Mean loss of Eq. 29 (margin 1) over the uncorrupted test rows, its inner maximum relaxed."""
    sample = _sample(evaluation)
    if sample is None or evaluation.uncorrupted is None:
        return _UNKNOWN
    y = signs(evaluation.model, evaluation.y)
    slack = worst_case_hinge(sample.coef, sample.intercept, evaluation.uncorrupted, y, sample.values, sample.budget)
    return float(slack.mean())


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
    return bounds.regret_bound(model.C, model.n_features_in_, model.n_seen_, radius)


def corollary2_excess(evaluation: MetricContext) -> float:
    """Corollary 2: how far the averaged Perceptron's expected loss may exceed the least in the box, for |x|_1 <= 1."""
    sample, model = _sample(evaluation), evaluation.model
    if sample is None or not hasattr(model, "cumulative_loss_") or np.abs(sample.X).sum(axis=1).max() > 1 + 1e-9:
        return _UNKNOWN
    return bounds.online_risk_bound(0.0, model.C, model.n_seen_, sample.values, sample.budget, DELTA)


def _sample(evaluation: MetricContext) -> _Sample | None:
    model = evaluation.model
    if evaluation.X_train is None or not hasattr(model, "coef_") or not hasattr(model, "C"):
        return None
    try:
        coef, intercept = linear_form(model)
    except NotApplicableError:
        return None
    values = check_values(evaluation.feature_values, len(coef))
    # The theorems are of columns that go one by one.
    if not evaluation.budget < values.sum() or not evaluation.features.plain:
        return None
    y = signs(model, evaluation.y_train)
    return _Sample(coef, intercept, float(model.C), evaluation.X_train, y, values, evaluation.budget)


def _in_assumptions(sample: _Sample) -> bool:
    in_box = np.abs(sample.coef).max() <= sample.C * (1 + 1e-9)
    return bool(in_box and sample.intercept == 0 and abs(sample.X).max() <= 1 + 1e-9 and (sample.values > 0).all())
