"""Write docs/tabfsbench.md: the template docs/site/tabfs.yaml, with the numbers of published rows.

    BENCHKIT_DATA=FOLDER python docs/site/tabfs.py results

Rows of the profile quick lack the metric absent-correlation: the sums come from the data there, all of it, as in the
paper.
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

from benchkit import Features, registry
from benchkit.published.reproduced import judged
from benchkit.published.stored import open_stored
from benchkit.report.results import Results
from benchkit_tabfs.adversaries.correlation import absolute_correlations

HERE = Path(__file__).parent
PAGE = HERE.parent / "tabfsbench.md"
TEMPLATE = HERE / "tabfs.yaml"
EXPORTED = HERE.parent / "judged"
"""The script that scores exported tables, and what benchkit judge said of the scores."""
PLACE = ["dataset", "algorithm", "adversary"]
PROFILES = ("paper", "quick")
SUITES = (
    "tabfs-table",
    "tabfs-table-regression",
    "tabfs-correlation",
    "tabfs-closed-open",
    "tabfs-shared-frames",
    "tabfs-recoded",
)
CLASSES, VALUES = "accuracy", "neg_root_mean_squared_error"
MISSING = "not run"
LIMIT = 0.1  # of what a model that is of limited use loses: our reading, the paper's words name no number
ORDERS = ["least", "most"]
NOTHING_TO_LOSE = ["constant", "mean"]


class Rows:
    """The published rows of each suite as tables of trials.

    Of a table and an adversary those of the profile with more complete repetitions, of as many those of ``paper``.
    """

    def __init__(self, folder: Path) -> None:
        self.stored = open_stored(str(folder))
        self.results = cache(self._results)
        self.of = cache(self._of)

    def _results(self, suite: str, profile: str) -> Results | None:
        there = {(each["suite"], each["profile"]) for each in self.stored.index["contributions"].values()}
        if (suite, profile) not in there:
            return None
        return judged(self.stored, suite, profile)

    def _of(self, suite: str) -> pd.DataFrame:
        frames = []
        for place, profile in enumerate(PROFILES):
            results = self.results(suite, profile)
            if results is not None:
                frame = results.to_pandas()
                frames.append(frame[frame["status"] == "ok"].assign(profile=profile, place=place))
        whole = pd.concat(frames, ignore_index=True)
        keys = ["dataset", "adversary"]
        complete = whole.groupby([*keys, "place"]).apply(_repetitions).rename("complete").reset_index()
        complete = complete.sort_values("complete", ascending=False, kind="stable").drop_duplicates(keys)
        return whole.merge(complete[[*keys, "place"]], on=[*keys, "place"])

    def verdicts(self) -> list[list[str]]:
        """A line for each claim of the suites, with the profile whose rows judge it."""
        lines = []
        for suite in SUITES:
            profile, results = next(
                (profile, results) for profile in PROFILES if (results := self.results(suite, profile)) is not None
            )
            lines += [
                [each.claim, "ours" if each.control else "TabFSBench", f"`{profile}`", each.outcome]
                for each in results.verdicts()
            ]
        return lines

    def count(self, profile: str) -> int:
        """Trials of all suites."""
        found = [self.results(suite, profile) for suite in SUITES]
        return sum(len(each.rows) for each in found if each is not None)


def _repetitions(frame: pd.DataFrame) -> int:
    """How many repetitions every method has whole."""
    points = frame.groupby("algorithm")["axis_value"].nunique().max()
    whole = frame.groupby(["algorithm", "repetition"])["axis_value"].nunique() == points
    return int(whole.groupby("algorithm").sum().min())


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
        return MISSING
    mean, low, high = interval(values, share)
    return shown((mean, max(low, -limit), min(high, limit)))


def shown(found: tuple[float, float, float], digits: int = 3) -> str:
    """A mean with its interval."""
    if not np.isfinite(found[0]):
        return MISSING
    return f"{found[0]:.{digits}f} [{found[1]:.{digits}f}, {found[2]:.{digits}f}]"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown, numbers to the right."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def shifted(rows: Rows, at_paper: bool) -> dict[str, pd.DataFrame]:
    """Trials with columns absent in the orders least and most, by table, of all nine, with their gaps."""
    tables = {}
    for suite, metric in (("tabfs-table", CLASSES), ("tabfs-table-regression", VALUES)):
        frame = with_sums(rows.of(suite))
        frame = frame[frame["adversary"].isin(ORDERS) & ~frame["algorithm"].isin(NOTHING_TO_LOSE)]
        found = gaps(frame, metric)
        for name, each in found.groupby("dataset", sort=False):
            if str(name).endswith("-paper") == at_paper:
                tables[str(name).removesuffix("-paper")] = each.assign(lost=-each["gap"], score=each[metric])
    return tables


def with_sums(frame: pd.DataFrame) -> pd.DataFrame:
    """Trials whose sum of the columns' |correlations| is not told get it from the data."""
    found = frame.copy()
    if "absent-correlation" not in found:
        found["absent-correlation"] = np.nan
    of_order = found["adversary"].str.split("-").str[0]
    for place in found.index[found["absent-correlation"].isna() & of_order.isin(ORDERS)]:
        ascending = _sorted_correlations(str(found.at[place, "dataset"]).removesuffix("-paper"))
        count = round(float(found.at[place, "budget"]))
        least = of_order[place] == "least"
        found.at[place, "absent-correlation"] = (ascending if least else ascending[::-1])[:count].sum()
    return found


@cache
def _sorted_correlations(name: str) -> np.ndarray:
    data = registry().datasets[f"tabfs-{name}"].load(encoding="codes")
    return np.sort(absolute_correlations(data.X, data.y, Features(data.X.shape[1], data.groups)))


def over_tables(by_table: dict[str, float]) -> tuple[float, float, float]:
    """Mean over tables of shares or correlations, and Student's 95 % interval, cut where none can lie."""
    values = np.array([value for value in by_table.values() if np.isfinite(value)])
    if len(values) < 2:
        return np.nan, np.nan, np.nan
    half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return float(values.mean()), max(-1.0, float(values.mean() - half)), min(1.0, float(values.mean() + half))


def of_splits(make: Callable[[pd.DataFrame], float], frame: pd.DataFrame) -> float:
    """The mean over splits of a number of one split's rows, those left out that have none."""
    values = np.array([make(each) for _, each in frame.groupby("repetition")])
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else np.nan


def limited(split: pd.DataFrame) -> float:
    """Share of the methods that lose more than a tenth on average over orders and degrees."""
    return float((split.groupby("algorithm")["lost"].mean() > LIMIT).mean())


def follows_sum(split: pd.DataFrame) -> float:
    """Pearson's correlation of the absent columns' summed |correlations| and what is lost: the paper's figure."""
    return _pearson(split["absent-correlation"], split["lost"])


def closed_predicts(split: pd.DataFrame) -> float:
    """Spearman's correlation over methods of the score with all columns and its mean over orders and degrees."""
    means = split.groupby("algorithm")[["clean", "score"]].mean()
    return float(stats.spearmanr(means["clean"], means["score"]).statistic)


def _pearson(one: pd.Series, other: pd.Series) -> float:
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) > 0 and np.ptp(other) > 0 else np.nan


def single(rows: Rows, at_paper: bool) -> dict[str, pd.DataFrame]:
    """Trials in which one column is absent, by table."""
    tables = {}
    for suite, metric in (("tabfs-correlation", CLASSES), ("tabfs-table-regression", VALUES)):
        frame = rows.of(suite)
        frame = frame[(frame["adversary"] == "single") & ~frame["algorithm"].isin(NOTHING_TO_LOSE)]
        for name, each in gaps(frame, metric).groupby("dataset", sort=False):
            if str(name).endswith("-paper") == at_paper:
                tables[str(name).removesuffix("-paper")] = each
    return tables


def rank_correlation(rows: pd.DataFrame) -> float:
    """Of the rank of each column by |Pearson| and the loss; NaN where no column costs anything."""
    loss = -rows["gap"].to_numpy()
    rank = rows["axis_value"].map(_number).to_numpy()
    return float(stats.spearmanr(rank, loss).statistic) if np.ptp(loss) > 0 else np.nan


def singles_follow(split: pd.DataFrame) -> float:
    """The mean over methods of `rank_correlation`."""
    found = np.array([rank_correlation(each) for _, each in split.groupby("algorithm")])
    return float(np.nanmean(found)) if np.isfinite(found).any() else np.nan


def top_hurts_most(tables: dict[str, pd.DataFrame]) -> tuple[int, int]:
    """In how many triples of a table, a method and a split the most correlated column costs most, of how many."""
    hits, of = 0, 0
    for frame in tables.values():
        for _, each in frame.groupby(["algorithm", "repetition"]):
            ranks = each["axis_value"].map(_number)
            hits += bool(each.loc[ranks.idxmax(), "gap"] <= each["gap"].min())
            of += 1
    return hits, of


class Finding:
    """One of the paper's claims as a number per table, at one protocol."""

    def __init__(self, tables: dict[str, pd.DataFrame], make: Callable[[pd.DataFrame], float], bar: float) -> None:
        self.by_table = {name: of_splits(make, frame) for name, frame in tables.items()}
        self.found = over_tables(self.by_table)
        self.n_tables = int(np.isfinite(list(self.by_table.values())).sum())
        _, low, high = self.found
        self.verdict = "supported" if low > bar else "contradicted" if high < bar else "undecided"

    def __str__(self) -> str:
        if self.n_tables < 2:
            return MISSING
        return f"{shown(self.found, 2)} over {self.n_tables} tables: **{self.verdict}**"


def findings(rows: Rows) -> dict[str, Finding]:
    """The paper's claims, by name and protocol."""
    found = {}
    for protocol, at_paper in (("paper", True), ("ours", False)):
        tables = shifted(rows, at_paper)
        found[f"limited_{protocol}"] = Finding(tables, limited, 0.5)
        found[f"sum_{protocol}"] = Finding(tables, follows_sum, 0.0)
        found[f"closed_{protocol}"] = Finding(tables, closed_predicts, 0.0)
        found[f"single_{protocol}"] = Finding(single(rows, at_paper), singles_follow, 0.0)
    return found


def gap_tables(rows: Rows) -> dict[str, str]:
    """Mean gap over degrees, most correlated columns first: at the paper's protocol, and at ours."""
    made = {}
    for protocol, at_paper in (("paper", True), ("ours", False)):
        tables = {name: each[each["adversary"] == "most"] for name, each in shifted(rows, at_paper).items()}
        methods = list(dict.fromkeys(name for each in tables.values() for name in each["algorithm"]))
        lines = []
        for method in methods:
            line = [method]
            for frame in tables.values():
                cell = frame[frame["algorithm"] == method]
                if cell.empty:
                    line.append("")
                elif at_paper:
                    line.append(f"{cell['gap'].mean():.3f}")
                else:
                    line.append(by_repetition(cell, lambda split: split["gap"].mean()))
            lines.append(line)
        made[f"gaps_{protocol}"] = table(["method", *tables], lines)
    return made


def single_tables(rows: Rows) -> dict[str, str]:
    """Spearman's correlation of a column's rank by |Pearson| with what its absence costs, by table and method."""
    made = {}
    for protocol, at_paper in (("paper", True), ("ours", False)):
        tables = single(rows, at_paper)
        methods = ["lightgbm", "xgboost", "random-forest", "logistic-regression", "ridge"]
        lines = []
        for name, frame in tables.items():
            line = [f"{name} ({frame['axis_value'].nunique()} columns)"]
            for method in methods:
                cell = frame[frame["algorithm"] == method]
                if cell.empty:
                    line.append("")
                elif at_paper:
                    line.append(f"{rank_correlation(cell):.3f}")
                else:
                    line.append(by_repetition(cell, rank_correlation, limit=1))
            lines.append(line)
        made[f"singles_{protocol}"] = table(["table", *methods], lines)
    return made


def worst_table(rows: Rows, adversary: str, budget: int = 2) -> str:
    """How far the worst columns follow the correlations: Somers' D of each split, its mean with the interval."""
    frame = rows.of("tabfs-correlation")
    frame = frame[(frame["adversary"] == adversary) & (frame["budget"] == budget)]
    methods = list(frame["algorithm"].unique())
    lines = []
    for name in frame["dataset"].unique():
        cells = [frame[(frame["dataset"] == name) & (frame["algorithm"] == method)] for method in methods]
        found = ["" if cell.empty else by_repetition(cell, _told, limit=1) for cell in cells]
        lines.append([str(name), *found])
    return table(["table", *methods], lines)


def _told(split: pd.DataFrame) -> float:
    return float(split["follows-correlations"].mean())


def worst_over_tables(rows: Rows, adversary: str, budget: int = 2) -> str:
    """The mean over tables of `follows-correlations`, itself a mean over methods and splits."""
    frame = rows.of("tabfs-correlation")
    frame = frame[(frame["adversary"] == adversary) & (frame["budget"] == budget)]
    by_table = frame.groupby("dataset")["follows-correlations"].mean().to_dict()
    return shown(over_tables({str(name): value for name, value in by_table.items()}), 2)


def effect_lines(rows: Rows) -> str:
    """What each of the two effects of the code moves, by order, table and number."""
    lines = []
    for suite, suffix, words in (
        ("tabfs-shared-frames", "shared", "one table for all degrees"),
        ("tabfs-recoded", "recoded", "categories coded anew"),
    ):
        found = gaps(with_sums(rows.of(suite)), CLASSES)
        found["lost"], found["score"] = -found["gap"], found[CLASSES]
        found["order"] = found["adversary"].str.removesuffix(f"-{suffix}")
        found["with"] = found["adversary"].str.endswith(f"-{suffix}")
        # What the benchmark would plot: the columns that the degree names, not those that are absent.
        keys = ["dataset", "algorithm", "repetition", "order", "budget"]
        named = found[~found["with"]].set_index(keys)["absent-correlation"]
        found["absent-correlation"] = named.reindex(pd.MultiIndex.from_frame(found[keys])).to_numpy()
        share = float((found["n_test"] / found["n_train"]).mean())
        numbers: list[tuple[str, Callable[[pd.DataFrame], float], list[str]]] = [
            ("gap, least", lambda split: split["gap"].mean(), ["least"]),
            ("gap, most", lambda split: split["gap"].mean(), ["most"]),
            ("sum and loss", follows_sum, ORDERS),
            ("closed and open", closed_predicts, ORDERS),
        ]
        for name in found["dataset"].unique():
            for title, make, orders in numbers:
                cell = found[(found["dataset"] == name) & found["order"].isin(orders)]
                values = {
                    switched: cell[cell["with"] == switched].groupby("repetition").apply(make)
                    for switched in (False, True)
                }
                moved = (values[True] - values[False]).dropna()
                lines.append(
                    [
                        words,
                        str(name),
                        title,
                        *(f"{values[switched].loc[0]:.3f}".replace("nan", "none") for switched in (False, True)),
                        shown(interval(moved.to_numpy(), share)) if len(moved) > 1 else MISSING,
                    ]
                )
    return table(["effect", "table", "number", "without", "with", "moved by"], lines)


def closed_open(rows: Rows, name: str, adversary: str) -> str:
    """Spearman's correlation over many methods of the accuracy with all columns and its mean over degrees."""
    frame = rows.of("tabfs-closed-open")
    frame = frame[(frame["dataset"] == name) & (frame["adversary"] == adversary) & (frame["algorithm"] != "constant")]
    found = gaps(frame, CLASSES)
    found["score"] = found[CLASSES]
    return by_repetition(found, closed_predicts, limit=1)


def difference(rows: Rows, name: str, first: tuple[str, str], second: tuple[str, str]) -> str:
    """Mean accuracy over degrees of a method under an order less that of another, with the interval."""
    frame = rows.of("tabfs-table")
    found = gaps(frame[frame["dataset"] == name], CLASSES)
    either = [
        found[(found["algorithm"] == algorithm) & (found["adversary"] == adversary)]
        for algorithm, adversary in (first, second)
    ]
    one, other = (each.groupby("repetition")[CLASSES].mean() for each in either)
    moved = (one - other).dropna().to_numpy()
    if len(moved) < 2:
        return MISSING
    return shown(interval(moved, float((either[0]["n_test"] / either[0]["n_train"]).mean())))


def pooled(tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Pearson's correlation over all points of the loss with the sum, and with the mere share of absent columns."""
    if not tables:
        return {"sum": MISSING, "share": MISSING}
    whole = pd.concat(tables.values())
    return {
        "sum": f"{_pearson(whole['absent-correlation'], whole['lost']):.2f}",
        "share": f"{_pearson(whole['axis_value'].map(_number), whole['lost']):.2f}",
    }


def stumps(tables: dict[str, pd.DataFrame], name: str) -> pd.DataFrame:
    """Trials of XGBoost's 10,000 stumps on a table, the most correlated columns first."""
    frame = tables.get(name, next(iter(tables.values())).iloc[:0])
    return frame[(frame["algorithm"] == "xgboost") & (frame["adversary"] == "most")]


def numbers(rows: Rows) -> dict[str, str]:
    """What stands between braces in the template."""
    at_paper, ours = shifted(rows, True), shifted(rows, False)
    found = findings(rows)
    told = {
        "trials": f"{rows.count('paper'):,}",
        "quick_trials": f"{rows.count('quick'):,}",
        "effects": effect_lines(rows),
        **gap_tables(rows),
        **single_tables(rows),
        **{name: str(each) for name, each in found.items()},
        **{f"{name}_number": shown(each.found, 2) for name, each in found.items()},
    }
    for protocol, tables in (("paper", at_paper), ("ours", ours)):
        classes = {name: each for name, each in tables.items() if CLASSES in each and each[CLASSES].notna().any()}
        values = {name: each for name, each in tables.items() if name not in classes}
        for kind, some in (("classes", classes), ("values", values)):
            for which, text in pooled(some).items():
                told[f"{which}_{kind}_{protocol}"] = text
        hits, of = top_hurts_most(single(rows, protocol == "paper"))
        told[f"hits_{protocol}"], told[f"hits_of_{protocol}"] = str(hits), str(of)
        lost = [
            each.groupby(["algorithm", "repetition"])["lost"].mean().groupby("algorithm").mean()
            for each in tables.values()
        ]
        told[f"pairs_{protocol}"] = str(sum(len(each) for each in lost))
        told[f"limited_pairs_{protocol}"] = str(sum(int((each > LIMIT).sum()) for each in lost))
    for name in ("heart", "credit", "iris", "electricity"):
        told[f"xgboost_paper_{name}"] = f"{stumps(at_paper, name)['gap'].mean():.3f}"
        told[f"xgboost_{name}"] = by_repetition(stumps(ours, name), lambda split: split["gap"].mean())
        told[f"order_{name}"] = difference(rows, name, ("lightgbm", "most"), ("lightgbm", "least"))
    for name in ("heart", "credit", "iris"):
        told[f"nan_{name}"] = difference(rows, name, ("lightgbm", "most"), ("lightgbm", "most-filled"))
        told[f"dropout_{name}"] = difference(rows, name, ("column-dropout", "most"), ("gradient-boosting", "most"))
    for name in ("heart", "credit"):
        for adversary in ("random", "most"):
            told[f"closed_{adversary}_{name}"] = closed_open(rows, name, adversary)
    for adversary in ("all-rows", "per-row", "failing"):
        short = adversary.replace("-", "_")
        told[f"worst_{short}"] = worst_table(rows, adversary)
        told[f"over_{short}"] = worst_over_tables(rows, adversary)
    frame = rows.of("tabfs-correlation")
    two = frame[(frame["dataset"] == "heart") & (frame["budget"] == 2)]
    for method, short in (("logistic-regression", "linear"), ("lightgbm", "lightgbm")):
        for adversary, label in (("most", "most"), ("all-rows", "all"), ("per-row", "row")):
            cell = two[(two["algorithm"] == method) & (two["adversary"] == adversary)]
            told[f"two_{label}_{short}"] = by_repetition(cell, lambda split: split[CLASSES].mean())
    lines = ["| claim | of | rows of | verdict |", "| --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(line) + " |" for line in rows.verdicts()]
    told["script"] = (EXPORTED / "tabfsbench_rows.py").read_text(encoding="utf-8")
    told["judged"] = (EXPORTED / "tabfsbench-heart.txt").read_text(encoding="utf-8")
    return {**told, "claims": "\n".join(lines)}


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write docs/tabfsbench.md from published rows of the suites tabfs-*.")
    parser.add_argument("results", type=Path, help="folder of published results")
    page = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))["page"]
    told = numbers(Rows(parser.parse_args().results))
    PAGE.write_text(page.format_map(told), encoding="utf-8")


if __name__ == "__main__":
    main()
