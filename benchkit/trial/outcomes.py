"""What became of each test row: what was predicted, with which scores, and which features the adversary changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchkit.plugin.declarations import MetricContext


@dataclass(frozen=True)
class TestPart:
    """The test rows of a repetition, which all methods share.

    Attributes
    ----------
    rows : ndarray of int of shape (n_test,)
        Their numbers in the data set.
    truth : ndarray of shape (n_test,)
        Places among ``classes``, or targets.
    classes : tuple or None
        The labels of a classification, in order; None for a regression.
    groups : ndarray of int of shape (n_test,) or None
        The group of each row, where whole groups are drawn.
    class_names : tuple of str, default=()
        What the source calls these classes, where it has other names.
    features : tuple of str, default=()
        The name of the feature that each column belongs to, a group's for all its columns, where they have names.
    """

    __test__ = False  # to pytest

    rows: np.ndarray
    truth: np.ndarray
    classes: tuple[Any, ...] | None
    groups: np.ndarray | None = None
    class_names: tuple[str, ...] = ()
    features: tuple[str, ...] = ()

    @cached_property
    def order(self) -> np.ndarray | None:
        """Places of the rows in the order of their numbers; None where they lie so already."""
        return self.rows.argsort(kind="stable") if (self.rows[1:] < self.rows[:-1]).any() else None

    @cached_property
    def rows_in_order(self) -> np.ndarray:
        """Their numbers, ascending."""
        return self.rows if self.order is None else self.rows[self.order]

    @cached_property
    def groups_in_order(self) -> np.ndarray | None:
        """The group of each of `rows_in_order`."""
        return self.groups if self.groups is None or self.order is None else self.groups[self.order]


@dataclass(frozen=True)
class RowOutcomes:
    """What a model made of the test rows.

    Attributes
    ----------
    part : TestPart
    loss : ndarray of shape (n_test,)
        Whether the prediction is wrong (bool), or its squared distance from the target (float32).
    predictions : ndarray of shape (n_test,) or None
        Places among the part's classes, or predicted targets; None where these are not kept.
    decision, probabilities : ndarray of shape (n_test,) or (n_test, n_outputs), or None
        What the model's ``decision_function`` and ``predict_proba`` gave.
    model_classes : tuple or None
        The classes in the order of the model's columns, where it tells them.
    changed : ndarray of bool of shape (n_test, n_columns) or None
        Which values the adversary changed.
    """

    part: TestPart
    loss: np.ndarray
    predictions: np.ndarray | None = None
    decision: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    model_classes: tuple[Any, ...] | None = None
    changed: np.ndarray | None = None


class Model(SimpleNamespace):
    """What stands for a model of which only its answers are left; messages of metrics call it by this name."""


def stored_context(outcomes: RowOutcomes) -> MetricContext:
    """What a metric of rows is given when only outcomes are left of a trial.

    The model in it answers with what was kept, whatever it is asked about. Where losses alone were kept, predictions
    are some that have these losses.
    """
    part = outcomes.part
    truth, predictions = part.truth, outcomes.predictions
    if predictions is None:
        predictions = _with_losses(part, outcomes.loss)
    if part.classes is not None:
        labels = np.asarray(part.classes)
        truth, predictions = labels[truth], labels[predictions]
    model = Model()
    if outcomes.model_classes is not None:
        model.classes_ = np.asarray(outcomes.model_classes)
    for name, kept in (("decision_function", outcomes.decision), ("predict_proba", outcomes.probabilities)):
        if kept is not None:
            setattr(model, name, _Said(kept))
    return MetricContext(model=model, X=np.empty((len(truth), 0)), y=truth, predictions=predictions, truth={})


def _with_losses(part: TestPart, loss: np.ndarray) -> np.ndarray:
    """Predictions that have these losses: a further class, or a target that is too high."""
    if part.classes is None:
        return np.asarray(part.truth + np.sqrt(loss.astype(float)))
    return np.where(loss, (part.truth + 1) % len(part.classes), part.truth)


@dataclass(frozen=True)
class _Said:
    """A method of a model of which only its answers on the test part are left."""

    answers: np.ndarray

    def __call__(self, X: Any) -> np.ndarray:
        return self.answers
