"""Runs of the tiny suite, and a method whose fits take as long, and end, as a test asks."""

import pytest

import benchkit

METHOD = """
import os
import time
from pathlib import Path
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, Metric, hookimpl

class Drawn(ClassifierMixin, BaseEstimator):
    def __init__(self, mean=0.0, sd=1.0, seconds=0.0, error="", log="", deaths=0, random_state=0):
        self.mean, self.sd, self.seconds, self.error = mean, sd, seconds, error
        self.log, self.deaths, self.random_state = log, deaths, random_state
    def fit(self, X, y):
        time.sleep(self.seconds)
        if self.error:
            raise RuntimeError(self.error)
        if self.log:
            with open(self.log, "a") as file:
                file.write("fit\\n")
            if len(Path(self.log).read_text().splitlines()) <= self.deaths:
                os._exit(9)
        self.classes_ = np.unique(y)
        self.value_ = np.random.default_rng([self.random_state, round(100 * self.mean)]).normal(self.mean, self.sd)
        return self
    def predict(self, X):
        return np.random.default_rng(self.random_state).choice(self.classes_, len(X))

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="drawn", make=Drawn)]

@hookimpl
def benchkit_metrics():
    return [Metric(name="drawn-value", compute=lambda context: context.model.value_)]
"""


@pytest.fixture(scope="session")
def method(tmp_path_factory):
    """The file of the plugin that declares it."""
    path = tmp_path_factory.mktemp("method") / "my_plugin.py"
    path.write_text(METHOD)
    return path


@pytest.fixture
def run(tiny, write_suite, tmp_path):
    """Run the tiny suite, as a test has changed it, in this process."""

    def run_it(**options):
        settings = {"out": tmp_path / "runs", "executor": "inline", "tracking": False, **options}
        return benchkit.run(write_suite(tiny), **settings)

    return run_it
