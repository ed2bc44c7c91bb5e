"""Splits, preprocessing steps and feature values that plugins add."""

from contextlib import nullcontext

import numpy as np
import pytest

import benchkit
from benchkit import NotApplicableError, PreprocessingStep, SplitMethod
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.manager import discover
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.suite.schema import Split
from benchkit.suite.source import SuiteError
from benchkit.testing import tiny_classification
from benchkit.testing.check import checks_of
from benchkit.trial.preparation import preprocessor
from benchkit.trial.split import ask_for_split

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

@hookimpl
def benchkit_splits():
    return [SplitMethod(name="every-third", make=every_third)]

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
def run(tiny, run_trials, write_plugin):
    def call(**changes):
        content = {**tiny, "algorithms": ["logistic-regression"], "adversaries": [], **changes}
        return run_trials(content, [write_plugin(PLUGIN)])

    return call


def test_they_prepare_the_data(run):
    first, second = run(
        split={"method": "every-third", "params": {"offset": 0}, "repetitions": 2},
        preprocess=["standardize", {"halves": 0.25}],
        feature_values="by-place",
        adversaries=[{"name": "greedy-delete", "budgets": ["50%"]}],
    )
    assert (first["status"], second["status"]) == ("ok", "ok"), first["error"]
    assert first["split"] == second["split"] == "every-third"
    assert abs(first["n_train"] - first["n_test"]) <= 1
    assert first["metrics"] != second["metrics"]
    assert first["budget"] == pytest.approx(10 * 11 / 4)
    assert first["feature_values"] == "by-place"


def test_their_code_decides_ids(write_plugin, write_suite, tiny):
    tiny |= {"preprocess": ["halves"], "split": {"method": "every-third"}, "feature_values": "by-place"}

    def ids(text):
        known = discover([write_plugin(text)])
        return set(Fingerprints(known).identify_all(expand(load(write_suite(tiny)), known)))

    assert not ids(PLUGIN) & ids(PLUGIN + "x = 1\n")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": {"method": "kfold"}}, "unknown split method 'kfold'; did you mean 'k-fold'?"),
        (
            {"split": {"method": "every-third", "params": {"ofset": 1}}},
            "has no parameter 'ofset'; did you mean 'offset'?",
        ),
        ({"split": {"params": {"offset": 1}}}, "'params' are for methods of plugins; random has none"),
        ({"preprocess": [{"halvs": 5}]}, "unknown preprocessing step 'halvs'; did you mean 'halves'?"),
        ({"feature_values": "by-plaice"}, "unknown feature values 'by-plaice'; did you mean 'by-place'?"),
    ],
)
def test_a_mistake_is_one_line_with_the_nearest_name(tiny, write_suite, write_plugin, changes, message):
    with pytest.raises(SuiteError) as caught:
        benchkit.plan(write_suite({**tiny, **changes}), plugins=[write_plugin(PLUGIN)])
    assert message in str(caught.value)
    assert "suite.yaml:" in str(caught.value)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (([0, 1], [], [1, 2]), "puts a row into two parts"),
        (([0], [], [200]), "no numbers of rows, from 0 to"),
        (([True, False], [], [False, True]), "no numbers of rows"),
        (([0], [1]), "expected three arrays"),
        (([0, 1], [2], []), "leaves the test part empty"),
        (([3, 1], [], np.array([5, 0])), None),
    ],
)
def test_parts_of_a_plugin_are_those_that_it_returns_or_refused(parts, reason):
    declared = SplitMethod(name="given", make=lambda: lambda context: parts)
    with nullcontext() if reason is None else pytest.raises((TypeError, ValueError), match=reason):
        drawn = ask_for_split(declared, Split(), tiny_classification(), 0, True, 1)
        assert [part.tolist() for part in vars(drawn).values()] == [[3, 1], [], [5, 0]]
    with pytest.raises(ValueError, match="no per_class"):
        ask_for_split(declared, Split(train={"per_class": 5}), tiny_classification(), 0, True, 1)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"preprocess": ["widens"]}, "steps keep them"),
        ({"feature_values": "negative"}, "must be finite numbers that are not negative"),
    ],
)
def test_what_breaks_the_contract_fails_with_a_reason(run, changes, reason):
    (row, *_) = run(**changes)
    assert row["status"] == "failed"
    assert reason in row["error"]


def test_a_step_that_takes_no_sparse_data_is_skipped_there():
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
    assert outcomes["widens", "keeps-rows-and-columns"] == "broken"
    assert outcomes["negative", "values-are-costs"] == "broken"
