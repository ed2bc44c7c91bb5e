"""``benchkit report --tuning``: what tuning cost each algorithm, and error against its seconds."""

from __future__ import annotations

from pathlib import Path

from benchkit.cli.interface.console import Console
from benchkit.report.analysis import Analysis
from benchkit.report.formats.terminal_plot import terminal_tuning
from benchkit.report.renderers.terminal import terminal_tables
from benchkit.report.tables.tuning import NOTE, tuning
from benchkit.report.tuning_cost import tuning_costs

NOTHING = "no record of what tuning tried: no algorithm tunes, or the run is of an earlier version"


def print_tuning(analysis: Analysis) -> None:
    """Print a table and a chart for each dataset and adversary."""
    console = Console()
    metric, directions = analysis.metrics[0], analysis.results.greater_is_better
    panels = tuning_costs(analysis.records, metric, directions)
    for (dataset, adversary), costs in panels.items():
        for part in terminal_tables(tuning(costs, dataset, adversary, metric), console.width, before="Tuning on "):
            console.print(part, highlight=False)
        print(terminal_tuning(costs, metric, console.width, console.is_terminal and not console.no_color))
        print()
    if panels:
        console.print(NOTE, style="dim", highlight=False)
    else:
        console.print(NOTHING)


def draw_tuning(analysis: Analysis, folder: Path, forms: tuple[str, ...]) -> list[Path]:
    """Write a figure for each dataset and adversary; return the paths."""
    from benchkit.report.plots.style import Slugs, curves, save, styled
    from benchkit.report.plots.tuning_seconds import tuning_plot

    metric, written, slug = analysis.metrics[0], [], Slugs()
    panels = tuning_costs(analysis.records, metric, analysis.results.greater_is_better)
    with styled():
        for (dataset, adversary), costs in panels.items():
            figure = tuning_plot(costs, metric, f"tuning on {dataset} under {adversary}", curves(analysis.algorithms))
            written += save(figure, folder / slug("tuning", metric, dataset, adversary), forms)
    return written
