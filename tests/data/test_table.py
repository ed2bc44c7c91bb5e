"""One rule of what is missing and of which texts are numbers, whichever command reads a table."""

import contextlib
import os
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import benchkit
from benchkit.data.table import TableError, read_table
from benchkit_datasets.own.table_file import load_table


@pytest.fixture(params=[{}, {"header": None, "stripped": True}], ids=["plain", "as of a suite"])
def read(request, tmp_path):
    def read(text, **options):
        path = tmp_path / "t.tsv"
        path.write_text(text.replace(";", "\t"))
        return read_table(path, **request.param, **options)

    return read


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
    text = "a;b;y\n" + "".join(f"{a};{b};1\n" for a, b in zip(*[column.split() for column in columns], strict=True))
    with pytest.raises(TableError, match="has numbers such as .*give decimal: ','"):
        read(text)
    frame = read(text, decimal=decimal)
    for name, values in zip("ab", expected, strict=True):
        assert frame[name].tolist() == values


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


def test_missing_is_what_the_format_says_and_words_among_numbers_are_asked_for(read):
    text = "name;n;y\nNA;1;1\nNone;;0\n?;nan;1\n;NULL;0\nnull;5;1\n"
    frame = read(text)
    assert frame["name"].isna().tolist() == [False, False, False, True, True]
    assert frame["name"].tolist()[:3] == ["NA", "None", "?"]
    assert frame["n"].isna().tolist() == [False, True, True, True, False]
    named = read(text, na_values=["NA", "?", "5"])
    assert named["name"].isna().tolist() == [True, False, True, True, True]
    assert named["n"].isna().tolist() == [False, True, True, True, True]
    with pytest.raises(TableError, match="column 'b' has numbers such as '0.123'.*write all numbers alike"):
        read("a;b;y\n396;0.123;1\n1,494;0.5;0\n4,282;0.25;1\n", decimal=",")
    text = "n;y\n1;1\nNA;0\n2.5;1\n"
    with pytest.raises(TableError, match=r"column 'n' has numbers, and 'NA' in 1 rows: give na_values: \['NA'\]"):
        read(text)
    np.testing.assert_array_equal(read(text, na_values=["NA"])["n"], [1, np.nan, 2.5])
    assert read(text, na_values=[])["n"].tolist() == ["1", "NA", "2.5"]


PEOPLE = pd.DataFrame(
    {"größe": [0.5, None, 2.0, 2.5], "b c": ["u", 'say "v, w"', "u", None], "y": ["yes", "no", "yes", "no"]}
)
TEXT = PEOPLE.to_csv(index=False)


def encoded(text, encoding):
    return lambda path: path.write_bytes(text.encode(encoding))


def arrow(change=lambda column: column, **options):
    """Writes Parquet with another type for the texts."""

    def write(path):
        table = pa.Table.from_pandas(PEOPLE, preserve_index=False)
        place = table.column_names.index("b c")
        parquet.write_table(table.set_column(place, "b c", change(table.column("b c"))), path, **options)

    return write


FORMS = {
    "bom.csv": encoded(TEXT, "utf-8-sig"),
    "utf16.csv": encoded(TEXT, "utf-16"),
    "big-endian.csv": encoded("\ufeff" + TEXT, "utf-16-be"),
    "latin1.csv": encoded(TEXT, "latin-1"),
    "cr.csv": encoded(TEXT.replace("\n", "\r"), "utf-8"),
    "crlf.tsv": encoded(PEOPLE.to_csv(index=False, sep="\t", lineterminator="\r\n"), "utf-8"),
    "dictionary.parquet": arrow(lambda column: column.dictionary_encode()),
    "large.parquet": arrow(lambda column: column.cast("large_string")),
    "bytes.parquet": arrow(lambda column: column.cast("binary")),
    "bare.pq": arrow(write_statistics=False),
    "t.json": lambda path: PEOPLE.to_json(path, orient="records"),
    "t.jsonl.gz": lambda path: PEOPLE.to_json(path, orient="records", lines=True),
}


@pytest.mark.parametrize("name", FORMS)
def test_one_table_in_each_form_is_one_table(name, tmp_path):
    FORMS[name](tmp_path / name)
    latin = name == "latin1.csv"
    with pytest.warns(UserWarning, match="is not UTF-8: read as Latin-1") if latin else contextlib.nullcontext():
        frame = read_table(tmp_path / name)
    assert [*frame] == [*PEOPLE]
    for column in PEOPLE:
        values = frame[column].astype(object).where(frame[column].notna(), None).tolist()
        assert values == PEOPLE[column].astype(object).where(PEOPLE[column].notna(), None).tolist()


@pytest.mark.parametrize("name", ["utf16.csv", "large.parquet", "t.jsonl.gz"])
def test_a_suite_for_it_reads_the_same(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TEXT)
    FORMS[name](Path(name))
    datasets = benchkit.registry().datasets.values()
    ending = name.removesuffix(".gz")
    reader = next(each for each in datasets if ending.endswith(tuple(each.suffixes)) and each.suffixes)
    data, expected = reader.load(path=name, target="y"), load_table("t.csv", target="y")
    np.testing.assert_array_equal(data.X, expected.X)
    assert (data.feature_names, data.class_names) == (expected.feature_names, expected.class_names)
    assert all(map(os.path.isfile, reader.paths(path=name)))  # whose content decides what is reused


def test_types_of_arrow_that_pandas_has_not(tmp_path):
    path = tmp_path / "t.parquet"
    days = pd.date_range("2024-01-01", periods=2, tz="Europe/Berlin")
    columns = {
        "price": pa.array([Decimal("0.125"), Decimal("2.5")], pa.decimal128(10, 3)),
        "day": pa.array(days.date),
        "at": pa.array(days),
        "place": pa.array([{"north": 1.5, "of": {"city": "bonn"}}, {"north": 2.5, "of": {"city": "kiel"}}]),
    }
    parquet.write_table(pa.table(columns), path)
    frame = read_table(path)
    assert [*frame] == ["price", "day", "at", "place.north", "place.of.city"]
    assert frame[["price", "place.of.city"]].to_numpy().tolist() == [[0.125, "bonn"], [2.5, "kiel"]]
    assert {frame[name].dtype.kind for name in ("day", "at")} == {"M"}


def test_what_is_read_is_what_pandas_reads(tmp_path):
    frame = pd.DataFrame({"text": ["x", "y", None, "x"], "number": [1.5, 2.0, 3.0, 4.0]}, index=[3, 5, 7, 9])
    for rows in (frame, frame.iloc[:0], frame.rename_axis("id")):
        for ending in (".parquet", ".pq", ".data"):
            rows.to_parquet(path := tmp_path / f"t{ending}")
            read = pd.read_parquet(path).reset_index(drop=rows.index.name is None)
            pd.testing.assert_frame_equal(read_table(path), read)
    packed = [(",", f"t.csv{ending}") for ending in ("", ".gz", ".bz2", ".xz")]
    for separator, name in (*packed, (";", "t.csv"), ("\t", "t.csv"), ("\t", "t.tsv"), (",", "t.txt")):
        frame.to_csv(path := tmp_path / name, sep=separator)
        pd.testing.assert_frame_equal(read_table(path), pd.read_csv(path, sep=separator))


LISTS = pa.table({"a": [[1, 2], [3], [4]], "x": [1, 2, 3], "y": [0, 1, 0]})
REFUSED = [
    ("t.csv", b"", "empty"),
    ("t.csv", b"PK\x03\x04", "spreadsheet"),
    ("t.csv", b"a,y\n1,\0\n", "no text"),
    ("t.csv", b"a,a\n1,2\n", "two columns are named 'a'"),
    ("t.csv", b"a|y\n1|2\n", "bars"),
    ("t.csv", b'a,y\n1,"2\n', "line 2: unexpected end"),
    ("t.csv", b'a,y\n"he said \\"hi\\", no",2\n', "line 2: .* a quote is written twice"),
    ("t.csv", b"a,y\n1,2\n1,2,3\n", "row 2 has 3 values, expected 2"),
    ("t.csv", b"a,y\n1,2\n3\n", "row 2 has 1 value, expected 2"),
    ("t.csv", b"x" + 200_000 * b",x" + b"\n1\n", "200,001 columns.* GB"),
    ("t.csv.gz", b"x", "cannot be read as text"),
    ("t.json", b"[" * 100_000, "json"),
    ("t.jsonl", b"{}\nx\n", "row 2"),
    ("t.pq", b"PAR1", "cannot be read as parquet"),
    ("t.pkl", b"\x80\x04.", "a pickle"),
    ("t.libsvm", b"1 1:2\n", "libsvm"),
    ("t.xlsx", b"PK\x03\x04junk", "spreadsheet"),
    ("t.parquet", lambda path: parquet.write_table(LISTS, path), "column 'a' holds lists"),
    ("t.csv", os.mkfifo, "no file of data"),
]


@pytest.mark.parametrize(("name", "content", "named"), REFUSED)
def test_what_is_no_table_is_one_line(name, content, named, tmp_path):
    path = tmp_path / name
    _ = path.write_bytes(content) if isinstance(content, bytes) else content(path)
    with pytest.raises(ValueError, match=named) as raised:
        load_table(str(path), target="y") if name == "t.parquet" else read_table(path)
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)
