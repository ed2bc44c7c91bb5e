"""What follows from the numbers: findings with a stable code, a level that intervals decide, and a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchkit.auditing.columns import listed
from benchkit.auditing.gaps import EMPTY, GAPS, way_for_all
from benchkit.auditing.hardened import best_hardened
from benchkit.auditing.lost_columns import FALLBACKS
from benchkit.auditing.lost_sets import fatal_set
from benchkit.auditing.measured import (
    Confidence,
    Slice,
    amount,
    at_once,
    fine_rise,
    left_by,
    mean_loss,
    of_rows,
    on_rows,
    percent,
    performance,
    rise,
    score,
)
from benchkit.auditing.outcome import HARMLESS, MATTERS, Outcome
from benchkit.errors import RequestError

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
    short : str, default=""
        What the paragraph says of it; empty where it says nothing.
    """

    code: str
    level: Level
    text: str
    advice: str = ""
    short: str = ""

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
    found = set()
    for each in ignore:
        code = names.get(each, each.upper())
        if code not in CODES:
            raise RequestError(f"ignore: no finding is called {each!r}; there are {', '.join(CODES)}")
        found.add(code)
    return found


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


def findings_of(outcome: Outcome) -> list[Finding]:
    """Every finding, in the order of codes."""
    parts = (
        _better_than_constant,
        _column_loss,
        _pair_loss,
        _worst_set,
        _row_worst,
        _gap_raises,
        _gap_change,
        _silent_fault,
        _unseen,
        _overconfidence,
        _slices,
        _one_column,
        _hardened,
    )
    return [part(outcome) for part in parts]


def _better_than_constant(outcome: Outcome) -> Finding:
    subject = outcome.subject
    answer, _ = subject.constant
    against = f"the constant answer {answer} is {performance(subject, outcome.constant)}"
    not_better = f"That is not decided to be better than answering {answer} to everything"
    if outcome.against_constant.below(0.0):
        return Finding("BK001", "passed", f"The model is {performance(subject, outcome.before)}; {against}.")
    if other := outcome.better_by:
        text = (
            f"The model is {performance(subject, outcome.before)}, not decided to be better by {subject.loss} error "
            f"than one answer to everything ({against}); by {other} error it is."
        )
        advice = f"If it was trained for {other} errors, audit it by these (loss {other})."
        also = f" by {subject.loss} error; by {other} error it is"
        return Finding("BK001", "tip", text, advice, f"{not_better}{also}.")
    worse = outcome.against_constant.above(0.0)
    said = "worse than" if worse else "not decided to be better than"
    text = f"The model is {performance(subject, outcome.before)}, {said} one answer to everything: {against}."
    advice = "Check that the labels and the columns of the hold-out are those of the training data."
    return Finding("BK001", "issue", text, advice, f"{not_better}.")


def _column_loss(outcome: Outcome) -> Finding:
    if not outcome.columns:
        return _skipped(outcome, "BK002", "columns")
    subject, limit = outcome.subject, MATTERS * outcome.scale
    worst, most = outcome.columns[0], max(each.cost.high for each in outcome.columns)
    if worst.cost.above(0.0):
        loss = mean_loss(worst.losses, subject.shares, at_once(len(outcome.columns)))
        one = next((each.loss for each in outcome.random if each.lost == 1), None)
        at_random = "" if one is None else f"; at random {score(subject, one.value)}"
        left = performance(subject, loss, short=True)
        short = f"If one column is lost it is at worst ({worst.source}) {left}{at_random}."
    else:
        costs = amount(subject, max(0.0, most))
        short = f"No loss of a single column is decided to hurt; none costs more than {costs}."
    if heavy := [each for each in outcome.columns if each.cost.above(limit)]:
        names = _listed([f"{each.source} ({rise(subject, each.cost)})" for each in heavy])
        text = f"The loss of one column costs: {names}."
        return Finding("BK002", "issue", text, "Make sure that what feeds them does not fail.", short)
    if most < limit:
        text = f"The loss of any one column costs {amount(subject, most)} at most; the worst is {worst.source}."
        return Finding("BK002", "passed", text, short=short)
    text = f"The worst column to lose is {worst.source} ({rise(subject, worst.cost)}); whether that is more than "
    return Finding("BK002", "tip", f"{text}{amount(subject, limit)} is not decided by these rows.", short=short)


def _pair_loss(outcome: Outcome) -> Finding:
    if len(outcome.sources) < 2:
        return Finding("BK003", "not applicable", "There is one column.")
    if "pairs" in outcome.skipped or not outcome.pairs:
        return _skipped(outcome, "BK003", "pairs")
    subject, limit = outcome.subject, MATTERS * outcome.scale
    found = [each for each in outcome.pairs if outcome.matters(each)]
    tried = "every pair was tried" if outcome.every_pair else "pairs of the columns that move most answers were tried"
    if found:
        texts = [
            f"{listed(each.sources, ' and ')} together {rise(subject, each.cost)}, {rise(subject, each.excess)} more "
            f"than both apart"
            for each in found
        ]
        rows = of_rows(subject, found[0].cost.n)
        harmless = {each.source for each in outcome.columns if each.cost.below(limit)}
        spared = next((each for each in found if harmless.issuperset(each.sources)), None)
        short = ""
        if spared is not None:
            either, both = " or ".join(spared.sources), f"{rise(subject, spared.cost)}{rows}"
            short = f"The loss of {either} costs less than {amount(subject, limit)}, that of both {both}."
        return Finding(
            "BK003",
            "issue",
            f"Pairs that stand in for each other, so that the loss of both costs more than the sum{rows}: "
            f"{_listed(texts)}.",
            "See that they do not come from one source.",
            short,
        )
    if all(each.excess.below(limit) for each in outcome.pairs):
        top = max(outcome.pairs, key=lambda each: each.excess.high)
        most = amount(subject, top.excess.high)
        text = f"No pair was found that costs much more together than apart ({tried}):"
        return Finding("BK003", "passed", f"{text} at most {most} more ({listed(top.sources, ' and ')}).")
    else:
        top = max(outcome.pairs, key=lambda each: each.excess.high)
        most = amount(subject, top.excess.high)
        text = f"{listed(top.sources, ' and ')} may cost up to {most} more together than apart"
        return Finding("BK003", "tip", f"{text}; these rows do not decide it ({rise(subject, top.excess)}).")


def _worst_set(outcome: Outcome) -> Finding:
    if not outcome.sets:
        return _skipped(outcome, "BK004", "sets")
    subject = outcome.subject
    fatal = fatal_set(outcome.sets)
    if fatal is not None and outcome.against_constant.below(0.0):
        count = f"{len(fatal.sources)} column{'s' if len(fatal.sources) > 1 else ''}"
        text = f"After the loss of {count} ({listed(fatal.sources)}) the model is {performance(subject, fatal.loss)}"
        text += on_rows(subject, fatal.loss, fatal.cost)
        text += ": it is no longer decided to beat one answer to everything."
        if 2 * len(fatal.sources) > len(outcome.sources):
            return Finding("BK004", "tip", text)
        names = listed(fatal.sources, " and ")
        short = f"Without {names} it no longer is decided to beat one answer to everything."
        return Finding("BK004", "issue", text, short=short if len(fatal.sources) > 1 else "")
    largest = outcome.sets[-1]
    text = f"After the loss of the worst {len(largest.sources)} columns that were found ({listed(largest.sources)})"
    harmless = largest.cost.below(MATTERS * outcome.scale)
    left = f"{performance(subject, largest.loss)}{on_rows(subject, largest.loss, largest.cost)}"
    return Finding("BK004", "passed" if harmless else "tip", f"{text} the model is {left}.")


def _row_worst(outcome: Outcome) -> Finding:
    if not outcome.attacked:
        return _skipped(outcome, "BK005", "rows")
    subject = outcome.subject
    broken = next((each for each in outcome.attacked if each.beyond_constant.above(0.0)), None)
    at = broken or outcome.attacked[-1]
    bound = "" if at.exact else " or worse"
    count = f"{at.lost} column{'s' if at.lost > 1 else ''}"
    text = f"If each row loses its own worst {count}, the model is {performance(subject, at.loss)}{bound}"
    text += on_rows(subject, at.loss, at.cost)
    two = next((each for each in outcome.attacked if each.lost == 2), outcome.attacked[-1])
    number = {1: "one", 2: "two"}.get(two.lost, str(two.lost))
    left = f"{left_by(subject, two.loss, two.exact)}{on_rows(subject, two.loss, two.cost)}"
    short = f"If an attacker may delete any {number} per row: {left}."
    if broken:
        text += ": worse than one answer to everything."
        return Finding("BK005", "issue", text, "Train for lost columns.", short)
    return Finding("BK005", "tip", f"{text}.", short=short)


def _gap_raises(outcome: Outcome) -> Finding:
    if "gaps" in outcome.skipped and not outcome.probes:
        return _skipped(outcome, "BK006", "gaps")
    raised = {kind: [each for each in outcome.probes if each.kind == kind and each.raised] for kind in GAPS}
    kind = next((kind for kind in GAPS if raised[kind]), None)
    if kind is None:
        return Finding("BK006", "passed", "The model answers with a gap in any of its columns.")
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
    short = ""
    if refused := len(outcome.filled.refuse_gaps):
        every = refused == len(outcome.subject.columns)
        short = f"It raises at a gap in {'every column' if every else f'{refused} of its columns'}."
    elif empty := list(dict.fromkeys(each.column for each in raised[EMPTY])):
        short = f"It raises where every row of {' or '.join(empty[:_GUARDED])} is empty."
    return Finding("BK006", "tip", f"{text}: {raised[kind][0].raised}", advice, short)


def _gap_change(outcome: Outcome) -> Finding:
    told = [each for each in outcome.readings if each.how not in ("nothing", "raises")]
    one = way_for_all(told)
    short = f"It reads a gap {one}." if one else ""
    if told and all(each.how == "imputed" for each in told):
        short = "It imputes gaps in its pipeline."
    tried = [(each, each.changed) for each in outcome.probes if each.kind == "NaN" and each.changed is not None]
    if not tried:
        level: Level = "skipped" if "gaps" in outcome.skipped else "not applicable"
        return Finding("BK007", level, outcome.skipped.get("gaps", "The model takes no gap."), short=short)
    reading, rows = _how_read(outcome), of_rows(outcome.subject, min(changed.n for _, changed in tried))
    heavy = [(each, changed) for each, changed in tried if changed.above(MATTERS)]
    if outcome.subject.shares:
        heavy.sort(key=lambda pair: -pair[1].value)
        most = percent(max(changed.high for _, changed in tried))
        spared = f"A gap in one column changes at most {most} of answers{rows}"
        texts = [f"{each.column} ({percent(changed.value)})" for each, changed in heavy]
        furthest = percent(max(changed.value for _, changed in tried))
        silent = f"A gap changes answers and raises no error: up to {furthest} of them for one column{rows}."
    else:  # a number nearly always moves: what counts is how far
        heavy = [(each, changed) for each, changed in heavy if each.moved > MATTERS * outcome.scale]
        heavy.sort(key=lambda pair: -pair[0].moved)
        furthest = f"{max(each.moved for each, _ in tried):.3g} in the mean"
        spared = f"A gap in one column moves answers by {furthest}{rows}"
        texts = [f"{each.column} (by {each.moved:.3g} in the mean)" for each, _ in heavy]
        silent = f"A gap moves answers and raises no error, by {furthest} for one column{rows}."
    if not heavy:
        return Finding("BK007", "passed", f"{spared}.{reading}", short=short)
    text = f"A gap changes answers and raises no error{rows}: {_listed(texts)}.{reading}"
    advice = "Nothing tells that an answer came of a gap: check inputs for gaps before the model."
    return Finding("BK007", "issue", text, advice, short or silent)


def _how_read(outcome: Outcome) -> str:
    """How gaps are read, where that is the same in every column of numbers, or in some."""
    if not outcome.readings:
        return ""
    told: dict[str, list[str]] = {}
    for each in outcome.readings:
        if each.how not in ("nothing", "raises"):
            told.setdefault(str(each), []).append(each.column)
    parts = [
        f"{how} in {'every column of numbers that matters' if len(told) == 1 else _listed(columns)}"
        for how, columns in sorted(told.items(), key=lambda each: -len(each[1]))
    ]
    rows = outcome.readings[0].rows
    return f" On {rows:,} rows it reads a gap {'; '.join(parts[:_NAMED])}." if parts else ""


def _silent_fault(outcome: Outcome) -> Finding:
    others = [each for each in outcome.probes if each.kind not in GAPS and each.changed is not None]
    if not others:
        return _skipped(outcome, "BK008", "gaps")
    heavy = [each for each in others if each.cost is not None and each.cost.above(MATTERS * outcome.scale)]
    rows = of_rows(outcome.subject, min(each.cost.n for each in others if each.cost))
    if not heavy:
        return Finding("BK008", "passed", f"No other fault that was tried in one column{rows} is decided to cost much.")
    heavy.sort(key=lambda each: -(each.cost.value if each.cost else 0))
    texts = [f"{each.kind} in {each.column} ({rise(outcome.subject, each.cost)})" for each in heavy if each.cost]
    advice = "Check units, ranges and stuck values before the model."
    return Finding("BK008", "tip", f"Answers become wrong and no error is raised{rows}: {_listed(texts)}.", advice)


def _unseen(outcome: Outcome) -> Finding:
    tried = [each for each in outcome.probes if each.kind in ("unseen", "empty")]
    if not tried:
        level = "skipped" if "gaps" in outcome.skipped else "not applicable"
        return Finding("BK009", level, outcome.skipped.get("gaps", "No column holds texts."))  # type: ignore[arg-type]
    raised = [each for each in tried if each.raised]
    if not raised:
        return Finding("BK009", "passed", "A new category or an empty text is answered in every column of texts.")
    columns = _listed(list(dict.fromkeys(each.column for each in raised)))
    return Finding(
        "BK009",
        "tip",
        f"A new category makes it raise in {columns}: {raised[0].raised}",
        "Let its encoder ignore them.",
    )


def _overconfidence(outcome: Outcome) -> Finding:
    if not outcome.confidences:
        return Finding("BK010", "not applicable", "The model gives no probabilities.")
    first, *others = outcome.confidences
    if not others:
        return _skipped(outcome, "BK010", "random")
    sure = [each for each in others if each.overconfidence.above(MATTERS)]
    if not sure:
        most = max(each.overconfidence.high for each in others)
        level = "passed" if most < 2 * MATTERS else "tip"
        text = (
            f"Where columns are lost, confidence exceeds the share of right answers by {amount(outcome.subject, most)}"
        )
        return Finding("BK010", level, f"{text} at most.")  # type: ignore[arg-type]
    worst = max(sure, key=lambda each: each.overconfidence.value)
    return Finding(
        "BK010",
        "issue",
        f"Sure and wrong: with {_sureness(worst)}; with {_sureness(first)}.",
        "Do not trust its probabilities where columns are missing.",
        "Where columns are lost it is sure and wrong.",
    )


def _sureness(each: Confidence) -> str:
    return f"{each.when} it says {percent(each.said)} and is right in {percent(each.right)}"


def _slices(outcome: Outcome) -> Finding:
    if "slices" in outcome.skipped:
        return _skipped(outcome, "BK011", "slices")
    hit = [each for each in outcome.slices if each.p < 0.05 and each.apart > 0]
    lost = [each for each in outcome.slices_lost if each.p < 0.05 and each.apart > 0]
    texts = []
    if hit:
        texts.append(f"Where nothing is lost it is worst where {_listed([_slice(outcome, each) for each in hit], 3)}")
    if lost:
        where = _listed([_slice(outcome, each) for each in lost], 3)
        texts.append(f"The loss of {outcome.sliced_by} hits hardest where {where}")
    if texts:
        return Finding("BK011", "tip", ". ".join(texts) + ".")
    elif not outcome.slices:
        return Finding("BK011", "not applicable", "No category or quarter of a column has enough rows.")
    else:
        return Finding(
            "BK011", "passed", f"None of {len(outcome.slices)} slices is decided to be worse than the others."
        )


def _slice(outcome: Outcome, each: Slice) -> str:
    apart = amount(outcome.subject, each.apart)
    return f"{each.what} ({apart} more than elsewhere)"


def _one_column(outcome: Outcome) -> Finding:
    if len(outcome.sources) < 2:
        return Finding("BK012", "not applicable", "There is one column.")
    if outcome.alone is None:
        return _skipped(outcome, "BK012", "columns")
    name, cost = outcome.alone
    subject, scale = outcome.subject, outcome.scale
    if not outcome.against_constant.below(-2 * MATTERS * scale):
        return Finding("BK012", "not applicable", "The model is not decided to be much better than one answer to all.")
    elif cost.below(HARMLESS * scale):
        text = f"{name} alone decides: where every other column is lost, the loss rises by {rise(subject, cost)}"
        advice = "Check that it is known when the model is asked: it may hold the answer (a leak)."
        return Finding("BK012", "issue", f"{text}.", advice, f"It answers by {name} alone: check that this is no leak.")
    elif cost.above(HARMLESS * scale):
        text = f"No column alone answers as all do; with {name} alone, the nearest, the loss rises by"
        return Finding("BK012", "passed", f"{text} {rise(subject, cost)}.")
    else:
        text = f"{name} alone may answer as all columns do: without the others the loss rises by {rise(subject, cost)}"
        advice = (
            "If it answers so well, check that it is known when the model is asked: it may hold the answer (a leak)."
        )
        return Finding("BK012", "tip", f"{text}; these rows do not decide it.", advice)


def _hardened(outcome: Outcome) -> Finding:
    subject, trained = outcome.subject, [each for each in outcome.hardened if each.outcome is not None]
    if not outcome.hardened:
        why = (
            "There is no method against lost columns for such a target."
            if outcome.train_rows
            else ("No training table was given (train, --train).")
        )
        return Finding("BK014", "not applicable", "There is one column." if len(outcome.sources) < 2 else why)
    if not any(each.gain for each in trained):
        why = next((each.failed for each in outcome.hardened if each.failed), outcome.skipped.get("rows", "no time"))
        return Finding("BK014", "skipped", f"Nothing was compared: {why}.")
    best = best_hardened(outcome)
    if best is None:
        text = (
            f"None of {len(trained)} models trained for lost columns is decided to gain more where each row loses its "
            "worst columns than it costs where none is lost."
        )
        return Finding("BK014", "passed", text)
    assert best.gain is not None
    assert best.price is not None
    count = "one column" if best.lost == 1 else f"{best.lost} columns"
    price = rise(subject, best.price)
    text = (
        f"{best.name} ({best.what}) stands the loss of each row's own worst {count} better, by "
        f"{rise(subject, best.gain)}{of_rows(subject, best.gain.n)}; its price where nothing is lost: {price}"
    )
    assert best.outcome is not None
    own = next(each for each in best.outcome.attacked if each.lost == best.lost)
    left = f"{left_by(subject, own.loss, own.exact)} there{on_rows(subject, own.loss, own.cost)}"
    short = f"Trained for lost columns, {best.name} keeps {left}, at a price of {price} where none is lost."
    return Finding("BK014", "tip", f"{text}.", "Weigh the price against how often columns are lost.", short)


def _listed(texts: list[str], most: int = _NAMED) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more if any("," in each for each in texts) else ", ".join(texts[:most]) + more


def _skipped(outcome: Outcome, code: str, part: str) -> Finding:
    return Finding(code, "skipped", f"Skipped: {outcome.skipped.get(part, 'nothing was measured')}.")


def paragraph(outcome: Outcome, findings: Sequence[Finding]) -> str:
    """A few sentences for somebody who reads nothing else: what is decided as a fact, what is open as open."""
    subject, short = outcome.subject, {finding.code: finding.short for finding in findings}
    guarded = guard(outcome)
    last = short.pop("BK014", "")
    texts = [
        f"On {subject.n_rows:,} rows the model is {performance(subject, outcome.before)}.",
        short.pop("BK001", ""),
        short.pop("BK002", ""),
        _outages(outcome),
        *(short[code] for code in sorted(short)),
        f"Make sure that {listed(guarded, ' and ')} {'does' if len(guarded) == 1 else 'do'} not fail."
        if guarded
        else "",
        last,
        f"Skipped for time: {', '.join(_PARTS.get(part, part) for part in outcome.skipped)}."
        if outcome.skipped
        else "",
    ]
    return " ".join(filter(None, texts))


def guard(outcome: Outcome) -> list[str]:
    """The worst column, if its loss is decided not to be harmless, and those that matter, alone or in a pair."""
    limit = MATTERS * outcome.scale
    heavy = [each.source for each in outcome.columns if each.cost.above(limit)]
    worst = [each.source for each in outcome.columns[:1] if each.cost.above(HARMLESS * outcome.scale)]
    names = list(dict.fromkeys([*worst, *heavy]))
    for pair in outcome.pairs:
        if outcome.matters(pair):
            names += [name for name in pair.sources if name not in names]
    return names[:_GUARDED]


def _outages(outcome: Outcome) -> str:
    if not outcome.outages:
        return ""
    own, *others = outcome.outages
    cost = fine_rise(outcome.subject, own.cost)
    what = f"{cost} of right answers" if outcome.subject.shares else f"{cost} more"
    text = f"At the given rates outages cost {what} on average, with {FALLBACKS[own.fallback]} for what is out"
    said = [f"{fine_rise(outcome.subject, each.cost, False)} with {FALLBACKS[each.fallback]}" for each in others]
    return f"{text} ({', '.join(said)})." if said else f"{text}."
