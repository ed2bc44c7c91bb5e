"""How repetitions were drawn, and what they are a sample of.

Repetitions of one data set share its rows. Two questions must be kept apart:

- scope ``splits``, *on these rows*: the mean over random splits of this data set, which a paper's table reports.
  Repetitions (for k-fold: shuffles) are independent draws of the split.
- scope ``rows``, *on new rows*: which method to use. Two random test parts of n_test out of M rows share a part
  n_test / M of them, so the mean over R repetitions has the variance s^2 (1/R + n_test / (M - n_test)) (Nadeau and
  Bengio 2003, section 3, where a split uses all rows; for r-times repeated k-fold the ratio is 1 / (k - 1), Bouckaert
  and Frank 2004, section 3.2). Where each repetition draws fresh data, repetitions are independent here, too.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

Scope = Literal["rows", "splits"]
ROWS: Scope = "rows"
SPLITS: Scope = "splits"

SCOPE_NAMES: Mapping[Scope, str] = {"rows": "on new rows", "splits": "on these rows"}

Part = tuple[int, str]
"""A repetition, and a data set: a group has several."""
Values = Mapping[Part, float]


@dataclass(frozen=True)
class Sampling:
    """How one data set's repetitions drew their rows.

    Attributes
    ----------
    n_rows, n_test : int or None
        Rows of the data set and of a test part; None in records that do not tell.
    folds : int or None
        Of k-fold.
    fresh : bool
        Whether each repetition (each shuffle, for k-fold) draws fresh data.
    n_groups : int or None
        Groups of the data set, where whole groups are drawn.
    given : bool
        Whether the test part is the same in all repetitions, and no draw: these tell nothing of new rows then, which
        only the rows themselves can.
    room : float
        The number of repetitions that the dates have room for, where each tests other rows in time; else infinite.
    sizes : frozenset of int
        Rows of every test part, where these differ; else about ``n_test`` each.
    """

    n_rows: int | None = None
    n_test: int | None = None
    folds: int | None = None
    fresh: bool = False
    n_groups: int | None = None
    given: bool = False
    sizes: frozenset[int] = field(default=frozenset(), compare=False)
    room: float = math.inf

    @property
    def known(self) -> bool:
        """Whether the records tell how many rows there were."""
        return self.n_rows is not None and self.n_test is not None

    @property
    def possible_sizes(self) -> Collection[int]:
        """Rows that a test part may have: stratified folds differ by one. None where records do not tell."""
        about = () if self.n_test is None else (self.n_test, self.n_test - 1, self.n_test + 1)
        return self.sizes or [size for size in about if size > 0]

    @property
    def ratio(self) -> float:
        """n_test / (M - n_test), what sharing rows adds to 1/R; infinite where all are tested or none are known.

        Infinite too where the test part is given. Groups count by the rows that they have, so that the ratio is theirs.
        """
        if self.given or self.n_rows is None or self.n_test is None or self.n_test >= self.n_rows:
            return math.inf
        return self.n_test / (self.n_rows - self.n_test)

    def distinct_rows(self, repetitions: int, scope: Scope, groups: bool = False) -> float:
        """Test rows behind a mean over repetitions: every one for fresh data or splits, else the distinct ones.

        Or the ``groups`` that they are of, where whole groups are drawn.
        """
        if self.n_rows is None or self.n_test is None:
            return math.nan
        units, tested = self.n_rows, self.n_test
        if groups and self.n_groups is not None:
            units, tested = self.n_groups, max(1, round(tested * self.n_groups / units))
        drawn = float(repetitions * tested)
        if scope == SPLITS or self.fresh:
            return drawn
        if self.given:
            return float(tested)
        return min(drawn, units * (1 - (1 - tested / units) ** repetitions) if self.folds is None else units)


UNKNOWN = Sampling()
Drawn = Mapping[str, Sampling]
"""How the repetitions of each data set were drawn."""


@dataclass(frozen=True)
class Sample:
    """What a mean is taken over, and how far the parts depend on each other."""

    values: Sequence[float]  # one per independent draw, or per repetition where these share rows
    excess: float  # what sharing rows adds to 1/R in the variance of the mean; infinite where nothing can be said
    row_variance: float = 0.0  # of the mean, by four added test rows, where values count rows; else 0
    sampled: bool = True  # whether the numbers of rows are known
    per_repetition: int = 1  # values that one repetition of the suite gives: the folds, where each counts
    counts_rows: bool = True  # whether the values, on these rows, may be rates of error, or differences of such


def rounded(value: float, size: float) -> float:
    """To twelve digits of a size: what sums of floats leave of numbers that are equal is nothing."""
    return round(value, 12 - math.ceil(math.log10(size))) if 0 < size < math.inf else value


# Agresti and Coull 1998: two successes and two failures more give intervals of proportions their coverage, also where
# all repetitions tie and their spread is none.
ADDED_ROWS = 4
"""Rows added where values are rates of error, two in favour of each side."""


def complete_repetitions(values: Values, names: Collection[str] | None = None) -> Values:
    """The values of the repetitions that have every data set, or all that are named: other data sets have other means.

    A repetition that lacks one, which did not end ok or was not run yet, would count as change of what is measured; a
    data set that is left out would change what a group is.
    """
    by_repetition: dict[int, set[str]] = defaultdict(set)
    for repetition, name in values:
        by_repetition[repetition].add(name)
    needed = set().union(*by_repetition.values()) if names is None else set(names)
    if all(held == needed for held in by_repetition.values()):
        return values
    return {(at, name): value for (at, name), value in values.items() if name in needed <= by_repetition[at]}


def paired(a: Values, b: Values) -> Values:
    """Differences on the repetitions and data sets that both have: one that either lacks counts for neither."""
    return {part: value - b[part] for part, value in a.items() if part in b}


def make_sample(values: Values, drawn: Drawn, scope: Scope) -> Sample:
    """The sample that a mean of values is taken over.

    Data sets are averaged within a repetition that has them all (`complete_repetitions`). The folds of one shuffle are
    averaged where shuffles are the independent draws: on these rows, and where each shuffle draws fresh data (if there
    are two or more).
    """
    values = complete_repetitions(values)
    samplings = {name: drawn.get(name, UNKNOWN) for _, name in values}
    ways = samplings.values()
    folds = next((way.folds for way in ways if way.folds), None)
    fresh = all(way.fresh for way in ways)
    shuffles = len({repetition // folds for repetition, _ in values}) if folds else 0
    averaged = folds if folds and (scope == SPLITS or (fresh and shuffles > 1)) else 1
    parts: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (repetition, name), value in values.items():
        parts[repetition // averaged][name].append(value)
    units = [fmean(map(fmean, by_name.values())) for _, by_name in sorted(parts.items())]
    one_draw = fresh and shuffles == 1
    excess = max((0.0 if way.fresh and not one_draw else way.ratio for way in ways), default=0.0)
    return Sample(
        units,
        0.0 if scope == SPLITS else excess,
        _row_variance(values, samplings, scope),
        all(way.known for way in ways),
        folds if folds and averaged == 1 else 1,
    )


def counts_rows(values: Values, drawn: Drawn) -> bool:
    """Whether values may be whole numbers of test rows over their number, as rates of error are.

    To be asked of a method's values: differences that are all zero look like that in every metric.
    """
    sizes = {name: drawn.get(name, UNKNOWN).possible_sizes for _, name in values}
    return all(not sizes[name] or _counts_rows(value, sizes[name]) for (_, name), value in values.items())


def _row_variance(values: Values, samplings: Drawn, scope: Scope) -> float:
    """Of the mean, by the added rows of every data set; 0 where some values do not count rows."""
    if not counts_rows(values, samplings) or not all(way.known for way in samplings.values()):
        return 0.0
    repetitions = Counter(name for _, name in values)
    total = sum(ADDED_ROWS / way.distinct_rows(repetitions[name], scope) ** 2 for name, way in samplings.items())
    return total / len(samplings) ** 2 if samplings else 0.0


def _counts_rows(value: float, sizes: Iterable[int]) -> bool:
    counts = [(value * n, round(value * n)) for n in sizes]
    # What is nearly no row is none: an error in a small unit.
    return value == 0 or (abs(value) <= 1 and any(count and abs(rows - count) < 1e-6 for rows, count in counts))
