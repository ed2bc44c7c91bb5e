"""All parts of an audit in their order, as far as time allows, and all that they measured."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchkit import RequestError
from benchkit_audit import gaps, lost
from benchkit_audit.estimates import Estimate, Losses, Slice, compare_slices
from benchkit_audit.model import Answers
from benchkit_audit.pairs import TOLD, LostPair, lose_pairs, share_told
from benchkit_audit.subject import Queries, Source, Subject, check_rates, make_sources

if TYPE_CHECKING:
    from benchkit_audit.hardened import Hardened

HARMLESS = 0.01  # below this nothing is to guard: one row in a hundred; of a regression, of the constant answer's loss
_OF_GAIN = 0.1
MATTERS = 0.05  # what makes an issue: five rows in a hundred, or such a share
# Of what the worse of a pair costs alone the least that the loss of both must add, for one to stand in for the other.
_STANDS_IN = 0.25
LEAK, _MAY_LEAK = 0.95, 0.75
"""Of what varies in the target: a source that tells so much of it, or of a class, may be known only after it."""
_CANDIDATES = 200  # of thresholds
MOST_ROWS = 10_000  # of the hold-out; a larger one is sampled
_SEARCHED = 800  # rows that sets of columns are searched on; what is found is judged on the others
_QUESTIONS = 150_000  # that a search may ask; a question is a row that the model answers
_ATTACKED = 400  # rows whose own worst loss is sought
_NODES = 1_000  # of the search that proves the worst loss of a row
_PROBED_ALONE = 5_000  # rows that tell whether one column alone tells the target
_PROBED = 300  # rows that each kind of fault is tried on, at least
_LARGEST = 5  # columns that a search loses at most
_TIMED = 1_000  # rows that are answered once with one thread and once with several
_SOONER = 0.8  # of the time of one thread: less is worth a processor more
_FAULTS = 6  # of a column
_MOST_CATEGORIES = 20
_GAPS_TRIED = 50
_GAPS_READ = 100
_FEW = 10  # times the rows below which sets are not told apart: what tells a column that alone decides from others
_CASES_SEARCHED = 3  # times the rows below which sets are not told apart, where the metric is of a rare class
Relation = Literal["stand in", "together", "open", ""]
Progress = Callable[[str], None]  # takes the part that is at work


@dataclass(frozen=True)
class Threshold:
    """The threshold of the least cost on one half of the rows, and what it saves on the other half."""

    value: float
    now: Estimate  # the loss there at the model's own threshold, or the given one
    gain: Estimate


def better_threshold(subject: Subject, answers: Answers, order: np.ndarray) -> list[Threshold]:
    """Sought among quantiles of the probabilities; nothing where no cost is the metric, or there are none of these."""
    case = subject.metric.case
    if subject.metric.name != "cost" or case is None or not subject.has_probabilities or answers.scores is None:
        return []
    scores, (chosen, judged) = answers.scores[:, case], np.array_split(order, 2)
    candidates = np.unique(np.quantile(scores[chosen], np.linspace(0, 1, _CANDIDATES + 1)))

    def at(threshold: float, rows: np.ndarray) -> Answers:
        return Answers(np.where(scores[rows] >= threshold, case, 1 - case), None)

    inside = [float(each) for each in candidates if 0 < each < 1]
    value = min(inside, key=lambda each: subject.loss(at(each, chosen), chosen), default=0.5)
    now = subject.losses(answers.rows(judged), judged)
    return [Threshold(value, now.estimate(), now.less(subject.losses(at(value, judged), judged)))]


@dataclass
class Outcome:
    """What was measured, part by part; a part that was skipped is named, and may hold a beginning."""

    subject: Subject
    sources: list[Source]
    filled: gaps.Filled
    intact: Losses  # of each row where nothing is lost
    errors: np.ndarray  # shape (n_rows,): what each answer costs alone there
    beside: dict[str, float]  # other metrics there
    before: Estimate  # the loss where nothing is lost, and that less the constant answer's
    constant: Estimate  # the constant answer's loss
    thresholds: list[Threshold]  # of the least cost, where that is the metric
    root: Estimate | None  # of the mean squared error, where that is the metric
    against_constant: Estimate
    columns: list[lost.Lost] = field(default_factory=list)  # what costs most first
    told: dict[str, float] = field(default_factory=dict)  # how much of the target each source alone tells
    pairs: list[LostPair] = field(default_factory=list)
    sets: list[lost.Several] = field(default_factory=list)
    # By size, the loss after the worst set less that of a plain model after its own worst, on the same rows
    beyond_plain: dict[int, Estimate] = field(default_factory=dict)
    plain: Subject | None = None
    random: list[lost.Several] = field(default_factory=list)
    rows_attacked: list[lost.Several] = field(default_factory=list)
    faults: list[gaps.Probed] = field(default_factory=list)
    probed: Estimate | None = None  # the loss where nothing is lost on the rows that faults were tried on
    gap_readings: list[gaps.Reading] = field(default_factory=list)
    fillers: list[gaps.Filler] = field(default_factory=list)  # numbers that mark what is missing
    outages: list[lost.Outages] = field(default_factory=list)  # by fallback, that of the audit first
    slices: list[Slice] = field(default_factory=list)  # of errors where nothing is lost
    hardened: list[Hardened] = field(default_factory=list)  # on the same rows
    skipped: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def leaks(self) -> dict[str, float]:
        """Sources that alone tell so much of the target that they may be known only after it."""
        least = _MAY_LEAK if self.subject.classes else LEAK
        return {source: share for source, share in self.told.items() if share >= least}

    @property
    def scale(self) -> float:
        """What losses are compared with: 1 where that is their end, else the constant answer's."""
        metric = self.subject.metric
        return 1.0 if math.isfinite(metric.most) or metric.greater else self.constant.value or 1.0

    @property
    def gained(self) -> float:
        """What the model surely gains over the constant answer, as a loss."""
        return max(0.0, -self.against_constant.high)

    @property
    def least(self) -> float:
        """The least cost that is to guard: `HARMLESS` of the scale, or a tenth of what the model surely gains."""
        return min(HARMLESS * self.scale, _OF_GAIN * self.gained or math.inf)

    def added(self, pair: LostPair) -> float:
        """The least that the loss of both must add to the sum, for one to stand in for the other."""
        alone = [each.cost.value for each in self.columns if each.source in pair.sources]
        return max(self.least, *(_STANDS_IN * value for value in alone))

    def relation(self, pair: LostPair) -> Relation:
        """What two sources are to each other, where the loss of both costs enough for the list of what to guard.

        "stand in": the one tells at least half of what varies in the other, so that its noise is no larger than what
        both say, and losing both surely costs more than the sum of losing each, by no small part of what the worse
        costs alone. "together": they cost as much more, and tell little of each other, such as two independent columns
        of which either shows a fraud. "open": the one tells the other, and whether both cost as much more is not
        decided.
        """
        if pair.cost.value < self.least or pair.cost.value <= max(pair.first, pair.second):
            return ""
        more = pair.excess.above(0.0 if pair.told >= TOLD else self.least) and pair.excess.value >= self.added(pair)
        if more and pair.cost.above(0.0):
            return "stand in" if pair.told >= TOLD else "together"
        return "open" if pair.told >= TOLD and pair.excess.high > self.added(pair) else ""

    def measures(self) -> dict[str, Estimate]:
        """Every number that ``--fail-if`` may name."""

        def worst(several: list[Estimate]) -> list[Estimate]:
            """The largest of some numbers, whichever that is: their intervals, which hold at once, bound it so."""
            numbers = ((each.value, each.low, each.high) for each in several)
            value, low, high = map(max, zip(*numbers, strict=True)) if several else (0.0, 0.0, 0.0)
            return [Estimate(value, low, high, each.n) for each in several[:1]]

        several = {
            "loss": [self.before],
            "column-loss": worst([each.cost for each in self.columns]),
            "pair-loss": worst([each.excess for each in self.pairs]),
            "outage-loss": [each.cost for each in self.outages],
            **{f"worst-{each.lost}": [each.cost] for each in self.sets},
            **{f"row-worst-{each.lost}": [each.cost] for each in self.rows_attacked},
            **{f"random-{each.lost}": [each.cost] for each in self.random},
            "gap-change": worst([each.changed for each in self.faults if each.kind == gaps.GAP and each.changed]),
        }
        if "faults" in self.skipped:  # of some columns only
            del several["gap-change"]
        return {name: estimates[0] for name, estimates in several.items() if estimates}


class _TimeUp(Exception):  # noqa: N818 - no error: what is open is skipped
    pass


@contextmanager
def as_many_threads_as_help(subject: Subject) -> Iterator[None]:
    """One thread, or as many as libraries take by themselves: whichever answered some rows sooner."""
    from threadpoolctl import threadpool_limits

    table = subject.table(np.arange(min(_TIMED, subject.n_rows)), {})

    def seconds(limit: int | None) -> float:
        with threadpool_limits(limit):
            subject.answers(table)
            start = time.perf_counter()
            subject.answers(table)
            return time.perf_counter() - start

    with threadpool_limits(None if seconds(None) < _SOONER * seconds(1) else 1):
        yield


@dataclass
class _Parts:
    """The parts of an audit. What a part finds it puts into the outcome as it goes, for its time may end."""

    outcome: Outcome
    answers: Answers  # where nothing is lost
    order: np.ndarray  # of all rows
    searched: np.ndarray
    judged: np.ndarray
    fill: str
    rates: dict[str, float]  # of outages, by source
    random: np.random.Generator
    seed: int
    largest: int
    look_at_the_clock: Callable[[], None]

    def __post_init__(self) -> None:
        self.subject, self.sources = self.outcome.subject, self.outcome.sources
        self.queries = self._asking(self.outcome.filled.values)

    def _asking(self, fills: dict[int, Any], subject: Subject | None = None) -> Queries:
        return Queries(subject or self.subject, self.sources, fills, self.look_at_the_clock)

    def lose_columns(self) -> None:
        subject, outcome = self.subject, self.outcome
        few = np.sort(self.random.permutation(subject.n_rows)[: _FEW * subject.fewest])
        outcome.columns += lost.lose_each(self.queries, outcome.intact, outcome.errors, few, outcome.least)
        for source in self.sources:
            probed = self.order[: max(_PROBED_ALONE, _FEW * subject.fewest)]
            outcome.told[source.name] = share_told(subject, None, source, probed)
            self.look_at_the_clock()
        with_mean = self._asking(gaps.fills_of(subject, "mean"))
        as_gaps = {place for place, value in outcome.filled.values.items() if value != value}
        outcome.columns[:] = lost.put_means(
            with_mean, outcome.intact, outcome.errors, outcome.columns, as_gaps, outcome.least
        )

    def expect_outages(self) -> None:
        """With each fallback that the model takes, that of the audit first."""
        columns = {place for each in self.sources if each.name in self.rates for place in each.columns}
        refused = columns & self.outcome.filled.refuse_gaps.keys()
        taken = ("mean", "zero") if refused else ("gap", "mean", "zero")
        own = taken[0] if self.fill == "auto" else self.fill
        for fallback in (own, *(each for each in taken if each != own)):
            beside = self._asking(gaps.fills_of(self.subject, fallback))
            self.outcome.outages.append(lost.expect(beside, self.rates, self.outcome.intact, fallback))

    def try_faults(self) -> None:
        """On all rows, if there are not too many questions in that."""
        subject, outcome, half = self.subject, self.outcome, len(self.searched)
        few = self.order[: max(_PROBED, _QUESTIONS // (_FAULTS * len(subject.columns)))]
        outcome.plain, other = fit_plain(subject, self.searched), fit_plain(subject, self.judged[:half])
        plains = [] if outcome.plain is None or other is None else [outcome.plain, other]
        outcome.probed = subject.losses(self.answers.rows(few), few).estimate()
        for each in gaps.probe(subject, few, self.seed, plains, half):
            outcome.faults.append(each)
            self.look_at_the_clock()
        refused = {each.column for each in outcome.faults if each.kind == gaps.GAP and each.raised}
        outcome.fillers += gaps.find_fillers(subject, outcome.errors)
        for reading in gaps.read_gaps(subject, few[:_GAPS_READ], refused):
            outcome.gap_readings.append(reading)
            self.look_at_the_clock()

    def lose_several(self) -> None:
        """Beside the worst columns of a plain model."""
        outcome, rows = self.outcome, (self.searched, self.judged)
        pairs = [each.sources for each in outcome.pairs]
        outcome.sets.extend(lost.lose_sets(self.queries, *rows, outcome.columns, pairs, self.largest, _QUESTIONS))
        if outcome.plain is None:
            return
        plain = self._asking(gaps.fills_of(self.subject, "mean"), outcome.plain)
        for chosen, _ in lost.search_sets(plain, self.searched, len(outcome.sets), _QUESTIONS // 10):
            own = next(each for each in outcome.sets if each.lost == chosen.sum())
            if chosen.sum() > 1:
                outcome.beyond_plain[own.lost] = own.losses.less(plain.losses(self.judged, chosen))

    def compare_rows(self) -> None:
        subject = self.subject
        limits = (0.0, 1.0) if subject.task == "classification" else (-np.inf, np.inf)
        self.outcome.slices = compare_slices(subject.columns, self.outcome.errors, limits, subject.groups)

    def attack(self) -> None:
        reasons = []
        for worst, reason in lost.attack_rows(self.queries, self.order[:_ATTACKED], self.largest, _QUESTIONS, _NODES):
            self.outcome.rows_attacked.append(worst)
            reasons += [reason] if reason else []
        if reasons:
            asked = "The worst of each row is what asking found; nothing proves that there is no worse"
            self.outcome.notes.append(f"{asked} ({reasons[0]}).")


def measure(
    subject: Subject,
    *,
    groups: Mapping[str, Any] | None,
    seed: int,
    seconds: float,
    fill: str = "auto",
    attacker: bool = False,
    progress: Progress = lambda _: None,
    outages: Mapping[str, float] | None = None,
    only: Container[str] | None = None,
    largest: int = _LARGEST,
) -> Outcome:
    """Ask the model all that an audit asks, or some parts only; the subject has the whole hold-out."""
    given = subject.n_rows
    random = np.random.default_rng(seed)
    notes = []
    if given > MOST_ROWS:
        subject = subject.rows(np.sort(random.choice(given, MOST_ROWS, replace=False)))
        notes.append(f"This report is of {MOST_ROWS:,} of the {given:,} rows, drawn at random.")
    sources = make_sources([column.name for column in subject.columns], groups)
    rates = {} if outages is None else check_rates(outages, sources)
    order = _evenly(subject, random)
    if subject.groups is not None:  # a group is searched on or judged on, not both
        rank = random.permutation(int(subject.groups.max()) + 1)
        order = order[np.argsort(rank[subject.groups[order]], kind="stable")]
    half = min(max(_SEARCHED, _CASES_SEARCHED * subject.fewest), subject.n_rows // 2)
    searched, judged = order[:half], order[half:]
    filled = gaps.choose_fills(subject, order[:_GAPS_TRIED], fill)
    if fill == "gap" and filled.refuse_gaps:
        place, message = next(iter(filled.refuse_gaps.items()))
        raise RequestError(f"fill: the model takes no gap in {subject.columns[place].name!r} ({message}): give auto")
    rows = np.arange(subject.n_rows)
    # What is asked before the parts is no part: it is answered whatever the clock says.
    answers = Queries(subject, sources, filled.values).answers(rows)
    if subject.task == "classification" and (answers.predictions < 0).all():
        labels = ", ".join(subject.classes[:5])
        raise RequestError(f"the model's answers are none of the labels of the target, {labels}")
    intact = subject.losses(answers, rows)
    constant = replace(subject.losses(subject.constant[1], rows), few="")  # it is the same whatever it was drawn from
    outcome = Outcome(
        subject=subject,
        sources=sources,
        filled=filled,
        intact=intact,
        errors=subject.errors(answers, rows),
        beside=subject.scores_beside(answers, rows),
        before=intact.estimate(),
        constant=constant.estimate(),
        thresholds=better_threshold(subject, answers, order),
        root=subject.losses(answers, rows, subject.beside[0]).estimate() if subject.metric.name == "squared" else None,
        against_constant=intact.less(constant),
        notes=notes,
    )
    end = time.monotonic() + seconds

    def look_at_the_clock() -> None:
        if time.monotonic() > end:
            raise _TimeUp

    work = _Parts(outcome, answers, order, searched, judged, fill, rates, random, seed, largest, look_at_the_clock)
    parts: dict[str, Callable[[], None]] = {
        "columns": work.lose_columns,
        **({"outages": work.expect_outages} if rates else {}),
        "pairs": lambda: outcome.pairs.extend(lose_pairs(work.queries, searched, judged, _QUESTIONS)),
        "faults": work.try_faults,
        "sets": work.lose_several,
        "random": lambda: outcome.random.extend(lost.lose_at_random(work.queries, intact, seed)),
        "slices": work.compare_rows,
        **({"rows_attacked": work.attack} if attacker else {}),
    }
    with as_many_threads_as_help(subject):
        for name, part in parts.items():
            if only is not None and name not in only:
                continue
            progress(name)
            try:
                part()
            except _TimeUp:
                outcome.skipped[name] = f"the time of {seconds:g} s was up"
    return outcome


def _evenly(subject: Subject, random: np.random.Generator) -> np.ndarray:
    """Rows in an order in which each beginning has classes, or parts of the numbers' range, as all rows have them."""
    truth, parts = subject.truth, np.argsort(subject.classes)  # as texts: each model has an order of its own
    if subject.task == "regression":
        truth = np.searchsorted(np.quantile(truth, np.linspace(0, 1, _MOST_CATEGORIES + 1)[1:-1]), truth)
        parts = np.unique(truth)
    place = np.empty(len(truth))
    for part in parts:
        rows = random.permutation(np.flatnonzero(truth == part))
        place[rows] = (np.arange(len(rows)) + random.random()) / len(rows)
    return np.argsort(place, kind="stable")


def fit_plain(subject: Subject, rows: np.ndarray) -> Subject | None:
    """A logistic or ridge regression of some rows, that answers all rows; None where it cannot be fitted."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline

    numbers, truth = subject.task == "regression", subject.truth[rows]
    if not numbers and len(np.unique(truth)) < len(subject.classes):
        return None
    weighed = "balanced" if subject.metric.kind == "labels" and subject.metric.name != "cost" else None
    last = Ridge() if numbers else LogisticRegression(max_iter=300, class_weight=weighed)
    try:
        transformer, _ = prepare_columns(subject.rows(rows))
        with warnings.catch_warnings():  # where it stops early, what came of it is good enough
            warnings.simplefilter("ignore")
            asked = replace(subject, as_array=False)
            model = make_pipeline(transformer, last).fit(asked.table(rows, {}), truth)
        plain = replace(asked, model=model, how="predict" if numbers else "predict_proba", decided_by_scores=True)
        plain.answers(plain.table(rows, {}))
    except Exception:  # such as columns that are neither numbers nor texts: nothing is compared
        return None
    return plain


def prepare_columns(training: Subject) -> tuple[Any, list[int]]:
    """Numbers standardised, categories one-hot, a gap 0 in both; and the place of what each column is made of."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = [place for place, column in enumerate(training.columns) if column.kind == "number"]
    names = [column.name for column in training.columns]
    known = {
        place: column.values.dropna().value_counts().index[:_MOST_CATEGORIES].to_numpy(dtype=object)
        for place, column in enumerate(training.columns)
        if column.kind == "category" and column.values.notna().any()
    }
    parts: list[tuple[str, Any, list[str]]] = []
    if numbers:
        scaled = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        parts.append(("numbers", scaled, [names[place] for place in numbers]))
    if known:
        # A category that is none of these, as a gap is, leaves zeros.
        blocks = OneHotEncoder(categories=list(known.values()), handle_unknown="ignore", sparse_output=False)
        parts.append(("texts", blocks, [names[place] for place in known]))
    made_of = [*numbers, *(place for place, categories in known.items() for _ in categories)]
    return ColumnTransformer(parts, sparse_threshold=0), made_of
