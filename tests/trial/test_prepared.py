"""Data is loaded once for all that use it; budgets become amounts; what does not fit together is refused."""

import numpy as np
import pytest
from scipy import sparse

from benchkit import Adversary, AttackContext, AttackResult, Data
from benchkit.suite.trial import PlannedAdversary
from benchkit.trial.prepared import Part, amount_of, check_corruption, check_loaded

VALUES = np.array([1.0, 2.0, 5.0])


def adversary(**budget):
    given = {"name": "any", "label": "any", "params": {}, "share": None, "amount": None, **budget}
    return PlannedAdversary(**{name: given[name] for name in PlannedAdversary.__dataclass_fields__ if name in given})


@pytest.mark.parametrize(
    ("unit", "budget", "amount"),
    [
        ("value", {"share": 0.25}, 2.0),
        ("features", {"share": 0.5}, 2.0),  # 1.5 features are two
        ("fraction", {"share": 0.1}, 0.1),
        ("value", {"amount": 8.0}, 8.0),
        ("sd", {"amount": 7.5}, 7.5),
        ("none", {"amount": 1e9}, 1e9),
    ],
)
def test_budgets_as_amounts(unit, budget, amount):
    assert amount_of(adversary(**budget), unit, VALUES) == amount


@pytest.mark.parametrize(("unit", "amount"), [("value", 8.1), ("features", 4.0), ("fraction", 1.1)])
def test_more_than_there_is(unit, amount):
    with pytest.raises(ValueError, match=f"budget {amount:g} exceeds"):
        amount_of(adversary(amount=amount), unit, VALUES)


@pytest.mark.parametrize(
    ("X", "y", "reason"),
    [
        (np.ones(3), np.ones(3), r"array of shape \(3,\) as X"),
        ([[1.0]], np.ones(1), "has a list as X"),
        (np.ones((3, 2)), np.ones(2), r"y of shape \(2,\)"),
        (np.ones((0, 2)), np.ones(0), "is empty"),
        (np.ones((2, 1)), np.array([1.0, np.nan]), "NaN or infinite values in y"),
    ],
)
def test_data_that_does_not_fit_together(X, y, reason):
    with pytest.raises(ValueError, match=reason):
        check_loaded(Data(X=X, y=y), "mine")


def test_what_is_no_data_and_what_is():
    with pytest.raises(TypeError, match="dataset 'mine' loaded a tuple"):
        check_loaded((1, 2), "mine")
    data = Data(X=sparse.csr_matrix(np.eye(2)), y=np.array([0, 1]))
    assert check_loaded(data, "mine") is data


def test_what_an_adversary_returns_has_the_shape_of_the_data():
    X, y = np.ones((3, 2)), np.ones(3)
    attack = AttackContext(X=X, y=y, budget=0.0, feature_values=np.ones(2), rng=np.random.default_rng(0))
    declared = Adversary(name="mine", make=dict)
    right = AttackResult(X=X, y=y)
    assert check_corruption(right, attack, declared) is right
    with pytest.raises(ValueError, match="adversary mine returned X, y of shapes"):
        check_corruption(AttackResult(X=X[:2], y=y), attack, declared)
    with pytest.raises(TypeError, match="adversary mine returned a ndarray"):
        check_corruption(X, attack, declared)


def test_equal_content_has_one_digest():
    X, y = np.eye(2), np.array([0, 1])
    assert Part(X, y, X).content == Part(X.copy(), y.copy(), None).content
    assert Part(X, y, X).content != Part(X, y[::-1].copy(), X).content


def test_standard_deviations_of_the_training_part_leave_gaps_out():
    X = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, np.nan], [8.0, np.nan, 4.0]])
    part = Part(X, np.zeros(3), X)
    np.testing.assert_allclose(part.means, [4, 0, 3])
    np.testing.assert_allclose(part.deviations, [np.std([1, 3, 8]), 0, 1])
    assert Part(sparse.csr_matrix(np.eye(3)), np.zeros(3), None).deviations is None
