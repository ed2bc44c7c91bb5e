"""Write what docs/methods/exact-tree-delete.md measures, and its figure, from a run of bench-trees.

benchkit run bench-trees
python docs/site/exact_trees.py runs/bench-trees
"""

from __future__ import annotations

import argparse
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
PLAIN_BUDGET, HARDENED_BUDGET = 8, 6


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
    error, asked = exact.groupby(by)["error"].mean(), query.groupby(by)["error"].mean()
    gap = error - asked
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
            cells += [f"{100 * gap[fill, model].max():.2f} points (N = {worst:g})"]
            lines.append(f"| {model} | {fill} | {' | '.join(cells)} |")
    plain = exact[~exact["model"].isin(HARDENED)]
    hard = exact[exact["model"].isin(HARDENED) & (exact["budget"] <= HARDENED_BUDGET)]
    rows = {repetitions: group for repetitions, group in exact.groupby("repetition")}
    per_point = exact.groupby(by)["n_test"].sum()
    equal = int((gap.abs() < 1e-12).sum())
    open_rows = float(exact["open-rows"].max())
    ties = float((exact["worst-case-bound"] - exact["error"]).max())
    example = [f"{100 * error['nan', 'xgboost', budget]:.1f} %" for budget in (0, 4)]
    return f"""{BEGIN}
`benchkit run bench-trees`: spambase as it is (57 features, values 1), {per_point.min():,} to {per_point.max():,} test rows of
{len(rows)} random splits with 2,300 to train; 100 trees of depth 6, an unpruned forest, and XGBoost hardened by the methods below
(`dropout`: copies without up to 16 features; `adversarial`: eight refits on the worst losses of four). Worst-case error,
and processor time per row, on one thread of a busy machine; `python docs/site/exact_trees.py` writes this section:

{chr(10).join(lines)}

- At least {100 * plain["rows-within-a-second"].min():.0f} % of the rows of each plain model and budget (to N = {PLAIN_BUDGET}) are closed
  within a second each, and {100 * hard["rows-within-a-second"].min():.0f} % of those of hardened ones (to N = {HARDENED_BUDGET}). The slowest row of all took
  {exact["slowest-row-seconds"].max():.2f} s. {"No row was left open: the errors are exact" if open_rows == 0 else f"Up to {100 * open_rows:.1f} % of rows were left open"}.
- The worst case is far from the usual one: XGBoost, which errs on {example[0]} of whole rows, errs on {example[1]} when four
  well-chosen features go NaN.
- `query-delete`, which asks the model, comes close: its error equals the exact one at {equal} of {len(gap)} places, is
  {100 * gap.mean():.2f} points lower on average and {100 * gap.max():.2f} at most. It does not know that it is close: the proof is what
  this adversary adds, and the margin, not the class alone.
- `worst-case-bound` is up to {100 * ties:.1f} points above the error, by exact ties, which forests have.

![Worst-case error by exact-tree-delete and by query-delete](../images/exact-and-query.svg)

"""


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
