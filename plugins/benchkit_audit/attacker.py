"""The worst sources of each row, as an attacker would choose them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb

import numpy as np

from benchkit import NotApplicableError
from benchkit.fitted.model import Answers, in_one_line
from benchkit_audit.lost import Several
from benchkit_audit.subject import Queries, Subject
from benchkit_deletion.search import beam_search, lowest, sets_of


def attack_rows(
    queries: Queries, rows: np.ndarray, largest: int, questions: int, nodes: int
) -> Iterator[tuple[Several, str]]:
    """What an attacker achieves who chooses for each row, and why that may not be the worst; the model judges it."""
    before, metric = queries.losses(rows), queries.subject.metric
    # More damage to a row's own answer is more in these metrics; ranks and probabilities can be worse.
    by_rows = metric.kind != "scores" and metric.quick is None
    search = worst_sources(queries, rows, min(largest, len(queries.sources)), questions, nodes)
    for size, (lost, reason) in enumerate(search, start=1):
        losses = queries.losses(rows, lost)
        yield Several(size, losses.estimate(), losses.less(before), losses, exact=by_rows and not reason), reason


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


def worst_sources(
    queries: Queries, rows: np.ndarray, largest: int, questions: int, nodes: int
) -> Iterator[tuple[np.ndarray, str]]:
    """What each row loses at worst of 1, 2, ... sources, shape (n_rows, n_sources), and why that is not proved.

    All sets of sources are tried where these are few. A model that is a sum of trees or of terms, behind steps that
    treat columns one by one, is read: branch and bound finds the worst loss of each row. Of another the worst source is
    added to what was found before. The model itself judges what is chosen. ``questions`` are for each number of
    sources, ``nodes`` for the search of a row.
    """
    subject, n_sources, every = queries.subject, len(queries.sources), np.arange(len(rows))
    classes = subject.task == "classification"

    def score(places: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return -damage(subject, queries.answers(rows[places], masks), rows[places])

    best = np.zeros((len(rows), n_sources), dtype=bool)
    least = score(every, best)

    def keep(places: np.ndarray, masks: np.ndarray) -> None:
        """Keep what does more damage than what was found before."""
        scores = score(places, masks)
        better = scores < least[places]
        best[places[better]], least[places[better]] = masks[better], scores[better]

    search: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]] | str = ""
    asked: list[np.ndarray] = []
    for size in range(1, largest + 1):
        if size == 1 or comb(n_sources, size) * len(rows) <= questions:
            keep(every, lowest(score, every, sets_of(size, n_sources))[0])
            yield best.copy(), ""
            continue
        search = search or _read(queries, rows, nodes)
        if isinstance(search, str):
            if not asked:
                found = beam_search(score, np.ones_like(best), np.ones(n_sources), largest, beam=1)
                asked = [each.copy() for each in found]
            keep(every, asked[min(size, len(asked)) - 1])
            yield best.copy(), search
            continue
        # A row that is wrong cannot become more wrong.
        proved = queries.errors(rows, best) > 0 if classes else np.zeros(len(rows), dtype=bool)
        places = np.flatnonzero(~proved)
        for begin in range(0, len(places), _AT_ONCE):
            part = places[begin : begin + _AT_ONCE]
            lost, proved[part] = search(part, size)
            keep(part, lost)
        if classes:
            proved |= queries.errors(rows, best) > 0
        yield best.copy(), "" if proved.all() else "a search met its limit"


def _read(
    queries: Queries, rows: np.ndarray, nodes: int
) -> Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]] | str:
    """The search of a model that is a sum; why, where it is none."""
    from benchkit_deletion.sources import WorstSources, read_last_step

    subject, n_sources = queries.subject, len(queries.sources)
    if subject.threshold is not None:
        return "a threshold decides"
    try:
        step = read_last_step(
            subject.model, lambda places, lost: queries.table(rows[places], lost), len(rows), n_sources
        )
        search = WorstSources(step, subject.truth[rows], n_sources, nodes)
        search(np.arange(min(2, len(rows))), 1)
    except Exception as error:  # such as a library in a version whose models are stored otherwise
        return str(error) if isinstance(error, NotApplicableError) else in_one_line(error)
    return search
