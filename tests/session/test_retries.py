"""A trial whose process died runs again if asked; limits that contradict each other are refused."""

import pytest

from benchkit.suite.source import SuiteError

PLUGIN = """
import os
from pathlib import Path
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, hookimpl

class Shaky(ClassifierMixin, BaseEstimator):
    def __init__(self, log="", deaths=1):
        self.log, self.deaths = log, deaths
    def fit(self, X, y):
        with open(self.log, "a") as file:
            file.write("fit\\n")
        if len(Path(self.log).read_text().splitlines()) <= self.deaths:
            os._exit(9)
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="shaky", make=Shaky)]
"""


@pytest.fixture
def shaky(run, tiny, write_plugin, tmp_path):
    def run_it(deaths, **options):
        method = {"name": "shaky", "params": {"log": str(tmp_path / "log"), "deaths": deaths}}
        tiny.update(algorithms=[method], adversaries=[], split={**tiny["split"], "repetitions": 1})
        return run(plugins=[write_plugin(PLUGIN)], jobs=1, **{"executor": "local", **options})

    return run_it


def test_a_crash_is_repeated_as_often_as_asked(shaky, tmp_path):
    (row,) = shaky(3, retries=1).records
    assert (row["status"], row["error"]) == ("crashed", "the worker process died (exit code 9), 2 times")
    (row,) = shaky(3, retries=1).records
    assert row["status"] == "ok"
    assert (tmp_path / "log").read_text().count("fit") == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "inline", "timeout": 1}, "inline cannot stop a trial"),
        ({"timeout": 0}, "--timeout 0: expected more than 0"),
        ({"memory": -1}, "--memory -1: expected more than 0"),
        ({"retries": -1}, "--retries -1"),
        ({"executor": "inline", "isolate": True}, "inline has no process for each trial"),
        ({"shard": "3/2"}, "--shard 3/2: expected I/N"),
    ],
)
def test_terms_that_make_no_sense(shaky, options, message):
    with pytest.raises(SuiteError, match=message):
        shaky(0, **options)
