"""Columns are found by name, whatever they are kept as; a wrong name is told with the nearest."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from benchkit import Categories, Data
from benchkit.data.columns import column_codes, column_names, find_column

NAN = float("nan")
DATA = Data(
    X=np.array([[1.0, 1, 0], [2.0, 0, 1], [3.0, NAN, NAN]]),
    y=np.array([-1, 1, 1]),
    feature_names=["age", "colour=blue", "colour=red"],
    groups=[[0], [1, 2]],
    group_names=["age", "colour"],
    target_name="outcome",
    class_names=["ill", "well"],
    columns={"patient": Categories.of(["p2", None, "p2"]), "visit": np.array([3, 1, 2])},
)


def test_each_is_found_by_name():
    assert find_column(DATA, "patient").values.tolist() == ["p2", None, "p2"]
    assert find_column(DATA, "visit").tolist() == [3, 1, 2]
    assert find_column(DATA, "age").tolist() == [1, 2, 3]
    assert find_column(DATA, "colour").values.tolist() == ["blue", "red", None]
    assert find_column(DATA, "outcome").values.tolist() == ["ill", "well", "well"]
    assert column_names(DATA) == ["patient", "visit", "age", "colour", "colour=blue", "colour=red", "outcome"]
    sparse = Data(X=csr_matrix([[0.0, 1], [2, 0]]), y=np.array([0, 1]), feature_names=["a", "b"])
    assert find_column(sparse, "b").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "hint"), [("pateint", "did you mean 'patient'?"), ("zip", "it has patient, visit, age, colour")]
)
def test_a_name_that_there_is_not(name, hint):
    with pytest.raises(ValueError, match="the data has no column") as caught:
        find_column(DATA, name)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("column", "codes"),
    [
        (Categories(np.array([2, -1, 0, 2]), ["a", "b", "c"]), [1, -1, 0, 1]),
        (np.array([2.5, NAN, -1.0, 2.5]), [1, -1, 0, 1]),
        (np.array(["b", None, "a", "b"], dtype=object), [1, -1, 0, 1]),
        (np.array(["2020-01-02", "NaT", "2020-01-01", "2020-01-02"], dtype="datetime64[D]"), [1, -1, 0, 1]),
        (np.array([True, False, False, True]), [1, 0, 0, 1]),
    ],
)
def test_codes_are_in_the_order_of_the_values(column, codes):
    assert column_codes(column).tolist() == codes
