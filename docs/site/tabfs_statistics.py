"""What is computed from trials with columns absent, for the page docs/reproduction/tabfsbench.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from tabfs_rows import number_of

MISSING = "not run"
LIMIT = 0.1  # of what a model that is of limited use loses: our reading, the paper's words name no number
BOOSTED = ["xgboost", "lightgbm", "catboost"]  # the paper's models of trees
NETWORKS = ["realmlp", "rtdl-mlp", "rtdl-resnet"]


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


def over_tables(by_table: dict[str, float], least: float = -1.0) -> tuple[float, float, float]:
    """Mean over tables of numbers from ``least`` to 1, and Student's 95 % interval, cut where none can lie."""
    values = np.array([value for value in by_table.values() if np.isfinite(value)])
    if len(values) < 2:
        return np.nan, np.nan, np.nan
    half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return float(values.mean()), max(least, float(values.mean() - half)), min(1.0, float(values.mean() + half))


def of_splits(make: Callable[[pd.DataFrame], float], frame: pd.DataFrame) -> np.ndarray:
    """A number of each split's rows, those left out that have none."""
    values = np.array([make(each) for _, each in frame.groupby("repetition")])
    return values[np.isfinite(values)]


def limited(split: pd.DataFrame) -> float:
    """Share of the methods that lose more than a tenth on average over orders and degrees."""
    return float((split.groupby("algorithm")["lost"].mean() > LIMIT).mean())


def follows_sum(split: pd.DataFrame) -> float:
    """Pearson's correlation of the absent columns' summed |correlations| and what is lost: the paper's figure."""
    return pearson(split["absent-correlation"], split["lost"])


def closed_predicts(split: pd.DataFrame) -> float:
    """Spearman's correlation over methods of the score with all columns and its mean over orders and degrees."""
    means = split.groupby("algorithm")[["clean", "score"]].mean()
    return float(stats.spearmanr(means["clean"], means["score"]).statistic)


def networks_less_trees(split: pd.DataFrame, column: str = "lost") -> float:
    """The mean of a column over networks less that over boosted trees; NaN where either is missing."""
    means = [split.loc[split["algorithm"].isin(kind), column].mean() for kind in (NETWORKS, BOOSTED)]
    return float(means[0] - means[1])


def boosted_less_linear(split: pd.DataFrame) -> float:
    """LightGBM's mean score over orders and degrees less logistic regression's; NaN where either is missing."""
    means = split.groupby("algorithm")["score"].mean()
    return float(means.get("lightgbm", np.nan) - means.get("logistic-regression", np.nan))


def pearson(one: pd.Series, other: pd.Series) -> float:
    """Pearson's correlation; NaN where one of the two is the same everywhere."""
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) > 0 and np.ptp(other) > 0 else np.nan


def rank_correlation(rows: pd.DataFrame) -> float:
    """Of the rank of each column by |Pearson| and the loss; NaN where no column costs anything."""
    loss = -rows["gap"].to_numpy()
    rank = rows["axis_value"].map(number_of).to_numpy()
    return float(stats.spearmanr(rank, loss).statistic) if np.ptp(loss) > 0 else np.nan


def singles_follow(split: pd.DataFrame) -> float:
    """The mean over methods of `rank_correlation`."""
    found = np.array([rank_correlation(each) for _, each in split.groupby("algorithm")])
    return float(np.nanmean(found)) if np.isfinite(found).any() else np.nan


def top_hurts_most(tables: dict[str, pd.DataFrame]) -> tuple[int, int]:
    """In how many triples of a table, a method and a split the most correlated column costs most, of how many.

    It does, too, where another costs as much; not where nothing is lost.
    """
    hits, of = 0, 0
    for frame in tables.values():
        for _, each in frame.groupby(["algorithm", "repetition"]):
            ranks = each["axis_value"].map(number_of)
            hits += bool(each.loc[ranks.idxmax(), "gap"] == each["gap"].min() < 0)
            of += 1
    return hits, of


def counted(splits: Sequence[int]) -> str:
    """How many tables there are and how many splits each has: ``9 tables of 3 or 5 splits``."""
    each = " or ".join(map(str, sorted(set(splits))))
    return f"{len(splits)} table{'s' * (len(splits) != 1)} of {each or 0} split{'s' * (each != '1')}"


class TableClaim(NamedTuple):
    """One of the paper's claims as a number per table, of which the mean over tables is judged.

    Attributes
    ----------
    claim, number : str
        In words.
    make : callable
        The number of one split's trials.
    bar : float
    least : float
        Where numbers begin; they end at 1.
    outcomes : tuple of str
        Where all of the interval lies above the bar, where it lies below, and elsewhere.
    """

    claim: str
    number: str
    make: Callable[[pd.DataFrame], float]
    bar: float = 0.0
    least: float = -1.0
    outcomes: tuple[str, str, str] = ("supported", "contradicted", "undecided")


TABLE_CLAIMS = {
    "limited": TableClaim(
        "Most models are of limited use under feature shift",
        "share of methods that lose more than a tenth; above 0.5. The tenth is our reading",
        limited,
        bar=0.5,
        least=0.0,
    ),
    "sum": TableClaim(
        "What is lost grows linearly with the summed correlations of the shifted columns",
        "Pearson's correlation; above 0",
        follows_sum,
    ),
    "closed": TableClaim(
        "Performance in the closed environment predicts performance under shift",
        "Spearman's over methods; above 0",
        closed_predicts,
    ),
    "boosted": TableClaim(
        "Boosted trees, among the best in the closed environment, do no worse than a linear model under shift",
        "accuracy of LightGBM less that of logistic regression; above -0.02",
        boosted_less_linear,
        bar=-0.02,
    ),
    "single": TableClaim(
        "Single columns of high correlation hurt most", "Spearman's over columns; above 0", singles_follow
    ),
    "kinds": TableClaim(
        "Tree models and deep ones compared; which lose less the README does not say",
        "share lost by networks less that lost by boosted trees; 0",
        networks_less_trees,
        outcomes=("networks lose more", "networks lose less", "not told apart"),
    ),
}
"""Claims of the abstract and the README; ``kinds`` has no direction."""


class Finding:
    """What the mean over tables says of a claim, at one protocol.

    Parameters
    ----------
    claim : TableClaim
    tables : dict of str to DataFrame
        Trials by table.
    """

    def __init__(self, claim: TableClaim, tables: dict[str, pd.DataFrame]) -> None:
        of_table = {name: of_splits(claim.make, frame) for name, frame in tables.items()}
        self.by_table = {name: float(values.mean()) for name, values in of_table.items() if len(values)}
        self.found = over_tables(self.by_table, claim.least)
        self.n_tables = len(self.by_table)
        self.over = counted([len(of_table[name]) for name in self.by_table])
        _, low, high = self.found
        above, below, neither = claim.outcomes
        self.verdict = above if low > claim.bar else below if high < claim.bar else neither

    def __str__(self) -> str:
        if self.n_tables < 2:
            return MISSING
        return f"{shown(self.found, 2)} over {self.over}: **{self.verdict}**"
