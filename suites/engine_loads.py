"""Plugin of `bench-engine`'s inner runs: algorithms that are only there to load the engine, and a clock."""

import json
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from benchkit import Algorithm, hookimpl

_finished = []


class Load(ClassifierMixin, BaseEstimator):
    """Learns nothing, by CPU work or by sleep of so many seconds.

    Parameters
    ----------
    cpu, sleep : float, default=0.0
    number : int, default=0
        Of no effect.
    """

    def __init__(self, cpu=0.0, sleep=0.0, number=0):
        self.cpu, self.sleep, self.number = cpu, sleep, number

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        self.classes_ = np.unique(y)
        until = time.process_time() + self.cpu
        while time.process_time() < until:
            sum(range(1000))
        time.sleep(self.sleep)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="load", make=Load, summary="Learns nothing, slowly.")]


@hookimpl
def benchkit_trial_finished():
    _finished.append(time.monotonic())


@hookimpl
def benchkit_run_finished(run):
    (run.folder / "finished.json").write_text(json.dumps(_finished))
    _finished.clear()
