"""What is asked: which methods, on what they have in common, with what drawn by chance.

What is drawn decides what a verdict speaks of. *Items*: other items of the same tasks. *Tasks*: other tasks like these;
the items of a task are part of what is drawn with it, so that their chance counts too. *Seeds*: other runs on the same
tasks. Two at once: other runs on other items or tasks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from benchkit import TableError
from benchkit.statistics.all_pairs import AllPairs, all_pairs, all_pairs_by_ranks, both_sources, fewest_units
from benchkit_judge.inference import corrected_pairs
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
    cells: pd.DataFrame  # what all of them have: a row per machine, task, item and seed, a column per method
    cells_before: int  # before those that some method lacks were left out
    drawn: tuple[str, ...]  # by chance: item, task, seed
    by: str  # mean, ranks or wilcoxon
    against: str | None = None  # the one method that the others are compared with
    # Methods that lack too much to be judged with the others, and how many cells they lack; cells that others lack.
    set_aside: dict[str, int] = field(default_factory=dict)
    lacking: dict[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()  # what was guessed, left out or decided on the way

    @property
    def text(self) -> str:
        """The question in words."""
        over = " and ".join(f"{count:,} {kind}" for kind, count in self.counts.items())
        if "clusters" in self.counts:
            over = f"{len(self.units('item')[0]):,} items in {over}"
        speaks = dict(_SPEAKS_OF)
        if "task" not in self.cells.index.names:
            speaks["item"] = "other items like these"
        if self.scores.test_share is not None:
            speaks["seed"] = "other rows like these"
        how = "by the ratios of their times (geometric means)" if self.scores.timings else _BY[self.by]
        others = " and ".join(speaks[kind] for kind in self.drawn)
        return f"Would the methods differ on {others}? Compared {how}, over {over} that all of them have."

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many are drawn, by what they are: ``{"tasks": 11, "seeds": 3}``; clusters for items in them."""
        counts = {f"{kind}s": len(self.units(kind)[0]) for kind in self.drawn}
        if self.scores.test_share is not None:
            return {"splits": counts["seeds"]}
        if "items" in counts and self.clusters is not None:
            del counts["items"]
            counts = {"clusters": self.clusters.nunique(), **counts}
        return counts

    def units(self, kind: str) -> tuple[pd.DataFrame, np.ndarray]:
        """Values of one kind of unit, better when higher, and what each weighs in the mean.

        Every task weighs the same; its items share its weight.
        """
        cells = np.log(self.cells) if self.scores.timings else self.cells
        values = cells if self.scores.higher_is_better else -cells
        names = list(values.index.names)
        tasks = [name for name in names if name in ("machine", "task")]
        if kind == "seed":
            values = _mean_over(_mean_over(values, ["seed", *tasks]) if tasks else values, ["seed"])
        elif kind == "task":
            values = _mean_over(values, tasks)
        elif "seed" in names:
            values = _mean_over(values, [*tasks, "item"])
        if self.by == "ranks":
            values = values.rank(axis=1)
        weights = np.full(len(values), 1 / len(values))
        if kind == "item" and tasks:
            groups = values.groupby(level=tasks, observed=True)
            weights = 1 / (groups.transform("size").to_numpy() * groups.ngroups)
        return values, weights

    def contributions(self, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """What each unit adds to the mean of every method, better when higher, and the units' weights."""
        values, weights = self.units(kind)
        contributions = values.to_numpy() * weights[:, None]
        if kind != "item" or self.clusters is None:
            return contributions, weights
        _, places = np.unique(self.clusters.loc[values.index.get_level_values("item")].to_numpy(), return_inverse=True)
        summed = np.zeros((places.max() + 1, contributions.shape[1]))
        np.add.at(summed, places, contributions)
        return summed, np.bincount(places, weights)

    def pairs(self, level: float) -> AllPairs:
        """All pairs at once, in the order of the methods; larger differences are better, times as logarithms."""
        level = 1 - (1 - level) / len(self.drawn)
        base = None if self.against is None else self.methods.index(self.against)
        if self.scores.test_share is not None:
            count = len(self.methods)
            pairs = count * (count - 1) // 2 if base is None else count - 1
            return corrected_pairs(self.units("seed")[0].to_numpy(), self.scores.test_share, level, pairs)
        if self.by == "wilcoxon":
            return all_pairs_by_ranks(self.units(self.drawn[0])[0].to_numpy(), level)
        sources = [all_pairs(*self.contributions(kind), level, against=base) for kind in self.drawn]
        return sources[0] if len(sources) == 1 else both_sources(*sources)

    def mean_intervals(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Ends of an interval of every method's mean, for it alone: Student's, or Wilson's of right and wrong."""
        from scipy import stats

        half, level = np.zeros(len(self.methods)), 1 - (1 - level) / len(self.drawn)
        for kind in self.drawn:
            contributions, weights = self.contributions(kind)
            n, mean, square = len(weights), contributions.sum(axis=0), float(weights @ weights)
            errors = np.sqrt(((contributions - weights[:, None] * mean) ** 2).sum(axis=0) * n / (n - 1))
            if (share := self.scores.test_share) is not None:
                errors *= math.sqrt(1 + n * share / (1 - share))
            values = np.abs(contributions / weights[:, None])
            if len(self.drawn) == 1 and ((values < 1e-9) | (np.abs(values - 1) < 1e-9)).all():
                z2 = float(stats.norm.isf((1 - level) / 2)) ** 2 * square
                sign = 1 if self.scores.higher_is_better else -1
                center = (mean + sign * z2 / 2) / (1 + z2)
                mean, half = center, np.sqrt(z2 * np.abs(mean) * (1 - np.abs(mean)) + z2**2 / 4) / (1 + z2)
            else:
                half = half + float(stats.t.isf((1 - level) / 2, n - 1)) * errors
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
        """Mean score of each method, each task weighing the same; of times, the geometric mean; or mean rank."""
        values, weights = self.units(self.drawn[0])
        return pd.Series(self.as_scores(weights @ values.to_numpy()), self.methods)

    def as_scores(self, oriented: np.ndarray) -> np.ndarray:
        """Means of values that are better when higher, as scores, times or ranks."""
        if self.by == "ranks":
            return len(self.methods) + 1 - oriented
        if self.scores.timings:
            return np.asarray(np.exp(-oriented))
        return oriented if self.scores.higher_is_better else -oriented

    def ahead(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """On how many units the first method of each pair is ahead, and on how many they are alike."""
        values = self.units(self.drawn[0])[0].to_numpy().T
        near = 1e-12 * np.abs(values).max()
        differences = (values[i] - values[j] for i, j in zip(first, second, strict=True))  # of one pair at a time
        counts = [((pair > near).sum(), (np.abs(pair) <= near).sum()) for pair in differences]
        return tuple(np.array(counts).T)

    def order(self) -> list[str]:
        """The methods, the best mean (of times, the fastest; by ranks, the best mean rank) first."""
        ascending = self.by == "ranks" or not self.scores.higher_is_better
        return list(self.means.sort_values(ascending=ascending, kind="stable").index)

    @property
    def compared(self) -> str:
        """What the difference of a pair is called."""
        return "ratio" if self.scores.timings else "difference"

    @property
    def independent(self) -> bool:
        """Whether units are drawn independently, so that more of them would decide what is open."""
        return self.scores.test_share is None and len(self.drawn) == 1

    def shown(self, differences: np.ndarray) -> np.ndarray:
        """Differences of `pairs` as people read them: of scores; of times, how many times as long the second takes."""
        if self.scores.timings:
            return np.asarray(np.exp(differences))
        return differences if self.by == "ranks" or self.scores.higher_is_better else -differences

    def threshold(self, margin: float) -> float:
        """The difference of `pairs` that a margin stands for."""
        return math.log1p(margin) if self.scores.timings else margin

    def how(self, result: AllPairs) -> str:
        """What confidence rests on."""
        if self.scores.test_share is not None:
            splits = f"splits that each test {self.scores.test_share:.3g} of the same rows"
            return f"differences are compared with Student's t, corrected for {splits}, and for the number of pairs"
        patterns = f"{result.patterns:,} sign patterns, {'all of them' if result.exact else 'a group of them, drawn'}"
        chance = f"if chance alone decided who is ahead on each {' or '.join(self.drawn)} ({patterns})"
        return f"the largest of all differences is compared with what it would be {chance}"


def shortened(names: Sequence[str]) -> str:
    """The first of many names."""
    return ", ".join(names[:8]) + (" ..." if len(names) > 8 else "")


def _mean_over(values: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    return values.groupby(level=list(levels), observed=True, sort=False).mean()


def ask(scores: Scores, unit: Sequence[str] | None = None, by: str = "mean", against: str | None = None) -> Question:
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
        if "seed" not in keys or by != "mean" or unit not in (None, ["seed"]):
            raise TableError("--test-share: splits are in the column that --seed names; means are compared over them")
        unit = ["seed"]
    drawn, notes = _drawn(scores, unit)
    if by == "wilcoxon" and (len(drawn) > 1 or "cluster" in scores.frame):
        reason = "signed ranks know one source of chance and no clusters"
        raise TableError(f"--by=wilcoxon: {reason}; compare by mean or ranks")
    cells = scores.frame.set_index([*keys, "method"])["score"].unstack("method")
    cells.columns = cells.columns.astype(str)
    # Methods share seeds where half of the rows, or more, have more than half of the methods.
    if "seed" in keys and "seed" not in drawn and (cells.notna().mean(axis=1) > 0.5).mean() < 0.5:
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
    for kind in drawn:
        if len(question.units(kind)[0]) < 2:
            raise TableError(f"one {kind} only that all methods have: nothing shows how much of a difference is chance")
    best_first = question.order()
    return replace(question, methods=tuple(best_first), cells=common[best_first])


def _drawn(scores: Scores, unit: Sequence[str] | None) -> tuple[tuple[str, ...], list[str]]:
    """What is drawn, and what was decided on the way."""
    counts = {kind: scores.frame[kind].nunique() for kind in _SPEAKS_OF if kind in scores.frame}
    tasks = counts.get("task", 0)
    if "machine" in scores.frame and not tasks:
        raise TableError("timings of machines need the column of the task that was timed: name it with --task")
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
        return (chosen,), [f"{chosen}s are taken to be what is drawn{more}"]
    for kind in unit:
        if kind not in _SPEAKS_OF:
            raise TableError(f"--unit={kind}: expected {', '.join(_SPEAKS_OF)}, or two of them with a comma")
        if kind not in counts:
            raise TableError(f"--unit={kind}: the table has no {kind}s; name their column with --{kind}")
    together = {"task", "item"} <= {*unit}
    notes = ["items are drawn with their tasks: their chance is part of the tasks' spread"] if together else []
    return tuple(kind for kind in dict.fromkeys(unit) if not (together and kind == "item")), notes
