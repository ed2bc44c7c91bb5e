"""What of data decides who takes it."""

import numpy as np
from scipy import sparse

from benchkit.trial.refusals import DataKind, kind_of


def test_the_kind_of_data_is_told_of_each_object_that_differs():
    X, y = np.ones((4, 2)), np.array([0, 1, 2, 2])
    gaps = np.where(np.eye(4, 2) == 1, np.nan, X)
    classes = DataKind("classification", n_classes=3)
    assert kind_of(X, y, "classification") == classes
    assert kind_of(gaps, y, "classification") == DataKind("classification", has_gaps=True, n_classes=3)
    assert kind_of(X, y, "regression") == DataKind("regression")
    assert kind_of(X, y[:2], "classification") == DataKind("classification", n_classes=2)
    assert kind_of(sparse.csr_matrix(X), y, "classification").is_sparse
