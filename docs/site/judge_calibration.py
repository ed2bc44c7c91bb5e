"""How often `benchkit judge` is wrong of tables whose truth is known: counts, and sentences of docs/judge.md.

    python docs/site/judge_calibration.py COUNTS.csv --rounds 10
    python docs/site/judge_calibration.py COUNTS.csv --table

The cases are those of suites/judgings.py. A round judges some tables of every setting, more of small ones, and adds its
counts to the file; rounds that the file has are not run again. A round takes about two minutes.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import sys
import time
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
from scipy.stats import binomtest

METHODS = {5: 200, 20: 80, 60: 20, 200: 4}
"""Methods of a table, and tables of a round."""
FEW, MANY = (6, 12, 60), (10, 100, 1000, 10_000)  # tasks, and items
UNITS = {
    **dict.fromkeys(("normal", "binary", "rare", "skewed", "tied", "groups", "ranks"), sorted((*FEW, *MANY))),
    "signed": (12, 60, 1000),
    "missing": (12, 60, 100, 1000, 10_000),
    "clusters": (100, 1000, 10_000),
    "tasks": (30, 100, 1200, 10_000),
    "few": (10, 20, 30),
    "folds": (30, 60, 200),
}
TITLES = {
    "normal": "normal",
    "binary": "right or wrong",
    "rare": "one error in twenty",
    "skewed": "skewed",
    "tied": "many ties",
    "missing": "missing cells",
    "clusters": "items in clusters",
    "tasks": "items of 3 to 251 tasks",
    "groups": "three groups",
    "ranks": "skewed, by mean ranks",
    "signed": "skewed, by signed ranks",
    "few": "exponential, of unequal spread",
    "folds": "five folds of so many rows",
}
_WHOLE = 300_000  # cells of a table beyond which a round has one
COUNTED = {"wrong": "wrong-separations", "covered": "ranks-covered", "intervals": "intervals-cover"}


def judgings() -> ModuleType:
    """The suite's plugin, which draws tables and judges them."""
    sys.path.append(str(Path(__file__).parents[2] / "suites"))
    return importlib.import_module("judgings")


def settings() -> list[tuple[str, int, int, int]]:
    """Case, methods, units, and tables of a round."""
    made = []
    for case, methods in itertools.product(TITLES, METHODS):
        for units in UNITS[case]:
            whole = case in ("missing", "clusters", "tasks")
            if case in ("few", "folds") and methods > 20:
                continue
            cells = methods * units
            if (case == "signed" and cells > 20_000) or (whole and cells > 600_000):
                continue
            share = 1 if not whole else 10 if cells > 20_000 else 4
            made.append((case, methods, units, 1 if whole and cells > _WHOLE else max(2, METHODS[methods] // share)))
    return made


def run(path: Path, rounds: int, minutes: float) -> None:
    """Judge the tables of rounds that the file lacks, for so many minutes of processor time at most."""
    module, done = judgings(), set()
    if path.exists():
        done = set(pd.read_csv(path)[["case", "methods", "units", "round"]].itertuples(index=False, name=None))
    else:
        path.write_text("case,methods,units,round,tables,wrong,covered,intervals\n", encoding="utf-8")
    for turn, (case, methods, units, tables) in itertools.product(range(rounds), settings()):
        if (case, methods, units, turn) in done:
            continue
        if time.process_time() > 60 * minutes:
            print(f"stopped in round {turn} at {case}, {methods} methods, {units} units; the same command goes on")
            sys.exit(1)
        rng = np.random.default_rng([turn, methods, units, module.CASES[case]])
        said = pd.DataFrame([module.verdicts(rng, case, methods, units) for _ in range(tables)])
        counts = [str(int(said[name].sum())) for name in COUNTED.values()]
        with path.open("a", encoding="utf-8") as lines:
            lines.write(",".join([case, str(methods), str(units), str(turn), str(tables), *counts]) + "\n")


def summed(path: Path) -> pd.DataFrame:
    """Counts of every setting, over rounds."""
    return pd.read_csv(path).groupby(["case", "methods", "units"], sort=False).sum().drop(columns="round").reset_index()


def interval(count: int, of: int) -> tuple[float, float]:
    """Clopper and Pearson's, of 95 %, in per cent."""
    found = binomtest(count, of).proportion_ci(0.95)
    return 100 * found.low, 100 * found.high


def table(counts: pd.DataFrame) -> list[str]:
    """Markdown: a row for each case and number of methods, over all units."""
    lines = [
        "| scores | methods | units | tables | wrong | % (95 % interval) | ranks covered, % | intervals hold, % |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (case, methods), rows in counts.groupby(["case", "methods"], sort=False):
        tables, wrong, covered, intervals = (int(rows[name].sum()) for name in ("tables", *COUNTED))
        low, high = interval(wrong, tables)
        units = f"{rows['units'].min():,} to {rows['units'].max():,}"
        lines.append(
            f"| {TITLES[str(case)]} | {methods} | {units} | {tables:,} | {wrong} | "
            f"{100 * wrong / tables:.1f} ({low:.1f} to {high:.1f}) | {100 * covered / tables:.1f} | "
            f"{'-' if case == 'signed' else f'{100 * intervals / tables:.1f}'} |"
        )
    return lines


def said(counts: pd.DataFrame) -> list[str]:
    """What the counts come to, in sentences."""
    tables, wrong, covered = (int(counts[name].sum()) for name in ("tables", "wrong", "covered"))
    p = [binomtest(int(row.wrong), int(row.tables), 0.05, alternative="greater").pvalue for row in counts.itertuples()]
    worst = counts.iloc[int(np.argmin(p))]
    low, high = interval(int(worst["wrong"]), int(worst["tables"]))
    few = counts[counts["units"] <= 30][["tables", *COUNTED]].sum()
    large = counts[(counts["methods"] == 200) & (counts["units"] == 10_000)]
    return [
        f"Over all {len(counts)} settings, {wrong:,} of {tables:,} tables are wrong ({100 * wrong / tables:.1f} %), "
        f"and the ranges of ranks hold the true ranks of all methods in {100 * covered / tables:.1f} %.",
        f"The largest excess is that of {TITLES[worst['case']]} with {worst['methods']} methods on {worst['units']:,} "
        f"units: {worst['wrong']} of {worst['tables']:,} tables are wrong, {low:.1f} to {high:.1f} %, p = "
        f"{min(1.0, min(p) * len(p)):.2g} after Bonferroni's correction over the settings.",
        f"Of the {few['tables']:,} tables with 6 to 30 units {100 * few['wrong'] / few['tables']:.1f} % are wrong, and "
        f"all intervals at once hold in {100 * few['intervals'] / few['tables']:.1f} %.",
        f"Of tables of 200 methods on 10,000 items, {large['wrong'].sum()} of {large['tables'].sum()} are wrong.",
        *_of_cases(counts),
    ]


def _of_cases(counts: pd.DataFrame) -> list[str]:
    lines = []
    for case in ("few", "folds"):
        rows = counts[counts["case"] == case]
        wrong, tables = rows["wrong"].sum(), rows["tables"].sum()
        units = f"{rows['units'].min():,} to {rows['units'].max():,}"
        lines.append(
            f"{TITLES[case].capitalize()} ({units}): {wrong} of {tables:,} wrong ({100 * wrong / tables:.1f} %)."
        )
    return lines


def main() -> None:
    """Run rounds, or print what they came to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("counts", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="processor time, after which it stops")
    parser.add_argument("--table", action="store_true", help="print what the file comes to, and run nothing")
    asked = parser.parse_args()
    if not asked.table:
        run(asked.counts, asked.rounds, asked.minutes)
    counts = summed(asked.counts)
    print("\n".join([*table(counts), "", *said(counts)]))


if __name__ == "__main__":
    main()
