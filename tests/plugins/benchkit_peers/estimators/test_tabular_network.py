"""Networks of pytabkit: nothing printed, nothing left behind, classes named as they came."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from benchkit_peers.estimators.classifiers import TabularNetwork


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


@pytest.fixture(autouse=True)
def pytabkit(monkeypatch):
    module = ModuleType("pytabkit")
    module.Resnet_RTDL_D_Classifier = Noisy
    monkeypatch.setitem(sys.modules, "pytabkit", module)


def test_it_prints_nothing_and_leaves_nothing(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = np.array([[-1.0], [2.0], [-3.0], [4.0]]), np.array([-1, 1, -1, 1])
    model = TabularNetwork("resnet", lr=0.001, random_state=3).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    assert capsys.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert not model.network_.folder.exists()


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(ValueError, match="kind is 'forest', expected one of mlp, resnet, ft-transformer"):
        TabularNetwork("forest").fit(np.zeros((2, 1)), [0, 1])
