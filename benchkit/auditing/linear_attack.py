"""The exact worst loss of each row of a linear model: what sources add to a score is added up, whatever else is lost.

The score of a class is a sum over sources, so that the loss of a set changes the margin by the sum of what each source
of it changes alone. The worst set of at most k sources is that of the k largest changes (Globerson & Roweis 2006,
section 2), for each rival class in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchkit.auditing.row_attack import RowChoice
from benchkit.auditing.subject import Queries, Subject

if TYPE_CHECKING:
    import numpy as np

# Each treats its columns one by one.
_BY_COLUMN = {
    *("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "QuantileTransformer", "PowerTransformer"),
    *("SimpleImputer", "OneHotEncoder", "OrdinalEncoder", "KBinsDiscretizer", "SplineTransformer", "Binarizer"),
}
_TRIED = 200
_TOLERANCE = 1e-6


class LinearAttack:
    """Sorts the changes that each source makes alone; for linear models behind steps that treat columns one by one."""

    name = "exact for linear models"

    def applies(self, subject: Subject) -> bool:
        """Whether the model is such a one."""
        return _is_linear(subject.model) and (
            subject.task == "regression" or hasattr(subject.model, "decision_function")
        )

    def choose(self, queries: Queries, rows: np.ndarray, largest: int) -> Iterator[RowChoice]:
        """As `benchkit.auditing.row_attack.RowAttack.choose`; exact wherever sums are what the model answers."""
        import numpy as np

        subject = queries.subject
        if subject.task == "classification":
            subject = replace(subject, how="decision_function", decided_by_scores=False)
        asked = Queries(subject, queries.sources, queries.fills, queries.asked)
        n_sources = len(queries.sources)
        before = _margins(asked, rows, None)
        changes = np.empty((len(rows), n_sources, before.shape[1]))
        for place in range(n_sources):
            lost = np.zeros(n_sources, dtype=bool)
            lost[place] = True
            changes[:, place] = _margins(asked, rows, lost) - before
        exact = _adds_up(asked, rows, before, changes)
        order = np.argsort(-changes, axis=1, kind="stable")
        sums = np.cumsum(np.maximum(np.take_along_axis(changes, order, axis=1), 0.0), axis=1)
        places = np.arange(len(rows))
        for size in range(1, largest + 1):
            rival = (before + sums[:, size - 1]).argmax(axis=1)
            chosen = order[places, :size, rival]
            useful = changes[places[:, None], chosen, rival[:, None]] > 0
            mask = np.zeros((len(rows), n_sources), dtype=bool)
            np.put_along_axis(mask, chosen, useful, axis=1)
            yield RowChoice(mask, exact)


def _margins(queries: Queries, rows: np.ndarray, lost: np.ndarray | None) -> np.ndarray:
    """What is to grow: each rival's score less that of the right class; of a number, its error up and down."""
    import numpy as np

    answers, truth = queries.answers(rows, lost), queries.subject.truth[rows]
    if answers.scores is None:
        error = answers.predictions - truth
        return np.column_stack([error, -error])
    places, trained = np.arange(len(rows)), truth < answers.scores.shape[1]
    truth = np.where(trained, truth, 0)
    margins = answers.scores - answers.scores[places, truth][:, None]
    margins[places, truth] = -np.inf
    margins[~trained] = -np.inf  # a class that the model never answers: wrong, whatever is lost
    # The right class is no rival: it is never chosen, and changes nothing.
    return np.where(np.isneginf(margins), -1e300, margins)


def _adds_up(queries: Queries, rows: np.ndarray, before: np.ndarray, changes: np.ndarray) -> bool:
    """Whether the loss of random sets changes what the model says by the sum of the changes."""
    import numpy as np

    random = np.random.default_rng(0)
    some = rows[:_TRIED]
    lost = random.random((len(some), changes.shape[1])) < 0.5
    expected = before[: len(some)] + (changes[: len(some)] * lost[:, :, None]).sum(axis=1)
    told = _margins(queries, some, lost)
    scale = np.abs(np.where(told > -1e299, told, 0.0)).max() or 1.0
    return bool(np.allclose(np.where(told > -1e299, told - expected, 0.0), 0.0, atol=_TOLERANCE * scale))


def _is_linear(model: Any) -> bool:
    steps = getattr(model, "steps", None)
    if steps:
        return all(treats_columns_alone(step) for _, step in steps[:-1]) and _is_linear(steps[-1][1])
    try:
        from sklearn.linear_model._base import LinearClassifierMixin, LinearModel
    except ImportError:
        return False
    return isinstance(model, LinearClassifierMixin | LinearModel) and hasattr(model, "coef_")


def treats_columns_alone(step: Any) -> bool:
    """Whether a step of a pipeline treats each column alone, as scikit-learn's scalers, imputers and encoders do."""
    if step is None or isinstance(step, str):
        return True
    if type(step).__name__ == "ColumnTransformer":
        return all(treats_columns_alone(part) for _, part, *_ in step.transformers_)
    if getattr(step, "steps", None):
        return all(treats_columns_alone(part) for _, part in step.steps)
    return type(step).__name__ in _BY_COLUMN and type(step).__module__.startswith("sklearn.")
