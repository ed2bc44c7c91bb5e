"""``benchkit report --by COLUMN``: who suffers."""

from __future__ import annotations

from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.report.analysis import Analysis
from benchkit.report.renderers.terminal import terminal_tables
from benchkit.report.slices import slices_note, slices_table


def print_slices(analysis: Analysis) -> None:
    """Print who suffers most in a sentence for each table, and the tables below."""
    console = Console()
    bold = console.is_terminal and not console.no_color
    sliced, remarks = analysis.slices
    for each in sliced:
        console.print(Text(each.answer, style="bold"), soft_wrap=True)
    for remark in remarks:
        console.print(Text(remark, style="dim"), soft_wrap=True)
    for each in sliced:
        for part in terminal_tables(slices_table(each), console.width, bold):
            console.print(part, highlight=False)
    if sliced:
        console.print(slices_note(sliced), style="dim", highlight=False)
