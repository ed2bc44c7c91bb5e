r"""A run's tables as LaTeX: ``\usepackage{booktabs}`` is all they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import counts, number, spread_text
from benchkit.report.grid import Grid
from benchkit.report.latex_text import escape
from benchkit.report.neutral import printable
from benchkit.report.plots.style import slug
from benchkit.report.statistics.points import Point

_COLUMNS = 6


def latex(analysis: Analysis) -> str:
    """All tables: booktabs, the best of each column in bold, significant differences marked."""
    results = analysis.results
    head = [f"% {results.title or results.suite}".replace("\n", " "), r"% needs \usepackage{booktabs}"]
    head += [f"% {note}".replace("\n", " ") for note in analysis.beside_the_legend]
    blocks = ["\n".join(head)]
    blocks += ["\n".join(_table(analysis, grid)) for grid in analysis.grids]
    if analysis.rankings:
        blocks += ["\n".join(_ranks(analysis))]
    if analysis.verdicts:
        blocks += ["\n".join(_claims(analysis))]
    return printable("\n\n".join(blocks) + "\n")


def _float(caption: str, label: str, body: Sequence[str]) -> list[str]:
    names = [rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}"]
    return [r"\begin{table}", r"\centering", r"\small", *names, *body, r"\end{table}"]


def _tabular(columns: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", " & ".join(header) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in rows]
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _table(analysis: Analysis, grid: Grid) -> list[str]:
    explained = "".join(f" {escape(sentence)}." for sentence in analysis.legend)
    body: list[str] = []
    for columns in _parts(len(grid.columns)):
        header = [escape(grid.axis_title), *(escape(grid.headings[place]) for place in columns)]
        rows = []
        for algorithm, row in grid.rows.items():
            cells = [row.get(str(grid.columns[place])) for place in columns]
            rows.append([escape(algorithm), *(_cell(analysis, grid, point) for point in cells)])
        body += [*([r"\par\medskip"] if body else []), *_tabular("l" + "r" * len(columns), header, rows)]
    along = f" along {grid.axis_title}" if len(grid.columns) > 1 else ""
    label = slug(analysis.results.suite, grid.metric, grid.name, grid.adversary)
    return _float(f"{escape(grid.title)}{escape(along)}.{explained}", label, body)


def _parts(columns: int) -> Iterator[range]:
    """Columns in parts of six, which fit a page's width."""
    for start in range(0, columns, _COLUMNS):
        yield range(start, min(start + _COLUMNS, columns))


def _cell(analysis: Analysis, grid: Grid, point: Point | None) -> str:
    if point is None:
        return "--"
    if point.mean is None:
        return f"0 of {point.failed}" if point.failed else "--"
    text = escape(number(point.mean))
    if grid.is_best(point):
        text = rf"\textbf{{{text}}}"
    spread = spread_text(point, analysis.settings.spread)
    if spread:
        text += rf" {{\scriptsize {escape(spread)}}}"
    if analysis.mark(point):
        text += "$^{*}$"
    if point.failed:
        text += rf" {{\scriptsize ({counts(point)})}}"
    return text


def _ranks(analysis: Analysis) -> list[str]:
    lines: list[str] = []
    for metric, adversary, ranking in analysis.rankings:
        rows = zip(ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True)
        body = [[escape(name), f"{rank:.2f}", *map(str, duels)] for name, rank, *duels in rows]
        header = ["algorithm", "average rank", "wins", "ties", "losses"]
        caption = f"Ranks over {len(ranking.datasets)} datasets: {metric}, {adversary}. {ranking.summary}"
        label = slug(analysis.results.suite, "ranks", metric, adversary)
        lines += _float(escape(caption), label, _tabular("lrrrr", header, body))
    return lines


def _claims(analysis: Analysis) -> list[str]:
    rows = [
        [escape(verdict.outcome), escape(verdict.claim), escape(verdict.source), escape(verdict.summary)]
        for verdict in analysis.verdicts
    ]
    columns = r"lp{0.3\linewidth}p{0.15\linewidth}p{0.35\linewidth}"
    return _float(
        f"Claims and verdicts. {escape(analysis.claims_note)}",
        slug(analysis.results.suite, "claims"),
        _tabular(columns, ["verdict", "claim", "source", "evidence"], rows),
    )
