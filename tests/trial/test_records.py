"""What a record says of how its rows were drawn, of warnings, and of tuning; what tuning may see."""

import pickle
from functools import lru_cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import benchkit
from benchkit.trial import prepared
from benchkit.trial.record import compact

PLUGIN = """
import warnings
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from benchkit import Adversary, Algorithm, AttackResult, Data, Dataset, hookimpl

class Stump(ClassifierMixin, BaseEstimator):
    def __init__(self, C=1.0):
        self.C = C
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.C > 1:
            warnings.warn("stopped early", ConvergenceWarning)
        return self
    def predict(self, X):
        return np.where(X[:, 0] * (1 if self.C == 2 else -1) > 0, 1, -1)

def load_drawn(random_state):
    rng = np.random.default_rng(random_state)
    y = np.where(np.arange(60) % 2, 1, -1)
    X = np.column_stack([y + rng.normal(size=60), rng.normal(size=60)])
    return Data(X=X, y=y, feature_values=np.array([5.0, 1.0]), truth={"first": X[0, 0]})

class Spend:
    def corrupt(self, attack):
        return AttackResult(
            X=attack.X, y=attack.y, truth={"spent": attack.budget, "values": attack.feature_values.sum()}
        )

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="stump", make=Stump)]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="drawn", load=load_drawn, generated=True)]

@hookimpl
def benchkit_adversaries():
    return [Adversary(name="spend", make=Spend, phase="train", budget_unit="value")]

@hookimpl
def benchkit_metrics():
    from benchkit import Metric
    return [Metric(name=name, compute=lambda context, name=name: float(context.truth.get(name, np.nan)))
            for name in ("first", "spent", "values")]
"""


@pytest.fixture
def run(run_trials, write_plugin):
    def run(**suite):
        return run_trials({"name": "s", "datasets": ["drawn"], "algorithms": ["stump"]} | suite, [write_plugin(PLUGIN)])

    return run


def test_how_rows_were_drawn(run):
    (row,) = run(split={"train": 30, "validation": 10, "test": 15})
    sizes = {name: row[name] for name in ("n_rows", "n_train", "n_validation", "n_test", "n_features")}
    assert sizes == {"n_rows": 60, "n_train": 30, "n_validation": 10, "n_test": 15, "n_features": 2}
    assert (row["generated"], row["split"], row["folds"]) == (True, "random", None)
    rows = run(split={"method": "k-fold", "folds": 3, "repetitions": 2}, metrics=["error", "first"])
    assert {(row["split"], row["folds"], row["n_test"]) for row in rows} == {("k-fold", 3, 20)}
    first = [row["metrics"]["first"] for row in rows]  # the folds of a shuffle are parts of the same generated data
    assert len(set(first[:3])) == len(set(first[3:])) == 1
    assert first[0] != first[3]


def test_warnings_of_fits_are_counted_also_where_the_fit_is_shared(run):
    suite = {
        "split": {"train": 20, "validation": 20, "test": 20},
        "algorithms": [{"name": "stump", "tune": {"grid": {"C": [0.5, 1, 2]}}}],
        "metrics": ["error", "first"],
    }
    with pytest.warns(ConvergenceWarning, match="stopped early"):
        (row,) = run(**suite)
    assert row["params"] == {"C": 2}
    assert row["warnings"] == {"fit": {"ConvergenceWarning": 1}, "tune": {"ConvergenceWarning": 1}}
    assert row["at_edge"] == {"C": "highest"}
    (again,) = run(**suite, adversaries=[{"name": "spend", "budgets": [0]}])
    assert again["warnings"] == row["warnings"]


def test_a_training_adversary_acts_on_the_given_values(run):
    (row,) = run(
        split={"train": 30, "test": 30},
        feature_values="given",
        adversaries=[{"name": "spend", "budgets": ["50%"]}],
        metrics=["spent", "values"],
    )
    assert row["budget"] == 3.0
    assert row["metrics"] == {"spent": 3.0, "values": 6.0}


def test_altering_test_rows_never_changes_what_tuning_chose(tiny, write_suite, tmp_path, monkeypatch):
    """The canary: a leak of test rows into preprocessing, feature values or tuning would change a choice or a fit."""
    tiny["algorithms"] = [
        {"name": "svm", "tune": {"data": "corrupted", "grid": {"C": [0.001, 0.1, 10]}}},
        {"name": "lp", "tune": {"data": "corrupted", "grid": {"C": [0.01, 1]}}},
    ]
    tiny["feature_values"] = "mutual-information"
    suite, draw, load = write_suite(tiny), prepared.draw_split, prepared._load
    parts = {}

    def remember(split, structure, y, repetition, *arguments):
        return parts.setdefault(repetition, draw(split, structure, y, repetition, *arguments))

    @lru_cache
    def load_altered(key):
        data, seconds = load(key)
        X = data.X.copy()
        X[parts[0].test] = 1e3 * np.random.default_rng(0).normal(size=X[parts[0].test].shape)
        return benchkit.Data(X=X, y=data.y, feature_names=data.feature_names, groups=data.groups), seconds

    def run(out):
        results = benchkit.run(
            suite, out=tmp_path / out, executor="inline", tracking=False, only={"repetition": "0"}, keep_models=True
        )
        assert results.ok
        models = [np.ravel(results.load_model(row["trial"]).coef_) for row in results.records]
        return [row["params"] for row in results.records], models, [row["metrics"] for row in results.records]

    monkeypatch.setattr(prepared, "draw_split", remember)
    params, models, metrics = run("as-is")
    monkeypatch.setattr(prepared, "_load", load_altered)
    altered_params, altered_models, altered_metrics = run("altered")
    assert params == altered_params
    assert all(np.array_equal(one, other) for one, other in zip(models, altered_models, strict=True))
    assert metrics != altered_metrics  # the rows were altered


RECORD = {"trial": "a1", "status": "ok", "params": {"C": 1}, "metrics": {"error": 0.25}, "budget": 2.0, "error": None}


def test_equal_values_are_kept_once_and_those_that_only_look_equal_stay_apart():
    kept = {}
    one, two = (compact(pickle.loads(pickle.dumps({**RECORD, "trial": trial})), kept) for trial in ("a1", "a2"))
    assert one == RECORD
    assert two == {**RECORD, "trial": "a2"}
    assert all(one[name] is two[name] for name in ("status", "params", "budget"))
    assert one["metrics"] is not two["metrics"]
    kinds = [compact({**RECORD, "params": {"C": value}}, kept)["params"]["C"] for value in (1, 1.0, True, -0.0, 0.0)]
    assert [repr(kind) for kind in kinds] == ["1", "1.0", "True", "-0.0", "0.0"]
    assert compact({**RECORD, "error": "{'C': 1}"}, kept)["error"] == "{'C': 1}"
