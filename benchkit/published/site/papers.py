"""A page for each paper: its tables and figures, what was claimed beside what was measured, and controls apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import get_args

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.plugin.declarations import ReportTable
from benchkit.published.reproduced import Reproduced, reproduced
from benchkit.published.site.addresses import paper_address
from benchkit.published.site.pieces import details, table
from benchkit.published.site.shell import shell
from benchkit.published.site.shown import Shown
from benchkit.published.stored import Stored
from benchkit.report.claims.verdict import CLAIMS_NOTE, Outcome, Verdict
from benchkit.report.formats.reproduction import CLAIMS, CONTROLS, KINDS, NUMBERS, kind_of
from benchkit.report.page.section import Section
from benchkit.report.renderers.html import html_table
from benchkit.report.tables.claims import BESIDE_THE_PAPER, claims
from benchkit.report.tables.numbers import numbers

_BEYOND = "Beyond the papers"
_OTHERS = "Other suites"
_WORDS = {"supported": "consistent with ours", "contradicted": "not consistent"}


def paper_pages(suites: Sequence[Shown], stored: Stored) -> dict[str, str]:
    """The list of papers, and a page for each; suites that are no paper's have theirs, too."""
    parts = list(reproduced(stored))
    known = {part.results.suite for part in parts}
    listed: dict[str, list[tuple[str, str, Sequence[Verdict]]]] = defaultdict(list)
    for part in parts:
        listed[part.paper or _BEYOND].append((part.results.suite, _heading(part), part.results.verdicts()))
    for shown in suites:
        if shown.suite not in known and shown.analysis.verdicts:
            listed[_OTHERS].append((shown.suite, shown.title, shown.analysis.verdicts))
    # Of several sizes of a suite the paper's own is linked.
    by_size = sorted(suites, key=lambda shown: shown.profile in ("paper", "part"))
    home = {shown.suite: shown.address for shown in by_size}
    pages: dict[str, str] = {}
    cards = []
    total: Counter[tuple[str, str]] = Counter()
    for paper, members in listed.items():
        counts = Counter((kind_of(each), str(each.outcome)) for _, _, verdicts in members for each in verdicts)
        total += counts if paper != _OTHERS else Counter()
        address = paper_address(paper)
        pages[address] = _page(paper, members, counts, home, address)
        told = "".join(f"<p>{escape(line)}</p>" for line in _tallies(counts))
        figures = ", ".join(heading.split(":")[0] for _, heading, _ in members)
        cards.append(
            f'<div class="card"><h3><a href="{escape(address)}">{escape(paper)}</a></h3>'
            f"<p>{escape(figures)}</p>{told}</div>"
        )
    lines = "".join(f"<li>{escape(line)}</li>" for line in _tallies(total))
    sections = [
        Section("Papers", f'<div class="cards">{"".join(cards)}</div>'),
        Section("Together", f'<ul>{lines}</ul><p class="note">{escape(CLAIMS_NOTE)}</p>'),
    ]
    lead = "Claims beside what was measured, at the size nearest to the paper's"
    return {"papers.html": shell("Papers", lead, sections, here="papers.html"), **pages}


def _heading(part: Reproduced) -> str:
    title = part.results.title or part.results.suite
    return f"{part.source}: {title}" if part.source else title


def _tallies(counts: Mapping[tuple[str, str], int]) -> list[str]:
    """How many verdicts of each kind there are, in words, as the documentation counts them."""
    lines = []
    for kind in KINDS:
        outcomes = {outcome: count for (each, outcome), count in counts.items() if each == kind}
        words = _WORDS if kind == NUMBERS else {}
        if outcomes:
            told = ", ".join(
                f"{count} {words.get(outcome, outcome)}"
                for outcome in get_args(Outcome)
                if (count := outcomes.get(outcome))
            )
            lines.append(f"{sum(outcomes.values())} {kind}: {told}")
    return lines


def _page(
    paper: str,
    members: Sequence[tuple[str, str, Sequence[Verdict]]],
    counts: Mapping[tuple[str, str], int],
    home: Mapping[str, str],
    address: str,
) -> str:
    sections = []
    overview = []
    controls: list[Verdict] = []
    whose: list[str] = []
    for suite, heading, verdicts in members:
        own = [each for each in verdicts if kind_of(each) == CLAIMS]
        printed = [each for each in verdicts if kind_of(each) == NUMBERS]
        controls += (mine := [each for each in verdicts if kind_of(each) == CONTROLS])
        whose += [suite] * len(mine)
        link = f'<p><a href="../{escape(home[suite])}">{escape(suite)}</a>: curves, tables, and how it ran</p>'
        parts = [link]
        for title, shown in (("", claims(own, BESIDE_THE_PAPER)), ("Printed numbers", numbers(printed))):
            if shown is not None:
                heading_of = f"<h3>{title}</h3>" if title else ""
                note = f'<p class="note">{escape(shown.note)}</p>' if shown.note else ""
                parts.append(f"{heading_of}{html_table(shown, 'claims')}{note}")
        if len(parts) == 1:
            parts.append("<p>Nothing of this is a claim of the paper's; controls stand at the end.</p>")
        section = Section(heading, "".join(parts))
        sections.append(section)
        told = Counter(each.outcome for each in own)
        near = sum(each.outcome == "supported" for each in printed)
        overview.append(
            [
                Cell(heading, href=f"#{section.anchor}"),
                *(Cell(str(told[outcome]), told[outcome]) for outcome in ("supported", "contradicted", "undecided")),
                Cell(f"{near} of {len(printed)}" if printed else "-", near),
            ]
        )
    head = ["table or figure", "claims supported", "contradicted", "undecided", "printed numbers consistent"]
    front = Section("Tables and figures", table(head, overview, "left"))
    if controls:
        judged = claims(controls, ("verdict", "claim", "expected", "measured"))
        assert judged is not None
        rows = [[*row, suite] for row, suite in zip(judged.rows, whose, strict=True)]
        apart = html_table(ReportTable(columns=[*judged.columns, "suite"], rows=rows), "claims")
        note = "<p>These are ours: what the paper does not claim, and a reader would ask.</p>"
        sections.append(Section("Controls of ours", note + details(f"{len(rows)} controls", apart)))
    sections.append(Section("How claims are judged", f'<p class="note">{escape(CLAIMS_NOTE)}</p>'))
    return shell(paper, "; ".join(_tallies(counts)), [front, *sections], here=address)
