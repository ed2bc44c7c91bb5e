"""What a reader sees first: how good the model is, what to do, and the list of what to guard."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from typing import Any

from benchkit import ReportCell, ReportTable
from benchkit_audit.estimates import Estimate, bare
from benchkit_audit.findings import CHECKS, Finding
from benchkit_audit.guard import Guarded, decisive_row, guard_list, least_cost, way_of_gap
from benchkit_audit.lost import FALLBACKS
from benchkit_audit.measure import MATTERS, Outcome
from benchkit_audit.subject import listed
from benchkit_audit.wording import first, of_rows, rise, score, several, unit

_MOST_GUARDED, _MOST_PAIRS = 10, 3
_NEARLY_ALL = 0.8  # of the harm: who prevents it stands in
IN_STEPS = ("BK001", "BK002", "BK003", "BK006", "BK012", "BK014", "BK015")
"""Findings of which what to do, or the list of what to guard, says as much."""
_MORE_ROWS = 2.04
"""(1 + z(0.8) / z(0.975))²: so many times the rows on which a cost would just be sure make it so four times of five."""


def paragraph(outcome: Outcome) -> str:
    """How good the model is, by what it is judged, and what outages cost."""
    model, subject, metric = CHECKS["BK001"].answer(outcome)[1], outcome.subject, outcome.subject.metric
    texts = [f"On {subject.n_rows:,} rows {model[0].lower()}{model[1:]}"]
    if metric.why:
        texts.append(f"It is judged by {metric.words}: {metric.why}.")
    if outcome.root is not None:
        texts.append(f"The root mean squared error is {score(metric, outcome.root)}.")
    if row := decisive_row(outcome, outcome.intact.values):
        texts.append(f"{row} of that: look at it, for these rows then say little of new ones.")
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
    subject, entries, leaked = outcome.subject, guard_list(outcome), ("issue", "tip") if outcome.leaks else ("issue",)
    texts = [f"{each.advice} (BK001)" for each in findings if each.code == "BK001" and each.level in ("issue", "tip")]
    texts += [_step(each) for each in findings if each.code == "BK012" and each.level in leaked]
    sure = [each for each in entries if each.decided]
    if alone := {each.lost[0]: rise(subject, bare(each.cost.value)) for each in sure if not each.pair}:
        whose = "their loss" if len(alone) > 1 else "its loss"
        text = f"Guard {first([f'{name} ({cost})' for name, cost in alone.items()])}: {whose} surely costs something."
        where = "them" if len(alone) > 1 else "it"
        check = f"Check {where} for gaps before the model is asked, as no error shows them, and decide"
        check = "Decide" if all(way_of_gap(outcome, [name]) == "raises" for name in alone) else check
        rest = "what stands in for a missing value: another source, the last known value, or a person"
        texts.append(f"{text} {check} {rest}.")
    if pairs := [
        f"{listed(each.lost, ' and ')} ({rise(subject, bare(each.cost.value))} if both are lost)"
        for each in sure
        if each.pair == "stand in"
    ]:
        texts.append(
            f"See that these do not come from one source, for they stand in for each other: {several(pairs, 2)}."
        )
    named = {name for each in sure for name in each.lost}
    if unsure := [each for each in entries if not each.decided and not named.issuperset(each.lost)]:
        worst = max(entries, key=lambda each: each.cost.value)
        most = f"{listed(worst.lost, ' and ')} costs most ({rise(subject, worst.cost)}), but this is not sure. "
        open_names = [name for each in unsure for name in each.lost if name not in named]
        text = f"These rows are too few to say whether the loss of {first([*dict.fromkeys(open_names)])} costs anything"
        halves = [each.cost.n * ((each.cost.value - each.cost.low) / each.cost.value) ** 2 for each in unsure]
        if math.isfinite(rows := _MORE_ROWS * max(halves)):
            unit_of_ten = 10 ** math.floor(math.log10(rows))
            rows = unit_of_ten * math.ceil(rows / unit_of_ten)
            text += f": audit with about {rows:,} rows, which would probably be enough"
        texts.append(f"{most if worst in unsure and sure else ''}{text}.")
    if outcome.columns and not entries:
        worst_column, few = outcome.columns[0], outcome.columns[0].losses.few
        cost = f"{rise(subject, worst_column.cost)}{f' ({few})' if few else ''}"
        text = f"No column costs {least_cost(outcome)}, so none has to be guarded"
        texts.append(f"{text}: the worst, {worst_column.source}, costs {cost}.")
    helping = ("BK006", "BK014", "BK015")
    return texts + [_step(each) for each in findings if each.code in helping and each.level == "tip"]


def _step(finding: Finding) -> str:
    return f"{finding.text} {finding.advice} ({finding.code})"


_OF_PAIRS = {"stand in": "each other", "together": "no", "open": "each other?"}
_OF_GAPS = {
    "silent": "A gap in {} raises no error, and nothing shows that the model has learned what it means.",
    "filled": "A gap in {} is filled by an imputer of the model's pipeline: no error shows it.",
    "learned": "In {} these rows have gaps, from which the model can have learned what they mean.",
    "raises": "A gap in {} makes the model raise an error.",
}


def _shown(whole: Sequence[Guarded]) -> list[Guarded]:
    """Those that the table holds: ten at most, with three pairs."""
    together = [each for each in whole if each.pair == "together"]
    pairs = [each for each in whole if each.pair and each not in together[1:]][:_MOST_PAIRS]
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
        counts = [f"{number:+d}" if number else "0" for number in _wrong(outcome, each)]
        rows.append([*row, ", ".join(counts)] if counts else row)
    columns = ["lost", "cost", "sure", "stands in", *(["wrong"] if subject.task == "classification" else [])]
    return ReportTable(
        columns=columns,
        rows=rows,
        title="What to guard",
        align=("text", "right", "left", "text", "right")[: len(columns)],
    )


def guard_notes(outcome: Outcome, whole: Sequence[Guarded]) -> list[str]:
    """What the columns of the table mean, with its own numbers, and what it leaves out."""
    subject, entries = outcome.subject, _shown(whole)
    named = {each.lost[0] for each in entries if len(each.lost) == 1}
    least = least_cost(outcome).replace(" points", "")
    notes = [f"Cost: in {unit(subject)}; what costs {least} is listed.", "Sure: yes where the interval lies above 0."]
    notes.append(outcome.filled.note)
    few = outcome.intact.few or next((each.losses.few for each in outcome.columns if each.losses.few), "")
    notes += [f"{few[0].upper()}{few[1:]}."] if few else []
    names = dict.fromkeys(name for each in entries for name in each.lost)
    for way, words in _OF_GAPS.items():
        if of_way := [name for name in names if way in way_of_gap(outcome, [name])]:
            notes.append(words.format(first(of_way)))
    shares = ((each, name, _in_part(outcome, each, name)) for each in entries for name in each.stands_in)
    if example := next((each for each in shares if each[2]), None):
        entry, partner, share = example
        share = share.strip(" ()").replace("%", " %")
        notes.append(
            f"Stands in: if {entry.lost[0]} is lost, {partner} makes up for {share} of what losing both costs."
        )
    if any("?" in _OF_PAIRS.get(each.pair, "".join(each.stands_in)) for each in entries):
        notes.append("?: these rows are too few to be sure.")
    if any(each.pair == "together" for each in entries):
        notes.append("No: these do not replace each other, yet losing both costs more than the two losses added.")
    if measured := [each.cost.n for each in entries if each.pair]:
        notes.append(f"* measured{of_rows(subject, measured[0])}; pairs were searched on others.")
    if numbers := _wrong(outcome, entries[0]):
        lost = listed(entries[0].lost, " and ")
        counts = [f"{abs(number)} {'fewer' if number < 0 else 'more'}" for number in numbers]
        wrong = [f"{counts[0]} are wrong"]
        if len(counts) > 1:
            wrong = [f"{counts[0]} miss {subject.classes[subject.metric.case or 0]!r}", f"{counts[1]} are false alarms"]
        notes.append(f"Wrong: without {lost}, of 1,000 answers {' and '.join(wrong)}.")
        if subject.weights is not None:
            notes.append("Each row is counted once there, whatever its weight.")
    for column in outcome.columns:
        if column.source in named and (row := decisive_row(outcome, column.losses.values - outcome.intact.values)):
            notes.append(f"{row} of what the loss of {column.source} costs.")
    notes += _left_out(outcome, whole, entries, named)
    return list(filter(None, notes))


def _left_out(
    outcome: Outcome, whole: Sequence[Guarded], entries: Sequence[Guarded], named: Container[str]
) -> list[str]:
    """What is not in the table, and what it costs at most."""
    subject, notes = outcome.subject, []
    if more := len(whole) - len(entries):
        notes.append(f"{more} more {'is' if more == 1 else 'are'} in --json and, in Python, in report.guard.")
    alone_cost = {each.source: each.cost.value for each in outcome.columns}
    two: list[tuple[Estimate, Sequence[str]]] = [
        (each.cost, each.sources) for each in outcome.pairs if each.excess.value >= outcome.least
    ]
    two += [
        (each.cost, each.sources)
        for each in outcome.sets
        if len(each.sources) == 2 and each.cost.value >= outcome.least + sum(alone_cost[name] for name in each.sources)
    ]
    worst, names_of_worst = max(two, key=lambda pair: pair[0].value, default=(None, ()))
    if worst and worst.value > max((each.cost.value for each in whole if each.pair), default=math.inf):
        open_cost = f"{rise(subject, worst)}, but these rows are too few to say whether that is more than the sum"
        notes.append(f"{listed(names_of_worst, ' and ')} cost most together, {open_cost}.")
    most = max((each.cost.high for each in outcome.columns if each.source not in named), default=math.inf)
    if math.isfinite(most):
        cost = rise(subject, bare(max(0.0, most)))
        notes.append(f"Each column that is not listed costs {cost} at most (the upper end of its interval).")
    return notes


def _in_part(outcome: Outcome, entry: Guarded, partner: str) -> str:
    """Which part of what both cost the partner prevents where the entry is lost, if it is not nearly all."""
    pair = next((each for each in outcome.pairs if {*each.sources} == {*entry.lost, partner}), None)
    if pair is None:
        return ""
    prevented = 1 - (pair.first if entry.lost[0] == pair.sources[0] else pair.second) / pair.cost.value
    return "" if prevented >= _NEARLY_ALL else f" ({max(0.0, prevented):.0%})"
