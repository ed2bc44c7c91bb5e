"""Write what docs/methods/exact-tree-delete.md measures, and its figure, from a run of bench-trees.

benchkit run bench-trees
python docs/site/exact_trees.py runs/bench-trees
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd

import benchkit

HERE = Path(__file__).parent
PAGE = HERE.parent / "methods" / "exact-tree-delete.md"
IMAGE = HERE.parent / "images" / "exact-and-query.svg"
BEGIN, END = "## How long it takes\n", "## Classifiers trained for it\n"
FILLS = ("zero", "mean", "nan")
HARDENED = ("dropout", "adversarial")
WIDTH = 120
HARDENED_BUDGET = 6
SHOWN_FILL = "nan"
SHOWN_BUDGETS = (0, 2, 4, 8)
"""What the table shows of the fills and budgets of the run."""
NODE_LIMIT = 10_000
"""The adversary's default, which the suite keeps."""


TOLD = """
`benchkit run bench-trees` on spambase (57 features), {tested} test rows of {splits} random splits with {trained} to
train: 100 trees of depth 6 by XGBoost and by a forest, an unpruned forest, and XGBoost hardened as below; {processor}
min of one processor. `python docs/site/exact_trees.py` writes this section.

- Plain models: {closed} of the rows of every fill and N up to {plain_most} are proved within a second each. Hardened
ones: {closed_hard} up to N = {hard_most}{where_hard}. The slowest row up to there took {slowest}. {is_open}

Worst-case error in per cent where deletion leaves NaN, and in brackets by how many points the error by `query-delete`
is lower:

- `query-delete` reaches the exact error at {equal} of {places} points of all fills; it is {mean_gap:.2f} points lower
on average and {most_gap:.2f} at most, but has no proof.

- `worst-case-bound` is up to {ties:.1f} points above the error, by exact ties, which forests have{and_open}.
"""


def trials(run: str) -> pd.DataFrame:
    """A line for each trial: model, fill, who attacked, budget and metrics."""
    frame = benchkit.load(run).to_pandas()
    frame = frame[frame["status"] == "ok"].rename(columns=lambda name: name.removeprefix("metrics."))
    frame["model"] = [name.rsplit("-", 1)[0] if name.startswith(HARDENED) else name for name in frame["algorithm"]]
    frame["by"] = frame["adversary"].str.split("-").str[0]
    return frame.rename(columns={"dataset": "fill"})


def section(frame: pd.DataFrame) -> str:
    """The section of the page, with its tables."""
    exact, query = (frame[frame["by"] == by] for by in ("exact", "query"))
    by = ["fill", "model", "budget"]
    error = exact.groupby(by)["error"].mean()
    either = (part.set_index([*by, "repetition"])["error"] for part in (exact, query))
    gap = next(either).sub(next(either)).dropna().groupby(level=by).mean()
    shown = frame[(frame["fill"] == SHOWN_FILL) & frame["budget"].isin(SHOWN_BUDGETS)]
    errors = table(shown, lambda place: f"{100 * error[place]:.1f} ({100 * gap[place]:.1f})")

    plain, hard = (exact[exact["model"].isin(HARDENED) == hardened] for hardened in (False, True))
    asked = pd.concat([plain, hard[hard["budget"] <= HARDENED_BUDGET]]).groupby(by)
    closed = asked["rows-within-a-second"].mean()
    is_hard = closed.index.get_level_values("model").isin(HARDENED)
    least_hard = closed[is_hard].idxmin()
    beyond = hard[hard["budget"] > HARDENED_BUDGET].groupby(by)["rows-within-a-second"].mean()
    open_rows = exact.groupby(by)["open-rows"].mean()
    is_open = "No row of any point was left open: the errors are exact."
    if open_rows.max() > 0:
        fill, model, budget = open_rows.idxmax()
        some = int((open_rows > 0).sum())
        is_open = (
            f"At {some} of {len(open_rows)} points rows were left open after {NODE_LIMIT:,} nodes, at most "
            f"{_percent(open_rows.max())} ({model}, {fill}, N = {budget:g}): there the error is the low end of a band."
        )
    ties = exact[exact["open-rows"] == 0]
    trained = exact["n_train"].unique()
    per_point = exact.groupby(by)["n_test"].sum().unique()
    if len(trained) > 1 or len(per_point) > 1:
        raise SystemExit("the run is not whole: points differ in their rows")
    told = TOLD.format(
        tested=f"{per_point[0]:,.0f}",
        splits=exact["repetition"].nunique(),
        trained=f"{trained[0]:,.0f}",
        processor=f"{processor_seconds(frame) / 60:.0f}",
        closed=_percent(closed[~is_hard].min()),
        closed_hard=_percent(closed[is_hard].min()),
        plain_most=f"{plain['budget'].max():g}",
        hard_most=HARDENED_BUDGET,
        where_hard=_where(least_hard, closed[is_hard].min()) + _beyond(beyond),
        slowest=_seconds(asked["slowest-row-seconds"].max().max()),
        is_open=is_open,
        equal=int((gap.abs() < 1e-12).sum()),
        places=len(gap),
        mean_gap=100 * gap.mean(),
        most_gap=100 * gap.max(),
        ties=100 * float((ties["worst-case-bound"] - ties["error"]).max()),
        and_open=", where no row is open" if open_rows.max() > 0 else "",
    )
    introduction, fast, on_errors, *points = (_wrapped(each) for each in told.strip().split("\n\n"))
    picture = "![Worst-case error by exact-tree-delete and by query-delete](../images/exact-and-query.svg)"
    parts = [BEGIN.strip(), introduction, fast, on_errors, errors, "\n".join(points), picture]
    return "\n\n".join(parts) + "\n\n"


def processor_seconds(frame: pd.DataFrame) -> float:
    """Of the whole run: a fit that trials share is in the seconds of each, and was done once."""
    seconds = frame.groupby(["fill", "algorithm", "repetition"])["cpu_seconds"]
    return float((seconds.sum() - (seconds.size() - 1) * seconds.min()).sum())


def table(frame: pd.DataFrame, cell: Callable[[tuple[str, str, float]], str]) -> str:
    """A line for each model and fill, a column for each budget."""
    budgets = sorted(frame["budget"].unique())
    head = ["model", "what deletion leaves", *(f"N = {budget:g}" for budget in budgets)]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    there = set(zip(frame["model"], frame["fill"], strict=True))
    for model in dict.fromkeys(frame["model"]):
        for fill in FILLS:
            if (model, fill) in there:
                cells = [cell((fill, model, budget)) for budget in budgets]
                lines.append(f"| {' | '.join([model, fill, *cells])} |")
    return "\n".join(lines)


def _percent(share: float) -> str:
    """Not 100 % where a row is missing."""
    return f"{int(1000 * share + 1e-6) / 10:g} %"


def _seconds(seconds: float) -> str:
    if seconds < 1e-3:
        return "< 1 ms"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1e3 * seconds:.0f} ms"


def _where(place: tuple[str, str, float], share: float) -> str:
    fill, model, budget = place
    return "" if share == 1 else f" (least: {model}, {fill}, N = {budget:g})"


def _beyond(within: pd.Series) -> str:
    return "" if within.empty else f", and {_percent(within.min())} beyond"


def _wrapped(text: str) -> str:
    indent = "  " if text.startswith("-") else ""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_on_hyphens=False, subsequent_indent=indent)


def draw(frame: pd.DataFrame, path: Path) -> None:
    """A panel for each fill: a colour for each model, exact as a line, query as crosses, and below the gap."""
    models = list(dict.fromkeys(frame["model"]))
    means = frame.groupby(["fill", "model", "by", "budget"])["error"].mean()
    settings = {"svg.hashsalt": path.stem, "svg.fonttype": "none", "font.size": 8}
    with mpl.rc_context(settings):
        figure, axes = plt.subplots(2, 3, figsize=(9, 5), sharex=True, height_ratios=(2, 1), layout="constrained")
        for (above, below), fill in zip(axes.T, FILLS, strict=True):
            for place, model in enumerate(models):
                if (fill, model) not in means.index.droplevel([2, 3]):
                    continue
                exact, query = means[fill, model, "exact"], means[fill, model, "query"]
                above.plot(exact.index, exact, color=f"C{place}", lw=1.2, label=model)
                above.plot(query.index, query, "x", color=f"C{place}", ms=5)
                below.plot(exact.index, 100 * (exact - query), "o-", color=f"C{place}", ms=2.5, lw=1)
            above.set_title(f"deletion leaves {fill}")
            above.set_ylim(0, 1)
            below.set_xlabel("features deleted (N)")
        axes[0, 0].set_ylabel("error: exact (line), query (x)")
        axes[1, 0].set_ylabel("gap in points")
        handles, labels = axes[0, 2].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def main() -> None:
    """Write the section and draw the figure."""
    parser = argparse.ArgumentParser(description="Write what docs/methods/exact-tree-delete.md measures.")
    parser.add_argument("run", help="a run of bench-trees, or the folder of its runs")
    frame = trials(parser.parse_args().run)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + section(frame) + END + rest.split(END)[1], encoding="utf-8")
    draw(frame, IMAGE)


if __name__ == "__main__":
    main()
