"""One rule of what is missing and of which texts are numbers, for suites, audits and judged tables."""

import os
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from benchkit.data.table import TableError, read_table
from benchkit.errors import RequestError
from benchkit_audit.subject import read_holdout
from benchkit_datasets.own.csv_file import read_csv
from benchkit_datasets.own.parquet_file import load_parquet


def of_audit(path, **options):
    X, y = read_holdout(path, "y", **options)
    return X.assign(y=y)


@pytest.fixture(params=[read_csv, of_audit, read_table])  # the last as tables that are judged are read
def read(request, tmp_path):
    """The three readers; judged tables of text end in .tsv where commas are no separators."""

    def read(text, **options):
        path = tmp_path / "t.tsv"
        path.write_text(text.replace(";", "\t"))
        return request.param(path, **options)

    return read


QUESTIONS = (TableError, RequestError)


@pytest.mark.parametrize(
    ("columns", "decimal", "expected"),
    [
        (["396 1,494 4,282", "0.123 0.5 1"], ".", [[396, 1494, 4282], [0.123, 0.5, 1]]),  # the case that was mixed
        (["396 1,494 4,282", "1 2 3"], ".", [[396, 1494, 4282], [1, 2, 3]]),
        (["396 1,494 4,282", "1 2 3"], ",", [[396, 1.494, 4.282], [1, 2, 3]]),
        (["0,5 1,25 2", "0.25 1 2"], ".", [["0,5", "1,25", "2"], [0.25, 1, 2]]),
        (["1,494.5 2,000", "0,5 2,25"], ".", [[1494.5, 2000], ["0,5", "2,25"]]),
    ],
)
def test_where_both_readings_are_possible_it_is_asked(read, columns, decimal, expected):
    fields = [column.split() for column in columns]
    text = "a;b;y\n" + "".join(f"{a};{b};1\n" for a, b in zip(*fields, strict=True))
    with pytest.raises(QUESTIONS, match="has numbers such as .*give decimal: ','"):
        read(text)
    frame = read(text, decimal=decimal)
    for name, values in zip("ab", expected, strict=True):
        assert frame[name].tolist() == values


def test_numbers_of_both_marks_are_never_mixed(read):
    text = "a;b;y\n396;0.123;1\n1,494;0.5;0\n4,282;0.25;1\n"
    with pytest.raises(QUESTIONS, match="column 'b' has numbers such as '0.123'.*write all numbers alike"):
        read(text, decimal=",")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a;b;y\n0,5;1;1\n1,25;2;0\n", [0.5, 1.25]),  # no number can be read otherwise
        ("a;b;y\n0,5;1,494;1\n1,25;2;0\n", [0.5, 1.25]),
        ("a;b;y\n1.494,5;1;1\n2;2;0\n", [1494.5, 2]),
        ("a;b;y\n1,494,000;1;1\n2,000;2;0\n", [1494000, 2000]),
        ("a;b;y\n1,494.5;1;1\n2,000;2;0\n", [1494.5, 2000]),
        ("a;b;y\nx,1;1;1\n2,5;2;0\n", ["x,1", "2,5"]),
    ],
)
def test_where_one_reading_is_possible_it_is_taken(read, text, expected):
    assert read(text)["a"].tolist() == expected


def test_missing_is_what_the_format_says(read):
    text = "name;n;y\nNA;1;1\nNone;;0\n?;nan;1\n;NULL;0\nnull;5;1\n"
    frame = read(text)
    assert frame["name"].isna().tolist() == [False, False, False, True, True]
    assert frame["name"].tolist()[:3] == ["NA", "None", "?"]
    assert frame["n"].isna().tolist() == [False, True, True, True, False]
    named = read(text, na_values=["NA", "?", "5"])
    assert named["name"].isna().tolist() == [True, False, True, True, True]
    assert named["n"].isna().tolist() == [False, True, True, True, True]


def test_words_among_numbers_are_asked_for(read):
    text = "n;y\n1;1\nNA;0\n2.5;1\n"
    with pytest.raises(QUESTIONS, match=r"column 'n' has numbers, and 'NA' in 1 rows: give na_values: \['NA'\]"):
        read(text)
    np.testing.assert_array_equal(read(text, na_values=["NA"])["n"], [1, np.nan, 2.5])
    assert read(text, na_values=[])["n"].tolist() == ["1", "NA", "2.5"]


@pytest.mark.parametrize("read", [of_audit, read_table, lambda path: load_parquet(str(path))])
def test_decimal_numbers_of_parquet_are_numbers(read, tmp_path):
    """They were categories, 160 of them one-hot, or left out, or texts."""
    path = tmp_path / "t.parquet"
    values = [f"{place / 8:.3f}" for place in range(160)]
    pd.DataFrame({"price": [*map(Decimal, values)], "y": [0, 1] * 80}).to_parquet(path)
    read_as = read(path)
    prices = read_as.X[:, 0] if hasattr(read_as, "X") else read_as["price"].to_numpy()
    assert prices.dtype == np.float64
    np.testing.assert_array_equal(prices, [place / 8 for place in range(160)])


def test_what_is_read_is_what_pandas_reads(tmp_path):
    frame = pd.DataFrame({"text": ["x", "y", None, "x"], "number": [1.5, 2.0, 3.0, 4.0]}, index=[3, 5, 7, 9])
    for rows in (frame, frame.iloc[:0]):
        for ending in (".parquet", ".pq", ".data"):
            rows.to_parquet(path := tmp_path / f"t{ending}")
            pd.testing.assert_frame_equal(read_table(path), pd.read_parquet(path))
    for ending in (".csv", ".csv.gz", ".csv.bz2", ".csv.xz"):
        frame.to_csv(path := tmp_path / f"t{ending}")
        pd.testing.assert_frame_equal(read_table(path), pd.read_csv(path))
    for separator, name in (";", "t.csv"), ("\t", "t.csv"), ("\t", "t.tsv"), (",", "t.txt"):
        frame.to_csv(path := tmp_path / name, sep=separator)
        pd.testing.assert_frame_equal(read_table(path), pd.read_csv(path, sep=separator))
    for lines, name in (False, "t.json"), (True, "t.jsonl"), (True, "t.ndjson.gz"):
        frame.to_json(path := tmp_path / name, orient="records", lines=lines)
        pd.testing.assert_frame_equal(read_table(path), frame.reset_index(drop=True), check_dtype=False)


def test_what_is_no_table_is_said(tmp_path):
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    with pytest.raises(TableError, match="no file of data"):
        read_table(path)
    path.unlink()
    for content, named in (
        (b"", "empty"),
        (b"PK\x03\x04", "spreadsheet"),
        (b"a,a\n1,2\n", "two columns"),
        (b"a|b\n1|2\n", "bars"),
        (b'a,b\n1,"2\n', "row 2: unexpected end"),
        (b"a,b\n1,2\n1,2,3\n", "3 columns in row 3, expected 2"),
        (b"a,b\n1,2\n3\n", "1 columns in row 3, expected 2"),
        (b"a,b\n1,\xff\n", "byte 0xff in row 2 is not UTF-8"),
    ):
        path.write_bytes(content)
        with pytest.raises(TableError, match=named):
            read_table(path)
    damaged = ("t.json", b"[" * 100_000), ("t.jsonl", b"{}\nx\n"), ("t.csv.gz", b"x"), ("t.pq", b"PAR1")
    for name, content in damaged:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TableError, match=rf"{name}.*{'row 2' if name.endswith('l') else ''}"):
            read_table(tmp_path / name)
