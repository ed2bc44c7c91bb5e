"""A user's own CSV, Parquet, LIBSVM and multi-view files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from benchkit import DataUnavailableError


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def read(declared):
    def read(name, text, file="own.txt", **params):
        Path(file).write_text(text)
        return declared[name].load(path=file, **params)

    return read


def test_csv_with_decimal_commas_and_columns_to_drop(read):
    text = "id;a;b;kind\n" + "".join(f"row {i};{i},5;{'x' if i % 2 else 'y'};{i % 2}\n" for i in range(30))
    data = read("csv", text, decimal=",", drop=["id"])
    assert data.feature_names == ["a", "b=x", "b=y"]
    assert data.X[:2, 0].tolist() == [0.5, 1.5]
    assert data.y.tolist() == [-1, 1] * 15
    assert read("csv-regression", text, decimal=",", drop="id", target=1).y.tolist() == [i + 0.5 for i in range(30)]
    for params, message in [
        ({"decimal": ","}, "column 'id' has 30 different texts in 30 rows, such as 'row 0'"),
        ({"decimal": ",", "drop": ["id"], "target": "a"}, "column 'a', has 30 .*-regression"),
        ({"drop": ["name"], "decimal": ","}, "no column to drop is named 'name'; the columns are id, a, b, kind"),
        ({"drop": ["kind"], "decimal": ","}, "column 'kind' is the target and cannot be dropped"),
        ({"decimal": ";"}, "decimal is ';'"),
    ]:
        with pytest.raises(ValueError, match=message):
            read("csv", text, **params)


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("1,2,0\n3,4,1\n", {}),
        ("1,2,0\n3,4,1\n", {"header": False}),
        ("a,b,c\n1,2,0\n3,4,1\n", {}),
        ("a,b,c\n1,2,0\n3,4,1\n", {"header": True, "target": "c"}),
        ("\ufeffa;b;c\r\n1;2;0\r\n3;4;1\r\n", {}),
        ("a\tb\tc\n1\t2\tno\n3\t4\tyes\n", {"target": 2}),
        ("a|b|c\n1|2|yes\n3|4|no\n", {"delimiter": "|", "positive": "no"}),
        ('"c","a","b"\n"0",1,"2"\n"1",3,4\n\n', {"target": "c"}),
        ("0, 1, 2\n1, 3, 4\n", {"target": 0, "header": False}),
        ("850,900,y\n1,2,0\n3,4,1\n", {"target": "y"}),
        ("1,2,0\n3,4,1\n", {"target": "x3"}),
        ("1,2,0\r3,4,1\r", {}),
    ],
)
def test_csv_forms_of_one_table(text, params, read):
    data = read("csv", text, **params)
    assert data.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert data.y.tolist() == [-1, 1]
    assert not data.groups


def test_csv_of_numbers_as_classes_and_of_text_as_targets(read):
    text = "1,5\n2,7\n3,9\n"
    assert read("csv", text).y.tolist() == [5, 7, 9]
    assert read("csv", text, pair=[9, 5]).y.tolist() == [1, -1]
    assert read("csv", text, one_against_rest="7").y.tolist() == [-1, 1, -1]
    assert read("csv", "1,0\n2,1\n", positive=0).y.tolist() == [1, -1]
    assert read("csv", "1,false\n2,true\n", positive="False").y.tolist() == [1, -1]
    with pytest.raises(ValueError, match=r"own.txt: target 'much' in record 2 is not a finite number"):
        read("csv-regression", "a,price\n1,2.5\n3,much\n")


def test_parquet_and_what_cannot_be_read_of_it(declared):
    frame = pd.DataFrame({"size": pd.array([1, None, 3, 4], dtype="Int64"), "colour": ["red", "blue", None, "red"]})
    frame.assign(sick=[True, False, False, True], kind=["b", "a", "b", "a"]).to_parquet("own.parquet")
    data = declared["parquet"].load(path="own.parquet", target="kind", positive="a")
    assert data.feature_names == ["size", "colour=blue", "colour=red", "sick"]
    np.testing.assert_array_equal(data.X, [[1, 0, 1, 1], [np.nan, 1, 0, 0], [3, np.nan, np.nan, 0], [4, 0, 1, 1]])
    assert data.y.tolist() == [-1, 1, -1, 1]
    assert data.groups == [[0], [1, 2], [3]]
    pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2021-01-01"]), "y": [0, 1]}).to_parquet("own.parquet")
    with pytest.raises(ValueError, match="column 'when' holds dates"):
        declared["parquet"].load(path="own.parquet")
    pd.DataFrame({"x": [], "y": []}).to_parquet("own.parquet")
    with pytest.raises(ValueError, match="the table is empty"):
        declared["parquet"].load(path="own.parquet")


def test_libsvm_its_options_hashed_columns_and_queries(read):
    data = read("libsvm", "+1 1:0.5 3:2\n-1 2:1\n+1 1:1\n")
    assert sparse.issparse(data.X)
    assert data.X.format == "csr"
    assert data.X.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0], [1, 0, 0]]
    assert data.y.tolist() == [1, -1, 1]
    assert data.feature_names == ["x1", "x2", "x3"]
    text = "3 0:1\n5 1:2\n7 0:4\n"
    assert read("libsvm", text).y.tolist() == [3, 5, 7]
    pair = read("libsvm", text, pair=[7, 3], n_features=4)
    assert pair.X.toarray().tolist() == [[1, 0, 0, 0], [4, 0, 0, 0]]
    assert pair.y.tolist() == [1, -1]
    assert read("libsvm-regression", "0.5 1:1\n1.5 2:1\n").y.tolist() == [0.5, 1.5]
    # Seven million names took half a gigabyte.
    data = read("libsvm", "".join(f"{row % 2} qid:{row // 4} {row + 1}:2 6999999:1\n" for row in range(20)))
    assert (data.X.shape, data.X.nnz, list(data.feature_names)) == ((20, 6999999), 40, [])
    assert data.columns["qid"].tolist() == [row // 4 for row in range(20)]
    assert read("libsvm", "1 0:1 2:3\n0 1:2\n").X.toarray().tolist() == [[1, 0, 3], [0, 2, 0]]


CSV = [
    ("a,b\n", {"header": True}, "no rows below the names"),
    ("red,yes\nblue,no\n", {}, "cannot tell whether the first row names the columns"),
    ("1,2\n3,4\n", {"target": "kind"}, "no column is named 'kind'; the columns are 1, 2"),
    ("1,2\n3,4\n", {"target": 5}, "target is column 5, there are only 2"),
    ("1,2\n3,4\n", {"target": 1.5}, "target is 1.5, expected the name"),
    ("1,2\n3,\n", {}, "'x2', .* record 2: write 'missing_target"),
    ("1,2\n3,\n", {"missing_target": "keep"}, "missing_target is 'keep'"),
    ("1\n2\n", {}, "one column only"),
    ("".join(f"{n},{n}\n" for n in range(40)), {}, "40 different numbers in 40 rows"),
    ("1,0\n2,0\n", {}, "all labels are 0, expected at least two classes"),
    ("1,0\n2,1\n", {"positive": 7}, r"no label is 7; the classes are \[0, 1\]"),
    ("1,0\n2,1\n3,2\n", {"positive": 1}, "3 classes: use 'one_against_rest' or 'pair'"),
    ("1,0\n2,1\n3,2\n", {"pair": [0, 5]}, r"pair names class 5; the classes are \[0, 1, 2\]"),
    ("1,0\n2,1\n3,2\n", {"pair": [0, 1], "positive": 1}, "'positive' does not go with"),
    ("inf,0\n2,1\n", {}, "column 'x1' holds infinity in record 1"),
    ("1,2\n3,4\n", {"delimiter": "::"}, "delimiter is '::', expected one character"),
    ("1,2\n3,4\n", {"header": "yes"}, "header is 'yes', expected one of"),
]
LIBSVM = [
    ("", {}, "the file is empty"),
    ("<html>gone</html>", {}, "a web page"),
    ("1 1:2\nyes 1:3\n0 1:1\n", {}, "no LIBSVM text in row 2"),
    (" 1:2\n0 1:3\n", {}, "no LIBSVM text in row 1"),
    ("1 1:2\n0 1:3\n0 1=3\n", {}, "no LIBSVM text in row 3"),
    ("1 1:2\n0 -2:3\n", {}, "no LIBSVM text in row 2"),
    ("1 1:2\n0 9:3\n", {"n_features": 3}, "no LIBSVM text in row 2"),
    ("1 1:nan\n0 1:3\n", {}, "a value is not a finite number"),
    ("0.5 1:2\n0 1:3\n", {}, "label 0.5 is not a whole number"),
    ("1 1:2\n1 1:3\n", {}, "all labels are 1, expected at least two"),
    ("1 1:2\n0 1:3\n", {"zero_based": "no"}, "zero_based is 'no', expected one of"),
]


@pytest.mark.parametrize(
    ("name", "text", "params", "message"), [*(("csv", *row) for row in CSV), *(("libsvm", *row) for row in LIBSVM)]
)
def test_what_cannot_be_read(name, text, params, message, read):
    with pytest.raises(ValueError, match=message) as caught:
        read(name, text, **params)
    assert "\n" not in str(caught.value)


def test_views_become_groups(declared):
    X = np.arange(12.0).reshape(3, 4)
    X[0, 1] = np.nan
    np.savez("own.npz", X=X, y=[0, 1, 0], view=[2, 1, 2, 1])
    data = declared["multi-view"].load(path="own.npz")
    np.testing.assert_array_equal(data.X, X)
    assert data.groups == [[1, 3], [0, 2]]
    assert data.y.tolist() == [-1, 1, -1]
    assert data.feature_names == ["view-2-x1", "view-1-x2", "view-2-x3", "view-1-x4"]
    np.savez("own.npz", X=X, y=["clutter", "mine", "clutter"], view=["radar", "infrared", "radar", "infrared"])
    assert declared["multi-view"].load(path="own.npz", positive="clutter").y.tolist() == [1, -1, 1]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((2, 3)), "y": [0, 1]}, "no array 'view'"),
        ({"X": np.ones((2, 3)), "y": [0, 1], "view": [1, 1]}, r"shapes X \(2, 3\), y \(2,\), view \(2,\)"),
        ({"X": np.ones((2, 3)), "y": [0.5, 1], "view": [1, 1, 2]}, "y must hold classes"),
        ({"X": np.full((2, 3), np.inf), "y": [0, 1], "view": [1, 1, 2]}, "finite or NaN"),
        ({"X": np.full((2, 3), "a"), "y": [0, 1], "view": [1, 1, 2]}, "X must hold numbers"),
        ({"X": np.ones((2, 3)), "y": [1, 1], "view": [1, 1, 2]}, "all labels are 1"),
        ({"X": np.ones((2, 3)), "y": np.array([None, 1]), "view": [1, 1, 2]}, "not a NumPy archive"),
        *((content, "not a NumPy archive") for content in (b"PK\x03\x04 but no archive", b"text", b"\x93NUMPY")),
    ],
)
def test_archives_that_are_no_views(arrays, message, declared):
    _ = Path("own.npz").write_bytes(arrays) if isinstance(arrays, bytes) else np.savez("own.npz", **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        declared["multi-view"].load(path="own.npz")
    assert "own.npz" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["csv", "table-regression", "libsvm", "multi-view", "libsvm-regression"])
def test_the_path_is_declared_and_needed(name, declared):
    dataset = declared[name]
    assert dataset.paths(path="own.csv", target="kind") == ["own.csv"]
    assert dataset.paths() == []
    with pytest.raises(ValueError, match="'path' is missing"):
        dataset.load()
    with pytest.raises(DataUnavailableError, match=r"there is no file own.csv in /"):
        dataset.load(path="own.csv")


def test_rows_without_a_target_are_left_out_where_the_suite_says_so(declared):
    pd.DataFrame({"a": range(6), "kind": [1, None, 2, 1, None, 2]}).to_parquet("own.txt")
    with pytest.raises(ValueError, match="'kind', is missing in 2 of 6 rows, the first in record 2"):
        declared["parquet-regression"].load(path="own.txt")
    data = declared["parquet-regression"].load(path="own.txt", missing_target="drop")
    assert (data.X.ravel().tolist(), data.y.tolist()) == ([0, 2, 3, 5], [1, 2, 1, 2])


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_rows_draws_the_same_ones_each_time(file, declared):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"row": np.arange(500.0), "x": rng.normal(size=500), "y": rng.choice(["a", "b"], 500)})
    _ = frame.to_csv(file, index=False) if file == "t.csv" else frame.to_parquet(file)
    whole, part = (declared["csv"].load(path=file, target="y", rows=rows) for rows in (501, 40))
    drawn = part.X[:, 0].astype(int)
    assert (np.diff(drawn) > 0).all()
    assert drawn.max() > 100
    np.testing.assert_array_equal(part.X, whole.X[drawn])
    np.testing.assert_array_equal(declared["csv"].load(path=file, target="y", rows=40, drop=["x"]).X[:, 0], drawn)
    with pytest.raises(ValueError, match="rows is 0, expected a whole number of at least 1"):
        declared["csv"].load(path=file, target="y", rows=0)
