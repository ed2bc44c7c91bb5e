"""Tuning: which candidates are tried, and which of them is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from sklearn.model_selection import ParameterGrid

from benchkit.plugin.declarations import Distribution, TuningContext, TuningOverError
from benchkit.plugin.manager import Registry
from benchkit.suite.entries import read_space
from benchkit.suite.schema import Tune
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.attack import Attacker
from benchkit.trial.learner import Learner
from benchkit.trial.prepared import Prepared
from benchkit.trial.tuning_scores import Judge, TuningClock

# Of two values each is an end: only a longer grid can be too short.
_GRID_WITH_ENDS = 3


@dataclass(frozen=True)
class Choice:
    """What tuning chose.

    Attributes
    ----------
    params : dict
        The chosen candidate's.
    seconds : float
        Wall seconds that choosing took.
    warned : mapping of str to int
        Warnings of the candidates' fits, by class.
    at_edge : mapping of str to {"lowest", "highest"}
        Parameters chosen at an end of their grid, where that has three numbers or more: the best value may lie beyond.
    tried : list of dict
        For each stage what was tried, as `benchkit.trial.tuning_scores.Tried.to_record` tells it, how it was searched
        and judged, and whether the suite's seconds ended it.
    """

    params: dict[str, Any]
    seconds: float
    warned: Mapping[str, int]
    at_edge: Mapping[str, str]
    tried: Sequence[Mapping[str, Any]] = ()


def tune(trial: Trial, learner: Learner, attacker: Attacker, registry: Registry, untouched: Prepared) -> Choice:
    """Choose an algorithm's parameters.

    Each stage keeps what the stages before it chose. The suite's ``tuning_seconds`` are those of all stages together;
    every stage judges one candidate at least.

    Parameters
    ----------
    trial : Trial
    learner : Learner
    attacker : Attacker
    registry : Registry
    untouched : Prepared
        The data as it is without an adversary of phase ``train``, for stages that fit on it.
    """
    chosen: dict[str, Any] = {}
    warned, at_edge = Counter[str](), dict[str, str]()
    clock = TuningClock(trial.algorithm.tuning_seconds)
    classify = registry.datasets[trial.dataset.name].task == "classification"
    tried = []
    for number, stage in enumerate(trial.algorithm.tune):
        prepared = untouched if stage.fit_on == "clean" else learner.prepared
        metric = registry.metrics[stage.metric or trial.metrics[0]]
        names = ("tuning", trial.dataset.identity, trial.repetition, trial.algorithm.name, number)
        seed = seeds.integer(trial.seed, *names)
        judge = Judge(stage, metric, chosen, prepared, learner, attacker, clock, classify, seed)
        context = _context(stage, learner, judge, seed)
        try:
            registry.tuners[stage.search].make(**stage.options)(context)
        except TuningOverError:
            judge.tried.stopped = True
        best = judge.tried.best()
        if best is None:
            raise ValueError(f"the tuning grid of {trial.algorithm.label} is empty or every score is NaN")
        chosen = {**chosen, **best.params}
        warned.update(judge.warned)
        at_edge |= _at_edge(chosen, context.grid or ())
        tried.append(_record(stage, judge, metric.name, clock))
    return Choice(chosen, clock.spent, warned, at_edge, tried)


def _context(stage: Tune, learner: Learner, judge: Judge, seed: int) -> TuningContext:
    space: Mapping[str, Any] = learner.grid(stage) if stage.space is None else read_space(stage.space)
    listed = not any(isinstance(values, Distribution) for values in space.values())
    grid = list(ParameterGrid({name: list(values) for name, values in space.items()})) if listed else None
    return TuningContext(
        space=space, grid=grid, candidates=stage.candidates, n_rows=judge.n_rows, random_state=seed, judge=judge
    )


def _record(stage: Tune, judge: Judge, metric: str, clock: TuningClock) -> dict[str, Any]:
    how = {
        "search": stage.search,
        "judged_on": "validation" if stage.folds is None else f"{stage.folds} folds",
        "metric": metric,
        "limit": clock.limit,
        "stopped": judge.tried.stopped,
    }
    return how | judge.tried.to_record(judge.sign)


def _at_edge(chosen: Mapping[str, Any], grid: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Which of the grid's parameters were chosen at an end of their numbers."""
    ends = {}
    for name in dict.fromkeys(name for candidate in grid for name in candidate):
        values = {candidate[name] for candidate in grid if isinstance(candidate.get(name), Real)}
        if len(values) >= _GRID_WITH_ENDS and chosen[name] in (min(values), max(values)):
            ends[name] = "lowest" if chosen[name] == min(values) else "highest"
    return ends
