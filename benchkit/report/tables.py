"""What a report says in tables, whatever shows them: from the results to a `ReportTable`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from benchkit.document.text import breakdown_text, interval_text, number, p_value, rank_text
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import MARK, Analysis
from benchkit.report.claims.verdict import Verdict
from benchkit.report.comparisons import Comparison
from benchkit.report.grid import Grid
from benchkit.report.points import Point, counts
from benchkit.report.results import Results
from benchkit.report.standings import Curve, Standings
from benchkit.statistics.sampling import SCOPE_NAMES

if TYPE_CHECKING:
    import pandas as pd


def means(analysis: Analysis, grid: Grid) -> ReportTable:
    """A grid's means with spread and stars, the best of each column emphasised."""
    rows = [
        [algorithm, *(mean_cell(analysis, grid, row.get(str(value))) for value in grid.columns)]
        for algorithm, row in grid.rows.items()
    ]
    return ReportTable(
        title=grid.title,
        columns=[grid.axis_title, *grid.headings],
        rows=rows,
        align=("left", *["right"] * len(grid.columns)),
    )


def means_frame(analyses: Iterable[Analysis], spread: bool) -> pd.DataFrame:
    """Means as a DataFrame; or, with their spread and stars, the cells of the report's tables."""
    import pandas as pd

    frames = []
    for analysis in analyses:
        for grid in analysis.grids:
            cells = means(analysis, grid).cells
            rows = {str(name): [str(each) if spread else each.value for each in row] for name, *row in cells}
            frame = pd.DataFrame.from_dict(rows, orient="index", columns=grid.columns)
            places = [(grid.name, grid.adversary, algorithm) for algorithm in frame.index]
            frame.index = pd.MultiIndex.from_tuples(places, names=["dataset", "adversary", "algorithm"])
            frame.columns.name = grid.axis
            frames.append(frame)
    if not frames:
        return pd.DataFrame()
    whole = pd.concat(frames)
    return whole[sorted(whole.columns)] if all(isinstance(name, int | float) for name in whole.columns) else whole


def mean_cell(analysis: Analysis, grid: Grid, point: Point | None) -> ReportCell:
    """Mean, spread, star, and of how many trials the mean is where some failed."""
    if point is None:
        return ReportCell("-")
    kinds = ["best"] if grid.is_best(point) else []
    kinds += ["failed"] if point.failed else []
    known: dict[str, str] = {}
    if point.mean is None:
        text = f"0 of {point.failed}" if point.failed else "-"
    else:
        text = number(point.mean)
        known = {"spread": "" if point.stderr is None else f"±{number(point.stderr)}", "mark": analysis.mark(point)}
        known["count"] = counts(point) if point.failed else ""
    return ReportCell(text, point.mean, " ".join(kinds), _told(analysis, point), **known)


def _told(analysis: Analysis, point: Point) -> str:
    """Everything known of a point, in one line."""
    said = [f"{counts(point)} trials ended ok" if point.n or point.failed else "no value, though trials ended ok"]
    ends = point.interval()
    if ends is not None and point.sd is not None:
        where = SCOPE_NAMES[point.scope]
        said.append(f"95 % interval {where} {interval_text(*ends)}, standard deviation {number(point.sd)}")
    compared = analysis.comparison(point)
    if compared is not None:
        tests = f"{compared.test} {p_value(compared.p)}, Holm {p_value(compared.holm)}"
        said.append(f"minus {compared.reference}: {number(compared.difference)} ({tests})")
        said += [compared.relation] if compared.relation else []
    return "; ".join(said)


MOST_PANELS = 12


def robustness(analysis: Analysis, grid: Grid) -> ReportTable | None:
    """The curves of a grid; None where its axis has no numbers."""
    standing = analysis.standings(grid)
    if not grid.has_length or math.isnan(standing.level):
        return None
    rows = [
        [
            curve.algorithm,
            _area(curve, curve.algorithm in standing.leaders),
            ReportCell(breakdown_text(curve.breakdown, grid.has_shares), curve.breakdown),
            ReportCell(rank_text(curve.worst_rank), curve.worst_rank),
        ]
        for curve in map(standing.curves.__getitem__, standing.by_mean)
    ]
    passes = f"{grid.axis_title} at which {grid.metric} passes {number(standing.level)}"
    return ReportTable(
        title=grid.title,
        columns=["algorithm", "mean over axis", passes, "worst rank"],
        rows=rows,
        align=("left", "right", "right", "right"),
        note=analysis.robustness_note,
    )


def _area(curve: Curve, best: bool) -> ReportCell:
    if curve.mean is None:
        return ReportCell("-")
    spread = "" if curve.stderr is None else f"±{number(curve.stderr)}"
    return ReportCell(number(curve.mean), curve.mean, "best" if best else "", spread=spread)


def overview(analysis: Analysis, grids: Sequence[Grid], intervals: bool = False) -> ReportTable | None:
    """Mean over the axis, algorithms x panels of one metric: who is ahead where, in one look.

    The first `MOST_PANELS` are shown; a star is where a method is known to be worse than the best.
    """
    shown = [standing for grid in grids[:MOST_PANELS] if (standing := analysis.standings(grid)).means]
    shown = [standing for standing in shown if len(standing.grid.columns) > 1]
    if not shown:
        return None
    names = [name for name in analysis.algorithms if any(name in standing.grid.rows for standing in shown)]
    return ReportTable(
        columns=[f"mean {shown[0].grid.metric} over the axis", *(standing.grid.panel for standing in shown)],
        rows=[
            [name, *(_mean(standing, name, standing.grid.title, intervals) for standing in shown)]
            for name in sorted(names, key=lambda name: _place(name, shown))
        ],
        align=("left", *["right"] * len(shown)),
        note=analysis.robustness_note,
    )


def _place(algorithm: str, shown: Sequence[Standings]) -> tuple[int, float]:
    """Best first: by the mean over the panels, after those that are missing in fewer."""
    means = [
        standing.means[algorithm] * (-1.0 if standing.grid.greater_is_better else 1.0)
        for standing in shown
        if algorithm in standing.means
    ]
    return len(shown) - len(means), fmean(means) if means else 0.0


def _mean(standing: Standings, algorithm: str, hint: str = "", interval: bool = False) -> ReportCell:
    """A mean over the axis."""
    mean = standing.means.get(algorithm)
    if mean is None:
        return ReportCell("-")
    ends = standing.interval(algorithm) if interval else None
    spread = "" if ends is None else interval_text(*ends)
    mark = MARK if algorithm in standing.worse else ""
    return ReportCell(
        number(mean), mean, "best" if algorithm in standing.leaders else "", hint, spread=spread, mark=mark
    )


MOST_ROWS = 36
"""With more, panels have one column each: their means over the axis."""
_LONGEST_NAME = 34  # with four columns of numbers a line of 80 is full
_PLACES = ("start", "middle", "end")


def in_short(analysis: Analysis) -> list[ReportTable]:
    """One of each metric that is the first of a data set, but where no method has a value."""
    by_metric: dict[str, list[Grid]] = {}
    for grid in analysis.first_grids:
        by_metric.setdefault(grid.metric, []).append(grid)
    in_full = sum(len(grid.rows) + 1 for grid in analysis.first_grids) <= MOST_ROWS
    tables = [
        _of_metric(analysis, metric, grids) if in_full else overview(analysis, grids)
        for metric, grids in by_metric.items()
    ]
    return [table for table in tables if table is not None]


def _of_metric(analysis: Analysis, metric: str, grids: Sequence[Grid]) -> ReportTable | None:
    rows = [row for grid in grids for row in _panel(analysis.standings(grid))]
    if not rows:
        return None
    titles: dict[str, list[str]] = {}
    for grid in grids:
        if len(grid.columns) > 1 and grid.adversary not in titles.setdefault(grid.axis_title, []):
            titles[grid.axis_title].append(grid.adversary)
    units = [*titles] if len(titles) == 1 else [f"{title} under {', '.join(who)}" for title, who in titles.items()]
    axis = f" ({'; '.join(units)})" if titles else ""
    stars = [analysis.star_note] if any(cell.mark for row in rows for cell in row) else []
    longest = max(len(grid.columns) for grid in grids)
    # Of two places none is between them.
    shown = (0, 1) if longest < 2 else (0, 1, 2, 4) if longest < 3 else range(5)
    columns = [[metric, "mean", *_PLACES][place] for place in shown]
    return ReportTable(
        columns=columns,
        rows=[[row[place] for place in shown] for row in rows],
        align=("left", *["right"] * (len(columns) - 1)),
        note="; ".join([f"mean: of the curve over the whole axis{axis}" if axis else "mean: over repetitions", *stars]),
    )


def _panel(standing: Standings) -> list[list[ReportCell]]:
    """A row that names the panel and its places on the axis, then one for each method, the best mean first."""
    grid = standing.grid
    if not standing.means:
        return []
    places = _places(len(grid.columns))
    spans = f"{grid.headings[0]} to {grid.headings[-1]}" if len(grid.columns) > 1 else ""
    heads = [f"at {grid.headings[place]}" if place is not None else "" for place in places]
    above: list[tuple[str, ...]] = []
    named = grid.panel
    if len(named) > _LONGEST_NAME and grid.adversary != "none":
        above, named = [(grid.name, *[""] * (1 + len(heads)))], f"under {grid.adversary}"
    rows = [[ReportCell(text, emphasis="panel") for text in texts] for texts in (*above, (named, spans, *heads))]
    for name in standing.by_mean:
        shown = [
            _at(grid, None if place is None else grid.rows[name].get(str(grid.columns[place]))) for place in places
        ]
        rows.append([ReportCell(f"  {name}"), _mean(standing, name), *shown])
    return rows


def _places(columns: int) -> Sequence[int | None]:
    """The first, the middle and the last place, each once."""
    if columns < 2:
        return None, None, None
    return 0, columns // 2 if columns > 2 else None, columns - 1


def _at(grid: Grid, point: Point | None) -> ReportCell:
    if point is None:
        return ReportCell("")
    if point.mean is None:
        word = "skipped" if point.skipped == point.failed else "failed"
        return ReportCell(word if point.failed else "-", emphasis="failed" if point.failed else "")
    return ReportCell(number(point.mean), point.mean, "best" if grid.is_best(point) else "")


def ranks(analysis: Analysis) -> list[ReportTable]:
    """A table for each of the analysis' rankings."""
    tables = []
    for metric, adversary, ranking in analysis.rankings:
        rows = zip(ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True)
        under = f" under {adversary}" if adversary != "none" else ""
        tables.append(
            ReportTable(
                title=f"Ranks over {len(ranking.datasets)} datasets: {metric}{under}",
                columns=["algorithm", "average rank", "wins", "ties", "losses"],
                rows=[
                    [name, ReportCell(f"{rank:.2f}", rank), *(ReportCell(str(count), count) for count in duels)]
                    for name, rank, *duels in rows
                ],
                align=("left", "right", "right", "right", "right"),
                note=ranking.summary,
            )
        )
    return tables


_TO_THE_LEFT = ("algorithm", "reference")


def differences(analysis: Analysis, grid: Grid) -> ReportTable | None:
    """The differences at every point of a grid; None where nothing is compared.

    Wilcoxon's p-values are a column where any stands, equivalence where there is a margin.
    """
    margin = analysis.margins.get(grid.metric)
    compared = [
        (value, heading, comparison)
        for value, heading in zip(grid.columns, grid.headings, strict=True)
        for point in grid.column(value)
        if (comparison := analysis.comparison(point)) is not None
    ]
    has_wilcoxon = any(not math.isnan(comparison.wilcoxon) for _, _, comparison in compared)
    rows = []
    for value, heading, comparison in compared:
        where = ReportCell(heading, value if isinstance(value, int | float) else heading)
        row = {grid.axis_title: where, **_cells(comparison, has_wilcoxon)}
        rows.append(row | ({f"by {margin:g}": comparison.relation or "-"} if margin is not None else {}))
    if not rows:
        return None
    return ReportTable(
        title=grid.title,
        columns=list(rows[0]),
        rows=[list(row.values()) for row in rows],
        align=["left" if name in _TO_THE_LEFT else "right" for name in rows[0]],
    )


def _cells(compared: Comparison, has_wilcoxon: bool) -> dict[str, str | ReportCell]:
    kind = "significant" if compared.significant() else ""
    wilcoxon = {"p Wilcoxon": ReportCell(p_value(compared.wilcoxon), compared.wilcoxon)} if has_wilcoxon else {}
    return {
        "algorithm": compared.algorithm,
        "reference": compared.reference,
        "difference": ReportCell(number(compared.difference), compared.difference, kind),
        "95 % interval": interval_text(compared.low, compared.high),
        **wilcoxon,
        "p interval": ReportCell(p_value(compared.p_interval), compared.p_interval),
        "p Holm": ReportCell(p_value(compared.holm), compared.holm),
        "pairs": ReportCell(str(compared.n), compared.n),
    }


_EMPHASIS = {"supported": "good", "contradicted": "bad", "undecided": "open", "not run": "open"}


def claims(verdicts: Sequence[Verdict], note: str = "", suites: Sequence[str] = ()) -> ReportTable | None:
    """A row for each verdict; None where there is none.

    Parameters
    ----------
    verdicts : sequence of Verdict
    note : str, default=""
        What claims are judged by.
    suites : sequence of str, default=()
        The suite of each verdict, where they are of several.
    """
    if not verdicts:
        return None
    columns = ["verdict", "claim", "source", "expected", "measured", "points"]
    align: list[str | float] = ["left", 0.2, 0.1, 0.2, 0.3, "right"]
    rows = [
        [
            verdict_cell(verdict),
            verdict.claim,
            verdict.source,
            verdict.expected + (f" (paper: {verdict.paper})" if verdict.paper else ""),
            verdict.summary,
            _points(verdict),
        ]
        for verdict in verdicts
    ]
    note = f"points: supported / contradicted / undecided{f'. {note}' if note else ''}"
    if suites:
        columns, align = [columns[0], "suite", *columns[1:]], [align[0], "left", *align[1:]]
        rows = [[row[0], suite, *row[1:]] for suite, row in zip(suites, rows, strict=True)]
    return ReportTable(title="Claims", columns=columns, rows=rows, align=align, note=note)


def verdict_cell(verdict: Verdict) -> ReportCell:
    """What became of a claim."""
    return ReportCell(verdict.outcome, emphasis=f"badge {_EMPHASIS[verdict.outcome]}")


def _points(verdict: Verdict) -> ReportCell:
    tally = f"{verdict.supported} / {verdict.contradicted} / {verdict.undecided}" if verdict.points else "-"
    return ReportCell(tally, verdict.contradicted + verdict.undecided)


def consistency_table(results: Results) -> ReportTable | None:
    """The report section: each failure of a run, None where attacks keep their order."""
    failed = results.inconsistencies()
    if not failed:
        return None
    return ReportTable(
        columns=("algorithm", "dataset", "stronger", "does less than", "metric", "trials", "by up to"),
        rows=[[*each[:-1], f"{each.excess:.3g}"] for each in failed],
        note="an attack that is declared to be at least as strong did less damage to the same model",
    )
