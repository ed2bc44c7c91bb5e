"""A model that was fitted elsewhere, as an estimator of a suite: ``fit`` reads it, and changes nothing of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from benchkit.data.columns import TableColumns
from benchkit.errors import RequestError
from benchkit.fitted.columns import as_categories, make_column
from benchkit.fitted.match import as_frame, match_model
from benchkit.fitted.model import Answers
from benchkit.fitted.read import read_model

if TYPE_CHECKING:
    import numpy as np


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
        import numpy as np

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
            known = [*map(str, self.table.class_names or self.table.classes)]
            if strange := [name for name in own if name not in known]:
                raise ValueError(f"{self.path}: the model knows the class {strange[0]!r}, the data has {known[:5]}")
            # Of each class of the model the place among those of the data.
            self.places_ = np.array([known.index(name) for name in own])
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
        import numpy as np

        own = self._answers(X).scores
        assert own is not None
        lacking = 0.0 if self.matched_.how == "predict_proba" else -np.inf
        scores = np.full((len(own), len(self.classes_)), lacking)
        scores[:, self.places_] = own
        return scores

    def _answers(self, X: np.ndarray) -> Answers:
        import numpy as np

        frame = as_frame(self.table.table(X))
        columns = []
        for each in self.matched_.columns:
            column = make_column(each.name, frame[each.name])
            if each.values.dtype == "category":  # as the model asked for it
                column = as_categories(column, list(each.values.cat.categories))
            columns.append(column)
        asked = replace(self.matched_, columns=columns)
        return asked.answers(asked.table(np.arange(len(frame)), {}))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier" if self.table.task == "classification" else "regressor"
        tags.input_tags.allow_nan = True
        return tags
