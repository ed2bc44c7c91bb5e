"""What a table of scores says and what it does not: verdicts on pairs, tiers, ranks, and what averages hide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from benchkit import TableError
from benchkit.statistics.all_pairs import AllPairs, fewest_units, units_to_decide
from benchkit.statistics.ranking import rank_sets, tiers
from benchkit_judge.question import Question, drift

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, kw_only=True)
class Judgement:
    """A table of scores, judged; what `benchkit.judge` returns.

    Attributes
    ----------
    question : Question
        What was compared, over which units.
    methods : tuple of str
        Best mean first (of times, the fastest; by ranks, the best mean rank).
    result : AllPairs
        All pairs at once, in the order of the methods; positive where the row's method is better.
    margin : float or None
        Differences within it count as practically equal, in the score's own unit; of timings, as a share.
    level : float
        Confidence of all statements on pairs, tiers and ranks together.
    told : tuple of str
        What was guessed, left out or decided on the way.
    source : str
    """

    question: Question
    methods: tuple[str, ...]
    result: AllPairs
    margin: float | None
    level: float
    told: tuple[str, ...]
    source: str

    @cached_property
    def means(self) -> np.ndarray:
        """Mean score of each method, each task weighing the same; of times, the geometric mean; or mean rank."""
        import numpy as np

        if self.question.by == "ranks":
            ranked, weights = self.question.units(self.question.drawn[0])
            return np.asarray(len(self.methods) + 1 - weights @ ranked[list(self.methods)].to_numpy())
        table = self.question.by_task[list(self.methods)].to_numpy()
        return np.asarray(np.exp(np.log(table).mean(axis=0)) if self.question.scores.timings else table.mean(axis=0))

    @cached_property
    def equal(self) -> np.ndarray:
        """Whether two methods are practically equal: their whole interval lies within the margin."""
        import numpy as np

        if self.margin is None:
            return np.zeros(self.result.above.shape, dtype=bool)
        margin = math.log1p(self.margin) if self.question.scores.timings else self.margin
        with np.errstate(invalid="ignore"):
            within = (self.result.low >= -margin) & (self.result.high <= margin)
        np.fill_diagonal(within, False)
        return within

    @cached_property
    def _tiers(self) -> np.ndarray:
        return tiers(self.result.above)

    @cached_property
    def tiers(self) -> pd.DataFrame:
        """One row per method, best first: mean, tier, and the ranks that it may have."""
        import pandas as pd

        low, high = rank_sets(self.result.above)
        return pd.DataFrame(
            {"tier": self._tiers, "mean": self.means, "rank": range(1, len(low) + 1), "from": low, "to": high},
            index=pd.Index(self.methods, name="method"),
        )

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row per pair: difference (of times, the ratio), simultaneous interval, adjusted p-value, verdict.

        ``difference`` is that of scores, the first method's minus the second's; of times, how many times as long the
        second takes. ``fewest`` and ``most`` are the units that would decide an open pair.
        """
        import numpy as np
        import pandas as pd

        i, j = np.triu_indices(len(self.methods), 1)
        result = self.result
        difference, low, high = (each[i, j] for each in (result.difference, result.low, result.high))
        if self.question.scores.timings:
            difference, low, high = np.exp(difference), np.exp(low), np.exp(high)
        elif not self.question.scores.higher_is_better:
            difference, low, high = -difference, -high, -low
        if self.question.by == "ranks":  # a higher rank is a better one
            difference, low, high = (each[i, j] for each in (result.difference, result.low, result.high))
        names = np.array(self.methods)
        verdicts = np.select(
            [result.above[i, j], result.above[j, i], self.equal[i, j]], ["better", "worse", "equal"], "open"
        )
        ranges = [
            self._range(int(one), int(other)) if verdict == "open" else None
            for one, other, verdict in zip(i, j, verdicts, strict=True)
        ]
        return pd.DataFrame(
            {
                "first": names[i],
                "second": names[j],
                "difference": difference,
                "low": low,
                "high": high,
                "p": result.p[i, j],
                "verdict": verdicts,
                "fewest": [math.nan if each is None else each[0] for each in ranges],
                "most": [math.nan if each is None else each[1] for each in ranges],
            }
        )

    def _range(self, i: int, j: int) -> tuple[float, float] | None:
        """Units that would decide a pair; None with two sources of chance, of which no one number tells."""
        if len(self.question.drawn) > 1:
            return None
        count = len(self.methods)
        pairs = count * (count - 1) // 2
        return units_to_decide(
            float(self.result.statistic[i, j]), self.result.units, self.result.critical, pairs, self.level
        )

    @cached_property
    def hidden(self) -> pd.DataFrame:
        """What an average hides: on how many tasks each method is best, and where it is worst beside the best."""
        import numpy as np
        import pandas as pd

        table = self.question.by_task[list(self.methods)]
        values = table.to_numpy()
        higher = self.question.scores.higher_is_better
        best = (values.max(axis=1) if higher else values.min(axis=1))[:, None]
        alike = np.isclose(values, best, rtol=1e-9, atol=1e-12)
        behind = values / best if self.question.scores.timings else np.abs(values - best)
        worst = behind.argmax(axis=0)
        labels = [" ".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in table.index]
        return pd.DataFrame(
            {
                "best on": (alike / alike.sum(axis=1, keepdims=True)).sum(axis=0),
                "worst place": [labels[row] for row in worst],
                "score there": values[worst, range(len(self.methods))],
                "best there": best[worst, 0],
            },
            index=pd.Index(self.methods, name="method"),
        )

    @cached_property
    def missing(self) -> pd.DataFrame:
        """Methods that lack cells: how many, and whether they were judged without or set aside."""
        import pandas as pd

        asked = self.question
        rows = [(name, count, "set aside") for name, count in asked.set_aside.items()]
        rows += [(name, count, "judged on what all have") for name, count in asked.lacking.items()]
        return pd.DataFrame(rows, columns=["method", "cells missing", "what was done"]).set_index("method")

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs are decided, practically equal, and open."""
        import numpy as np

        upper = np.triu_indices(len(self.methods), 1)
        decided = int((self.result.above | self.result.above.T)[upper].sum())
        equal = int((self.equal & ~self.result.above & ~self.result.above.T)[upper].sum())
        return {"decided": decided, "equal": equal, "open": len(upper[0]) - decided - equal}

    @property
    def without_interval(self) -> int:
        """How many pairs have no interval, though there are units enough: the two differ on too few of them."""
        import numpy as np

        if self.too_few or self.question.by == "wilcoxon":
            return 0
        return int(np.isinf(self.result.low[np.triu_indices(len(self.methods), 1)]).sum())

    def relation(self, first: str, second: str) -> str:
        """``better``, ``worse``, ``equal`` or ``open``: what the table says of two methods."""
        for name in (first, second):
            if name not in self.methods:
                known = ", ".join(self.methods[:8]) + (" ..." if len(self.methods) > 8 else "")
                aside = " it was set aside for what it lacks;" if name in self.question.set_aside else ""
                raise TableError(f"no method {name!r} is judged;{aside} there are {known}")
        i, j = self.methods.index(first), self.methods.index(second)
        if self.result.above[i, j]:
            return "better"
        if self.result.above[j, i]:
            return "worse"
        return "equal" if self.equal[i, j] else "open"

    @cached_property
    def answers(self) -> list[str]:
        """What is to be known first, in sentences."""
        from benchkit_judge.document import answers

        return answers(self)

    @property
    def notes(self) -> list[str]:
        """How it was judged, and what was guessed."""
        from benchkit_judge.document import notes

        return notes(self)

    def plot(self) -> Figure:
        """Tiers, and the ranks that each method may have."""
        from benchkit_judge.document import tiers_figure

        return tiers_figure(self)

    def write(self, form: str) -> str:
        """The judgement as ``text``, ``markdown``, ``latex``, ``json`` or ``html``."""
        from benchkit_judge.document import WRITERS

        if form not in WRITERS:
            raise TableError(f"unknown format {form!r}; there are {', '.join(WRITERS)}")
        return WRITERS[form](self)

    def _repr_html_(self) -> str:
        from benchkit_judge.document import notebook

        return notebook(self)

    @property
    def drift(self) -> str | None:
        """Of timings, whether methods took turns."""
        return drift(self.question.scores)

    @property
    def too_few(self) -> bool:
        """Whether there are so few units that nothing could be told apart."""
        return not math.isfinite(self.result.critical)

    @property
    def fewest(self) -> int:
        """Units without which nothing can be told apart, at this confidence."""
        return fewest_units(1 - (1 - self.level) / len(self.question.drawn))


def decide(question: Question, *, margin: float | None, level: float, told: Sequence[str], source: str) -> Judgement:
    """The judgement on a question."""
    import numpy as np

    result = question.pairs(level)
    values = question.by_task.to_numpy()
    oriented = -np.log(values) if question.scores.timings else values * (1 if question.scores.higher_is_better else -1)
    order = np.argsort(-oriented.mean(axis=0), kind="stable")
    if question.by == "ranks":
        order = np.argsort(-question.units(question.drawn[0])[0].to_numpy().mean(axis=0), kind="stable")
    turned: dict[str, Any] = {
        name: getattr(result, name)[np.ix_(order, order)]
        for name in ("difference", "low", "high", "p", "above", "statistic")
    }
    ordered = AllPairs(**turned, critical=result.critical, units=result.units, patterns=result.patterns)
    methods = tuple(question.methods[place] for place in order)
    return Judgement(
        question=question,
        methods=methods,
        result=ordered,
        margin=margin,
        level=level,
        told=tuple(told),
        source=source,
    )
