"""Networks of pytabkit: nothing printed, nothing left behind; CatBoost beside the library's own classifier."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sklearn.utils import get_tags

from benchkit_peers.estimators.classifiers import CatBoost, TabularNetwork


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


@pytest.fixture
def pytabkit(monkeypatch):
    module = ModuleType("pytabkit")
    module.Resnet_RTDL_D_Classifier = Noisy
    monkeypatch.setitem(sys.modules, "pytabkit", module)


def test_it_prints_nothing_and_leaves_nothing(pytabkit, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = np.array([[-1.0], [2.0], [-3.0], [4.0]]), np.array([-1, 1, -1, 1])
    model = TabularNetwork("resnet", lr=0.001, random_state=3).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert capsys.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert not model.network_.folder.exists()


def test_a_kind_that_is_none_is_refused(pytabkit):
    with pytest.raises(ValueError, match="kind is 'forest', expected one of mlp, resnet, ft-transformer"):
        TabularNetwork("forest").fit(np.zeros((2, 1)), [0, 1])


@pytest.mark.parametrize("params", [{}, {"learning_rate": 0.1, "depth": 3}, {"l2_leaf_reg": 1.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_answers_as_the_library_does(params, n_classes):
    catboost = pytest.importorskip("catboost")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
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
