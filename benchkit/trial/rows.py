"""What became of each test row: what was predicted, with which scores, and which features the adversary changed."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from benchkit.plugin.declarations import Data, MetricContext
from benchkit.suite.schema import KeptRows

_MOST_NAMES = 5000  # columns of which names are kept


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

    @property
    def named_classes(self) -> tuple[Any, ...]:
        """The labels as the source calls them; none of a regression."""
        classes = self.classes or ()
        return self.class_names if len(self.class_names) == len(classes) else classes

    @cached_property
    def in_order(self) -> tuple[np.ndarray | None, np.ndarray, np.ndarray | None]:
        """What sorts the rows by number, None where they lie so already; then their numbers, and their groups."""
        if not (self.rows[1:] < self.rows[:-1]).any():
            return None, self.rows, self.groups
        order = self.rows.argsort(kind="stable")
        return order, self.rows[order], None if self.groups is None else self.groups[order]


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


def outcomes_of(
    judged: MetricContext,
    rows: np.ndarray,
    attacked: bool,
    keep: KeptRows,
    data: Data | None = None,
    groups: np.ndarray | None = None,
) -> RowOutcomes | None:
    """What is kept of the rows that a model was judged on, given their numbers in the data set, and their groups.

    ``attacked`` says whether an adversary may have changed the test part; names of classes and features are ``data``'s.
    """
    if keep == "none":
        return None
    from scipy.sparse import issparse  # whoever reads rows needs neither
    from sklearn.base import is_classifier

    predictions, truth, classes, class_names = judged.predictions, np.asarray(judged.y), None, ()
    if is_classifier(judged.model):
        labels = np.unique(np.concatenate([truth, predictions, *([] if judged.y_train is None else [judged.y_train])]))
        classes = tuple(labels.tolist())
        truth, predictions = (np.searchsorted(labels, values).astype(np.int32) for values in (truth, predictions))
        loss: np.ndarray = truth != predictions
    else:
        predictions = np.asarray(predictions, dtype=float)
        loss = np.square(predictions - truth).astype(np.float32)
    if data is not None and classes is not None and data.class_names:  # the source has other names
        names = dict(zip(np.unique(data.y).tolist(), map(str, data.class_names), strict=False))
        class_names = tuple(names.get(label, str(label)) for label in classes)
    features: list[str] = []
    if data is not None and keep == "scores" and data.X.shape[1] <= _MOST_NAMES:
        unnamed = [f"column {column}" for column in range(data.X.shape[1])] if len(data.group_names) else []
        features = [*map(str, data.feature_names)] or unnamed
        for group, name in zip(data.groups, data.group_names, strict=False):
            for column in group:
                features[column] = str(name)
    groups = None if groups is None else groups.astype(np.int32)
    part = TestPart(rows.astype(np.int32), truth, classes, groups, class_names, tuple(features))
    if keep != "scores":
        return RowOutcomes(part, loss, predictions if keep == "labels" else None)
    changed = None
    if attacked and judged.uncorrupted is not None and not (issparse(judged.X) or issparse(judged.uncorrupted)):
        X, before = np.asarray(judged.X), np.asarray(judged.uncorrupted)
        changed = (before != X) & ~(np.isnan(X) & np.isnan(before))
    answers: dict[str, np.ndarray] = {}  # not of a model that has no such method, or where that refuses
    for method in ("decision_function", "predict_proba") if classes is not None else ():
        with suppress(Exception):  # a metric that asks for it says what is wrong; none may have asked
            values = np.asarray(getattr(judged.model, method)(judged.X), dtype=float)
            answers |= {method: values} if values.ndim in (1, 2) and len(values) == len(judged.y) else {}
    order = None if classes is None else getattr(judged.model, "classes_", None)
    order = None if order is None else tuple(np.asarray(order).tolist())
    decision, probabilities = answers.get("decision_function"), answers.get("predict_proba")
    return RowOutcomes(part, loss, predictions, decision, probabilities, order, changed)


def stored_context(outcomes: RowOutcomes) -> MetricContext:
    """What a metric of rows is given when only outcomes are left of a trial.

    The model in it answers with what was kept, whatever it is asked about. Where losses alone were kept, predictions
    are some that have these losses.
    """
    part = outcomes.part
    truth, predictions = part.truth, outcomes.predictions
    if part.classes is not None:
        labels = np.asarray(part.classes)
        if predictions is None:  # a further class
            predictions = np.where(outcomes.loss, (truth + 1) % len(labels), truth)
        truth, predictions = labels[truth], labels[predictions]
    elif predictions is None:  # a target that is too high
        predictions = np.asarray(truth + np.sqrt(outcomes.loss.astype(float)))
    model: Any = type("Model", (), {})()  # messages of metrics call it by this name
    if outcomes.model_classes is not None:
        model.classes_ = np.asarray(outcomes.model_classes)
    for name, answers in (("decision_function", outcomes.decision), ("predict_proba", outcomes.probabilities)):
        if answers is not None:
            setattr(model, name, lambda X, answers=answers: answers)
    return MetricContext(model=model, X=np.empty((len(truth), 0)), y=truth, predictions=predictions, truth={})
