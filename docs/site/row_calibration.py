"""Print how often intervals from rows are wrong: tables of runs of `bench-calibration-rows`.

benchkit run bench-calibration-rows
python docs/site/row_calibration.py RUN [RUN...]
"""

from __future__ import annotations

import argparse

import pandas as pd

import benchkit

METRICS = ("missed-rows", "missed-cap-5", "missed-cap-10", "missed-cap-20", "missed-corrected-t")
WAYS = {
    "missed-rows": "as reports use it",
    "missed-cap-5": "V + s² / min(R, 5)",
    "missed-cap-10": "V + s² / min(R, 10)",
    "missed-cap-20": "V + s² / min(R, 20)",
    "missed-corrected-t": "corrected resampled t",
}
# Squared errors without a variance: no method of the table has an interval there.
NO_VARIANCE = "squared-wild"
ENOUGH = 100


def outcomes(runs: list[str]) -> pd.DataFrame:
    """Shares of pools by method and number of splits, with the pools behind them; parts of a run are put together."""
    frame = pd.concat([benchkit.load(run).to_pandas() for run in runs])
    frame = frame.drop_duplicates(["algorithm", "axis_value", "repetition"])
    frame = frame[frame["status"] == "ok"].rename(columns=lambda name: name.removeprefix("metrics."))
    frame["pools"] = [params["pools"] for params in frame["params"]]
    kept = frame.groupby(["algorithm", "axis_value"], sort=False)
    shares = kept.mean(numeric_only=True)
    shares["pools"] = kept["pools"].sum()
    return shares.dropna(subset=["missed-rows"])


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown, numbers to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def pairs(shares: pd.DataFrame, names: list[str], left: str, right: str, scale: float = 100) -> list[list[str]]:
    """A line for each name: its pools, the true difference, and two shares for each number of splits."""
    lines = []
    for name in names:
        line = [name, f"{shares.loc[name, 'pools'].min():,}", f"{shares.loc[name, 'truth'].iloc[0] * 100:.1f}"]
        for count in sorted(shares.index.levels[1]):
            if (name, count) in shares.index:
                found = shares.loc[name, count]
                line.append(f"{found[left] * scale:.1f} / {found[right] * scale:.1f}")
            else:
                line.append("")
        lines.append(line)
    return lines


def main() -> None:
    """Read the run, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="folder of a run of bench-calibration-rows")
    shares = outcomes(parser.parse_args().runs)
    names = list(dict.fromkeys(shares.index.get_level_values(0)))
    equal = [name for name in names if "-equal" in name or "-seeds" in name]
    different = [name for name in names if name not in equal]
    counts = [f"{count:g}" for count in sorted(shares.index.levels[1])]
    head = ["methods and rows", "pools", "true", *counts]

    print(f"All settings of {ENOUGH} pools or more, in per cent:\n")
    counted = shares[(shares["pools"] >= ENOUGH) & ~shares.index.get_level_values(0).str.startswith(NO_VARIANCE)]
    is_equal = counted.index.get_level_values(0).isin(equal)
    lines = []
    for metric in METRICS:
        line = [WAYS[metric]]
        for chosen, target in ((counted[is_equal], 0.06), (counted[~is_equal], 0.07)):
            name, count = chosen[metric].idxmax()
            line += [f"{100 * chosen[metric].mean():.1f}", f"{100 * chosen[metric].max():.1f} ({name}, {count:g})"]
            line += [f"{(chosen[metric] > target).sum()} of {len(chosen)}"]
        lines.append(line)
    print(
        table(["half-width from", "false stars: mean", "worst", "above 6", "misses: mean", "worst", "above 7"], lines)
    )
    print("\nFalse stars where methods are equally good, from rows / corrected resampled t:\n")
    print(table(head, pairs(shares, equal, "missed-rows", "missed-corrected-t")))
    print("\nMisses of the true difference, from rows / corrected resampled t:\n")
    print(table(head, pairs(shares, different, "missed-rows", "missed-corrected-t")))
    print("\nPower where either has 10 % somewhere, from rows / corrected resampled t:\n")
    power = shares[["stars-rows", "stars-corrected-t"]].max(axis=1).groupby(level=0).max()
    seen = [name for name in different if power[name] >= 0.1]
    print(table(head, pairs(shares, seen, "stars-rows", "stars-corrected-t")))
    print("\nWidth, from rows over corrected resampled t:\n")
    lines = []
    for count in sorted(shares.index.levels[1]):
        width = shares.xs(count, level=1)["width"]
        lines.append([f"{count:g}", f"{width.min():.2f}", f"{width.median():.2f}", f"{width.max():.2f}"])
    print(table(["splits", "narrowest", "median", "widest"], lines))


if __name__ == "__main__":
    main()
