"""The page's tables of means and of differences."""

from __future__ import annotations

from html import escape

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import cell_text, counts, number, p_value
from benchkit.report.grid import Grid
from benchkit.report.page.section import Cell, Row, Section, details, table
from benchkit.report.statistics import Point

_OPEN = 12
_MOST_DIFFERENCES = 3000


def means(analysis: Analysis) -> Section:
    """Means along the axis, a table per panel; hovering tells spread, interval and tests."""
    parts = [details(grid.title, _grid(analysis, grid), len(analysis.grids) <= _OPEN) for grid in analysis.grids]
    notes = "".join(f'<p class="note">{escape(note)}.</p>' for note in analysis.notes)
    hint = '<p class="note">Click a heading to sort; hover over a cell for its spread and tests.</p>'
    return Section("Tables", f"{''.join(parts)}{notes}{hint}")


def _grid(analysis: Analysis, grid: Grid) -> str:
    rows: list[Row] = []
    for algorithm, row in grid.rows.items():
        points = [row.get(str(value)) for value in grid.columns]
        rows.append([algorithm, *(_cell(analysis, grid, point) for point in points)])
    return table([grid.axis, *grid.headings], rows, "means")


def _cell(analysis: Analysis, grid: Grid, point: Point | None) -> Cell:
    if point is None:
        return Cell("-")
    text = cell_text(point, analysis.settings.spread, analysis.mark(point))
    kinds = ["best"] if grid.is_best(point) else []
    kinds += ["failed"] if point.failed else []
    return Cell(text, point.mean, " ".join(kinds), describe(analysis, point))


def describe(analysis: Analysis, point: Point) -> str:
    """Everything known of a point, in one line."""
    said = [f"{counts(point)} trials ended ok"]
    ends = point.interval()
    if ends is not None and point.sd is not None:
        said.append(f"95 % interval [{number(ends[0])}, {number(ends[1])}], standard deviation {number(point.sd)}")
    found = analysis.comparison(point)
    if found is not None:
        tests = f"p {p_value(found.wilcoxon)}, Holm {p_value(found.holm)}, t-test {p_value(found.t_test)}"
        said.append(f"minus {found.reference}: {number(found.difference)} ({tests})")
    return "; ".join(said)


def differences(analysis: Analysis) -> Section | None:
    """Every difference from the best or the baseline, with its tests and effect sizes."""
    if not analysis.comparisons:
        return None
    title = f"Differences from {analysis.settings.baseline}"
    if len(analysis.comparisons) > _MOST_DIFFERENCES:
        html = f'<p class="note">{len(analysis.comparisons):,} differences: see <code>points.csv</code>.</p>'
        return Section(title, html)
    parts = []
    for grid in analysis.grids:
        rows: list[Row] = []
        for value, heading in zip(grid.columns, grid.headings, strict=True):
            for point in grid.column(value):
                found = analysis.comparison(point)
                if found is None:
                    continue
                interval = f"[{number(found.low)}, {number(found.high)}]" if found.n > 1 else "-"
                pvalues = [Cell(p_value(p), p) for p in (found.wilcoxon, found.holm, found.t_test)]
                effects = [Cell(f"{e:+.2f}" if e == e else "-", e) for e in (found.dz, found.rank_biserial)]
                difference = Cell(number(found.difference), found.difference, "best" if found.significant() else "")
                where: Cell | str = Cell(heading, value if isinstance(value, int | float) else heading)
                names = [point.algorithm, found.reference]
                rows.append([where, *names, difference, interval, *pvalues, *effects, Cell(str(found.n), found.n)])
        if rows:
            header = [grid.axis, "algorithm", "reference", "difference", "95 % interval", "p Wilcoxon", "p Holm"]
            header += ["p t-test", "effect dz", "rank-biserial", "pairs"]
            parts.append(details(grid.title, table(header, rows)))
    note = '<p class="note">Paired by repetition. In bold: p below 0.05 after Holm\'s correction.</p>'
    return Section(title, "".join(parts) + note)
