"""A small suite, run and published once for all tests that only read it."""

import io
import json
import re
import shutil

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

import benchkit
from benchkit_results.join import PublishedRows
from benchkit_results.publish import publish
from benchkit_results.stored import open_stored
from tests.conftest import TINY

SUITE = {
    **TINY,
    "title": "A tiny suite",
    "split": {**TINY["split"], "repetitions": 3},
    "expect": [{"claim": "it beats chance", "source": "DSX10 4.2", "order": ["svm", "constant"], "at": [0]}],
}
RIDGE = """
import benchkit
benchkit_api = 1
@benchkit.hookimpl
def benchkit_algorithms():
    ridge = "sklearn.linear_model:RidgeClassifier"
    return [benchkit.Algorithm(name="ridge", make=ridge, tasks=("classification",), grid={"alpha": [1.0, 10.0]})]
"""


def run(folder, suite=None, **options):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite or SUITE, sort_keys=False))
    return benchkit.run(str(path), out=folder / "runs", executor="inline", tracking=False, **options)


def as_by_other_code(results, error="0.123"):
    """Change the errors of a run."""
    journal = results.folder.parent / "trials.jsonl"
    journal.write_text(re.sub(r'"error": 0\.\d+', f'"error": {error}', journal.read_text()))


@pytest.fixture(scope="session")
def first(tmp_path_factory):
    """The run, and the folder that it was published to."""
    home = tmp_path_factory.mktemp("first")
    results = run(home)
    publish([results.folder], home / "results")
    return results, home / "results"


@pytest.fixture(scope="session")
def constant(tmp_path_factory):
    """A run of the trivial method alone, for published rows to join."""
    return run(tmp_path_factory.mktemp("constant"), {**SUITE, "algorithms": ["constant"], "expect": []})


def join(results, folder):
    return PublishedRows(open_stored(folder)).join(results)


@pytest.fixture
def published(first, tmp_path):
    """A copy of the published results, which a test may change."""
    shutil.copytree(first[1], tmp_path / "published")
    return tmp_path / "published"


@pytest.fixture
def write_table(published):
    """Put other content into the file of rows."""

    def write(content):
        next(published.rglob("records.parquet")).write_bytes(content)
        return published

    return write


@pytest.fixture
def with_column(published, write_table):
    """Give every row of the file another value in a column, whatever its type."""

    def change(**columns):
        table = parquet.read_table(next(published.rglob("records.parquet")))
        for name, value in columns.items():
            type_ = pa.binary() if value is None else None  # else that of the value
            values = value if isinstance(value, pa.Array) else pa.array([value] * len(table), type_)
            if name in table.column_names:
                table = table.set_column(table.column_names.index(name), name, values)
            else:
                table = table.append_column(name, values)
        sink = io.BytesIO()
        parquet.write_table(table, sink)
        return write_table(sink.getvalue())

    return change


def edit_manifest(folder, edit):
    """Change the manifest of the published run of a folder; return the published results."""
    path = next(folder.rglob("manifest.json"))
    manifest = json.loads(path.read_text())
    edit(manifest)
    path.write_text(json.dumps(manifest))
    return open_stored(folder)


def rows_of(folder):
    return [row for run in open_stored(folder).runs.values() for row in run.rows]
