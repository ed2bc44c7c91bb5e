"""Without claims: which method is best at every point, up to the margin.

A method is out where it is worse than another one, or as good as the best: its difference from the best lies within the
margin. All pairs of a place share its 5 % (Bonferroni), for the best is chosen by the numbers that are then compared.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from benchkit.report.formatting import number
from benchkit.report.questions.question import OpenPart, Question
from benchkit.report.results import Results
from benchkit.report.statistics.comparisons import ALPHA, by_place, paired
from benchkit.report.statistics.estimate import FEWEST, Estimate, estimate
from benchkit.report.statistics.points import Point, points
from benchkit.report.statistics.sampling import ROWS, SPLITS, make_sample
from benchkit.report.statistics.time_uniform import SequentialEstimate, sequential_estimate
from benchkit.suite.names import dataset_name


def questions_of_comparisons(results: Results) -> list[Question]:
    """One question for each dataset (or group), adversary and point on the axis, of the first metric."""
    metric = results.metrics[0]
    means = points(results.records, [metric], SPLITS, results.ranges)
    shown = [point for point in means if point.of_group or not point.group]
    sign = 1.0 if results.greater_is_better[metric] else -1.0
    return [_question(place, metric, sign, results.margin or 0.0) for place in by_place(shown) if len(place) > 1]


@dataclass(frozen=True)
class _Pair:
    """By how much one method is better than another, on these rows and on new ones."""

    gain: SequentialEstimate
    level: float
    margin: float
    new_rows: Estimate

    @property
    def better(self) -> bool:
        return self.gain.decides and self.gain.interval(self.level)[0] > 0

    @property
    def worse(self) -> bool:
        return self.gain.decides and self.gain.interval(self.level)[1] < 0

    @property
    def equivalent(self) -> bool:
        if self.margin == 0:
            return self.gain.ties
        low, high = self.gain.interval(self.level)
        return self.gain.decides and -self.margin <= low and high <= self.margin

    @property
    def needed(self) -> float:
        return _needed(self.gain, self.level, self.margin)

    @property
    def never_on_new_rows(self) -> bool:
        there = self.new_rows
        shares = bool(there.sample.excess) and there.n >= FEWEST and not self.gain.ties
        return shares and math.isinf(_needed(there, self.level, self.margin))


def _needed(gain: Estimate, level: float, margin: float) -> float:
    """Repetitions that would set the gain apart from zero, or show it within the margin."""
    within = min(margin - gain.mean, gain.mean + margin)
    near = gain.mean - within if within > 0 else gain.mean  # as far away as the nearer end of the margin
    alike = gain.repetitions_to_decide(near, level) if within > 0 else math.inf
    return min(alike, gain.repetitions_to_decide(0.0, level))


def _question(place: Sequence[Point], metric: str, sign: float, margin: float) -> Question:
    known = {point.algorithm: point for point in place if point.parts}
    level = 1 - ALPHA / max(1, math.comb(len(known), 2))
    pairs: dict[tuple[str, str], _Pair] = {}
    for a, b in combinations(known, 2):
        pair = _pair(known[a], known[b], sign, level, margin)
        if pair is not None:
            pairs[a, b] = pair
    worse = {b for (_, b), pair in pairs.items() if pair.better} | {a for (a, _), pair in pairs.items() if pair.worse}
    standing = [name for name in known if name not in worse] or list(known)
    best = _best(known, standing, sign)
    rivals = {name: pairs.get((best, name)) or pairs.get((name, best)) for name in standing if name != best}
    open_ones = {name: pair for name, pair in rivals.items() if pair is not None and not pair.equivalent}
    as_good = [name for name, pair in rivals.items() if pair is not None and pair.equivalent]
    where = _where(place[0])
    others = f", as good: {', '.join(as_good)}" if as_good else ""
    undecided = f", open against {', '.join(open_ones)}" if open_ones else ""
    against = [pair for key, pair in pairs.items() if best in key]
    return Question(
        text=f"the best {metric} {where}",
        answer=f"{best} ({metric} {number(known[best].mean or 0.0)}{others}{undecided})",
        decided=not open_ones,
        cells=frozenset().union(*(point.cells for point in known.values())),
        open_parts=tuple(
            OpenPart(
                f"{best} and {name} {where}", known[best].cells | known[name].cells, pair.gain.n, pair.needed, level
            )
            for name, pair in open_ones.items()
        ),
        never_on_new_rows=tuple(
            f"{best} and {name} {where}" for name in known if name != best and _never(pairs, best, name)
        ),
        new_rows=_said_of_new_rows(against, level),
    )


def _never(pairs: Mapping[tuple[str, str], _Pair], best: str, name: str) -> bool:
    pair = pairs.get((best, name)) or pairs.get((name, best))
    return pair is not None and pair.never_on_new_rows


def _said_of_new_rows(against: Sequence[_Pair], level: float) -> str:
    """How many differences from the best are decided on new rows, by the corrected resampled t-test."""
    if not any(pair.new_rows.sample.excess for pair in against):
        return ""
    decided = sum(pair.new_rows.decides and pair.new_rows.p_differs() <= 1 - level for pair in against)
    return f"on new rows {decided} of {len(against)} differences from the best are decided"


def _best(known: Mapping[str, Point], standing: Sequence[str], sign: float) -> str:
    """The best mean of those that no other beats, on the repetitions that they share."""
    shared = frozenset.intersection(*(frozenset(known[name].parts) for name in standing))
    means = {
        name: fmean([known[name].parts[part] for part in shared] if shared else known[name].parts.values())
        for name in standing
    }
    return max(standing, key=lambda name: sign * means[name])


def _pair(a: Point, b: Point, sign: float, level: float, margin: float) -> _Pair | None:
    gains = {part: sign * gain for part, gain in paired(a.parts, b.parts).items()}
    drawn = {**a.drawn, **b.drawn}
    gain = sequential_estimate(make_sample(gains, drawn, SPLITS))
    new_rows = estimate(make_sample(gains, drawn, ROWS))
    return None if gain is None or new_rows is None else _Pair(gain, level, margin, new_rows)


def _where(point: Point) -> str:
    along = point.axis.partition("dataset.")[2]
    params = {key: value for key, value in point.dataset_params.items() if key != along}
    name = point.dataset if point.of_group else dataset_name(point.dataset, params)
    under = "" if point.adversary == "none" else f" under {point.adversary}"
    value = f"{point.axis_value:g}" if isinstance(point.axis_value, float) else point.axis_value
    at = "" if value is None else f" at {point.axis} {value}"
    return f"on {name}{under}{at}"
