"""What is kept of each test row, taken from a model that was just judged."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from benchkit.plugin.declarations import Data, MetricContext
from benchkit.suite.schema import KeptRows
from benchkit.trial.outcomes import RowOutcomes, TestPart

_MOST_NAMES = 5000  # columns of which names are kept


def outcomes_of(
    judged: MetricContext,
    rows: np.ndarray,
    attacked: bool,
    keep: KeptRows,
    data: Data | None = None,
    groups: np.ndarray | None = None,
) -> RowOutcomes | None:
    """What is kept of the rows that a model was judged on.

    Parameters
    ----------
    judged : MetricContext
    rows : ndarray of int of shape (n_test,)
        Their numbers in the data set.
    attacked : bool
        Whether an adversary may have changed the test part.
    keep : {"scores", "labels", "losses", "none"}
    data : Data, optional
        Where the names of classes and features are from.
    groups : ndarray of int of shape (n_test,), optional
        Of the rows, where whole groups are drawn.
    """
    if keep == "none":
        return None
    predictions, truth = judged.predictions, np.asarray(judged.y)
    classes: tuple[Any, ...] | None = None
    if is_classifier(judged.model):
        labels = np.unique(np.concatenate([truth, predictions, *([] if judged.y_train is None else [judged.y_train])]))
        classes = tuple(labels.tolist())
        truth, predictions = (np.searchsorted(labels, each).astype(np.int32) for each in (truth, predictions))
        loss: np.ndarray = truth != predictions
    else:
        predictions = np.asarray(predictions, dtype=float)
        loss = np.square(predictions - truth).astype(np.float32)
    named = () if data is None or classes is None else _class_names(data, classes)
    features = () if data is None or keep != "scores" else _feature_names(data)
    whole = None if groups is None else groups.astype(np.int32)
    part = TestPart(rows.astype(np.int32), truth, classes, whole, named, features)
    if keep == "losses":
        return RowOutcomes(part, loss)
    if keep == "labels":
        return RowOutcomes(part, loss, predictions)
    decision = _answers(judged, "decision_function") if classes is not None else None
    probabilities = _answers(judged, "predict_proba") if classes is not None else None
    known = getattr(judged.model, "classes_", None)
    return RowOutcomes(
        part,
        loss,
        predictions,
        decision,
        probabilities,
        tuple(np.asarray(known).tolist()) if known is not None and classes is not None else None,
        _changed(judged) if attacked else None,
    )


def _class_names(data: Data, classes: tuple[Any, ...]) -> tuple[str, ...]:
    """What the source calls classes; nothing where it has no other names."""
    if not data.class_names:
        return ()
    names = dict(zip(np.unique(data.y).tolist(), map(str, data.class_names), strict=False))
    return tuple(names.get(label, str(label)) for label in classes)


def _feature_names(data: Data) -> tuple[str, ...]:
    """The name of each column's feature; nothing where features have no names, or are very many."""
    n_columns = data.X.shape[1]
    if n_columns > _MOST_NAMES or not (len(data.feature_names) or len(data.group_names)):
        return ()
    names = [str(name) for name in data.feature_names] or [f"column {place}" for place in range(n_columns)]
    for group, name in zip(data.groups, data.group_names, strict=False):
        for place in group:
            names[place] = str(name)
    return tuple(names)


def _answers(judged: MetricContext, method: str) -> np.ndarray | None:
    """What a method of the model says of the rows; None where it has no such method, or that refuses."""
    ask = getattr(judged.model, method, None)
    if ask is None:
        return None
    try:
        answered = np.asarray(ask(judged.X), dtype=float)
    except Exception:  # a metric that asks for it says what is wrong; none may have asked
        return None
    return answered if answered.ndim in (1, 2) and len(answered) == len(judged.y) else None


def _changed(judged: MetricContext) -> np.ndarray | None:
    X, before = judged.X, judged.uncorrupted
    if before is None or sparse.issparse(X) or sparse.issparse(before):
        return None
    X, before = np.asarray(X), np.asarray(before)
    changed: np.ndarray = (before != X) & ~(np.isnan(X) & np.isnan(before))
    return changed
