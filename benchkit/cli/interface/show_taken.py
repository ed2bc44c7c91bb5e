"""``benchkit report --taken``: which columns the adversaries changed."""

from __future__ import annotations

from benchkit.cli.interface.console import Console
from benchkit.report.analysis import Analysis
from benchkit.report.renderers.terminal import terminal_tables
from benchkit.report.tables.taken import taken_table
from benchkit.report.taken_columns import NOTE

NOTHING = "no change of a test row is known: no adversary changed one, or the run kept no rows (--fresh keeps them)"


def print_taken(analysis: Analysis) -> None:
    """Print a table for each data set and adversary."""
    console = Console()
    for each in analysis.taken:
        for part in terminal_tables(taken_table(each), console.width):
            console.print(part, highlight=False)
    console.print(NOTE if analysis.taken else NOTHING, style="dim", highlight=False)
