"""A page for each adversary: what it does, who says so, and who withstands it where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.plugin.manager import registry
from benchkit.published.site.addresses import adversary_address
from benchkit.published.site.cases import Case
from benchkit.published.site.facts_list import facts_list
from benchkit.published.site.kinds import KINDS
from benchkit.published.site.pieces import Row, table
from benchkit.published.site.shell import shell
from benchkit.report.page.section import Section


def adversary_pages(cases: Sequence[Case]) -> dict[str, str]:
    """The list of adversaries with published results, and a page for each."""
    known = registry()
    by_name: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_name[case.shown.adversaries[case.grid.adversary]].append(case)
    pages: dict[str, str] = {}
    rows: list[Row] = []
    for name, members in sorted(by_name.items()):
        address = adversary_address(name)
        facts = {"what is lost": "; ".join(KINDS[kind] for kind in dict.fromkeys(k for c in members for k in c.kinds))}
        summary = "Not installed here"
        if name in known.adversaries:
            declared = known.adversaries[name]
            summary = declared.summary
            facts |= {
                "acts": {"test": "at test time", "train": "on the training part"}[declared.phase],
                "budget counts": declared.budget_unit,
                "source": declared.reference or "-",
                "plugin": known.adversaries.origin[name],
            }
        listed: list[Row] = [
            [
                Cell(f"{case.grid.panel}, {case.where}", href=f"../{case.shown.address}"),
                "; ".join(answer.method for answer in case.answers if answer.tier == 1),
                f"{case.decided} of {len(case.answers) * (len(case.answers) - 1) // 2}",
                case.shown.name,
            ]
            for case in members
        ]
        html = table(["case", "cannot be told from the best", "pairs told apart", "suite"], listed, "left")
        sections = [Section("What it does", facts_list(facts)), Section("Who withstands it", html)]
        pages[address] = shell(name, summary, sections, here=address)
        rows.append([Cell(name, href=address), summary, Cell(str(len(members)), len(members))])
    html = table(["adversary", "what it does", "cases"], rows, "left")
    listed_all = [Section("Adversaries", html)]
    lead = f"{len(rows)} adversaries have published results"
    return {"adversaries.html": shell("Adversaries", lead, listed_all, here="adversaries.html"), **pages}
