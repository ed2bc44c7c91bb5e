"""A fitted model, read from a file or a module: what it is asked about a table, and what it answers."""

from __future__ import annotations

import pkgutil
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from benchkit import RequestError, read_skops
from benchkit.errors import message_of
from benchkit_audit.columns import Column, codes, label_text, replaced

_LONGEST = 160
_PICKLES = (".joblib", ".pkl", ".pickle", ".sav")
_OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
Task = Literal["classification", "regression"]
BATCH = 20_000
"""Rows that a model is given at once: its memory stays bounded whatever is asked."""


def in_one_line(error: Exception) -> str:
    """Type and message of an exception; of a long message the sentences that fit, if they are most of it."""
    message = " ".join(message_of(error).split())
    if len(message) > _LONGEST:
        sentence = message[:_LONGEST].rfind(". ")
        message = message[: sentence + 1] if sentence > _LONGEST / 2 else f"{message[: _LONGEST - 3]}..."
    return f"{type(error).__name__}: {message}"


@dataclass(frozen=True)
class Answers:
    """What the model says of some rows."""

    predictions: np.ndarray  # shape (n_rows,): positions among the classes (-1 for a label that is none), or numbers
    scores: np.ndarray | None  # shape (n_rows, n_classes): probabilities or decision values, where the model has them

    def rows(self, chosen: np.ndarray | slice) -> Answers:
        """Those to some of the rows."""
        return Answers(self.predictions[chosen], None if self.scores is None else self.scores[chosen])

    def followed_by(self, others: Answers) -> Answers:
        """These and the answers to further rows."""
        scores = None if self.scores is None or others.scores is None else np.vstack([self.scores, others.scores])
        return Answers(np.append(self.predictions, others.predictions), scores)

    def distance(self, others: Answers) -> float:
        """How far scores, as total variation distance, or predictions lie from others in the mean."""
        if self.scores is None or others.scores is None:
            return float(np.abs(others.predictions - self.predictions).mean())
        return float(np.abs(others.scores - self.scores).sum(axis=1).mean() / 2)


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
    truth : ndarray of shape (n_rows,)
        Positions among the classes, or numbers.
    classes : tuple of str
        Of a classifier, in the order of its scores.
    how : {"predict_proba", "decision_function", "predict", "probabilities", "call"}
        What is asked for scores, or for predictions where there are none.
    decided_by_scores : bool
        Whether the largest score always is the prediction, so that one question answers both.
    renamed : tuple of pairs of str
        The model's labels and what these are called in the file, where it numbers them.
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
        columns = [replace(column, values=column.values.iloc[chosen].reset_index(drop=True)) for column in self.columns]
        return replace(self, columns=columns, truth=self.truth[chosen])

    def table(self, rows: np.ndarray, changed: dict[int, tuple[np.ndarray, Any]]) -> Any:
        """Rows as the model takes them, with a mask and other values for some columns, as `replaced` takes them."""
        made = {}
        for place, column in enumerate(self.columns):
            values = column.values.iloc[rows]
            made[column.name] = values.array if place not in changed else replaced(values, *changed[place])
        if not self.as_array:
            return pd.DataFrame(made, copy=False)
        return np.column_stack([np.asarray(values) for values in made.values()])

    def ask(self, table: Any, how: str = "") -> np.ndarray:
        """What one of the model's methods, or the function, returns; without its warnings, which findings tell."""
        function = self.model if self.how in ("call", "probabilities") else getattr(self.model, how or "predict")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(function(table))

    def answers(self, table: Any) -> Answers:
        """What the model says of a table; a ValueError where that is no answer, as NaN or another number of rows."""
        scores = None
        if self.task == "classification" and self.how not in ("predict", "call"):
            scores = self.ask(table, self.how).astype(float)
            if scores.ndim == 1 or scores.shape[1] == 1:
                score = scores.reshape(-1)
                scores = np.column_stack([-score if self.how == "decision_function" else 1 - score, score])
            _check(len(scores), scores, table, "rows of scores")
            if self.decided_by_scores:
                return Answers(scores.argmax(axis=1), scores)
        answer = self.ask(table)
        if self.task == "regression":
            numbers = answer.astype(float)
            _check(numbers.size, numbers, table, "numbers")
            return Answers(numbers.ravel(), None)
        _check(answer.size, 0, table, "labels")
        names = dict(self.renamed)
        labels = [names.get(label_text(label), "") for label in answer.ravel()] if names else answer
        return Answers(codes(labels, self.classes), scores)


def _check(count: int, values: Any, table: Any, what: str) -> None:
    if count != len(table):
        raise ValueError(f"it answers {count} {what} to {len(table)} rows")
    if not np.isfinite(values).all():
        raise ValueError("it answers NaN or infinity")


def read_model(place: str, trusted: bool = False) -> tuple[Any, list[str]]:
    """The model of a file, or of ``module:object``; and a note where another version of scikit-learn stored it.

    Parameters
    ----------
    place : str
        A file of skops is read without executing anything; ``.joblib`` and ``.pkl`` are not.
    trusted : bool, default=False
        Whether reading may execute what the file says.

    Raises
    ------
    RequestError
        There is no such model, it is not trusted, or it cannot be read; one line.
    """
    from sklearn.exceptions import InconsistentVersionWarning

    path = Path(place).expanduser()
    if _OBJECT.fullmatch(place) and not path.exists():
        return _of_module(place), []
    if not path.is_file():
        raise RequestError(f"there is no model {place}: give a file (.skops, .joblib, .pkl) or module:object")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = _of_file(path, trusted)
    versions = {
        (message.original_sklearn_version, message.current_sklearn_version)
        for message in (warning.message for warning in caught)
        if isinstance(message, InconsistentVersionWarning)
    }
    text = "The model was stored by scikit-learn {0} and is read by {1}, where it may differ: install scikit-learn {0}."
    return model, [text.format(*each) for each in sorted(versions)]


def _of_file(path: Path, trusted: bool) -> Any:
    if path.suffix.lower() == ".skops":
        try:
            return read_skops(path, trusted)
        except RequestError as error:
            hint = "" if trusted else "; --trust reads it all the same, if you made it"
            raise RequestError(f"{error}{hint}") from None
    if path.suffix.lower() not in _PICKLES:
        raise RequestError(f"{path}: expected a model as .skops, .joblib or .pkl")
    if not trusted:
        raise RequestError(
            f"{path}: unpickling can execute any code: give --trust if you trust where the file comes from, "
            "or store it with skops"
        )
    import joblib

    try:
        with _on_path(str(path.absolute().parent), str(Path.cwd())):  # for classes that stand beside the model
            return joblib.load(path)
    except ModuleNotFoundError as error:
        told = "which is not installed, and lies neither beside the model nor in this folder"
        raise RequestError(f"{path}: the model needs the package {error.name!r}, {told}") from None
    except Exception as error:  # a damaged pickle raises anything
        is_text = not isinstance(error, OSError) and path.read_bytes()[:100].isascii()
        why = "it is no file of joblib or pickle" if is_text else in_one_line(error)
        raise RequestError(f"{path}: cannot be read: {why}") from None


def _of_module(place: str) -> Any:
    """An object of a module that is installed, or lies in the current folder."""
    try:
        with _on_path(str(Path.cwd())):
            return pkgutil.resolve_name(place)
    except ModuleNotFoundError as error:
        raise RequestError(f"{place}: there is no module {error.name!r}") from None
    except AttributeError as error:
        raise RequestError(f"{place}: {error}") from None
    except Exception as error:  # a module may raise anything
        raise RequestError(f"{place}: importing it raises {in_one_line(error)}") from None


@contextmanager
def _on_path(*folders: str) -> Iterator[None]:
    """Modules of these folders can be imported, before others of their names."""
    before = list(sys.path)
    sys.path[:0] = folders
    try:
        yield
    finally:
        sys.path[:] = before
