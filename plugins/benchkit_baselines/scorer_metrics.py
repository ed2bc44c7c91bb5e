"""Declarations of the metrics that have scikit-learn's scorer names."""

from __future__ import annotations

import math

from benchkit import Metric
from benchkit_baselines.scorers import Scorer, expected_calibration_error

_UNIT = (0.0, 1.0)
_VALUES = "benchkit_baselines.row_values:"
_LOSS = (-math.inf, 0.0)


def _averaged(name: str, function: str, what: str) -> list[Metric]:
    """A metric of two classes, and its averages over more."""
    two = Metric(
        name=name,
        range=_UNIT,
        compute=Scorer(name, function, binary=True, options={"zero_division": 0.0}),
        needs="labels",
        row_values=_VALUES + name if name in ("f1", "precision", "recall") else None,
        summary=f"{what} of the second of two classes",
        greater_is_better=True,
    )
    means = [
        Metric(
            name=f"{name}_{average}",
            range=_UNIT,
            compute=Scorer(f"{name}_{average}", function, options={"average": average, "zero_division": 0.0}),
            needs="labels",
            summary=f"{what}, {said}",
            greater_is_better=True,
        )
        for average, said in (
            ("macro", "its mean over classes"),
            ("micro", "of all classes counted together"),
            ("weighted", "its mean over classes by their rows"),
        )
    ]
    return [two, *means]


CLASSIFICATION = [
    Metric(
        name="balanced_accuracy",
        range=_UNIT,
        compute=Scorer("balanced_accuracy", "balanced_accuracy_score"),
        needs="losses",
        row_values=_VALUES + "balanced",
        summary="Mean over classes of the share of right predictions",
        greater_is_better=True,
    ),
    *_averaged("f1", "f1_score", "Harmonic mean of precision and recall"),
    *_averaged("precision", "precision_score", "Share of predictions of a class that are right"),
    *_averaged("recall", "recall_score", "Share of the rows of a class that are found"),
    *_averaged("jaccard", "jaccard_score", "Rows predicted and true over rows predicted or true"),
    Metric(
        name="matthews_corrcoef",
        range=(-1.0, 1.0),
        compute=Scorer("matthews_corrcoef", "matthews_corrcoef"),
        needs="labels",
        summary="Correlation of predicted and true classes",
        greater_is_better=True,
    ),
    Metric(
        name="roc_auc",
        range=_UNIT,
        compute=Scorer("roc_auc", "roc_auc_score", "scores", binary=True),
        needs="scores",
        row_values=_VALUES + "area",
        summary="Area under the ROC curve: how often a row of the second class outranks one of the first",
        greater_is_better=True,
    ),
    *(
        Metric(
            name=f"roc_auc_{way}",
            range=_UNIT,
            compute=Scorer(f"roc_auc_{way}", "roc_auc_score", "probabilities", options={"multi_class": way}),
            needs="scores",
            summary=f"Area under the ROC curve, mean over {pairs}",
            greater_is_better=True,
        )
        for way, pairs in (("ovr", "classes against the rest"), ("ovo", "pairs of classes"))
    ),
    Metric(
        name="average_precision",
        range=_UNIT,
        compute=Scorer("average_precision", "average_precision_score", "scores", binary=True),
        needs="scores",
        summary="Mean precision over the recalls that thresholds reach",
        greater_is_better=True,
    ),
    Metric(
        name="neg_log_loss",
        range=_LOSS,
        compute=Scorer("neg_log_loss", "log_loss", "probabilities", sign=-1.0),
        needs="scores",
        row_values=_VALUES + "minus_log_loss",
        summary="Mean logarithm of the true class's probability",
        greater_is_better=True,
    ),
    Metric(
        name="neg_brier_score",
        range=(-1.0, 0.0),
        compute=Scorer("neg_brier_score", "brier_score_loss", "probabilities", binary=True, sign=-1.0),
        needs="scores",
        row_values=_VALUES + "minus_brier",
        summary="Minus the mean squared error of the second class's probability",
        greater_is_better=True,
    ),
    Metric(
        name="expected-calibration-error",
        range=_UNIT,
        compute=expected_calibration_error,
        needs="scores",
        summary="Mean distance of confidence and accuracy, over 15 bins of the confidence",
        reference="Guo, Pleiss, Sun & Weinberger 2017, On calibration of modern neural networks, Eq. 3",
        formula="sum_b |B_b|/m |accuracy(B_b) - confidence(B_b)|",
    ),
]

_REGRESSION = {
    "r2": ("r2_score", (-math.inf, 1.0), "Share of the targets' variance that is explained"),
    "explained_variance": ("explained_variance_score", (-math.inf, 1.0), "As r2, a constant shift forgiven"),
    "neg_max_error": ("max_error", _LOSS, "Minus the largest distance of a prediction from its target"),
    "neg_mean_absolute_error": ("mean_absolute_error", _LOSS, "Minus the mean distance of predictions from targets"),
    "neg_median_absolute_error": ("median_absolute_error", _LOSS, "Minus the median distance"),
    "neg_mean_squared_error": ("mean_squared_error", _LOSS, "Minus the mean squared distance"),
    "neg_root_mean_squared_error": ("root_mean_squared_error", _LOSS, "Minus the root of the mean squared distance"),
    "neg_mean_absolute_percentage_error": (
        "mean_absolute_percentage_error",
        _LOSS,
        "Minus the mean distance as a share of the target",
    ),
}

_OF_ROWS = {
    "r2": "explained",
    "neg_mean_absolute_error": "minus_absolute",
    "neg_mean_squared_error": "minus_squared",
    "neg_root_mean_squared_error": "minus_root_mean_squared",
}

REGRESSION = [
    Metric(
        name=name,
        tasks=("regression",),
        range=limits,
        compute=Scorer(name, function, sign=-1.0 if name.startswith("neg_") else 1.0),
        needs="labels",
        row_values=_VALUES + _OF_ROWS[name] if name in _OF_ROWS else None,
        summary=summary,
        greater_is_better=True,
    )
    for name, (function, limits, summary) in _REGRESSION.items()
]

METRICS = [*CLASSIFICATION, *REGRESSION]
