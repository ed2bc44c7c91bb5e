"""What is asked: which methods, on what they have in common, with what drawn by chance.

What is drawn decides what a verdict speaks of. *Items*: other items of the same tasks. *Tasks*: other tasks like these;
the items of a task are part of what is drawn with it, so that their chance counts too. *Seeds*: other runs on the same
tasks. Two at once: other runs on other items or tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from benchkit import TableError
from benchkit.statistics.all_pairs import AllPairs, all_pairs, all_pairs_by_ranks, both_sources, fewest_units
from benchkit.statistics.estimate import LEVEL
from benchkit_judge.scores import KEYS, Scores

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

DRAWN = ("item", "task", "seed")
BY = ("mean", "ranks", "wilcoxon")
_SPEAKS_OF = {
    "item": "other items of the same tasks",
    "task": "other tasks like these",
    "seed": "other runs on the same tasks",
}


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is compared, on which units.

    Attributes
    ----------
    scores : Scores
    methods : tuple of str
        Those that are judged.
    cells : DataFrame
        Scores that all of them have: one row per machine, task, item and seed, one column per method.
    drawn : tuple of str
        What is drawn by chance: item, task, seed.
    by : {"mean", "ranks", "wilcoxon"}
    set_aside : dict of str to int
        Methods that lack too much to be judged with the others, and how many cells they lack.
    lacking : dict of str to int
        Cells that each method lacks, of those judged.
    cells_before : int
        Cells before those that some method lacks were left out.
    """

    scores: Scores
    methods: tuple[str, ...]
    cells: pd.DataFrame
    drawn: tuple[str, ...]
    by: str
    set_aside: dict[str, int]
    lacking: dict[str, int]
    cells_before: int

    @property
    def text(self) -> str:
        """The question in words."""
        over = " and ".join(f"{count:,} {kind}" for kind, count in self.counts.items())
        if "clusters" in self.counts:
            over = f"{len(self.units('item')[0]):,} items in {over}"
        tasks = "task" in self.cells.index.names
        speaks = " and ".join(
            _SPEAKS_OF[kind] if tasks or kind != "item" else "other items like these" for kind in self.drawn
        )
        how = {
            "mean": "by their means",
            "ranks": "by their mean ranks",
            "wilcoxon": "by Wilcoxon's signed ranks",
        }[self.by]
        if self.scores.timings:
            how = "by the ratios of their times (geometric means)"
        return f"Would the methods differ on {speaks}? Compared {how}, over {over} that all of them have."

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many are drawn, by what they are: ``{"tasks": 11, "seeds": 3}``; clusters for items in them."""
        counts = {f"{kind}s": len(self.units(kind)[0]) for kind in self.drawn}
        if "items" not in counts or (clusters := self.clusters) is None:
            return counts
        in_use = clusters[self.cells.index.unique("item")].nunique()
        return {"clusters" if kind == "items" else kind: in_use if kind == "items" else n for kind, n in counts.items()}

    def units(self, kind: str) -> tuple[pd.DataFrame, np.ndarray]:
        """Values of one kind of unit, better when higher, and what each weighs in the mean.

        Every task weighs the same; its items share its weight.
        """
        import numpy as np

        values = self._oriented()
        names = list(values.index.names)
        tasks = [name for name in names if name in ("machine", "task")]
        if kind == "seed":
            made = _mean_over(values, ["seed", *tasks]) if tasks else values
            made = _mean_over(made, ["seed"])
        elif kind == "task":
            made = _mean_over(values, tasks)
        else:
            made = _mean_over(values, [*tasks, "item"]) if "seed" in names else values
        if self.by == "ranks":
            made = made.rank(axis=1)
        weights = np.full(len(made), 1 / len(made))
        if kind == "item" and tasks:
            sizes = made.groupby(level=tasks, observed=True).transform("size").to_numpy()
            count = len(made.index.droplevel([name for name in made.index.names if name not in tasks]).unique())
            weights = 1 / (sizes * count)
        return made, weights

    def pairs(self, level: float = LEVEL) -> AllPairs:
        """All pairs at once, in the order of the methods; larger differences are better, times as logarithms."""
        share = 1 - (1 - level) / len(self.drawn)
        found = [self._pairs_over(kind, share) for kind in self.drawn]
        return found[0] if len(found) == 1 else both_sources(found[0], found[1])

    def _pairs_over(self, kind: str, level: float) -> AllPairs:
        import numpy as np

        values, weights = self.units(kind)
        if self.by == "wilcoxon":
            return all_pairs_by_ranks(values.to_numpy(), level)
        contributions = values.to_numpy() * weights[:, None]
        clusters = self.clusters
        if kind == "item" and clusters is not None:
            of = clusters.loc[values.index.get_level_values("item")].to_numpy()
            _, places = np.unique(of, return_inverse=True)
            summed = np.zeros((places.max() + 1, contributions.shape[1]))
            np.add.at(summed, places, contributions)
            contributions, weights = summed, np.bincount(places, weights)
        return all_pairs(contributions, weights, level)

    @property
    def clusters(self) -> pd.Series | None:
        """Cluster by item, where there are any."""
        frame = self.scores.frame
        if "cluster" not in frame or "item" not in frame:
            return None
        known = frame[["item", "cluster"]].drop_duplicates()
        if known["item"].duplicated().any():
            item = known["item"][known["item"].duplicated()].iloc[0]
            raise TableError(f"item {item} belongs to several clusters; every item belongs to one")
        return known.set_index("item")["cluster"].astype(str)

    @property
    def by_task(self) -> pd.DataFrame:
        """Mean score of every method in every task (or item, or seed); of times, the geometric mean."""
        import numpy as np

        names = list(self.cells.index.names)
        tasks = [name for name in names if name in ("machine", "task")] or ["item" if "item" in names else names[0]]
        if self.scores.timings:
            return np.exp(_mean_over(np.log(self.cells), tasks))
        return _mean_over(self.cells, tasks)

    def _oriented(self) -> pd.DataFrame:
        import numpy as np

        if self.scores.timings:
            return -np.log(self.cells)
        return self.cells if self.scores.higher_is_better else -self.cells


def _mean_over(values: pd.DataFrame, levels: Sequence[str]) -> pd.DataFrame:
    return values.groupby(level=list(levels), observed=True, sort=False).mean()


def ask(scores: Scores, unit: Sequence[str] | None = None, by: str = "mean") -> tuple[Question, list[str]]:
    """The question that a table can answer, and what was decided on the way.

    Parameters
    ----------
    scores : Scores
    unit : sequence of {"item", "task", "seed"}, optional
        What is drawn; by default tasks where there are six or more, else items, else seeds.
    by : {"mean", "ranks", "wilcoxon"}, default="mean"
    """
    keys = [name for name in KEYS if name in scores.frame]
    if by not in BY:
        raise TableError(f"--by {by}: expected {', '.join(BY)}")
    if not keys:
        raise TableError(
            "every method has one score: nothing tells how much of it is chance; name tasks, items or seeds"
        )
    drawn, told = _drawn(scores, unit)
    if by == "wilcoxon" and (len(drawn) > 1 or "cluster" in scores.frame):
        raise TableError(
            "--by wilcoxon: signed ranks know one source of chance and no clusters; compare by mean or ranks"
        )
    cells = scores.frame.set_index([*keys, "method"])["score"].unstack("method")
    cells.columns = cells.columns.astype(str)
    if "seed" in keys and "seed" not in drawn and not _paired(cells):
        rest = [name for name in keys if name != "seed"]
        cells = _mean_over(cells, rest)
        told.append("seeds differ between methods: each method's own are averaged first")
    methods = list(cells.columns)
    present = cells.notna()
    before = int(present.any(axis=1).sum())
    cells, present = cells[present.any(axis=1)], present[present.any(axis=1)]
    set_aside: dict[str, int] = {}
    while len(methods) > 2 and 2 * int(present[methods].all(axis=1).sum()) < before:
        lacks = (~present[methods]).sum()
        worst = str(lacks.idxmax())
        set_aside[worst] = int(lacks[worst])
        methods.remove(worst)
    common = cells.loc[present[methods].all(axis=1), methods]
    if not len(common):
        counts = " and ".join(f"{name[:40]} ({int(present[name].sum())} scores)" for name in methods[:2])
        raise TableError(f"{counts} share no cell: nothing of the table compares any two methods")
    lacking = {name: int(count) for name, count in (~present[methods]).sum().items() if count}
    question = Question(
        scores=scores,
        methods=tuple(methods),
        cells=common,
        drawn=drawn,
        by=by,
        set_aside=set_aside,
        lacking=lacking,
        cells_before=before,
    )
    for kind in drawn:
        count = len(question.units(kind)[0])
        if count < 2:
            raise TableError(f"one {kind} only that all methods have: nothing tells how much of a difference is chance")
    return question, told


def _drawn(scores: Scores, unit: Sequence[str] | None) -> tuple[tuple[str, ...], list[str]]:
    frame = scores.frame
    counts = {kind: frame[kind].nunique() for kind in DRAWN if kind in frame}
    if "machine" in frame and "task" not in frame:
        raise TableError("timings of machines need the column of the task that was timed: name it with --task")
    if unit is None:
        least = fewest_units()
        if counts.get("task", 0) >= least:
            chosen = "task"
        elif counts.get("item", 0) > 1:
            chosen = "item"
        elif counts.get("task", 0) > 1 and counts.get("task", 0) >= counts.get("seed", 0):
            chosen = "task"
        else:
            chosen = "seed" if "seed" in counts else "task" if "task" in counts else "item"
        if chosen not in counts:
            raise TableError("nothing is drawn: name the column of tasks, items or seeds")
        others = [kind for kind in counts if kind != chosen and counts[kind] > 1]
        said = f"{chosen}s are taken to be what is drawn"
        return (chosen,), [said + (f"; --unit {'|'.join(others)} asks another question" if others else "")]
    for kind in unit:
        if kind not in DRAWN:
            raise TableError(f"--unit {kind}: expected {', '.join(DRAWN)}, or two of them with a comma")
        if kind not in counts:
            raise TableError(f"--unit {kind}: the table has no {kind}s; name their column with --{kind}")
    chosen_units = tuple(dict.fromkeys(unit))
    if "task" in chosen_units and "item" in chosen_units:
        chosen_units = tuple(kind for kind in chosen_units if kind != "item")
        return chosen_units, ["items are drawn with their tasks: their chance is part of the tasks' spread"]
    return chosen_units, []


def _paired(cells: pd.DataFrame) -> bool:
    """Whether methods share seeds: half of the rows, or more, have more than half of the methods."""
    shared = cells.notna().mean(axis=1) > 0.5
    return bool(shared.mean() >= 0.5)


def drift(scores: Scores) -> str | None:
    """What the order of timings says: whether methods took turns; None where scores are no timings."""
    if not scores.timings:
        return None
    frame = scores.frame
    if "order" not in frame:
        return "when each was taken is not told: had methods not taken turns, load or heat could look like a difference"
    ordered = frame.sort_values("order", kind="stable")["method"].astype(str)
    changes = int((ordered != ordered.shift()).sum()) - 1
    runs, methods = len(ordered), ordered.nunique()
    # Of runs in random order, changes are expected between all but one of `methods` neighbours.
    expected = (runs - 1) * (1 - 1 / methods)
    if changes < expected / 2:
        return (
            f"methods did not take turns ({changes} changes in {runs} runs): drift of the machine could look like a "
            "difference"
        )
    return f"methods took turns ({changes} changes in {runs} runs)"
