"""The bracket around a linear model's error under deletion, as metrics of any point with a budget of feature values.

Whatever adversary acted, these say what deletion within its budget could do to the same rows. They are NaN for models
without a linear form.
"""

from __future__ import annotations

from benchkit import MetricContext, NotApplicableError
from benchkit_deletion.adversaries.linear import linear_form, signs
from benchkit_deletion.threat import check_values
from benchkit_feature_noise.bounds.certificate import Bracket, deletion_bracket

_UNKNOWN = float("nan")


def greedy_error(evaluation: MetricContext) -> float:
    """Error that the greedy adversary causes, rows of margin 0 counted as errors: a lower bound."""
    bracket = _bracket(evaluation)
    return _UNKNOWN if bracket is None else bracket.greedy


def exact_error(evaluation: MetricContext) -> float:
    """Error that some deletion within the budget causes; NaN where the work limit leaves it open."""
    bracket = _bracket(evaluation)
    return _UNKNOWN if bracket is None or bracket.exact is None else bracket.exact


def relaxation_error(evaluation: MetricContext) -> float:
    """Error that deletion in parts causes: an upper bound."""
    bracket = _bracket(evaluation)
    return _UNKNOWN if bracket is None else bracket.relaxation


def _bracket(evaluation: MetricContext) -> Bracket | None:
    if evaluation.uncorrupted is None or not hasattr(evaluation.model, "coef_"):
        return None
    try:
        coef, intercept = linear_form(evaluation.model)
    except NotApplicableError:
        return None
    y = signs(evaluation.model, evaluation.y)
    values = check_values(evaluation.feature_values, evaluation.uncorrupted.shape[1])
    features = evaluation.features
    return deletion_bracket(coef, intercept, evaluation.uncorrupted, y, values, evaluation.budget, features=features)
