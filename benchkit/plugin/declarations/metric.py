"""Metrics, and what they are given."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from benchkit.plugin.declarations.dataset import Features
from benchkit.plugin.declarations.declaration import Declaration, NotApplicableError, Task

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricContext:
    """What a metric is given.

    Attributes
    ----------
    model : object
        The fitted estimator.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The test part as the model saw it, after preprocessing and corruption.
    y : ndarray of shape (n_samples,)
        True labels (of two classes -1 and 1, of more those of the data) or targets.
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
    budget_unit : str, default="value"
        What it counts (see `Adversary`).
    feature_values : ndarray of shape (n_features,) or None
    groups : sequence of sequences of int, default=()
        The dataset's: columns that are one feature.
    seconds : mapping
        Wall seconds of ``load``, ``fit``, ``tune`` and ``corrupt`` (the test part); empty while candidates are judged.
    columns : mapping of str to ndarray of shape (n_samples,)
        Raw columns of the data that the metric declares, by name, where it is computed from a run's kept rows.
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
    budget_unit: str = "value"
    feature_values: np.ndarray | None = None
    groups: Sequence[Sequence[int]] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def features(self) -> Features:
        """Which columns of X are one feature; made anew each time it is asked for."""
        return Features(self.X.shape[1], self.groups)

    @property
    def prices(self) -> np.ndarray | None:
        """What each column takes of the budget, shape (n_features,); None is 1 for each.

        Raises
        ------
        NotApplicableError
            The budget is no amount of features, such as a fraction of rows.
        """
        import numpy as np

        if self.budget_unit == "value":
            return self.feature_values
        if self.budget_unit != "features":
            raise NotApplicableError(f"the budget is no amount of features: its unit is {self.budget_unit}")
        features = self.features
        return None if features.plain else features.share(np.ones(features.n_features))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Metric(Declaration):
    """A number from a fitted model, its predictions and the truth.

    Parameters
    ----------
    compute : str or callable
        Takes a `MetricContext`, returns a float; raises `NotApplicableError` where it has no meaning for a model or for
        the labels, whereupon reports show a dash and say why.
    greater_is_better : bool, default=False
    worsens_with_attack : bool, default=False
        Whether an attack that can do no less than another can never leave this metric better: reports check that.
    tasks : sequence of {"classification", "regression"}, default=("classification",)
    range : tuple of float, default=(-inf, inf)
        Least and greatest value that it can have; reports end intervals there.
    share : str, default=""
        For a share of rows, what a model is of them, such as ``wrong on``: answers then give a percentage.
    measures_time : bool, default=False
        Whether it measures seconds, which are others each time: `benchkit verify` does not compare it.
    needs : {"model", "scores", "labels", "losses"}, default="model"
        What of a `MetricContext` it reads, so that it can be computed afterwards from what a run has kept of its rows:
        ``y``, ``predictions`` and the model's scores (``scores``); ``y`` and ``predictions`` (``labels``); of these
        whether a prediction is right, or how far it is off (``losses``); or anything (``model``: never afterwards).
    row_values : str or callable or None, default=None
        Takes a `MetricContext`, returns a value for each row, shape (n_samples,), whose mean is the metric, or its
        linearisation: intervals for new rows are made of them.
    columns : sequence of str, default=()
        Raw columns of the data that it reads from ``MetricContext.columns``, such as an amount. It is computed from
        kept rows (``benchkit report RUN --metrics NAME``), and a suite may not name it.
    """

    _code = ("compute", "row_values")
    _choices: ClassVar = {"needs": ("model", "scores", "labels", "losses")}
    # The names of scikit-learn's scorers, too.
    _patterns: ClassVar = {"name": (re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*"), "lower-case words joined by hyphens")}

    compute: Any
    greater_is_better: bool = False
    worsens_with_attack: bool = False
    tasks: Sequence[Task] = ("classification",)
    range: tuple[float, float] = (-math.inf, math.inf)
    measures_time: bool = False
    needs: Literal["model", "scores", "labels", "losses"] = "model"
    row_values: Any = None
    columns: Sequence[str] = ()
    share: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.range[0] < self.range[1]:
            raise ValueError(f"metric {self.name!r} has the range {self.range}: the lower end comes first")
        if isinstance(self.columns, str) or (self.columns and self.needs == "model"):
            needs = "a sequence of names, with what it `needs` of kept rows, which alone have columns"
            raise ValueError(f"metric {self.name!r}: columns is {self.columns!r}, expected {needs}")
