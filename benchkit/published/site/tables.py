"""The tables of standings that several pages of the site show."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.published.site.addresses import method_address
from benchkit.published.site.checked import run_again
from benchkit.published.site.panels import Panel, Standing, interval_of
from benchkit.published.site.pieces import table
from benchkit.published.site.shown import Shown
from benchkit.report.formatting import breakdown_text, interval_text, number, rank_text

NOTE = (
    "Mean over the axis: the area under the curve over the length of the axis, with its 95 % interval on new rows. "
    "Behind the leader: the paired difference over shared repetitions. A place is decided where that interval lies "
    "above zero. Breakdown: where the curve passes half-way between the best and the worst mean of the panel. Worst "
    "rank: among the methods, at any point of the axis. Trials run again: of those behind the row, by benchkit "
    "recheck; which they were, and what came of it, stands under Run again."
)


def panel_table(shown: Shown, panel: Panel) -> str:
    """Every method of a panel, on a page one folder below the first.

    Parameters
    ----------
    shown : Shown
        The suite that it is a panel of.
    panel : Panel
    """
    rows = [
        [
            Cell(each.method, href=f"../{method_address(shown.methods[each.method])}"),
            *standing_cells(shown, panel, each),
        ]
        for each in panel.standings
    ]
    return table(["method", *STANDING_HEADER], rows, "standings")


STANDING_HEADER = ("mean over axis [95 %]", "behind the leader", "place", "breakdown", "worst rank", "trials run again")


def standing_cells(shown: Shown, panel: Panel, each: Standing) -> list[Cell]:
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
        run_again(shown, panel.grid.rows[each.method].values()),
    ]
