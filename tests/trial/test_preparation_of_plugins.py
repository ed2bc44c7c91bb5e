"""Splits, preprocessing steps and feature values that plugins add."""

import numpy as np
import pytest

import benchkit
from benchkit.suite.source import SuiteError
from benchkit.testing.check import checks_of

PLUGIN = """
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from benchkit import FeatureValues, PreprocessingStep, SplitMethod, hookimpl

class Halves(TransformerMixin, BaseEstimator):
    def __init__(self, factor=0.5):
        self.factor = factor
    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self
    def transform(self, X):
        return X * self.factor

def every_third(offset=0):
    def split(context):
        rows = np.random.default_rng(context.random_state).permutation(len(context.y))
        return rows[offset::3], rows[offset + 1::3], rows[offset + 2::3]
    return split

def broken(how="twice"):
    def split(context):
        rows = np.arange(len(context.y))
        return {"twice": (rows[:50], rows[40:60], rows[60:]), "outside": (rows, rows[:0], rows + 5),
                "two": (rows[:50], rows[50:]), "empty": (rows, rows[:0], rows[:0]),
                "mask": (rows < 50, rows[:0], rows >= 50)}[how]
    return split

@hookimpl
def benchkit_splits():
    return [SplitMethod(name="every-third", make=every_third), SplitMethod(name="broken", make=broken)]

@hookimpl
def benchkit_preprocessing_steps():
    return [PreprocessingStep(name="halves", make=Halves),
            PreprocessingStep(name="widens", make="sklearn.preprocessing:PolynomialFeatures")]

@hookimpl
def benchkit_feature_values():
    return [FeatureValues(name="by-place", compute=lambda X, y, features: 1.0 + np.arange(features.n_features)),
            FeatureValues(name="negative", compute=lambda X, y, features: -np.ones(features.n_features))]
"""


@pytest.fixture
def run(tiny, write_suite, write_plugin, tmp_path):
    plugin = write_plugin(PLUGIN)

    def call(**changes):
        content = {**tiny, "algorithms": ["logistic-regression"], "adversaries": [], **changes}
        content["plugins"] = [str(plugin)]
        return benchkit.run(write_suite(content), out=tmp_path / "runs", executor="inline")

    return call


def test_they_prepare_the_data(run):
    prepared = {
        "split": {"method": "every-third", "params": {"offset": 0}, "repetitions": 2},
        "preprocess": ["standardize", {"halves": 0.25}],
        "feature_values": "by-place",
        "adversaries": [{"name": "greedy-delete", "budgets": ["50%"]}],
    }
    results = run(**prepared)
    assert results.statuses == {"ok": 2}, results.records[0]["error"]
    (first, second) = results.records
    assert {row["split"] for row in results.records} == {"every-third"}
    assert abs(first["n_train"] - first["n_test"]) <= 1
    assert first["metrics"] != second["metrics"]
    assert first["budget"] == pytest.approx(10 * 11 / 4)
    assert first["feature_values"] == "by-place"
    assert run(**prepared).statuses == {"ok": 2}


def test_their_code_decides_ids(run, tmp_path):
    prepared = {"preprocess": ["halves"], "split": {"method": "every-third"}, "feature_values": "by-place"}
    before = {row["trial"] for row in run(**prepared).records}
    (plugin,) = tmp_path.glob("my_plugin.py")
    plugin.write_text(plugin.read_text() + "x = 1\n")
    assert not before & {row["trial"] for row in run(**prepared).records}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": {"method": "every-thirt"}}, "unknown split method 'every-thirt'; did you mean 'every-third'?"),
        ({"split": {"method": "kfold"}}, "unknown split method 'kfold'; did you mean 'k-fold'?"),
        (
            {"split": {"method": "every-third", "params": {"ofset": 1}}},
            "has no parameter 'ofset'; did you mean 'offset'?",
        ),
        ({"split": {"params": {"offset": 1}}}, "'params' are for methods of plugins; random has none"),
        ({"preprocess": ["halvs"]}, "unknown preprocessing step 'halvs'; did you mean 'halves'?"),
        ({"preprocess": [{"cilp": 5}]}, "unknown preprocessing step 'cilp'; did you mean 'clip'?"),
        ({"feature_values": "by-plaice"}, "unknown feature values 'by-plaice'; did you mean 'by-place'?"),
        ({"feature_values": "unifrom"}, "unknown feature values 'unifrom'; did you mean 'uniform'?"),
    ],
)
def test_a_mistake_is_one_line_with_the_nearest_name(run, changes, message):
    with pytest.raises(SuiteError) as caught:
        run(**changes)
    assert message in str(caught.value)
    assert "suite.yaml:" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"split": {"method": "broken"}}, "puts a row into two parts"),
        ({"split": {"method": "broken", "params": {"how": "outside"}}}, "no numbers of rows, from 0 to 568"),
        ({"split": {"method": "broken", "params": {"how": "mask"}}}, "no numbers of rows"),
        ({"split": {"method": "broken", "params": {"how": "two"}}}, "expected three arrays"),
        ({"split": {"method": "broken", "params": {"how": "empty"}}}, "leaves the test part empty"),
        ({"split": {"method": "every-third", "train": {"per_class": 5}}}, "no per_class"),
        ({"preprocess": ["widens"]}, "steps keep them"),
        ({"feature_values": "negative"}, "must be finite numbers that are not negative"),
    ],
)
def test_what_breaks_the_contract_fails_with_a_reason(run, changes, reason):
    with pytest.warns(UserWarning, match="trials there will fail"):
        (row, *_) = run(**changes).records
    assert row["status"] == "failed"
    assert reason in row["error"]


def test_a_step_that_takes_no_sparse_data_is_skipped_there():
    from benchkit import NotApplicableError, PreprocessingStep
    from benchkit.trial.preparation import preprocessor

    step = {"mine": PreprocessingStep(name="mine", make=lambda: None)}
    with pytest.raises(NotApplicableError, match="mine does not support sparse data"):
        preprocessor(["mine"], True, declared=step)


@pytest.mark.whole
def test_the_rules_find_what_is_wrong(write_plugin):
    findings = {(check.name, check.rule.name): check.find() for check in checks_of(write_plugin(PLUGIN))}
    outcomes = {key: found.outcome for key, found in findings.items()}
    assert outcomes["every-third", "divides-the-rows"] == "kept"
    assert outcomes["halves", "keeps-rows-and-columns"] == outcomes["halves", "lets-gaps-pass"] == "kept"
    assert outcomes["by-place", "values-are-costs"] == "kept"
    assert outcomes["broken", "divides-the-rows"] == "broken"
    assert outcomes["widens", "keeps-rows-and-columns"] == "broken"
    assert outcomes["negative", "values-are-costs"] == "broken"


def test_parts_of_a_plugin_are_those_that_it_returns():
    from benchkit import SplitMethod
    from benchkit.suite.schema import Split
    from benchkit.testing import tiny_classification
    from benchkit.trial.split import ask_for_split

    given = ([3, 1], [], np.array([5, 0]))
    declared = SplitMethod(name="given", make=lambda: lambda context: given)
    parts = ask_for_split(declared, Split(), tiny_classification(), 0, True, 1)
    assert [part.tolist() for part in vars(parts).values()] == [[3, 1], [], [5, 0]]
