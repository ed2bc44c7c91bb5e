"""Data is loaded once for all that use it; budgets become amounts; what does not fit together is refused."""

import numpy as np
import pytest
from scipy import sparse

from benchkit.suite.trial import PlannedAdversary
from benchkit.trial.prepared import Part, amount_of

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


def test_standard_deviations_of_the_training_part_leave_gaps_out():
    X = np.array([[1.0, np.nan, 2.0], [3.0, np.nan, np.nan], [8.0, np.nan, 4.0]])
    part = Part(X, np.zeros(3), X)
    np.testing.assert_allclose(part.means, [4, 0, 3])
    np.testing.assert_allclose(part.deviations, [np.std([1, 3, 8]), 0, 1])
    assert Part(sparse.csr_matrix(np.eye(3)), np.zeros(3), None).deviations is None
