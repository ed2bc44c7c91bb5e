"""Write docs/methods/worst-case.md and its figure from published rows: ``python docs/site/worst_case.py``.

``worst_case.yaml`` beside it holds the page, the data sets and methods that it shows, and the sentences that say what
came of it, in the form of ``findings.yaml``.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from faults import draw, means
from one_suite import bullets, published

from benchkit.report.results import Results

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SUITE = "worst-case"
PAGE = HERE.parent / "methods" / "worst-case.md"
TEMPLATE = HERE / "worst_case.yaml"
IMAGE = HERE.parent / "images" / "worst-case.svg"


def read_template() -> dict[str, Any]:
    """``page``, ``datasets``, ``algorithms``, ``table`` (those of them that it shows), ``figure`` and ``sentences``."""
    found: dict[str, Any] = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    return found


def table(template: dict[str, Any], results: Results, found: pd.DataFrame) -> str:
    """A line for each method of the page, in each cell the worst-case error of a data set at every budget."""
    splits = shared_splits(template, results)
    head = ["method", *(f"{title} ({len(splits[name])} splits)" for name, title in template["datasets"].items())]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    errors = found["error"].droplevel("adversary")
    for algorithm in template["table"]:
        cells = [
            " ".join(f"{value:.3f}".removeprefix("0") for value in errors.loc[name, algorithm])
            for name in template["datasets"]
        ]
        lines.append(f"| {' | '.join([algorithm, *cells])} |")
    return "\n".join(lines)


def shared_splits(template: dict[str, Any], results: Results) -> dict[str, set[int]]:
    """Repetitions of each data set that every method has."""
    ran: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in results.rows:
        ran[row["dataset"], row["algorithm"]].add(row["repetition"])
    return {
        name: set.intersection(*(ran[name, each] for each in template["algorithms"])) for name in template["datasets"]
    }


def shared_means(template: dict[str, Any], results: Results) -> pd.DataFrame:
    """Means over the splits that every method has, so that what stands beside each other compares."""
    shared = shared_splits(template, results)
    return means(results, lambda row: row["repetition"] in shared.get(row["dataset"], ()))


def proved(found: pd.DataFrame) -> str:
    """What is known of rows whose search was not ended."""
    most = found["open-rows"].max()
    return (
        "every worst deletion is proved"
        if most == 0
        else f"of at most {100 * most:.1f} % of the rows of a point it is not"
    )


def page(results: Results) -> str:
    """The page with its numbers."""
    template = read_template()
    found = shared_means(template, results)
    filled = {
        "table": table(template, results, found),
        "proved": proved(means(results)),
        "sentences": bullets(template["sentences"], results),
        "trials": f"{len(results.rows):,}",
    }
    text: str = template["page"]
    for name, shown in filled.items():
        text = text.replace(f"<<{name}>>", shown)
    return text


def main() -> None:
    """Write the page and draw the figure."""
    parser = argparse.ArgumentParser(
        description="Write docs/methods/worst-case.md from the published rows of its suite."
    )
    parser.add_argument("results", nargs="?", default=str(ROOT / "results"), help="folder of published results")
    results = published(parser.parse_args().results, SUITE)
    PAGE.write_text(page(results), encoding="utf-8")
    template = read_template()
    draw(template["figure"], shared_means(template, results), IMAGE)


if __name__ == "__main__":
    main()
