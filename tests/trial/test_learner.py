"""An estimator that changes what it is given is named, with what to do; the rest of the run goes on."""

import pytest

import benchkit

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


def test_an_estimator_that_changes_its_inputs(tiny, write_suite, write_plugin, tmp_path):
    tiny["algorithms"] = ["centring", "constant"]
    results = benchkit.run(
        write_suite(tiny),
        plugins=[write_plugin(PLUGIN)],
        out=tmp_path / "runs",
        executor="inline",
        tracking=False,
        only={"repetition": "0"},
    )
    by_algorithm = {row["algorithm"]: row for row in results.records}
    assert by_algorithm["centring"]["status"] == "failed"
    assert "centring writes to the data it is given" in by_algorithm["centring"]["error"]
    assert "let fit work on a copy of X and y" in by_algorithm["centring"]["error"]
    assert by_algorithm["constant"]["status"] == "ok"


def test_a_fit_that_returns_nothing(tiny, write_suite, write_plugin, tmp_path):
    tiny |= {"algorithms": ["silent"], "adversaries": []}
    run = {"plugins": [write_plugin(PLUGIN)], "out": tmp_path / "runs", "executor": "inline", "tracking": False}
    told = {row["error"] for row in benchkit.run(write_suite(tiny), **run).records}
    assert told == {"fit of silent returned a NoneType, expected the estimator: end it with 'return self'"}


@pytest.mark.parametrize("budget", [10, "100%"])
def test_a_budget_of_all_features_is_answered_with_the_constant(tiny, write_suite, tmp_path, budget):
    """Where the adversary may take every feature nothing beats the constant, and the program of lp has no solution."""
    tiny["algorithms"] = [
        {"name": "lp", "tune": {"grid": {"C": [0.1, 1]}}},
        {"name": "o2b", "params": {"C": 0.1}},
        {"name": "fdrop", "params": {"C": 1.0}},
        "constant",
    ]
    tiny["adversaries"][0]["budgets"] = [budget]
    tiny["split"]["repetitions"] = 1
    results = benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)
    rows = {row["algorithm"]: row for row in results.records}
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert {row["metrics"]["error"] for row in rows.values()} == {rows["constant"]["metrics"]["error"]}
    assert rows["lp"]["params"]["at_all_features"] == "constant"
    assert rows["lp"]["tuning"] == []
    assert "at_all_features" not in rows["fdrop"]["params"]  # its own program has this solution


def test_other_budgets_are_the_method_s_own(tiny, write_suite, tmp_path):
    tiny["algorithms"] = [{"name": "o2b", "params": {"C": 0.1, "noise_budget": 2}}]
    tiny["adversaries"][0]["budgets"] = [9, 10]
    tiny["split"]["repetitions"] = 1
    results = benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)
    assert all(row["status"] == "ok" and "at_all_features" not in row["params"] for row in results.records)
