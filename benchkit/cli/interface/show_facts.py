"""What was seen of a table, before a suite is written for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchkit.scaffold.suite import OwnTable


def print_facts(table: OwnTable) -> None:
    """One line of what the table is, and one table of what is peculiar of it and what the suite does about it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Shown

    from benchkit.document.terminal import Console

    console = Console()
    n, features = len(table.frame), table.features.shape[1]
    columns = f"{features} column{'' if features == 1 else 's'}"
    console.print(f"\n{n} rows, {columns} to predict by. {table.target_in_words}", highlight=False)
    if not table.facts:
        return
    shown = Shown(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("where", "what is seen", "what the suite does"):
        shown.add_column(name, overflow="fold")
    for fact in table.facts:
        shown.add_row(fact.where, fact.what, fact.done)
    console.print(shown)
