"""What holds over the data sets of a selection: methods judged with data sets as the units of chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchkit.judging.judge import judge
from benchkit.published.site.cases import Case
from benchkit.statistics.all_pairs import fewest_units


@dataclass(frozen=True)
class OverData:
    """Tiers over data sets.

    Attributes
    ----------
    data : tuple of str
        The data sets on which all these methods answered the same cases.
    tiers : mapping of method to int
    means : mapping of method to float
        Each data set weighing the same; of regression, mean ranks, as unlike targets have no common mean.
    """

    data: tuple[str, ...]
    tiers: Mapping[str, int]
    means: Mapping[str, float]


def over_data(cases: Sequence[tuple[Case, str, Mapping[str, float]]], by_ranks: bool) -> OverData | None:
    """Judge the methods that answered the same cases of enough data sets; None where there are too few of either.

    Parameters
    ----------
    cases : sequence of (Case, data set, losses by method)
    by_ranks : bool
        Whether losses of several data sets have no common unit.
    """
    import pandas as pd

    answered: dict[str, set[str]] = defaultdict(set)
    for _, data, losses in cases:
        for method in losses:
            answered[method].add(data)
    methods = sorted(answered, key=lambda method: (-len(answered[method]), method))
    methods = [method for method in methods if len(answered[method]) >= fewest_units()]
    while len(methods) > 1:
        table: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for _, data, losses in cases:
            if all(method in losses for method in methods):
                for method in methods:
                    table[data][method].append(losses[method])
        if len(table) >= fewest_units():
            rows = [
                {"method": method, "task": data, "score": fmean(values)}
                for data, by_method in table.items()
                for method, values in by_method.items()
            ]
            judged = judge(
                pd.DataFrame(rows),
                method="method",
                task="task",
                score="score",
                unit="task",
                by="ranks" if by_ranks else "mean",
                higher_is_better=False,
                timings=False,
            )
            places = judged.tiers
            return OverData(tuple(table), places["tier"].to_dict(), places["mean"].to_dict())
        methods.pop()
    return None
