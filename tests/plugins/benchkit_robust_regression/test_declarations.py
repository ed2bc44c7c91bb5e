"""What is declared can be made, with the parameters that the declaration names, and fits."""

import numpy as np
import pytest

from benchkit_robust_regression import plugin

ALGORITHMS = plugin.benchkit_algorithms()


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda declared: declared.name)
def test_algorithms_take_what_is_declared(algorithm, draw):
    known = set(algorithm.make().get_params())
    grid = algorithm.default_grid(n_features=4, total_value=4.0, budget=0.1)
    assert {*grid, *algorithm.make.defaults} <= known
    assert {algorithm.budget_param, algorithm.values_param} - {None} <= known
    X, y, _, _ = draw(n=60, p=4, k=2)
    model = algorithm.make(**{name: values[0] for name, values in grid.items()})
    assert model.fit(X, y).predict(X).shape == (60,)


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda declared: declared.name)
def test_sparse_data_is_the_same_data(algorithm, draw):
    from scipy.sparse import csr_matrix

    if not algorithm.accepts_sparse:
        pytest.skip("takes dense data only")
    X, y, _, _ = draw(n=80, p=6, k=2, noise=0.1)
    X[np.abs(X) < 0.5] = 0.0
    params = {"random_state": 0} if "random_state" in algorithm.make().get_params() else {}
    dense, thin = (algorithm.make(**params).fit(data, y).predict(data) for data in (X, csr_matrix(X)))
    np.testing.assert_allclose(thin, dense, atol=2e-3)


def test_adversaries_and_metrics_can_be_imported():
    assert all(callable(adversary.make().corrupt) for adversary in plugin.benchkit_adversaries())
    assert all(callable(metric.compute.resolve()) for metric in plugin.benchkit_metrics())
