"""The OpenML reader, on what scikit-learn's `fetch_openml` returns; no test uses the network."""

from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import datasets
from sklearn.utils import Bunch

from benchkit import DataUnavailableError


@pytest.fixture
def serve(monkeypatch):
    def serve(answer):
        def fetch(**asked):
            fetch.asked = asked
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(datasets, "fetch_openml", fetch)
        return fetch

    return serve


def table(target):
    features = pd.DataFrame({"age": [30.0, np.nan, 50.0], "sex": pd.Categorical(["m", "f", "m"])})
    return Bunch(data=features, target=target, feature_names=["age", "sex"])


def test_a_table_with_categories(serve, declared):
    fetch = serve(table(pd.Series(["no", "yes", "no"], name="class", dtype="category")))
    data = declared["openml"].load(data_id=31)
    assert fetch.asked["data_id"] == 31
    assert fetch.asked["target_column"] == "default-target"
    np.testing.assert_array_equal(data.X, [[30, 0, 1], [np.nan, 1, 0], [50, 0, 1]])
    assert data.feature_names == ["age", "sex=f", "sex=m"]
    assert data.groups == [[0], [1, 2]]
    assert data.y.tolist() == [-1, 1, -1]


def test_many_classes_and_another_label(serve, declared):
    fetch = serve(table(pd.Series(["1", "2", "3"], name="age", dtype="category")))
    assert declared["openml"].load(data_id=31, target="kind").y.tolist() == [1, 2, 3]
    assert fetch.asked["target_column"] == "kind"
    assert declared["openml"].load(data_id=31, one_against_rest=2).y.tolist() == [-1, 1, -1]
    assert declared["openml"].load(data_id=31, pair=[3, 1]).y.tolist() == [1, -1]


def test_a_sparse_table_stays_sparse(serve, declared):
    features = sparse.csr_matrix([[0, 1], [2, 0], [0, 3]])
    serve(Bunch(data=features, target=np.array(["a", "b", "c"], dtype=object), feature_names=["x", "y"]))
    data = declared["openml"].load(data_id=31, pair=["a", "c"])
    assert sparse.issparse(data.X)
    assert data.X.toarray().tolist() == [[0, 1], [0, 3]]
    assert data.y.tolist() == [-1, 1]


def test_regression(serve, declared):
    serve(table(pd.Series([1.5, 2.5, 3.5], name="target")))
    assert declared["openml-regression"].load(data_id=31).y.tolist() == [1.5, 2.5, 3.5]
    serve(table(pd.Series(["a", "b", "c"], name="target")))
    with pytest.raises(ValueError, match="OpenML 31: target 'a' in record 1 is not a finite number"):
        declared["openml-regression"].load(data_id=31)


def test_without_a_network_the_data_is_unavailable(serve, declared):
    serve(URLError("Name or service not known"))
    with pytest.raises(DataUnavailableError, match=r"OpenML 31 cannot be fetched .* Name or service not known"):
        declared["openml"].load(data_id=31)


@pytest.mark.parametrize("data_id", [0, "iris", 1.5])
def test_a_number_is_needed(data_id, declared):
    with pytest.raises(ValueError, match="data_id is"):
        declared["openml"].load(data_id=data_id)


def test_what_is_missing_is_said(serve, declared):
    with pytest.raises(ValueError, match="'data_id' is missing"):
        declared["openml"].load()
    serve(KeyError("Could not find target_column='kind'"))
    with pytest.raises(ValueError, match="OpenML 31: no column 'kind'"):
        declared["openml"].load(data_id=31, target="kind")
    serve(Bunch(data=pd.DataFrame({"a": [1]}), target=None, feature_names=["a"]))
    with pytest.raises(ValueError, match="has no single default target"):
        declared["openml"].load(data_id=31)
