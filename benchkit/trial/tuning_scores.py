"""Judging a candidate of tuning, and what a record tells of all that were tried."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from benchkit.plugin.declarations import Metric, TuningOverError
from benchkit.suite.schema import Tune
from benchkit.trial.attack import Attacker
from benchkit.trial.group_split import group_folds
from benchkit.trial.learner import Learner
from benchkit.trial.prepared import Part, Prepared
from benchkit.trial.scoring import ask, score
from benchkit.trial.time_split import time_folds


class TuningClock:
    """Seconds that an algorithm's tuning may take, and has taken: of fits, of scoring, and of the tuner's own thinking.

    A fit that trials share counts with the seconds that it took where it was done, so that a budget buys as much
    whether a fit was found or made.

    Parameters
    ----------
    limit : float or None
    """

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.spent = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.spent >= self.limit


@dataclass(frozen=True)
class Held:
    """A part to fit on, and the rows held out to judge by; ``stream`` names the adversary's randomness there."""

    train: Part
    held_out: Part
    stream: str


def held_parts(prepared: Prepared, folds: int | None, classify: bool, seed: int) -> list[Held]:
    """The validation part, or the inner folds of the training part.

    Parameters
    ----------
    prepared : Prepared
        Preprocessing and feature values stay those of the whole training part.
    folds : int or None
        None for the validation part.
    classify : bool
        Whether folds keep the proportions of the classes.
    seed : int
    """
    if folds is None:
        return [Held(prepared.train, prepared.validation, "validation")]
    train = prepared.train
    return [
        Held(train.take(fitted), train.take(held), f"fold {number}")
        for number, (fitted, held) in enumerate(_inner_folds(train, folds, classify, seed))
    ]


def _inner_folds(train: Part, folds: int, classify: bool, seed: int) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    """Folds that keep apart what the split does: no group on both sides, nothing fitted on what comes later."""
    if train.moments is not None:
        return time_folds(train.moments, folds)
    if train.groups is not None:
        return group_folds(train.groups, train.y if classify else None, folds, seed)
    folder = (StratifiedKFold if classify else KFold)(folds, shuffle=True, random_state=seed)
    drawn: Iterable[tuple[np.ndarray, np.ndarray]] = folder.split(np.zeros(len(train.y)), train.y)
    return drawn


def first_rows(part: Part, count: int, classify: bool, seed: int) -> Part:
    """So many rows of a part, those of a smaller count among them; of every class one, then in proportion."""
    if count >= len(part.y):
        return part
    order = np.random.default_rng(seed).permutation(len(part.y))
    if classify:
        place = np.empty(len(order))
        for label in np.unique(part.y):
            of_class = np.flatnonzero(part.y[order] == label)
            place[of_class] = np.arange(len(of_class)) / len(of_class)
        order = order[np.argsort(place, kind="stable")]
    return part.take(np.sort(order[:count]))


class Judge:
    """Fits candidates, scores them on what was held out, and keeps what was tried.

    Parameters
    ----------
    stage : Tune
    metric : Metric
    chosen : mapping
        What earlier stages chose.
    prepared : Prepared
    learner : Learner
    attacker : Attacker
    clock : TuningClock
        Shared by an algorithm's stages.
    classify : bool
        Whether ``y`` holds classes, whose proportions folds and smaller parts keep.
    seed : int
        Of folds and of the order in which rows are taken.
    """

    def __init__(
        self,
        stage: Tune,
        metric: Metric,
        chosen: Mapping[str, Any],
        prepared: Prepared,
        learner: Learner,
        attacker: Attacker,
        clock: TuningClock,
        classify: bool,
        seed: int,
    ) -> None:
        self.stage, self.metric, self.chosen, self.prepared = stage, metric, chosen, prepared
        self.learner, self.attacker, self.clock = learner, attacker, clock
        self.classify, self.seed = classify, seed
        self.sign = -1.0 if metric.greater_is_better else 1.0
        self.parts = held_parts(prepared, stage.folds, classify, seed)
        self.n_rows = min(len(part.train.y) for part in self.parts)
        self.tried = Tried()
        self.warned: Counter[str] = Counter()
        self._thinking_since = time.perf_counter()

    def __call__(self, candidates: Sequence[Mapping[str, Any]], rows: int | None = None) -> list[float]:
        """Losses of candidates; see `TuningContext`."""
        self.clock.spent += time.perf_counter() - self._thinking_since
        try:
            if self.clock.limit is None:
                return self._judge(list(candidates), rows)
            # One by one: a path of candidates that are fitted together cannot be stopped between two of them.
            return [self._judge_in_time(candidate, rows) for candidate in candidates]
        finally:
            self._thinking_since = time.perf_counter()

    def _judge_in_time(self, candidate: Mapping[str, Any], rows: int | None) -> float:
        if self.clock.is_over and self.tried.judgements:
            raise TuningOverError
        return self._judge([candidate], rows)[0]

    def _judge(self, candidates: Sequence[Mapping[str, Any]], rows: int | None) -> list[float]:
        full = [{**self.chosen, **candidate} for candidate in candidates]
        losses: list[list[float]] = [[] for _ in full]
        seconds = [0.0] * len(full)
        for held in self.parts:
            train = held.train if rows is None else first_rows(held.train, rows, self.classify, self.seed)
            fitted = self.learner.fit_candidates([self.learner.params(each) for each in full], train)
            self.warned.update(fitted.warned)
            for place, model in enumerate(fitted.model):
                start = time.perf_counter()
                losses[place].append(self._loss(model, replace(held, train=train)))
                # What a path of candidates took together is shared out alike.
                seconds[place] += time.perf_counter() - start + fitted.seconds / len(full)
        means = [fmean(each) for each in losses]
        taken = self.n_rows if rows is None else min(rows, self.n_rows)
        for candidate, loss, cost in zip(candidates, means, seconds, strict=True):
            self.clock.spent += cost
            self.tried.judgements.append(JudgedCandidate(dict(candidate), loss, cost, self.clock.spent, taken))
        return means

    def _loss(self, model: Any, held: Held) -> float:
        clean = part = held.held_out
        truth: Mapping[str, Any] = {}
        if self.stage.data == "corrupted":
            part, truth = self.attacker.corrupt_test(model, clean, held.stream)
        prepared = self.prepared if self.stage.folds is None else replace(self.prepared, train=held.train)
        return self.sign * score([self.metric], ask(model, part, clean, prepared, truth, {}))[self.metric.name]


MOST = 200
"""Judgements of a stage that a record keeps; after these, only those that were better than all before."""


@dataclass(frozen=True)
class JudgedCandidate:
    """One candidate on so many rows.

    Attributes
    ----------
    params : mapping
    loss : float
        Less is better; NaN where there is none.
    seconds : float
        Of its fits and of its scoring.
    spent : float
        Seconds of the whole tuning when it had been judged, earlier stages included.
    rows : int
        That it was fitted on (the smallest inner training part, where there are several).
    """

    params: Mapping[str, Any]
    loss: float
    seconds: float
    spent: float
    rows: int


@dataclass
class Tried:
    """The judgements of one stage, in order.

    Attributes
    ----------
    judgements : list of JudgedCandidate
    stopped : bool
        Whether the seconds were spent before the tuner had finished.
    """

    judgements: list[JudgedCandidate] = field(default_factory=list)
    stopped: bool = False

    def best(self) -> JudgedCandidate | None:
        """Of those judged on the most rows, the one with the least loss, the first of equals; None where all are NaN.

        Where successive halving is stopped in a round, that is the best of what this round had judged.
        """
        known = [each for each in self.judgements if not math.isnan(each.loss)]
        if not known:
            return None
        most = max(each.rows for each in known)
        return min((each for each in known if each.rows == most), key=lambda each: each.loss)

    def to_record(self, sign: float) -> dict[str, Any]:
        """As the journal keeps it, column by column.

        Parameters
        ----------
        sign : float
            -1 where the metric is better when greater, so that scores are the metric's own values.
        """
        kept = list(self._kept())
        names = list(dict.fromkeys(name for each in kept for name in each.params))
        columns: dict[str, Any] = {
            "params": names,
            "values": [[plain(each.params.get(name)) for name in names] for each in kept],
            "scores": [None if math.isnan(each.loss) else _rounded(sign * each.loss, 6) for each in kept],
            "seconds": [_rounded(each.seconds, 3) for each in kept],
            "spent": [_rounded(each.spent, 4) for each in kept],
            "rows": [each.rows for each in kept],
        }
        return {"judged": len(self.judgements), "left_out": len(self.judgements) - len(kept), **columns}

    def _kept(self) -> Iterator[JudgedCandidate]:
        best, further = math.inf, MOST
        for place, each in enumerate(self.judgements):
            better = each.loss < best
            best = min(best, each.loss) if not math.isnan(each.loss) else best
            if place < MOST:
                yield each
            elif better and further:
                further -= 1
                yield each


def plain(value: Any) -> Any:
    """A parameter as the record shows it."""
    import numpy as np

    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return f"<array of shape {value.shape}>"
    return value if isinstance(value, str | int | float | bool | list | dict | None) else repr(value)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
