"""The model under audit with the hold-out that it answers: what it is asked, and what its answers cost."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from benchkit.auditing.columns import Column, Source, codes, label_text, replaced
from benchkit.errors import message_of

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
# Rows that the model is given at once: its memory stays bounded whatever is asked.
BATCH = 20_000


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
class Subject:
    """A fitted model, and the rows it is judged on.

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
    loss : {"error", "absolute", "squared"}
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
    loss: str = "error"
    how: str = "predict"
    decided_by_scores: bool = False
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def shares(self) -> bool:
        """Whether losses are 0 or 1."""
        return self.task == "classification"

    @property
    def has_probabilities(self) -> bool:
        """Whether scores are probabilities."""
        return self.how in ("predict_proba", "probabilities")

    @property
    def n_rows(self) -> int:
        """Rows of the hold-out."""
        return len(self.truth)

    def rows(self, chosen: np.ndarray) -> Subject:
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
            As `benchkit.auditing.columns.replaced` takes them.
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

    def losses(self, predictions: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """What predictions for some rows cost, per row.

        Parameters
        ----------
        predictions : ndarray of shape (n_rows,)
        rows : ndarray of int, shape (n_rows,)
        """
        import numpy as np

        truth = self.truth[rows]
        if self.task == "classification":
            return np.asarray(predictions != truth, dtype=float)
        return np.abs(predictions - truth) if self.loss == "absolute" else np.asarray((predictions - truth) ** 2)

    def sureness(self, answers: Answers) -> np.ndarray | None:
        """The largest probability in each row; None where there are none."""
        return answers.scores.max(axis=1) if self.has_probabilities and answers.scores is not None else None

    @cached_property
    def constant(self) -> tuple[str, float]:
        """The answer that is best where no column is looked at: in words, and as a prediction."""
        import numpy as np

        if self.task == "classification":
            place = int(np.bincount(self.truth[self.truth >= 0], minlength=len(self.classes)).argmax())
            return repr(self.classes[place]), float(place)
        value = float(np.median(self.truth) if self.loss == "absolute" else np.mean(self.truth))
        return f"{value:.4g}", value


class Queries:
    """Asks the model about rows with sources lost.

    Parameters
    ----------
    subject : Subject
    sources : sequence of Source
    fills : mapping of column to value
        What a lost column becomes.
    asked : callable, optional
        Called after every batch; may raise to stop.
    """

    def __init__(
        self,
        subject: Subject,
        sources: Sequence[Source],
        fills: dict[int, Any],
        asked: Callable[[], None] | None = None,
    ) -> None:
        self.subject, self.sources, self.fills = subject, sources, fills
        self.asked = asked

    def answers(self, rows: np.ndarray, lost: np.ndarray | None = None) -> Answers:
        """What the model says of rows, which may repeat.

        Parameters
        ----------
        rows : ndarray of int, shape (n_rows,)
        lost : ndarray of bool, shape (n_rows, n_sources) or (n_sources,), optional
            Which sources each row, or every row, has lost.
        """
        import numpy as np

        if lost is not None and lost.ndim == 1:
            lost = np.broadcast_to(lost, (len(rows), len(lost)))
        parts = []
        for start in range(0, len(rows), BATCH):
            part = slice(start, start + BATCH)
            parts.append(self.subject.answers(self.table(rows[part], None if lost is None else lost[part])))
            if self.asked is not None:
                self.asked()
        if len(parts) == 1:
            return parts[0]
        scores = [each.scores for each in parts if each.scores is not None]
        return Answers(np.concatenate([each.predictions for each in parts]), np.concatenate(scores) if scores else None)

    def losses(self, rows: np.ndarray, lost: np.ndarray | None = None) -> np.ndarray:
        """What the answers cost, per row; parameters as of `answers`."""
        return self.lose(rows, lost)[0]

    def lose(self, rows: np.ndarray, lost: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
        """What the answers cost, and their probabilities (None where there are none), per row."""
        answers = self.answers(rows, lost)
        return self.subject.losses(answers.predictions, rows), self.subject.sureness(answers)

    def mask(self, places: Iterable[int]) -> np.ndarray:
        """Which sources are lost, of shape (n_sources,), by their places."""
        import numpy as np

        lost = np.zeros(len(self.sources), dtype=bool)
        lost[list(places)] = True
        return lost

    def losses_of_sets(self, rows: np.ndarray, sets: Sequence[Sequence[int]]) -> np.ndarray:
        """The mean loss over rows after each of some sets of sources is lost.

        Parameters
        ----------
        rows : ndarray of int, shape (n_rows,)
        sets : sequence of sequences of int

        Returns
        -------
        ndarray of shape (n_sets,)
        """
        import numpy as np

        at_once = max(1, BATCH // max(1, len(rows)))
        found: list[float] = []
        for start in range(0, len(sets), at_once):
            some = sets[start : start + at_once]
            lost = np.array([self.mask(places) for places in some])
            losses = self.losses(np.tile(rows, len(some)), np.repeat(lost, len(rows), axis=0))
            found += losses.reshape(len(some), len(rows)).mean(axis=1).tolist()
        return np.array(found)

    def table(self, rows: np.ndarray, lost: np.ndarray | None) -> Any:
        """Rows as the model takes them, with what they have lost filled; ``lost`` of shape (n_rows, n_sources)."""
        changed: dict[int, tuple[np.ndarray, Any]] = {}
        if lost is not None:
            for place, source in enumerate(self.sources):
                mask = lost[:, place]
                if mask.any():
                    changed |= {column: (mask, self.fills[column]) for column in source.columns}
        return self.subject.table(rows, changed)
