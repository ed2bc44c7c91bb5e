"""What follows from the numbers: each finding with its level, decided by intervals."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.auditing.amounts import amount, of_rows, on_rows, percent, performance, rise
from benchkit.auditing.confidence import Confidence
from benchkit.auditing.finding import Finding, Level
from benchkit.auditing.gap_probes import EMPTY, GAPS
from benchkit.auditing.hardened import best_hardened
from benchkit.auditing.lost_sets import fatal_set
from benchkit.auditing.outcome import HARMLESS, MATTERS, Outcome
from benchkit.auditing.slices import Slice
from benchkit.auditing.sources import listed

_NAMED = 5


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
    return [finding for part in parts for finding in part(outcome)]


def _better_than_constant(outcome: Outcome) -> Iterator[Finding]:
    subject = outcome.subject
    answer, _ = subject.constant
    against = f"the constant answer {answer} is {performance(subject, outcome.constant)}"
    if outcome.against_constant.below(0.0):
        yield Finding("BK001", "passed", f"The model is {performance(subject, outcome.before)}; {against}.")
        return
    if other := outcome.better_by:
        text = (
            f"The model is {performance(subject, outcome.before)}, not decided to be better by {subject.loss} error "
            f"than one answer to everything ({against}); by {other} error it is."
        )
        yield Finding("BK001", "tip", text, f"If it was trained for {other} errors, audit it by these (loss {other}).")
        return
    worse = outcome.against_constant.above(0.0)
    said = "worse than" if worse else "not decided to be better than"
    text = f"The model is {performance(subject, outcome.before)}, {said} one answer to everything: {against}."
    yield Finding(
        "BK001", "issue", text, "Check that the labels and the columns of the hold-out are those of the training data."
    )


def _column_loss(outcome: Outcome) -> Iterator[Finding]:
    if not outcome.columns:
        yield _skipped(outcome, "BK002", "columns")
        return
    subject, limit = outcome.subject, MATTERS * outcome.scale
    worst, most = outcome.columns[0], max(each.cost.high for each in outcome.columns)
    heavy = [each for each in outcome.columns if each.cost.above(limit)]
    if heavy:
        names = _listed([f"{each.source} ({rise(subject, each.cost)})" for each in heavy])
        yield Finding(
            "BK002", "issue", f"The loss of one column costs: {names}.", "Make sure that what feeds them does not fail."
        )
    elif most < limit:
        text = f"The loss of any one column costs {amount(subject, most)} at most; the worst is {worst.source}."
        yield Finding("BK002", "passed", text)
    else:
        text = f"The worst column to lose is {worst.source} ({rise(subject, worst.cost)}); whether that is more than "
        yield Finding("BK002", "tip", f"{text}{amount(subject, limit)} is not decided by these rows.")


def _pair_loss(outcome: Outcome) -> Iterator[Finding]:
    if len(outcome.sources) < 2:
        yield Finding("BK003", "not applicable", "There is one column.")
        return
    if "pairs" in outcome.skipped or not outcome.pairs:
        yield _skipped(outcome, "BK003", "pairs")
        return
    subject, limit = outcome.subject, MATTERS * outcome.scale
    found = [each for each in outcome.pairs if outcome.matters(each)]
    tried = "every pair was tried" if outcome.every_pair else "pairs of the columns that move most answers were tried"
    if found:
        texts = [
            f"{listed(each.sources, ' and ')} together {rise(subject, each.cost)}, {rise(subject, each.excess)} more "
            f"than both apart"
            for each in found
        ]
        yield Finding(
            "BK003",
            "issue",
            f"Pairs that stand in for each other, so that the loss of both costs more than the sum"
            f"{of_rows(subject, found[0].cost.n)}: {_listed(texts)}.",
            "See that they do not come from one source.",
        )
    elif all(each.excess.below(limit) for each in outcome.pairs):
        top = max(outcome.pairs, key=lambda each: each.excess.high)
        most = amount(subject, top.excess.high)
        text = f"No pair was found that costs much more together than apart ({tried}):"
        yield Finding("BK003", "passed", f"{text} at most {most} more ({listed(top.sources, ' and ')}).")
    else:
        top = max(outcome.pairs, key=lambda each: each.excess.high)
        most = amount(subject, top.excess.high)
        text = f"{listed(top.sources, ' and ')} may cost up to {most} more together than apart"
        yield Finding("BK003", "tip", f"{text}; these rows do not decide it ({rise(subject, top.excess)}).")


def _worst_set(outcome: Outcome) -> Iterator[Finding]:
    if not outcome.sets:
        yield _skipped(outcome, "BK004", "sets")
        return
    subject = outcome.subject
    fatal = fatal_set(outcome.sets)
    if fatal is not None and outcome.against_constant.below(0.0):
        count = f"{len(fatal.sources)} column{'s' if len(fatal.sources) > 1 else ''}"
        text = f"After the loss of {count} ({listed(fatal.sources)}) the model is {performance(subject, fatal.loss)}"
        text += on_rows(subject, fatal.loss, fatal.cost)
        level: Level = "issue" if 2 * len(fatal.sources) <= len(outcome.sources) else "tip"
        yield Finding("BK004", level, f"{text}: it is no longer decided to beat one answer to everything.")
        return
    largest = outcome.sets[-1]
    text = f"After the loss of the worst {len(largest.sources)} columns that were found ({listed(largest.sources)})"
    harmless = largest.cost.below(MATTERS * outcome.scale)
    left = f"{performance(subject, largest.loss)}{on_rows(subject, largest.loss, largest.cost)}"
    yield Finding("BK004", "passed" if harmless else "tip", f"{text} the model is {left}.")


def _row_worst(outcome: Outcome) -> Iterator[Finding]:
    if not outcome.attacked:
        yield _skipped(outcome, "BK005", "rows")
        return
    subject = outcome.subject
    broken = next((each for each in outcome.attacked if each.beyond_constant.above(0.0)), None)
    at = broken or outcome.attacked[-1]
    bound = "" if at.exact else " or worse"
    count = f"{at.lost} column{'s' if at.lost > 1 else ''}"
    text = f"If each row loses its own worst {count}, the model is {performance(subject, at.loss)}{bound}"
    text += on_rows(subject, at.loss, at.cost)
    if broken:
        yield Finding("BK005", "issue", f"{text}: worse than one answer to everything.", "Train for lost columns.")
    else:
        yield Finding("BK005", "tip", f"{text}.")


def _gap_raises(outcome: Outcome) -> Iterator[Finding]:
    if "gaps" in outcome.skipped and not outcome.probes:
        yield _skipped(outcome, "BK006", "gaps")
        return
    raised = {kind: [each for each in outcome.probes if each.kind == kind and each.raised] for kind in GAPS}
    kind = next((kind for kind in GAPS if raised[kind]), None)
    if kind is None:
        yield Finding("BK006", "passed", "The model answers with a gap in any of its columns.")
        return
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
    yield Finding("BK006", "tip", f"{text}: {raised[kind][0].raised}", advice)


def _gap_change(outcome: Outcome) -> Iterator[Finding]:
    tried = [each for each in outcome.probes if each.kind == "NaN" and each.changed is not None]
    if not tried:
        level = "skipped" if "gaps" in outcome.skipped else "not applicable"
        yield Finding("BK007", level, outcome.skipped.get("gaps", "The model takes no gap."))  # type: ignore[arg-type]
        return
    heavy = [each for each in tried if each.changed is not None and each.changed.above(MATTERS)]
    reading, rows = _how_read(outcome), of_rows(outcome.subject, min(each.changed.n for each in tried if each.changed))
    if not outcome.subject.shares:  # a number nearly always moves: what counts is how far
        heavy = [each for each in heavy if each.moved > MATTERS * outcome.scale]
        if not heavy:
            most = max(each.moved for each in tried)
            yield Finding(
                "BK007", "passed", f"A gap in one column moves answers by {most:.3g} in the mean{rows}.{reading}"
            )
            return
    if not heavy:
        most = max(each.changed.high for each in tried if each.changed is not None)
        yield Finding(
            "BK007", "passed", f"A gap in one column changes at most {percent(most)} of answers{rows}.{reading}"
        )
        return
    if not outcome.subject.shares:
        heavy.sort(key=lambda each: -each.moved)
        texts = [f"{each.column} (by {each.moved:.3g} in the mean)" for each in heavy]
    else:
        heavy.sort(key=lambda each: -(each.changed.value if each.changed else 0))
        texts = [f"{each.column} ({percent(each.changed.value)})" for each in heavy if each.changed]
    advice = "Nothing tells that an answer came of a gap: check inputs for gaps before the model."
    said = f"A gap changes answers and raises no error{rows}"
    yield Finding("BK007", "issue", f"{said}: {_listed(texts)}.{reading}", advice)


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


def _silent_fault(outcome: Outcome) -> Iterator[Finding]:
    others = [each for each in outcome.probes if each.kind not in GAPS and each.changed is not None]
    if not others:
        yield _skipped(outcome, "BK008", "gaps")
        return
    heavy = [each for each in others if each.cost is not None and each.cost.above(MATTERS * outcome.scale)]
    rows = of_rows(outcome.subject, min(each.cost.n for each in others if each.cost))
    if not heavy:
        yield Finding("BK008", "passed", f"No other fault that was tried in one column{rows} is decided to cost much.")
        return
    heavy.sort(key=lambda each: -(each.cost.value if each.cost else 0))
    texts = [f"{each.kind} in {each.column} ({rise(outcome.subject, each.cost)})" for each in heavy if each.cost]
    advice = "Check units, ranges and stuck values before the model."
    yield Finding("BK008", "tip", f"Answers become wrong and no error is raised{rows}: {_listed(texts)}.", advice)


def _unseen(outcome: Outcome) -> Iterator[Finding]:
    tried = [each for each in outcome.probes if each.kind in ("unseen", "empty")]
    if not tried:
        level = "skipped" if "gaps" in outcome.skipped else "not applicable"
        yield Finding("BK009", level, outcome.skipped.get("gaps", "No column holds texts."))  # type: ignore[arg-type]
        return
    raised = [each for each in tried if each.raised]
    if not raised:
        yield Finding("BK009", "passed", "A new category or an empty text is answered in every column of texts.")
        return
    columns = _listed(list(dict.fromkeys(each.column for each in raised)))
    yield Finding(
        "BK009",
        "tip",
        f"A new category makes it raise in {columns}: {raised[0].raised}",
        "Let its encoder ignore them.",
    )


def _overconfidence(outcome: Outcome) -> Iterator[Finding]:
    if not outcome.confidences:
        yield Finding("BK010", "not applicable", "The model gives no probabilities.")
        return
    first, *others = outcome.confidences
    if not others:
        yield _skipped(outcome, "BK010", "random")
        return
    sure = [each for each in others if each.overconfidence.above(MATTERS)]
    if not sure:
        most = max(each.overconfidence.high for each in others)
        level = "passed" if most < 2 * MATTERS else "tip"
        text = (
            f"Where columns are lost, confidence exceeds the share of right answers by {amount(outcome.subject, most)}"
        )
        yield Finding("BK010", level, f"{text} at most.")  # type: ignore[arg-type]
        return
    worst = max(sure, key=lambda each: each.overconfidence.value)
    yield Finding(
        "BK010",
        "issue",
        f"Sure and wrong: with {_sureness(worst)}; with {_sureness(first)}.",
        "Do not trust its probabilities where columns are missing.",
    )


def _sureness(each: Confidence) -> str:
    return f"{each.when} it says {percent(each.said)} and is right in {percent(each.right)}"


def _slices(outcome: Outcome) -> Iterator[Finding]:
    if "slices" in outcome.skipped:
        yield _skipped(outcome, "BK011", "slices")
        return
    hit = [each for each in outcome.slices if each.p < 0.05 and each.apart > 0]
    lost = [each for each in outcome.slices_lost if each.p < 0.05 and each.apart > 0]
    texts = []
    if hit:
        texts.append(f"Where nothing is lost it is worst where {_listed([_slice(outcome, each) for each in hit], 3)}")
    if lost:
        where = _listed([_slice(outcome, each) for each in lost], 3)
        texts.append(f"The loss of {outcome.sliced_by} hits hardest where {where}")
    if texts:
        yield Finding("BK011", "tip", ". ".join(texts) + ".")
    elif not outcome.slices:
        yield Finding("BK011", "not applicable", "No category or quarter of a column has enough rows.")
    else:
        yield Finding(
            "BK011", "passed", f"None of {len(outcome.slices)} slices is decided to be worse than the others."
        )


def _slice(outcome: Outcome, each: Slice) -> str:
    apart = amount(outcome.subject, each.apart)
    return f"{each.what} ({apart} more than elsewhere)"


def _one_column(outcome: Outcome) -> Iterator[Finding]:
    if len(outcome.sources) < 2:
        yield Finding("BK012", "not applicable", "There is one column.")
        return
    if outcome.alone is None:
        yield _skipped(outcome, "BK012", "columns")
        return
    name, cost = outcome.alone
    subject, scale = outcome.subject, outcome.scale
    if not outcome.against_constant.below(-2 * MATTERS * scale):
        yield Finding("BK012", "not applicable", "The model is not decided to be much better than one answer to all.")
    elif cost.below(HARMLESS * scale):
        text = f"{name} alone decides: where every other column is lost, the loss rises by {rise(subject, cost)}"
        advice = "Check that it is known when the model is asked: it may hold the answer (a leak)."
        yield Finding("BK012", "issue", f"{text}.", advice)
    elif cost.above(HARMLESS * scale):
        text = f"No column alone answers as all do; with {name} alone, the nearest, the loss rises by"
        yield Finding("BK012", "passed", f"{text} {rise(subject, cost)}.")
    else:
        text = f"{name} alone may answer as all columns do: without the others the loss rises by {rise(subject, cost)}"
        advice = (
            "If it answers so well, check that it is known when the model is asked: it may hold the answer (a leak)."
        )
        yield Finding("BK012", "tip", f"{text}; these rows do not decide it.", advice)


def _hardened(outcome: Outcome) -> Iterator[Finding]:
    subject, trained = outcome.subject, [each for each in outcome.hardened if each.outcome is not None]
    if not outcome.hardened:
        why = (
            "There is no method against lost columns for such a target."
            if outcome.train_rows
            else ("No training table was given (train, --train).")
        )
        yield Finding("BK014", "not applicable", "There is one column." if len(outcome.sources) < 2 else why)
        return
    if not any(each.gain for each in trained):
        why = next((each.failed for each in outcome.hardened if each.failed), outcome.skipped.get("rows", "no time"))
        yield Finding("BK014", "skipped", f"Nothing was compared: {why}.")
        return
    best = best_hardened(outcome)
    if best is None:
        text = (
            f"None of {len(trained)} models trained for lost columns is decided to gain more where each row loses its "
            "worst columns than it costs where none is lost."
        )
        yield Finding("BK014", "passed", text)
        return
    assert best.gain is not None
    assert best.price is not None
    count = "one column" if best.lost == 1 else f"{best.lost} columns"
    price = rise(subject, best.price)
    text = (
        f"{best.name} ({best.what}) stands the loss of each row's own worst {count} better, by "
        f"{rise(subject, best.gain)}{of_rows(subject, best.gain.n)}; its price where nothing is lost: {price}"
    )
    yield Finding("BK014", "tip", f"{text}.", "Weigh the price against how often columns are lost.")


def _listed(texts: list[str], most: int = _NAMED) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more if any("," in each for each in texts) else ", ".join(texts[:most]) + more


def _skipped(outcome: Outcome, code: str, part: str) -> Finding:
    return Finding(code, "skipped", f"Skipped: {outcome.skipped.get(part, 'nothing was measured')}.")
