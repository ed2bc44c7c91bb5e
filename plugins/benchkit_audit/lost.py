"""What the loss of sources costs: of each, at random, by outages over time, of the worst sets, and of each row's worst,
as an attacker would choose them.

Sets, as pairs, are searched on some rows and judged on others: what is chosen because it looks worst on some rows looks
too bad on them; other rows know nothing of the choice.
"""

import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb

import numpy as np

from benchkit import NotApplicableError
from benchkit_audit.estimates import Estimate, Losses, at_once
from benchkit_audit.model import Answers, in_one_line
from benchkit_audit.subject import Queries, Subject
from benchkit_deletion.queries import lead
from benchkit_deletion.search import beam_search, lowest, sets_of, worst_columns

Search = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]]
"""Of some rows the worst sources that each may lose, so many at most, and whether that is proved."""
_MOST_MEANS = 10
FALLBACKS = {"gap": "a gap", "mean": "the mean", "zero": "0"}
"""In words, what stands for what is out."""

_MOST_SETS = 60
_REST = 1e-4
_EVERY_SET = 10
"""Up to so many sources every set of them is considered, beyond that at most two out at once."""
_FINALISTS = 20
_EXCHANGES = 5
_AT_ONCE = 50  # rows, between two looks at the clock


@dataclass(frozen=True)
class Lost:
    """What the loss of one source costs, on all rows; every interval holds for all sources at once (Bonferroni)."""

    source: str
    cost: Estimate  # rise of the loss
    losses: Losses  # after the loss
    errors: float  # by how much the mean of `Subject.errors` rises, and that of `Subject.missed`
    missed: float
    beside: dict[str, float]  # other metrics after the loss
    others: Estimate  # rise of the loss where every other source is lost
    hidden: Estimate | None  # rise of `Subject.hidden`
    # Where the loss surely costs something: the rise with the mean in place of a gap, and what that saves
    with_mean: Estimate | None = None
    saved: Estimate | None = None
    hidden_with_mean: float = 0.0  # the rise of `Subject.hidden` then


def lose_each(queries: Queries, before: Losses, errors: np.ndarray, few: np.ndarray, harmless: float) -> list[Lost]:
    """Every source lost in turn, that which costs most first; ``before`` and ``errors`` are where nothing is lost.

    The loss of all others is measured on few rows where these decide that it costs more than what is harmless.
    """
    sources, subject = queries.sources, queries.subject
    rows, level = np.arange(subject.n_rows), at_once(len(sources))
    before_of_few, columns = queries.losses(few), list[Lost]()
    for place, source in enumerate(sources):
        lost = np.arange(len(sources)) == place
        answers = queries.answers(rows, lost)
        losses = subject.losses(answers, rows)
        others = queries.losses(few, ~lost).less(before_of_few, level)
        if len(few) < len(rows) and not others.above(harmless):
            others = queries.losses(rows, ~lost).less(before, level)
        after, beside = subject.errors(answers, rows), subject.scores_beside(answers, rows)
        wrong, missed = float((after - errors).mean()), subject.missed(after - errors, rows)
        more, usual = subject.hidden(after), subject.hidden(errors)
        hidden = None if more is None or usual is None else more.less(usual, level)
        columns.append(Lost(source.name, losses.less(before, level), losses, wrong, missed, beside, others, hidden))
    return sorted(columns, key=lambda each: -each.cost.value)


def put_means(
    with_mean: Queries, before: Losses, errors: np.ndarray, columns: Sequence[Lost], gaps: set[int], least: float
) -> Iterator[Lost]:
    """The columns, and of the costliest that take gaps what the mean in place of a gap costs and saves."""
    places = {source.name: place for place, source in enumerate(with_mean.sources)}
    heavy = [each.source for each in columns if each.cost.above(0.0) and each.cost.value >= least]
    subject = with_mean.subject
    rows, level = np.arange(subject.n_rows), at_once(max(1, len(heavy)))
    for each in columns:
        place = places[each.source]
        if each.source in heavy[:_MOST_MEANS] and gaps.issuperset(with_mean.sources[place].columns):
            answers = with_mean.answers(rows, with_mean.mask((place,)))
            losses, more = subject.losses(answers, rows), subject.hidden(subject.errors(answers, rows) - errors)
            hidden = 0.0 if more is None else float(more.values.mean())
            saved = each.losses.less(losses, level)
            yield replace(each, with_mean=losses.less(before, level), saved=saved, hidden_with_mean=hidden)
        else:
            yield each


@dataclass(frozen=True)
class Several:
    """Some number of sources lost: at random, the worst for all rows, or at worst of each row."""

    lost: int
    # The loss, and its rise: of the worst one of all sources with intervals that hold for all at once; of worst sets on
    # rows that the search did not see
    loss: Estimate
    cost: Estimate
    losses: Losses  # of these rows
    sources: tuple[str, ...] = ()
    exact: bool = True  # whether every set of this size was tried, or nothing is worse; else a bound of the damage


def lose_at_random(queries: Queries, before: Losses, seed: int) -> Iterator[Several]:
    """Lose 1, 2, 3, 5, ... sources (Fibonacci's numbers), each row its own."""
    rows, n_sources = np.arange(queries.subject.n_rows), len(queries.sources)
    size, following = 1, 2
    while size < n_sources:
        random = np.random.default_rng([seed, size])
        lost = random.random((len(rows), n_sources)).argpartition(size - 1, axis=1)[:, :size]
        mask = np.zeros((len(rows), n_sources), dtype=bool)
        np.put_along_axis(mask, lost, True, axis=1)
        losses = queries.losses(rows, mask)
        yield Several(size, losses.estimate(), losses.less(before), losses)
        size, following = following, size + following


@dataclass(frozen=True)
class Outages:
    """What outages cost on average over time where sources fail independently, with one fallback for what is out."""

    fallback: str  # {"gap", "mean", "zero"}
    rates: Mapping[str, float]  # by source, the share of the time that it is out
    # By source, the mean rise of the loss that comes of its outages where no other source is out
    alone: Mapping[str, Estimate]
    cost: Estimate  # the mean rise of the loss over all time
    untried: float  # the share of the time with sources out together that were not tried, no part of the cost


def expect(queries: Queries, rates: Mapping[str, float], before: Losses, fallback: str) -> Outages:
    """The mean rise of the loss by outages, as their likeliest sets have it; the queries' fills are the fallback."""
    names, sources = list(rates), [source.name for source in queries.sources]
    rows, alone = np.arange(queries.subject.n_rows), dict[str, Estimate]()
    rises = np.zeros(len(rows))
    tried = math.prod(1 - rate for rate in rates.values())
    ever = 1 - tried  # how often anything is out
    for share, out in likeliest(list(rates.values())):
        if len(out) > 1 and 1 - tried < _REST:
            break
        losses = queries.losses(rows, queries.mask(sources.index(names[each]) for each in out))
        rise = share * (losses.values - before.values)
        if len(out) == 1:
            alone[names[out[0]]] = losses.rise(rise, before, share=share)
        rises += rise
        tried += share
    return Outages(fallback, dict(rates), alone, losses.rise(rises, before, share=ever), max(0.0, 1 - tried))


def likeliest(rates: Sequence[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Sets of sources that are out together, and no others, with their share of the time.

    Every source alone comes first, then other sets, the likeliest first.
    """
    places, largest = range(len(rates)), len(rates) if len(rates) <= _EVERY_SET else 2

    def share(out: Sequence[int]) -> float:
        return math.prod(rate if place in out else 1 - rate for place, rate in enumerate(rates))

    single = [(place,) for place in places]
    together = (out for size in range(2, largest + 1) for out in combinations(places, size))
    for out in [*single, *heapq.nlargest(max(0, _MOST_SETS - len(single)), together, key=share)]:
        yield share(out), out


def lose_sets(
    queries: Queries,
    searched: np.ndarray,
    judged: np.ndarray,
    columns: Sequence[Lost],
    pairs: Sequence[tuple[str, str]],
    largest: int,
    questions: int,
) -> Iterator[Several]:
    """The worst 1, 2, ... sources that all rows lose alike: searched on some rows and judged on others.

    No set is less bad on the rows searched than a smaller one, or one of the ``pairs`` that were found there.
    """
    before, names = queries.losses(judged), [source.name for source in queries.sources]
    known: list[np.ndarray] = []
    for worst in columns[:1]:
        loss = worst.losses.estimate(at_once(len(columns)))
        yield Several(1, loss, worst.cost, worst.losses, (worst.source,))
        known = [queries.mask([names.index(worst.source)])]
    for found, exact in search_sets(queries, searched, largest, questions):
        size = int(found.sum())
        if size == 2:
            known += [queries.mask(map(names.index, pair)) for pair in pairs]
        if size > 1 or not columns:
            chosen = max([found, *known], key=lambda each: queries.losses_of_sets(searched, each[None])[0])
            sources = tuple(name for name, lost in zip(names, chosen, strict=True) if lost)
            known, after = [chosen], queries.losses(judged, chosen)
            yield Several(size, after.estimate(), after.less(before), after, sources, exact and chosen is found)


def search_sets(queries: Queries, rows: np.ndarray, largest: int, questions: int) -> Iterator[tuple[np.ndarray, bool]]:
    """The worst set of 1, 2, ... sources on some rows, and whether all of this size were tried."""
    n_sources = len(queries.sources)

    def worst(masks: np.ndarray) -> tuple[np.ndarray, tuple[float]]:
        """The worst of some sets: compared on as many rows as the questions allow, the best of them on all rows.

        Sets that grow by exchanges are compared again and again, and share the questions.
        """
        whole = is_tried_whole(int(masks[0].sum()))
        few = fewer(queries, rows, len(masks), questions if whole else questions // _EXCHANGES)
        losses = queries.losses_of_sets(few, masks)
        if len(few) < len(rows):
            masks = masks[(-losses).argsort(kind="stable")[:_FINALISTS]]
            losses = queries.losses_of_sets(rows, masks)
        place = int(losses.argmax())
        return masks[place], (float(losses[place]),)

    def is_tried_whole(size: int) -> bool:
        return comb(n_sources, size) * min(queries.subject.fewest, len(rows)) <= questions

    for chosen, _, exact in worst_columns(worst, n_sources, largest, is_tried_whole):
        yield chosen, exact


def fewer(queries: Queries, rows: np.ndarray, sets: int, questions: int) -> np.ndarray:
    """As many rows as the questions allow for each set."""
    return rows[: max(min(queries.subject.fewest, len(rows)), questions // max(1, sets))]


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
    truth, n_classes = subject.truth[rows], answers.scores.shape[1]
    known, behind = (truth >= 0) & (truth < n_classes), np.full(len(rows), np.inf)
    behind[known] = -lead(answers.scores[known], truth[known], n_classes)
    # A wrong answer is worse than any right one, also where scores do not decide.
    return np.asarray(np.clip(behind, -1e6, 1e6) + 1e7 * losses)


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

    search: Search | str = ""
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


def _read(queries: Queries, rows: np.ndarray, nodes: int) -> Search | str:
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
