"""Fitting the method of a trial: what it is made with, fits that trials share, and what stands in for it."""

from __future__ import annotations

import os
import pickle
import stat
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from filelock import FileLock
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier

from benchkit.data.columns import TableColumns
from benchkit.plugin.declarations import Algorithm
from benchkit.plugin.estimators import FittedAlgorithm, NamedEstimator
from benchkit.plugin.manager import registry
from benchkit.suite.schema import Tune
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.prepared import Part, Prepared, fingerprints
from benchkit.trial.seeds import seed_of

# While another worker does the same fit: trials that differ in their budget alone often want one fit at once.
_SECONDS_BETWEEN_LOOKS = 0.002
# Fits of one trial that are held, of which tuning has chosen none yet.
_MOST = 64


def watch(call: Callable[[], Any]) -> tuple[Any, dict[str, int]]:
    """What a call returns, and how many warnings of each class it raised; the first of each is also shown as usual.

    What the called code ignores by a filter stays ignored.
    """
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def count(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if category.__name__ not in counts:
                show(message, category, *where, **more)
            counts[category.__name__] += 1

        warnings.simplefilter("always")
        warnings.showwarning = count
        return call(), dict(counts)


def fit_key(sources: str, params: Mapping[str, Any], data: str) -> str:
    """Key of a fit: of code, parameters (by content) and data (its digest)."""
    hashed: str = joblib.hash((sources, dict(params), data), hash_name="sha1")
    return hashed


@dataclass(frozen=True)
class Fit:
    """A fitted estimator (or several), how many warnings of each class that raised, and what it took, wherever it was.

    That is wall and processor time, and the most memory that the process held.
    """

    model: Any
    seconds: float
    warned: Mapping[str, int]
    cpu_seconds: float = 0.0
    peak_mb: float | None = None


class FitCache:
    """The fits of one trial; given a folder, shared with other trials by a file for each.

    Two processes that want the same fit at once do it once: the second waits. A process that dies while fitting
    leaves nothing behind, and its lock is released by the operating system. An adversary or a metric may change an
    estimator: the next trial reads it as it was fitted. What cannot be pickled is shared with nobody.

    ``peak_megabytes`` returns the most memory that this process has held; ``shared_cpu_seconds`` and ``shared_peak_mb``
    are what the fits took that the trial used and others had done.
    """

    def __init__(self, folder: Path | None, peak_megabytes: Callable[[], float | None] = lambda: None) -> None:
        self.folder, self._peak_megabytes = folder, peak_megabytes
        self._fits: dict[str, Fit] = {}
        self._counted: set[str] = set()  # what these took is in the trial's own time, or added to it
        self.shared_cpu_seconds = self.shared_peak_mb = 0.0

    def fit(self, key: str, make: Callable[[], Any]) -> Fit:
        """The fit with this key; ``make`` makes it where it is not there yet.

        Warnings are kept with it: a trial that shares it did not converge either.
        """
        if key not in self._fits:
            self._fits[key] = self._shared(key, make)
            if len(self._fits) > _MOST:
                self._fits.pop(next(iter(self._fits)))
        fit = self._fits[key]
        if key not in self._counted:
            self._counted.add(key)
            self.shared_cpu_seconds += fit.cpu_seconds
            self.shared_peak_mb = max(self.shared_peak_mb, fit.peak_mb or 0.0)
        return fit

    def _shared(self, key: str, make: Callable[[], Any]) -> Fit:
        """What another trial has fitted; else fit, while nobody else does, and unless another has done it meanwhile."""
        if self.folder is None:
            return self._fit(key, make)
        path = self.folder / f"{key}.joblib"
        if (stored := _read(path)) is not None:
            return stored
        lock = FileLock(path.with_suffix(".lock"))
        try:
            lock.acquire(poll_interval=_SECONDS_BETWEEN_LOOKS)  # makes the folder
        except OSError:  # nothing can be shared here
            return self._fit(key, make)
        try:
            if (stored := _read(path)) is None:
                stored = self._fit(key, make)
                _write(path, stored)
        finally:
            lock.release()
        # Whoever still waits on this lock, or makes it anew, finds the fit.
        Path(lock.lock_file).unlink(missing_ok=True)
        return stored

    def _fit(self, key: str, make: Callable[[], Any]) -> Fit:
        start, cpu_start = time.perf_counter(), time.process_time()
        model, warned = watch(make)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        self._counted.add(key)
        return Fit(model, seconds, warned, cpu_seconds, self._peak_megabytes())


def _read(path: Path) -> Fit | None:
    """A fit that was done before; None where there is none, or a file that is damaged, or may be another user's.

    Unpickling can execute anything: in a folder that others may write to, they could have put it there.
    """
    try:
        state = path.lstat()
        if state.st_uid not in (os.getuid(), 0) or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return None
        stored = pickle.loads(path.read_bytes()) if stat.S_ISREG(state.st_mode) else None
    except Exception:  # a damaged pickle raises anything
        return None
    return stored if isinstance(stored, Fit) else None


def _write(path: Path, stored: Fit) -> None:
    """Write a fit whole or, as on a full disk, not at all; nobody else may change it."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        content = pickle.dumps(stored, pickle.HIGHEST_PROTOCOL)
        # Through no link that somebody else has put there, and writable by nobody else from its first moment on.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(partial, flags, 0o644), "wb") as file:
            file.write(content)
        partial.replace(path)
    except Exception:  # pickling raises anything
        with suppress(OSError):
            partial.unlink(missing_ok=True)


class EncodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier of 0, 1, ... as one of the classes that the data has.

    The codes are those of the classes in the training part, so that none of them is without a row; ``classes_`` has
    the order of the columns that ``predict_proba`` gives.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: np.ndarray) -> EncodedLabels:
        """Fit the estimator to the classes' codes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.estimator.fit(X, codes)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Classes, of shape (n_samples,)."""
        codes = np.asarray(self.estimator.predict(X)).reshape(-1)
        return np.asarray(self.classes_[codes.astype(int)])

    def __getattr__(self, name: str) -> Any:
        """What else the estimator has: ``predict_proba``, ``coef_`` and the like, for what asks whether it is there."""
        if name == "estimator" or name.startswith("__"):  # before it is set, as when it is unpickled
            raise AttributeError(name)
        return getattr(self.estimator, name)


class Learner:
    """Makes and fits the trial's algorithm."""

    def __init__(self, trial: Trial, prepared: Prepared, fit_cache: FitCache) -> None:
        self.trial, self.prepared, self.fit_cache = trial, prepared, fit_cache
        self.algorithm: Algorithm = registry(trial.plugins).algorithms[trial.algorithm.name]
        self._sources = fingerprints(trial.plugins).method(trial)
        self._random_state = seed_of(trial, "algorithm")

    @cached_property
    def instead(self) -> Algorithm | None:
        """What is fitted instead, where the adversary may take all features and the algorithm declares it."""
        name = self.algorithm.at_all_features
        amount = self.params({}).get(self.algorithm.budget_param or "")
        total = float(self.prepared.values.sum())
        if name is None or not isinstance(amount, int | float) or total <= 0 or abs(amount - total) > 1e-9 * total:
            return None
        return registry(self.trial.plugins).algorithms[name]

    def params(self, candidate: Mapping[str, Any]) -> dict[str, Any]:
        """Constructor parameters: the declaration's, overridden by the suite's, overridden by a tuning candidate."""
        declared = self.algorithm
        params: dict[str, Any] = {}
        if declared.budget_param is not None and self.trial.adversary is not None:
            params[declared.budget_param] = self.prepared.budget
        if declared.values_param is not None:
            params[declared.values_param] = self.prepared.values
        if declared.groups_param is not None and self.prepared.data.groups:
            params[declared.groups_param] = self.prepared.data.groups
        if isinstance(declared, FittedAlgorithm):
            task = registry(self.trial.plugins).datasets[self.trial.dataset.name].task
            params |= {"path": declared.path, "table": TableColumns.of(self.prepared.data, task)}
        placeholders = {"$budget": self.prepared.budget, "$axis": self.trial.axis_value}
        for name, value in {**self.trial.algorithm.params, **candidate}.items():
            params[name] = placeholders.get(value, value) if isinstance(value, str) else value
        return params

    def grid(self, stage: Tune) -> Mapping[str, Sequence[Any]]:
        """The values that a stage tries of each parameter: the suite's, or the declaration's."""
        if isinstance(stage.grid, Mapping):
            return stage.grid
        n_features, total = len(self.prepared.values), float(self.prepared.values.sum())
        budget = self.params({}).get(self.algorithm.budget_param or "", self.prepared.budget)
        return self.algorithm.default_grid(n_features, total, budget)

    def refit_on(self) -> Part:
        """What the chosen parameters are fitted on."""
        stages, prepared = self.trial.algorithm.tune, self.prepared
        if not stages or stages[-1].refit == "train":
            return prepared.train
        parts = (prepared.train, prepared.validation)
        stack = sparse.vstack if sparse.issparse(prepared.train.X) else np.concatenate
        X, raw = stack([part.X for part in parts]), stack([part.raw for part in parts])
        return Part(X, np.concatenate([part.y for part in parts]), raw)

    def fit(self, params: Mapping[str, Any], part: Part) -> Fit:
        """A fitted estimator, shared with other trials."""
        return self._shared([params], part, lambda: self._fit(params, part))

    def fit_candidates(self, candidates: Sequence[Mapping[str, Any]], part: Part) -> Fit:
        """Fitted estimators for model selection, in a list; by a path where one is declared.

        Candidates of one budget are one path: trials of other budgets that try the same share it.
        """
        path = self.algorithm.fit_path if self.instead is None else None
        of_budget: dict[Any, list[int]] = {}
        for number, params in enumerate(candidates):
            of_budget.setdefault(params.get(self.algorithm.budget_param or ""), []).append(number)
        models: dict[int, Any] = {}
        fits: list[Fit] = []
        for numbers in of_budget.values():
            together = [candidates[number] for number in numbers]
            if path is None or len(together) < 2:
                own = [self.fit(params, part) for params in together]
                fitted = [fit.model for fit in own]
            else:
                make = partial(path, [self._new(params) for params in together], part.X, part.y)
                own = [self._shared([{"": "path"}, *together], part, make)]
                fitted = list(own[0].model)
            if len(fitted) != len(together):
                raise ValueError(
                    f"fit_path of {self.algorithm.name} returned {len(fitted)} of {len(together)} estimators"
                )
            models |= dict(zip(numbers, fitted, strict=True))
            fits += own
        warned = sum((Counter(fit.warned) for fit in fits), Counter[str]())
        return Fit([models[number] for number in range(len(candidates))], sum(fit.seconds for fit in fits), warned)

    def _shared(self, params: Sequence[Mapping[str, Any]], part: Part, make: Callable[[], Any]) -> Fit:
        warm_up(self.trial.plugins, self.algorithm.name)
        decisive = {str(position): dict(each) for position, each in enumerate(params)}
        key = fit_key(self._sources, {**decisive, "": self._random_state}, part.content)
        return self.fit_cache.fit(f"{key}-fit", make)

    def _fit(self, params: Mapping[str, Any], part: Part) -> Any:
        seeds.seed_global(self._random_state)  # a fit that trials share must not depend on which comes first
        try:
            fitted = self._new(params).fit(part.X, part.y)
        except ValueError as error:
            if "read-only" not in str(error):
                return self._fit_encoded(params, part, error)
            raise ValueError(
                f"{self.algorithm.name} writes to the data it is given ({error}): let fit work on a copy of X and y"
            ) from error
        if not hasattr(fitted, "predict"):
            kind = type(fitted).__name__
            raise TypeError(
                f"fit of {self.algorithm.name} returned a {kind}, expected the estimator: end it with 'return self'"
            )
        return fitted

    def _fit_encoded(self, params: Mapping[str, Any], part: Part, error: ValueError) -> Any:
        """Fit to classes 0, 1, ... what refuses the data's own; what refuses these too says why it refused those."""
        estimator, classes = self._new(params), np.unique(part.y)
        are_codes = classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))
        if are_codes or not (isinstance(self.algorithm, NamedEstimator) and is_classifier(estimator)):
            raise error
        seeds.seed_global(self._random_state)
        try:
            return EncodedLabels(estimator).fit(part.X, part.y)
        except ValueError:
            raise error from None

    def _new(self, params: Mapping[str, Any]) -> Any:
        if self.instead is not None:
            return self.instead.make()
        estimator = self.algorithm.make(**params)
        if "random_state" in estimator.get_params(deep=False) and "random_state" not in params:
            estimator.set_params(random_state=self._random_state)
        nested = estimator.get_params(deep=True) if isinstance(self.algorithm, NamedEstimator) else {}
        unset = [name for name, value in nested.items() if name.endswith("__random_state") and value is None]
        return estimator.set_params(**dict.fromkeys(unset, self._random_state)) if unset else estimator


@cache
def warm_up(plugins: tuple[str, ...], name: str) -> None:
    """Call an algorithm's warm-up, where it has one, once in this process."""
    algorithm = registry(plugins).algorithms[name]
    if algorithm.warm_up is not None:
        algorithm.warm_up()
