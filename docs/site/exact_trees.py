"""Write what docs/methods/exact-tree-delete.md measures, and its figure, from a run of bench-trees.

benchkit run bench-trees
python docs/site/exact_trees.py runs/bench-trees
"""

from __future__ import annotations

import argparse
import textwrap
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


TOLD = """
`benchkit run bench-trees`: spambase as it is (57 features, values 1), {tested} test rows of up to {splits} random
splits with 2,300 to train; 100 trees of depth 6, an unpruned forest, and XGBoost hardened by the methods below
(`dropout`: copies without up to 16 features; `adversarial`: eight refits on the worst losses of four). Worst-case
error, and processor time per row, on one thread of a busy machine; `python docs/site/exact_trees.py` writes this
section:

- At least {closed:.0f} % of the rows of each plain model and budget (to N = 8) are closed within a second each, and
{closed_hard:.0f} % of those of hardened ones (to N = 6). The slowest row of all took {slowest:.2f} s. {is_open}.

- The worst case is far from the usual one: XGBoost, which errs on {whole} of whole rows, errs on {four} when four
well-chosen features go NaN.

- `query-delete`, which asks the model, comes close: its error equals the exact one at {equal} of {places} places, is
{mean_gap:.2f} points lower on average and {most_gap:.2f} at most. It does not know that it is close: the proof is what
this adversary adds, and the margin, not the class alone.

- `worst-case-bound` is up to {ties:.1f} points above the error, by exact ties, which forests have.
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
    budgets = sorted(exact["budget"].unique())
    lines = [
        "| model | what deletion leaves | " + " | ".join(f"N = {budget:g}" for budget in budgets),
        "|" + "---|" * (2 + len(budgets)),
    ]
    lines[0] += " | median at the last | slowest of all | closed within 1 s | query misses at most |"
    lines[1] += "---|---|---|---|"
    models = list(dict.fromkeys(frame["model"]))
    for model in models:
        for fill in FILLS:
            part = exact[(exact["model"] == model) & (exact["fill"] == fill)]
            if part.empty:
                continue
            last = part[part["budget"] == budgets[-1]]["median-row-seconds"].mean()
            cells = [f"{error[fill, model, budget]:.3f}" for budget in budgets]
            cells += [f"{1e3 * last:.1f} ms", f"{1e3 * part['slowest-row-seconds'].max():.0f} ms"]
            cells += [f"{100 * part['rows-within-a-second'].min():.0f} %"]
            worst = gap[fill, model].idxmax()
            most = 100 * gap[fill, model].max()
            cells += [f"{most:.2f} points (N = {worst:g})" if most > 0 else "nothing"]
            lines.append(f"| {model} | {fill} | {' | '.join(cells)} |")
    plain = exact[~exact["model"].isin(HARDENED)]
    hard = exact[exact["model"].isin(HARDENED) & (exact["budget"] <= HARDENED_BUDGET)]
    splits = exact["repetition"].nunique()
    per_point = exact.groupby(by)["n_test"].sum()
    equal = int((gap.abs() < 1e-12).sum())
    open_rows = float(exact["open-rows"].max())
    ties = float((exact["worst-case-bound"] - exact["error"]).max())
    example = [f"{100 * error['nan', 'xgboost', budget]:.1f} %" for budget in (0, 4)]
    is_open = "No row was left open: the errors are exact"
    if open_rows:
        is_open = f"Up to {100 * open_rows:.1f} % of the rows of a point were left open"
    closed, closed_hard = (100 * part["rows-within-a-second"].min() for part in (plain, hard))
    tested = (
        f"{per_point.min():,}" if per_point.min() == per_point.max() else f"{per_point.min():,} to {per_point.max():,}"
    )
    told = TOLD.format(
        tested=tested,
        splits=splits,
        closed=closed,
        closed_hard=closed_hard,
        slowest=exact["slowest-row-seconds"].max(),
        is_open=is_open,
        whole=example[0],
        four=example[1],
        equal=equal,
        places=len(gap),
        mean_gap=100 * gap.mean(),
        most_gap=100 * gap.max(),
        ties=100 * ties,
    )
    introduction, *points = (_wrapped(each) for each in told.strip().split("\n\n"))
    picture = "![Worst-case error by exact-tree-delete and by query-delete](../images/exact-and-query.svg)"
    return "\n\n".join([BEGIN.strip(), introduction, "\n".join(lines), "\n".join(points), picture]) + "\n\n"


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
