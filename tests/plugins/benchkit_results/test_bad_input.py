"""Damaged, foreign and malicious files and servers: one clear line, and nothing executed."""

import io
import pickle
import shutil

import pyarrow as pa
import pytest
from pyarrow import parquet

from benchkit.errors import JournalError, PublishError
from benchkit.report.analysis import Analysis
from benchkit.report.documents import run_document
from benchkit.report.exports import csv_text
from benchkit_results.rows import COLUMNS
from benchkit_results.stored import open_stored

from .conftest import SUITE, edit_manifest, join, rows_of, run


def table(**change):
    """A parquet file with one odd column."""
    sink = io.BytesIO()
    parquet.write_table(pa.table(change), sink)
    return sink.getvalue()


class Evil:
    def __reduce__(self):
        return exec, ("raise SystemExit('executed')",)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not a readable parquet file"),
        (b"PAR1" + b"\0" * 40 + b"PAR1", "not a readable parquet file"),
        (b"PAR1" + b"\xff" * 40 + b"PAR1", "not a readable parquet file"),
        (pickle.dumps(Evil()), "not a readable parquet file"),
        (table(x=[1]), "no column 'trial'"),
        (table(**{name: [b"x"] for name in COLUMNS}), "is binary, expected string"),
    ],
)
def test_files_that_are_no_published_rows(content, complaint, write_table):
    with pytest.raises(PublishError, match=complaint) as refusal:
        rows_of(write_table(content))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("status", "wonderful", "status"),
        ("params", "{not json", "row 1"),
        ("axis_value", "[" * 5000, "row 1"),
        ("dataset_params", '"text"', "dataset_params"),
        ("design", "0" * 16, "its design is not in manifest.json"),
        ("method", "0" * 16, "its method is not in manifest.json"),
        ("run", "0" * 16, "its run is not in manifest.json"),
    ],
)
def test_rows_of_odd_values_are_refused(column, value, complaint, with_column):
    with pytest.raises(PublishError, match=complaint) as refusal:
        rows_of(with_column(**{column: value}))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"benchkit_results": 99}, "of version 99"),
        ({"origins": {"x": {}}}, "not the manifest of a published run: origins.x.started"),
        ({"content": {"designs": {"0": {"question": 3}}, "methods": {}, "places": {}}}, "content.designs.0"),
        ({"suite": "../elsewhere"}, "not a manifest: suite"),
        ({"by": 3}, "not the manifest of a published run: by"),
    ],
)
def test_a_manifest_that_is_none(change, complaint, published):
    with pytest.raises(JournalError, match=complaint) as refusal:
        _ = [run.manifest for run in edit_manifest(published, lambda manifest: manifest.update(change)).runs.values()]
    assert "\n" not in str(refusal.value)


def test_names_that_are_html_or_formulas_do_nothing(with_column, tmp_path):
    evil = '=HYPERLINK("x")<img src=x onerror=alert(1)>'
    own = run(tmp_path / "own", {**SUITE, "algorithms": ["logistic-regression"], "expect": []})
    joined = join(own, with_column(algorithm=evil))
    analysis = Analysis(joined)
    assert evil in analysis.algorithms
    html = run_document(analysis, joined.manifest).html()
    assert "<img" not in html
    assert not any(line.startswith("=") or ",=" in line for line in csv_text(analysis).splitlines())


def test_rows_that_swell_are_refused(published):
    """A megabyte that is said once, and stands in each of 4,800 rows."""
    path = next(published.rglob("records.parquet"))
    rows = parquet.read_table(path)
    swollen = pa.concat_tables([rows] * 400)
    text = pa.DictionaryArray.from_arrays(pa.array([0] * len(swollen), pa.int32()), pa.array(["x" * 2**20]))
    swollen = swollen.set_column(swollen.column_names.index("algorithm"), "algorithm", text)
    parquet.write_table(swollen, path, store_schema=False)
    assert path.stat().st_size < 2**22
    with pytest.raises(PublishError, match="'algorithm' has a value of"):
        rows_of(published)


def test_published_is_the_clone_that_one_stands_in_and_says_how_where_nothing_is(monkeypatch, tmp_path, first):
    """As after `pip install .` in a clone."""
    monkeypatch.delenv("BENCHKIT_RESULTS", raising=False)
    monkeypatch.setattr("benchkit_results.stored.CHECKOUT", tmp_path / "site-packages" / "results")
    for folder in ("plugins/benchkit_results", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "docs")
    with pytest.raises(PublishError, match="go to a clone of benchkit's repository.*set BENCHKIT_RESULTS"):
        open_stored("published")
    shutil.copytree(first[1], tmp_path / "results")
    assert open_stored("published").name == str(tmp_path / "results")
