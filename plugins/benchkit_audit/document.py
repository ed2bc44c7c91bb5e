"""The report of an audit as a document: the paragraph, tables, bars of what columns cost, curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchkit import ReportCell, ReportTable
from benchkit.document import Bars, Block, Chart, Curve, Document, Heading, Mark, Note, Table, Text, Tiles
from benchkit.document.text import p_value
from benchkit_audit.estimates import Estimate, Slice
from benchkit_audit.findings import LEVELS, Finding
from benchkit_audit.gaps import EMPTY, GAPS
from benchkit_audit.hardened import best_hardened
from benchkit_audit.inputs import listed
from benchkit_audit.lost_columns import FALLBACKS
from benchkit_audit.measure import MATTERS, Outcome
from benchkit_audit.words import amount, ends, fine_rise, of_rows, on_rows, percent, performance, rise

if TYPE_CHECKING:
    from benchkit_audit.report import AuditReport

_MOST_BARS = 20
_MOST_COLUMNS = 30
_MOST_SLICES = 10
_MOST_PROBES = 16
_UNTRIED = 1e-3  # of the time, which is worth a sentence
_EMPHASIS = {"issue": "bad", "tip": "open", "passed": "good"}


def document(report: AuditReport) -> Document:
    """The whole report."""
    outcome = report.outcome
    facts = [f"{outcome.subject.n_rows:,} rows", f"{len(outcome.subject.columns)} columns", outcome.subject.task]
    blocks: list[Block] = [Heading("In short"), Tiles(_tiles(report)), Text(report.paragraph)]
    for heading, table in tables(outcome, report.findings):
        blocks.append(Heading(heading))
        if heading == "Columns" and outcome.columns:
            blocks.append(_bars(outcome))
        if heading == "Curves":
            blocks.append(_curves(outcome))
        blocks.append(Table(table, "claims" if heading in ("Findings", "Gaps") else ""))
    blocks += [Heading("Notes"), *(Note(note) for note in report.notes)]
    return Document(report.title, blocks, " · ".join(facts))


def _tiles(report: AuditReport) -> list[tuple[str, str, str]]:
    outcome, shares = report.outcome, report.outcome.subject.shares
    issues = sum(each.level == "issue" for each in report.findings)
    shown = percent(1 - outcome.before.value) if shares else f"{outcome.before.value:.4g}"
    tiles = [("right answers" if shares else f"{outcome.subject.loss} error", shown, "")]
    if outcome.columns:
        worst = outcome.columns[0]
        tiles.append((f"lost with {worst.source}", amount(outcome.subject, worst.cost.value), ""))
    return [*tiles, ("issue" if issues == 1 else "issues", str(issues), "bad" if issues else "good")]


def _bars(outcome: Outcome) -> Bars:
    """What columns cost."""
    return Bars(
        [
            (each.source, each.cost.value, each.cost.low, each.cost.high, _if_heavy(outcome, each.cost), text)
            for each in outcome.columns[:_MOST_BARS]
            for text in [rise(outcome.subject, each.cost)]
        ]
    )


def _curves(outcome: Outcome) -> Chart:
    """The mean loss against how many columns are lost, in the three ways."""
    first = (0, outcome.before.value)
    curves = {
        "at random": [first, *((each.lost, each.loss.value) for each in outcome.random)],
        "worst same for all": [first, *((len(each.sources), each.loss.value) for each in outcome.sets)],
        # Of fewer rows: it begins where these are.
        "worst of each row": [
            *((0, each.loss.value - each.cost.value) for each in outcome.attacked[:1]),
            *((each.lost, each.loss.value) for each in outcome.attacked),
        ],
    }
    shares, most = outcome.subject.shares, max(len(outcome.sets), len(outcome.attacked), 2)
    drawn = [
        Curve(name, [Mark(x, 1 - y if shares else y) for x, y in curve if x <= most], place)
        for place, (name, curve) in enumerate(curves.items())
        if len(curve) > 1
    ]
    what = "share of right answers" if shares else "mean error"
    title = f"{'right answers' if shares else what}, against columns lost"
    return Chart(title, "columns lost", what, drawn, [(float(lost), str(lost)) for lost in range(most + 1)])


def tables(outcome: Outcome, findings: Sequence[Finding]) -> Iterator[tuple[str, ReportTable]]:
    """Every table that has something to say, with the heading of its section, in the order of the report."""
    yield "Findings", _findings(findings)
    if outcome.columns:
        yield "Columns", _columns(outcome)
    if outcome.outages:
        yield "Outages", _outages(outcome)
    if outcome.pairs:
        yield "Pairs", _pairs(outcome)
    if outcome.random or outcome.sets or outcome.attacked:
        yield "Curves", _sets(outcome)
    if outcome.readings:
        yield "Gaps", _readings(outcome)
    if outcome.probes:
        yield "Faults", _faults(outcome)
    if outcome.confidences:
        yield "Probabilities", _confidences(outcome)
    if any(each.apart > 0 for each in outcome.slices):
        yield "Slices", _slices(outcome, outcome.slices, "where it is worst", "loss")
    if any(each.apart > 0 for each in outcome.slices_lost):
        whom = f"whom the loss of {outcome.sliced_by} hits"
        yield f"Slices without {outcome.sliced_by}", _slices(outcome, outcome.slices_lost, whom, "rise of the loss")
    if outcome.hardened:
        yield "What would help", _hardened(outcome)


def _findings(findings: Sequence[Finding]) -> ReportTable:
    """Every finding, the issues first."""
    return ReportTable(
        title="Findings",
        columns=("level", "code", "what was found", "what to do"),
        rows=[
            [
                ReportCell(each.level, emphasis=f"badge {_EMPHASIS.get(each.level, '')}".strip()),
                ReportCell(each.code, emphasis="code", hint=each.name),
                each.text,
                each.advice,
            ]
            for each in sorted(findings, key=lambda each: LEVELS.index(each.level))
        ],
        align=("left", "left", 0.6, 0.3),
    )


def _columns(outcome: Outcome) -> ReportTable:
    """What the loss of each column costs."""
    limit, left = MATTERS * outcome.scale, len(outcome.columns) - _MOST_COLUMNS
    rows = [
        [
            each.source,
            _cost(outcome, each.cost, _if_heavy(outcome, each.cost)),
            p_value(each.cost.p),
            _cost(outcome, each.alone),
            "others stand in for it" if each.cost.below(limit) and each.alone.above(limit) else "",
        ]
        for each in outcome.columns[:_MOST_COLUMNS]
    ]
    shown = 5 if any(row[-1] for row in rows) else 4
    more = f" {left} more columns cost less: see JSON." if left > 0 else ""
    return ReportTable(
        title="Columns: what the loss of each costs",
        columns=("lost", _unit(outcome), "p (Holm)", "what it tells alone", "")[:shown],
        rows=[row[:shown] for row in rows],
        align=("left", "right", "right", "right", "left")[:shown],
        note=f"{outcome.filled.note} 95 % intervals over rows, paired, for all columns at once; alone: how much better "
        f"than one answer to everything where all other columns are lost.{more}",
    )


def _outages(outcome: Outcome) -> ReportTable:
    """What outages at the given rates cost on average, with each fallback."""
    own = outcome.outages[0]

    def by_fallback(costs: Sequence[Estimate]) -> list[ReportCell]:
        """The audit's own fallback with its interval; the others' intervals show where one points."""
        texts = [fine_rise(outcome.subject, cost) for cost in costs]
        pairs = list(zip(texts, costs, strict=True))
        rest = [ReportCell(text.partition(" [")[0], cost.value, hint=text) for text, cost in pairs[1:]]
        return [ReportCell(texts[0], costs[0].value), *rest]

    rows = [
        [source, f"{100 * own.rates[source]:.3g} %", *by_fallback([each.alone[source] for each in outcome.outages])]
        for source in sorted(own.alone, key=lambda name: -own.alone[name].value)
    ]
    rows.append(["all together", None, *by_fallback([each.cost for each in outcome.outages])])
    untried = ""
    if own.untried > _UNTRIED:
        untried = f". Sets of sources that are out together {100 * own.untried:.2g} % of the time were not tried."
    return ReportTable(
        title="Outages: what they cost on average over time",
        columns=("out", "of the time", *(f"with {FALLBACKS[each.fallback]}" for each in outcome.outages)),
        rows=rows,
        align=("left", *["right"] * (1 + len(outcome.outages))),
        note=f"{_unit(outcome).capitalize()} at the given rates, by what stands for what is out, where sources fail "
        f"independently: of the time in which one alone is out, and of all time{untried}",
    )


def _pairs(outcome: Outcome) -> ReportTable:
    """The pairs that cost most beyond their sum."""
    how = "Every pair was tried" if outcome.every_pair else "Pairs of the columns that move most answers were tried"
    rows = []
    for each in sorted(outcome.pairs, key=lambda pair: -pair.excess.value):
        mark, hint = "*" if each.excess.p < 0.05 else "", f"p {p_value(each.excess.p)}"
        excess = _cost(outcome, each.excess, "bad" if outcome.matters(each) else "")
        rows.append([" + ".join(each.sources), _cost(outcome, each.cost), replace(excess, mark=mark, hint=hint)])
    return ReportTable(
        title="Pairs: what is lost together beyond what is lost apart",
        columns=("pair", "both", "beyond the sum of each alone"),
        rows=rows,
        align=("left", "right", "right"),
        note=f"{how} on some rows; what is shown was measured on {outcome.pairs[0].cost.n:,} others. * not zero, "
        "decided after Holm's correction",
    )


def _sets(outcome: Outcome) -> ReportTable:
    """Columns lost at random, the worst the same for all, the worst row by row."""
    random = {each.lost: each for each in outcome.random}
    sets = {len(each.sources): each for each in outcome.sets}
    attacked = {each.lost: each for each in outcome.attacked}
    rows = []
    for size in sorted({*random, *sets, *attacked}):
        by_chance, same, own = random.get(size), sets.get(size), attacked.get(size)
        rows.append(
            [
                ReportCell(str(size), size),
                by_chance and _score(outcome, by_chance.loss),
                by_chance and _spread(outcome, by_chance.spread),
                own and _score(outcome, own.loss, "" if own.exact else _bound(outcome), "**"),
                same and _score(outcome, same.loss, mark="*"),
                "" if same is None else listed(same.sources) + ("" if same.exact else " (greedy)"),
            ]
        )
    drawn = max((each.draws for each in outcome.random), default=0)
    by = outcome.attacked[0].by if outcome.attacked else "none"
    return ReportTable(
        title="Curves: columns lost at random, at worst, and row by row",
        columns=("lost", "at random", "over sets", "worst of each row", "worst same for all", "which"),
        rows=rows,
        align=("left", "right", "right", "right", "right", "text"),
        note=f"{_score_name(outcome)}. Over sets: 10th to 90th of all sets of this size, or of at most {drawn} at "
        "random. The worst sets were searched on some rows, every set or (greedy) one by one with exchanges, and "
        f"measured on others. Worst of each row ({by}): {_bound(outcome)} where more damage may be possible than was "
        f"found{_rows_of_marks(outcome, intact=True)}",
    )


def _faults(outcome: Outcome) -> ReportTable:
    """What came of each fault, those that cost most first; those that raised are told together."""
    subject = outcome.subject
    like_nan = {(each.column, each.moved, each.moved_most) for each in outcome.probes if each.kind == "NaN"}
    answered = [
        (each, each.changed, each.cost)
        for each in outcome.probes
        if each.changed is not None
        and each.cost is not None
        and not (each.kind in ("None", EMPTY) and (each.column, each.moved, each.moved_most) in like_nan)
    ]
    answered.sort(key=lambda one: -one[2].value)
    raised: dict[tuple[str, str], list[str]] = {}
    messages: dict[tuple[str, str], str] = {}
    for each in outcome.probes:
        if each.raised:
            key = each.kind, each.raised.partition(":")[0]
            raised.setdefault(key, []).append(each.column)
            messages.setdefault(key, each.raised)
    rows: list[list[object]] = [
        [_fault(key[0]), _some(columns, 4), ReportCell("raises", emphasis="open"), None, messages[key]]
        for key, columns in raised.items()
    ]
    room = _MOST_PROBES - len(rows)
    for each, changed, cost in answered[:room]:
        share = f"{percent(changed.value)} {ends(changed.low, changed.high)}"
        moved = "" if each.moved != each.moved else f"{each.moved:.3g} (most {each.moved_most:.3g})"
        rows.append([_fault(each.kind), each.column, ReportCell(share), _cost(outcome, cost), moved])
    left = len(answered) - room
    more = f" {left} more faults changed less: see JSON." if left > 0 else ""
    note = "Each tried in one column"
    if answered:
        note += f" of {answered[0][1].n:,} rows; where a lost column becomes a gap, what NaN costs is what the loss "
        note += f"costs on all rows.{more}"
    return ReportTable(
        title="Faults: how the model takes a column that goes wrong",
        columns=(
            *("fault", "column", "answers changed", "cost"),
            f"{'probability' if subject.shares else 'answer'} moved, or what it raises",
        ),
        rows=rows,
        align=("left", "left", "right", "right", "text"),
        note=note,
    )


def _fault(kind: str) -> ReportCell:
    return ReportCell(kind, hint=GAPS.get(kind, ""))


def _readings(outcome: Outcome) -> ReportTable:
    """How gaps are read, column by column."""
    ways: dict[str, list[str]] = {}
    for each in outcome.readings:
        ways.setdefault(str(each), []).append(each.column)
    return ReportTable(
        title="Gaps: what the model takes them for",
        columns=("it reads a gap", "in"),
        rows=[[way, _some(columns, 8)] for way, columns in sorted(ways.items(), key=lambda each: -len(each[1]))],
        align=("left", 0.7),
        note=f"Its answers to a gap were those to this number on all of {outcome.readings[0].rows:,} rows",
    )


def _confidences(outcome: Outcome) -> ReportTable:
    """Confidence beside right answers."""
    return ReportTable(
        title="Probabilities: does confidence fall when columns are lost?",
        columns=("lost", "it says", "it is right", "too sure by"),
        rows=[
            [each.when, percent(each.said), percent(each.right), _cost(outcome, each.overconfidence, emphasis)]
            for each in outcome.confidences
            for emphasis in ["bad" if each.overconfidence.above(MATTERS) else ""]
        ],
        align=("left", "right", "right", "right"),
    )


def _slices(outcome: Outcome, slices: Sequence[Slice], which: str, value: str) -> ReportTable:
    """The slices that fare worst."""
    rows = []
    for each in [each for each in slices if each.apart > 0][:_MOST_SLICES]:
        mean, others = f"{each.mean.value:.4g}", f"{each.others:.4g}"
        if outcome.subject.shares:
            mean, others = f"{percent(each.mean.value)} {ends(each.mean.low, each.mean.high)}", percent(each.others)
        cell = ReportCell(mean, each.mean.value, "bad" if each.p < 0.05 else "")
        rows.append([each.what, f"{each.mean.n:,}", cell, others, p_value(each.p)])
    return ReportTable(
        title=f"Slices: {which}",
        columns=("rows where", "rows", value, "elsewhere", "p (Holm)"),
        rows=rows,
        align=("left", "right", "right", "right", "right"),
        note=f"The worst of {len(slices)} slices, by categories and quarters of every column; Welch's test against "
        "all other rows",
    )


def _hardened(outcome: Outcome) -> ReportTable:
    """The audited model beside models that were trained for lost columns, on the same rows."""
    lost, best = outcome.hardened[0].lost, best_hardened(outcome)
    rows: list[list[object]] = [["yours", _score(outcome, outcome.before), None, *_lost_beside(outcome, lost, "")]]
    for each in outcome.hardened:
        if each.outcome is None:
            rows.append([each.name, "not trained", *[None] * 5])
            continue
        price = None if each.price is None else _cost(outcome, each.price, "bad" if each.price.above(0.0) else "")
        cells = _lost_beside(each.outcome, lost, "good" if each is best else "")
        rows.append([ReportCell(each.name, hint=each.what), _score(outcome, each.outcome.before), price, *cells])
    methods = "; ".join(
        f"{each.name}: {each.what}" + (f" (not trained: {each.failed})" if each.failed else "")
        for each in outcome.hardened
    )
    return ReportTable(
        title="What would help: models trained for lost columns, on the same rows",
        columns=(
            *("model", "nothing lost", "price of that", "worst column"),
            *(f"{lost} at random", f"worst {lost}", f"worst {lost} of each row"),
        ),
        rows=rows,
        align=("left", *["right"] * 6),
        note=f"{_score_name(outcome)}; {_bound(outcome)} where more damage may be possible than was found. The price: "
        f"{_unit(outcome)}, against yours, paired by row{_rows_of_marks(outcome, intact=False)}. "
        f"{methods}. Nothing is tuned; numbers are standardised, categories one-hot, and a gap is 0 in both",
    )


def _lost_beside(outcome: Outcome, lost: int, emphasis: str) -> list[object]:
    """What is compared of one model where columns are lost; intervals of the first three show where one points."""
    random = next((each.loss for each in outcome.random if each.lost == lost), None)
    sets = {len(each.sources): each.loss for each in outcome.sets}
    own = next((each for each in outcome.attacked if each.lost == lost), None)
    cells: list[object] = []
    for loss in (sets.get(1), random, sets.get(lost)):
        whole = loss and _score(outcome, loss, mark="*")
        cells.append(whole and replace(whole, text=whole.text.partition(" [")[0], hint=whole.text))
    bound = "" if own is None or own.exact else _bound(outcome)
    return [*cells, own and replace(_score(outcome, own.loss, bound, "**"), emphasis=emphasis)]


def _some(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _if_heavy(outcome: Outcome, cost: Estimate) -> str:
    return "bad" if cost.above(MATTERS * outcome.scale) else ""


def _cost(outcome: Outcome, cost: Estimate, emphasis: str = "") -> ReportCell:
    return ReportCell(rise(outcome.subject, cost), cost.value, emphasis)


def _score(outcome: Outcome, loss: Estimate, before: str = "", mark: str = "") -> ReportCell:
    """A mean loss; with a mark where it is not that of all rows."""
    subject, mark = outcome.subject, mark if loss.n != outcome.subject.n_rows else ""
    if subject.shares:
        text = f"{before} {100 * (1 - loss.value):.1f} {ends(1 - loss.high, 1 - loss.low)}".strip()
        return ReportCell(text, 1 - loss.value, mark=mark)
    return ReportCell(f"{before} {performance(subject, loss)}".strip(), loss.value, mark=mark)


def _rows_of_marks(outcome: Outcome, intact: bool) -> str:
    """On which rows the marked numbers are; if wanted, with what is right or wrong there where nothing is lost."""
    subject, text = outcome.subject, ""
    losses: Mapping[str, Sequence[Any]] = {"*": outcome.sets, "**": outcome.attacked}
    for mark, lost in losses.items():
        for each in lost[-1:]:
            rows = on_rows(subject, each.loss, each.cost) if intact else of_rows(subject, each.loss.n)
            text += f". {mark}{rows}" if rows else ""
    return text


def _spread(outcome: Outcome, spread: tuple[float, float]) -> str:
    low, high = spread
    return f"{100 * (1 - high):.1f} to {100 * (1 - low):.1f}" if outcome.subject.shares else f"{low:.4g} to {high:.4g}"


def _bound(outcome: Outcome) -> str:
    return "≤" if outcome.subject.shares else "≥"


def _score_name(outcome: Outcome) -> str:
    return "Right answers in %" if outcome.subject.shares else f"Mean {outcome.subject.loss} error"


def _unit(outcome: Outcome) -> str:
    return "fewer right answers" if outcome.subject.shares else f"rise of the {outcome.subject.loss} error"
