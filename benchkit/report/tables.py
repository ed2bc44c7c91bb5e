"""What a report says in tables, whatever shows them: from the results to a `ReportTable`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from benchkit.document.text import interval_text, number, p_value, with_interval
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.answers import BROKEN, MARK, OWN, mean_of
from benchkit.report.grid import Grid
from benchkit.report.points import Point
from benchkit.report.results import Results
from benchkit.report.standings import Standings
from benchkit.statistics.sampling import SCOPE_NAMES

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.report.claims.verdict import Verdict
    from benchkit.report.comparisons import Comparison

MOST_PANELS = 12
MOST_ROWS = 36
"""With more, panels have one column each: their means over the axis."""
_LONGEST_NAME = 34  # with four columns of numbers a line of 80 is full


def means(analysis: Analysis, grid: Grid) -> ReportTable:
    """A grid's means with spread and stars, the best method first, the best of each column emphasised.

    Methods that were skipped everywhere, as they do not take the data, are named below it.
    """
    rows = [
        [
            _named(analysis, algorithm),
            *(_mean_cell(analysis, grid, grid.rows[algorithm].get(str(value))) for value in grid.columns),
        ]
        for algorithm in analysis.standings(grid).by_mean
        if algorithm not in grid.skipped
    ]
    note = f"skipped: {', '.join(grid.skipped)}" if grid.skipped else ""
    return ReportTable(
        title=grid.title,
        columns=["algorithm", "mean"] if grid.columns == [None] else [grid.axis_title, *grid.headings],
        rows=rows,
        align=("left", *["right"] * len(grid.columns)),
        note=note if analysis.standings(grid).means else _why_empty(analysis.standings(grid)),
    )


def _why_empty(standing: Standings) -> str:
    """Of a table without any value, why it has none."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for name, why in standing.left_out.items():
        reasons[why].append(name)
    return "; ".join(f"no value of {', '.join(names)}: {why}" for why, names in reasons.items())


def means_frame(analyses: Iterable[Analysis], spread: bool) -> pd.DataFrame:
    """Means as a DataFrame; or, with their spread and stars, the cells of the report's tables."""
    import pandas as pd

    frames = [pd.DataFrame()]
    for analysis, grid in ((each, grid) for each in analyses for grid in each.grids):
        cells = means(analysis, grid).cells
        index = pd.MultiIndex.from_tuples(
            [(grid.name, grid.adversary, name.text) for name, *_ in cells], names=["dataset", "adversary", "algorithm"]
        )
        values = [[str(cell) if spread else cell.value for cell in row] for _, *row in cells]
        frames.append(pd.DataFrame(values, index, pd.Index(grid.columns, name=grid.axis)))
    whole = pd.concat(frames[1:] or frames)
    return whole[sorted(whole.columns)] if all(isinstance(name, int | float) for name in whole.columns) else whole


def _mean_cell(analysis: Analysis, grid: Grid, point: Point | None) -> ReportCell:
    """Mean, spread, star, and of how many trials the mean is where some lack it; all else of a point as a hint."""
    if point is None:
        return ReportCell("-")
    count = "{} of {}".format(*point.ended)
    valued, of = point.ended if point.of_group else (len(point.parts), len(point.rows))
    what = "repetitions" if point.of_group else "trials"
    hints = [f"{count} {what} ended ok" if point.n or point.failed else "no value, though trials ended ok"]
    if (ends := point.interval()) is not None and point.sd is not None:
        interval = f"95 % interval {SCOPE_NAMES[point.scope]} {interval_text(*ends)}"
        hints.append(f"{interval}, standard deviation {number(point.sd)}")
    if (compared := analysis.comparison(point)) is not None:
        tests = f"{compared.test} {p_value(compared.p)}, Holm {p_value(compared.holm)}"
        hints.append(f"minus {compared.reference}: {number(compared.difference)} ({tests})")
        hints += [compared.relation] if compared.relation else []
    kinds = ["best"] * grid.is_best(point) + ["failed"] * bool(point.failed)
    if point.mean is None:
        return ReportCell(f"0 of {point.failed}" if point.failed else "-", None, " ".join(kinds), "; ".join(hints))
    return ReportCell(
        number(point.mean),
        point.mean,
        " ".join(kinds),
        "; ".join(hints),
        spread="" if point.stderr is None else f"±{number(point.stderr)}",
        mark=analysis.mark(point),
        count=f"{valued} of {of}" if point.failed or valued < of else "",
    )


def overviews(analysis: Analysis, grids: Sequence[Grid], intervals: bool = False) -> list[ReportTable]:
    """Means over the axis, algorithms x panels of one metric: who is ahead where, in one look.

    The first `MOST_PANELS` are shown, of several data sets in a table for each adversary; a star is where a method is
    known to be worse than the best.
    """
    shown = [analysis.standings(grid) for grid in grids[:MOST_PANELS] if len(grid.columns) > 1]
    shown = [standing for standing in shown if standing.means]
    by_adversary: dict[str, list[Standings]] = defaultdict(list)
    for standing in shown:
        by_adversary[standing.grid.adversary].append(standing)
    if len(by_adversary) == 1 or len({standing.grid.name for standing in shown}) == 1:
        return [_overview(analysis, shown, False, intervals)] if shown else []
    return [_overview(analysis, alike, True, intervals) for alike in by_adversary.values()]


def _overview(analysis: Analysis, shown: Sequence[Standings], alike: bool, intervals: bool) -> ReportTable:
    """Of some panels, which are ``alike`` in their adversary where others are not."""

    def place(name: str) -> tuple[bool, int, float]:
        """Best first: by the mean over the panels, after those that lack fewer; what looks at no feature last."""
        means = [standing.means[name] for standing in shown if name in standing.complete]
        loss = fmean(means) if means else 0.0
        loss = -loss if shown[0].grid.greater_is_better else loss
        return name in analysis.results.trivial, len(shown) - len(means), loss

    names = [name for name in analysis.algorithms if any(name in standing.means for standing in shown)]
    grid = shown[0].grid
    under = f" under {grid.adversary}" if alike and grid.adversary != "none" else ""
    rows = [
        [_named(analysis, name), *(_mean(standing, name, standing.grid.title, intervals) for standing in shown)]
        for name in sorted(names, key=place)
    ]
    return ReportTable(
        columns=[
            f"{mean_of(grid)}{under} over the axis",
            *(standing.grid.name if alike else standing.grid.panel for standing in shown),
        ],
        rows=rows,
        align=("left", *["right"] * len(shown)),
        note="; ".join(filter(None, [f"axis: {_axes(shown)}", _partly(rows)])),
    )


def _named(analysis: Analysis, name: str, before: str = "") -> ReportCell:
    """A method's name, with a sign where it is the reader's own."""
    return ReportCell(f"{before}{name}", mark=OWN if name in analysis.own else "")


def _partly(rows: Sequence[Sequence[ReportCell]]) -> str:
    """What (n of N) says in a table of means over an axis, where it stands in one."""
    text = "(n of N): the mean of only n of N repetitions, for the others have no result; it is not compared"
    return text if any(cell.count for row in rows for cell in row) else ""


def _axes(panels: Sequence[Standings], spans: bool = True) -> str:
    """Along what means over an axis are: ``features deleted 0 to 4``; of adversaries that differ each with its name."""
    by_adversary: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for grid in (panel.grid for panel in panels if len(panel.grid.columns) > 1):
        by_adversary[grid.adversary][grid.axis_title][
            f" {grid.headings[0]} to {grid.headings[-1]}" if spans else ""
        ] = None
    who: dict[str, list[str]] = defaultdict(list)
    for adversary, titles in by_adversary.items():
        who[", ".join(f"{title}{' or'.join(ends)}" for title, ends in titles.items())].append(adversary)
    return "; ".join(text if len(who) == 1 else f"{text} under {', '.join(names)}" for text, names in who.items())


def _mean(standing: Standings, algorithm: str, hint: str = "", interval: bool = False) -> ReportCell:
    """A mean over the axis."""
    mean = standing.means.get(algorithm)
    if mean is None:
        return ReportCell("-")
    ends = standing.interval(algorithm) if interval else None
    text, spread = (number(mean), "") if ends is None else with_interval(mean, *ends)
    mark = MARK if algorithm in standing.worse else BROKEN if algorithm in standing.broken else ""
    best = "best" if algorithm in standing.leaders else ""
    count = "" if algorithm in standing.complete else "{} of {}".format(*standing.repetitions(algorithm))
    return ReportCell(text, mean, best, hint, spread=spread, mark=mark, count=count)


def in_short(analysis: Analysis) -> list[ReportTable]:
    """One of each metric that is the first of a data set, but where no method has a value."""
    by_metric: dict[str, list[Grid]] = defaultdict(list)
    shown = [grid for grid in analysis.first_grids if analysis.standings(grid).means]
    for grid in shown:
        by_metric[grid.metric].append(grid)
    in_full = sum(len(grid.rows) + 1 for grid in shown) <= MOST_ROWS
    return [
        table
        for metric, grids in by_metric.items()
        for table in ([_of_metric(analysis, metric, grids)] if in_full else overviews(analysis, grids))
    ]


def _of_metric(analysis: Analysis, metric: str, grids: Sequence[Grid]) -> ReportTable:
    panels = [analysis.standings(grid) for grid in grids]
    rows = [row for panel in panels for row in _panel(analysis, panel)]
    axes = _axes(panels, spans=False)
    note = f"mean: of the curve over the whole axis ({axes})" if axes else "mean: over repetitions"
    names = (metric, "mean", "start", "middle", "end")
    shown = [place for place in range(len(names)) if place < 2 or any(row[place].text for row in rows)]
    return ReportTable(
        columns=[names[place] for place in shown],
        rows=[[row[place] for place in shown] for row in rows],
        align=("left", *["right"] * (len(shown) - 1)),
        note="; ".join(filter(None, [note, _partly(rows)])),
    )


def _panel(analysis: Analysis, standing: Standings) -> list[list[ReportCell]]:
    """A row that names the panel and its places on the axis, then one for each method, the best mean first."""
    grid, n = standing.grid, len(standing.grid.columns)
    # Of two places none is between them.
    places = (0, n // 2 if n > 2 else None, n - 1) if n > 1 else (None, None, None)
    spans = f"{grid.headings[0]} to {grid.headings[-1]}" if n > 1 else ""
    heads = [spans, *("" if place is None else f"at {grid.headings[place]}" for place in places)]
    titles = [[grid.panel, *heads]]
    if len(grid.panel) > _LONGEST_NAME and grid.adversary != "none":
        titles = [[grid.name, *[""] * len(heads)], [f"under {grid.adversary}", *heads]]
    rows = [[ReportCell(text, emphasis="panel") for text in texts] for texts in titles]
    for name in standing.by_mean:
        cells = []
        for place in places:
            point = None if place is None else grid.rows[name].get(str(grid.columns[place]))
            if point is None:
                cells.append(ReportCell(""))
            elif point.mean is None:
                word = "skipped" if {row["status"] for row in point.rows} <= {"ok", "skipped"} else "failed"
                cells.append(ReportCell(word, emphasis="failed") if point.failed else ReportCell("-"))
            else:
                cells.append(ReportCell(number(point.mean), point.mean, "best" if grid.is_best(point) else ""))
        rows.append([_named(analysis, name, "  "), _mean(standing, name), *cells])
    return rows


def ranks(analysis: Analysis) -> list[ReportTable]:
    """A table for each of the analysis' rankings."""
    under = {adversary: "" if adversary == "none" else f" under {adversary}" for _, adversary, _ in analysis.rankings}
    return [
        ReportTable(
            title=f"Ranks over {len(ranking.datasets)} datasets: {metric}{under[adversary]}",
            columns=["algorithm", "average rank", "wins", "ties", "losses"],
            rows=[
                [name, ReportCell(f"{rank:.2f}", rank), *(ReportCell(str(count), count) for count in duels)]
                for name, rank, *duels in zip(
                    ranking.algorithms, ranking.ranks, ranking.wins, ranking.ties, ranking.losses, strict=True
                )
            ],
            align=("left", "right", "right", "right", "right"),
            note=ranking.summary,
        )
        for metric, adversary, ranking in analysis.rankings
    ]


_DISAGREE = (
    "where interval and p disagree, nothing is sure: the interval is of the mean, which a few large differences move; "
    "the test is of how many differences are above or below 0, and of their order; run more repetitions"
)


def differences(analysis: Analysis, grid: Grid) -> ReportTable | None:
    """The differences at every point of a grid; None where nothing is compared.

    Each with its 95 % interval, and the p-value of its test before and after Holm's correction.
    """
    margin = analysis.margins.get(grid.metric)
    rows: list[list[str | ReportCell]] = []
    compared: list[Comparison] = []
    for value, heading in zip(grid.columns, grid.headings, strict=True):
        for each in filter(None, map(analysis.comparison, grid.column(value))):
            place = ReportCell(heading, value if isinstance(value, int | float) else heading)
            mean, ends = with_interval(each.difference, each.low, each.high)
            difference = ReportCell(mean, each.difference, "significant" * each.significant(), spread=ends)
            pvalues = [ReportCell(p_value(p), p) for p in (each.p, each.holm)]
            within = [] if margin is None else [each.relation or "-"]
            rows.append(
                [*([] if value is None else [place]), each.algorithm, each.reference, difference, *pvalues, *within]
            )
            compared.append(each)
    pairs, tests = {each.n for each in compared}, dict.fromkeys(each.test for each in compared)
    over = f"over {' or '.join(map(str, sorted(pairs)))} repetitions"
    apart = _DISAGREE if any(each.disagrees for each in compared) else ""
    where = [] if grid.columns == [None] else [grid.axis_title]
    columns = [*where, "algorithm", "minus", "difference", "p", "p Holm"]
    columns += [] if margin is None else [f"by {margin:g}"]
    return (
        ReportTable(
            title=grid.title,
            columns=columns,
            rows=rows,
            align=["left" if name in ("algorithm", "minus") else "right" for name in columns],
            note=f"{over} of both methods, paired; {' or '.join(tests)}{'; ' * bool(apart)}{apart}",
        )
        if rows
        else None
    )


_EMPHASIS = {"supported": "good", "contradicted": "bad", "undecided": "open", "not run": "open"}


def claims(verdicts: Sequence[Verdict], note: str = "", suites: Sequence[str] = ()) -> ReportTable | None:
    """A row for each verdict, with its suite where they are of several; None where there is none."""
    if not verdicts:
        return None
    columns = ["verdict", "claim", "source", "expected", "measured", "points"]
    align: list[str | float] = ["left", 0.2, 0.1, 0.2, 0.3, "right"]
    rows = []
    for verdict in verdicts:
        tally = f"{verdict.supported} / {verdict.contradicted} / {verdict.undecided}" if verdict.points else "-"
        expected = verdict.expected + (f" (paper: {verdict.stated.paper})" if verdict.stated.paper else "")
        points = ReportCell(tally, verdict.contradicted + verdict.undecided)
        rows.append([verdict_cell(verdict), verdict.claim, verdict.stated.source, expected, verdict.summary, points])
    note = f"points: supported / contradicted / undecided{f'. {note}' if note else ''}"
    if suites:
        columns, align = [columns[0], "suite", *columns[1:]], [align[0], "left", *align[1:]]
        rows = [[row[0], suite, *row[1:]] for suite, row in zip(suites, rows, strict=True)]
    return ReportTable(title="Claims", columns=columns, rows=rows, align=align, note=note)


def verdict_cell(verdict: Verdict) -> ReportCell:
    """What became of a claim."""
    return ReportCell(verdict.outcome, emphasis=f"badge {_EMPHASIS[verdict.outcome]}")


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
