"""The worst loss of each row: what an attacker does who chooses anew for every row, and how it is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, NamedTuple, Protocol

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
