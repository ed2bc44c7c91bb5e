"""What is declared fits together; estimators are tried where their packages are, or stand alone."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

from benchkit import MetricContext
from benchkit.environment.place import is_satisfied_here
from benchkit_peers.plugin import CONFORMAL, LINEAR, METRICS, ROBUST, TABULAR, TREES, benchkit_algorithms

ROOMS = {"trees": TREES, "linear": LINEAR, "robust": ROBUST, "conformal": CONFORMAL, "tabular": TABULAR}
# Their requirements contradict those of the other extras, so that no extra could hold them: environments alone do.
ALONE = {"groot-forest", "miceforest-svm"}
EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("room", ROOMS)
def test_an_extra_holds_what_the_environments_of_its_room_need(room):
    needed = {
        requirement
        for algorithm in ROOMS[room]
        if algorithm.environment is not None and algorithm.name not in ALONE
        for requirement in algorithm.environment.requirements
    }
    assert needed == set(EXTRAS[f"peers-{room}"])


@pytest.mark.parametrize("algorithm", benchkit_algorithms(), ids=lambda declared: declared.name)
def test_grids_name_parameters_and_have_as_many_candidates_as_others(algorithm):
    grid = algorithm.default_grid(n_features=4, total_value=4.0, budget=0.0)
    assert 4 <= np.prod([len(values) for values in grid.values()]) <= 6
    if algorithm.make.module.startswith("benchkit_peers"):  # these import their package when they are fitted
        assert set(grid) <= set(algorithm.make.parameters())


@pytest.mark.parametrize("algorithm", benchkit_algorithms(), ids=lambda declared: declared.name)
def test_fits_where_its_packages_are(algorithm):
    if algorithm.environment is not None and not is_satisfied_here(algorithm.environment):
        pytest.skip(f"needs {algorithm.environment}")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    targets = 2 * X[:, 0] + 0.1 * rng.normal(size=120)
    if algorithm.tasks == ("regression",):
        X = np.column_stack([X, np.full(120, 3.0)])  # as a rare category leaves a training part
        assert np.abs(algorithm.make().fit(X, targets).predict(X) - targets).mean() < 0.3
    else:
        y = np.where(targets > 0, "yes", "no")
        assert (np.ravel(algorithm.make().fit(X, y).predict(X)) == y).mean() > 0.8


class Sets:
    """Holds the class "a" always, and "b" where the feature is not zero."""

    classes_ = np.array(["a", "b"])

    def predict_set(self, X):
        return np.column_stack([np.ones(len(X), dtype=bool), X[:, 0] != 0])


def test_coverage_and_set_size_are_of_the_corrupted_rows():
    X, y = np.array([[0.0], [0.0], [1.0], [2.0]]), np.array(["a", "b", "b", "b"])
    context = MetricContext(model=Sets(), X=X, y=y, predictions=y, truth={})
    assert METRICS[0].compute(context) == 0.75
    assert METRICS[1].compute(context) == 1.5
    assert np.isnan(METRICS[0].compute(MetricContext(model=object(), X=X, y=y, predictions=y, truth={})))
