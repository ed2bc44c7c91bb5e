"""A plan tells what its trials will skip for want of packages, of scores, or of the metric's task."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchkit.environment import place
from benchkit.plugin.declarations import Environment
from benchkit.session.options import Request
from benchkit.session.plan import plan_suite
from benchkit.suite.source import SuiteError

SUITE = """\
name: own
datasets: [{name: csv, path: t.csv, target: y, label: t}]
split: {repetitions: 1, train: 0.5, validation: 0.25, test: 0.25}
algorithms:
  - logistic-regression
  - random-forest
  - {estimator: "sklearn.neighbors:KNeighborsClassifier", label: knn}
adversaries:
  - {name: greedy-delete, budgets: [0, 1]}
  - {name: query-delete, budgets: [0, 1]}
metrics: [error]
"""


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
    frame.assign(y=np.where(frame.a > 0, "yes", "no")).to_csv("t.csv", index=False)


def warnings_of(text):
    Path("own.yaml").write_text(text)
    return list(plan_suite(Request("own.yaml")).warnings)


def test_a_method_whose_class_gives_no_scores():
    suite = """\
name: own
datasets: [{name: csv-regression, path: t.csv, target: c, label: t, drop: y}]
split: {repetitions: 1, train: 0.5, validation: 0.25, test: 0.25}
algorithms: [lasso, {estimator: "sklearn.neighbors:KNeighborsRegressor", label: knn}]
adversaries: [{name: query-delete, budgets: [0, 1]}]
metrics: [r2]
"""
    (line,) = warnings_of(suite)
    assert line.startswith("query-delete needs scores")
    assert "lasso, knn" in line


ANSWERS_ALONE = """
from sklearn.base import BaseEstimator, ClassifierMixin

class Alone(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = sorted(set(y))
        return self

    def predict(self, X):
        return [self.classes_[0]] * len(X)
"""


def test_an_adversary_that_needs_a_decision_function(tmp_path, monkeypatch):
    (tmp_path / "answers_alone.py").write_text(ANSWERS_ALONE)
    monkeypatch.syspath_prepend(tmp_path)
    (line,) = warnings_of(SUITE.replace("sklearn.neighbors:KNeighborsClassifier", "answers_alone:Alone"))
    assert line.startswith("query-delete needs scores")
    assert "knn" in line


def test_a_metric_of_another_task():
    text = SUITE.replace("greedy", "random").replace("[error]", "[error, mean-absolute-error]")
    assert warnings_of(text) == [
        "metric mean-absolute-error does not judge classes, as the data holds: it has no value; leave it out"
    ]


def test_a_method_without_its_packages(monkeypatch):
    monkeypatch.setattr("benchkit.environment.place.is_satisfied_here", lambda environment: False)
    monkeypatch.setattr("benchkit.environment.place.find_environment", lambda environment: None)
    (line,) = warnings_of(SUITE.replace("greedy", "random").replace("random-forest", "xgboost"))
    assert line.startswith("xgboost: needs xgboost-cpu>=3, which is not installed here: type '")
    assert line.endswith("benchkit env build xgboost'; its trials will be skipped")


def test_a_feature_that_is_named_twice():
    text = SUITE.replace("{name: greedy-delete,", "{name: named-delete, params: {features: [b, b]},")
    with pytest.raises(SuiteError, match="feature 'b' is named twice: leave one of them out"):
        warnings_of(text)


@pytest.mark.parametrize(
    ("installed", "asked", "there"),
    [
        ("xgboost", "xgboost-cpu>=3", True),
        ("xgboost-cpu", "xgboost>=3", True),
        ("xgboost", "xgboost-cpu>=4", False),
        ("lightgbm", "xgboost-cpu>=3", False),
    ],
)
def test_a_package_and_its_build_for_the_processor_are_one(monkeypatch, installed, asked, there):
    def version(name):
        if name == installed:
            return "3.2.0"
        raise PackageNotFoundError(name)

    monkeypatch.setattr(place, "version", version)
    place.is_satisfied_here.cache_clear()
    assert place.is_satisfied_here(Environment(requirements=(asked,))) is there
    place.is_satisfied_here.cache_clear()
