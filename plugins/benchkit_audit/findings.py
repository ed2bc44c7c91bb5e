"""What follows from the numbers: findings with a stable code, a level that intervals decide, and a sentence."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from benchkit_audit.estimates import Estimate, bare, number_text
from benchkit_audit.gaps import GAP, Filler, way_for_all
from benchkit_audit.guard import decisive_row, ways_of_gaps
from benchkit_audit.hardened import best_hardened, not_compared
from benchkit_audit.measure import LEAK, MATTERS, Outcome, Relation
from benchkit_audit.subject import listed
from benchkit_audit.wording import first, of_rows, on_rows, performance, points, rise, score, several

Level = Literal["issue", "tip", "passed", "not applicable", "skipped"]
LEVELS: tuple[Level, ...] = ("issue", "tip", "passed", "not applicable", "skipped")
Answer = tuple[Level, str] | tuple[Level, str, str]  # level, text and, where there is some, advice
_TOO_WIDE = 0.25  # of the scale, or of what the model gains: an interval that says nothing of one column alone
_DATE = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_RELATIONS: dict[Relation, str] = {
    "stand in": "Pairs that stand in for each other{rows}: {pairs}.",
    "together": "Both together cost more than each alone, though neither tells what the other does{rows}: {pairs}.",
    "open": "Pairs that may stand in for each other, of which these rows are too few to be sure{rows}: {pairs}.",
}
_LARGE_GAIN = 0.5  # of the cost: so much is worth a word also where few rows decide nothing
# Why nothing was measured where the part was not skipped.
_NOT_MEASURED = {
    "pairs": "There is one column.",
    "thresholds": "No cost was given (--cost), or the model gives no probabilities of two classes.",
    "slices": "No category or quarter of a column has enough rows.",
    "hardened": "No training table was given (--train), or no method is for its target.",
}


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


class Check(NamedTuple):
    """A question that an audit asks of its numbers: the docstring of what answers it."""

    name: str
    part: str  # of the outcome that answers it
    answer: Callable[[Outcome], Answer]


CHECKS: dict[str, Check] = {}
"""By code, which never changes its meaning."""


def _check(code: str, name: str, part: str) -> Callable[[Callable[[Outcome], Answer]], None]:
    def add(answer: Callable[[Outcome], Answer]) -> None:
        CHECKS[code] = Check(name, part, answer)

    return add


def findings_of(outcome: Outcome) -> list[Finding]:
    """Every finding that rows give, in the order of codes."""
    findings = []
    for code, check in CHECKS.items():
        nothing: Answer = "not applicable", _NOT_MEASURED.get(check.part, "Nothing was measured.")
        found = check.answer(outcome) if getattr(outcome, check.part) else nothing
        if check.part in outcome.skipped and found[0] not in ("issue", "tip"):  # the rest may be otherwise
            found = "skipped", f"Skipped: {outcome.skipped[check.part]}."
        findings.append(Finding(code, *found))
    return findings


@_check("BK001", "better-than-constant", "before")
def _better_than_constant(outcome: Outcome) -> Answer:
    """Is the model better than always giving the same answer?"""
    subject, against = outcome.subject, outcome.against_constant
    model = f"The model {performance(subject, outcome.before)}"
    middle = "median" if subject.metric.name == "absolute" else "mean"
    middle = "" if subject.classes else f", the {middle} of the target,"
    answer = f"{subject.constant[0]}{middle}"
    answer = "giving every row the same scores" if subject.metric.kind == "scores" else f"the constant answer {answer}"
    constant = f"{answer} {performance(subject, bare(outcome.constant.value))}"
    if subject.metric.name == "recall":  # which always answering that class has whole
        return "not applicable", f"{model}."
    if against.below(0.0):
        return "passed", f"{model}; {constant}."
    relation = "worse than" if against.above(0.0) else "not shown to be better than"
    advice = "Check that the labels and the columns of the hold-out are those of the training data."
    if row := decisive_row(outcome, outcome.intact.values):
        other = "" if subject.metric.name == "absolute" else ", or judge by absolute errors (--metric absolute)"
        advice = f"{row} of its errors: look at it{other}."
    level: Level = "issue" if math.isfinite(against.high) else "tip"
    return level, f"{model}, {relation} always giving the same answer: {constant}.", advice


@_check("BK002", "column-loss", "columns")
def _column_loss(outcome: Outcome) -> Answer:
    """Does the loss of one column hurt?"""
    subject, limit = outcome.subject, MATTERS * outcome.scale
    if heavy := [each for each in outcome.columns if each.cost.above(limit)]:
        names = several([f"{each.source} ({rise(subject, each.cost)})" for each in heavy])
        advice = "Watch what feeds them: an alarm where values are missing, and a fallback."
        return "issue", f"The loss of one column costs: {names}.", advice
    worst, most = outcome.columns[0], max(each.cost.high for each in outcome.columns)
    text = f"The worst column to lose is {worst.source} ({rise(subject, worst.cost)})"
    if most < limit:
        return "passed", f"{text}; any one costs {rise(subject, bare(max(most, 0.0)))} at most."
    return "tip", f"{text}; these rows are too few to say whether one costs more than {rise(subject, bare(limit))}."


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
            texts.append(words.format(rows=rows, pairs=several(costs)))
    if not texts:
        return "passed", "No pair was found of which each surely stands in for the other."
    level: Level = "issue" if any(outcome.relation(each) == "stand in" for each in outcome.pairs) else "tip"
    return level, " ".join(texts), "See that they do not come from one source."


@_check("BK004", "worst-set", "sets")
def _worst_set(outcome: Outcome) -> Answer:
    """Is it worse than a plain model after the loss of its worst columns?"""
    subject, beyond, limit = outcome.subject, outcome.beyond_plain, MATTERS * outcome.scale
    worse = [size for size, more in beyond.items() if more.above(limit)]
    if not worse:
        text = "Where each loses its own worst columns, the model is not shown to be worse than a plain linear one"
        return "passed", f"{text} by more than {rise(subject, bare(limit))}."
    worst = next(each for each in outcome.sets if each.lost == worse[0])
    model = f"the model {performance(subject, worst.loss)}{on_rows(subject, worst.loss, worst.cost)}"
    text = f"After the loss of {_columns(worst.lost)} ({listed(worst.sources)}) {model}: worse than a linear one"
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
    where = "every column" if all_of_them else several([each.column for each in raised])
    advice = f"Refuse such rows, or impute in its pipeline and count gaps before. It raises {raised[0].raised}"
    return "tip", f"The model raises at a gap in {where}.", advice


@_check("BK007", "gap-change", "faults")
def _gap_change(outcome: Outcome) -> Answer:
    """Are gaps read silently as a number that nobody chose?

    What is imputed or learned is meant so.
    """
    tried = [(each, each.changed) for each in outcome.faults if each.kind == GAP and each.changed is not None]
    learned = [each for each in outcome.fillers if math.isnan(each.value) and each.worse.above(0.0)]
    marks = "".join(f" {_of_filler(outcome, each)}" for each in outcome.fillers if each not in learned)
    reading = (_how_read(outcome) if tried else " The model takes no gap.") + marks
    rows = of_rows(outcome.subject, min((changed.n for _, changed in tried), default=0))
    rows += " drawn at random" if rows else ""  # all of them would take long
    ways = ways_of_gaps(outcome)
    if unsure := [each.column for each in outcome.gap_readings if each.beyond and ways[each.column] == "open"]:
        reading += f" These rows do not show whether the model has learned what a gap in {first(unsure)} means."
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
            much = f"{points(changed.value)} % of answers{rows} change"
            much = much if classes else f"answers move by {number_text(each.moved, 3)} in the mean"
            much = much if moves else f"costs {rise(outcome.subject, costs[each.column])}"
            heavy.append(f"{each.column} is read {readings[each.column]}: {much}")
    if heavy:
        advice = "Nothing shows that an input was missing: check for gaps before the model is asked."
        return "issue", f"A gap changes answers and raises no error: {several(heavy)}.{reading}", advice
    if beyond := [name for name in by_mistake if name in costs and costs[name].above(0.0)]:
        texts = [f"{name} is read {readings[name]}: costs {rise(outcome.subject, costs[name])}" for name in beyond]
        return "tip", f"A gap raises no error: {several(texts)}.{reading}", "Check for gaps before the model is asked."
    if strange := [each for each in outcome.fillers if not each.worse.above(0.0)]:
        worst = min(strange, key=lambda each: each.worse.high)
        advice = f"Make gaps of {worst.value:g} in {worst.column} before training, and impute these."
        if math.isnan(worst.value):
            advice = f"Impute {worst.column} in the pipeline, or train on more rows that have such gaps."
        return "issue" if worst.worse.below(0.0) else "tip", reading.strip(), advice
    if not tried:
        return "not applicable", reading.strip()
    most = f"changes at most {points(max(changed.high for _, changed in tried))} % of answers"
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
    by += " points" if classes else ""
    return f"{holds}; {learned}: with the mean in its place errors there change by {by} [{low}, {high}]."


def _how_read(outcome: Outcome) -> str:
    """How gaps are read, where that is the same in every column of numbers, or in some."""
    readings = [each for each in outcome.gap_readings if each.how not in ("nothing", "raises")]
    if way := way_for_all(readings):
        return f" It reads a gap {way}."
    ways: dict[str, list[str]] = {}
    for each in readings:
        ways.setdefault(" or ".join(each.ways), []).append(each.column)
    parts = [f"{way} in {several(columns)}" for way, columns in sorted(ways.items(), key=lambda each: -len(each[1]))]
    return f" It reads a gap {'; '.join(parts[:4])}." if parts else ""


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
        text = f"No other fault within a column's range is shown to cost more than {rise(subject, bare(limit))}"
        return "passed", f"{text}, and that much more than a plain linear model loses."
    rows = on_rows(subject, outcome.probed, bare(0.0)) if outcome.probed is not None else ""
    rows = rows.replace(" rows", " rows drawn at random", 1)
    texts = [text for _, text in sorted(heavy, key=lambda each: -each[0])]
    advice = "Check units and stuck values before the model; a check of ranges does not see these."
    return "tip", f"Answers become wrong and no error is raised{rows}: {several(texts)}.", advice


@_check("BK009", "unseen-category", "faults")
def _unseen(outcome: Outcome) -> Answer:
    """Does a category that is new, or an empty text, make it raise?"""
    tried = [each for each in outcome.faults if each.kind in ("unseen", "empty")]
    if not tried:
        return "not applicable", "No column holds texts."
    if raised := [each for each in tried if each.raised]:
        names = list(dict.fromkeys(each.column for each in raised))
        texts = {each.name: each.values.dropna().astype(str) for each in outcome.subject.columns if each.name in names}
        dates = {name for name, values in texts.items() if values.str.match(_DATE).mean() > 0.5}
        advice = "Let the model take values that it does not know (of a OneHotEncoder: handle_unknown='ignore')"
        advice = "Make gaps of texts that are no dates (pandas.to_datetime, errors='coerce')" if dates else advice
        what = "A text that is no date" if dates.issuperset(names) else "A text that the column never had"
        text = f"{what} makes it raise in {several(names)}: {raised[0].raised}"
        return "tip", text, f"{advice}, or refuse such rows."
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
    text = "Errors are more frequent" if classes else f"The {outcome.subject.mean_error} is larger"
    return "tip", f"{text} where {several(texts, 3)}.", "Trust these answers less, and train on more such rows."


@_check("BK012", "one-column", "columns")
def _one_column(outcome: Outcome) -> Answer:
    """Does one column alone decide? Then it may be a leak."""
    subject, told = outcome.subject, None
    # Beside what surely is one, what only may be one is not worth a word.
    if leaks := {name: share for name, share in outcome.leaks.items() if share >= LEAK} or outcome.leaks:
        names = sorted(leaks, key=lambda name: -leaks[name])
        each = "each alone tell" if len(leaks) > 1 else "alone tells"
        share = f"{math.floor(100 * min(leaks.values()))} %"
        text = f"{listed(names, ' and ')} {each} the target: a line or tree of it explains {share} of what varies there"
        told = f"{text}, on rows that it was not fitted on.", leak_advice(names)
        if max(leaks.values()) >= LEAK:
            return "issue", *told
    if len(outcome.sources) > 1 and outcome.gained and subject.metric.name != "recall":
        best = min(outcome.columns, key=lambda each: each.others.value)
        name, cost, limit = best.source, best.others, outcome.least
        end = rise(subject, bare(max(cost.high, 0.0)))
        at_most = f"with every other column lost the model is worse by {end} at most"
        is_wide = cost.high - cost.low > _TOO_WIDE * min(outcome.scale, -outcome.against_constant.value)
        if cost.below(limit) and not is_wide:
            return "issue", f"{name} alone decides: {at_most}, the upper end of the interval.", leak_advice([name])
    elif not told:
        return "not applicable", "There is one column, or the model is not surely better than a constant answer."
    if told:
        return "tip", *told
    most, told_by = max(((share, source) for source, share in outcome.told.items()), default=(0.0, ""))
    share = f": {told_by} alone explains about {100 * most:.0f} % of what varies in the target" if told_by else ""
    if cost.above(limit):
        return "passed", f"No column alone answers as well as all do{share}."
    if is_wide:
        return "not applicable", f"These rows do not tell whether one column alone answers as well as all do{share}."
    text = f"{name} alone may answer as well as all columns do, but these rows are too few to be sure: {at_most}."
    return "tip", text, leak_advice([name])


def leak_advice(names: Sequence[str]) -> str:
    """What to do about columns that may be a leak."""
    verb, them = ("are", "them") if len(names) > 1 else ("is", "it")
    known = f"Check that {listed(names, ' and ')} {verb} known when the model is asked, and not only after the answer"
    return f"{known} (a leak): if not, train without {them} and audit again."


@_check("BK014", "hardened", "hardened")
def _hardened(outcome: Outcome) -> Answer:
    """Does a model that is trained for lost columns stand their loss better?"""
    if not any(each.gain for each in outcome.hardened):
        why = not_compared(outcome.hardened) or outcome.skipped.get("sets", "no time")
        return "skipped", f"No model trained for lost columns was compared: {why}."
    best, subject = best_hardened(outcome), outcome.subject
    if best is None or best.gain is None or best.price is None or best.outcome is None:
        trained = sum(each.gain is not None for each in outcome.hardened)
        text = f"None of {trained} models trained for lost columns surely gains more where the worst columns are lost"
        rest = len(outcome.hardened) - trained
        return "passed", f"{text} than it costs where none is{f'; {rest} were not trained' if rest else ''}."
    own, worst = next(each for each in best.outcome.sets if each.lost == best.lost), _columns(best.lost)
    text = f"{best.name} {performance(subject, own.loss)}{on_rows(subject, own.loss, own.cost)}"
    price, better = best.price, best.price.value < 0
    price = Estimate(-price.value, -price.high, -price.low, price.n) if better else price
    text += f" where its worst {worst} are lost: better by {rise(subject, best.gain)}; where none is lost it is "
    text += f"{'better' if better else 'worse'} by {rise(subject, price)}."
    return "tip", f"Trained for lost columns, {text}", "Weigh the price against how often columns are lost."


@_check("BK015", "threshold", "thresholds")
def _threshold(outcome: Outcome) -> Answer:
    """Would another threshold cost less (`--cost`)?"""
    subject, best = outcome.subject, outcome.thresholds[0]
    decided = best.gain.above(0.0)
    if not decided and best.gain.value < _LARGE_GAIN * best.now.value:
        return "passed", "No other threshold surely costs less."
    if best.now.value - best.gain.value >= outcome.constant.value:
        return "passed", f"No threshold was found that costs less than the constant answer {subject.constant[0]}."
    label, of = outcome.subject.classes[subject.metric.case or 0], of_rows(subject, best.gain.n)
    less = f"answers cost {rise(subject, best.gain)} less{of}, where they cost {score(subject.metric, best.now)}"
    less += " now" if decided else " now; too few of these rows are at stake to be sure"
    text = f"If {label!r} is predicted from a probability of {best.value:.3g} on, {less}."
    return "tip", text, f"Predict it from there on; --threshold {best.value:.3g} audits that."
