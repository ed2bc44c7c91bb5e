"""Tuning: which candidates are tried, what each is worth, which is chosen, and what a record tells of all of them."""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from numbers import Real
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.model_selection import ParameterGrid

from benchkit.plugin.declarations import Metric
from benchkit.plugin.manager import registry
from benchkit.suite.schema import read_space
from benchkit.suite.trial import Trial
from benchkit.trial.learner import Learner
from benchkit.trial.prepared import Part, Prepared, prepare
from benchkit.trial.scoring import ask, corrupt, score_one
from benchkit.trial.seeds import seed_of
from benchkit.trial.split import shuffled_folds, time_folds

MOST = 200
"""Judgements of a stage that a record keeps; after these, only those that were better than all before."""


@dataclass
class Choice:
    """What tuning has chosen so far; each stage keeps what the stages before it chose.

    ``seconds`` are the wall seconds that choosing took: of fits, of scoring, and of the tuner's own thinking. A fit
    that trials share counts with what it took where it was done, so that the ``limit`` buys as much whether it was
    found or made. All stages share it, and each judges one candidate at least.
    """

    limit: float | None = None
    params: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    warned: Counter[str] = field(default_factory=Counter)  # warnings of the candidates' fits, by class
    at_edge: dict[str, str] = field(default_factory=dict)  # those chosen at the "lowest" or "highest" of their grid
    stages: list[Mapping[str, Any]] = field(default_factory=list)  # how each searched and judged, and what it tried


def tune(trial: Trial, learner: Learner, adversary: Any) -> Choice:
    """Choose an algorithm's parameters; ``adversary`` is that of the phase ``test``, or None."""
    # Most trials tune nothing.
    from benchkit.plugin.declarations.exchanged import Distribution, TuningContext, TuningOverError

    choice = Choice(trial.algorithm.tuning_seconds)
    for number, stage in enumerate(trial.algorithm.tune):
        judge = Judge(number, choice, learner, adversary)
        space: Mapping[str, Any] = learner.grid(stage) if stage.space is None else read_space(stage.space)
        grid = None
        if not any(isinstance(values, Distribution) for values in space.values()):
            grid = list(ParameterGrid({name: list(values) for name, values in space.items()}))
        context = TuningContext(space, grid, stage.candidates, judge.n_rows, judge.seed, judge)
        stopped = True
        with suppress(TuningOverError):
            registry(trial.plugins).tuners[stage.search].make(**stage.options)(context)
            stopped = False
        if (best := best_of(judge.tried)) is None:
            raise ValueError(f"the tuning grid of {trial.algorithm.label} is empty or every score is NaN")
        choice.params |= best.params
        at_earlier = {name: end for name, end in choice.at_edge.items() if name not in best.params}
        choice.at_edge = at_earlier | at_edge(choice.params, grid or ())
        judged_on = "validation" if stage.folds is None else f"{stage.folds} folds"
        facts: dict[str, Any] = {"search": stage.search, "judged_on": judged_on, "metric": judge.metric.name}
        facts |= {"limit": choice.limit, "stopped": stopped}
        choice.stages.append(facts | to_record(judge.tried, judge.sign))
    return choice


def held_parts(prepared: Prepared, folds: int | None, classify: bool, seed: int) -> list[tuple[Part, Part, str]]:
    """Parts to fit on, the rows held out to judge each by, and names of the adversary's streams there.

    That is the validation part, or the inner folds of the training part, which keep apart what the split does.
    Preprocessing and feature values stay those of the whole training part; folds keep the proportions of classes.
    """
    train = prepared.train
    if folds is None:
        return [(train, prepared.validation, "validation")]
    if train.moments is not None:
        drawn = time_folds(train.moments, folds)
    else:
        drawn = shuffled_folds(train.groups, train.y if classify else None, len(train.y), folds, seed)
    return [(train.take(fitted), train.take(held), f"fold {number}") for number, (fitted, held) in enumerate(drawn)]


def first_rows(part: Part, count: int, classify: bool, seed: int) -> Part:
    """So many rows of a part, those of a smaller count among them; of every class one, then in proportion."""
    if count >= len(part.y):
        return part
    order = np.random.default_rng(seed).permutation(len(part.y))
    if classify:
        rank = np.empty(len(order))
        for label in np.unique(part.y):
            of_class = np.flatnonzero(part.y[order] == label)
            rank[of_class] = np.arange(len(of_class)) / len(of_class)
        order = order[np.argsort(rank, kind="stable")]
    return part.take(np.sort(order[:count]))


@dataclass(frozen=True)
class JudgedCandidate:
    """One candidate on so many rows."""

    params: Mapping[str, Any]
    loss: float  # less is better; NaN where there is none
    seconds: float  # of its fits and of its scoring
    spent: float  # seconds of the whole tuning when it had been judged, earlier stages included
    rows: int  # that it was fitted on: the smallest inner training part, where there are several


class Judge:
    """Fits candidates of a stage, scores them on what was held out, and keeps what was tried; see `TuningContext`."""

    def __init__(self, number: int, choice: Choice, learner: Learner, adversary: Any) -> None:
        trial, self.choice, self.learner, self.adversary = learner.trial, choice, learner, adversary
        self.stage, known = trial.algorithm.tune[number], registry(trial.plugins)
        self.metric: Metric = known.metrics[self.stage.metric or known.chooses(trial.metrics, trial.dataset.name)]
        self.sign = -1.0 if self.metric.greater_is_better else 1.0
        self.classify = known.datasets[trial.dataset.name].task == "classification"
        self.seed = seed_of(trial, "tuning", number)
        in_training = trial.adversary is not None and known.adversaries[trial.adversary.name].phase == "train"
        is_clean = in_training and self.stage.fit_on == "clean"
        self.prepared = prepare(replace(trial, adversary=None)) if is_clean else learner.prepared
        self.tried: list[JudgedCandidate] = []
        self.parts = held_parts(self.prepared, self.stage.folds, self.classify, self.seed)
        self.n_rows = min(len(train.y) for train, *_ in self.parts)
        self._thinking_since = time.perf_counter()

    def __call__(self, candidates: Sequence[Mapping[str, Any]], rows: int | None = None) -> list[float]:
        """Losses of candidates, fitted on so many rows."""
        limit, losses = self.choice.limit, list[float]()
        self.choice.seconds += time.perf_counter() - self._thinking_since
        # Under a limit one by one: a path of candidates that are fitted together cannot be stopped between two of them.
        batches = [list(candidates)] if limit is None else [[candidate] for candidate in candidates]
        try:
            for batch in batches:
                if limit is not None and self.choice.seconds >= limit and self.tried:
                    from benchkit.plugin.declarations.exchanged import TuningOverError

                    raise TuningOverError
                losses += self._judge(batch, rows)
            return losses
        finally:
            self._thinking_since = time.perf_counter()

    def _judge(self, candidates: Sequence[Mapping[str, Any]], rows: int | None) -> list[float]:
        trial = self.learner.trial
        params = [self.learner.params({**self.choice.params, **candidate}) for candidate in candidates]
        losses, seconds = [list[float]() for _ in params], [0.0] * len(params)
        for whole, held_out, stream in self.parts:
            train = whole if rows is None else first_rows(whole, rows, self.classify, self.seed)
            prepared = self.prepared if self.stage.folds is None else replace(self.prepared, train=train)
            fitted = self.learner.fit(params, train)
            self.choice.warned.update(fitted.warned)
            for number, model in enumerate(fitted.model):
                start = time.perf_counter()
                adversary = self.adversary if self.stage.data == "corrupted" else None
                part, truth = corrupt(trial, self.learner.prepared, adversary, model, held_out, stream)
                judged = ask(model, part, held_out, prepared, truth, {})
                losses[number].append(self.sign * score_one(self.metric, judged))
                # What a path of candidates took together is shared out alike.
                seconds[number] += time.perf_counter() - start + fitted.seconds / len(params)
        means = [fmean(of_folds) for of_folds in losses]
        taken = min(rows or self.n_rows, self.n_rows)
        for candidate, loss, cost in zip(candidates, means, seconds, strict=True):
            self.choice.seconds += cost
            self.tried.append(JudgedCandidate(dict(candidate), loss, cost, self.choice.seconds, taken))
        return means


def best_of(tried: Sequence[JudgedCandidate]) -> JudgedCandidate | None:
    """The first with the least loss of those judged on the most rows that halving came to; None where all are NaN."""
    valued = (candidate for candidate in tried if not math.isnan(candidate.loss))
    return min(valued, key=lambda candidate: (-candidate.rows, candidate.loss), default=None)


def at_edge(chosen: Mapping[str, Any], grid: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Which of the grid's parameters were chosen at an end of three numbers or more: the best value may lie beyond."""
    ends = {}
    for name in dict.fromkeys(name for candidate in grid for name in candidate):
        values = {candidate[name] for candidate in grid if isinstance(candidate.get(name), Real)}
        if len(values) > 2 and chosen[name] in (min(values), max(values)):  # of two values each is an end
            ends[name] = "lowest" if chosen[name] == min(values) else "highest"
    return ends


def to_record(tried: Sequence[JudgedCandidate], sign: float) -> dict[str, Any]:
    """What was tried as the journal keeps it, column by column.

    ``sign`` is -1 where the metric is better when greater, so that scores are the metric's own values.
    """
    kept, best = list[JudgedCandidate](), math.inf
    for number, candidate in enumerate(tried):
        is_better = candidate.loss < best
        best = candidate.loss if is_better else best
        if number < MOST or (is_better and len(kept) < 2 * MOST):
            kept.append(candidate)
    names = list(dict.fromkeys(name for candidate in kept for name in candidate.params))
    return {
        "judged": len(tried),
        "left_out": len(tried) - len(kept),
        "params": names,
        "values": [[plain(candidate.params.get(name)) for name in names] for candidate in kept],
        "scores": [None if math.isnan(candidate.loss) else _rounded(sign * candidate.loss, 6) for candidate in kept],
        "seconds": [_rounded(candidate.seconds, 3) for candidate in kept],
        "spent": [_rounded(candidate.spent, 4) for candidate in kept],
        "rows": [candidate.rows for candidate in kept],
    }


def plain(value: Any) -> Any:
    """A parameter as the record shows it."""
    if isinstance(value, np.generic | np.ndarray):
        return value.item() if isinstance(value, np.generic) else f"<array of shape {value.shape}>"
    return value if isinstance(value, str | int | float | bool | list | dict | None) else repr(value)


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
