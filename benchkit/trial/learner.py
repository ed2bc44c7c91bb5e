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
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import joblib
import numpy as np
from filelock import FileLock
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier

from benchkit.plugin.declarations import Algorithm
from benchkit.plugin.estimators import NamedEstimator
from benchkit.plugin.manager import registry
from benchkit.suite.names import digest
from benchkit.suite.schema import Tune
from benchkit.suite.trial import Trial
from benchkit.trial import seeds
from benchkit.trial.prepared import Part, Prepared, fingerprints
from benchkit.trial.seeds import seed_of

# While another worker does the same fit: trials that differ in their budget alone often want one fit at once.
_SECONDS_BETWEEN_LOOKS = 0.002
# Fits of one trial that are held, of which tuning has chosen none yet.
_MOST = 64


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


@dataclass(eq=False)
class FitCache:
    """The fits of one trial; given a folder, shared with other trials by a file for each.

    Two processes that want the same fit at once do it once: the second waits. A process that dies while fitting
    leaves nothing behind, and its lock is released by the operating system. An adversary or a metric may change an
    estimator: the next trial reads it as it was fitted. What cannot be pickled is shared with nobody.

    ``peak_megabytes`` returns the most memory that this process has held; ``shared_cpu_seconds`` and ``shared_peak_mb``
    are what the fits took that the trial used and others had done.
    """

    folder: Path | None
    peak_megabytes: Callable[[], float | None] = lambda: None
    shared_cpu_seconds: float = 0.0
    shared_peak_mb: float = 0.0
    _fits: dict[str, Fit] = field(default_factory=dict)
    _counted: set[str] = field(default_factory=set)  # what these took is in the trial's own time, or added to it

    def fit(self, decisive: Any, make: Callable[[], Any]) -> Fit:
        """The fit that some values decide, by their content; ``make`` makes it where it is not there yet.

        Warnings are kept with it: a trial that shares it did not converge either.
        """
        key = str(joblib.hash(decisive, hash_name="sha1"))
        if key not in self._fits:
            self._fits[key] = self._make(key, make) if self.folder is None else self._share(self.folder, key, make)
            if len(self._fits) > _MOST:
                self._fits.pop(next(iter(self._fits)))
        fit = self._fits[key]
        if key not in self._counted:
            self._counted.add(key)
            self.shared_cpu_seconds += fit.cpu_seconds
            self.shared_peak_mb = max(self.shared_peak_mb, fit.peak_mb or 0.0)
        return fit

    def _share(self, folder: Path, key: str, make: Callable[[], Any]) -> Fit:
        """What another trial has fitted; else fit, while nobody else does, and unless another has done it meanwhile."""
        path = folder / f"{key}.joblib"
        if (stored := _read(path)) is not None:
            return stored
        lock = FileLock(path.with_suffix(".lock"))
        try:
            lock.acquire(poll_interval=_SECONDS_BETWEEN_LOOKS)  # makes the folder
        except OSError:  # nothing can be shared here
            return self._make(key, make)
        try:
            if (stored := _read(path)) is None:
                stored = self._make(key, make)
                # Whole or, as on a full disk, not at all, from a file that nobody else may open. Pickling raises
                # anything, and removing the file raises where it has been renamed.
                with suppress(Exception), NamedTemporaryFile(suffix=".partial", dir=folder) as file:
                    file.write(pickle.dumps(stored, pickle.HIGHEST_PROTOCOL))
                    file.flush()
                    os.fchmod(file.fileno(), 0o644)
                    os.replace(file.name, path)
        finally:
            lock.release()
        # Whoever still waits on this lock, or makes it anew, finds the fit.
        Path(lock.lock_file).unlink(missing_ok=True)
        return stored

    def _make(self, key: str, make: Callable[[], Any]) -> Fit:
        """Fit, and count warnings of each class; the first of each is shown as usual, what a filter ignores is not."""
        warned: Counter[str] = Counter()
        start, cpu_start = time.perf_counter(), time.process_time()
        with warnings.catch_warnings():
            show = warnings.showwarning

            def count(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
                if category.__name__ not in warned:
                    show(message, category, *where, **more)
                warned[category.__name__] += 1

            warnings.simplefilter("always")
            warnings.showwarning = count
            model = make()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        self._counted.add(key)
        return Fit(model, seconds, dict(warned), cpu_seconds, self.peak_megabytes())


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
    """Makes and fits the trial's algorithm.

    ``instead`` is what is fitted instead, where the adversary may take all features and the algorithm declares it;
    ``sources`` a hash of the code of the algorithm, and of those within it.
    """

    def __init__(self, trial: Trial, prepared: Prepared, fit_cache: FitCache) -> None:
        self.trial, self.prepared, self.fit_cache = trial, prepared, fit_cache
        declared, code = registry(trial.plugins).algorithms, fingerprints(trial.plugins)
        self.algorithm: Algorithm = declared[trial.algorithm.name]
        names = (trial.algorithm.name, *code.within(trial))
        self.sources = digest([code.protocol, *(code.code("algorithm", name) for name in names)], 64)
        self._random_state = seed_of(trial, "algorithm")
        amount, total = self.params({}).get(self.algorithm.budget_param or ""), float(prepared.values.sum())
        takes_all = isinstance(amount, int | float) and total > 0 and abs(amount - total) <= 1e-9 * total
        name = self.algorithm.at_all_features
        self.instead: Algorithm | None = declared[name] if name is not None and takes_all else None

    def params(self, candidate: Mapping[str, Any]) -> dict[str, Any]:
        """Constructor parameters: the declaration's, overridden by the suite's, overridden by a tuning candidate."""
        declared = self.algorithm
        told: dict[str | None, Any] = {declared.budget_param: self.prepared.budget} if self.trial.adversary else {}
        told[declared.values_param] = self.prepared.values
        if self.prepared.data.groups:
            told[declared.groups_param] = self.prepared.data.groups
        params: dict[str, Any] = {name: value for name, value in told.items() if name is not None}
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
        stages, (train, validation) = self.trial.algorithm.tune, (self.prepared.train, self.prepared.validation)
        if not stages or stages[-1].refit == "train":
            return train
        stack = sparse.vstack if sparse.issparse(train.X) else np.concatenate
        X, raw = stack([train.X, validation.X]), stack([train.raw, validation.raw])
        return Part(X, np.concatenate([train.y, validation.y]), raw)

    def fit(self, candidates: Sequence[Mapping[str, Any]], part: Part) -> Fit:
        """Fitted estimators of some parameters, in a list, shared with other trials.

        Those of one budget are one path, where one is declared: trials of other budgets that try the same share it.
        """
        path = self.algorithm.fit_path if self.instead is None else None
        of_path: dict[Any, list[int]] = {}
        for number, params in enumerate(candidates):
            group = number if path is None else params.get(self.algorithm.budget_param or "")
            of_path.setdefault(group, []).append(number)
        models, fits = [None] * len(candidates), list[Fit]()
        for numbers in of_path.values():
            together = [dict(candidates[number]) for number in numbers]
            decisive = (self.sources, together, self._random_state, part.content)
            make = partial(self._fit, together[0], part)
            if path is not None and len(together) > 1:
                make = partial(path, [self._new(params) for params in together], part.X, part.y)
            fits.append(self.fit_cache.fit(decisive, make))
            fitted = [fits[-1].model] if len(together) == 1 else list(fits[-1].model)
            if (given := len(fitted)) != len(together):
                raise ValueError(f"fit_path of {self.algorithm.name} returned {given} of {len(together)} estimators")
            for number, model in zip(numbers, fitted, strict=True):
                models[number] = model
        warned = sum((Counter(fit.warned) for fit in fits), Counter[str]())
        return Fit(models, sum(fit.seconds for fit in fits), dict(warned))

    def _fit(self, params: Mapping[str, Any], part: Part) -> Any:
        seeds.seed_global(self._random_state)  # a fit that trials share must not depend on which comes first
        name, estimator = self.algorithm.name, self._new(params)
        try:
            fitted = estimator.fit(part.X, part.y)
        except ValueError as error:
            if "read-only" in str(error):
                reason = f"{name} writes to the data it is given ({error}): let fit work on a copy of X and y"
                raise ValueError(reason) from error
            # What refuses the data's own classes is given 0, 1, ...; what refuses these too says why it refused those.
            estimator, classes = self._new(params), np.unique(part.y)
            are_codes = classes.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))
            if are_codes or not (isinstance(self.algorithm, NamedEstimator) and is_classifier(estimator)):
                raise
            seeds.seed_global(self._random_state)
            with suppress(ValueError):
                return EncodedLabels(estimator).fit(part.X, part.y)
            raise
        if not hasattr(fitted, "predict"):
            reason = f"fit of {name} returned a {type(fitted).__name__}, expected the estimator"
            raise TypeError(f"{reason}: end it with 'return self'")
        return fitted

    def _new(self, params: Mapping[str, Any]) -> Any:
        if self.instead is not None:
            return self.instead.make()
        estimator = self.algorithm.make(**params)
        if "random_state" in estimator.get_params(deep=False) and "random_state" not in params:
            estimator.set_params(random_state=self._random_state)
        return estimator
