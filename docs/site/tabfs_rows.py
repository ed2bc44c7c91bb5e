"""Published rows of the suites ``tabfs-*`` as tables of trials, for the page docs/reproduction/tabfsbench.md."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from one_suite import TABFSBENCH, judged

from benchkit import Features, registry
from benchkit.report.results import Results
from benchkit_results.stored import open_stored
from benchkit_tabfs.adversaries import absolute_correlations

PLACE = ["dataset", "algorithm", "adversary"]
PROFILES = ("paper", "quick")
CLASSES, VALUES = "accuracy", "neg_root_mean_squared_error"
ORDERS = ["least", "most"]
NOTHING_TO_LOSE = ["constant", "mean"]
ONCE = "-paper"
"""How labels of tables end that have one split, the paper's."""


class Rows:
    """The published rows of each suite as tables of trials.

    Of a table and an adversary those of the profile with more whole splits, added up over methods, of as many those of
    ``paper``; of these the whole splits alone, and where splits are repeated no method that has one only.
    """

    def __init__(self, folder: Path) -> None:
        self.stored = open_stored(str(folder))
        self.results = cache(self._results)
        self.of = cache(self._of)
        self.with_sums = cache(lambda suite: with_sums(self.of(suite)))

    def _results(self, suite: str, profile: str) -> Results | None:
        if (suite, profile) not in self.stored.newest:
            return None
        return judged(self.stored, suite, profile)

    def _of(self, suite: str, metric: str | None = None) -> pd.DataFrame:
        """Trials that ended ok; with a metric those that have a value of it, before a profile is chosen."""
        frames = []
        for place, profile in enumerate(PROFILES):
            results = self.results(suite, profile)
            if results is not None:
                frame = results.to_pandas()
                frame = frame[frame["status"] == "ok"].assign(profile=profile, place=place)
                if metric is not None:
                    frame = frame.reindex(columns=[*frame.columns.difference([metric]), metric]).dropna(subset=metric)
                frames.append(frame)
        trials = pd.concat(frames, ignore_index=True)
        keys = ["dataset", "adversary"]
        complete = trials.groupby([*keys, "place"]).apply(_count_whole).rename("complete").reset_index()
        complete = complete.sort_values("complete", ascending=False, kind="stable").drop_duplicates(keys)
        return whole_splits(trials.merge(complete[[*keys, "place"]], on=[*keys, "place"]))

    def count(self, profile: str) -> int:
        """Trials of all suites."""
        found = [self.results(suite, profile) for suite in TABFSBENCH]
        return sum(len(each.rows) for each in found if each is not None)


def _count_whole(frame: pd.DataFrame) -> int:
    """How many splits are whole, added up over methods."""
    points = frame.groupby("algorithm")["axis_value"].nunique().max()
    return int((frame.groupby(["algorithm", "repetition"])["axis_value"].nunique() == points).sum())


def whole_splits(trials: pd.DataFrame) -> pd.DataFrame:
    """Splits with a trial at every point of the axis; where splits are repeated, of methods that have two or more."""
    points = trials.groupby(["dataset", "adversary"])["axis_value"].transform("nunique")
    whole = trials[trials.groupby([*PLACE, "repetition"])["axis_value"].transform("nunique") == points]
    splits = whole.groupby(PLACE)["repetition"].transform("nunique")
    return whole[(splits > 1) | whole["dataset"].str.endswith(ONCE)]


def gaps(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """(shifted - clean) / clean of each trial with a column absent, beside what the trial is.

    This is Delta of Cheng et al. 2025, as the README of their code has it.
    """
    degree = rows["axis_value"].map(number_of)
    keys = [*PLACE, "repetition"]
    clean = rows[degree == 0].set_index(keys)[metric]
    shifted = rows[degree > 0].copy()
    before = clean.reindex(pd.MultiIndex.from_frame(shifted[keys])).to_numpy()
    shifted["clean"], shifted["gap"] = before, (shifted[metric].to_numpy() - before) / np.abs(before)
    return shifted


def number_of(value: object) -> float:
    """A point of an axis as a number: ``20%`` is 0.2."""
    text = str(value)
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def shifted(rows: Rows, at_paper: bool) -> dict[str, pd.DataFrame]:
    """Trials with columns absent in the orders least and most, by table, of all nine, with their gaps."""
    tables = {}
    for suite, metric in (("tabfs-table", CLASSES), ("tabfs-table-regression", VALUES)):
        frame = rows.with_sums(suite)
        frame = frame[frame["adversary"].isin(ORDERS) & ~frame["algorithm"].isin(NOTHING_TO_LOSE)]
        found = gaps(frame, metric)
        for name, each in found.groupby("dataset", sort=False):
            if str(name).endswith(ONCE) == at_paper:
                tables[str(name).removesuffix(ONCE)] = each.assign(lost=-each["gap"], score=each[metric])
    return tables


def with_sums(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials under ``least`` and ``most`` with the sum of the absent columns' |correlations| with the target.

    At the paper's protocol, where categories are codes, the correlations are of all of the data, as in its code. At
    ours they are the training part's, as the metric ``absent-correlation`` has them, and of all of the data where it
    was not measured (rows of ``quick``).
    """
    found = trials.copy()
    if "absent-correlation" not in found:
        found["absent-correlation"] = np.nan
    order, names = found["adversary"].str.split("-").str[0], found["dataset"].str.removesuffix(ONCE)
    coded = found["dataset_params"].map(lambda given: given.get("encoding") == "codes")
    for place in found.index[order.isin(ORDERS) & (coded | found["absent-correlation"].isna())]:
        ascending = _sorted_correlations(str(names[place]), "codes" if coded[place] else "one-hot")
        count = round(float(found.at[place, "budget"]))
        least = order[place] == "least"
        found.at[place, "absent-correlation"] = (ascending if least else ascending[::-1])[:count].sum()
    return found


@cache
def _sorted_correlations(name: str, encoding: str) -> np.ndarray:
    data = registry().datasets[f"tabfs-{name}"].load(encoding=encoding)
    return np.sort(absolute_correlations(data.X, data.y, Features(data.X.shape[1], data.groups)))


def single(rows: Rows, at_paper: bool) -> dict[str, pd.DataFrame]:
    """Trials in which one column is absent, by table."""
    tables = {}
    for suite, metric in (("tabfs-correlation", CLASSES), ("tabfs-table-regression", VALUES)):
        frame = rows.of(suite)
        frame = frame[(frame["adversary"] == "single") & ~frame["algorithm"].isin(NOTHING_TO_LOSE)]
        for name, each in gaps(frame, metric).groupby("dataset", sort=False):
            if str(name).endswith(ONCE) == at_paper:
                tables[str(name).removesuffix(ONCE)] = each
    return tables
