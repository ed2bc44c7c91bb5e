"""The model under audit with the hold-out that it answers: what it is asked, and what its answers cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchkit import RequestError
from benchkit.fitted.match import match_model
from benchkit.fitted.model import BATCH, Answers, FittedModel, Task
from benchkit_audit.inputs import Source

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Subject(FittedModel):
    """A fitted model, and the rows it is judged on."""

    loss: str = "error"  # {"error", "absolute", "squared"}

    @property
    def shares(self) -> bool:
        """Whether losses are 0 or 1."""
        return self.task == "classification"

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


LOSSES = ("absolute", "squared")


def make_subject(
    model: Any,
    X: Any,
    y: Any,
    *,
    task: Task | None = None,
    loss: str = "absolute",
    classes: Sequence[Any] | None = None,
) -> tuple[Subject, list[str]]:
    """A model matched with its hold-out, and what was done to that on the way.

    Parameters
    ----------
    model, X, y, task, classes
        As of `benchkit.fitted.match.match_model`.
    loss : {"absolute", "squared"}, default="absolute"
        Of a regression.
    """
    if loss not in LOSSES:
        raise RequestError(f"loss is {loss!r}, expected absolute or squared")
    matched = match_model(model, X, y, task=task, classes=classes)
    own_loss = "error" if matched.model.task == "classification" else loss
    return Subject(**vars(matched.model), loss=own_loss), matched.notes


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

    def losses_of_sets(self, rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The mean loss over rows after each of some sets of sources is lost: shape (n_sets,).

        Parameters
        ----------
        rows : ndarray of int, shape (n_rows,)
        masks : ndarray of bool, shape (n_sets, n_sources)
        """
        import numpy as np

        losses = []
        step = max(1, BATCH // max(1, len(rows)))
        for start in range(0, len(masks), step):
            some = masks[start : start + step]
            of_some = self.losses(np.tile(rows, len(some)), np.repeat(some, len(rows), axis=0))
            losses.append(of_some.reshape(len(some), len(rows)).mean(axis=1))
        return np.concatenate(losses)

    def table(self, rows: np.ndarray, lost: np.ndarray | None) -> Any:
        """Rows as the model takes them, with what they have lost filled; ``lost`` of shape (n_rows, n_sources)."""
        changed: dict[int, tuple[np.ndarray, Any]] = {}
        if lost is not None:
            for place, source in enumerate(self.sources):
                mask = lost[:, place]
                if mask.any():
                    changed |= {column: (mask, self.fills[column]) for column in source.columns}
        return self.subject.table(rows, changed)
