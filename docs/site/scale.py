"""Write the table of docs/running-at-scale.md on what size costs, from runs of the suites that measure it.

python docs/site/scale.py [RUN...]

``scale.csv`` beside it keeps what the runs measured: the figures of a run that is given replace those of its suite.
``scale.yaml`` says what the table shows of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

import benchkit

HERE = Path(__file__).parent
PAGE = HERE.parent / "running-at-scale.md"
FIGURES = HERE / "scale.csv"
ROWS = HERE / "scale.yaml"
BEGIN, END = "<!-- written by docs/site/scale.py -->\n", "<!-- until here -->\n"
KEY = ["suite", "dataset", "algorithm", "metric"]


def measured(runs: Sequence[str]) -> pd.DataFrame:
    """A line for each work and metric of runs: how many trials, the least, the median and the most."""
    lines = []
    for row in (row for run in runs for row in benchkit.load(run).rows):
        if row["status"] != "ok":
            continue
        metrics = {name: value for name, value in row["metrics"].items() if value is not None}
        metrics["cpu-seconds"] = row["cpu_seconds"]
        if {"tune-seconds", "fit-seconds"} <= metrics.keys():
            metrics["tune-fits"] = metrics["tune-seconds"] / metrics["fit-seconds"]
        lines += [(row["suite"], row["dataset"], row["algorithm"], *each) for each in metrics.items()]
    found = (
        pd.DataFrame(lines, columns=[*KEY, "value"])
        .groupby(KEY)["value"]
        .agg(trials="count", least="min", median="median", most="max")
    )
    return found.round(6).reset_index()


def kept() -> pd.DataFrame:
    """The figures that are kept."""
    return pd.read_csv(FIGURES) if FIGURES.exists() else pd.DataFrame(columns=KEY)


def keep(runs: Sequence[str]) -> None:
    """Put the figures of runs in the place of those of their suites."""
    new, old = measured(runs), kept()
    table = pd.concat([old[~old["suite"].isin(new["suite"])], new]) if len(old) else new
    table.sort_values(KEY).to_csv(FIGURES, index=False)


def table(rows: Sequence[Mapping[str, Any]], figures: pd.DataFrame) -> str:
    """The table: a line for each work that was measured, the worst of its trials in brackets where it has several."""
    by_key = figures.set_index(KEY)
    lines = ["| work | median [worst] | trials | suite |", "|" + "---|" * 4]
    for row in rows:
        shown = []
        for asked in row["shows"]:
            figure = by_key.loc[row["suite"], row.get("dataset", "breast"), row["algorithm"], asked["metric"]]
            digits, trials = asked.get("digits", 0), int(figure["trials"])
            worst = f" [{figure['least' if 'least' in asked else 'most']:,.{digits}f}]" if trials > 1 else ""
            shown.append(f"{figure['median']:,.{digits}f}{worst} {asked['unit']}")
        lines.append(f"| {row['work']} | {', '.join(shown)} | {trials} | `{row['suite']}` |")
    return "\n".join(lines) + "\n"


def shown_rows() -> list[dict[str, Any]]:
    """What the table shows."""
    rows: list[dict[str, Any]] = yaml.safe_load(ROWS.read_text(encoding="utf-8"))["rows"]
    return rows


def page(text: str, written: str) -> str:
    """The page with its table."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + written + "\n" + END + rest.split(END)[1]


def main() -> None:
    """Keep the figures of the runs, and write the page from all that are kept."""
    parser = argparse.ArgumentParser(description="Write the table of docs/running-at-scale.md on what size costs.")
    parser.add_argument("runs", nargs="*", metavar="RUN", help="folders of runs of the suites that scale.yaml names")
    if runs := parser.parse_args().runs:
        keep(runs)
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), table(shown_rows(), kept())), encoding="utf-8")


if __name__ == "__main__":
    main()
