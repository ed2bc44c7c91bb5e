"""Tables that anybody may have made: what expands, or lies about its size, is refused in one line."""

import gzip
import os

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from benchkit.data.bounded_table import read_csv, read_parquet, read_text
from benchkit.judging.judge import judge
from benchkit.judging.scores import TableError


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="limits of memory need Linux")
def test_a_footer_that_lies(tmp_path, monkeypatch, lying_parquet):
    path = lying_parquet(tmp_path / "lies.parquet", method=["a" * 40_000_000], score=[1.0])
    monkeypatch.setenv("BENCHKIT_READ_MB", "16")
    with pytest.raises(OSError, match="more than"):
        read_parquet(path)
    with pytest.raises(TableError, match="set BENCHKIT_READ_MB to more"):
        judge(path)


def test_texts_and_tables_that_expand(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHKIT_READ_MB", "16")
    packed = tmp_path / "zeros.csv.gz"
    packed.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 500_000))
    plain = tmp_path / "plain.csv"
    plain.write_bytes(b"a,b\n" + b"1,2\n" * 300_000)
    for path in (packed, plain):
        with pytest.raises(OSError, match="more than 1 MB of text, of which more than 16 MB would be made"):
            read_text(path)
    assert len(read_csv(plain, own=True)) == 300_000
    rows = tmp_path / "rows.parquet"
    pd.DataFrame({"a": [0.0] * 400_000}).to_parquet(rows)
    with pytest.raises(OSError, match="a table of more than 2 MB"):
        read_parquet(rows)


def test_what_is_read_is_what_pandas_reads(tmp_path):
    frame = pd.DataFrame({"text": ["x", "y", None, "x"], "number": [1.5, 2.0, 3.0, 4.0]}, index=[3, 5, 7, 9])
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    pd.testing.assert_frame_equal(read_parquet(path), pd.read_parquet(path))
    frame.iloc[:0].to_parquet(path)
    pd.testing.assert_frame_equal(read_parquet(path), pd.read_parquet(path))
    for ending in (".csv", ".csv.gz", ".csv.bz2", ".csv.xz"):
        path = tmp_path / f"t{ending}"
        frame.to_csv(path)
        pd.testing.assert_frame_equal(read_csv(path), pd.read_csv(path))


def test_pipes_are_no_tables(tmp_path):
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    with pytest.raises(OSError, match="a device or a pipe"):
        read_csv(path)
    with pytest.raises(TableError, match="a device or a pipe"):
        judge(path)


def test_texts_as_pandas_writes_them_are_shared(tmp_path, monkeypatch):
    """Half a million rows of the same few texts take what their numbers do."""
    table = pa.table(
        {"name": pa.array(["a name that is long"] * 500_000, pa.large_string()), "value": pa.array(range(500_000))}
    )
    path = tmp_path / "x.parquet"
    parquet.write_table(table, path)
    monkeypatch.setenv("BENCHKIT_READ_MB", "100")  # of which an eighth may be a table; as they are read: 16 MB
    assert len(read_parquet(path)) == 500_000
