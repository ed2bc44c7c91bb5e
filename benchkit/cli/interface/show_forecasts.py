"""Printing what repetitions that go on until questions are decided may take at most, by question."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.journal import Record
from benchkit.report.formatting import duration
from benchkit.report.questions.costs import Costs
from benchkit.report.questions.wording import TITLE, state
from benchkit.session.reuse import Reuse
from benchkit.session.rounds import Rounds, check_most

# More rows than a person reads.
_MOST = 40


def print_forecasts(suites: Sequence[Reuse]) -> None:
    """Print what rounds of repetitions may take at most, by question, from what the journal holds."""
    console = Console()
    for reuse in suites:
        check_most(reuse.plan)
        rounds = Rounds(reuse.plan, None)
        reached = rounds.replay(reuse)
        rows = list(reached.renamed_rows().values())
        if not rounds.questions and rows:
            rounds.next(reached, rows)
        expected = reached.expected()
        name = reuse.plan.suite.name
        took = "" if expected.seconds is None else f", about {duration(expected.seconds)} of one worker"
        if reached.left:
            console.print(f"{name}: {len(reached.left)} trials in the next round{took}", highlight=False)
        _print_forecast(rounds, rows, console)


def _print_forecast(rounds: Rounds, rows: Sequence[Record], console: Console) -> None:
    if not rounds.questions:
        console.print("nothing is known yet: what is decided shows after the first round", highlight=False)
        return
    costs = Costs(rows)
    table = Table(title=TITLE, title_justify="left", title_style="bold")
    table.add_column("question")
    for column in ("state", "trials at most", "processor time"):
        table.add_column(column, justify="right")
    for question in rounds.questions[:_MOST]:
        trials, seconds = rounds.at_most([question], costs)
        table.add_row(Text(question.text), state(question), *(str(trials), duration(seconds)) if trials else ("", ""))
    console.print(table)
    console.print(str(rounds.standing), highlight=False)
    if rounds.standing.warning:
        console.print(Text(rounds.standing.warning), soft_wrap=True)
