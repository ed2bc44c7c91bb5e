"""What a reader sees first: how good the model is, what to do, and the list of what to guard."""

import math
from collections.abc import Container, Iterator, Sequence
from typing import Any

import numpy as np

from benchkit import ReportCell, ReportTable
from benchkit_audit.estimates import Estimate, bare, number_text
from benchkit_audit.findings import CHECKS, Finding, leak_advice
from benchkit_audit.guard import Guarded, decisive_row, guard_list, least_cost, way_of_gap
from benchkit_audit.lost import FALLBACKS, Lost
from benchkit_audit.measure import LEAK, MATTERS, MOST_ROWS, Outcome, Relation
from benchkit_audit.pairs import TOLD
from benchkit_audit.subject import listed
from benchkit_audit.wording import first, of_rows, rise, score, several, unit

_MOST_GUARDED, _MOST_PAIRS = 10, 3
_ALL = 0.95  # of what the model gains: a column on which so much hangs may be a leak
_NEARLY_ALL = 0.8  # of the harm: who prevents it stands in
_IN_STEPS = ("BK001", "BK002", "BK003", "BK006", "BK012", "BK014", "BK015")
_MANY, _OF_ALARMS, _OF_CASES = 0.01, 0.5, 0.1
"""More false alarms, of all answers or of those that there are, and more misses of a class that are worth a word where
the metric hides them."""
_MORE_ROWS = 2.04
"""(1 + z(0.8) / z(0.975))²: so many times the rows on which a cost would just be sure make it so four times of five."""
_OF_PAIRS = {"stand in": "each other", "together": "no", "open": "each other?"}
_OF_GAPS = {
    "silent": "A gap in {} raises no error, and nothing shows that the model was trained for it.",
    "filled": "An imputer of the pipeline fills a gap in {}: no error shows it.",
    "learned": "In {} these rows have gaps, and with the mean in their place the model surely errs more.",
    "open": "In {} these rows have gaps, and do not show whether the model has learned what they mean.",
    "raises": "A gap in {} makes the model raise an error.",
}


def paragraph(outcome: Outcome) -> str:
    """How good the model is, by what it is judged, and what outages cost."""
    model, subject, metric = CHECKS["BK001"].answer(outcome)[1], outcome.subject, outcome.subject.metric
    texts = [f"On {subject.n_rows:,} rows {model[0].lower()}{model[1:]}"]
    if metric.why:
        texts.append(f"It is judged by {metric.words}: {metric.why}.")
    if outcome.root is not None:
        texts.append(f"The root mean squared error is {score(metric, outcome.root)}.")
    if row := decisive_row(outcome, outcome.intact.values):
        texts.append(f"{row} of its errors: look at it, for these rows then say little of new ones.")
    if outcome.outages:
        own, *fallbacks = outcome.outages
        rest = [f"{rise(subject, bare(each.cost.value), 2)} with {FALLBACKS[each.fallback]}" for each in fallbacks]
        cost = rise(subject, own.cost, 2) + (" of right answers" if metric.kind == "shares" else f" of {metric.words}")
        text = f"At the given rates outages cost {cost} on average, with {FALLBACKS[own.fallback]} for what is out"
        texts.append(f"{text} ({', '.join(rest)})." if rest else f"{text}.")
    if outcome.skipped:
        texts.append(f"Skipped for time (--seconds): {', '.join(outcome.skipped)}.")
    return " ".join(texts)


def steps(outcome: Outcome, findings: Sequence[Finding]) -> list[str]:
    """What to do, the most urgent first: a leak, what surely costs something, what needs more rows, what would help."""
    entries, leaked = guard_list(outcome), ("issue", "tip") if outcome.leaks else ("issue",)
    texts = [f"{each.advice} (BK001)" for each in findings if each.code == "BK001" and each.level in ("issue", "tip")]
    texts += [_step(each) for each in findings if each.code == "BK012" and each.level in leaked]
    # A leak is to be settled, not to be guarded; what may be one is both.
    leaks = {name for name, share in outcome.leaks.items() if share >= LEAK}
    sure = [each for each in entries if each.decided and leaks.isdisjoint(each.lost)]
    alone = {each.lost[0] for each in sure if not each.pair}
    texts += _protect([each for each in outcome.columns if each.source in alone], outcome)
    texts += _apart([each for each in _shown(sure) if each.pair], outcome)
    texts += _hidden(outcome, entries)
    texts += _beyond(outcome, {*alone, *(name for name, _ in _hidden_costs(outcome, entries))})
    texts += _more_rows(entries, outcome)
    if outcome.columns and not entries:
        worst, few = outcome.columns[0], outcome.columns[0].losses.few
        text = f"No column is seen to cost {least_cost(outcome)}"
        if worst.cost.value >= outcome.least:
            text = "These rows are too few to say whether the loss of any column costs anything"
        cost = f"{rise(outcome.subject, worst.cost)}{f' ({few})' if few else ''}"
        texts.append(f"{text}: the worst, {worst.source}, costs {cost}.")
    helping = {("BK006", "tip"), ("BK014", "tip"), ("BK014", "passed"), ("BK014", "skipped"), ("BK015", "tip")}
    return texts + [_step(each) for each in findings if (each.code, each.level) in helping]


def is_said(finding: Finding) -> bool:
    """Whether what to do, or the list of what to guard, says as much; of a tip on gaps the notes do."""
    return finding.code in _IN_STEPS or (finding.code, finding.level) == ("BK007", "tip")


def _step(finding: Finding) -> str:
    return " ".join(filter(None, [finding.text, finding.advice, f"({finding.code})"]))


def _protect(columns: Sequence[Lost], outcome: Outcome) -> Iterator[str]:
    """What to do for columns whose loss surely costs something."""
    if not columns:
        return
    subject = outcome.subject
    costs = {each.source: _value(outcome, each.cost) for each in columns}
    whose = "their" if len(costs) > 1 else "its"
    quiet = [name for name in costs if way_of_gap(outcome, [name]) != "raises"]
    where = ("them" if len(costs) > 1 else "it") if len(quiet) == len(costs) else first(quiet or ["it"])
    text = f"Guard {first([f'{name} ({cost})' for name, cost in costs.items()])}: {whose} loss surely costs something."
    check = f"Check {where} for gaps before predict is called, as no error shows them, and decide"
    check = check if quiet else "Decide"
    other = "another source, the last known value of the same case, or a person"
    yield f"{text} {check} what takes the place of a missing value: {other}."
    if usual := [*filter(None, (_usual_gaps(outcome, name) for name in costs))]:
        alarm = "Raise an alarm where clearly more are missing, and trust these answers no more than that says."
        yield f"{several(usual)}. {alarm}"
    if better := _better_with_mean(outcome, columns):
        mean = "If you have nothing better, put the mean (of texts the most frequent value) in place of a gap in"
        rest = "; in the others it is not shown to help" if len(better) < len(costs) else ""
        yield f"{mean} {several([*better.values()])}{rest}."
    gaps = [each for each in outcome.fillers if math.isnan(each.value) and each.worse.below(0.0)]
    if misread := [f"{each.column} ({each.worse.n:,} rows)" for each in gaps if each.column not in better]:
        yield f"In rows with a gap the mean in its place surely gives fewer errors: put it into {several(misread)}."
    gained = 1 - outcome.before.value if subject.metric.name == "recall" else -outcome.against_constant.value
    if gained > 0 and (deciding := [each.source for each in columns if each.cost.value > _ALL * gained]):
        text = f"Nearly all that the model gains hangs on {listed(deciding, ' and ')}."
        if leaks := [name for name in deciding if outcome.told.get(name, 1.0) >= TOLD]:
            yield f"{text} {leak_advice(leaks)}"
        else:
            most = 100 * max(outcome.told[name] for name in deciding)
            text += " None of them alone explains more than" if len(deciding) > 1 else " It alone explains"
            yield f"{text} about {most:.0f} % of what varies in the target, which is no sign of a leak."


def _better_with_mean(outcome: Outcome, columns: Sequence[Lost]) -> dict[str, str]:
    """By source, what the loss costs with the mean in place of a gap, where that is surely less."""
    metric, texts = outcome.subject.metric, dict[str, str]()
    for each in columns:
        if each.with_mean is None or each.saved is None or metric.name == "precision":
            continue
        if each.saved.above(outcome.least):
            text = f"{each.source} ({_value(outcome, each.with_mean)} in place of {_value(outcome, each.cost)}"
            if each.hidden is not None:  # what the metric counts may gain by what it hides
                more = [f"{round(1000 * share):+d}" for share in (each.hidden_with_mean, each.hidden.value)]
                text += f", {'alarms' if metric.name == 'recall' else 'missed'} {more[0]} in place of {more[1]}"
            texts[each.source] = f"{text})"
    return texts


def _usual_gaps(outcome: Outcome, source: str) -> str:
    """How many rows have a gap in a source, if any, and how many of their answers are wrong."""
    places = next(each.columns for each in outcome.sources if each.name == source)
    gap = np.any([outcome.subject.columns[place].values.isna() for place in places], axis=0)
    if not gap.any():
        return ""
    means = [float(outcome.errors[rows].mean()) for rows in (gap, ~gap) if rows.any()]
    classes = outcome.subject.task == "classification"
    shares = [f"{100 * mean:.0f} %" if classes else number_text(mean, 3) for mean in means]
    case, subject = outcome.subject.metric.case, outcome.subject
    what = f"{shares[0]} of these answers are wrong" if classes else f"their {subject.mean_error} is {shares[0]}"
    where = f", of the others {shares[1]}" if len(shares) > 1 else ""
    of_case = "" if case is None else f"{(subject.truth[gap] == case).sum():,} of them {subject.classes[case]!r}; "
    return f"{source} is missing in {gap.sum():,} of {len(gap):,} rows ({of_case}{what}{where})"


def _beyond(outcome: Outcome, names: Container[str]) -> Iterator[str]:
    """Of some columns the numbers beyond all values that imputers put in place of a gap."""
    beyond = {each.column: each.value for each in outcome.gap_readings if each.beyond and each.column in names}
    for mark in dict.fromkeys(beyond.values()):
        where = first([name for name, value in beyond.items() if value == mark])
        text = f"An imputer puts {mark:g} in place of a gap in {where}, beyond all values there, and no error shows it"
        yield f"{text}: let no row with such a gap through, until you have put something better there."


def _hidden_costs(outcome: Outcome, entries: Sequence[Guarded]) -> list[tuple[str, Estimate]]:
    """Columns of which the metric hides what their loss surely costs, the worst first."""
    subject, named = outcome.subject, {each.lost[0] for each in entries if not each.pair}
    case = subject.truth == (subject.metric.case or 0)
    least = _OF_CASES * float(case.mean())
    if subject.metric.name == "recall":
        least = min(_MANY, _OF_ALARMS * float((outcome.errors * ~case).mean()))
    hidden = [(each.source, each.hidden) for each in outcome.columns if each.hidden and each.source not in named]
    sure = [(name, more) for name, more in hidden if more.above(0.0) and more.value >= least]
    return sorted(sure, key=lambda each: -each[1].value)


def _hidden(outcome: Outcome, entries: Sequence[Guarded]) -> Iterator[str]:
    """The worst of them: recall counts no false alarms, and metrics of scores know no threshold."""
    numbers = []
    for name, more in _hidden_costs(outcome, entries)[:_MOST_PAIRS]:
        value, low, high = (f"{1000 * each:.0f}" for each in (more.value, more.low, more.high))
        numbers.append(f"{name} ({value} [{low}, {high}])")
    if numbers:
        metric = outcome.subject.metric
        what = f"miss {outcome.subject.classes[metric.case or 0]!r} at the model's own threshold"
        what = "are false alarms, which recall does not count" if metric.name == "recall" else what
        yield f"Guard these, too: without each so many more of 1,000 answers {what}: {several(numbers)}."


def _value(outcome: Outcome, cost: Estimate) -> str:
    """A cost without its interval, with as many digits as the list has."""
    return rise(outcome.subject, cost).partition(" [")[0]


def _apart(pairs: Sequence[Guarded], outcome: Outcome) -> Iterator[str]:
    """What to do for pairs whose loss surely costs something."""
    reasons: dict[Relation, str] = {
        "stand in": "Do not take these from one source, for each replaces the other, at least in part",
        "open": "Do not take these from one source, for each may replace the other",
        "together": "See above all that these do not fail together, for both cost more than the two losses added",
    }
    for relation, text in reasons.items():
        own = [each for each in pairs if each.pair == relation]
        if costs := [f"{listed(each.lost, ' and ')} ({_value(outcome, each.cost)})" for each in own]:
            yield f"{text}: {several(costs)}."


def _more_rows(entries: Sequence[Guarded], outcome: Outcome) -> Iterator[str]:
    """Of which columns these rows are too few to say anything, and how many of those that an audit takes may do."""
    sure = {name for each in entries if each.decided and not each.pair for name in each.lost}
    unsure = [each for each in entries if not each.decided and not sure.issuperset(each.lost)]
    if not unsure:
        return
    worst = max(entries, key=lambda each: each.cost.value)
    cost = rise(outcome.subject, worst.cost)
    most = f"{listed(worst.lost, ' and ')} costs most ({cost}), but this is not sure. " if worst in unsure else ""
    names = dict.fromkeys(name for each in unsure for name in each.lost if name not in sure)
    text = f"{most if sure else ''}These rows are too few to say whether the loss of {first([*names])} costs anything"
    rows = _MORE_ROWS * max(each.cost.n * ((each.cost.value - each.cost.low) / each.cost.value) ** 2 for each in unsure)
    if rows <= MOST_ROWS:
        power = 10 ** math.floor(math.log10(rows))
        text += f": audit with about {power * math.ceil(rows / power):,} rows, which would probably be enough"
    elif outcome.intact.few:
        text += f": {outcome.intact.few}"
    yield f"{text}."


def _shown(whole: Sequence[Guarded]) -> list[Guarded]:
    """Those that the table holds: ten at most, with three pairs, first those that may replace each other."""
    pairs = sorted((each for each in whole if each.pair), key=lambda each: each.pair == "together")[:_MOST_PAIRS]
    alone = [each for each in whole if not each.pair][: _MOST_GUARDED - len(pairs)]
    return [each for each in whole if each in pairs or each in alone]


def _wrong(outcome: Outcome, entry: Guarded) -> list[int]:
    """Of 1,000 answers so many more are wrong: of two classes those that miss the one looked for, then false alarms."""
    subject, missed = outcome.subject, entry.missed_of_1000
    of_case = subject.metric.case is not None and len(subject.classes) == 2
    numbers = [missed, entry.wrong_of_1000 - missed] if of_case else [entry.wrong_of_1000]
    return [round(number) for number in numbers if not math.isnan(number)]


def guard_table(outcome: Outcome, whole: Sequence[Guarded]) -> ReportTable:
    """Columns and pairs in their order."""
    subject, rows = outcome.subject, list[list[Any]]()
    for each in _shown(whole):
        cost = rise(subject, each.cost).replace(" points", "")
        heavy = "bad" if each.cost.above(MATTERS * outcome.scale) else ""
        partners = [name + _in_part(outcome, each, name) for name in each.stands_in]
        stands_in = _OF_PAIRS[each.pair] if each.pair else listed(partners) if partners else "-"
        mark = "*" if each.cost.n < subject.n_rows else ""
        row = [" + ".join(each.lost), ReportCell(cost, each.cost.value, heavy, mark=mark)]
        row += ["yes" if each.decided else "open", stands_in]
        rows.append([*row, *(f"{number:+d}" if number else "0" for number in _wrong(outcome, each))])
    counted = {0: [], 1: ["wrong"], 2: ["missed", "alarms"]}[len(rows[0]) - 4]
    columns = ["lost", "cost", "sure", "stands in", *counted]
    align = ("text", "right", "left", "text", "right", "right")[: len(columns)]
    return ReportTable(columns=columns, rows=rows, title="What to guard", align=align)


def guard_notes(outcome: Outcome, whole: Sequence[Guarded]) -> list[str]:
    """What the columns of the table mean, with its own numbers, and what it leaves out."""
    subject, entries = outcome.subject, _shown(whole)
    named = {each.lost[0] for each in entries if len(each.lost) == 1}
    least = least_cost(outcome).replace(" points", "")
    notes = [f"Cost: in {unit(subject)}; what costs {least} is listed. {outcome.filled.note}"]
    sure = "Sure: the 95 % interval, which holds for all columns at once, lies above 0."
    notes.append(f"{sure} Where two overlap, it is not sure which costs more.")
    few = outcome.intact.few or next((each.losses.few for each in outcome.columns if each.losses.few), "")
    notes += [f"{few[0].upper()}{few[1:]}."] if few else []
    names = dict.fromkeys(name for each in entries for name in each.lost)
    beyond = {each.column for each in outcome.gap_readings if each.beyond}
    for way, words in _OF_GAPS.items():
        if of_way := [name for name in names if way in way_of_gap(outcome, [name]) and name not in beyond]:
            notes.append(words.format(first(of_way)))
    shares = ((each, name, _in_part(outcome, each, name).strip(" ()")) for each in entries for name in each.stands_in)
    stands_in = [
        f"without {entry.lost[0]}, {partner} makes up for {share.replace('%', ' %')} of what losing both costs"
        for entry, partner, share in shares
        if share
    ][:1]
    if any("?" in _OF_PAIRS.get(each.pair, "".join(each.stands_in)) for each in entries):
        stands_in.append("with ? it is not sure")
    if any(each.pair == "together" for each in entries):
        stands_in.append("no: neither replaces the other")
    if stands_in:
        notes.append(f"Stands in: {'; '.join(stands_in)}.")
    for pair in outcome.pairs:
        worse = max(pair.first, pair.second)
        if pair.told >= TOLD and named.issuperset(pair.sources) and pair.cost.value <= worse + outcome.least:
            text = f"{listed(pair.sources, ' and ')} tell much the same: losing both costs"
            text += f" {rise(subject, bare(pair.cost.value))}, the worse alone {rise(subject, bare(worse))}"
            notes.append(f"{text}{of_rows(subject, pair.cost.n)}.")
    left = len(whole) - len(entries)
    more = f"{left} more {'is' if left == 1 else 'are'} in --json and report.guard." if left else ""
    if measured := [each.cost.n for each in entries if each.pair]:
        notes.append(f"* measured{of_rows(subject, measured[0])}; pairs were searched on others. {more}".strip())
    elif more:
        notes.append(more)
    if numbers := _wrong(outcome, entries[0]):
        lost = listed(entries[0].lost, " and ")
        counts = [f"{abs(number)} {'fewer' if number < 0 else 'more'}" for number in numbers]
        wrong = f"Wrong: without {lost}, of 1,000 answers {counts[0]} are wrong."
        if len(counts) > 1:
            case = repr(subject.classes[subject.metric.case or 0])
            wrong = f"Missed, alarms: without {lost}, of 1,000 answers {counts[0]} miss {case}"
            wrong += f" and {counts[1]} are false alarms."
        notes.append(wrong)
        if subject.weights is not None:
            notes.append("Each row is counted once there, whatever its weight.")
    for column in outcome.columns:
        if column.source in named and (row := decisive_row(outcome, column.losses.values - outcome.intact.values)):
            notes.append(f"{row} of what the loss of {column.source} costs.")
    rest = [each for each in outcome.columns if each.source not in named]
    most = max(rest, key=lambda each: each.cost.high, default=None)
    if most is not None and math.isfinite(most.cost.high):
        cost = f"{rise(subject, bare(max(0.0, most.cost.high)))} ({most.source}, the upper end of its interval)"
        notes.append(f"A column that is not listed may cost up to {cost}.")
        row = decisive_row(outcome, most.losses.values - outcome.intact.values)
        notes.append(f"{row} of that." if row else "")
    return list(filter(None, notes))


def _in_part(outcome: Outcome, entry: Guarded, partner: str) -> str:
    """Which part of what both cost the partner prevents where the entry is lost, if it is not nearly all."""
    pair = next((each for each in outcome.pairs if {*each.sources} == {*entry.lost, partner}), None)
    if pair is None:
        return ""
    prevented = 1 - (pair.first if entry.lost[0] == pair.sources[0] else pair.second) / pair.cost.value
    return "" if prevented >= _NEARLY_ALL else f" ({max(0.0, prevented):.0%})"
