r"""A run's tables as LaTeX: ``\usepackage{booktabs}`` is all they need."""

from __future__ import annotations

from benchkit.report.analysis import Analysis
from benchkit.report.neutral import printable
from benchkit.report.plots.style import Slugs
from benchkit.report.renderers.latex import latex_table
from benchkit.report.slices import slices_note, slices_table
from benchkit.report.tables import claims, means, ranks
from benchkit.report.taken_columns import taken_tables


def latex(analysis: Analysis) -> str:
    """All tables: booktabs, the best of each column in bold, significant differences marked."""
    results = analysis.results
    head = [results.title or results.suite, r"needs \usepackage{booktabs}", *analysis.beside_the_legend]
    blocks = ["\n".join(f"% {printable(line)}".replace("\n", " ") for line in head)]
    slug = Slugs()
    for grid in analysis.grids:
        along = f" along {grid.axis_title}" if len(grid.columns) > 1 else ""
        label = slug(results.suite, grid.metric, grid.name, grid.adversary)
        explained = "".join(f" {sentence}." for sentence in analysis.legend(grid))
        blocks.append(latex_table(means(analysis, grid), f"{grid.title}{along}.{explained}", label))
    for (metric, adversary, _), table in zip(analysis.rankings, ranks(analysis), strict=True):
        label = slug(results.suite, "ranks", metric, adversary)
        blocks.append(latex_table(table, f"{table.title}. {table.note}", label))
    for each in analysis.slices[0]:
        table = slices_table(each)
        label = slug(results.suite, "by", each.column, each.grid.name, each.grid.adversary, each.heading)
        blocks.append(latex_table(table, f"{table.title}. {each.answer}. {slices_note([each])}.", label))
    for taken, table in zip(analysis.taken, taken_tables(analysis), strict=True) if analysis.settings.details else ():
        label = slug(results.suite, "taken", taken.grid.name, taken.grid.adversary)
        blocks.append(latex_table(table, f"{table.title}: {table.note}.", label))
    judged = claims(analysis.verdicts)
    if judged is not None:
        caption = f"Claims and verdicts. {analysis.claims_note}"
        blocks.append(latex_table(judged, caption, slug(results.suite, "claims")))
    return "\n\n".join(blocks) + "\n"
