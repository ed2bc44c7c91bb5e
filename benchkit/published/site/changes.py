"""What changed, by date: what was published when, and when rows were run again."""

from __future__ import annotations

from collections import defaultdict
from html import escape

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.published.site.pieces import Row, table
from benchkit.published.site.shell import shell
from benchkit.published.stored import Stored
from benchkit.report.page.section import Section


def changes_page(stored: Stored, addresses: dict[tuple[str, str], str]) -> str:
    """The newest day first.

    Parameters
    ----------
    stored : Stored
    addresses : mapping of (suite, profile) to str
        Their pages.
    """
    days: dict[str, dict[tuple[str, str], list[dict[str, object]]]] = defaultdict(lambda: defaultdict(list))
    for each in stored.index["contributions"].values():
        days[each["published"]][each["suite"], each["profile"]].append(each)
    rechecks: dict[str, list[str]] = defaultdict(list)
    for each in stored.index["rechecks"]:
        rechecks[each["date"]].append(
            f"{each['rows']} rows were run again: {each['agree']} agree, {each['differ']} differ"
        )
    sections = []
    for day in sorted({*days, *rechecks}, reverse=True):
        said = "".join(f"<p>{escape(line)}.</p>" for line in rechecks[day])
        rows: list[Row] = []
        for (suite, profile), parts in sorted(days[day].items()):
            count = sum(int(str(part["rows"])) for part in parts)
            rows.append(
                [
                    Cell(f"{suite} ({profile})", href=addresses.get((suite, profile), "suites.html")),
                    Cell(f"{count:,}", count),
                    "; ".join(sorted({str(part["method"]) for part in parts})),
                    ", ".join(sorted({str(part["by"]) for part in parts if part["by"]})) or "-",
                    ", ".join(sorted({str(part["commit"] or "-")[:10] for part in parts})),
                ]
            )
        header = ["suite", "rows", "methods", "by", "commit"]
        sections.append(Section(day, said + (table(header, rows, "left") if rows else "")))
    lead = "The newest day first; rows stay until their publisher replaces them"
    return shell("What changed", lead, sections, here="changes.html")
