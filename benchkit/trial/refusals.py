"""Why a method or an adversary does not take some data: told before a run, and by the trials that it would fail in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.plugin.declarations import Adversary, Algorithm, Task

if TYPE_CHECKING:
    import numpy as np

HOLDS = {"classification": "classes", "regression": "numbers"}


@dataclass(frozen=True)
class DataKind:
    """What of data decides who takes it; there are no classes where numbers are predicted."""

    task: Task
    is_sparse: bool = False
    has_gaps: bool = False
    n_classes: int = 0


def kind_of(X: Any, y: np.ndarray, task: Task) -> DataKind:
    """The kind of data, of shape (n_samples, n_features) and (n_samples,)."""
    import numpy as np  # a plan mostly knows what its data is like
    from scipy import sparse

    is_sparse = sparse.issparse(X)
    entries = X.data if is_sparse else X
    has_gaps = entries.dtype.kind == "f" and bool(np.isnan(entries).any())
    return DataKind(task, is_sparse, has_gaps, len(np.unique(y)) if task == "classification" else 0)


def of_algorithm(algorithm: Algorithm, data: DataKind, takes_many_classes: bool = True) -> str:
    """Why a method does not take data, with the remedy; empty where nothing is known against it."""
    if data.task not in algorithm.tasks:
        return f"does not predict {HOLDS[data.task]}, which the data holds: choose another method, or other data"
    if data.is_sparse and not algorithm.accepts_sparse:
        return "does not support sparse data: choose another method, or other data"
    if data.has_gaps and not algorithm.accepts_missing:
        return "does not support missing values: add {impute: mean} to 'preprocess'"
    if data.n_classes > 2 and not takes_many_classes:
        return f"supports two classes, the data has {data.n_classes}: choose a method of many, such as one-versus-rest"
    return ""


def of_adversary(adversary: Adversary, task: Task) -> str:
    """Why an adversary does not attack data of a task, with the remedy; empty where it does."""
    if task in adversary.tasks:
        return ""
    return f"does not attack {HOLDS[task]}, which the data holds: choose another adversary, or other data"


def takes_many_classes(algorithm: Algorithm, params: Mapping[str, Any]) -> bool:
    """What the estimator's tags say; True where it cannot be asked here, or has none."""
    from sklearn.utils import get_tags

    try:
        tags = get_tags(algorithm.make(**params)).classifier_tags
    except Exception:  # its own code, made without what only a trial has: the trial will tell
        return True
    return tags is None or bool(tags.multi_class)
