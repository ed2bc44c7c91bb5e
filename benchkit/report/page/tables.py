"""The page's tables of means and of differences."""

from __future__ import annotations

from html import escape

from benchkit.report.analysis import Analysis
from benchkit.report.formatting import cell_text, counts, interval_text, number, p_value
from benchkit.report.grid import Grid
from benchkit.report.page.section import Cell, Row, Section, details, table
from benchkit.report.statistics.points import Point
from benchkit.report.statistics.sampling import SCOPE_NAMES

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
    return table([grid.axis_title, *grid.headings], rows, "means")


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
        where, (low, high) = SCOPE_NAMES[point.scope], ends
        said.append(f"95 % interval {where} [{number(low)}, {number(high)}], standard deviation {number(point.sd)}")
    compared = analysis.comparison(point)
    if compared is not None:
        tests = (
            f"Wilcoxon {p_value(compared.wilcoxon)}, t-test {p_value(compared.t_test)}, Holm {p_value(compared.holm)}"
        )
        said.append(f"minus {compared.reference}: {number(compared.difference)} ({tests})")
        said += [compared.relation] if compared.relation else []
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
                compared = analysis.comparison(point)
                if compared is None:
                    continue
                pvalues = [Cell(p_value(p), p) for p in (compared.wilcoxon, compared.t_test, compared.holm)]
                effects = [Cell(f"{e:+.2f}" if e == e else "-", e) for e in (compared.dz, compared.rank_biserial)]
                kind = "best" if compared.significant() else ""
                difference = Cell(number(compared.difference), compared.difference, kind)
                where: Cell | str = Cell(heading, value if isinstance(value, int | float) else heading)
                tested: Row = [difference, interval_text(compared.low, compared.high), *pvalues, *effects]
                relation: Row = [compared.relation or "-"] if grid.metric in analysis.margins else []
                pairs = Cell(str(compared.n), compared.n)
                rows.append([where, point.algorithm, compared.reference, *tested, *relation, pairs])
        if rows:
            header = [grid.axis_title, "algorithm", "reference", "difference", "95 % interval"]
            margin = analysis.margins.get(grid.metric)
            related = [] if margin is None else [f"by {margin:g}"]
            header += ["p Wilcoxon", "p t-test", "p Holm", "effect dz", "rank-biserial", *related, "pairs"]
            parts.append(details(grid.title, table(header, rows)))
    note = (
        f"Paired by repetition and data set; {SCOPE_NAMES[analysis.settings.scope]}. Wilcoxon's test stands where "
        "repetitions are independent draws. In bold: p below 0.05 after Holm's correction."
    )
    return Section(title, "".join(parts) + f'<p class="note">{escape(note)}</p>')
