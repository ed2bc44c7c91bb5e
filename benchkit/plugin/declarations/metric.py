"""Metrics, and what they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchkit.plugin.declarations.deferred import defer
from benchkit.plugin.declarations.words import Task, check_name

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What a metric is given.

    Attributes
    ----------
    model : object
        The fitted estimator.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The test part as the model saw it, after preprocessing and corruption.
    y : ndarray of shape (n_samples,)
        True labels or targets.
    predictions : ndarray of shape (n_samples,)
    truth : mapping
        The dataset's truth joined with the adversary's.
    uncorrupted : ndarray or CSR matrix of shape (n_samples, n_features) or None
        The test part before the adversary, preprocessed.
    X_train : ndarray or CSR matrix of shape (n_train, n_features) or None
    y_train : ndarray of shape (n_train,) or None
        The training part as the model saw it: after an adversary of phase ``train``, preprocessed.
    budget : float
        The adversary's, as an amount; 0 without one.
    feature_values : ndarray of shape (n_features,) or None
    seconds : mapping
        Wall seconds of ``load``, ``fit``, ``tune`` and ``corrupt`` (the test part); empty while candidates are judged.
    """

    model: Any
    X: Any
    y: np.ndarray
    predictions: np.ndarray
    truth: Mapping[str, Any]
    uncorrupted: Any = None
    X_train: Any = None
    y_train: np.ndarray | None = None
    budget: float = 0.0
    feature_values: np.ndarray | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number from a fitted model, its predictions and the truth.

    Parameters
    ----------
    name, summary, reference, formula : str
        As for `Algorithm`.
    compute : str or callable
        Takes an `Evaluation`, returns a float.
    greater_is_better : bool, default=False
    worsens_with_attack : bool, default=False
        Whether an attack that can do no less than another can never leave this metric better: such metrics are audited.
    tasks : sequence of {"classification", "regression"}, default=("classification",)
    """

    name: str
    compute: Any
    summary: str = ""
    greater_is_better: bool = False
    worsens_with_attack: bool = False
    tasks: Sequence[Task] = ("classification",)
    reference: str = ""
    formula: str = ""

    def __post_init__(self) -> None:
        check_name(self)
        defer(self, "compute")
