"""The audit in one paragraph: what is decided as a fact, what is open as open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchkit.auditing.amounts import amount, fine_rise, of_rows, on_rows, percent, performance, rise
from benchkit.auditing.finding import Finding
from benchkit.auditing.gap_probes import EMPTY
from benchkit.auditing.gap_reading import way_for_all
from benchkit.auditing.hardened import best_hardened
from benchkit.auditing.lost_sets import fatal_set
from benchkit.auditing.measured import at_once, mean_loss
from benchkit.auditing.outages import FALLBACKS
from benchkit.auditing.outcome import HARMLESS, MATTERS, Outcome
from benchkit.auditing.sources import listed

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


def paragraph(outcome: Outcome, findings: Sequence[Finding]) -> str:
    """A few sentences for somebody who reads nothing else."""
    subject = outcome.subject
    levels = {finding.code: finding.level for finding in findings}
    texts = [f"On {subject.n_rows:,} rows the model is {performance(subject, outcome.before)}."]
    if not outcome.against_constant.below(0.0):
        other = f" by {subject.loss} error; by {outcome.better_by} error it is" if outcome.better_by else ""
        texts.append(f"That is not decided to be better than answering {subject.constant[0]} to everything{other}.")
    texts += _columns(outcome)
    texts += _outages(outcome)
    texts += _pairs(outcome)
    fatal = fatal_set(outcome.sets)
    if fatal and levels.get("BK004") == "issue" and len(fatal.sources) > 1:
        texts.append(
            f"Without {listed(fatal.sources, ' and ')} it no longer is decided to beat one answer to everything."
        )
    texts += _rows(outcome)
    texts += _gaps(outcome, levels)
    if levels.get("BK010") == "issue":
        texts.append("Where columns are lost it is sure and wrong.")
    if levels.get("BK012") == "issue" and outcome.alone is not None:
        texts.append(f"It answers by {outcome.alone[0]} alone: check that this is no leak.")
    if guarded := guard(outcome):
        texts.append(f"Make sure that {listed(guarded, ' and ')} {'does' if len(guarded) == 1 else 'do'} not fail.")
    texts += _hardened(outcome)
    if outcome.skipped:
        texts.append(f"Skipped for time: {', '.join(_PARTS.get(part, part) for part in outcome.skipped)}.")
    return " ".join(texts)


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


def _columns(outcome: Outcome) -> list[str]:
    if not outcome.columns:
        return []
    subject = outcome.subject
    worst, level = outcome.columns[0], at_once(len(outcome.columns))
    random = next((each for each in outcome.random if each.lost == 1), None)
    at_random = "" if random is None else f"; at random {_short(outcome, random.loss.value)}"
    if not worst.cost.above(0.0):
        most = amount(subject, max(0.0, *(each.cost.high for each in outcome.columns)))
        return [f"No loss of a single column is decided to hurt; none costs more than {most}."]
    shown = performance(subject, mean_loss(worst.losses, subject.shares, level), short=True)
    return [f"If one column is lost it is at worst ({worst.source}) {shown}{at_random}."]


def _outages(outcome: Outcome) -> list[str]:
    if not outcome.outages:
        return []
    own, *others = outcome.outages
    cost = fine_rise(outcome.subject, own.cost)
    what = f"{cost} of right answers" if outcome.subject.shares else f"{cost} more"
    text = f"At the given rates outages cost {what} on average, with {FALLBACKS[own.fallback]} for what is out"
    said = [f"{fine_rise(outcome.subject, each.cost, False)} with {FALLBACKS[each.fallback]}" for each in others]
    return [f"{text} ({', '.join(said)})." if said else f"{text}."]


def _pairs(outcome: Outcome) -> list[str]:
    subject, limit = outcome.subject, MATTERS * outcome.scale
    harmless = {each.source for each in outcome.columns if each.cost.below(limit)}
    for pair in outcome.pairs:
        if outcome.matters(pair) and harmless.issuperset(pair.sources):
            either, both = " or ".join(pair.sources), f"{rise(subject, pair.cost)}{of_rows(subject, pair.cost.n)}"
            return [f"The loss of {either} costs less than {amount(subject, limit)}, that of both {both}."]
    return []


def _rows(outcome: Outcome) -> list[str]:
    if not outcome.attacked:
        return []
    at = next((each for each in outcome.attacked if each.lost == 2), outcome.attacked[-1])
    count = {1: "one", 2: "two"}.get(at.lost, str(at.lost))
    bound = "" if at.exact else " or less" if outcome.subject.shares else " or more"
    left = f"{performance(outcome.subject, at.loss, short=True)}{bound}{on_rows(outcome.subject, at.loss, at.cost)}"
    return [f"If an attacker may delete any {count} per row: {left}."]


def _gaps(outcome: Outcome, levels: Mapping[str, str]) -> list[str]:
    texts = []
    if levels.get("BK006") == "tip":
        refused = len(outcome.filled.refuse_gaps)
        where = "every column" if refused == len(outcome.subject.columns) else f"{refused} of its columns"
        if refused:
            texts.append(f"It raises at a gap in {where}.")
        else:
            empty = list(dict.fromkeys(each.column for each in outcome.probes if each.kind == EMPTY and each.raised))
            if empty:
                texts.append(f"It raises where every row of {' or '.join(empty[:_GUARDED])} is empty.")
    told = [each for each in outcome.readings if each.how not in ("nothing", "raises")]
    one = way_for_all(told)
    if told and all(each.how == "imputed" for each in told):
        texts.append("It imputes gaps in its pipeline.")
    elif one:
        texts.append(f"It reads a gap {one}.")
    elif levels.get("BK007") == "issue":
        gaps = [(each, each.changed) for each in outcome.probes if each.kind == "NaN" and each.changed]
        rows = of_rows(outcome.subject, gaps[0][1].n)
        if not outcome.subject.shares:
            furthest = max(each.moved for each, _ in gaps)
            return [
                *texts,
                f"A gap moves answers and raises no error, by {furthest:.3g} in the mean for one column{rows}.",
            ]
        most = max(changed.value for _, changed in gaps)
        texts.append(f"A gap changes answers and raises no error: up to {percent(most)} of them for one column{rows}.")
    return texts


def _hardened(outcome: Outcome) -> list[str]:
    best = best_hardened(outcome)
    if best is None or best.outcome is None or best.price is None:
        return []
    own = next(each for each in best.outcome.attacked if each.lost == best.lost)
    bound = "" if own.exact else " or less" if outcome.subject.shares else " or more"
    left = performance(outcome.subject, own.loss, short=True)
    price, rows = rise(outcome.subject, best.price), on_rows(outcome.subject, own.loss, own.cost)
    return [
        f"Trained for lost columns, {best.name} keeps {left}{bound} there{rows}, at a price of {price} where none is "
        "lost."
    ]


def _short(outcome: Outcome, loss: float) -> str:
    if outcome.subject.shares:
        return percent(1 - loss)
    return f"off by {loss:.4g}" + ("" if outcome.subject.loss == "absolute" else " (squared)")
