"""What a table of scores says and what it does not: verdicts on pairs, tiers, ranks, and what averages hide."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from benchkit import TableError
from benchkit.statistics.ranking import tiers
from benchkit_judge import document
from benchkit_judge.all_pairs import AllPairs, rank_sets, units_to_decide
from benchkit_judge.question import Question, shortened


@dataclass(frozen=True, eq=False)
class Judgement:
    """A table of scores, judged; what `benchkit.judge` returns.

    Attributes
    ----------
    question : Question
        What was compared, over which units.
    result : AllPairs
        All pairs at once, in the order of the methods; positive where the row's method is better.
    margin : float or None
        Differences within it count as practically equal, in the score's own unit.
    level : float
        Confidence of all statements on pairs, tiers and ranks together.
    source : str
    """

    question: Question
    result: AllPairs
    margin: float | None
    level: float
    source: str

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, the best mean, or mean rank, first; by signed ranks those of the first tier."""
        return self.question.methods

    @property
    def means(self) -> np.ndarray:
        """Mean score of each method, each task weighing the same; or mean rank."""
        return np.asarray(self.question.means)

    @cached_property
    def verdicts(self) -> np.ndarray:
        """What is said of the row's method against the column's: ``better``, ``worse``, ``equal`` or ``open``.

        Two methods are practically equal where their whole interval lies within the margin.
        """
        above, equal = self.result.above, np.zeros(self.result.above.shape, dtype=bool)
        if self.margin is not None:
            equal = (self.result.low >= -self.margin) & (self.result.high <= self.margin)
        return np.select([above, above.T, equal], ["better", "worse", "equal"], "open")

    @cached_property
    def tiers(self) -> pd.DataFrame:
        """One row per method, best first: tier, mean with an interval for it alone, and the ranks that it may have."""
        low, high = rank_sets(self.result.above)
        below, over = self.question.mean_intervals(self.level)
        columns = {"tier": tiers(self.result.above), "mean": self.means, "low": below, "high": over}
        columns |= {"rank": np.arange(1, len(low) + 1), "from": low, "to": high}
        return pd.DataFrame(columns, pd.Index(self.methods, name="method"))

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row per pair: difference, simultaneous interval, adjusted p-value, verdict.

        ``difference`` is that of scores, or mean ranks, the first method's minus the second's. ``effect`` is the
        difference in standard deviations of the units' differences, or of their signed ranks; ``ahead`` and ``alike``
        count units on which the first is better, and on which both are the same. ``fewest``, ``likely`` and ``most``
        are the units that would decide an open pair.
        """
        i, j = np.triu_indices(len(self.methods), 1)
        if (against := self.question.against) is not None:
            base = self.methods.index(against)
            i, j = (places[(i == base) | (j == base)] for places in (i, j))
            i, j = i + j - base, np.full(len(i), base)
        result, n, question = self.result, self.result.units, self.question
        sign = 1 if question.by != "ranks" and question.scores.higher_is_better else -1
        difference, low, high = (sign * values[i, j] + 0.0 for values in (result.difference, result.low, result.high))
        names, statistics, verdicts = np.array(self.methods), result.statistic[i, j], self.verdicts[i, j]
        table = pd.DataFrame({"first": names[i], "second": names[j], "difference": difference})
        table = table.assign(low=np.fmin(low, high), high=np.fmax(low, high), p=result.p[i, j], verdict=verdicts)
        needed: list[tuple[float, ...] | None] = [None] * len(i)
        if question.kind != "splits":  # more of which would not decide what is open
            table["effect"] = sign * result.effect[i, j] + 0.0
            table["ahead"], table["alike"] = question.ahead(i, j)
            needed = [
                units_to_decide(statistic, n, result.critical, len(i), self.level) if verdict == "open" else None
                for statistic, verdict in zip(statistics.tolist(), verdicts, strict=True)
            ]
        table[["fewest", "likely", "most"]] = [units or (math.nan,) * 3 for units in needed]
        return table

    @cached_property
    def missing(self) -> pd.DataFrame:
        """Methods that lack cells: how many, and whether they were judged without or set aside."""
        rows = [(name, count, "set aside") for name, count in self.question.set_aside.items()]
        rows += [(name, count, "judged on what all have") for name, count in self.question.lacking.items()]
        return pd.DataFrame(rows, columns=["method", "cells missing", "what was done"]).set_index("method")

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs are decided, practically equal, and open."""
        verdicts = list(self.pairs["verdict"])
        equal, undecided = verdicts.count("equal"), verdicts.count("open")
        return {"decided": len(verdicts) - equal - undecided, "equal": equal, "open": undecided}

    def relation(self, first: str, second: str) -> str:
        """``better``, ``worse``, ``equal`` or ``open``: what the table says of two methods."""
        for name in (first, second):
            if name not in self.methods:
                aside = " it was set aside for what it lacks;" if name in self.question.set_aside else ""
                raise TableError(f"no method {name!r} is judged;{aside} there are {shortened(self.methods)}")
        if self.question.against not in (None, first, second):
            raise TableError(f"{first} and {second} are not compared: all are with {self.question.against} alone")
        return str(self.verdicts[self.methods.index(first), self.methods.index(second)])

    answers = cached_property(document.answers)
    notes = property(document.notes)
    write = document.write
    _repr_html_ = document.notebook

    @property
    def too_few(self) -> bool:
        """Whether there are so few units that nothing could be told apart."""
        return not math.isfinite(self.result.critical)
