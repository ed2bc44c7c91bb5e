"""What of data decides who takes it, also where it was asked for before."""

import gc
import weakref

import numpy as np
from scipy import sparse

from benchkit.trial.refusals import DataKind, kind_of


def test_the_kind_of_data_is_told_of_each_object_that_differs():
    X, y = np.ones((4, 2)), np.array([0, 1, 2, 2])
    gaps = np.where(np.eye(4, 2) == 1, np.nan, X)
    classes = DataKind("classification", n_classes=3)
    for _ in range(2):  # what is known of one is not said of another
        assert kind_of(X, y, "classification") == classes
        assert kind_of(X, y, "classification") == classes
        assert kind_of(gaps, y, "classification") == DataKind("classification", has_gaps=True, n_classes=3)
        assert kind_of(gaps, y, "classification", imputed=True) == classes
        assert kind_of(X, y, "regression") == DataKind("regression")
        assert kind_of(X, y[:2], "classification") == DataKind("classification", n_classes=2)
        assert kind_of(sparse.csr_matrix(X), y, "classification").is_sparse


def test_what_was_asked_for_last_is_not_kept_alive():
    X, y = np.ones((4, 2)), np.zeros(4)
    assert kind_of(X, y, "classification").n_classes == 1
    alive = weakref.ref(X), weakref.ref(y)
    del X, y
    gc.collect()
    assert [each() for each in alive] == [None, None]
    assert kind_of(np.ones((2, 2)), np.arange(2), "classification").n_classes == 2
