"""The trial's algorithm: its parameters, its tuning grid, its fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import ParameterGrid

from benchkit.plugin.declarations import Algorithm, Dataset, NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.suite.plan import Trial
from benchkit.suite.schema import Tune
from benchkit.trial import seeds
from benchkit.trial.memo import Memo
from benchkit.trial.prepared import Part, Prepared, fingerprints


class Learner:
    """Makes and fits the trial's algorithm."""

    def __init__(self, trial: Trial, algorithm: Algorithm, prepared: Prepared, memo: Memo) -> None:
        self.trial, self.algorithm, self.prepared, self.memo = trial, algorithm, prepared, memo
        self._sources = fingerprints(trial.plugins).algorithm(algorithm.name)

    def check_accepts(self, dataset: Dataset) -> None:
        """Refuse data of a kind that the algorithm does not take."""
        name, X = self.algorithm.name, self.prepared.train.X
        if dataset.task not in self.algorithm.tasks:
            raise NotApplicableError(f"{name} does not do {dataset.task}")
        if sparse.issparse(X) and not self.algorithm.accepts_sparse:
            raise NotApplicableError(f"{name} does not take sparse data")
        entries = X.data if sparse.issparse(X) else X
        if not self.algorithm.accepts_missing and np.isnan(entries).any():
            raise NotApplicableError(f"{name} does not take missing values")

    def params(self, candidate: Mapping[str, Any]) -> dict[str, Any]:
        """Constructor parameters: the declaration's, overridden by the suite's, overridden by a tuning candidate."""
        declared = self.algorithm
        params: dict[str, Any] = {}
        if declared.budget_param is not None and self.trial.adversary is not None:
            params[declared.budget_param] = self.prepared.budget
        if declared.values_param is not None:
            params[declared.values_param] = self.prepared.values
        placeholders = {"$budget": self.prepared.budget, "$axis": self.trial.axis_value}
        for name, value in {**self.trial.algorithm.params, **candidate}.items():
            params[name] = placeholders.get(value, value) if isinstance(value, str) else value
        return params

    def grid(self, stage: Tune) -> list[dict[str, Any]]:
        """Tuning candidates of a stage, in the order in which ties are decided."""
        if isinstance(stage.grid, Mapping):
            return list(ParameterGrid(stage.grid))
        n_features, total = len(self.prepared.values), float(self.prepared.values.sum())
        budget = self.params({}).get(self.algorithm.budget_param or "", self.prepared.budget)
        return list(
            ParameterGrid({k: list(v) for k, v in self.algorithm.default_grid(n_features, total, budget).items()})
        )

    def refit_on(self) -> Part:
        """What the chosen parameters are fitted on."""
        stages, prepared = self.trial.algorithm.tune, self.prepared
        if not stages or stages[-1].refit == "train":
            return prepared.train
        parts = (prepared.train, prepared.validation)
        stack = sparse.vstack if sparse.issparse(prepared.train.X) else np.concatenate
        X, raw = stack([part.X for part in parts]), stack([part.raw for part in parts])
        return Part(X, np.concatenate([part.y for part in parts]), raw)

    def fit(self, params: Mapping[str, Any], part: Part) -> tuple[Any, float]:
        """A fitted estimator and its fit's wall seconds, shared with other trials."""
        return self._shared([params], part, lambda: self._fit(params, part))

    def fit_candidates(self, candidates: Sequence[Mapping[str, Any]], part: Part) -> tuple[list[Any], float]:
        """Fitted estimators for model selection, and the wall seconds of all fits; a path where one is declared."""
        path = self.algorithm.fit_path
        if path is None or len(candidates) < 2:
            fits = [self.fit(params, part) for params in candidates]
            return [model for model, _ in fits], sum(seconds for _, seconds in fits)
        new = [self._new(params) for params in candidates]
        models, seconds = self._shared([{"": "path"}, *candidates], part, lambda: list(path(new, part.X, part.y)))
        if len(models) != len(candidates):
            raise ValueError(
                f"fit_path of {self.algorithm.name} returned {len(models)} of {len(candidates)} estimators"
            )
        return models, seconds

    def _shared(self, params: Sequence[Mapping[str, Any]], part: Part, make: Callable[[], Any]) -> tuple[Any, float]:
        warm_up(self.trial.plugins, self.algorithm.name)
        decisive = {str(position): dict(each) for position, each in enumerate(params)}
        key = self.memo.key(self._sources, {**decisive, "": self._random_state()}, part.content)
        return self.memo.fit(key, make)

    def _fit(self, params: Mapping[str, Any], part: Part) -> Any:
        try:
            return self._new(params).fit(part.X, part.y)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise ValueError(
                f"{self.algorithm.name} writes to the data it is given ({error}): let fit work on a copy of X and y"
            ) from error

    def _new(self, params: Mapping[str, Any]) -> Any:
        estimator = self.algorithm.make(**params)
        if "random_state" in estimator.get_params(deep=False) and "random_state" not in params:
            estimator.set_params(random_state=self._random_state())
        return estimator

    def _random_state(self) -> int:
        trial = self.trial
        return seeds.integer(trial.seed, "algorithm", trial.dataset.identity, trial.repetition, self.algorithm.name)


@cache
def warm_up(plugins: tuple[str, ...], name: str) -> None:
    """Call an algorithm's warm-up, where it has one, once in this process."""
    algorithm = registry(plugins).algorithms[name]
    if algorithm.warm_up is not None:
        algorithm.warm_up()
