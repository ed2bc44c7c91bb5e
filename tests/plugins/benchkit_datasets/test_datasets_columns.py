"""What tables say beside their features: columns left out, categories, classes by name, several files, sources."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchkit.data.columns import column_names, find_column
from benchkit.trial.prepared import check_loaded
from benchkit_datasets.own.arrays import load_libsvm
from benchkit_datasets.own.table_file import load_table, load_table_regression

TABLE = """patient,visit,age,colour,outcome
p1,1,30,red,ill
p1,2,31,blue,well
p2,1,50,red,
p2,2,51,,ill
p3,1,70,green,well
"""
CREDIT = """income,city,age,score,default
10,bonn,30,1.5,no
20,kiel,40,2.5,yes
30,,50,3.5,no
40,bonn,60,4.5,yes
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(TABLE)
    Path("credit.csv").write_text(CREDIT)


def shown(data):
    return {name: getattr(column, "values", column).tolist() for name, column in data.columns.items()}


def test_what_is_left_out_and_categories_are_kept_of_the_rows_that_are():
    data = load_table("own.csv", "outcome", drop=["patient", "visit"], missing_target="drop")
    kept = {"patient": ["p1", "p1", "p2", "p3"], "visit": [1, 2, 2, 1], "colour": ["red", "blue", None, "green"]}
    assert shown(data) == kept
    assert check_loaded(data, "own").class_names == ("ill", "well")
    assert "visit" not in data.feature_names


def test_classes_of_a_pair_and_the_one_that_is_positive():
    assert load_table("own.csv", "outcome", missing_target="drop", positive="ill").class_names == ("well", "ill")
    Path("own.csv").write_text("id,x,kind\na,1,dog\nb,2,cat\nc,3,cow\nd,4,dog\n")
    data = load_table("own.csv", "kind", drop=["id"], pair=["dog", "cow"])
    assert (shown(data)["id"], data.X.ravel().tolist()) == (["a", "c", "d"], [1, 3, 4])
    assert data.class_names == ("dog", "cow")
    assert load_table("own.csv", "kind", drop=["id"], one_against_rest="cat").class_names == ("not cat", "cat")
    assert load_table("own.csv", "kind", drop=["id"]).class_names == ("cat", "cow", "dog")
    Path("own.txt").write_text("3 1:1\n7 1:2\n")
    assert load_libsvm("own.txt").class_names == ("3", "7")


def test_several_files_are_one_table():
    Path("more.csv").write_text("outcome,colour,age,patient,visit\nwell,black,20,p9,1\n")
    data = load_table(["own.csv", "more.csv"], "outcome", drop=["patient", "visit"], missing_target="drop")
    assert data.columns["file"].codes.tolist() == [0, 0, 0, 0, 1]
    assert data.columns["file"].names == ("own.csv", "more.csv")
    assert shown(data)["patient"][-1] == "p9"
    assert data.X[-1].tolist() == [20, 1, 0, 0, 0]  # age, and colours of both files
    assert data.y[-1] == 1
    numbers = load_table_regression(["own.csv", "more.csv"], "age", drop=["patient", "outcome"])
    assert numbers.y.tolist() == [30, 31, 50, 51, 70, 20]
    with pytest.raises(ValueError, match="this reader takes one file"):
        load_libsvm(["a.txt", "b.txt"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("patient,visit,age,outcome\np,1,2,ill\n", "more.csv: has no column 'colour', which own.csv has"),
        ("patient,visit,age,colour,size,outcome\np,1,2,red,3,ill\n", "own.csv: has no column 'size', which more"),
        ("patient,visit,age,colour,outcome\np,1,old,red,ill\n", "'age' holds text, and numbers in own"),
    ],
)
def test_files_of_other_columns(text, message):
    Path("more.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        load_table(["own.csv", "more.csv"], "outcome", header=True, missing_target="drop")


def test_files_have_the_decimal_mark_of_those_that_show_it():
    Path("one.csv").write_text("price;outcome\n2.092,4;ill\n1.050,0;well\n")
    Path("more.csv").write_text("price;outcome\n1.050;ill\n2.000;well\n")
    for files in (["one.csv", "more.csv"], ["more.csv", "one.csv"]):
        assert sorted(load_table(files, "outcome").X[:, 0]) == [1050, 1050, 2000, 2092.4]


def test_truth_values_with_a_gap_are_what_those_without_are():
    Path("more.csv").write_text("flag,outcome\nTrue,ill\n,well\nFalse,ill\n")
    Path("one.csv").write_text("flag,outcome\nTrue,ill\nFalse,well\n")
    assert load_table(["one.csv", "more.csv"], "outcome", header=True).X.shape[0] == 5


TARGETS = {
    "truth": ([True, False, True, False], ("False", "True")),
    "truth with a gap": (pd.array([True, False, None, False], "boolean"), ("False", "True")),
    "bytes": ([b"no", b"yes", b"no", b"yes"], ("no", "yes")),
    "dates": (pd.to_datetime(["2024-01-01", "2024-02-01"] * 2), ("2024-01-01", "2024-02-01")),
    "codes": ([1.0, 2.0, 1.0, 2.0], ("1", "2")),
    "blanks at the ends": ([" no", "yes", "no ", "yes"], ("no", "yes")),
    "one class of one row": (["b", "a", "a", "c"], ("a", "b", "c")),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_targets(kind):
    values, classes = TARGETS[kind]
    frame = pd.DataFrame({"850": [1.5, 2.5, 3.5, 4.5], "900": range(4), "y": values})
    frame.to_parquet("t.parquet")
    frame.assign(y=[value.decode() for value in values] if kind == "bytes" else values).to_csv("t.csv", index=False)
    for name in ("t.csv", "t.parquet"):
        data = load_table(name, "y", missing_target="drop")
        assert data.feature_names == ["850", "900"]
        assert tuple(name.removesuffix(" 00:00:00") for name in data.class_names) == classes


def test_a_name_of_digits_is_a_name():
    Path("t.csv").write_text("2,1,0\n" + "".join(f"{row},{row}.5,{row % 2}\n" for row in range(6)))
    by_name = load_table("t.csv", target=0, header=True, drop=[2])
    assert (by_name.feature_names, by_name.target_name, by_name.y.tolist()) == (["1"], "0", [-1, 1] * 3)
    assert load_table("t.csv", target=-1, header=True).target_name == "0"
    Path("t.csv").write_text("850,900,950,y\n1,2,3,a\n2,3,4,b\n")
    with pytest.raises(ValueError, match="cannot tell whether the first row names the columns"):
        load_table("t.csv")
    assert load_table("t.csv", header=True).feature_names == ["850", "900", "950"]


def test_a_source_is_a_group_of_columns_and_blocks_for_every_reader_and_no_column():
    data = load_table("credit.csv", target="default", sources={"bureau": ["score", "city", "income"]})
    assert list(data.feature_names) == ["income", "city=bonn", "city=kiel", "age", "score"]
    assert data.groups == [[0, 1, 2, 4], [3]]
    assert data.group_names == ["bureau", "age"]
    assert data.one_hot == [[1, 2]]
    np.testing.assert_array_equal(data.X, load_table("credit.csv", target="default").X)
    pd.read_csv("credit.csv").drop(columns="city").to_parquet("own.parquet")
    sources = {"bureau": ["income", "score"]}
    for read in (
        load_table_regression("credit.csv", target="age", drop=["city", "default"], sources=sources),
        load_table("own.parquet", sources=sources),
        load_table_regression("own.parquet", target="age", drop=["default"], sources=sources),
    ):
        assert list(read.group_names) == ["bureau"]
        assert [[read.feature_names[place] for place in group] for group in read.groups] == [["income", "score"]]
    assert "bureau" not in column_names(data)
    assert {"age", "city", "income"} <= set(column_names(data))
    with pytest.raises(ValueError, match="no column 'bureau'"):
        find_column(data, "bureau")
    one = load_table("credit.csv", target="default", sources={"register": ["city"]})
    assert find_column(one, "register").codes.tolist() == [0, 1, -1, 0]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"bureau": ["incom"]}, "credit.csv: the source 'bureau' names 'incom'; the columns are income, city, age"),
        ({"bureau": ["default"]}, "names 'default'"),
        ({"bureau": ["income"], "shop": ["income"]}, "column 'income' is in the source 'bureau' and 'shop'"),
        ({"bureau": ["income", "income"]}, "'bureau' twice"),
        ({"bureau": "income"}, "expected a list of columns"),
        ({"bureau": []}, "expected a list of columns"),
        ({"age": ["income"]}, "the source 'age' has the name of a column that is not in it"),
        ({}, "expected names with lists of columns"),
        (["income"], "expected names with lists of columns"),
    ],
)
def test_sources_that_are_none(sources, message):
    with pytest.raises(ValueError, match=message):
        load_table("credit.csv", target="default", sources=sources)
