"""A fitted model and a table: what it is asked, and what it answers."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from benchkit.errors import message_of
from benchkit.fitted.columns import Column, codes, label_text, replaced

if TYPE_CHECKING:
    import numpy as np


_LONGEST = 160


def in_one_line(error: Exception) -> str:
    """Type and message of an exception; of a long message the sentences that fit, at least the beginning."""
    message = " ".join(message_of(error).split())
    if len(message) > _LONGEST:
        sentence = message[:_LONGEST].rfind(". ")
        message = message[: sentence + 1] if sentence > 0 else f"{message[: _LONGEST - 3]}..."
    return f"{type(error).__name__}: {message}"


Task = Literal["classification", "regression"]
BATCH = 20_000
"""Rows that a model is given at once: its memory stays bounded whatever is asked."""


@dataclass(frozen=True)
class Answers:
    """What the model says of some rows.

    Attributes
    ----------
    predictions : ndarray of shape (n_rows,)
        Positions among the classes (-1 for a label that is none), or numbers.
    scores : ndarray of shape (n_rows, n_classes) or None
        Probabilities or decision values, where the model has them.
    """

    predictions: np.ndarray
    scores: np.ndarray | None


@dataclass(frozen=True)
class FittedModel:
    """A fitted model, and rows of a table that it is asked about.

    Attributes
    ----------
    model : object
        With ``predict``, or a function.
    columns : sequence of Column
        As the model takes them, in its order.
    as_array : bool
        Whether it takes an array in place of a table with names.
    task : {"classification", "regression"}
    classes : tuple of str
        Of a classifier, in the order of its scores.
    truth : ndarray of shape (n_rows,)
        Positions among the classes, or numbers.
    how : {"predict_proba", "decision_function", "predict", "probabilities", "call"}
        What is asked for scores, or for predictions where there are none.
    decided_by_scores : bool
        Whether the largest score always is the prediction, so that one question answers both.
    renamed : mapping of str to str
        What the model's labels are called in the file, where it numbers them.
    """

    model: Any
    columns: Sequence[Column]
    as_array: bool
    task: Task
    truth: np.ndarray
    classes: tuple[str, ...] = ()
    how: str = "predict"
    decided_by_scores: bool = False
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def has_probabilities(self) -> bool:
        """Whether scores are probabilities."""
        return self.how in ("predict_proba", "probabilities")

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.truth)

    def rows(self, chosen: np.ndarray) -> Self:
        """The same model on some of the rows."""
        columns = [
            Column(each.name, each.values.iloc[chosen].reset_index(drop=True), each.kind) for each in self.columns
        ]
        return replace(self, columns=columns, truth=self.truth[chosen])

    def table(self, rows: np.ndarray, changed: dict[int, tuple[np.ndarray, Any]]) -> Any:
        """Rows as the model takes them, with other values in some columns.

        Parameters
        ----------
        rows : ndarray of int
        changed : mapping of column to (mask, values)
            As `benchkit.fitted.columns.replaced` takes them.
        """
        import numpy as np
        import pandas as pd

        made = {}
        for place, column in enumerate(self.columns):
            values = column.values.iloc[rows]
            made[column.name] = values.array if place not in changed else replaced(values, *changed[place])
        if not self.as_array:
            return pd.DataFrame(made, copy=False)
        return np.column_stack([np.asarray(each) for each in made.values()])

    def answers(self, table: Any) -> Answers:
        """What the model says of a table; whatever it raises is raised.

        Raises
        ------
        ValueError
            It answers with something that is no answer: NaN, or another number of rows.
        """
        # What a model warns of while columns are taken from it is not the reader's business: it is in the findings.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._answers(table)

    def _answers(self, table: Any) -> Answers:
        import numpy as np

        n = len(table)
        if self.task == "regression":
            predict = self.model if self.how == "call" else self.model.predict
            values = np.asarray(predict(table), dtype=float)
            if values.size != n:
                raise ValueError(f"it answers {values.size} numbers to {n} rows")
            if not np.isfinite(values).all():
                raise ValueError("it answers NaN or infinity")
            return Answers(values.ravel(), None)
        scores = None
        if self.how != "predict" and self.how != "call":
            ask = self.model if self.how == "probabilities" else getattr(self.model, self.how)
            scores = np.asarray(ask(table), dtype=float)
            if scores.ndim == 1 or scores.shape[1] == 1:
                score = scores.reshape(-1)
                scores = np.column_stack([-score, score] if self.how == "decision_function" else [1 - score, score])
            if len(scores) != n:
                raise ValueError(f"it answers {len(scores)} rows of scores to {n} rows")
            if not np.isfinite(scores).all():
                raise ValueError("it answers NaN or infinity")
            if self.decided_by_scores:
                return Answers(scores.argmax(axis=1), scores)
        predict = self.model if self.how == "call" else self.model.predict
        labels = np.asarray(predict(table))
        if labels.size != n:
            raise ValueError(f"it answers {labels.size} labels to {n} rows")
        return Answers(codes(self._named(labels), self.classes), scores)

    def _named(self, labels: np.ndarray) -> Any:
        if not self.renamed:
            return labels
        names = dict(self.renamed)
        return [names.get(label_text(each), "") for each in labels.ravel()]
