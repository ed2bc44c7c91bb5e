"""All parts of an audit in their order, as far as time allows, and all that they measured."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from benchkit import RequestError
from benchkit.fitted.model import Answers
from benchkit_audit.estimates import (
    Confidence,
    Estimate,
    Slice,
    at_once,
    compare_slices,
    confidence,
    difference,
    mean_loss,
)
from benchkit_audit.gaps import Filled, Probed, Reading, choose_fills, fills_of, probe, read_gaps
from benchkit_audit.inputs import Source, check_rates, listed, make_sources
from benchkit_audit.lost_columns import Lost, Outages, RandomLoss, expect, lose_at_random, lose_each
from benchkit_audit.subject import Queries, Subject
from benchkit_audit.worst_sets import (
    Attacked,
    LostPair,
    LostSet,
    OwnAttack,
    RowAttack,
    SearchedRows,
    attack_rows,
    lose_pairs,
    lose_sets,
)

if TYPE_CHECKING:
    import numpy as np

    from benchkit_audit.hardened import Hardened

MATTERS = 0.05
"""What counts: five rows in a hundred; of a regression, this share of the constant answer's loss."""
HARMLESS = 0.01
"""What does not: one row in a hundred, or such a share."""


@dataclass
class Outcome:
    """What was measured, part by part; a part that was skipped is empty and named."""

    subject: Subject
    sources: list[Source]
    filled: Filled
    given: int  # rows of the hold-out; fewer may have been used
    row_losses: np.ndarray  # shape (n_rows,): of each row where nothing is lost
    sureness: np.ndarray | None  # shape (n_rows,): the probability of each answer there
    before: Estimate  # the mean loss where nothing is lost, and that less the constant answer's
    constant: Estimate  # the constant answer's mean loss
    against_constant: Estimate
    # Of a regression, ``against_constant`` by squared errors in place of absolute ones, or the reverse
    by_other_loss: Estimate | None = None
    columns: list[Lost] = field(default_factory=list)  # what costs most first
    pairs: list[LostPair] = field(default_factory=list)
    every_pair: bool = False
    sets: list[LostSet] = field(default_factory=list)
    random: list[RandomLoss] = field(default_factory=list)
    attacked: list[Attacked] = field(default_factory=list)
    probes: list[Probed] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    # One for each fallback, that of the audit first; empty where no rates were given
    outages: list[Outages] = field(default_factory=list)
    # Of losses where nothing is lost, and of what the loss of ``sliced_by`` costs
    slices: list[Slice] = field(default_factory=list)
    slices_lost: list[Slice] = field(default_factory=list)
    sliced_by: str = ""
    # Models that were trained for lost columns, on the same rows
    hardened: list[Hardened] = field(default_factory=list)
    train_rows: int = 0  # of the training table; 0 where none was given
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def scale(self) -> float:
        """What losses are compared with: all rows of a classifier, the constant answer's mean loss of a regression."""
        return 1.0 if self.subject.shares else self.constant.value or 1.0

    @property
    def better_by(self) -> str:
        """The loss of a regression by which the model is decided to beat the constant answer, though not by its own."""
        if self.by_other_loss is None or self.against_constant.below(0.0) or not self.by_other_loss.below(0.0):
            return ""
        return "squared" if self.subject.loss == "absolute" else "absolute"

    @property
    def confidences(self) -> list[Confidence]:
        """Of all rows: where nothing is lost, where columns are lost at random, and where the worst one is."""
        intact = confidence(self.sureness, self.row_losses, "nothing lost")
        confidences = [intact, *(each.confidence for each in self.random)]
        if self.columns:
            worst, level = self.columns[0], at_once(len(self.columns))
            confidences.append(confidence(worst.sureness, worst.losses, f"{listed([worst.source])} lost", level))
        return [each for each in confidences if each is not None]

    @property
    def alone(self) -> tuple[str, Estimate] | None:
        """The source that tells most alone, and the rise of the loss where all others are lost."""
        best = min(self.columns, key=lambda each: each.others.value, default=None)
        return None if best is None else (best.source, best.others)

    def matters(self, pair: LostPair) -> bool:
        """Whether it is decided that a pair costs more than a little beyond what either costs alone."""
        beyond = pair.excess.p < 0.05 and pair.excess.above(HARMLESS * self.scale)
        return beyond and pair.cost.above(MATTERS * self.scale)

    def measures(self) -> dict[str, Estimate]:
        """Every number that ``--fail-if`` may name."""
        measures = {"loss": self.before}
        if self.columns:
            measures["column-loss"] = self.columns[0].cost
        if self.pairs:
            measures["pair-loss"] = self.pairs[0].excess
        if self.outages:
            measures["outage-loss"] = self.outages[0].cost
        measures |= {f"worst-{len(each.sources)}": each.cost for each in self.sets}
        measures |= {f"row-worst-{each.lost}": each.cost for each in self.attacked}
        measures |= {f"random-{each.lost}": each.cost for each in self.random}
        gaps = [each.changed for each in self.probes if each.kind == "NaN" and each.changed is not None]
        if gaps:
            worst = max(gaps, key=lambda each: each.low)
            measures["gap-change"] = Estimate(
                max(each.value for each in gaps), worst.low, max(each.high for each in gaps), worst.n
            )
        if len(self.confidences) > 1:
            measures["overconfidence"] = max(
                (each.overconfidence for each in self.confidences[1:]), key=lambda each: each.low
            )
        return measures


@dataclass(frozen=True)
class Sizes:
    """Rows and questions; a question is a row that the model answers."""

    rows: int  # of the hold-out; a larger one is sampled
    search: int  # rows that sets of columns are searched on; what is found is judged on the others
    questions: int  # that a search may ask
    attacked: int  # rows whose own worst loss is sought
    nodes: int  # of the search that proves the worst loss of a row
    probed: int  # rows that each kind of fault is tried on, at least
    largest: int  # columns that a search loses at most
    most_random: int | None  # columns lost at random at most; all but one where None
    draws: int  # random sets of columns
    trained: int  # rows of a training table that models are trained on; a larger one is sampled
    seconds: float | None  # when what is still open is skipped


FAST = Sizes(10_000, 800, 150_000, 400, 1_000, 300, 5, None, 20, 3_000, 60.0)
THOROUGH = Sizes(500_000, 5_000, 5_000_000, 5_000, 10_000, 2_000, 10, None, 100, 50_000, None)


Progress = Callable[[str], None]
"""Takes the part that is at work."""


class _TimeUp(Exception):  # noqa: N818 - no error: what is open is skipped
    pass


_ROWS = 1_000
_SOONER = 0.8  # of the time of one thread: less is worth a processor more


@contextmanager
def as_many_threads_as_help(subject: Subject) -> Iterator[None]:
    """One thread, or as many as libraries take by themselves: whichever answered some rows sooner."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    table = subject.table(np.arange(min(_ROWS, subject.n_rows)), {})

    def seconds(limit: int | None) -> float:
        with threadpool_limits(limit):
            subject.answers(table)
            start = time.perf_counter()
            subject.answers(table)
            return time.perf_counter() - start

    with threadpool_limits(None if seconds(None) < _SOONER * seconds(1) else 1):
        yield


_FAULTS = 6  # of a column
_GAPS_TRIED = 50
_GAPS_READ = 100


def measure(
    subject: Subject,
    *,
    sizes: Sizes,
    groups: Mapping[str, Any] | None,
    fill: str,
    attacks: Sequence[RowAttack],
    seed: int,
    seconds: float | None,
    progress: Progress | None,
    outages: Mapping[str, float] | None = None,
    parts: Container[str] | None = None,
) -> Outcome:
    """Ask the model all that an audit asks.

    Parameters
    ----------
    subject : Subject
        With the whole hold-out.
    attacks : sequence of RowAttack
        Asked before benchkit's own.
    parts : container of str, optional
        Those of `_Parts` to do; all where None.
    """
    import numpy as np

    given = subject.n_rows
    random = np.random.default_rng(seed)
    notes = []
    if given > sizes.rows:
        subject = subject.rows(np.sort(random.choice(given, sizes.rows, replace=False)))
        notes.append(f"{sizes.rows:,} of {given:,} rows were drawn at random and are what is spoken of.")
    sources = make_sources([column.name for column in subject.columns], groups)
    rates = {} if outages is None else check_rates(outages, sources)
    order = random.permutation(subject.n_rows)
    filled = choose_fills(subject, order[:_GAPS_TRIED], fill)
    if fill == "gap" and filled.refuse_gaps:
        place, message = next(iter(filled.refuse_gaps.items()))
        raise RequestError(f"fill: the model takes no gap in {subject.columns[place].name!r} ({message}): give auto")
    rows = np.arange(subject.n_rows)
    # What is asked before the parts is no part: it is answered whatever the clock says.
    answers = Queries(subject, sources, filled.values).answers(rows)
    before, constant = _beside_constant(subject, answers, rows)
    other = replace(subject, loss="squared" if subject.loss == "absolute" else "absolute")
    outcome = Outcome(
        subject=subject,
        sources=sources,
        filled=filled,
        given=given,
        row_losses=before,
        sureness=subject.sureness(answers),
        before=mean_loss(before, subject.shares),
        constant=mean_loss(constant, subject.shares),
        against_constant=difference(before, constant, subject.shares),
        by_other_loss=None if subject.shares else difference(*_beside_constant(other, answers, rows), False),
        notes=notes,
    )
    end = math.inf if seconds is None else time.monotonic() + seconds

    def asked() -> None:
        if time.monotonic() > end:
            raise _TimeUp

    queries = Queries(subject, sources, filled.values, asked)
    every = _Parts(queries, sizes, attacks, seed, fill, rates, order, constant, outcome)
    with as_many_threads_as_help(subject):
        for name, part in every.in_order().items():
            if parts is not None and name not in parts:
                continue
            if progress is not None:
                progress(name)
            try:
                part()
            except _TimeUp:
                outcome.skipped[name] = f"the time of {seconds:g} s was up"
    return outcome


def _beside_constant(subject: Subject, answers: Answers, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Losses of the answers to all rows, and of the one best answer to everything."""
    import numpy as np

    return subject.losses(answers.predictions, rows), subject.losses(np.full(len(rows), subject.constant[1]), rows)


@dataclass(frozen=True)
class _Parts:
    """The parts of an audit: what each finds it puts into the outcome as it goes, for its time may end."""

    queries: Queries
    sizes: Sizes
    attacks: Sequence[RowAttack]
    seed: int
    fill: str
    rates: Mapping[str, float]
    order: np.ndarray  # shape (n_rows,): all rows, shuffled
    constant: np.ndarray  # shape (n_rows,): losses of the one best answer to everything
    outcome: Outcome

    @property
    def subject(self) -> Subject:
        return self.queries.subject

    @property
    def before(self) -> np.ndarray:
        """Losses with nothing lost."""
        return self.outcome.row_losses

    @property
    def split(self) -> SearchedRows:
        half = min(self.sizes.search, self.subject.n_rows // 2)
        return SearchedRows(self.order[:half], self.order[half:])

    def in_order(self) -> dict[str, Callable[[], None]]:
        """The parts by their names, what is most asked first."""
        return {
            "columns": self.columns,
            **({"outages": self.outages} if self.rates else {}),
            "gaps": self.gaps,
            "sets": self.sets,
            "random": self.at_random,
            "rows": self.row_by_row,
            "pairs": self.pairs,
            "slices": self.slices,
        }

    def columns(self) -> None:
        """What the loss of each column costs."""
        self.outcome.columns += lose_each(self.queries, self.before, self.constant)

    def outages(self) -> None:
        """What outages at the given rates cost on average, with each fallback that the model takes."""
        columns = {place for each in self.queries.sources if each.name in self.rates for place in each.columns}
        refused = columns & self.outcome.filled.refuse_gaps.keys()
        taken = ("mean", "zero") if refused else ("gap", "mean", "zero")
        own = taken[0] if self.fill == "auto" else self.fill
        for fallback in (own, *(each for each in taken if each != own)):
            fills = fills_of(self.subject, fallback)
            queries = Queries(self.subject, self.queries.sources, fills, self.queries.asked)
            self.outcome.outages.append(expect(queries, self.rates, self.before, fallback))

    def gaps(self) -> None:
        """How gaps and other faults in one column are taken."""
        # On all rows, if there are not too many questions in that.
        most = max(self.sizes.probed, self.sizes.questions // (_FAULTS * len(self.subject.columns)))
        few, costs = self.order[:most], self._costs_of_gaps()
        for each in probe(self.subject, few, self.seed):
            if each.kind == "NaN" and each.cost is not None:
                each = replace(each, cost=costs.get(each.column, each.cost))
            self.outcome.probes.append(each)
            self._look_at_the_clock()
        for reading in read_gaps(self.subject, few[:_GAPS_READ]):
            self.outcome.readings.append(reading)
            self._look_at_the_clock()

    def _look_at_the_clock(self) -> None:
        if self.queries.asked is not None:
            self.queries.asked()

    def _costs_of_gaps(self) -> dict[str, Estimate]:
        """By column, what its loss costs on all rows, where it is lost alone and becomes a gap."""
        costs = {each.source: each.cost for each in self.outcome.columns}
        sources = [each for each in self.queries.sources if each.name in costs and len(each.columns) == 1]
        alone = {each.columns[0]: costs[each.name] for each in sources}
        refused = self.outcome.filled.refuse_gaps if self.fill in ("auto", "gap") else alone
        return {self.subject.columns[place].name: cost for place, cost in alone.items() if place not in refused}

    def sets(self) -> None:
        """The worst columns for all rows alike."""
        sizes, columns = self.sizes, self.outcome.columns
        self.outcome.sets.extend(
            lose_sets(self.queries, self.split, columns, self.constant, sizes.largest, sizes.questions)
        )

    def pairs(self) -> None:
        """Columns that cost more together than apart."""
        self.outcome.pairs, self.outcome.every_pair = lose_pairs(self.queries, self.split, self.sizes.questions)

    def at_random(self) -> None:
        """Columns lost at random."""
        found = lose_at_random(
            self.queries,
            self.before,
            self.outcome.columns,
            draws=self.sizes.draws,
            questions=self.sizes.questions,
            seed=self.seed,
            most=self.sizes.most_random,
        )
        self.outcome.random.extend(found)

    def row_by_row(self) -> None:
        """The worst columns of each row."""
        last = OwnAttack(self.sizes.questions, self.sizes.nodes)
        known: list[RowAttack] = [*self.attacks, last]
        rows = self.order[: self.sizes.attacked]
        self.outcome.attacked.extend(attack_rows(self.queries, rows, self.constant[rows], self.sizes.largest, known))
        if last.refused:
            self.outcome.notes.append(
                f"The worst of each row is what asking found; nothing proves that there is no worse ({last.refused})."
            )

    def slices(self) -> None:
        """Whom the model fails, and whom the loss of the worst column hits."""
        import numpy as np

        subject, outcome, rows = self.subject, self.outcome, np.arange(self.subject.n_rows)
        low, high = (0.0, 1.0) if subject.shares else (-np.inf, np.inf)
        outcome.slices = compare_slices(subject.columns, rows, self.before, (low, high))
        if outcome.columns:
            worst = outcome.columns[0]
            outcome.sliced_by = worst.source
            rises = worst.losses - self.before
            outcome.slices_lost = compare_slices(subject.columns, rows, rises, (low - high, high - low))
