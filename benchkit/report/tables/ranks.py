"""Algorithms over datasets, with Friedman's test and the critical difference below."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis


def ranks(analysis: Analysis) -> list[ReportTable]:
    """A table for each of the analysis' rankings."""
    tables = []
    for metric, adversary, ranking in analysis.rankings:
        rows = zip(ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True)
        under = f" under {adversary}" if adversary != "none" else ""
        tables.append(
            ReportTable(
                title=f"Ranks over {len(ranking.datasets)} datasets: {metric}{under}",
                columns=["algorithm", "average rank", "wins", "ties", "losses"],
                rows=[
                    [name, ReportCell(f"{rank:.2f}", rank), *(ReportCell(str(count), count) for count in duels)]
                    for name, rank, *duels in rows
                ],
                align=("left", "right", "right", "right", "right"),
                note=ranking.summary,
            )
        )
    return tables
