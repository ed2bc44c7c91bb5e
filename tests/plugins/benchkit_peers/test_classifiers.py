"""What is declared fits together; networks leave nothing behind; CatBoost beside the library's own classifier."""

import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.utils import get_tags

from benchkit.environment.place import is_satisfied_here
from benchkit_peers.estimators.classifiers import CatBoost, TabularNetwork
from benchkit_peers.plugin import CONFORMAL, LINEAR, METRICS, ROBUST, TABULAR, TREES, benchkit_algorithms
from tests.attacks import judged


class Noisy:
    """Prints and writes as pytabkit's networks do, and knows the sign of the first column."""

    def __init__(self, device, n_threads, lr, random_state, tmp_folder):
        assert (device, n_threads, lr, random_state) == ("cpu", 1, 0.001, 3)
        self.folder = Path(tmp_folder)

    def fit(self, X, y):
        print("epoch 1")
        (self.folder / "best.pt").write_text("weights")
        return self

    def predict_proba(self, X):
        print("predicting")
        second = (X[:, 0] > 0).astype(float)
        return np.column_stack([1 - second, second])


def test_it_prints_nothing_leaves_nothing_and_a_kind_that_is_none_is_refused(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytabkit", SimpleNamespace(Resnet_RTDL_D_Classifier=Noisy))
    monkeypatch.chdir(tmp_path)
    X, y = np.array([[-1.0], [2.0], [-3.0], [4.0]]), np.array([-1, 1, -1, 1])
    model = TabularNetwork("resnet", lr=0.001, random_state=3).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert capsys.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert not model.network_.folder.exists()
    with pytest.raises(ValueError, match="kind is 'forest', expected one of mlp, resnet, ft-transformer"):
        TabularNetwork("forest").fit(np.zeros((2, 1)), [0, 1])


@pytest.mark.parametrize("params", [{}, {"learning_rate": 0.1, "depth": 3}, {"l2_leaf_reg": 1.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_answers_as_the_library_does(params, n_classes):
    catboost = pytest.importorskip("catboost")
    X = np.random.default_rng(0).normal(size=(90, 3))
    X[::7, 1] = np.nan
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [0.0] if n_classes == 2 else [-0.5, 0.5])]
    library = catboost.CatBoostClassifier(iterations=20, verbose=0, thread_count=1, allow_writing_files=False, **params)
    library.fit(X, y)
    model = CatBoost(iterations=20, **params).fit(X, y)
    assert np.array_equal(model.predict_proba(X), library.predict_proba(X))
    assert model.predict(X).shape == (90,)
    assert np.array_equal(model.predict(X), np.ravel(library.predict(X)))
    assert list(model.classes_) == list(library.classes_)


def test_it_says_that_it_takes_gaps():
    assert get_tags(CatBoost()).input_tags.allow_nan


ROOMS = {"trees": TREES, "linear": LINEAR, "robust": ROBUST, "conformal": CONFORMAL, "tabular": TABULAR}
# Their requirements contradict those of the other extras, so that no extra could hold them: environments alone do.
ALONE = {"groot-forest", "miceforest-svm"}
EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("room", ROOMS)
def test_an_extra_holds_what_the_environments_of_its_room_need(room):
    environments = (algorithm.environment for algorithm in ROOMS[room] if algorithm.name not in ALONE)
    needed = {requirement for each in environments if each is not None for requirement in each.requirements}
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
    classes_ = np.array(["a", "b"])

    def predict_set(self, X):
        return np.column_stack([np.ones(len(X), dtype=bool), X[:, 0] != 0])


def test_coverage_and_set_size_are_of_the_corrupted_rows():
    X, y = np.array([[0.0], [0.0], [1.0], [2.0]]), np.array(["a", "b", "b", "b"])
    assert [metric.compute(judged(Sets(), X, y, y)) for metric in METRICS[:2]] == [0.75, 1.5]
    assert np.isnan(METRICS[0].compute(judged(object(), X, y, y)))
