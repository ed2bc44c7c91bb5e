"""The models of the suite format: what a mapping becomes, and what it may not say."""

import math

import pytest
from pydantic import ValidationError

from benchkit.suite.schema import AdversaryEntry, Split
from benchkit.suite.whole_suite import Suite

CLAIM = {"claim": "c", "algorithm": "svm", "value": 1}
SMALL = {"name": "small", "datasets": ["breast"], "algorithms": ["svm"]}


def test_a_name_stands_for_an_entry_and_what_is_left_out_has_its_default():
    suite = Suite.model_validate(SMALL)
    assert [entry.name for entry in suite.datasets] == ["breast"]
    assert [entry.name for entry in suite.algorithms] == ["svm"]
    assert (suite.seed, suite.metrics, suite.exclusive) == (0, ["error"], False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seeds": 1}, "unknown key 'seeds'; did you mean 'seed'"),
        ({"qqq": 1}, "unknown key 'qqq'; known keys: name, "),
        ({"preprocess": ["Standard ise"]}, "unknown preprocessing step 'Standard ise'; did you mean 'standardize'"),
        ({"preprocess": ["clip"]}, "bad form of clip"),
        ({"preprocess": [{"clip": -1}]}, "bad argument of clip"),
        ({"preprocess": ["?"]}, "known: standardize, "),
        ({"feature_values": [1, -1]}, "greater than or equal to 0"),
        ({"split": {"train": 10**11}}, "at most 1000000000"),
        ({"algorithms": [{"name": "svm", "tune": {"search": "random", "candidates": 10**12}}]}, "100000"),
        ({"split": {"train": True}}, "True is not a size"),
        ({"expect": [CLAIM | {"tolerance": True}]}, "valid number"),
        ({"expect": [CLAIM | {"value": math.nan}]}, "finite number"),
        ({"expect": [CLAIM | {"tolerance": math.nan}]}, "finite"),
        ({"expect": [{"claim": "c", "algorithm": "svm", "between": [math.nan, 1]}]}, "lower end"),
        ({"hours": math.inf}, "finite number"),
        ({"axis": {"parameter": "algorithm.C", "values": [math.nan]}}, "nan is no value"),
        ({"metrics": ["error", "error"]}, "the metric 'error' is listed twice"),
        ({"split": {"method": "k-fold"}}, "'folds' and 'method: k-fold' go together"),
        ({"split": {"time": "day"}}, "'time' needs 'test'"),
    ],
)
def test_what_a_suite_may_not_say(change, reason):
    with pytest.raises(ValidationError, match=reason):
        Suite.model_validate({**SMALL, **change})


@pytest.mark.parametrize("train", [0, -3, 1.5])
def test_sizes_that_are_none(train):
    with pytest.raises(ValidationError, match="is not a size"):
        Split.model_validate({"train": train})


@pytest.mark.parametrize(
    ("budgets", "reason"), [([1, "10%"], "all amounts or all shares"), ([1, 1], "listed twice"), ([], "at least 1")]
)
def test_budgets_that_do_not_fit_together(budgets, reason):
    with pytest.raises(ValidationError, match=reason):
        AdversaryEntry.model_validate({"name": "greedy-delete", "budgets": budgets})


def test_a_suite_does_not_change():
    suite = Suite.model_validate(SMALL)
    with pytest.raises(ValidationError, match="frozen"):
        suite.seed = 3


@pytest.mark.parametrize(
    "step", ["log1p", {"clip": 5}, {"scale": [0, 1]}, {"impute": "mean"}, {"standardize": "numbers"}]
)
def test_steps_of_benchkit(step):
    assert Suite.model_validate({**SMALL, "preprocess": [step, "of-a-plugin"]}).preprocess == [step, "of-a-plugin"]
