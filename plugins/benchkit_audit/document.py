"""The report of an audit as a document: the paragraph, what to guard, and tables of all that was measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchkit import ReportCell, ReportTable
from benchkit.document import Bars, Block, Document, Heading, Note, Table, Text, Tiles
from benchkit.document.text import p_value
from benchkit_audit.estimates import Estimate, bare, number_text
from benchkit_audit.findings import LEVELS, Finding
from benchkit_audit.gaps import GAP
from benchkit_audit.guard import guard_list, ways_of_gaps
from benchkit_audit.hardened import not_compared
from benchkit_audit.lost import FALLBACKS, Several
from benchkit_audit.measure import MATTERS, Outcome
from benchkit_audit.subject import listed
from benchkit_audit.summary import guard_notes, guard_table, is_said
from benchkit_audit.wording import on_rows, rise, score, unit

if TYPE_CHECKING:
    from benchkit_audit.report import AuditReport

_MOST_BARS = 20
_MOST_ROWS = 30
_SHORT_CURVES = 2
_UNTRIED = 1e-3  # of the time, which is worth a sentence
_EMPHASIS = {"issue": "bad", "tip": "open", "passed": "good"}


def document(report: AuditReport, details: bool) -> Document:
    """The report: everything, or what a screen holds."""
    outcome, metric = report.outcome, report.outcome.subject.metric
    issues = sum(each.level == "issue" for each in report.findings)
    shown = score(metric, bare(outcome.before.value))
    tiles = [("right answers" if metric.kind == "shares" else metric.words, shown, "")]
    for each in outcome.columns[:1]:
        tiles += [(f"lost with {each.source}", rise(outcome.subject, bare(each.cost.value)), "")]
    tiles.append(("issue" if issues == 1 else "issues", str(issues), "bad" if issues else "good"))
    blocks: list[Block] = [Heading("In short"), Tiles(tiles), Text(report.paragraph)]
    if report.steps:
        blocks += [Heading("What to do"), *(Text(step) for step in report.steps)]
    if entries := guard_list(outcome):
        notes = guard_notes(outcome, entries)
        legend = " ".join(notes)
        blocks += [Heading("What to guard"), Table(guard_table(outcome, entries), legend=legend), *map(Note, notes)]
    for heading, table in _tables(outcome, report.findings, details):
        blocks.append(Heading(heading))
        if heading == "Columns":
            times = 100 if unit(outcome.subject).startswith("points") else 1
            bars = []
            for each in outcome.columns[:_MOST_BARS]:
                cost, cell = each.cost, _cost(outcome, each.cost)
                if cell is not None and math.isfinite(cost.high):
                    value, low, high = (times * end for end in (cost.value, cost.low, cost.high))
                    bars.append((each.source, value, low, high, cell.emphasis, cell.text))
            matters = rise(outcome.subject, bare(MATTERS * outcome.scale))
            what = f"{unit(outcome.subject)} that the loss of the column costs, with 95 % intervals"
            blocks.append(Bars(bars, f"{what}; red: surely more than {matters}, blue: less, or not sure"))
        blocks.append(Table(table, "claims" if heading in ("Findings", "Gaps") else ""))
    blocks += [Heading("Notes"), *(Note(note) for note in report.notes)]
    facts = [f"{outcome.subject.n_rows:,} rows", f"{len(outcome.subject.columns)} columns", outcome.subject.task]
    return Document(report.title, blocks, " · ".join(facts))


def _tables(outcome: Outcome, findings: Sequence[Finding], details: bool) -> Iterator[tuple[str, ReportTable]]:
    """The tables with the headings of their sections; without details what one screen shows."""
    if details:
        yield "Findings", _findings("Findings", findings)
    elif urgent := [each for each in findings if each.level in ("issue", "tip") and not is_said(each)]:
        yield "Findings", _findings("Findings: other issues and tips", urgent)
    if outcome.outages:
        yield "Outages", _outages(outcome)
    if outcome.random or outcome.sets or outcome.rows_attacked:
        yield "Curves", _curves(outcome, details)
    for heading, title, rows, note in _parts(outcome):
        if rows and (details or heading == "What would help"):
            yield heading, _part(f"{heading}: {title}", rows, note)


def _findings(title: str, findings: Sequence[Finding]) -> ReportTable:
    """Findings, the issues first."""
    order = sorted(findings, key=lambda each: (LEVELS.index(each.level), (each.code, each.level) != ("BK012", "issue")))
    rows = list[list[ReportCell | str]]()
    for each in order:
        level = ReportCell(each.level, emphasis=f"badge {_EMPHASIS.get(each.level, '')}".strip())
        rows.append([level, ReportCell(each.code, emphasis="code", hint=each.name), each.text, each.advice])
    columns = ("level", "code", "what was found", "what to do")
    return ReportTable(columns=columns, rows=rows, title=title, align=("left", "left", 0.6, 0.3))


def _outages(outcome: Outcome) -> ReportTable:
    """What outages at the given rates cost on average; intervals of other fallbacks show where one points."""
    own, name = outcome.outages[0], unit(outcome.subject)

    def by_fallback(costs: Sequence[Estimate]) -> list[ReportCell]:
        texts = [rise(outcome.subject, cost, 2) for cost in costs]
        return [ReportCell(texts[0]), *(ReportCell(text.partition(" [")[0], hint=text) for text in texts[1:])]

    rows = []
    for each in sorted(own.alone, key=lambda name: -own.alone[name].value):
        costs = by_fallback([of.alone[each] for of in outcome.outages])
        rows.append([each, f"{100 * own.rates[each]:.3g} %", *costs])
    rows.append(["all together", "-", *by_fallback([each.cost for each in outcome.outages])])
    note = f"{name[0].upper()}{name[1:]} at the given rates, by what stands for what is out, where sources fail "
    note += "independently: of the time in which one alone is out, and of all time"
    if own.untried > _UNTRIED:
        note += f". Sets of sources that are out together {100 * own.untried:.2g} % of the time were not tried."
    columns = ("out", "of the time", *(f"with {FALLBACKS[each.fallback]}" for each in outcome.outages))
    title, align = "Outages: what they cost on average over time", ("left", *["right"] * (len(columns) - 1))
    return ReportTable(columns=columns, rows=rows, note=note, title=title, align=align)


def _curves(outcome: Outcome, details: bool) -> ReportTable:
    """Columns lost at random, the worst the same for all and, where asked for, the worst row by row."""
    subject, metric = outcome.subject, outcome.subject.metric
    ways = [("at random", "", outcome.random), ("worst same for all", "*", outcome.sets)]
    ways += [("worst of each row", "**", outcome.rows_attacked)] if outcome.rows_attacked else []
    bound = "≤ " if metric.kind == "shares" or metric.greater else "≥ "

    def cell(each: Several, mark: str) -> ReportCell:
        text = score(metric, each.loss).replace(" %", "")
        mark = mark if each.loss.n != subject.n_rows else ""  # where it is not of all rows
        return ReportCell(text if each.exact else bound + text, each.loss.value, mark=mark)

    cells = [{each.lost: cell(each, mark) for each in way} for _, mark, way in ways]
    which = {
        each.lost: listed(each.sources)
        + (" (nothing worse was found)" if len(each.sources) < each.lost else "")
        + ("" if each.exact or not details else " (greedy)")
        for each in outcome.sets
    }
    sizes = sorted({size for of in cells for size in of})
    rows = [[str(size), *(of.get(size) for of in cells), which.get(size, "")] for size in sizes]
    told = [(mark, on_rows(subject, way[-1].loss, way[-1].cost)) for _, mark, way in ways if way]
    note = "At random: each row loses its own. The worst sets were searched on some rows, every set or (greedy) one by "
    note += "one with exchanges, and measured on others. "
    notes = [note] if details else []
    if details or not all(each.exact for _, _, way in ways for each in way[:_SHORT_CURVES]):
        notes.append(f"{bound}where more damage may be possible. ")
    if any(of.loss.high < math.inf and "[" not in score(metric, of.loss) for _, _, way in ways for of in way):
        notes.append("No interval where a row or a few make nearly all of it. ")
    note = "".join(notes) + ". ".join(f"{mark}{rows}" for mark, rows in told if rows)
    name = "right answers in %" if metric.kind == "shares" else f"{metric.words}{' in %' if metric.percent else ''}"
    columns, align = ("lost", *(way for way, _, _ in ways), "which"), ("left", *["right"] * len(ways), "text")
    title = f"Curves: {name} where columns are lost"
    rows = rows if details else rows[:_SHORT_CURVES]
    return ReportTable(columns=columns, rows=rows, note=note, title=title, align=align)


def _parts(outcome: Outcome) -> Iterator[tuple[str, str, list[dict[str, ReportCell | str | None]], str]]:
    """Heading, the rest of the title, rows by column, and note of each table of what was measured."""
    subject, few = outcome.subject, min((each.others.n for each in outcome.columns), default=outcome.subject.n_rows)
    shown = number_text if subject.task == "regression" else "{:.3f}".format
    note = f"The cost of all others is of {few:,} rows where these decide." if few < subject.n_rows else ""
    rows = [
        {
            "source": each.source,
            "cost": _cost(outcome, each.cost),
            "cost of all others": _cost(outcome, each.others),
            **{name.partition(" of '")[0]: shown(value) for name, value in each.beside.items()},
        }
        for each in outcome.columns
    ]
    yield "Columns", "what the loss of each costs, for all at once", rows, note
    readings = {each.column: str(each) for each in outcome.gap_readings}
    changed = {each.column: _share(each.changed) for each in outcome.faults if each.kind == GAP}
    rows = [
        {"column": name, "gap": way, "it is read": readings.get(name, "-"), "answers that change": changed[name]}
        for name, way in ways_of_gaps(outcome).items()
    ]
    yield "Gaps", "what the model takes them for", rows, ""
    tried = outcome.probed is not None and outcome.probed.n < subject.n_rows
    note = f"Tried{on_rows(subject, outcome.probed, bare(0.0))}." if outcome.probed is not None and tried else ""
    rows = [
        {
            "kind": each.kind,
            "column": each.column,
            "changed": _share(each.changed),
            "cost": _cost(outcome, each.cost),
            "beyond plain": _cost(outcome, each.beyond_plain),
            "noticed": each.noticed,
            "raised": each.raised,
        }
        # What has no cost, as it raised, comes first.
        for each in sorted(outcome.faults, key=lambda each: -math.inf if each.cost is None else -each.cost.value)
        if each.kind != GAP or each.raised
    ]
    yield "Faults", "how the model takes a column that goes wrong", rows, note
    error = subject.mean_error
    rows = [
        {"what": each.what, error: _share(each.mean), "elsewhere": f"{each.others:.3f}", "p": p_value(each.p)}
        for each in outcome.slices
        if each.p < 1
    ]
    yield "Slices", "where errors are most, by Welch's test", rows, ""
    rows = [
        {
            "name": each.name,
            "price": None if each.price is None else rise(subject, each.price).replace(" points", ""),
            "gain": None if each.gain is None else rise(subject, each.gain).replace(" points", ""),
        }
        for each in outcome.hardened
        if not each.failed
    ]
    title = f"models trained for lost columns, nothing tuned, against yours, in {unit(subject)}"
    note = "Price: worse by so much where nothing is lost. Gain: better by so much where each loses its worst columns."
    note += f" Not compared: {failed}." if (failed := not_compared(outcome.hardened)) else ""
    yield "What would help", title, rows, note


def _part(title: str, rows: Sequence[dict[str, ReportCell | str | None]], note: str) -> ReportTable:
    """A table without the columns that are empty in every row."""
    columns = [name for name in rows[0] if any(row[name] != "" for row in rows)]
    align = ["left", *("text" if name in ("noticed", "raised") else "right" for name in columns[1:])]
    notes = [f"{len(rows) - _MOST_ROWS} more: see JSON."] if len(rows) > _MOST_ROWS else []
    cells = [[row[name] for name in columns] for row in rows[:_MOST_ROWS]]
    return ReportTable(columns=columns, rows=cells, note=" ".join([*notes, note]).strip(), title=title, align=align)


def _share(share: Estimate | None) -> str | None:
    return None if share is None else f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def _cost(outcome: Outcome, cost: Estimate | None) -> ReportCell | None:
    if cost is None:
        return None
    heavy = "bad" if cost.above(MATTERS * outcome.scale) else ""
    return ReportCell(rise(outcome.subject, cost), cost.value, heavy)
