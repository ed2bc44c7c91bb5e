"""A method whose fit does what a test says."""

import pytest

PLUGIN = """
import ctypes, os, random, shutil, signal, subprocess, sys, tempfile, threading, time
import numpy as np
import threadpoolctl
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, Metric, hookimpl

def spin():
    while True: pass

class Doing(ClassifierMixin, BaseEstimator):
    def __init__(self, code="", number=0):
        self.code, self.number = code, number
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        exec(self.code, {**globals(), "self": self, "X": X})
        self.random_ = np.random.random() + random.random()
        return self
    def predict(self, X):
        return np.full(len(X), self.classes_[0])

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="doing", make=Doing), Algorithm(name="broken", make=Doing, warm_up=lambda: 1 / 0)]

@hookimpl
def benchkit_metrics():
    return [
        Metric(name="drawn", compute=lambda e: e.model.random_ + np.random.random()),
        Metric(name="pid", compute=lambda e: os.getpid()),
        Metric(name="seen", compute=lambda e: float(e.X_train.sum() + e.X.sum())),
    ]
"""


def doing(label, code="", **params):
    """An entry of a suite: the method, whose fit runs some code."""
    return {"name": "doing", "label": label, "params": {"code": code, **params}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the plugin, ``plugin.py``."""
    folder = tmp_path_factory.mktemp("doing")
    (folder / "plugin.py").write_text(PLUGIN)
    return folder
