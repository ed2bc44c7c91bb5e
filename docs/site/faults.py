"""Write docs/methods/faults.md and its figures from the published rows of its suite: ``python docs/site/faults.py``.

``faults.yaml`` beside it holds the page, the tables that it shows, and the sentences that say what came of it, in the
form of ``findings.yaml``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import yaml
from matplotlib.ticker import MaxNLocator
from one_suite import bullets, published

from benchkit.report.results import Results

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = HERE.parent / "methods" / "faults.md"
TEMPLATE = HERE / "faults.yaml"
IMAGES = HERE.parent / "images"


def read_template() -> dict[str, Any]:
    """``page``, ``tables``, ``figures`` and ``sentences``."""
    found: dict[str, Any] = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    return found


def means(results: Results, taken: Callable[[Mapping[str, Any]], bool] = lambda row: True) -> pd.DataFrame:
    """Means over repetitions, a line for each data set, adversary, method and budget, of the rows that are taken."""
    rows = [
        {
            "dataset": row["dataset"],
            "adversary": row["adversary"],
            "algorithm": row["algorithm"],
            "budget": float(row["budget"]),
            **{metric: row["metrics"].get(metric) for metric in results.metrics},
        }
        for row in results.rows
        if taken(row)
    ]
    return pd.DataFrame(rows).groupby(["dataset", "adversary", "algorithm", "budget"]).mean()


def table(asked: Mapping[str, Any], found: pd.DataFrame) -> str:
    """A table of the page: faults with their budgets, a column for each method."""
    head = ["fault", "budget", *asked["algorithms"]]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for fault, budgets in asked["rows"]:
        for budget in budgets:
            cells = [
                f"{found.loc[(asked['dataset'], fault, algorithm, budget), asked['metric']]:.{asked['digits']}f}"
                for algorithm in asked["algorithms"]
            ]
            lines.append(f"| {' | '.join([fault, f'{budget:g}', *cells])} |")
    return "\n".join(lines)


def draw(asked: Mapping[str, Any], found: pd.DataFrame, path: Path) -> None:
    """A panel for each fault or data set, a line for each method."""
    panels: Sequence[Mapping[str, Any]] = asked["panels"]
    colours = {name: f"C{place}" for place, name in enumerate(asked["colours"])}
    columns = asked.get("columns", 3)
    lines = -(-len(panels) // columns)
    settings = {
        "svg.hashsalt": path.stem,
        "svg.fonttype": "none",
        "font.size": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(settings):
        figure, axes = plt.subplots(lines, columns, figsize=(9, 2.4 * lines), squeeze=False, layout="constrained")
        for place, axis in enumerate(axes.ravel()):
            if place >= len(panels):
                axis.set_axis_off()
                continue
            panel = panels[place]
            part = found.loc[(panel["dataset"], panel["adversary"])][panel["metric"]].dropna()
            for name in colours:
                if name in part.index.get_level_values("algorithm"):
                    curve = part.loc[name]
                    grey = name in ("constant", "mean")
                    axis.plot(
                        curve.index, curve, "o-", ms=3, lw=1.2, color="0.6" if grey else colours[name], label=name
                    )
            axis.set_title(panel.get("title", f"{panel['adversary']}, {panel['dataset']}"))
            axis.set_xlabel(panel["axis"])
            axis.set_ylabel(panel["metric"].replace("-", " "))
            axis.set_ylim(0, panel.get("most"))
            if all(float(place).is_integer() for place in part.index.get_level_values("budget")):
                axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        handles: dict[str, Any] = {}
        for axis in axes.ravel():
            handles |= {name: line for line, name in zip(*axis.get_legend_handles_labels(), strict=True)}
        figure.legend(
            handles.values(),
            handles,
            loc="outside lower center",
            ncols=asked.get("legend", len(handles)),
            frameon=False,
        )
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def page(results: Results) -> str:
    """The page with its numbers."""
    template, found = read_template(), means(results)
    tables = {name: table(asked, found) for name, asked in template["tables"].items()}
    sentences = bullets(template["sentences"], results)
    text: str = template["page"]
    for name, shown in {**tables, "sentences": sentences, "trials": f"{len(results.rows):,}"}.items():
        text = text.replace(f"<<{name}>>", shown)
    return text


def main() -> None:
    """Write the page and draw the figures."""
    parser = argparse.ArgumentParser(description="Write docs/methods/faults.md from the published rows of its suite.")
    parser.add_argument("results", nargs="?", default=str(ROOT / "results"), help="folder of published results")
    results = published(parser.parse_args().results, "faults")
    PAGE.write_text(page(results), encoding="utf-8")
    found = means(results)
    for name, asked in read_template()["figures"].items():
        draw(asked, found, IMAGES / f"{name}.svg")


if __name__ == "__main__":
    main()
