"""Without claims: which method is best at every point, up to the margin.

A method is out where it is worse than another one, or as good as the best: its difference from the best lies within the
margin. All pairs of a place share its 5 % (Bonferroni), for the best is chosen by the numbers that are then compared. A
method that was never compared, as it shares no repetition with the best or has no value, leaves the place undecided.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from benchkit.journal.place import off_axis
from benchkit.report.formatting import number
from benchkit.report.questions.question import OpenPart, RunQuestion
from benchkit.report.shown_params import ShownParams
from benchkit.report.statistics.comparisons import ALPHA, paired
from benchkit.report.statistics.points import Point, combined, mean_on
from benchkit.statistics.estimate import FEWEST, Estimate
from benchkit.statistics.out_of_reach import APART, out_of_reach
from benchkit.statistics.sampling import ROWS, SPLITS, counts_rows, make_sample
from benchkit.statistics.ties import tied_from
from benchkit.statistics.time_uniform import SequentialEstimate, sequential_estimate
from benchkit.suite.names import dataset_name


@dataclass(frozen=True)
class _Pair:
    """By how much one method is better than another, on these rows and on new ones."""

    gain: SequentialEstimate
    level: float
    margin: float
    new_rows: Estimate
    tied_from: int

    @property
    def better(self) -> bool:
        return self.gain.decides and self.gain.interval(self.level)[0] > 0

    @property
    def worse(self) -> bool:
        return self.gain.decides and self.gain.interval(self.level)[1] < 0

    @property
    def equivalent(self) -> bool:
        if self.margin == 0:
            return self.gain.ties and self.gain.n >= self.tied_from
        low, high = self.gain.interval(self.level)
        return self.gain.decides and -self.margin <= low and high <= self.margin

    @property
    def never_on_new_rows(self) -> bool:
        """Whether no number of repetitions of these rows decides on new rows."""
        there = self.new_rows
        if not there.sample.excess or there.n < FEWEST or self.gain.ties:
            return False
        within = ((-self.margin, self.margin),) if self.margin else ()
        return out_of_reach(there, (*APART, *within), self.level)


def question_of_place(
    place: Sequence[Point], metric: str, sign: float, margin: float, shown_params: ShownParams
) -> RunQuestion:
    """Which method is best at a place.

    Parameters
    ----------
    place : sequence of Point
        One of each method, of a dataset (or group), adversary and point on the axis.
    metric : str
    sign : float
        1 where greater values are better, else -1.
    margin : float
        Of practical equivalence.
    shown_params : callable
        From `shown_params_among`: which parameters the data set's name has.
    """
    known = {point.algorithm: point for point in place if point.values}
    without = [point.algorithm for point in place if not point.values]
    where = _where(place[0], shown_params)
    text, cells = f"the best {metric} {where}", frozenset().union(*(point.cells for point in place))
    if len(known) < 2:
        return RunQuestion(text, f"nothing to compare: no value of {', '.join(without)}", decided=False, cells=cells)
    level = 1 - ALPHA / math.comb(len(known), 2)
    pairs: dict[frozenset[str], _Pair] = {}
    worse: set[str] = set()
    for a, b in combinations(known, 2):
        pair = _pair(known[a], known[b], sign, level, margin)
        if pair is not None:
            pairs[frozenset((a, b))] = pair
            worse |= {b} if pair.better else {a} if pair.worse else set()
    standing = [name for name in known if name not in worse] or list(known)
    best = _best(known, standing, sign)
    rivals = [name for name in standing if name != best]
    against = {name: pairs[key] for name in known if (key := frozenset((best, name))) in pairs and name != best}
    as_good = [name for name in rivals if name in against and against[name].equivalent]
    open_ones = [name for name in rivals if name not in as_good]
    # Methods that share no repetition were never compared, and nor was who has no value at all.
    apart = [name for name in open_ones if name not in against] + without
    compared = [name for name in open_ones if name in against]
    named = {"as good:": as_good, "open against": compared, "never compared:": apart}
    told = [f"{how} {', '.join(names)}" for how, names in named.items() if names]
    never = tuple(f"{best} and {name} {where}" for name, pair in against.items() if pair.never_on_new_rows)
    shown = ", ".join([f"{metric} {number(known[best].mean or 0.0)}", *told])
    return RunQuestion(
        text=text,
        answer=f"{best} ({shown})",
        decided=not open_ones and not without,
        cells=cells,
        open_parts=tuple(_open_part(known[best], known[name], where, against.get(name), level) for name in open_ones),
        never_on_new_rows=never,
        new_rows=_said_of_new_rows(list(against.values()), level),
    )


def _open_part(best: Point, rival: Point, where: str, pair: _Pair | None, level: float) -> OpenPart:
    text, cells = f"{best.algorithm} and {rival.algorithm} {where}", best.cells | rival.cells
    if pair is None:
        return OpenPart(text, cells, 0, level)
    return OpenPart(text, cells, pair.gain.n, level)


def _said_of_new_rows(against: Sequence[_Pair], level: float) -> str:
    """How many differences from the best are decided on new rows."""
    if not any(pair.new_rows.sample.excess for pair in against):
        return ""
    decided = sum(pair.new_rows.decides and pair.new_rows.p_differs() <= 1 - level for pair in against)
    return f"on new rows {decided} of {len(against)} differences from the best are decided"


def _best(known: Mapping[str, Point], standing: Sequence[str], sign: float) -> str:
    """The best mean of those that no other beats, on the repetitions that they share."""
    shared = frozenset.intersection(*(frozenset(known[name].parts) for name in standing))
    return max(standing, key=lambda name: sign * mean_on(known[name].parts, shared))


def _pair(a: Point, b: Point, sign: float, level: float, margin: float) -> _Pair | None:
    gains = {part: sign * gain for part, gain in paired(a.parts, b.parts).items()}
    drawn = {**a.drawn, **b.drawn}
    gain = sequential_estimate(make_sample(gains, drawn, SPLITS))
    new_rows = combined([(sign, a), (-sign, b)], ROWS)
    if gain is None or new_rows is None:
        return None
    counted = counts_rows(a.parts, drawn) and counts_rows(b.parts, drawn)
    return _Pair(gain, level, margin, new_rows, tied_from(counted, level))


def _where(point: Point, shown_params: ShownParams) -> str:
    name = dataset_name(point.dataset, shown_params(point.dataset, off_axis(point.dataset_params, point.axis)))
    under = "" if point.adversary == "none" else f" under {point.adversary}"
    value = f"{point.axis_value:g}" if isinstance(point.axis_value, float) else point.axis_value
    at = "" if value is None else f" at {point.axis} {value}"
    return f"on {name}{under}{at}"
