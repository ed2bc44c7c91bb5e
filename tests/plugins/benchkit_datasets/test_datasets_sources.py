"""Sources of a user's own table: groups of columns that fail together."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchkit.data.columns import column_names, find_column
from benchkit_datasets.own.table_file import load_table, load_table_regression

TABLE = """income,city,age,score,default
10,bonn,30,1.5,no
20,kiel,40,2.5,yes
30,,50,3.5,no
40,bonn,60,4.5,yes
"""
BUREAU = {"bureau": ["score", "city", "income"]}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own.csv").write_text(TABLE)


def test_a_source_is_a_group_of_columns_and_blocks():
    data = load_table("own.csv", target="default", sources=BUREAU)
    assert list(data.feature_names) == ["income", "city=bonn", "city=kiel", "age", "score"]
    assert data.groups == [[0, 1, 2, 4], [3]]
    assert data.group_names == ["bureau", "age"]
    assert data.one_hot == [[1, 2]]
    plain = load_table("own.csv", target="default")
    np.testing.assert_array_equal(data.X, plain.X)


def test_every_reader_takes_them():
    pd.read_csv("own.csv").drop(columns="city").to_parquet("own.parquet")
    sources = {"bureau": ["income", "score"]}
    for data in (
        load_table_regression("own.csv", target="age", drop=["city", "default"], sources=sources),
        load_table("own.parquet", sources=sources),
        load_table_regression("own.parquet", target="age", drop=["default"], sources=sources),
    ):
        assert list(data.group_names) == ["bureau"]
        assert [[data.feature_names[place] for place in group] for group in data.groups] == [["income", "score"]]


def test_a_source_is_no_column():
    data = load_table("own.csv", target="default", sources=BUREAU)
    assert "bureau" not in column_names(data)
    assert {"age", "city", "income"} <= set(column_names(data))
    with pytest.raises(ValueError, match="no column 'bureau'"):
        find_column(data, "bureau")
    one = load_table("own.csv", target="default", sources={"register": ["city"]})
    assert find_column(one, "register").codes.tolist() == [0, 1, -1, 0]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({"bureau": ["incom"]}, "own.csv: the source 'bureau' names 'incom'; the columns are income, city, age, score"),
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
        load_table("own.csv", target="default", sources=sources)
