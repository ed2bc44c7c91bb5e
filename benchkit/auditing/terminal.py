"""The report of an audit in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from benchkit.auditing.report import AuditReport


def print_report(report: AuditReport, to: TextIO, width: int) -> None:
    """Print the paragraph first, then every table."""
    from rich.console import Console

    console = Console(file=to, width=width, markup=False, emoji=False, highlight=False)
    show_report(report, console)


def show_report(report: AuditReport, console: object) -> None:
    """Print the report on a console of rich.

    Parameters
    ----------
    report : AuditReport
    console : rich.console.Console
    """
    from rich.console import Console
    from rich.text import Text

    from benchkit.report.renderers.terminal import terminal_tables

    assert isinstance(console, Console)
    console.print(Text(report.title, "bold"))
    console.print(Text(report.paragraph))
    for table in report.tables():
        for part in terminal_tables(table, console.width, bold=console.is_terminal):
            console.print()
            console.print(part)
    console.print()
    for note in report.notes:
        console.print(Text(note, "dim"))
