"""The report of an audit as a document: bars of what columns cost, curves, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.auditing.measured import amount, percent, rise
from benchkit.auditing.outcome import MATTERS, Outcome
from benchkit.document import Bars, Block, Chart, Curve, Document, Heading, Mark, Note, Table, Text, Tiles

if TYPE_CHECKING:
    from benchkit.auditing.report import AuditReport

_MOST_BARS = 20
_OF_SENTENCES = ("Findings", "Gaps")


def document(report: AuditReport) -> Document:
    """The whole report."""
    outcome = report.outcome
    facts = [f"{outcome.subject.n_rows:,} rows", f"{len(outcome.subject.columns)} columns", outcome.subject.task]
    blocks: list[Block] = [Heading("In short"), Tiles(_tiles(report)), Text(report.paragraph)]
    for table in report.tables():
        title, _, rest = table.title.partition(": ")
        title = f"{title} without {outcome.sliced_by}" if rest.startswith("whom") else title
        blocks.append(Heading(title))
        if title == "Columns" and outcome.columns:
            blocks.append(_bars(outcome))
        if title == "Curves":
            blocks.append(_curves(outcome))
        blocks.append(Table(table, "claims" if title in _OF_SENTENCES else ""))
    blocks += [Heading("Notes"), *(Note(note) for note in report.notes)]
    return Document(report.title, blocks, " · ".join(facts))


def _tiles(report: AuditReport) -> list[tuple[str, str, str]]:
    outcome, shares = report.outcome, report.outcome.subject.shares
    issues = len(report.issues)
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
            (
                each.source,
                each.cost.value,
                each.cost.low,
                each.cost.high,
                "bad" if each.cost.above(MATTERS * outcome.scale) else "",
                rise(outcome.subject, each.cost),
            )
            for each in outcome.columns[:_MOST_BARS]
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
    shares = outcome.subject.shares
    most = max(len(outcome.sets), len(outcome.attacked), 2)
    drawn = [
        Curve(name, [Mark(x, 1 - y if shares else y) for x, y in curve if x <= most], place)
        for place, (name, curve) in enumerate(curves.items())
        if len(curve) > 1
    ]
    what = "share of right answers" if shares else "mean error"
    title = f"{'right answers' if shares else what}, against columns lost"
    return Chart(title, "columns lost", what, drawn, [(float(lost), str(lost)) for lost in range(most + 1)])
