"""Battles of two methods, each with a winner, such as those of chat models that people compare."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from benchkit import TableError
from benchkit.statistics.all_pairs import AllPairs
from benchkit_judge.inference import battle_pairs, battle_strengths, max_variance
from benchkit_judge.question import Question
from benchkit_judge.scores import Scores


@dataclass(frozen=True, kw_only=True)
class Battles(Question):
    """As `Question`, where ``cells`` are shares of battles won: a row for each opponent, a column for each method."""

    arrays: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # the battles, as `battle_strengths` takes them

    @property
    def text(self) -> str:
        """The question in words."""
        ((kind, count),) = self.counts.items()
        over = f"{len(self.arrays[0]):,} battles" + (f" on {count:,} questions" if kind == "questions" else "")
        model = "Bradley and Terry's model"
        return f"Would the methods differ in other battles like these? Compared by {model}, over {over}."

    @property
    def counts(self) -> dict[str, int]:
        """How many battles are drawn, or questions, where some have several battles."""
        count = int(self.arrays[3].max()) + 1
        return {"battles" if count == len(self.arrays[3]) else "questions": count}

    def pairs(self, level: float) -> AllPairs:
        """All pairs at once, as differences of strength."""
        return battle_pairs(*self._fit, next(iter(self.counts.values())), level)

    @cached_property
    def _fit(self) -> tuple[np.ndarray, np.ndarray]:
        return battle_strengths(*self.arrays)

    @property
    def _chances(self) -> np.ndarray:
        strengths, _ = self._fit
        chances = np.asarray(self.shown(strengths[:, None] - strengths))
        np.fill_diagonal(chances, 0.0)
        return chances

    @cached_property
    def means(self) -> pd.Series:
        """Chance to win against the others, on average."""
        return pd.Series(self._chances.sum(axis=1) / (len(self.methods) - 1), self.methods)

    def mean_intervals(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Ends of an interval of every method's mean, for it alone, by the logarithm of its odds."""
        from scipy import stats
        from scipy.special import logit

        slopes, means = self._chances * (1 - self._chances), self.means.to_numpy()
        gradient = np.diag(slopes.sum(axis=1)) - slopes
        error = np.sqrt(max_variance(self._fit[1], gradient)) / (len(means) - 1) / (means * (1 - means))
        half = stats.t.isf((1 - level) / 2, next(iter(self.counts.values())) - 1) * error
        return self.shown(logit(means) - half), self.shown(logit(means) + half)

    compared = "chance to win"
    independent = False

    def shown(self, differences: Any) -> Any:
        """Differences of strength as chances of the first to win."""
        from scipy.special import expit

        return expit(differences)

    def threshold(self, margin: float) -> float:
        """The difference of strength by which the chance to win differs from a half as much as the margin says."""
        from scipy.special import logit

        if margin >= 0.5:
            raise TableError(f"--within={margin:g}: of battles, how far a chance to win may be from a half")
        return float(logit(0.5 + margin))

    def how(self, result: AllPairs) -> str:
        """What confidence rests on."""
        drawn = next(iter(self.counts))
        return f"the largest of all differences is compared with Tukey's range; {drawn} are taken to be independent"


def ask_battles(scores: Scores) -> Battles:
    """The question that battles answer: scores with columns ``first``, ``second``, ``won``, and perhaps ``item``."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    frame = scores.frame
    methods = sorted({*frame["first"], *frame["second"]})
    numbers = {name: number for number, name in enumerate(methods)}
    first, second = frame["first"].map(numbers).to_numpy(), frame["second"].map(numbers).to_numpy()
    count, parts = connected_components(coo_array((np.ones(len(first)), (first, second)), shape=(len(methods),) * 2))
    if count > 1:
        apart = [methods[np.flatnonzero(parts == part)[0]] for part in range(2)]
        raise TableError(f"{apart[0]} and {apart[1]} never met, nor did any chain of opponents: judge each group alone")
    turned = frame.rename(columns={"first": "second", "second": "first"}).assign(won=1 - frame["won"])
    cells = (
        pd.concat([frame, turned])
        .pivot_table(index="second", columns="first", values="won", aggfunc="mean")
        .rename_axis("opponent")
    )
    if len(frame) < 2 or ("item" in frame and frame["item"].nunique() < 2):
        raise TableError("one battle, or question, only: nothing shows how much of a difference is chance")
    questions = frame["item"] if "item" in frame else np.arange(len(frame))
    battles = Battles(
        scores=scores,
        methods=tuple(methods),
        cells=cells,
        cells_before=len(cells),
        drawn=("battle",),
        by="battles",
        notes=scores.notes,
        arrays=(first, second, frame["won"].to_numpy(), np.unique(questions, return_inverse=True)[1]),
    )
    best_first = battles.order()
    place = np.array([best_first.index(name) for name in methods])
    arrays = (place[first], place[second], *battles.arrays[2:])
    return replace(battles, methods=tuple(best_first), cells=cells[best_first], arrays=arrays)
