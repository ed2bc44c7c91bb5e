"""The worst loss of each row: what an attacker does who chooses anew for every row, and how it is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from benchkit.auditing.measured import Measured, difference, mean_loss
from benchkit.auditing.subject import Answers, Queries, Subject

if TYPE_CHECKING:
    import numpy as np


class RowChoice(NamedTuple):
    """Which sources each row loses; a plain pair of the two will do.

    Attributes
    ----------
    lost : ndarray of bool, shape (n_rows, n_sources)
    exact : bool
        Whether it is known that no other choice of as many sources does more damage.
    """

    lost: np.ndarray
    exact: bool


class RowAttack(Protocol):
    """Finds the worst loss of each row: what `benchkit.audit` takes as ``attacks``.

    Attributes
    ----------
    name : str
        Shown in the report.
    """

    name: str

    def applies(self, subject: Subject) -> bool:
        """Whether it knows this kind of model."""
        ...

    def choose(self, queries: Queries, rows: np.ndarray, largest: int) -> Iterable[tuple[np.ndarray, bool]]:
        """What each row loses at worst of 1, 2, ..., ``largest`` sources at most, and whether that is exact.

        Parameters
        ----------
        queries : Queries
            Asks the model about rows with sources lost; has ``subject``, ``sources`` and ``fills``.
        rows : ndarray of int
        largest : int
        """
        ...


@dataclass(frozen=True)
class Attacked:
    """The mean loss after each row lost its own worst sources.

    Attributes
    ----------
    lost : int
        Sources that each row may lose at most.
    loss, cost : Measured
        The mean loss, and its rise.
    beyond_constant : Measured
        The mean loss less that of the constant answer, on the same rows.
    exact : bool
        Whether this is the worst that there is; else there may be worse: a lower bound of the damage.
    by : str
        The attack.
    losses : ndarray of shape (n_rows,)
        After the loss, of the rows attacked.
    """

    lost: int
    loss: Measured
    cost: Measured
    beyond_constant: Measured
    exact: bool
    by: str
    losses: np.ndarray


def attack_rows(
    queries: Queries, rows: np.ndarray, constant: np.ndarray, largest: int, attacks: Sequence[RowAttack]
) -> Iterator[Attacked]:
    """What the first attack that knows the model achieves; the model itself judges what it chose.

    Parameters
    ----------
    queries : Queries
    rows : ndarray of int
    constant : ndarray of shape (n_attacked,)
        Losses of the constant answer for these rows.
    largest : int
    attacks : sequence of RowAttack
    """
    subject = queries.subject
    before = queries.losses(rows)
    attack = next(each for each in attacks if each.applies(subject))
    for place, (lost, exact) in enumerate(attack.choose(queries, rows, min(largest, len(queries.sources)))):
        losses = queries.losses(rows, lost)
        cost, beyond = (difference(losses, other, subject.shares) for other in (before, constant))
        yield Attacked(place + 1, mean_loss(losses, subject.shares), cost, beyond, exact, attack.name, losses)


def damage(subject: Subject, answers: Answers, rows: np.ndarray) -> np.ndarray:
    """How far each answer is from right: of scores, the best wrong one less the right one; else the loss.

    Parameters
    ----------
    subject : Subject
    answers : Answers
        To the rows.
    rows : ndarray of int, shape (n_rows,)

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    import numpy as np

    losses = subject.losses(answers.predictions, rows)
    if answers.scores is None:
        return losses
    truth = subject.truth[rows]
    places = np.arange(len(rows))
    known = (truth >= 0) & (truth < answers.scores.shape[1])
    column = np.where(known, truth, 0)
    right = np.where(known, answers.scores[places, column], -np.inf)
    wrong = answers.scores.copy()
    wrong[places[known], column[known]] = -np.inf
    # A wrong answer is worse than any right one, also where scores do not decide.
    return np.asarray(np.clip(wrong.max(axis=1) - right, -1e6, 1e6) + 1e7 * losses)


class QueryAttack:
    """Asks about the loss of each source, takes the worst, and goes on from there; all sets where they are few.

    Parameters
    ----------
    questions : int
        That each number of sources may ask.
    """

    name = "query"

    def __init__(self, questions: int) -> None:
        self._questions = questions

    def applies(self, subject: Subject) -> bool:
        """Always: it needs answers alone."""
        return True

    def choose(self, queries: Queries, rows: np.ndarray, largest: int) -> Iterator[RowChoice]:
        """As `RowAttack.choose`: the loss of one source is exact, that of more is where all sets are tried."""
        import numpy as np

        n_sources = len(queries.sources)
        best = np.zeros((len(rows), n_sources), dtype=bool)
        worst = damage(queries.subject, queries.answers(rows), rows)
        here = best.copy()
        for size in range(1, largest + 1):
            exact = comb(n_sources, size) * len(rows) <= self._questions
            if exact:
                masks = np.zeros((comb(n_sources, size), n_sources), dtype=bool)
                for place, chosen in enumerate(combinations(range(n_sources), size)):
                    masks[place, list(chosen)] = True
                found = self._damages(queries, rows, np.broadcast_to(masks, (len(rows), *masks.shape)))
                pick = found.argmax(axis=1)
                here = masks[pick]
            else:
                tried = here[:, None, :] | np.eye(n_sources, dtype=bool)[None]
                found = self._damages(queries, rows, tried)
                # A source that is lost already is no choice.
                found = np.where(here, -np.inf, found)
                pick = found.argmax(axis=1)
                here = tried[np.arange(len(rows)), pick]
            reached = found[np.arange(len(rows)), pick]
            better = reached > worst
            best = np.where(better[:, None], here, best)
            worst = np.where(better, reached, worst)
            yield RowChoice(best.copy(), exact or size == 1)

    def _damages(self, queries: Queries, rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The damage of each mask of each row; masks of shape (n_rows, n_masks, n_sources)."""
        import numpy as np

        n_masks = masks.shape[1]
        repeated = np.repeat(rows, n_masks)
        answers = queries.answers(repeated, masks.reshape(-1, masks.shape[2]))
        return damage(queries.subject, answers, repeated).reshape(len(rows), n_masks)


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
            changes[:, place] = _margins(asked, rows, queries.mask((place,))) - before
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
