"""Why a method or an adversary does not take some data: told before a run, and by the trials that it would fail in."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchkit.plugin.declarations import Adversary, Algorithm, Task

_HOLDS = {"classification": "classes", "regression": "numbers"}


@dataclass(frozen=True)
class DataKind:
    """What of data decides who takes it.

    Attributes
    ----------
    task : {"classification", "regression"}
    is_sparse, has_gaps : bool
    n_classes : int
        0 where numbers are predicted.
    """

    task: Task
    is_sparse: bool = False
    has_gaps: bool = False
    n_classes: int = 0


def kind_of(X: Any, y: np.ndarray, task: Task, imputed: bool = False) -> DataKind:
    """The kind of data.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    task : {"classification", "regression"}
    imputed : bool, default=False
        Whether its gaps are filled before a method sees it.
    """
    if _seen.is_of(X, y, task, imputed):
        return _seen.kind
    from scipy import sparse  # a plan mostly knows what its data is like

    is_sparse = sparse.issparse(X)
    entries = X.data if is_sparse else X
    has_gaps = not imputed and entries.dtype.kind == "f" and bool(np.isnan(entries).any())
    kind = DataKind(task, is_sparse, has_gaps, len(np.unique(y)) if task == "classification" else 0)
    _seen.note(X, y, imputed, kind)
    return kind


class _Seen:
    """The kind of the data that was asked for last: trials of a repetition have the same objects, one after another."""

    def __init__(self) -> None:
        self._X: Callable[[], Any] = lambda: None
        self._y: Callable[[], Any] = lambda: None
        self._imputed = False
        self.kind = DataKind("classification")

    def is_of(self, X: Any, y: np.ndarray, task: Task, imputed: bool) -> bool:
        return self._X() is X and self._y() is y and (self.kind.task, self._imputed) == (task, imputed)

    def note(self, X: Any, y: np.ndarray, imputed: bool, kind: DataKind) -> None:
        self._X, self._y, self._imputed, self.kind = weakref.ref(X), weakref.ref(y), imputed, kind


_seen = _Seen()


def of_algorithm(algorithm: Algorithm, data: DataKind, takes_many_classes: bool = True) -> str:
    """Why a method does not take data, with the remedy; empty where nothing is known against it."""
    if data.task not in algorithm.tasks:
        return f"does not predict {_HOLDS[data.task]}, which the data holds: choose another method, or other data"
    if data.is_sparse and not algorithm.accepts_sparse:
        return "does not support sparse data: choose another method, or other data"
    if data.has_gaps and not algorithm.accepts_missing:
        return "does not support missing values: add {impute: mean} to 'preprocess'"
    if data.n_classes > 2 and not takes_many_classes:
        return (
            f"supports two classes, the data has {data.n_classes}: choose a method of many, such as one-versus-rest, "
            "or two classes of the data"
        )
    return ""


def of_adversary(adversary: Adversary, task: Task) -> str:
    """Why an adversary does not attack data of a task, with the remedy; empty where it does."""
    if task in adversary.tasks:
        return ""
    return f"does not attack {_HOLDS[task]}, which the data holds: choose another adversary, or other data"


def takes_many_classes(algorithm: Algorithm, params: Mapping[str, Any]) -> bool:
    """What the estimator's tags say; True where it cannot be asked here, or has none."""
    from sklearn.utils import get_tags

    try:
        tags = get_tags(algorithm.make(**params)).classifier_tags
    except Exception:  # its own code, made without what only a trial has: the trial will tell
        return True
    return tags is None or bool(tags.multi_class)
