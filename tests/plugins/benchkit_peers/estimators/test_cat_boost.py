"""CatBoost, one prediction a row, beside the library's own classifier."""

import numpy as np
import pytest
from sklearn.utils import get_tags

from benchkit_peers.estimators.classifiers import CatBoost

catboost = pytest.importorskip("catboost")


@pytest.mark.parametrize("params", [{}, {"learning_rate": 0.1, "depth": 3}, {"l2_leaf_reg": 1.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_answers_as_the_library_does(params, n_classes):
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
