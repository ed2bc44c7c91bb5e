"""The tables of standings that several pages of the site show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.published.site.panels import Panel, Standing, interval_of
from benchkit.published.site.pieces import Row, table
from benchkit.report.formatting import breakdown_text, interval_text, number, rank_text

NOTE = (
    "Mean over the axis: the area under the curve over the length of the axis, with its 95 % interval on new rows. "
    "Behind the leader: the paired difference over shared repetitions. A place is decided where that interval lies "
    "above zero. Breakdown: where the curve passes half-way between the best and the worst mean of the panel. Worst "
    "rank: among the methods, at any point of the axis."
)


def panel_table(panel: Panel, link: Callable[[str], str]) -> str:
    """Every method of a panel.

    Parameters
    ----------
    panel : Panel
    link : callable
        From a method's label to its page.
    """
    rows = [[method_cell(each, link), *standing_cells(panel, each)] for each in panel.standings]
    return table(["method", *STANDING_HEADER], rows, "standings")


STANDING_HEADER = ("mean over axis [95 %]", "behind the leader", "place", "breakdown", "worst rank")


def standing_cells(panel: Panel, each: Standing) -> list[Cell]:
    """What is known of a method on a panel."""
    ends = interval_of(each.mean, panel.limits)
    mean = number(each.mean.mean) + (f" {interval_text(*ends)}" if ends else "")
    place = f"{each.place}" if each.complete else "incomplete"
    if each.behind is None:
        told = "leads, decided" if panel.is_decided else "leads, undecided"
        kind = "decided" if panel.is_decided else "undecided"
        behind = Cell(told, 0.0, kind)
    else:
        gap = interval_of(each.behind)
        text = number(each.behind.mean) + (f" {interval_text(*gap)}" if gap else "")
        behind = Cell(
            text if each.decided else f"{text}, undecided", each.behind.mean, "" if each.decided else "undecided"
        )
    return [
        Cell(mean, each.mean.mean, "best" if each.place == 1 else ""),
        behind,
        Cell(place, each.place),
        Cell(breakdown_text(each.breakdown), each.breakdown),
        Cell(rank_text(each.worst_rank), each.worst_rank),
    ]


def method_cell(each: Standing, link: Callable[[str], str]) -> Cell:
    """A method's name, which leads to its page."""
    return Cell(each.method, href=link(each.method))


def family_table(panels: Iterable[Panel], link: Callable[[str], str]) -> str:
    """The methods of a family of adversaries over all its panels: where each leads, and its worst rank anywhere.

    Nothing is averaged over unlike data: places are counted.
    """
    counts: dict[str, dict[str, float]] = {}
    for panel in panels:
        possible = {each.method for each in panel.may_lead}
        for each in panel.standings:
            known = counts.setdefault(each.method, dict.fromkeys(("panels", "decided", "leads", "may", "worst"), 0.0))
            known["panels"] += 1
            known["leads"] += each.place == 1
            known["decided"] += each.place == 1 and panel.is_decided
            known["may"] += each.method in possible
            known["worst"] = max(known["worst"], each.worst_rank or 0.0)
    rows: list[Row] = []
    for name, known in sorted(counts.items(), key=lambda item: _order(item[1])):
        share = f"{known['may']:.0f} of {known['panels']:.0f}"
        rows.append(
            [
                Cell(name, href=link(name)),
                Cell(f"{known['decided']:.0f}", known["decided"], "decided" if known["decided"] else ""),
                Cell(f"{known['leads'] - known['decided']:.0f}", known["leads"] - known["decided"]),
                Cell(share, known["may"] / known["panels"]),
                Cell(rank_text(known["worst"] or None), known["worst"] or math.inf),
            ]
        )
    header = ["method", "leads, decided", "leads, undecided", "not decidedly behind", "worst rank anywhere"]
    return table(header, rows, "standings")


def _order(known: Mapping[str, float]) -> tuple[float, float, float, float]:
    """The more often a method leads, the further up it stands; then the more often it cannot be told from the best."""
    return -known["decided"], -known["leads"], -known["may"] / known["panels"], known["worst"]
