"""The worst sources of each row, as an attacker would choose them."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from benchkit import NotApplicableError
from benchkit.fitted.model import Answers, in_one_line
from benchkit_audit.lost import Several
from benchkit_audit.subject import Queries, Subject
from benchkit_deletion.search import beam_search, lowest, sets_of

if TYPE_CHECKING:
    from benchkit_deletion.sources import WorstSources


def attack_rows(queries: Queries, rows: np.ndarray, largest: int, attacker: Attacker) -> Iterator[Several]:
    """What an attacker achieves who chooses for each row; the model itself judges what was chosen."""
    before, metric = queries.losses(rows), queries.subject.metric
    # More damage to a row's own answer is more in these metrics; ranks and probabilities can be worse.
    by_rows = metric.kind != "scores" and metric.quick is None
    for place, (lost, exact) in enumerate(attacker.choose(queries, rows, min(largest, len(queries.sources)))):
        losses = queries.losses(rows, lost)
        yield Several(place + 1, losses.estimate(), losses.less(before), losses, exact=exact and by_rows)


def damage(subject: Subject, answers: Answers, rows: np.ndarray) -> np.ndarray:
    """How far each answer is from right: of scores, the best wrong one less the right one; else the loss."""
    losses = subject.errors(answers, rows)
    if answers.scores is None:
        return losses
    truth, places = subject.truth[rows], np.arange(len(rows))
    known = (truth >= 0) & (truth < answers.scores.shape[1])
    column = np.where(known, truth, 0)
    right = np.where(known, answers.scores[places, column], -np.inf)
    wrong = answers.scores.copy()
    wrong[places[known], column[known]] = -np.inf
    # A wrong answer is worse than any right one, also where scores do not decide.
    return np.asarray(np.clip(wrong.max(axis=1) - right, -1e6, 1e6) + 1e7 * losses)


_AT_ONCE = 50  # rows, between two looks at the clock


class Attacker:
    """Tries all sets of sources where these are few; else proves the worst of models that can be read, or asks on.

    A model that is a sum of trees or of terms, behind steps that treat columns one by one, is read: branch and bound
    finds the worst loss of each row. Of another the worst source is added to what was found before. The model itself
    judges what is chosen. ``questions`` are for each number of sources, ``nodes`` for the search of a row.
    """

    def __init__(self, questions: int, nodes: int) -> None:
        self._questions, self._nodes = questions, nodes
        self.refused = ""  # why the model could not be read; empty where it was, or nobody asked

    def choose(self, queries: Queries, rows: np.ndarray, largest: int) -> Iterator[tuple[np.ndarray, bool]]:
        """What each row loses at worst of 1, 2, ... sources, shape (n_rows, n_sources), and whether that is exact."""
        n_sources, every = len(queries.sources), np.arange(len(rows))
        classes = queries.subject.task == "classification"

        def score(places: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return -damage(queries.subject, queries.answers(rows[places], masks), rows[places])

        best = np.zeros((len(rows), n_sources), dtype=bool)
        least = score(every, best)

        def keep(places: np.ndarray, masks: np.ndarray) -> None:
            """Keep what does more damage than what was found before."""
            scores = score(places, masks)
            better = scores < least[places]
            best[places[better]], least[places[better]] = masks[better], scores[better]

        reading: WorstSources | None = None
        asked: list[np.ndarray] = []
        for size in range(1, largest + 1):
            if size == 1 or comb(n_sources, size) * len(rows) <= self._questions:
                keep(every, lowest(score, every, sets_of(size, n_sources))[0])
                yield best.copy(), True
                continue
            reading = reading or (None if asked else self._read(queries, rows))
            if reading is None:
                if not asked:
                    search = beam_search(score, np.ones_like(best), np.ones(n_sources), largest, beam=1)
                    asked = [each.copy() for each in search]
                keep(every, asked[min(size, len(asked)) - 1])
                yield best.copy(), False
                continue
            # A row that is wrong cannot become more wrong.
            proved = queries.errors(rows, best) > 0 if classes else np.zeros(len(rows), dtype=bool)
            places = np.flatnonzero(~proved)
            for begin in range(0, len(places), _AT_ONCE):
                part = places[begin : begin + _AT_ONCE]
                lost, proved[part] = reading(part, size)
                keep(part, lost)
            if classes:
                proved |= queries.errors(rows, best) > 0
            yield best.copy(), bool(proved.all())

    def _read(self, queries: Queries, rows: np.ndarray) -> WorstSources | None:
        """The search of a model that is a sum; None, and why, where it is none."""
        from benchkit_deletion.sources import WorstSources, read_last_step

        subject, n_sources = queries.subject, len(queries.sources)
        if subject.threshold is not None:
            self.refused = "a threshold decides"
            return None

        def table(places: np.ndarray, lost: np.ndarray | None) -> Any:
            return queries.table(rows[places], lost)

        try:
            step = read_last_step(subject.model, table, len(rows), n_sources)
            reading = WorstSources(step, subject.truth[rows], n_sources, self._nodes)
            reading(np.arange(min(2, len(rows))), 1)
        except Exception as error:  # such as a library in a version whose models are stored otherwise
            self.refused = str(error) if isinstance(error, NotApplicableError) else in_one_line(error)
            return None
        return reading
