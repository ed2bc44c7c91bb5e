"""Published results: what is written, and bad input."""

import io
import os
import pickle
import shutil

import pyarrow as pa
import pytest
from pyarrow import parquet

from benchkit.errors import JournalError, PublishError
from benchkit.report.analysis import Analysis
from benchkit_results.join import published_results
from benchkit_results.publish import publish
from benchkit_results.rows import COLUMNS
from benchkit_results.stored import open_stored

from .conftest import SUITE, edit_manifest, rows_of, run


def test_a_published_run_says_what_the_run_measured(first):
    results, folder = first
    (published,) = open_stored(folder).runs.values()
    rows = {row["trial"]: row for row in published.rows}
    assert len(rows) == len(results.records) == 12
    for record in results.records:
        row = rows[record["trial"]]
        same = ("status", "repetition", "algorithm", "params", "axis_value", "metrics", "n_test", "fit_seconds")
        assert {name: row[name] for name in same} == {name: record[name] for name in same}
    table = parquet.read_table(next(folder.rglob("records.parquet")))
    assert set(table.column_names) == {*COLUMNS, "metrics.error", "tested", "wrong"}
    manifest = published.manifest
    assert (manifest["suite"], manifest["profile"], manifest["licence"]) == ("tiny", "default", "CC-BY-4.0")
    assert published.name == f"tiny/{results.folder.name}"
    (origin,) = manifest["origins"].values()
    assert origin["versions"]["scikit-learn"]
    (design,) = manifest["content"]["designs"].values()
    assert design["question"]["split"]["test"] == 60


def test_a_run_is_published_once_and_others_stay(first, published, tmp_path):
    publish([first[0].folder], published)
    assert len(rows_of(published)) == 12
    more = run(tmp_path / "more", {**SUITE, "split": {**SUITE["split"], "repetitions": 4}})
    (written,) = publish([more.folder], published, by="Somebody")
    assert written.rows == 16
    stored = open_stored(published)
    assert sorted((run.manifest["by"], len(run.rows)) for run in stored.runs.values()) == [("", 12), ("Somebody", 16)]
    # The results of a suite are those of the run that began last.
    assert len(published_results(stored, "tiny", "default").records) == 16
    assert sorted(path.name for path in published.iterdir()) == ["tiny"]
    assert len(list((published / "tiny").iterdir())) == 2


def test_seconds_of_another_machine_are_left_out(first, published):
    run_id = first[0].folder.name

    def edit(manifest):
        origin = manifest["origins"][run_id]
        manifest["origins"]["here"] = {**origin, "machine": {**origin["machine"], "cpu": "Another processor"}}
        manifest["run"] = "here"

    def seconds(stored):
        return {row["cpu_seconds"] for row in published_results(stored, "tiny", "default").rows}

    assert None not in seconds(open_stored(published))
    assert seconds(edit_manifest(published, edit)) == {None}


def test_what_answers_rest_on_is_published(tmp_path):
    results = run(tmp_path, {**SUITE, "algorithms": ["svm", {"name": "constant", "label": "majority"}], "expect": []})
    publish([results.folder], tmp_path / "out")
    stored = published_results(open_stored(tmp_path / "out"), "tiny", "default")
    assert stored.trivial["majority"] == results.trivial["majority"]
    assert Analysis(stored).answers == Analysis(results).answers


def test_nothing_private_is_published(tmp_path, monkeypatch):
    planted = {"user": "wilhelmine-q", "host": "secret-laptop-17", "token": "ghp_" + "a1B2" * 9}
    planted |= {"environment": "correct-horse-battery-9921", "folder": str(tmp_path)}
    monkeypatch.setenv("LOGNAME", planted["user"])
    monkeypatch.setenv("MY_SERVICE_TOKEN", planted["environment"])
    monkeypatch.setattr("platform.node", lambda: planted["host"])
    data = tmp_path / "home" / planted["user"] / "wine.csv"
    data.parent.mkdir(parents=True)
    data.write_text("a,b,target\n" + "".join(f"{number % 7},{number % 5},{number % 2}\n" for number in range(60)))
    plugin = data.parent / "failing.py"
    plugin.write_text(
        "import benchkit\nfrom sklearn.linear_model import RidgeClassifier\nbenchkit_api = 1\n"
        "class Failing(RidgeClassifier):\n"
        f"    def fit(self, X, y):\n        raise ValueError({f'no {data} for ' + planted['token']!r})\n"
        "@benchkit.hookimpl\ndef benchkit_algorithms():\n"
        "    return [benchkit.Algorithm(name='failing', make=Failing, tasks=('classification',))]\n"
    )
    suite = {
        "name": "mine",
        "title": f"Data of {planted['user']} at {data} with {planted['token']}",
        "description": f"on {planted['host']}: {planted['environment']}, http://me:{planted['environment']}@host/x",
        "datasets": [{"name": "csv", "label": "wine", "params": {"path": str(data), "target": "target"}}],
        "split": {"repetitions": 2, "train": 0.5, "test": 0.5},
        "algorithms": ["constant", {"name": "failing"}],
    }
    results = run(tmp_path / "work", suite, plugins=[plugin])
    assert results.statuses == {"ok": 2, "failed": 2}
    publish([results.folder], tmp_path / "out")
    (rows,) = (tmp_path / "out").rglob("*.parquet")
    texts = [path.read_bytes().decode("latin-1") for path in (rows, *(tmp_path / "out").rglob("*.json"))]
    whole = "\n".join([str(parquet.read_table(rows).to_pydict()), *texts])
    assert {name for name, text in planted.items() if text in whole} == set()
    assert str(data.parent) not in whole
    assert os.getcwd() not in whole
    assert "wine.csv" in whole  # the file's name is what the question needs


def test_rows_that_an_earlier_run_measured_say_where_and_how(tmp_path):
    measured = run(tmp_path)
    reusing = run(tmp_path, {**SUITE, "expect": []})
    assert (reusing.ran, reusing.reused) == (0, len(measured.records))
    publish([reusing.folder], tmp_path / "results")
    assert {row["run"] for row in rows_of(tmp_path / "results")} == {measured.folder.name}
    (published,) = open_stored(tmp_path / "results").runs.values()
    origin = published.manifest["origins"][measured.folder.name]
    assert all([origin["started"], origin["python"], origin["machine"]["processors"], origin["benchkit"]])


def table(**change):
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
