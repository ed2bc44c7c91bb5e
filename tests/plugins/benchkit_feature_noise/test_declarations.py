"""What is declared can be made, with the parameters that the declaration names."""

import numpy as np
import pytest

from benchkit_deletion.plugin import ADVERSARIES as DELETING
from benchkit_feature_noise.plugin import ADVERSARIES, ALGORITHMS


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda declared: declared.name)
def test_algorithms_take_what_is_declared(algorithm):
    known = algorithm.make().get_params()
    grid = algorithm.default_grid(n_features=4, total_value=4.0, budget=1.0)
    assert {*grid, *algorithm.make.defaults} <= set(known)
    assert {algorithm.budget_param, algorithm.values_param} - {None} <= set(known)
    if algorithm.warm_up is not None:
        algorithm.warm_up()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), np.repeat([-1, 1], 15)
    model = algorithm.make(**{name: values[0] for name, values in grid.items()})
    assert model.fit(X, y).predict(X).shape == (30,)


@pytest.mark.parametrize("adversary", [*ADVERSARIES, *DELETING], ids=lambda declared: declared.name)
def test_adversaries_can_be_made(adversary):
    assert callable(adversary.make(**adversary.example).corrupt)
