"""The worst sources to lose: the same in all rows, pairs, and of each row; searched on some rows, judged on others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from benchkit import NotApplicableError
from benchkit.fitted.model import Answers, in_one_line
from benchkit.statistics.many_tests import holm
from benchkit_audit.estimates import Estimate, at_once, difference, mean_loss, mean_rise
from benchkit_audit.lost_columns import Lost
from benchkit_audit.subject import Queries, Subject
from benchkit_deletion.search import beam_search, lowest, sets_of, worst_columns

if TYPE_CHECKING:
    import numpy as np

    from benchkit_deletion.search import Score
    from benchkit_deletion.sources import WorstSources


FEWEST = 100
"""Rows below which sets are not told apart, while there are more."""
_FINALISTS = 20


@dataclass(frozen=True)
class SearchedRows:
    """Rows that sets are searched on, and rows that what is found is judged on.

    What is chosen because it looks worst on some rows looks too bad on them; other rows know nothing of the choice.
    """

    search: np.ndarray
    judge: np.ndarray


@dataclass(frozen=True)
class LostSet:
    """The worst set of some size."""

    sources: tuple[str, ...]
    places: tuple[int, ...]
    exact: bool  # whether every set of this size was tried, on the rows of the search
    # The mean loss, and its rise: of one source those of all rows, with intervals that hold for all sources at once; of
    # more on rows that the search did not see
    loss: Estimate
    cost: Estimate
    beyond_constant: Estimate  # the mean loss less that of the constant answer, on the same rows


def lose_sets(
    queries: Queries,
    split: SearchedRows,
    columns: Sequence[Lost],
    constant: np.ndarray,
    largest: int,
    questions: int,
) -> Iterator[LostSet]:
    """The worst 1, 2, ... sources that all rows lose alike.

    Parameters
    ----------
    columns : sequence of Lost
        Each source lost alone, that which costs most first.
    constant : ndarray of shape (n_rows,)
        Losses of the constant answer.
    largest : int
        Sources in a set, at most.
    questions : int
        That each size may ask; a search over more sets sees fewer rows, `FEWEST` at least.
    """
    subject, judge, names = queries.subject, split.judge, [source.name for source in queries.sources]
    before = queries.losses(judge)
    worst, level = columns[0], at_once(len(columns))
    loss = mean_loss(worst.losses, subject.shares, level)
    beyond = difference(worst.losses, constant, subject.shares, level)
    yield LostSet((worst.source,), (names.index(worst.source),), True, loss, worst.cost, beyond)
    for chosen, exact in search_sets(queries, split.search, largest, questions):
        if chosen.sum() == 1:
            continue
        after = queries.losses(judge, chosen)
        places = tuple(chosen.nonzero()[0].tolist())
        yield LostSet(
            tuple(names[place] for place in places),
            places,
            exact,
            mean_loss(after, subject.shares),
            difference(after, before, subject.shares),
            difference(after, constant[judge], subject.shares),
        )


def search_sets(queries: Queries, rows: np.ndarray, largest: int, questions: int) -> Iterator[tuple[np.ndarray, bool]]:
    """The worst set of 1, 2, ... sources on some rows, and whether all of this size were tried."""
    n_sources = len(queries.sources)

    def worst(masks: np.ndarray) -> tuple[np.ndarray, tuple[float]]:
        """The worst of some sets: compared on as many rows as the questions allow, the best of them on all rows."""
        few = _fewer(rows, len(masks), questions)
        losses = queries.losses_of_sets(few, masks)
        if len(few) < len(rows):
            masks = masks[(-losses).argsort(kind="stable")[:_FINALISTS]]
            losses = queries.losses_of_sets(rows, masks)
        place = int(losses.argmax())
        return masks[place], (float(losses[place]),)

    def is_tried_whole(size: int) -> bool:
        return comb(n_sources, size) * min(FEWEST, len(rows)) <= questions

    for chosen, _, exact in worst_columns(worst, n_sources, largest, is_tried_whole):
        yield chosen, exact


def fatal_set(sets: Sequence[LostSet]) -> LostSet | None:
    """The smallest of the sets after which it is no longer decided that the model beats the constant answer."""
    return next((each for each in sets if not each.beyond_constant.below(0.0)), None)


def _fewer(rows: np.ndarray, sets: int, questions: int) -> np.ndarray:
    """As many rows as the questions allow for each set."""
    return rows[: max(min(FEWEST, len(rows)), questions // max(1, sets))]


@dataclass(frozen=True)
class LostPair:
    """Two sources lost together."""

    sources: tuple[str, str]
    cost: Estimate  # rise of the mean loss where both are lost
    # By how much that exceeds the rises of each alone, added, on the same rows; ``p`` after Holm's correction over the
    # pairs shown
    excess: Estimate


def lose_pairs(queries: Queries, split: SearchedRows, questions: int, most: int = 5) -> tuple[list[LostPair], bool]:
    """Pairs that cost more together than apart, and whether every pair was tried."""
    subject, judge, names = queries.subject, split.judge, [source.name for source in queries.sources]
    pairs, every = search_pairs(queries, split.search, questions, most)
    before = queries.losses(judge)
    alone = {
        place: queries.losses(judge, queries.mask((place,))) for place in {each for pair in pairs for each in pair}
    }
    usual = float(before.mean()) or 1.0 / max(1, len(judge))
    lost = []
    for first, second in pairs:
        both = queries.losses(judge, queries.mask((first, second)))
        # The interaction of Sobol's index of the pair, as a mean over rows.
        excess = mean_rise(both - alone[first] - alone[second] + before, usual)
        lost.append(LostPair((names[first], names[second]), difference(both, before, subject.shares), excess))
    adjusted = holm([each.excess.p for each in lost])
    return [replace(each, excess=replace(each.excess, p=p)) for each, p in zip(lost, adjusted, strict=True)], every


def search_pairs(queries: Queries, rows: np.ndarray, questions: int, most: int) -> tuple[list[tuple[int, int]], bool]:
    """Pairs whose joint loss exceeds the sum of their losses most, and whether every pair was tried.

    All pairs are compared on few rows, the better ones on all. Where that is too much, pairs of the sources that alone
    move most answers.

    Parameters
    ----------
    most : int
        Pairs to return.
    """
    import numpy as np

    n_sources = len(queries.sources)
    tried = list(range(n_sources))
    while comb(len(tried), 2) * min(FEWEST, len(rows)) > questions and len(tried) > 2:
        tried = sorted(_that_move_most(queries, rows[:FEWEST], tried, int(len(tried) / 1.5)))
    pairs = np.array(list(combinations(tried, 2)), dtype=int).reshape(-1, 2)
    single = np.eye(n_sources, dtype=bool)

    def excess(which: np.ndarray, on: np.ndarray) -> np.ndarray:
        alone = queries.losses_of_sets(on, single)
        return np.asarray(queries.losses_of_sets(on, single[which].any(axis=1)) - alone[which].sum(axis=1))

    if not len(pairs):
        return [], True
    # Of pairs that tie on few rows, those that cost most.
    better = pairs[np.argsort(-excess(pairs, _fewer(rows, len(pairs), questions)), kind="stable")[: 10 * most]]
    best = better[np.argsort(-excess(better, rows), kind="stable")[:most]]
    return [(int(first), int(second)) for first, second in best], len(tried) == n_sources


def _that_move_most(queries: Queries, rows: np.ndarray, tried: list[int], keep: int) -> list[int]:
    """Sources whose loss moves scores, or predictions, most."""
    import numpy as np

    before = queries.answers(rows)
    moved = []
    for source in tried:
        after = queries.answers(rows, queries.mask((source,)))
        if before.scores is not None and after.scores is not None:
            moved.append(float(np.abs(after.scores - before.scores).mean()))
        else:
            moved.append(float(np.abs(after.predictions - before.predictions).mean()))
    return [tried[place] for place in np.argsort(moved)[::-1][:keep]]


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
        """
        ...


@dataclass(frozen=True)
class Attacked:
    """The mean loss after each row lost its own worst sources."""

    lost: int  # sources that each row may lose at most
    loss: Estimate  # the mean loss, and its rise
    cost: Estimate
    beyond_constant: Estimate  # the mean loss less that of the constant answer, on the same rows
    exact: bool  # whether this is the worst that there is; else there may be worse: a lower bound of the damage
    by: str  # the attack
    losses: np.ndarray  # shape (n_rows,): after the loss, of the rows attacked


def attack_rows(
    queries: Queries, rows: np.ndarray, constant: np.ndarray, largest: int, attacks: Sequence[RowAttack]
) -> Iterator[Attacked]:
    """What the first attack that knows the model achieves; the model itself judges what it chose.

    Parameters
    ----------
    constant : ndarray of shape (n_attacked,)
        Losses of the constant answer for these rows.
    """
    shares, before = queries.subject.shares, queries.losses(rows)
    attack = next(each for each in attacks if each.applies(queries.subject))
    for place, (lost, exact) in enumerate(attack.choose(queries, rows, min(largest, len(queries.sources)))):
        losses = queries.losses(rows, lost)
        cost, beyond = (difference(losses, other, shares) for other in (before, constant))
        yield Attacked(place + 1, mean_loss(losses, shares), cost, beyond, exact, attack.name, losses)


def _ask_on(score: Score, start: np.ndarray, more: int) -> Iterator[np.ndarray]:
    """What each row has lost after the worst source is added to what it had lost at the start, and again."""
    import numpy as np

    def score_on(places: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return score(places, masks | start[places])

    for added in beam_search(score_on, ~start, np.ones(start.shape[1]), more, beam=1):
        yield start | added


def damage(subject: Subject, answers: Answers, rows: np.ndarray) -> np.ndarray:
    """How far each answer is from right: of scores, the best wrong one less the right one; else the loss.

    Parameters
    ----------
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
    truth, places = subject.truth[rows], np.arange(len(rows))
    known = (truth >= 0) & (truth < answers.scores.shape[1])
    column = np.where(known, truth, 0)
    right = np.where(known, answers.scores[places, column], -np.inf)
    wrong = answers.scores.copy()
    wrong[places[known], column[known]] = -np.inf
    # A wrong answer is worse than any right one, also where scores do not decide.
    return np.asarray(np.clip(wrong.max(axis=1) - right, -1e6, 1e6) + 1e7 * losses)


_AT_ONCE = 50  # rows, between two looks at the clock


class OwnAttack:
    """Tries all sets of sources where these are few; else proves the worst of models that can be read, or asks on.

    A model that is a sum of trees or of terms, behind steps that treat columns one by one, is read: branch and bound
    finds the worst loss of each row. Of another the worst source is added to what was found before. The model itself
    judges what is chosen. A row whose search met its limit is not tried again with more sources lost.

    Parameters
    ----------
    questions : int
        That each number of sources may ask.
    nodes : int
        Of the search for each row.

    Attributes
    ----------
    name : str
    refused : str
        Why the model could not be read; empty where it was, or nobody asked.
    """

    def __init__(self, questions: int, nodes: int) -> None:
        self._questions, self._nodes = questions, nodes
        self.name, self.refused = "by asking", ""

    def applies(self, subject: Subject) -> bool:
        """Always."""
        return True

    def choose(self, queries: Queries, rows: np.ndarray, largest: int) -> Iterator[RowChoice]:
        """As `RowAttack.choose`."""
        import numpy as np

        n_sources, every = len(queries.sources), np.arange(len(rows))

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
        asking: Iterator[np.ndarray] | None = None
        open_rows = np.ones(len(rows), dtype=bool)
        for size in range(1, largest + 1):
            if size == 1 or comb(n_sources, size) * len(rows) <= self._questions:
                here, _ = lowest(score, every, sets_of(size, n_sources))
                keep(every, here)
                yield RowChoice(best.copy(), True)
                continue
            if asking is None and reading is None:
                reading = self._read(queries, rows)
            if reading is None:
                if asking is None:
                    asking = _ask_on(score, here, largest - size + 1)
                keep(every, next(asking, here))
                yield RowChoice(best.copy(), False)
                continue
            tried = open_rows.copy()
            if queries.subject.shares:  # a row that is wrong cannot become more wrong
                tried &= queries.losses(rows, best) == 0
            places = np.flatnonzero(tried)
            for begin in range(0, len(places), _AT_ONCE):
                part = places[begin : begin + _AT_ONCE]
                lost, closed = reading(part, size)
                keep(part, lost)
                open_rows[part[~closed]] = False
            proved = open_rows | (queries.losses(rows, best) > 0) if queries.subject.shares else open_rows
            yield RowChoice(best.copy(), bool(proved.all()))

    def _read(self, queries: Queries, rows: np.ndarray) -> WorstSources | None:
        """The search of a model that is a sum; None, and why, where it is none."""
        import numpy as np

        from benchkit_deletion.sources import WorstSources, read_last_step

        subject, n_sources = queries.subject, len(queries.sources)

        def table(places: np.ndarray, lost: np.ndarray | None) -> Any:
            return queries.table(rows[places], lost)

        try:
            step = read_last_step(subject.model, table, len(rows), n_sources)
            reading = WorstSources(step, subject.truth[rows], n_sources, self._nodes)
            reading(np.arange(min(2, len(rows))), 1)
        except NotApplicableError as error:
            self.refused = str(error)
            return None
        except Exception as error:  # such as a library in a version whose models are stored otherwise
            self.refused = in_one_line(error)
            return None
        self.name = "proved"
        return reading
