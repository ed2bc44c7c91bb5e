"""Estimators that break a rule are named, with what to do; any is given labels that it takes."""

import numpy as np
import pandas as pd
import pytest

PLUGIN = """
from benchkit import Algorithm, hookimpl
from sklearn.linear_model import RidgeClassifier

class Centring(RidgeClassifier):
    def fit(self, X, y):
        X -= X.mean(axis=0)
        return super().fit(X, y)

class Silent(RidgeClassifier):
    def fit(self, X, y):
        super().fit(X, y)

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="centring", make=Centring), Algorithm(name="silent", make=Silent)]
"""


def test_estimators_that_change_their_inputs_or_return_nothing(tiny, run_trials, write_plugin):
    tiny |= {"algorithms": ["centring", "silent", "constant"], "adversaries": []}
    tiny["split"]["repetitions"] = 1
    rows = {row["algorithm"]: row for row in run_trials(tiny, [write_plugin(PLUGIN)])}
    assert [rows[name]["status"] for name in tiny["algorithms"]] == ["failed", "failed", "ok"]
    assert "centring writes to the data it is given" in rows["centring"]["error"]
    assert rows["silent"]["error"].startswith("fit of silent returned a NoneType, expected the estimator")


@pytest.mark.parametrize("budget", [10, "100%"])
def test_a_budget_of_all_features_is_answered_with_the_constant(tiny, run_trials, budget):
    """Where the adversary may take every feature nothing beats the constant, and the program of lp has no solution."""
    tiny["algorithms"] = [
        {"name": "lp", "tune": {"grid": {"C": [0.1, 1]}}},
        {"name": "lp", "label": "told less", "params": {"C": 0.1, "noise_budget": 2}},
        "constant",
    ]
    tiny["adversaries"][0]["budgets"] = [budget]
    tiny["split"]["repetitions"] = 1
    rows = {row["algorithm"]: row for row in run_trials(tiny)}
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert rows["lp"]["metrics"]["error"] == rows["constant"]["metrics"]["error"]
    assert rows["lp"]["params"]["at_all_features"] == "constant"
    assert rows["lp"]["tuning"] == []
    assert "at_all_features" not in rows["told less"]["params"]  # its budget is its own


STRICT = """
import numpy as np
from sklearn.linear_model import LogisticRegression

class Strict(LogisticRegression):
    def fit(self, X, y):
        if y.dtype.kind not in "iu" or not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError(f"Invalid classes inferred from unique values of y, got {np.unique(y)}")
        return super().fit(X, y)
"""


@pytest.fixture
def run(tmp_path, monkeypatch, run_trials):
    """Run methods on a table of two classes, or of thirteen of which one has a single row."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "strict_labels.py").write_text(STRICT)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    many = [f"k{place:02}" for place in [*range(12), 20]]
    frame.assign(y=np.where(frame.a > 0, "yes", "no")).to_csv("two.csv", index=False)
    frame.assign(y=[many[row if row < 13 else row % 2] for row in range(60)]).to_csv("many.csv", index=False)

    def run(dataset, algorithms, *adversaries):
        suite = {
            "name": "own",
            "datasets": [{"name": "csv", "path": f"{dataset}.csv", "target": "y"}],
            "split": {"repetitions": 1, "train": 0.5, "validation": 0.25, "stratify": False},
            "algorithms": algorithms,
            "adversaries": [{"name": adversary, "budgets": [1]} for adversary in adversaries],
            "metrics": ["error", "balanced_accuracy"],
        }
        return run_trials(suite)

    return run


def test_an_estimator_of_codes_alone_gives_what_it_gives_of_codes(run):
    """Also where training lacked a class of the test part, whoever attacks."""
    strict = {"estimator": "strict_labels:Strict", "label": "strict"}
    plain = {"estimator": "sklearn.linear_model:LogisticRegression", "label": "plain"}
    for dataset in ("two", "many"):
        rows = run(dataset, [strict, plain], "query-delete", "greedy-delete", "enumerate-delete")
        assert {(row["status"], row["error"]) for row in rows} == {("ok", None)}
        errors = {
            name: [row["metrics"]["error"] for row in rows if row["algorithm"] == name] for name in ("strict", "plain")
        }
        assert errors["strict"] == errors["plain"]


def test_what_refuses_codes_too_says_why_it_refused_the_labels(run, tmp_path):
    refuses = STRICT.replace("return super().fit(X, y)", 'raise ValueError("no")')
    (tmp_path / "strictest_labels.py").write_text(refuses)
    (row, *_) = run("two", [{"estimator": "strictest_labels:Strict", "label": "strict"}], "random-delete")
    assert row["status"] == "failed"
    assert "Invalid classes" in row["error"]
