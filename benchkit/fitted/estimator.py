"""A model that was fitted elsewhere, as an estimator of a suite: ``fit`` reads it, and changes nothing of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from benchkit.errors import RequestError
from benchkit.fitted.columns import as_categories, make_column
from benchkit.fitted.match import as_frame, match_model
from benchkit.fitted.model import Answers
from benchkit.fitted.read import read_model
from benchkit.plugin.declarations import Data, Task


@dataclass(frozen=True)
class TableColumns:
    """What turns encoded rows into those of the table that they are from."""

    task: Task
    names: Sequence[str]  # of the table's columns; empty where the data has no names
    members: Sequence[Sequence[int]]  # the data's columns of each of them
    texts: Sequence[Sequence[str] | None]  # what each of these stands for, of categories; None of numbers
    classes: Sequence[Any] = ()  # the data's labels, sorted; empty where numbers are predicted
    class_names: Sequence[str] = ()  # what the table calls them

    @classmethod
    def of(cls, data: Data, task: Task) -> TableColumns:
        """Those of a data set."""
        features, members = [str(name) for name in data.feature_names], [list(map(int, group)) for group in data.groups]
        grouped = {place for group in members for place in group}
        rest = [place for place in range(data.X.shape[1]) if place not in grouped]
        names = [str(name) for name in data.group_names or features]
        if members and features:  # columns in no group are features, too
            names += [features[place] for place in rest]
        members += [[place] for place in rest]
        texts: list[list[str] | None] = []  # of a category what follows its name in those of its columns
        for name, own in zip(names, members, strict=False):
            category = all(features[place].startswith(f"{name}=") for place in own)
            texts.append([features[place].removeprefix(f"{name}=") for place in own] if category else None)
        classes = np.unique(data.y).tolist() if task == "classification" else []
        return cls(task, names, members, texts, classes, [str(name) for name in data.class_names])

    def table(self, X: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Encoded rows, of shape (n_samples, n_columns), as the table has them.

        A category whose columns are all 0, or NaN, is missing. Where an adversary leaves fractions, as means are, the
        largest of them is the category.
        """
        if not self.names:
            return X
        made: dict[str, Any] = {}
        for name, own, texts in zip(self.names, self.members, self.texts, strict=True):
            if texts is None:
                made[name] = X[:, own[0]]
                continue
            block = np.nan_to_num(X[:, list(own)], nan=0.0)
            # A reader of tables takes these texts for truth values.
            read = [{"True": True, "False": False}.get(text, text) for text in texts]
            values = np.array(read, dtype=object)[block.argmax(axis=1)]
            made[name] = np.where(block.max(axis=1) > 0, values, None)
        return pd.DataFrame(made)

    def labels(self, y: np.ndarray) -> np.ndarray:
        """The data's labels as the table calls them."""
        if not self.class_names:
            return y
        return np.asarray(self.class_names, dtype=object)[np.searchsorted(np.asarray(self.classes), y)]


def _answers_by(*ways: str) -> Any:
    return available_if(lambda self: not hasattr(self, "matched_") or self.how_ in ways)


class FittedEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The model of a file, which is asked about the table's own columns, with its own labels.

    Parameters
    ----------
    path : str
        Of skops, joblib or pickle.
    table : TableColumns
        What the columns of the data stand for.
    trust : bool, default=False
        Whether the file may be read though that executes whatever it says.

    Attributes
    ----------
    matched_ : FittedModel
        The model, matched with the columns of the table.
    how_ : str
        What it is asked, as of `FittedModel`.
    classes_ : ndarray of shape (n_classes,)
        The data's labels, sorted, where classes are predicted.
    """

    def __init__(self, path: str, table: TableColumns, trust: bool = False) -> None:
        self.path = path
        self.table = table
        self.trust = trust

    def fit(self, X: np.ndarray, y: np.ndarray) -> FittedEstimator:
        """Read the model, and match it with the rows of the training part, which it does not learn from."""
        model = read_model(self.path, self.trust).model
        classify = self.table.task == "classification"
        labels = self.table.labels(y) if classify else y
        try:
            self.matched_ = match_model(model, self.table.table(X), labels, task=self.table.task).model
        except RequestError as error:
            raise ValueError(f"{self.path}: {str(error).replace('the hold-out', 'the data')}") from None
        self.how_ = self.matched_.how
        if classify:
            own = self.matched_.classes
            names = [*map(str, self.table.class_names or self.table.classes)]
            if strange := [name for name in own if name not in names]:
                raise ValueError(f"{self.path}: the model knows the class {strange[0]!r}, the data has {names[:5]}")
            # Of each class of the model the place among those of the data.
            self.places_ = np.array([names.index(name) for name in own])
            scores = self.matched_.answers(self.matched_.table(np.arange(1), {})).scores
            if scores is not None and scores.shape[1] < len(own):  # it lacks a class: asked for predictions alone
                self.how_ = "predict"
            self.classes_ = np.asarray(self.table.classes)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Labels of the data, or numbers, of shape (n_samples,)."""
        answers = self._answers(X)
        if self.matched_.task == "regression":
            return answers.predictions
        if (answers.predictions < 0).any():
            raise ValueError(f"{self.path}: the model answers a label that the data does not have")
        labels: np.ndarray = self.classes_[self.places_[answers.predictions]]
        return labels

    @_answers_by("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities in the order of ``classes_``; 0 for a class that the model does not know."""
        return self._scores(X)

    @_answers_by("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Scores in the order of ``classes_``; of two classes those of the second."""
        scores = self._scores(X)
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def _scores(self, X: np.ndarray) -> np.ndarray:
        own = self._answers(X).scores
        assert own is not None
        lacking = 0.0 if self.matched_.how == "predict_proba" else -np.inf
        scores = np.full((len(own), len(self.classes_)), lacking)
        scores[:, self.places_] = own
        return scores

    def _answers(self, X: np.ndarray) -> Answers:
        frame = as_frame(self.table.table(X))
        columns = []
        for matched in self.matched_.columns:
            column = make_column(matched.name, frame[matched.name])
            if matched.values.dtype == "category":  # as the model asked for it
                column = as_categories(column, list(matched.values.cat.categories))
            columns.append(column)
        asked = replace(self.matched_, columns=columns)
        return asked.answers(asked.table(np.arange(len(frame)), {}))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if self.table.task == "classification" else "regressor"
        tags.input_tags.allow_nan = True
        return tags
