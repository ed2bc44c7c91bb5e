"""What is asked: which methods, on what they have in common, with what drawn by chance.

What is drawn decides what a verdict speaks of. *Items*: other items of the same tasks. *Tasks*: other tasks like these;
the items of a task are part of what is drawn with it, so that their chance counts too. *Seeds*: other runs on the same
tasks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from benchkit import TableError
from benchkit_judge.all_pairs import AllPairs, all_pairs, all_pairs_by_ranks, fewest_units
from benchkit_judge.scores import KEYS, Scores

_BY = {"mean": "by their means", "ranks": "by their mean ranks", "wilcoxon": "by Wilcoxon's signed ranks"}
_SPEAKS_OF = {
    "item": "other items of the same tasks",
    "task": "other tasks like these",
    "seed": "other runs on the same tasks",
}


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is compared, on which units."""

    scores: Scores
    methods: tuple[str, ...]  # those that are judged, the best mean first
    cells: pd.DataFrame  # what all of them have: a row per task, item and seed, a column per method
    cells_before: int  # before those that some method lacks were left out
    drawn: str  # by chance: item, task or seed
    by: str  # mean, ranks or wilcoxon
    against: str | None = None  # the one method that the others are compared with
    # Methods that lack too much to be judged with the others, and how many cells they lack; cells that others lack.
    set_aside: dict[str, int] = field(default_factory=dict)
    lacking: dict[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()  # what was guessed, left out or decided on the way

    @property
    def text(self) -> str:
        """The question in words."""
        over = f"{len(self.contributions[1]):,} {self.kind}"
        if self.kind == "clusters":
            over = f"{len(self.values):,} items in {over}"
        others = _SPEAKS_OF[self.drawn]
        if self.drawn == "item" and "task" not in self.cells.index.names:
            others = "other items like these"
        if self.scores.test_share is not None:
            others = "other rows like these"
        return f"Would the methods differ on {others}? Compared {_BY[self.by]}, over {over} that all of them have."

    @cached_property
    def kind(self) -> str:
        """What is drawn, as it is called: tasks, items, clusters of items, seeds, or splits of one data set."""
        if self.scores.test_share is not None:
            return "splits"
        return "clusters" if self.drawn == "item" and self.clusters is not None else f"{self.drawn}s"

    @cached_property
    def values(self) -> pd.DataFrame:
        """A row per unit, better when higher; every task weighs the same in the mean of a seed."""
        tasks = [name for name in self.cells.index.names if name == "task"]
        values = self.cells if self.scores.higher_is_better else -self.cells
        if self.drawn == "seed":
            values = _mean_over(values, ["seed", *tasks])
        if self.drawn != "item" or "seed" in self.cells.index.names:
            values = _mean_over(values, [*tasks, "item"] if self.drawn == "item" else [self.drawn])
        # What is equal but for rounding shares a rank.
        largest = values.abs().max(axis=1).replace(0, 1)
        return values.div(largest, axis=0).round(12).rank(axis=1) if self.by == "ranks" else values

    @cached_property
    def weights(self) -> np.ndarray:
        """What each unit weighs in the mean: every task weighs the same; its items share its weight."""
        if self.drawn == "item" and "task" in self.cells.index.names:
            tasks = self.values.groupby(level="task", observed=True)
            return np.asarray(1 / (tasks.transform("size").to_numpy() * tasks.ngroups))
        return np.full(len(self.values), 1 / len(self.values))

    @cached_property
    def contributions(self) -> tuple[np.ndarray, np.ndarray]:
        """What each unit adds to the mean of every method, better when higher, and the units' weights."""
        contributions = self.values.to_numpy() * self.weights[:, None]
        if self.kind != "clusters" or self.clusters is None:
            return contributions, self.weights
        of_rows = self.clusters.loc[self.values.index.get_level_values("item")].to_numpy()
        _, places = np.unique(of_rows, return_inverse=True)
        summed = np.zeros((places.max() + 1, contributions.shape[1]))
        np.add.at(summed, places, contributions)
        return summed, np.bincount(places, self.weights)

    def pairs(self, level: float) -> AllPairs:
        """All pairs at once, in the order of the methods; larger differences are better."""
        base = None if self.against is None else self.methods.index(self.against)
        if self.scores.test_share is not None:
            count = len(self.methods)
            pairs = count * (count - 1) // 2 if base is None else count - 1
            return corrected_pairs(self.values.to_numpy(), self.scores.test_share, level, pairs)
        if self.by == "wilcoxon":
            return all_pairs_by_ranks(self.values.to_numpy(), level)
        return all_pairs(*self.contributions, level, against=base)

    def mean_intervals(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Ends of an interval of every method's mean, for it alone: Student's, or Wilson's of right and wrong."""
        from scipy import stats

        contributions, weights = self.contributions
        n, mean, square = len(weights), contributions.sum(axis=0), float(weights @ weights)
        values = (1 if self.scores.higher_is_better else -1) * contributions / weights[:, None]
        if ((np.abs(values) < 1e-9) | (np.abs(values - 1) < 1e-9)).all():
            z2 = float(stats.norm.isf((1 - level) / 2)) ** 2 * square
            half = np.sqrt(z2 * np.abs(mean) * (1 - np.abs(mean)) + z2**2 / 4) / (1 + z2)
            mean = (mean + (1 if self.scores.higher_is_better else -1) * z2 / 2) / (1 + z2)
        else:
            errors = np.sqrt(((contributions - weights[:, None] * mean) ** 2).sum(axis=0) * n / (n - 1))
            if (share := self.scores.test_share) is not None:
                errors *= math.sqrt(1 + n * share / (1 - share))
            half = float(stats.t.isf((1 - level) / 2, n - 1)) * errors
        ends = np.sort([self.as_scores(mean - half), self.as_scores(mean + half)], axis=0)
        return ends[0], ends[1]

    @cached_property
    def clusters(self) -> pd.Series | None:
        """Cluster of each item that is compared, where there are any."""
        frame = self.scores.frame
        if "cluster" not in frame or "item" not in frame:
            return None
        clusters = frame[["item", "cluster"]].drop_duplicates()
        for item in clusters["item"][clusters["item"].duplicated()][:1]:
            raise TableError(f"item {item} belongs to several clusters; every item belongs to one")
        return clusters.set_index("item")["cluster"].astype(str).loc[self.cells.index.unique("item")]

    @cached_property
    def means(self) -> pd.Series:
        """Mean score of each method, each task weighing the same; or mean rank."""
        return pd.Series(self.as_scores(self.weights @ self.values.to_numpy()), self.methods)

    def as_scores(self, oriented: np.ndarray) -> np.ndarray:
        """Means of values that are better when higher, as scores or ranks."""
        if self.by == "ranks":
            return len(self.methods) + 1 - oriented
        return oriented if self.scores.higher_is_better else -oriented

    def ahead(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """On how many units the first method of each pair is ahead, and on how many they are alike."""
        values = self.contributions[0].T
        near = 1e-12 * np.abs(values).max()
        differences = (values[i] - values[j] for i, j in zip(first, second, strict=True))  # of one pair at a time
        return tuple(np.array([((pair > near).sum(), (np.abs(pair) <= near).sum()) for pair in differences]).T)

    def how(self, result: AllPairs) -> str:
        """What confidence rests on."""
        if self.scores.test_share is not None:
            splits = f"splits that each test {self.scores.test_share:.3g} of the same rows"
            return f"differences are compared with Student's t, corrected for {splits}, and for the number of pairs"
        patterns = f"{result.patterns:,} sign patterns, {'all of them' if result.exact else 'a group of them, drawn'}"
        chance = f"if chance alone decided who is ahead on each {self.kind.removesuffix('s')} ({patterns})"
        return f"the largest of all differences is compared with what it would be {chance}"


def corrected_pairs(values: np.ndarray, test_share: float, level: float, pairs: int) -> AllPairs:
    """All pairs by the corrected t-test, for new rows, of values of shape (n_splits, n_methods), larger is better.

    The models of R splits of one data set are tested on parts of the same rows. Where each tests a share r of them, two
    differences correlate with r at most, and the variance of their mean over new rows is s^2 (1 / R + r / (1 - r)),
    with s^2 that of the splits (Nadeau and Bengio 2003; of k folds r is 1 / k, Bouckaert and Frank 2004). Student's t
    has R - 1 degrees of freedom; Bonferroni's inequality counts the pairs.
    """
    from scipy import stats

    splits = len(values)
    differences = values[:, :, None] - values[:, None, :]
    wider = math.sqrt(1 / splits + test_share / (1 - test_share))
    error = differences.std(axis=0, ddof=1) * wider
    # A difference that is the same in every split, as of few test rows it may be, says nothing of its spread.
    error[error <= 1e-12 * np.abs(values).max()] = math.inf
    difference = differences.mean(axis=0)
    t = difference / error
    p = np.minimum(1.0, 2 * pairs * stats.t.sf(np.abs(t), splits - 1))
    critical = float(stats.t.isf((1 - level) / (2 * pairs), splits - 1))
    low, high = difference - critical * error, difference + critical * error
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 0.0)
    return AllPairs(difference, low, high, p, low > 0, t, wider * t, critical, units=splits, patterns=0)


def shortened(names: Sequence[str]) -> str:
    """The first of many names."""
    return ", ".join(names[:8]) + (" ..." if len(names) > 8 else "")


def _mean_over(values: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    return values.groupby(level=list(levels), observed=True, sort=False).mean()


def ask(scores: Scores, unit: str | None = None, by: str = "mean", against: str | None = None) -> Question:
    """The question that a table can answer; what is drawn is guessed where ``unit`` is absent: tasks where there are
    six or more, else items, else seeds.
    """
    keys = [name for name in KEYS if name in scores.frame]
    if by not in _BY:
        raise TableError(f"--by={by}: expected {', '.join(_BY)}")
    if not keys:
        answer = "name tasks, items or seeds"
        raise TableError(f"every method has one score: nothing shows how much of it is chance; {answer}")
    if scores.test_share is not None:
        if "seed" not in keys or by != "mean" or unit not in (None, "seed"):
            raise TableError("--test-share: splits are in the column that --seed names; means are compared over them")
        unit = "seed"
    drawn, notes = _drawn(scores, unit)
    if by == "wilcoxon" and "cluster" in scores.frame:
        raise TableError("--by=wilcoxon: signed ranks know no clusters; compare by mean or ranks")
    cells = scores.frame.set_index([*keys, "method"])["score"].unstack("method")
    cells.columns = cells.columns.astype(str)
    # Methods share seeds where half of the rows, or more, have more than half of the methods.
    if "seed" in keys and drawn != "seed" and (cells.notna().mean(axis=1) > 0.5).mean() < 0.5:
        cells = _mean_over(cells, [name for name in keys if name != "seed"])
        notes.append("seeds differ between methods: each method's own are averaged first")
    methods = list(cells.columns)
    cells = cells[cells.notna().any(axis=1)]
    present, before = cells.notna(), len(cells)
    set_aside: dict[str, int] = {}
    while len(methods) > 2 and 2 * int(present[methods].all(axis=1).sum()) < before:
        lacks = (~present[methods]).sum()
        worst = str(lacks.idxmax())
        set_aside[worst] = int(lacks[worst])
        methods.remove(worst)
    if against is not None and by == "wilcoxon":
        raise TableError("--against: signed ranks compare all pairs; compare by mean or ranks")
    if against not in (None, *methods):
        raise TableError(f"--against={against}: no such method is judged; there are {shortened(methods)}")
    common = cells.loc[present[methods].all(axis=1), methods]
    if not len(common):
        counts = " and ".join(f"{name[:40]} ({int(present[name].sum())} scores)" for name in methods[:2])
        raise TableError(f"{counts} share no cell: nothing of the table compares any two methods")
    question = Question(
        scores=scores,
        methods=tuple(methods),
        cells=common,
        cells_before=before,
        drawn=drawn,
        by=by,
        against=against,
        set_aside=set_aside,
        lacking={name: int(count) for name, count in (~present[methods]).sum().items() if count},
        notes=(*scores.notes, *notes),
    )
    if len(question.values) < 2:
        raise TableError(f"one {drawn} only that all methods have: nothing shows how much of a difference is chance")
    ascending = by == "ranks" or not scores.higher_is_better
    best_first = list(question.means.sort_values(ascending=ascending, kind="stable").index)
    return replace(question, methods=tuple(best_first), cells=common[best_first])


def _drawn(scores: Scores, unit: str | None) -> tuple[str, list[str]]:
    """What is drawn, and what was decided on the way."""
    counts = {kind: scores.frame[kind].nunique() for kind in _SPEAKS_OF if kind in scores.frame}
    tasks = counts.get("task", 0)
    if unit is None:
        if tasks >= fewest_units():
            chosen = "task"
        elif counts.get("item", 0) > 1:
            chosen = "item"
        else:
            chosen = "task" if tasks > 1 and tasks >= counts.get("seed", 0) else "seed"
            chosen = chosen if chosen in counts else next(iter(counts))
        others = [kind for kind in counts if kind != chosen and counts[kind] > 1]
        more = f"; --unit={'|'.join(others)} asks another question" if others else ""
        return chosen, [f"{chosen}s are taken to be what is drawn{more}"]
    if unit not in (*_SPEAKS_OF,):
        raise TableError(f"--unit={unit}: expected {', '.join(_SPEAKS_OF)}")
    if unit not in counts:
        raise TableError(f"--unit={unit}: the table has no {unit}s; name their column with --{unit}")
    return unit, []
