"""What follows from the numbers: findings with a stable code, a level that intervals decide, and a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchkit import RequestError
from benchkit_audit.estimates import Confidence, Slice
from benchkit_audit.gaps import EMPTY, GAPS, way_for_all
from benchkit_audit.hardened import best_hardened
from benchkit_audit.inputs import listed
from benchkit_audit.lost_columns import FALLBACKS
from benchkit_audit.measure import HARMLESS, MATTERS, Outcome
from benchkit_audit.words import amount, fine_rise, left_by, of_rows, on_rows, percent, performance, rise
from benchkit_audit.worst_sets import fatal_set

Level = Literal["issue", "tip", "passed", "not applicable", "skipped"]
LEVELS: tuple[Level, ...] = ("issue", "tip", "passed", "not applicable", "skipped")

CODES = {
    "BK001": ("better-than-constant", "Is the model better than one answer to everything?"),
    "BK002": ("column-loss", "Does the loss of one column hurt?"),
    "BK003": ("pair-loss", "Is there a pair of which either is spared, and both are not?"),
    "BK004": ("worst-set", "How much does the loss of the worst columns cost, the same in all rows?"),
    "BK005": ("row-worst", "How much does it cost if each row loses its own worst columns?"),
    "BK006": ("gap-raises", "Does the model raise at a gap?"),
    "BK007": ("gap-change", "Do gaps change answers silently?"),
    "BK008": ("silent-fault", "Do other faults of a column change answers silently?"),
    "BK009": ("unseen-category", "Does a category that is new, or an empty text, make it raise?"),
    "BK010": ("overconfidence", "Is the model sure and wrong once columns are lost?"),
    "BK011": ("slice", "Are some rows hit harder than others?"),
    "BK012": ("one-column", "Does one column alone decide? Then it may be a leak."),
    "BK013": ("version", "Was the model stored by the version of scikit-learn that reads it?"),
    "BK014": ("hardened", "Does a model that is trained for lost columns stand their loss better?"),
}
"""Code to the name of a finding and the question that it answers. A code never changes its meaning."""


@dataclass(frozen=True)
class Finding:
    """What an audit found.

    Attributes
    ----------
    code : str
        Of `CODES`.
    level : {"issue", "tip", "passed", "not applicable", "skipped"}
        An issue is decided by the intervals; a tip is worth a look, or open.
    text : str
        One or two sentences.
    advice : str, default=""
        What to do.
    """

    code: str
    level: Level
    text: str
    advice: str = ""

    @property
    def name(self) -> str:
        """Its name in words."""
        return CODES[self.code][0]


def check_codes(ignore: Iterable[str]) -> set[str]:
    """The codes of findings to leave out, given as codes or names.

    Raises
    ------
    RequestError
        One of them is neither.
    """
    names = {name: code for code, (name, _) in CODES.items()}
    codes = {each: names.get(each, each.upper()) for each in ignore}
    for each, code in codes.items():
        if code not in CODES:
            raise RequestError(f"ignore: no finding is called {each!r}; there are {', '.join(CODES)}")
    return set(codes.values())


_NAMED = 5
_GUARDED = 3
# What the parts are called that have a name of one word.
_PARTS = {
    "columns": "what each column costs",
    "gaps": "gaps and other faults",
    "sets": "the worst columns for all rows",
    "random": "columns lost at random",
    "rows": "the worst columns of each row",
    "pairs": "pairs of columns",
    "slices": "whom it fails most",
}
_NO_ANSWER = "it is no longer decided to beat one answer to everything"


def findings_of(outcome: Outcome) -> list[Finding]:
    """Every finding that rows give, in the order of codes."""
    return [Finding(code, *_of_part(outcome, *question)) for code, question in _QUESTIONS.items()]


Answer = tuple[Level, str] | tuple[Level, str, str]
"""Level, text and, where there is some, advice."""


def _of_part(outcome: Outcome, part: str, answer: Callable[[Outcome], Answer | None]) -> Answer:
    """What a part of the audit says, if it was done."""
    return answer(outcome) or ("skipped", f"Skipped: {outcome.skipped.get(part, 'nothing was measured')}.")


def _better_than_constant(outcome: Outcome) -> Answer:
    subject, against = outcome.subject, outcome.against_constant
    model = f"The model is {performance(subject, outcome.before)}"
    constant = f"the constant answer {subject.constant[0]} is {performance(subject, outcome.constant)}"
    if against.below(0.0):
        return "passed", f"{model}; {constant}."
    if other := outcome.better_by:
        text = f"{model}, not decided to be better by {subject.loss} error than one answer to everything ({constant})"
        advice = f"If it was trained for {other} errors, audit it by these (loss {other})."
        return "tip", f"{text}; by {other} error it is.", advice
    relation = "worse than" if against.above(0.0) else "not decided to be better than"
    advice = "Check that the labels and the columns of the hold-out are those of the training data."
    return "issue", f"{model}, {relation} one answer to everything: {constant}.", advice


def _column_loss(outcome: Outcome) -> Answer | None:
    if not outcome.columns:
        return None
    subject, limit = outcome.subject, MATTERS * outcome.scale
    worst, most = outcome.columns[0], max(each.cost.high for each in outcome.columns)
    if heavy := [each for each in outcome.columns if each.cost.above(limit)]:
        names = _listed([f"{each.source} ({rise(subject, each.cost)})" for each in heavy])
        return "issue", f"The loss of one column costs: {names}.", "Make sure that what feeds them does not fail."
    if most < limit:
        return (
            "passed",
            f"The loss of any one column costs {amount(subject, most)} at most; the worst is {worst.source}.",
        )
    text = f"The worst column to lose is {worst.source} ({rise(subject, worst.cost)}); whether that is more than "
    return "tip", f"{text}{amount(subject, limit)} is not decided by these rows."


def _pair_loss(outcome: Outcome) -> Answer | None:
    if len(outcome.sources) < 2:
        return "not applicable", "There is one column."
    if not outcome.pairs:
        return None
    subject, limit = outcome.subject, MATTERS * outcome.scale
    rows = of_rows(subject, outcome.pairs[0].cost.n)
    if heavy := [each for each in outcome.pairs if outcome.matters(each)]:
        texts = [
            f"{listed(each.sources, ' and ')} together {rise(subject, each.cost)}, {rise(subject, each.excess)} more "
            "than both apart"
            for each in heavy
        ]
        text = f"Pairs that stand in for each other, so that the loss of both costs more than the sum{rows}: "
        return "issue", f"{text}{_listed(texts)}.", "See that they do not come from one source."
    top = max(outcome.pairs, key=lambda each: each.excess.high)
    most, names = amount(subject, top.excess.high), listed(top.sources, " and ")
    if top.excess.below(limit):
        tried = "every pair" if outcome.every_pair else "pairs of the columns that move most answers"
        text = f"No pair was found that costs much more together than apart ({tried} tried)"
        return "passed", f"{text}: at most {most} more ({names})."
    text = f"{names} may cost up to {most} more together than apart"
    return "tip", f"{text}; these rows do not decide it ({rise(subject, top.excess)})."


def _worst_set(outcome: Outcome) -> Answer | None:
    if not outcome.sets:
        return None
    subject = outcome.subject
    fatal = fatal_set(outcome.sets) if outcome.against_constant.below(0.0) else None
    worst = fatal or outcome.sets[-1]
    left = f"{performance(subject, worst.loss)}{on_rows(subject, worst.loss, worst.cost)}"
    if fatal is not None:
        text = f"After the loss of {_columns(len(fatal.sources))} ({listed(fatal.sources)}) the model is {left}"
        return "tip" if 2 * len(fatal.sources) > len(outcome.sources) else "issue", f"{text}: {_NO_ANSWER}."
    text = f"After the loss of the worst {len(worst.sources)} columns that were found ({listed(worst.sources)})"
    harmless = worst.cost.below(MATTERS * outcome.scale)
    return "passed" if harmless else "tip", f"{text} the model is {left}."


def _row_worst(outcome: Outcome) -> Answer | None:
    if not outcome.attacked:
        return None
    subject = outcome.subject
    broken = next((each for each in outcome.attacked if each.beyond_constant.above(0.0)), None)
    at = broken or next((each for each in outcome.attacked if each.lost == 2), outcome.attacked[-1])
    text = f"If each row loses its own worst {_columns(at.lost)}, the model is {left_by(subject, at.loss, at.exact)}"
    text += on_rows(subject, at.loss, at.cost)
    if broken:
        return "issue", f"{text}: worse than one answer to everything.", "Train for lost columns."
    return "tip", f"{text}."


def _columns(count: int) -> str:
    return "one column" if count == 1 else f"{count} columns"


def _gap_raises(outcome: Outcome) -> Answer | None:
    if not outcome.probes:
        return None
    raised = {kind: [each for each in outcome.probes if each.kind == kind and each.raised] for kind in GAPS}
    kind = next((kind for kind in GAPS if raised[kind]), None)
    if kind is None:
        return "passed", "The model answers with a gap in any of its columns."
    columns = [each.column for each in raised[kind]]
    where = "every column" if len(columns) == len(outcome.subject.columns) else _listed(columns)
    text, advice = {
        "NaN": (
            f"The model raises at a gap in {where}",
            "A gap in production stops it: impute in its pipeline, or refuse such rows before.",
        ),
        "None": (
            f"The model answers gaps (NaN), and raises at Python's None in {where}",
            "Give it NaN in place of None, as pandas reads a file.",
        ),
        EMPTY: (
            f"The model raises where every row of {where} is empty, which pandas reads as numbers",
            "Turn it into texts before the model (astype(object)), or refuse such a table.",
        ),
    }[kind]
    return "tip", f"{text}.", f"{advice} It raises {raised[kind][0].raised}"


def _gap_change(outcome: Outcome) -> Answer | None:
    tried = [(each, each.changed) for each in outcome.probes if each.kind == "NaN" and each.changed is not None]
    if not tried:
        return None if "gaps" in outcome.skipped else ("not applicable", "The model takes no gap.")
    reading, rows = _how_read(outcome), of_rows(outcome.subject, min(changed.n for _, changed in tried))
    heavy = [(each, changed) for each, changed in tried if changed.above(MATTERS)]
    if outcome.subject.shares:
        heavy.sort(key=lambda pair: -pair[1].value)
        most = percent(max(changed.high for _, changed in tried))
        spared = f"A gap in one column changes at most {most} of answers{rows}"
        texts = [f"{each.column} ({percent(changed.value)})" for each, changed in heavy]
    else:  # a number nearly always moves: what counts is how far
        heavy = [(each, changed) for each, changed in heavy if each.moved > MATTERS * outcome.scale]
        heavy.sort(key=lambda pair: -pair[0].moved)
        spared = f"A gap in one column moves answers by {max(each.moved for each, _ in tried):.3g} in the mean{rows}"
        texts = [f"{each.column} (by {each.moved:.3g} in the mean)" for each, _ in heavy]
    if not heavy:
        return "passed", f"{spared}.{reading}"
    advice = "Nothing tells that an answer came of a gap: check inputs for gaps before the model."
    return "issue", f"A gap changes answers and raises no error{rows}: {_listed(texts)}.{reading}", advice


def _how_read(outcome: Outcome) -> str:
    """How gaps are read, where that is the same in every column of numbers, or in some."""
    readings = [each for each in outcome.readings if each.how not in ("nothing", "raises")]
    if readings and all(each.how == "imputed" for each in readings):
        return " It imputes gaps in its pipeline."
    if way := way_for_all(readings):
        return f" It reads a gap {way}."
    ways: dict[str, list[str]] = {}
    for each in readings:
        ways.setdefault(str(each), []).append(each.column)
    parts = [f"{way} in {_listed(columns)}" for way, columns in sorted(ways.items(), key=lambda each: -len(each[1]))]
    return f" On {readings[0].rows:,} rows it reads a gap {'; '.join(parts[:_NAMED])}." if parts else ""


def _silent_fault(outcome: Outcome) -> Answer | None:
    tried = [(each, each.cost) for each in outcome.probes if each.kind not in GAPS and each.cost is not None]
    if not tried:
        return None
    heavy = [(each, cost) for each, cost in tried if cost.above(MATTERS * outcome.scale)]
    rows = of_rows(outcome.subject, min(cost.n for _, cost in tried))
    if not heavy:
        return "passed", f"No other fault that was tried in one column{rows} is decided to cost much."
    heavy.sort(key=lambda pair: -pair[1].value)
    texts = [f"{each.kind} in {each.column} ({rise(outcome.subject, cost)})" for each, cost in heavy]
    advice = "Check units, ranges and stuck values before the model."
    return "tip", f"Answers become wrong and no error is raised{rows}: {_listed(texts)}.", advice


def _unseen(outcome: Outcome) -> Answer | None:
    tried = [each for each in outcome.probes if each.kind in ("unseen", "empty")]
    if not tried:
        return None if "gaps" in outcome.skipped else ("not applicable", "No column holds texts.")
    raised = [each for each in tried if each.raised]
    if not raised:
        return "passed", "A new category or an empty text is answered in every column of texts."
    columns = _listed(list(dict.fromkeys(each.column for each in raised)))
    return "tip", f"A new category makes it raise in {columns}: {raised[0].raised}", "Let its encoder ignore them."


def _overconfidence(outcome: Outcome) -> Answer | None:
    if not outcome.confidences:
        return "not applicable", "The model gives no probabilities."
    first, *others = outcome.confidences
    if not others:
        return None
    worst = max(others, key=lambda each: each.overconfidence.value)
    if worst.overconfidence.above(MATTERS):
        text = f"Sure and wrong: with {_sureness(worst)}; with {_sureness(first)}."
        return "issue", text, "Do not trust its probabilities where columns are missing."
    most = max(each.overconfidence.high for each in others)
    text = f"Where columns are lost, confidence exceeds the share of right answers by {amount(outcome.subject, most)}"
    return "passed" if most < 2 * MATTERS else "tip", f"{text} at most."


def _sureness(each: Confidence) -> str:
    return f"{each.when} it says {percent(each.said)} and is right in {percent(each.right)}"


def _slices(outcome: Outcome) -> Answer | None:
    if "slices" in outcome.skipped:
        return None
    if not outcome.slices:
        return "not applicable", "No category or quarter of a column has enough rows."

    def where(slices: Sequence[Slice]) -> str:
        texts = [
            f"{each.what} ({amount(outcome.subject, each.apart)} more than elsewhere)" for each in slices if each.worse
        ]
        return _listed(texts, 3) if texts else ""

    texts = []
    if hit := where(outcome.slices):
        texts.append(f"Where nothing is lost it is worst where {hit}.")
    if hit := where(outcome.slices_lost):
        texts.append(f"The loss of {outcome.sliced_by} hits hardest where {hit}.")
    if texts:
        return "tip", " ".join(texts)
    return "passed", f"None of {len(outcome.slices)} slices is decided to be worse than the others."


def _one_column(outcome: Outcome) -> Answer | None:
    if len(outcome.sources) < 2:
        return "not applicable", "There is one column."
    if outcome.alone is None:
        return None
    name, cost = outcome.alone
    subject, scale = outcome.subject, outcome.scale
    if not outcome.against_constant.below(-2 * MATTERS * scale):
        return "not applicable", "The model is not decided to be much better than one answer to all."
    if cost.above(HARMLESS * scale):
        text = f"No column alone answers as all do; with {name} alone, the nearest, the loss rises by"
        return "passed", f"{text} {rise(subject, cost)}."
    leak = "check that it is known when the model is asked: it may hold the answer (a leak)."
    if cost.below(HARMLESS * scale):
        text = f"{name} alone decides: where every other column is lost, the loss rises by {rise(subject, cost)}."
        return "issue", text, f"{leak[0].upper()}{leak[1:]}"
    text = f"{name} alone may answer as all columns do: without the others the loss rises by {rise(subject, cost)}"
    return "tip", f"{text}; these rows do not decide it.", f"If it answers so well, {leak}"


def _hardened(outcome: Outcome) -> Answer:
    trained = [each for each in outcome.hardened if each.outcome is not None]
    if len(outcome.sources) < 2:
        return "not applicable", "There is one column."
    if not outcome.hardened:
        missing = "There is no method against lost columns for such a target."
        return "not applicable", missing if outcome.train_rows else "No training table was given (train, --train)."
    if not any(each.gain for each in trained):
        why = next((each.failed for each in outcome.hardened if each.failed), outcome.skipped.get("rows", "no time"))
        return "skipped", f"Nothing was compared: {why}."
    best = best_hardened(outcome)
    if best is None or best.gain is None or best.price is None or best.outcome is None:
        text = (
            f"None of {len(trained)} models trained for lost columns is decided to gain more where each row loses its"
        )
        return "passed", f"{text} worst columns than it costs where none is lost."
    subject = outcome.subject
    own = next(each for each in best.outcome.attacked if each.lost == best.lost)
    left = f"{left_by(subject, own.loss, own.exact)}{on_rows(subject, own.loss, own.cost)}"
    text = (
        f"Trained for lost columns, {best.name} is {left} where each row loses its worst {_columns(best.lost)}: better "
        f"by {rise(subject, best.gain)}, at a price of {rise(subject, best.price)} where none is lost"
    )
    return "tip", f"{text}.", "Weigh the price against how often columns are lost."


_QUESTIONS: dict[str, tuple[str, Callable[[Outcome], Answer | None]]] = {
    "BK001": ("", _better_than_constant),
    "BK002": ("columns", _column_loss),
    "BK003": ("pairs", _pair_loss),
    "BK004": ("sets", _worst_set),
    "BK005": ("rows", _row_worst),
    "BK006": ("gaps", _gap_raises),
    "BK007": ("gaps", _gap_change),
    "BK008": ("gaps", _silent_fault),
    "BK009": ("gaps", _unseen),
    "BK010": ("random", _overconfidence),
    "BK011": ("slices", _slices),
    "BK012": ("columns", _one_column),
    "BK014": ("rows", _hardened),
}


def _listed(texts: list[str], most: int = _NAMED) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ("; " if any("," in each for each in texts) else ", ").join(texts[:most]) + more


def paragraph(outcome: Outcome, findings: Sequence[Finding]) -> str:
    """What was found, for somebody who reads nothing else: the issues, what to guard, and what would help."""
    guarded = guard(outcome)
    model = _better_than_constant(outcome)[1]
    texts = [f"On {outcome.subject.n_rows:,} rows {model[0].lower()}{model[1:]}"]
    heavy = [each for each in findings if each.level == "issue" or (each.code, each.level) == ("BK006", "tip")]
    texts += [each.text for each in heavy if each.code != "BK001"]
    if outcome.columns and not any(each.code == "BK002" and each.level == "issue" for each in findings):
        texts += [each.text for each in findings if each.code == "BK002"]
    texts.append(_outages(outcome))
    if guarded:
        texts.append(f"Make sure that {listed(guarded, ' and ')} {'does' if len(guarded) == 1 else 'do'} not fail.")
    texts += [each.text for each in findings if each.code == "BK014" and each.level == "tip"]
    if outcome.skipped:
        texts.append(f"Skipped for time: {', '.join(_PARTS.get(part, part) for part in outcome.skipped)}.")
    return " ".join(filter(None, texts))


def guard(outcome: Outcome) -> list[str]:
    """The worst column, if its loss is decided not to be harmless, and those that matter, alone or in a pair."""
    limit = MATTERS * outcome.scale
    heavy = [each.source for each in outcome.columns if each.cost.above(limit)]
    worst = [each.source for each in outcome.columns[:1] if each.cost.above(HARMLESS * outcome.scale)]
    paired = [name for pair in outcome.pairs if outcome.matters(pair) for name in pair.sources]
    return list(dict.fromkeys([*worst, *heavy, *paired]))[:_GUARDED]


def _outages(outcome: Outcome) -> str:
    if not outcome.outages:
        return ""
    own, *others = outcome.outages
    cost = fine_rise(outcome.subject, own.cost)
    what = f"{cost} of right answers" if outcome.subject.shares else f"{cost} more"
    text = f"At the given rates outages cost {what} on average, with {FALLBACKS[own.fallback]} for what is out"
    rest = [f"{fine_rise(outcome.subject, each.cost, False)} with {FALLBACKS[each.fallback]}" for each in others]
    return f"{text} ({', '.join(rest)})." if rest else f"{text}."
