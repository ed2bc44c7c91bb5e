"""The tables of an audit, whatever shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchkit.auditing.columns import listed
from benchkit.auditing.findings import LEVELS, Finding
from benchkit.auditing.gaps import EMPTY, KINDS
from benchkit.auditing.hardened import best_hardened
from benchkit.auditing.lost_columns import FALLBACKS
from benchkit.auditing.measured import Measured, Slice, ends, fine_rise, of_rows, on_rows, percent, performance, rise
from benchkit.auditing.outcome import MATTERS, Outcome
from benchkit.document.text import p_value
from benchkit.plugin.declarations import ReportCell, ReportTable

_MOST_COLUMNS = 30
_MOST_SLICES = 10
_MOST_PROBES = 16
_TOLD = 1e-3
_EMPHASIS = {"issue": "bad", "tip": "open", "passed": "good"}


def findings_table(findings: Sequence[Finding]) -> ReportTable:
    """Every finding, the issues first."""
    ordered = sorted(findings, key=lambda each: LEVELS.index(each.level))
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
            for each in ordered
        ],
        align=("left", "left", 0.6, 0.3),
    )


def columns_table(outcome: Outcome) -> ReportTable | None:
    """What the loss of each column costs."""
    if not outcome.columns:
        return None
    subject, limit = outcome.subject, MATTERS * outcome.scale
    rows = []
    for each in outcome.columns[:_MOST_COLUMNS]:
        emphasis = "bad" if each.cost.above(limit) else ""
        redundant = each.cost.below(limit) and each.alone.above(limit)
        rows.append(
            [
                each.source,
                _cost(outcome, each.cost, emphasis),
                p_value(each.cost.p),
                ReportCell(rise(subject, each.alone), each.alone.value),
                "others stand in for it" if redundant else "",
            ]
        )
    left = len(outcome.columns) - _MOST_COLUMNS
    more = f" {left} more columns cost less: see JSON." if left > 0 else ""
    shown = 5 if any(row[-1] for row in rows) else 4
    return ReportTable(
        title="Columns: what the loss of each costs",
        columns=("lost", _unit(outcome), "p (Holm)", "what it tells alone", "")[:shown],
        rows=[row[:shown] for row in rows],
        align=("left", "right", "right", "right", "left")[:shown],
        note=f"{outcome.filled.note} 95 % intervals over rows, paired, for all columns at once; alone: how much better "
        f"than one answer to everything where all other columns are lost.{more}",
    )


def outages_table(outcome: Outcome) -> ReportTable | None:
    """What outages at the given rates cost on average, with each fallback."""
    if not outcome.outages:
        return None
    own = outcome.outages[0]
    rows = [
        [
            source,
            f"{100 * own.rates[source]:.3g} %",
            *_by_fallback(outcome, [each.alone[source] for each in outcome.outages]),
        ]
        for source in sorted(own.alone, key=lambda name: -own.alone[name].value)
    ]
    rows.append(["all together", None, *_by_fallback(outcome, [each.cost for each in outcome.outages])])
    untried = f" Sets of sources that are out together {100 * own.untried:.2g} % of the time were not tried."
    return ReportTable(
        title="Outages: what they cost on average over time",
        columns=("out", "of the time", *(f"with {FALLBACKS[each.fallback]}" for each in outcome.outages)),
        rows=rows,
        align=("left", *["right"] * (1 + len(outcome.outages))),
        note=f"{_unit(outcome).capitalize()} at the given rates, by what stands for what is out, where sources fail "
        "independently: of the time in which one alone is out, and of all time"
        + (f".{untried}" if own.untried > _TOLD else ""),
    )


def _by_fallback(outcome: Outcome, costs: Sequence[Measured]) -> list[ReportCell]:
    """The audit's own fallback with its interval; the others' intervals show where one points."""
    texts = [fine_rise(outcome.subject, cost) for cost in costs]
    return [
        ReportCell(text if place == 0 else text.partition(" [")[0], cost.value, hint=text if place else "")
        for place, (text, cost) in enumerate(zip(texts, costs, strict=True))
    ]


def pairs_table(outcome: Outcome) -> ReportTable | None:
    """The pairs that cost most beyond their sum."""
    if not outcome.pairs:
        return None
    how = "Every pair was tried" if outcome.every_pair else "Pairs of the columns that move most answers were tried"
    return ReportTable(
        title="Pairs: what is lost together beyond what is lost apart",
        columns=("pair", "both", "beyond the sum of each alone"),
        rows=[
            [
                " + ".join(each.sources),
                _cost(outcome, each.cost),
                replace(
                    _cost(outcome, each.excess, "bad" if outcome.matters(each) else ""),
                    mark="*" if each.excess.p < 0.05 else "",
                    hint=f"p {p_value(each.excess.p)}",
                ),
            ]
            for each in sorted(outcome.pairs, key=lambda pair: -pair.excess.value)
        ],
        align=("left", "right", "right"),
        note=f"{how} on some rows; what is shown was measured on {outcome.pairs[0].cost.n:,} others. * not zero, "
        "decided after Holm's correction",
    )


def sets_table(outcome: Outcome) -> ReportTable | None:
    """Columns lost at random, the worst the same for all, the worst row by row."""
    sizes = sorted(
        {each.lost for each in outcome.random}
        | {len(each.sources) for each in outcome.sets}
        | {each.lost for each in outcome.attacked}
    )
    if not sizes:
        return None
    random = {each.lost: each for each in outcome.random}
    sets = {len(each.sources): each for each in outcome.sets}
    attacked = {each.lost: each for each in outcome.attacked}
    rows = []
    for size in sizes:
        by_chance, same, own = random.get(size), sets.get(size), attacked.get(size)
        rows.append(
            [
                ReportCell(str(size), size),
                None if by_chance is None else _score(outcome, by_chance.loss),
                None if by_chance is None else _spread(outcome, by_chance.spread),
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


def gaps_table(outcome: Outcome) -> ReportTable | None:
    """What came of each fault, those that changed most first; those that raised are told together."""
    if not outcome.probes:
        return None
    subject = outcome.subject
    like_nan = {(each.column, each.moved, each.moved_most) for each in outcome.probes if each.kind == "NaN"}
    answered = [
        each
        for each in outcome.probes
        if each.changed is not None
        and not (each.kind in ("None", EMPTY) and (each.column, each.moved, each.moved_most) in like_nan)
    ]
    answered.sort(key=lambda each: -(each.cost.value if each.cost else 0.0))
    rows: list[list[object]] = []
    raised: dict[tuple[str, str], list[str]] = {}
    for each in outcome.probes:
        if each.raised:
            raised.setdefault((each.kind, each.raised.partition(":")[0]), []).append(each.column)
    for (kind, error), columns in raised.items():
        named = ", ".join(columns[:4]) + (f" and {len(columns) - 4} more" if len(columns) > 4 else "")
        message = next(each.raised for each in outcome.probes if each.kind == kind and each.raised.startswith(error))
        rows.append([ReportCell(kind, hint=KINDS[kind]), named, ReportCell("raises", emphasis="open"), None, message])
    for each in answered[: _MOST_PROBES - len(rows)]:
        if each.changed is None or each.cost is None:
            continue
        moved = "" if each.moved != each.moved else f"{each.moved:.3g} (most {each.moved_most:.3g})"
        rows.append(
            [
                ReportCell(each.kind, hint=KINDS[each.kind]),
                each.column,
                ReportCell(f"{percent(each.changed.value)} {ends(each.changed.low, each.changed.high)}"),
                _cost(outcome, each.cost),
                moved,
            ]
        )
    left = len(answered) - (_MOST_PROBES - len(raised))
    more = f" {left} more faults changed less: see JSON." if left > 0 else ""
    moved_name = "probability moved" if subject.shares else "answer moved"
    return ReportTable(
        title="Faults: how the model takes a column that goes wrong",
        columns=("fault", "column", "answers changed", "cost", f"{moved_name}, or what it raises"),
        rows=rows,
        align=("left", "left", "right", "right", "text"),
        note=f"Each tried in one column of {answered[0].changed.n:,} rows; where a lost column becomes a gap, what "  # type: ignore[union-attr]
        f"NaN costs is what the loss costs on all rows.{more}"
        if answered
        else "Each tried in one column",
    )


def readings_table(outcome: Outcome) -> ReportTable | None:
    """How gaps are read, column by column."""
    told: dict[str, list[str]] = {}
    for each in outcome.readings:
        told.setdefault(str(each), []).append(each.column)
    if not told:
        return None
    return ReportTable(
        title="Gaps: what the model takes them for",
        columns=("it reads a gap", "in"),
        rows=[
            [how, ", ".join(columns[:8]) + (f" and {len(columns) - 8} more" if len(columns) > 8 else "")]
            for how, columns in sorted(told.items(), key=lambda each: -len(each[1]))
        ],
        align=("left", 0.7),
        note=f"Its answers to a gap were those to this number on all of {outcome.readings[0].rows:,} rows",
    )


def confidence_table(outcome: Outcome) -> ReportTable | None:
    """Confidence beside right answers."""
    if not outcome.confidences:
        return None
    return ReportTable(
        title="Probabilities: does confidence fall when columns are lost?",
        columns=("lost", "it says", "it is right", "too sure by"),
        rows=[
            [
                each.when,
                percent(each.said),
                percent(each.right),
                _cost(outcome, each.overconfidence, "bad" if each.overconfidence.above(MATTERS) else ""),
            ]
            for each in outcome.confidences
        ],
        align=("left", "right", "right", "right"),
    )


def slices_table(outcome: Outcome, lost: bool) -> ReportTable | None:
    """The slices that fare worst."""
    slices = outcome.slices_lost if lost else outcome.slices
    shown = [each for each in slices if each.apart > 0][:_MOST_SLICES]
    if not shown:
        return None
    what = f"Slices: whom the loss of {outcome.sliced_by} hits" if lost else "Slices: where it is worst"
    return ReportTable(
        title=what,
        columns=("rows where", "rows", "rise of the loss" if lost else "loss", "elsewhere", "p (Holm)"),
        rows=[_slice_row(outcome, each) for each in shown],
        align=("left", "right", "right", "right", "right"),
        note=f"The worst of {len(slices)} slices, by categories and quarters of every column; Welch's test against "
        "all other rows",
    )


def _slice_row(outcome: Outcome, each: Slice) -> list[object]:
    shares = outcome.subject.shares
    elsewhere = percent(each.others) if shares else f"{each.others:.4g}"
    text = f"{percent(each.mean.value)} {ends(each.mean.low, each.mean.high)}" if shares else f"{each.mean.value:.4g}"
    cell = ReportCell(text, each.mean.value, "bad" if each.p < 0.05 else "")
    return [each.what, f"{each.mean.n:,}", cell, elsewhere, p_value(each.p)]


def hardened_table(outcome: Outcome) -> ReportTable | None:
    """The audited model beside models that were trained for lost columns, on the same rows."""
    if not outcome.hardened:
        return None
    lost, best = outcome.hardened[0].lost, best_hardened(outcome)
    rows: list[list[object]] = [["yours", _score(outcome, outcome.before), None, *_beside(outcome, lost, "")]]
    for each in outcome.hardened:
        if each.outcome is None:
            rows.append([each.name, "not trained", *[None] * 5])
            continue
        price = None if each.price is None else _cost(outcome, each.price, "bad" if each.price.above(0.0) else "")
        cells = _beside(each.outcome, lost, "good" if each is best else "")
        rows.append([ReportCell(each.name, hint=each.what), _score(outcome, each.outcome.before), price, *cells])
    said = "; ".join(
        f"{each.name}: {each.what}" + (f" (not trained: {each.failed})" if each.failed else "")
        for each in outcome.hardened
    )
    return ReportTable(
        title="What would help: models trained for lost columns, on the same rows",
        columns=(
            "model",
            "nothing lost",
            "price of that",
            "worst column",
            f"{lost} at random",
            f"worst {lost}",
            f"worst {lost} of each row",
        ),
        rows=rows,
        align=("left", *["right"] * 6),
        note=f"{_score_name(outcome)}; {_bound(outcome)} where more damage may be possible than was found. The price: "
        f"{_unit(outcome)}, against yours, paired by row{_rows_of_marks(outcome, intact=False)}. "
        f"{said}. Nothing is tuned; numbers are standardised, "
        "categories one-hot, and a gap is 0 in both",
    )


def _beside(outcome: Outcome, lost: int, emphasis: str) -> list[object]:
    """What is compared of one model where columns are lost; intervals of the first three show where one points."""
    random = next((each.loss for each in outcome.random if each.lost == lost), None)
    sets = {len(each.sources): each.loss for each in outcome.sets}
    own = next((each for each in outcome.attacked if each.lost == lost), None)
    cells: list[object] = []
    for loss in (sets.get(1), random, sets.get(lost)):
        whole = loss and _score(outcome, loss, mark="*")
        cells.append(whole and replace(whole, text=whole.text.partition(" [")[0], hint=whole.text))
    bound = "" if own is None or own.exact else _bound(outcome)
    cells.append(own and replace(_score(outcome, own.loss, bound, "**"), emphasis=emphasis))
    return cells


def all_tables(outcome: Outcome, findings: Sequence[Finding]) -> list[ReportTable]:
    """Every table that has something to say, in the order of the report."""
    tables = [
        findings_table(findings),
        columns_table(outcome),
        outages_table(outcome),
        pairs_table(outcome),
        sets_table(outcome),
        readings_table(outcome),
        gaps_table(outcome),
        confidence_table(outcome),
        slices_table(outcome, lost=False),
        slices_table(outcome, lost=True),
        hardened_table(outcome),
    ]
    return [table for table in tables if table is not None]


def _cost(outcome: Outcome, cost: Measured, emphasis: str = "") -> ReportCell:
    return ReportCell(rise(outcome.subject, cost), cost.value, emphasis)


def _score(outcome: Outcome, loss: Measured, before: str = "", mark: str = "") -> ReportCell:
    """A mean loss; with a mark where it is not that of all rows."""
    subject, mark = outcome.subject, mark if loss.n != outcome.subject.n_rows else ""
    if subject.shares:
        text = f"{before} {100 * (1 - loss.value):.1f} {ends(1 - loss.high, 1 - loss.low)}".strip()
        return ReportCell(text, 1 - loss.value, mark=mark)
    return ReportCell(f"{before} {performance(subject, loss)}".strip(), loss.value, mark=mark)


def _rows_of_marks(outcome: Outcome, intact: bool) -> str:
    """On which rows the marked numbers are; if wanted, with what is right or wrong there where nothing is lost."""
    subject, text = outcome.subject, ""
    for mark, measured in (("*", outcome.sets), ("**", outcome.attacked)):
        for each in measured[-1:]:
            rows = on_rows(subject, each.loss, each.cost) if intact else of_rows(subject, each.loss.n)
            text += f". {mark}{rows}" if rows else ""
    return text


def _spread(outcome: Outcome, spread: tuple[float, float]) -> str:
    low, high = spread
    if outcome.subject.shares:
        return f"{100 * (1 - high):.1f} to {100 * (1 - low):.1f}"
    return f"{low:.4g} to {high:.4g}"


def _bound(outcome: Outcome) -> str:
    return "≤" if outcome.subject.shares else "≥"


def _score_name(outcome: Outcome) -> str:
    return "Right answers in %" if outcome.subject.shares else f"Mean {outcome.subject.loss} error"


def _unit(outcome: Outcome) -> str:
    return "fewer right answers" if outcome.subject.shares else f"rise of the {outcome.subject.loss} error"
