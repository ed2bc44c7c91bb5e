"""What follows from the numbers: findings with a stable code, a level that intervals decide, and a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from benchkit_audit.estimates import HUGE, Estimate, bare, heaviest, number_text
from benchkit_audit.gaps import GAP, Filler, way_for_all
from benchkit_audit.hardened import best_hardened
from benchkit_audit.lost import FALLBACKS, Lost
from benchkit_audit.measure import HARMLESS, LEAK, MATTERS, Outcome, Relation
from benchkit_audit.metrics import Metric
from benchkit_audit.pairs import LostPair
from benchkit_audit.subject import Subject, listed

Level = Literal["issue", "tip", "passed", "not applicable", "skipped"]
LEVELS: tuple[Level, ...] = ("issue", "tip", "passed", "not applicable", "skipped")


@dataclass(frozen=True)
class Finding:
    """What an audit found: an issue is decided by intervals, a tip is worth a look, or open."""

    code: str  # of `CHECKS`
    level: Level
    text: str
    advice: str = ""  # what to do

    @property
    def name(self) -> str:
        """Its name in words."""
        return CHECKS[self.code].name


_NAMED = 4
_GUARDED = 8
_HALF = 0.5
_USELESS = 5  # times the loss: an end of its interval beyond that
_TOO_WIDE = 0.25  # of the scale, or of what the model gains: an interval that says nothing of one column alone


@dataclass(frozen=True)
class Guarded:
    """Columns, or a source, to guard."""

    lost: tuple[str, ...]  # one, or a pair of which either is spared and not both
    cost: Estimate  # what the loss costs in the metric
    wrong_of_1000: float  # so many more answers are wrong; NaN of a regression
    missed_of_1000: float  # of these of the class that the metric looks for; NaN where it is not one of two
    stands_in: tuple[str, ...]  # what must not fail with it
    pair: Relation  # what both of a pair are to each other; nothing of one
    # How the model takes a gap: ``raises``, ``filled`` (imputed), ``learned`` (it, and these rows, have gaps to learn
    # from), or ``silent`` (it answers, and neither an imputer nor gaps in these rows show that this is meant)
    gap: str
    decided: bool  # whether the loss is decided to cost something


def guard_list(outcome: Outcome) -> list[Guarded]:
    """What to guard: columns, then pairs, whose loss costs `Outcome.least` or more, what is sure first, then by cost.

    A pair stands there where both cost more than the sum, surely or not. A column whose interval reaches as far below
    0 as it costs, or further, is no more likely to cost than noise.
    """
    by, entries = 1000 if outcome.subject.task == "classification" else math.nan, list[Guarded]()
    pairs = {each.sources: (each, relation) for each in outcome.pairs if (relation := outcome.relation(each))}

    def add(lost: tuple[str, ...], each: Lost | LostPair, partners: Sequence[str], relation: Relation) -> None:
        wrong, gap, decided = by * each.errors, way_of_gap(outcome, lost), each.cost.above(0.0)
        stands_in = tuple(dict.fromkeys(partners))
        entries.append(Guarded(lost, each.cost, wrong, by * each.missed, stands_in, relation, gap, decided))

    for each in outcome.columns:
        if each.cost.value >= outcome.least and not -math.inf < each.cost.low <= -each.cost.value:
            own = {two: relation for two, (_, relation) in pairs.items() if each.source in two}
            partners = [
                f"{name}{'?' if relation == 'open' else ''}"
                for two, relation in own.items()
                for name in two
                if name != each.source and relation != "together"
            ]
            add((each.source,), each, partners, "")
    for two, (pair, relation) in pairs.items():
        if relation != "open" or pair.excess.value >= outcome.added(pair):
            add(two, pair, (), relation)
    return sorted(entries, key=lambda entry: (not entry.decided, entry.pair != "", -entry.cost.value))


def way_of_gap(outcome: Outcome, names: Sequence[str]) -> str:
    """How the model takes gaps in some sources; it has learned what they tell where the hold-out has some, too."""
    places = [place for each in outcome.sources if each.name in names for place in each.columns]
    ways, columns = ways_of_gaps(outcome), [outcome.subject.columns[place].name for place in places]
    return ", ".join(dict.fromkeys(ways[name] for name in columns if name in ways))


def ways_of_gaps(outcome: Outcome) -> dict[str, str]:
    """The same of every column.

    What an imputer puts far from all values is learned only where these have gaps, and the mean is no better in their
    place: a model that was trained without gaps sends them anywhere.
    """
    unlearned = {each.column for each in outcome.fillers if math.isnan(each.value)}
    readings = {each.column: each for each in outcome.gap_readings}
    columns = {each.name: each for each in outcome.subject.columns}
    ways = {}
    for each in outcome.faults:
        if each.kind == GAP:
            reading, values = readings.get(each.column), columns[each.column].values
            imputed = reading is not None and reading.how == "imputed"
            own = reading is not None and (reading.how == "own" or (imputed and reading.beyond))
            learned = own and values.isna().any() and each.column not in unlearned
            way = "learned" if learned else "filled" if imputed and not own else "silent"
            ways[each.column] = "raises" if each.raised else way
    return ways


Answer = tuple[Level, str] | tuple[Level, str, str]  # level, text and, where there is some, advice


class Check(NamedTuple):
    """A question that an audit asks of its numbers."""

    name: str
    question: str
    part: str  # of the outcome that answers it
    answer: Callable[[Outcome], Answer]


CHECKS: dict[str, Check] = {}
"""By code, which never changes its meaning."""


def _check(code: str, name: str, part: str) -> Callable[[Callable[[Outcome], Answer]], None]:
    """Ask what the first line of a function's docstring says."""

    def add(answer: Callable[[Outcome], Answer]) -> None:
        CHECKS[code] = Check(name, (answer.__doc__ or "").partition("\n")[0], part, answer)

    return add


def findings_of(outcome: Outcome) -> list[Finding]:
    """Every finding that rows give, in the order of codes."""
    findings = []
    for code, check in CHECKS.items():
        if getattr(outcome, check.part):
            findings.append(Finding(code, *check.answer(outcome)))
        elif check.part in outcome.skipped:
            findings.append(Finding(code, "skipped", f"Skipped: {outcome.skipped[check.part]}."))
        else:
            findings.append(Finding(code, "not applicable", _NOT_MEASURED.get(check.part, "Nothing was measured.")))
    return findings


@_check("BK001", "better-than-constant", "before")
def _better_than_constant(outcome: Outcome) -> Answer:
    """Is the model better than always giving the same answer?"""
    subject, against = outcome.subject, outcome.against_constant
    model = f"The model {performance(subject, outcome.before)}"
    middle = "median" if subject.metric.name == "absolute" else "mean"
    middle = "" if subject.classes else f", the {middle} of the target,"
    kind = "always giving" if subject.metric.kind == "scores" else "the constant answer"
    constant = f"{kind} {subject.constant[0]}{middle} {performance(subject, bare(outcome.constant.value))}"
    if subject.metric.name == "recall":  # which always answering that class has whole
        return "not applicable", f"{model}."
    if against.below(0.0):
        return "passed", f"{model}; {constant}."
    relation = "worse than" if against.above(0.0) else "not shown to be better than"
    advice = "Check that the labels and the columns of the hold-out are those of the training data."
    if row := decisive_row(outcome, outcome.intact.values):
        other = "" if subject.metric.name == "absolute" else ", or judge by absolute errors (--metric absolute)"
        advice = f"{row} of the errors: look at it{other}."
    level: Level = "issue" if math.isfinite(against.high) else "tip"
    return level, f"{model}, {relation} always giving the same answer: {constant}.", advice


@_check("BK002", "column-loss", "columns")
def _column_loss(outcome: Outcome) -> Answer:
    """Does the loss of one column hurt?"""
    subject, limit = outcome.subject, MATTERS * outcome.scale
    if heavy := [each for each in outcome.columns if each.cost.above(limit)]:
        names = _listed([f"{each.source} ({rise(subject, each.cost)})" for each in heavy])
        advice = "Watch what feeds them: an alarm where values are missing, and a fallback."
        return "issue", f"The loss of one column costs: {names}.", advice
    worst, most = outcome.columns[0], max(each.cost.high for each in outcome.columns)
    text = f"The worst column to lose is {worst.source} ({rise(subject, worst.cost)})"
    if most < limit:
        return "passed", f"{text}; any one costs {rise(subject, bare(max(most, 0.0)))} at most."
    return "tip", f"{text}; these rows are too few to say whether one costs more than {rise(subject, bare(limit))}."


_RELATIONS: dict[Relation, str] = {
    "stand in": "Pairs that stand in for each other{rows}: {pairs}.",
    "together": "Both together cost more than each alone, though neither tells what the other does{rows}: {pairs}.",
    "open": "Pairs that may stand in for each other, of which these rows are too few to be sure{rows}: {pairs}.",
}


@_check("BK003", "pair-loss", "pairs")
def _pair_loss(outcome: Outcome) -> Answer:
    """Do two columns stand in for each other, so that losing both hurts?"""
    subject, rows = outcome.subject, of_rows(outcome.subject, outcome.pairs[0].cost.n)
    texts = []
    for relation, words in _RELATIONS.items():
        if pairs := [each for each in outcome.pairs if outcome.relation(each) == relation]:
            costs = [
                f"{listed(each.sources, ' and ')} cost {rise(subject, each.cost)} together, "
                f"{rise(subject, each.excess)} more than the sum of both"
                for each in pairs
            ]
            texts.append(words.format(rows=rows, pairs=_listed(costs)))
    if not texts:
        return "passed", "No pair was found of which each surely stands in for the other."
    level: Level = "issue" if any(outcome.relation(each) == "stand in" for each in outcome.pairs) else "tip"
    return level, " ".join(texts), "See that they do not come from one source."


@_check("BK004", "worst-set", "sets")
def _worst_set(outcome: Outcome) -> Answer:
    """Does losing the worst columns harm it more than a plain model?"""
    subject, beyond = outcome.subject, outcome.beyond_plain
    worse = [size for size, more in beyond.items() if more.above(MATTERS * outcome.scale)]
    if not worse:
        return (
            "passed",
            "Where each loses its own worst columns, the model is not shown to be worse than a plain linear one.",
        )
    worst = next(each for each in outcome.sets if each.lost == worse[0])
    left = f"{performance(subject, worst.loss)}{on_rows(subject, worst.loss, worst.cost)}"
    text = (
        f"After the loss of {_columns(worst.lost)} ({listed(worst.sources)}) the model {left}: worse than a plain model"
    )
    advice = "Train for lost columns (--train shows what that gives)."
    if any(each.gain for each in outcome.hardened):
        advice = "See that these do not fail: it is not sure that training for lost columns helps (BK014)."
        advice = "Train for lost columns (BK014)." if best_hardened(outcome) else advice
    return "issue", f"{text} after its own worst, by {rise(subject, beyond[worse[0]])}.", advice


def _columns(count: int) -> str:
    return "one column" if count == 1 else f"{count} columns"


@_check("BK006", "gap-raises", "faults")
def _gap_raises(outcome: Outcome) -> Answer:
    """Does the model raise at a gap?"""
    raised = [each for each in outcome.faults if each.kind == GAP and each.raised]
    if not raised:
        return "passed", "The model answers with a gap in any of its columns."
    all_of_them = len(raised) == len(outcome.subject.columns)
    where = "every column" if all_of_them else _listed([each.column for each in raised])
    advice = f"Impute in its pipeline, or refuse such rows before: gaps stop it. It raises {raised[0].raised}"
    return "tip", f"The model raises at a gap in {where}.", advice


@_check("BK007", "gap-change", "faults")
def _gap_change(outcome: Outcome) -> Answer:
    """Are gaps read silently as a number that nobody chose?

    What is imputed or learned is meant so.
    """
    tried = [(each, each.changed) for each in outcome.faults if each.kind == GAP and each.changed is not None]
    marks = "".join(f" {_of_filler(outcome, each)}" for each in outcome.fillers)
    reading = (_how_read(outcome) if tried else " The model takes no gap.") + marks
    rows = of_rows(outcome.subject, min((changed.n for _, changed in tried), default=0))
    rows += " drawn at random" if rows else ""  # all of them would take long
    ways = ways_of_gaps(outcome)
    by_mistake = {
        each.column
        for each in outcome.gap_readings
        if each.how in ("value", "lowest", "highest") or (each.beyond and ways[each.column] == "silent")
    }
    far, classes = 0.0, outcome.subject.task == "classification"
    if not classes:  # a number nearly always moves: what counts is how far
        far = MATTERS * float(abs(outcome.subject.truth - outcome.subject.truth.mean()).mean())
    tried.sort(key=lambda pair: -pair[1].value if classes else -pair[0].moved)
    readings = {each.column: each for each in outcome.gap_readings}
    # Where a class is rare, a gap can cost much and change few answers.
    gaps = {outcome.subject.columns[place].name for place, value in outcome.filled.values.items() if value != value}
    costs = {each.source: each.cost for each in outcome.columns if each.source in gaps}
    harmful = {name for name, cost in costs.items() if cost.above(MATTERS * outcome.scale)}
    heavy = []
    for each, changed in tried:
        moves = changed.above(MATTERS) and (classes or each.moved > far)
        if each.column in by_mistake and (moves or each.column in harmful):
            much = percent(changed.value) if classes else f"by {number_text(each.moved, 3)} in the mean"
            much = much if moves else f"costs {rise(outcome.subject, costs[each.column])}"
            heavy.append(f"{each.column} is read {readings[each.column]}: {much}")
    if heavy:
        advice = "Nothing shows that an input was missing: check for gaps before the model is asked."
        return "issue", f"A gap changes answers and raises no error{rows}: {_listed(heavy)}.{reading}", advice
    if beyond := [name for name in by_mistake if name in costs and costs[name].above(0.0)]:
        texts = [f"{name} is read {readings[name]}: costs {rise(outcome.subject, costs[name])}" for name in beyond]
        return "tip", f"A gap raises no error: {_listed(texts)}.{reading}", "Check for gaps before the model is asked."
    if strange := [each for each in outcome.fillers if not each.worse.above(0.0)]:
        worst = min(strange, key=lambda each: each.worse.high)
        advice = f"Make gaps of {worst.value:g} in {worst.column} before training, and impute these."
        if math.isnan(worst.value):
            advice = f"Impute {worst.column} in the pipeline, or train on more rows that have such gaps."
        return "issue" if worst.worse.below(0.0) else "tip", reading.strip(), advice
    if not tried:
        return "not applicable", reading.strip()
    most = f"changes at most {percent(max(changed.high for _, changed in tried))} of answers"
    most = most if classes else f"moves answers by {number_text(tried[0][0].moved, 3)} in the mean at most"
    return "passed", f"A gap in one column {most}{rows}.{reading}"


def _of_filler(outcome: Outcome, filler: Filler) -> str:
    """What the model makes of a number that marks what is missing, and how sure that is."""
    numbers = [filler.worse.value, filler.worse.low, filler.worse.high]
    classes = outcome.subject.task == "classification"
    by, low, high = (points(each) if classes else number_text(each, 3) for each in numbers)
    learned = "the model has learned that" if filler.worse.above(0.0) else "the model takes it for a number"
    undecided = not filler.worse.above(0.0) and not filler.worse.below(0.0)
    learned = "it is not sure whether the model has learned that" if undecided else learned
    holds = f"{filler.column} holds {filler.value:g} in {filler.worse.n:,} rows, which seems to mark what is missing"
    if math.isnan(filler.value):
        holds, learned = f"{filler.column} is missing in {filler.worse.n:,} rows", "the mean is better than the gap"
    return (
        f"{holds}; {learned}: with the mean in its place errors there change by {by}{' points' if classes else ''} "
        f"[{low}, {high}]."
    )


def _how_read(outcome: Outcome) -> str:
    """How gaps are read, where that is the same in every column of numbers, or in some."""
    readings = [each for each in outcome.gap_readings if each.how not in ("nothing", "raises")]
    if way := way_for_all(readings):
        return f" It reads a gap {way}."
    ways: dict[str, list[str]] = {}
    for each in readings:
        ways.setdefault(" or ".join(each.ways), []).append(each.column)
    parts = [f"{way} in {_listed(columns)}" for way, columns in sorted(ways.items(), key=lambda each: -len(each[1]))]
    return f" It reads a gap {'; '.join(parts[:_NAMED])}." if parts else ""


@_check("BK008", "silent-fault", "faults")
def _silent_fault(outcome: Outcome) -> Answer:
    """Do other faults of a column do more harm than to a plain model?"""
    subject, limit = outcome.subject, MATTERS * outcome.scale
    heavy = [
        (cost.value, f"{each.kind} in {each.column} ({rise(subject, cost)})")
        for each in outcome.faults
        if each.unnoticed and (cost := each.cost) is not None and cost.above(limit)
        if each.kind.startswith("x ") or (each.beyond_plain is not None and each.beyond_plain.above(limit))
    ]
    if not heavy:
        return "passed", "No other fault within a column's range is shown to harm it more than a plain linear model."
    rows = on_rows(subject, outcome.probed, bare(0.0)) if outcome.probed is not None else ""
    rows = rows.replace(" rows", " rows drawn at random", 1)
    texts = [text for _, text in sorted(heavy, key=lambda each: -each[0])]
    advice = "Check units and stuck values before the model; a check of ranges does not see these."
    return "tip", f"Answers become wrong and no error is raised{rows}: {_listed(texts)}.", advice


@_check("BK009", "unseen-category", "faults")
def _unseen(outcome: Outcome) -> Answer:
    """Does a category that is new, or an empty text, make it raise?"""
    tried = [each for each in outcome.faults if each.kind in ("unseen", "empty")]
    if not tried:
        return "not applicable", "No column holds texts."
    if raised := [each for each in tried if each.raised]:
        names = list(dict.fromkeys(each.column for each in raised))
        dates = {each.name for each in outcome.subject.columns if each.name in names and each.holds_dates}
        advice = "Let the model take values that it does not know (of a OneHotEncoder: handle_unknown='ignore')"
        advice = "Make gaps of texts that are no dates (pandas.to_datetime, errors='coerce')" if dates else advice
        what = "A text that is no date" if dates.issuperset(names) else "A text that the column never had"
        return (
            "tip",
            f"{what} makes it raise in {_listed(names)}: {raised[0].raised}",
            f"{advice}, or refuse such rows.",
        )
    return "passed", "A new category or an empty text is answered in every column of texts."


@_check("BK011", "slice", "slices")
def _slices(outcome: Outcome) -> Answer:
    """Are some rows hit much harder than others?"""
    classes = outcome.subject.task == "classification"
    limit = MATTERS if classes else float(outcome.errors.mean()) / 2  # some rows are a little harder for any model
    apart = [(each.what, each.mean.value - each.others) for each in outcome.slices if each.p < 0.05]
    texts = [
        f"{what} ({f'{points(by)} points' if classes else number_text(by)} more)" for what, by in apart if by > limit
    ]
    if not texts:
        return "passed", "No slice is surely much worse than the others."
    return "tip", f"Errors are {'more frequent' if classes else 'larger'} where {_listed(texts, 3)}."


@_check("BK012", "one-column", "columns")
def _one_column(outcome: Outcome) -> Answer:
    """Does one column alone decide? Then it may be a leak."""
    subject, leaks, told = outcome.subject, outcome.leaks, None
    if leaks:
        names = listed(sorted(leaks, key=lambda name: -leaks[name]), " and ")
        each = "each alone tell" if len(leaks) > 1 else "alone tells"
        share = f"{math.floor(100 * min(leaks.values()))} %"
        text = f"{names} {each} the target: a tree of it explains {share} of what varies there, on rows that it was not"
        told = f"{text} fitted on.", _leak_advice(names)
        if max(leaks.values()) >= LEAK:
            return "issue", *told
    if len(outcome.sources) > 1 and outcome.gained and subject.metric.name != "recall":
        best = min(outcome.columns, key=lambda each: each.others.value)
        name, cost, limit = best.source, best.others, outcome.least
        most = f"with every other column lost the model is worse by {rise(subject, bare(max(cost.high, 0.0)))} at most"
        is_wide = cost.high - cost.low > _TOO_WIDE * min(outcome.scale, -outcome.against_constant.value)
        if cost.below(limit) and not is_wide:
            return "issue", f"{name} alone decides: {most}, the upper end of the interval.", _leak_advice(name)
    elif not told:
        return "not applicable", "There is one column, or the model is not surely better than a constant answer."
    if told:
        return "tip", *told
    if cost.above(limit):
        return "passed", "No column alone answers as well as all do."
    if is_wide:
        return "not applicable", "These rows do not tell whether one column alone answers as well as all do."
    text = f"{name} alone may answer as well as all columns do, but these rows are too few to be sure: {most}."
    return "tip", text, _leak_advice(name)


def _leak_advice(names: str) -> str:
    return (
        f"Check that {names} is known when the model is asked, and not only after the answer (a leak): if not, train "
        "without it."
    )


@_check("BK014", "hardened", "hardened")
def _hardened(outcome: Outcome) -> Answer:
    """Does a model that is trained for lost columns stand their loss better?"""
    if not any(each.gain for each in outcome.hardened):
        why = next((each.failed for each in outcome.hardened if each.failed), outcome.skipped.get("sets", "no time"))
        return "skipped", f"Nothing was compared: {why}."
    best, subject = best_hardened(outcome), outcome.subject
    if best is None or best.gain is None or best.price is None or best.outcome is None:
        trained = sum(each.gain is not None for each in outcome.hardened)
        text = f"None of {trained} models trained for lost columns surely gains more where the worst columns are lost"
        rest = len(outcome.hardened) - trained
        return "passed", f"{text} than it costs where none is{f'; {rest} were not trained' if rest else ''}."
    own, worst = next(each for each in best.outcome.sets if each.lost == best.lost), _columns(best.lost)
    text = (
        f"Trained for lost columns, {best.name} {performance(subject, own.loss)}{on_rows(subject, own.loss, own.cost)}"
    )
    price = change(subject, best.price).replace("the model", "it")
    text += f" where its worst {worst} are lost: better by {rise(subject, best.gain)}; where none is lost {price}."
    return "tip", text, "Weigh the price against how often columns are lost."


@_check("BK015", "threshold", "thresholds")
def _threshold(outcome: Outcome) -> Answer:
    """Would another threshold cost less (`--cost`)?"""
    subject, best = outcome.subject, outcome.thresholds[0]
    decided = best.gain.above(0.0)
    if not decided and best.gain.value < _LARGE_GAIN * best.now.value:
        return "passed", "No other threshold surely costs less."
    label, of = outcome.subject.classes[subject.metric.case or 0], of_rows(subject, best.gain.n)
    less = f"answers cost {rise(subject, best.gain)} less{of}, where they cost {score(subject.metric, best.now)}"
    less += " now" if decided else " now; too few of these rows are at stake to be sure"
    text = f"If {label!r} is predicted from a probability of {best.value:.3g} on, {less}."
    return "tip", text, f"Predict it from there on; --threshold {best.value:.3g} audits that."


_LARGE_GAIN = 0.5  # of the cost: so much is worth a word also where few rows decide nothing


# Why nothing was measured where the part was not skipped.
_NOT_MEASURED = {
    "pairs": "There is one column.",
    "thresholds": "No cost was given (--cost), or the model gives no probabilities of two classes.",
    "slices": "No category or quarter of a column has enough rows.",
    "hardened": "No training table was given (--train), or no method is for its target.",
}


def _listed(texts: list[str], most: int = _NAMED) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ("; " if any("," in each for each in texts) else ", ").join(texts[:most]) + more


def paragraph(outcome: Outcome, findings: Sequence[Finding]) -> str:
    """What was found, for somebody who reads nothing else: how good it is, what to guard, and what would help."""
    model, subject, metric = CHECKS["BK001"].answer(outcome)[1], outcome.subject, outcome.subject.metric
    texts = [f"On {subject.n_rows:,} rows {model[0].lower()}{model[1:]}"]
    if metric.why:
        texts.append(f"It is judged by {metric.words}: {metric.why}.")
    if outcome.root is not None:
        texts.append(f"The root mean squared error is {score(metric, outcome.root)}.")
    if row := decisive_row(outcome, outcome.intact.values):
        texts.append(f"{row} of that: look at it, for these rows then say little of new ones.")
    leaked = ("issue", "tip") if outcome.leaks else ("issue",)
    texts += [f"{each.text} {each.advice}" for each in findings if each.code == "BK012" and each.level in leaked]
    texts += [*_what_to_guard(outcome)]
    texts += [each.text for each in findings if each.code in ("BK015", "BK006") and each.level == "tip"]
    if outcome.outages:
        own, *fallbacks = outcome.outages
        rest = [f"{rise(subject, bare(each.cost.value), 2)} with {FALLBACKS[each.fallback]}" for each in fallbacks]
        cost = rise(subject, own.cost, 2) + (" of right answers" if metric.kind == "shares" else f" of {metric.words}")
        text = f"At the given rates outages cost {cost} on average, with {FALLBACKS[own.fallback]} for what is out"
        texts.append(f"{text} ({', '.join(rest)})." if rest else f"{text}.")
    texts += [each.text for each in findings if (each.code, each.level) == ("BK014", "tip")]
    codes = ("BK001", "BK002", "BK003", "BK012")
    others = [f"{each.name} ({each.code})" for each in findings if each.level == "issue" and each.code not in codes]
    texts.append(f"Other issues: {', '.join(others)}." if others else "")
    texts.append(f"Skipped for time (--seconds): {', '.join(outcome.skipped)}." if outcome.skipped else "")
    return " ".join(filter(None, texts))


def _what_to_guard(outcome: Outcome) -> Iterator[str]:
    """The list of what to guard in sentences: what surely costs something, with what it costs, and what is open."""
    entries = guard_list(outcome)
    sure = [each for each in entries if each.decided]
    texts = {
        each.lost: f"{' and '.join(listed([name]) for name in each.lost)} ({rise(outcome.subject, each.cost)})"
        for each in sure
    }
    if alone := [texts[each.lost] for each in sure if not each.pair]:
        more = f"; and {len(alone) - _NAMED} more in the list below" if len(alone) > _NAMED else ""
        what = f"{'; '.join(alone[:_NAMED])}{more}"
        watch = "Watch these (an alarm where values are missing, a fallback)"
        yield f"{watch}, for their loss surely costs something: {what}."
    if pairs := [texts[each.lost] for each in sure if each.pair == "stand in"]:
        yield f"See that these do not come from one source, for they stand in for each other: {_listed(pairs, 2)}."
    named = {name for each in sure for name in each.lost}
    if sure and (worst := max(entries, key=lambda each: each.cost.value)) not in sure:
        yield (
            f"{listed(worst.lost, ' and ')} costs most ({rise(outcome.subject, worst.cost)}), but these rows are "
            "too few to be sure of it."
        )
        named |= {*worst.lost}
    if unsure := [name for name in dict.fromkeys(name for each in entries for name in each.lost) if name not in named]:
        yield f"These rows are too few to say whether the loss of {first(unsure)} costs anything."
    if outcome.columns and not entries:
        yield nothing_to_guard(outcome)


def nothing_to_guard(outcome: Outcome) -> str:
    """That no column costs enough for the list, and what the worst costs."""
    worst, few = outcome.columns[0], outcome.columns[0].losses.few
    cost = f"{rise(outcome.subject, worst.cost)}{f' ({few})' if few else ''}"
    return f"No column costs {least_cost(outcome)}: the worst, {worst.source}, costs {cost}."


def least_cost(outcome: Outcome) -> str:
    """From which cost on a column is to guard, in words."""
    if outcome.least == HARMLESS * outcome.scale:
        return f"{rise(outcome.subject, bare(outcome.least))} or more"
    least = rise(outcome.subject, bare(outcome.least), 2)
    return f"{least} (a tenth of what the model surely gains over the constant answer) or more"


def decisive_row(outcome: Outcome, values: np.ndarray) -> str:
    """Which row makes half of what numbers vary by, and how much, in words; empty where none does."""
    row, share = heaviest(values)
    if outcome.subject.task == "classification" or share < _HALF or outcome.subject.numbers is None:
        return ""
    return f"Row {outcome.subject.numbers[row]} (the first is 0) alone makes {100 * share:.0f} % of the variance"


def at_most(outcome: Outcome, named: Container[str]) -> str:
    """What columns that are not named cost at most; empty where these rows give no interval."""
    most = max((each.cost.high for each in outcome.columns if each.source not in named), default=math.inf)
    cost = rise(outcome.subject, bare(max(0.0, most)))
    return (
        f"Each column that is not listed costs {cost} at most (the upper end of its interval)."
        if math.isfinite(most)
        else ""
    )


def first(names: Sequence[str]) -> str:
    """The first names in a row, and how many more there are."""
    more = [f"{len(names) - _GUARDED} more"] if len(names) > _GUARDED else []
    return listed([*names[:_GUARDED], *more], " and ")


def points(share: float, digits: int = 1) -> str:
    """Hundredths; zero has no sign."""
    return f"{round(100 * share, digits) + 0.0:.{digits}f}"


def percent(share: float) -> str:
    """A share of rows."""
    return f"{points(share)} %"


def _number(metric: Metric, value: float, low: float, high: float, after: str, digits: int = 1) -> str:
    """A number of the metric with its interval, where there is one; in its own unit to two digits of half of that."""
    half, decimals = (high - low) / 2, None
    if math.isfinite(metric.most) or metric.greater:
        decimals = 3
    elif 0 < half < math.inf and max(abs(low), abs(high)) < HUGE:
        decimals = max(0, 1 - math.floor(math.log10(half)))

    huge = any(HUGE <= abs(each) < math.inf for each in (value, low, high))

    def shown(each: float) -> str:
        if metric.percent:
            return points(each, digits)
        if decimals is not None:
            return f"{round(each, decimals) + 0.0:.{decimals}f}"
        return f"{each:.4g}" if huge else number_text(each)

    text = shown(value) + (after if metric.percent else "")
    return f"{text} [{shown(low)}, {shown(high)}]" if math.isfinite(half) else text


def score(metric: Metric, loss: Estimate) -> str:
    """The metric's own number: ``78.2 % [76.9, 79.4]``, ``0.690 [0.620, 0.750]``; of errors what is right.

    Where a row or a few make nearly all of squared errors their interval is too wide to say anything, and is left out.
    """
    if metric.kind == "squares" and loss.high > _USELESS * loss.value:
        loss = bare(loss.value)
    value, *ends = (
        1 - each if metric.kind == "shares" else metric.score(each) for each in (loss.value, loss.low, loss.high)
    )
    low, high = sorted(ends)
    return _number(metric, value, low, high, " %")


def performance(subject: Subject, loss: Estimate, exact: bool = True) -> str:
    """How good the answers are: ``is right in 78.2 % [76.9, 79.4]``, ``has F1 of 'yes' 0.690 [0.620, 0.750]``.

    Where more damage may be possible than was found, that is said.
    """
    metric = subject.metric
    verb = (
        "is right in"
        if metric.kind == "shares"
        else "is off by"
        if metric.name == "absolute"
        else f"has {metric.words}"
    )
    more = " or less" if metric.kind == "shares" or metric.greater else " or more"
    return f"{verb} {score(metric, loss)}{'' if exact else more}"


def of_rows(subject: Subject, n: int) -> str:
    """On how many rows, where these are not all."""
    return "" if n == subject.n_rows else f" on {n:,} rows"


def on_rows(subject: Subject, loss: Estimate, cost: Estimate) -> str:
    """The same for a loss, with what it is on these rows where nothing is lost."""
    rows = of_rows(subject, loss.n)
    return f"{rows} ({score(subject.metric, bare(loss.value - cost.value))} with nothing lost)" if rows else ""


def rise(subject: Subject, cost: Estimate, digits: int = 1) -> str:
    """By how much the metric worsens: ``7.2 points [6.1, 8.3]``, or in its own unit."""
    return _number(subject.metric, cost.value, cost.low, cost.high, " points", digits)


def change(subject: Subject, cost: Estimate) -> str:
    """The same as a sentence, that has no sign."""
    if cost.value < 0:
        return f"the model is better by {rise(subject, Estimate(-cost.value, -cost.high, -cost.low, cost.n))}"
    return f"the model is worse by {rise(subject, cost)}"


def unit(subject: Subject) -> str:
    """What costs are counted in."""
    metric = subject.metric
    if metric.kind == "shares":
        return "points of right answers"
    return f"points of {metric.words}" if metric.percent else metric.words
