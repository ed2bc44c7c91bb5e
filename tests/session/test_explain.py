"""The reason why each trial runs, by causing each."""

import sys

import pytest

from benchkit.identity import installed
from benchkit.session.explain import combinations
from benchkit.session.options import Request
from benchkit.session.plan import plan_suite
from benchkit.session.run import run

PLUGIN = """
from benchkit import Algorithm, Dataset, DataFile, hookimpl

@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(name="mine", make="explained_package.mine:Mine"),
        Algorithm(name="other", make="explained_package.other:Other"),
    ]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="numbers", load="explained_package.numbers:load", files=[DataFile(name="numbers.txt")])]
"""
ESTIMATOR = """
import numpy
from sklearn.base import BaseEstimator, ClassifierMixin
class {name}(ClassifierMixin, BaseEstimator):
    def __init__(self, C=1):
        self.C = C
    def fit(self, X, y):
        if self.C == 13:
            raise ValueError("unlucky")
        self.classes_ = numpy.unique(y)
        return self
    def predict(self, X):
        return numpy.full(len(X), self.classes_[0])
"""
NUMBERS = """
import numpy
from benchkit import Data, require_file
def load():
    X = numpy.loadtxt(require_file("numbers.txt")).reshape(-1, 1)
    return Data(X=X, y=numpy.where(numpy.arange(len(X)) % 2, 1, -1))
"""


@pytest.fixture
def suite(tmp_path, monkeypatch, write_plugin, write_suite):
    """Arguments of `plan` for a suite that ran once, and the folder of its sources."""
    for name in [name for name in sys.modules if name.startswith("explained_package")]:
        monkeypatch.delitem(sys.modules, name)  # of another test's folder
    folder = tmp_path / "explained_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "mine.py").write_text(ESTIMATOR.format(name="Mine"))
    (folder / "other.py").write_text(ESTIMATOR.format(name="Other"))
    (folder / "numbers.py").write_text(NUMBERS)
    monkeypatch.syspath_prepend(tmp_path)
    data = tmp_path / "data"
    data.mkdir()
    (data / "numbers.txt").write_text("\n".join(map(str, range(40))))
    monkeypatch.setenv("BENCHKIT_DATA", str(data))
    content = {
        "name": "s",
        "datasets": ["numbers"],
        "algorithms": [
            "mine",
            {"name": "other", "params": {"C": 2}},
            {"name": "other", "label": "bad", "params": {"C": 13}},
        ],
        "split": {"repetitions": 2},
    }
    arguments = {"suite": write_suite(content), "plugins": [write_plugin(PLUGIN)], "out": tmp_path / "runs"}
    run(**arguments, executor="inline", tracking=False)
    return arguments, tmp_path


def reasons(arguments, **changes):
    return {
        row["algorithm"]: row["reason"]
        for row in combinations(plan_suite(Request(**arguments, **changes)), explain=True)
    }


def test_reused_and_failed(suite):
    arguments, _ = suite
    assert reasons(arguments) == {"mine": "reused", "other": "reused", "bad": "failed before"}
    rows = combinations(plan_suite(Request(**arguments)))
    counts = [(row["algorithm"], row["trials"], row["reused"]) for row in rows]
    assert counts == [("mine", 2, 2), ("other", 2, 2), ("bad", 2, 0)]


def test_a_source_and_a_data_file(suite):
    arguments, folder = suite
    with (folder / "explained_package" / "mine.py").open("a") as file:
        file.write("# a comment\n")
    assert reasons(arguments)["mine"] == "reused"
    with (folder / "explained_package" / "mine.py").open("a") as file:
        file.write("line = 1\n")
    assert reasons(arguments) == {
        "mine": "code of explained_package.mine changed",
        "other": "reused",
        "bad": "failed before",
    }
    with (folder / "data" / "numbers.txt").open("a") as file:
        file.write("\n41\n")
    found = reasons(arguments)
    assert found["mine"] == "data file numbers.txt changed; code of explained_package.mine changed"
    assert found["other"] == "data file numbers.txt changed"


def test_a_version(suite, monkeypatch):
    arguments, _ = suite
    real = installed.installed_versions()
    monkeypatch.setattr(installed, "installed_versions", lambda: {**real, "numpy": "0"})
    assert reasons(arguments)["mine"] == f"version of numpy changed ({real['numpy']} -> 0)"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"seed": 3}, "seed changed"),
        ({"split.train": 0.6}, "split changed"),
        ({"split.repetitions": 3}, ["reused", "new"]),
        ({"algorithms": [{"name": "mine", "params": {"C": 3}}]}, "settings of mine changed"),
        ({"algorithms": [{"name": "mine", "label": "mine-too"}]}, "reused"),
        ({"algorithms": [{"name": "mine", "label": "mine-too", "params": {"C": 4}}]}, "new"),
    ],
)
def test_settings(suite, settings, reason):
    arguments, _ = suite
    plan = plan_suite(Request(**arguments, settings=settings))
    rows = [row["reason"] for row in combinations(plan, explain=True) if row["algorithm"].startswith("mine")]
    assert rows == ([reason] if isinstance(reason, str) else reason)
