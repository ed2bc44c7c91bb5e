"""The report of an audit as one page: bars of what columns cost, curves, tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.auditing.amounts import amount, percent, rise
from benchkit.auditing.outcome import MATTERS, Outcome
from benchkit.report.page.frame import framed
from benchkit.report.page.section import Section, of_table
from benchkit.report.renderers.html import render

if TYPE_CHECKING:
    from benchkit.auditing.report import AuditReport

_MOST_BARS = 20
_OF_SENTENCES = ("Findings", "Gaps")
# Of page/chart.html.
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 508, 12, 188


def page(report: AuditReport) -> str:
    """The whole page."""
    outcome = report.outcome
    facts = [f"{outcome.subject.n_rows:,} rows", f"{len(outcome.subject.columns)} columns", outcome.subject.task]
    drawn = {"Columns": _columns(outcome), "Curves": _curves(outcome)}
    sections = [_summary(report)]
    for table in report.tables():
        title, _, rest = table.title.partition(": ")
        title = f"{title} without {outcome.sliced_by}" if rest.startswith("whom") else title
        section = of_table(table, title, kind="claims" if title in _OF_SENTENCES else "")
        assert section is not None
        sections.append(Section(title, f"{drawn.get(title, '')}{section.html}"))
    sections.append(Section("Notes", str(render("page/notes.html", body="", notes=report.notes))))
    return framed(report.title, " · ".join(facts), sections)


def _summary(report: AuditReport) -> Section:
    outcome, shares = report.outcome, report.outcome.subject.shares
    issues = len(report.issues)
    shown = percent(1 - outcome.before.value) if shares else f"{outcome.before.value:.4g}"
    tiles = [("right answers" if shares else f"{outcome.subject.loss} error", shown, "")]
    if outcome.columns:
        worst = outcome.columns[0]
        tiles.append((f"lost with {worst.source}", amount(outcome.subject, worst.cost.value), ""))
    tiles.append(("issue" if issues == 1 else "issues", str(issues), "bad" if issues else "good"))
    body = render(
        "page/summary.html",
        tiles=tiles,
        said=[report.paragraph],
        answers=[],
        overviews=[],
        robustness_note="",
        cautions=[f"Skipped, {reason}: {part}" for part, reason in outcome.skipped.items()],
        numbers=[],
        folded=f"{len(outcome.skipped)} parts were skipped",
    )
    return Section("In short", str(body))


def _columns(outcome: Outcome) -> str:
    """Bars of what columns cost; empty where that was not measured."""
    if not outcome.columns:
        return ""
    shown = outcome.columns[:_MOST_BARS]
    low = min(0.0, *(each.cost.low for each in shown))
    high = max(*(each.cost.high for each in shown), 1e-12)

    def place(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    bars = [
        {
            "name": each.source,
            "start": place(min(0.0, each.cost.value)),
            "width": round(abs(place(each.cost.value) - place(0.0)), 2),
            "low": place(each.cost.low),
            "span": round(place(each.cost.high) - place(each.cost.low), 2),
            "kind": "bad" if each.cost.above(MATTERS * outcome.scale) else "",
            "text": rise(outcome.subject, each.cost),
        }
        for each in shown
    ]
    return str(render("page/bars.html", bars=bars, zero=place(0.0)))


def _curves(outcome: Outcome) -> str:
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
    curves = {name: [(x, 1 - y if shares else y) for x, y in curve if x <= most] for name, curve in curves.items()}
    values = [y for curve in curves.values() for _, y in curve]
    low, high = (0.0, 1.0) if shares else (0.0, max(values) or 1.0)

    def x(lost: float) -> float:
        return round(_LEFT + lost / most * (_RIGHT - _LEFT), 1)

    def y(value: float) -> float:
        return round(_BOTTOM - (value - low) / (high - low) * (_BOTTOM - _TOP), 1)

    drawn = [
        {
            "name": name,
            "style": f"color:var(--c{place})",
            "path": "M" + "L".join(f"{x(lost)} {y(value)}" for lost, value in curve),
            "end": (x(curve[-1][0]), y(curve[-1][1])),
        }
        for place, (name, curve) in enumerate(curves.items())
        if len(curve) > 1
    ]
    levels = [low + step / 4 * (high - low) for step in range(5)]
    return str(
        render(
            "page/chart.html",
            across=[(x(lost), str(lost)) for lost in range(most + 1)],
            up=[(y(level), f"{100 * level:.0f} %" if shares else f"{level:.3g}") for level in levels],
            curves=drawn,
            said="right answers, against columns lost" if shares else "mean error, against columns lost",
        )
    )
