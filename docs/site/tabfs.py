"""Write docs/tabfsbench.md: the template docs/site/tabfs.yaml, with the numbers of runs of the suites tabfs-*.

for suite in tabfs-table tabfs-table-regression tabfs-correlation tabfs-closed-open tabfs-shared-frames tabfs-recoded
do benchkit run $suite --profile quick; done
python docs/site/tabfs.py runs
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from scipy import stats

import benchkit
from benchkit import Features, registry
from benchkit_tabfs.adversaries.correlation import absolute_correlations

HERE = Path(__file__).parent
PAGE = HERE.parent / "tabfsbench.md"
TEMPLATE = HERE / "tabfs.yaml"
PLACE = ["dataset", "algorithm", "adversary"]


class Runs:
    """The newest run of each suite, as tables of trials."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = cache(self._rows)

    def _rows(self, suite: str) -> pd.DataFrame:
        runs = sorted(path for path in (self.folder / suite).iterdir() if (path / "manifest.json").is_file())
        if not runs:
            raise SystemExit(f"{self.folder / suite}: no run; run `benchkit run {suite} --profile quick` first")
        frame = benchkit.load(runs[-1]).to_pandas()
        return frame[frame["status"] == "ok"]

    def verdicts(self, suite: str) -> list[list[str]]:
        """A line for each claim of a suite."""
        newest = max(path for path in (self.folder / suite).iterdir() if (path / "manifest.json").is_file())
        return [[each.claim, each.source, each.outcome] for each in benchkit.load(newest).verdicts()]

    def count(self) -> int:
        """Trials of all suites."""
        return sum(len(self.rows(path.name)) for path in self.folder.glob("tabfs-*") if path.is_dir())


def gaps(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """(shifted - clean) / clean of each trial with a column absent, beside what the trial is.

    This is Delta of Cheng et al. 2025, as the README of their code has it.
    """
    degree = rows["axis_value"].map(_number)
    keys = [*PLACE, "repetition"]
    clean = rows[degree == 0].set_index(keys)[metric]
    shifted = rows[degree > 0].copy()
    before = clean.reindex(pd.MultiIndex.from_frame(shifted[keys])).to_numpy()
    shifted["clean"], shifted["gap"] = before, (shifted[metric].to_numpy() - before) / np.abs(before)
    return shifted


def _number(value: object) -> float:
    text = str(value)
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def interval(values: np.ndarray, test_share: float) -> tuple[float, float, float]:
    """Mean and 95 % interval over repeated splits: Nadeau & Bengio 2003, the corrected resampled t.

    Parameters
    ----------
    values : ndarray of shape (repetitions,)
    test_share : float
        Rows tested on by rows trained on.
    """
    n = len(values)
    half = stats.t.ppf(0.975, n - 1) * np.std(values, ddof=1) * np.sqrt(1 / n + test_share)
    return float(np.mean(values)), float(np.mean(values) - half), float(np.mean(values) + half)


def by_repetition(frame: pd.DataFrame, make: Callable[[pd.DataFrame], float], limit: float = np.inf) -> str:
    """A number of each repetition's rows, its mean with the interval, cut where no number can lie."""
    share = float((frame["n_test"] / frame["n_train"]).mean())
    values = np.array([make(rows) for _, rows in frame.groupby("repetition")])
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return "no number"
    mean, low, high = interval(values, share)
    return shown((mean, max(low, -limit), min(high, limit)))


def shown(found: tuple[float, float, float], digits: int = 3) -> str:
    """A mean with its interval."""
    return f"{found[0]:.{digits}f} [{found[1]:.{digits}f}, {found[2]:.{digits}f}]"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown, numbers to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def gap_table(runs: Runs) -> str:
    """Mean gap of the accuracy over degrees, most correlated columns first."""
    rows = runs.rows("tabfs-table")
    found = gaps(rows[rows["adversary"] == "most"], "accuracy")
    names = list(rows["dataset"].unique())
    lines = []
    for algorithm in rows["algorithm"].unique():
        line = [algorithm]
        for name in names:
            cell = found[(found["algorithm"] == algorithm) & (found["dataset"] == name)]
            if cell.empty:
                line.append("")
            elif cell["repetition"].nunique() == 1:
                line.append(f"{cell['gap'].mean():.3f}")
            else:
                line.append(by_repetition(cell, lambda rows: rows["gap"].mean()))
        lines.append(line)
    return table(["method", *names], lines)


def single_table(runs: Runs) -> str:
    """Spearman's correlation of a column's rank by |Pearson| with the accuracy that its absence costs."""
    found = single(runs)
    lines = []
    for name in found["dataset"].unique():
        of_set = found[found["dataset"] == name]
        line = [f"{name} ({of_set['axis_value'].nunique()} columns)"]
        for _, rows in of_set.groupby("algorithm", sort=False):
            line += [by_repetition(rows, rank_correlation, limit=1)]
        lines.append(line)
    return table(["data set", *found["algorithm"].unique()], lines)


def single(runs: Runs) -> pd.DataFrame:
    """Trials in which one column is absent."""
    rows = runs.rows("tabfs-correlation")
    return gaps(rows[rows["adversary"] == "single"], "accuracy")


def rank_correlation(rows: pd.DataFrame) -> float:
    """Of the rank of each column by |Pearson| and the loss; NaN where no column costs anything."""
    loss = -rows["gap"].to_numpy()
    rank = rows["axis_value"].map(_number).to_numpy()
    return float(stats.spearmanr(rank, loss).statistic) if np.ptp(loss) > 0 else np.nan


def top_hurts_most(runs: Runs) -> tuple[int, int]:
    """In how many pairs of a method and a split the most correlated column costs most, of how many."""
    hits, of = 0, 0
    for _, rows in single(runs).groupby(["dataset", "algorithm", "repetition"]):
        ranks = rows["axis_value"].map(_number)
        hits += bool(rows.loc[ranks.idxmax(), "gap"] <= rows["gap"].min())
        of += 1
    return hits, of


def sum_of_correlations(runs: Runs, suite: str, metric: str, adversaries: list[str]) -> dict[str, float]:
    """Pearson's correlation, by data set and of all, of the sum of the shifted columns' |correlations| with the gap.

    ``share`` has that of the share of columns that are absent, whatever they correlate with.

    Points are methods, orders and degrees at the paper's protocol, as in the paper's figure.
    """
    rows = runs.rows(suite)
    rows = rows[rows["dataset"].str.endswith("-paper") & rows["adversary"].isin(adversaries)]
    rows = rows[~rows["algorithm"].isin(["constant", "mean"])]
    found = gaps(rows, metric).copy()
    sums = []
    for _, row in found.iterrows():
        ascending = _sorted_correlations(row["dataset"].removesuffix("-paper"))
        count = round(row["budget"])
        sums.append(ascending[:count].sum() if row["adversary"] == "least" else ascending[::-1][:count].sum())
    found["sum"] = sums
    # What is lost: minus the gap of an accuracy, and of a negated error.
    found["lost"] = -found["gap"]
    by_set = {name: float(np.corrcoef(each["sum"], each["lost"])[0, 1]) for name, each in found.groupby("dataset")}
    share = float(np.corrcoef(found["axis_value"].map(_number), found["lost"])[0, 1])
    return {**by_set, "all": float(np.corrcoef(found["sum"], found["lost"])[0, 1]), "share": share}


@cache
def _sorted_correlations(name: str) -> np.ndarray:
    data = registry().datasets[f"tabfs-{name}"].load(encoding="codes")
    return np.sort(absolute_correlations(data.X, data.y, Features(data.X.shape[1], data.groups)))


def closed_open(runs: Runs, name: str, adversary: str) -> str:
    """Spearman's correlation over methods of the accuracy with all columns and its mean over degrees."""
    rows = runs.rows("tabfs-closed-open")
    rows = rows[(rows["dataset"] == name) & (rows["adversary"] == adversary) & (rows["algorithm"] != "constant")]
    found = gaps(rows, "accuracy")

    def of_split(split: pd.DataFrame) -> float:
        means = split.groupby("algorithm")[["clean", "accuracy"]].mean()
        return float(stats.spearmanr(means["clean"], means["accuracy"]).statistic)

    return by_repetition(found, of_split, limit=1)


def effect(runs: Runs, suite: str, scenario: str, other: str, name: str) -> dict[str, str]:
    """Mean gap of the accuracy, over methods and degrees, without and with an effect, and the difference."""
    rows = runs.rows(suite)
    found = gaps(rows[rows["dataset"] == name], "accuracy")
    # An effect that also touches the table of degree 0 is measured against that of the paper.
    means = found.pivot_table(index="repetition", columns="adversary", values="gap")
    share = float((found["n_test"] / found["n_train"]).mean())
    return {
        "without": f"{means[scenario].mean():.3f}",
        "with": f"{means[other].mean():.3f}",
        "moved": shown(interval((means[other] - means[scenario]).to_numpy(), share)),
    }


def difference(runs: Runs, name: str, first: tuple[str, str], second: tuple[str, str]) -> str:
    """Mean accuracy over degrees of a method under an order less that of another, with the interval."""
    rows = runs.rows("tabfs-table")
    found = gaps(rows[rows["dataset"] == name], "accuracy")
    either = [
        found[(found["algorithm"] == algorithm) & (found["adversary"] == adversary)]
        for algorithm, adversary in (first, second)
    ]
    share = float((either[0]["n_test"] / either[0]["n_train"]).mean())
    one, other = (each.groupby("repetition")["accuracy"].mean() for each in either)
    return shown(interval((one - other).to_numpy(), share))


def numbers(runs: Runs) -> dict[str, str]:
    """What stands between braces in the template."""
    rows = runs.rows("tabfs-table")
    methods = [name for name in rows["algorithm"].unique() if name != "constant"]
    most = gaps(rows[(rows["adversary"] == "most") & rows["algorithm"].isin(methods)], "accuracy")
    at_paper = most[most["dataset"].str.endswith("-paper")].groupby(["dataset", "algorithm"])["gap"].mean()
    ours = most[~most["dataset"].str.endswith("-paper")]
    hits, of = top_hurts_most(runs)
    classes = sum_of_correlations(runs, "tabfs-table", "accuracy", ["least", "most"])
    values = sum_of_correlations(runs, "tabfs-table-regression", "neg_root_mean_squared_error", ["least", "most"])
    told = {
        "trials": f"{runs.count():,}",
        "methods": str(at_paper.index.get_level_values("algorithm").nunique()),
        "gap_table": gap_table(runs),
        "single_table": single_table(runs),
        "single_hits": str(hits),
        "single_of": str(of),
        "sum_all": f"{classes['all']:.2f}",
        "share_all": f"{classes['share']:.2f}",
        "share_numbers": f"{values['share']:.2f}",
        "sum_numbers": f"{values['all']:.2f}",
    }
    for name in ("heart", "credit", "iris"):
        told[f"least_gap_{name}"] = f"{at_paper[f'{name}-paper'].max():.3f}"
        told[f"most_gap_{name}"] = f"{at_paper[f'{name}-paper'].min():.3f}"
        told[f"sum_{name}"] = f"{classes[f'{name}-paper']:.2f}"
        cell = ours[(ours["dataset"] == name) & (ours["algorithm"] == "xgboost")]
        told[f"xgboost_{name}"] = by_repetition(cell, lambda rows: rows["gap"].mean())
        told[f"xgboost_paper_{name}"] = f"{at_paper[f'{name}-paper', 'xgboost']:.3f}"
        told[f"nan_{name}"] = difference(runs, name, ("lightgbm", "most"), ("lightgbm", "most-filled"))
        told[f"dropout_{name}"] = difference(runs, name, ("column-dropout", "most"), ("gradient-boosting", "most"))
        told[f"order_{name}"] = difference(runs, name, ("lightgbm", "most"), ("lightgbm", "least"))
    for name in ("concrete", "abalone"):
        told[f"sum_{name}"] = f"{values[f'{name}-paper']:.2f}"
    for name in ("heart", "credit"):
        for adversary in ("random", "most"):
            told[f"closed_{adversary}_{name}"] = closed_open(runs, name, adversary)
        for suite, suffix in (("tabfs-shared-frames", "shared"), ("tabfs-recoded", "recoded")):
            for scenario in ("least", "most"):
                for which, text in effect(runs, suite, scenario, f"{scenario}-{suffix}", name).items():
                    told[f"{suffix}_{scenario}_{name}_{which}"] = text
    rows = runs.rows("tabfs-correlation")
    two = rows[(rows["dataset"] == "heart") & (rows["budget"] == 2)]
    for method, short in (("logistic-regression", "linear"), ("lightgbm", "lightgbm")):
        for adversary in ("most", "failing", "worst"):
            cell = two[(two["algorithm"] == method) & (two["adversary"] == adversary)]
            if not cell.empty:
                told[f"two_{adversary}_{short}"] = by_repetition(cell, lambda rows: rows["accuracy"].mean())
    claims = [line for path in sorted(runs.folder.glob("tabfs-*")) for line in runs.verdicts(path.name)]
    lines = [
        "| claim | source | verdict |",
        "| --- | --- | --- |",
        *("| " + " | ".join(line) + " |" for line in claims),
    ]
    return {**told, "claims": "\n".join(lines)}


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write docs/tabfsbench.md from runs of the suites tabfs-*.")
    parser.add_argument("runs", type=Path, help="the folder that holds the runs, a folder a suite")
    page = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    told = numbers(Runs(parser.parse_args().runs))
    PAGE.write_text(page.format_map(told), encoding="utf-8")


if __name__ == "__main__":
    main()
