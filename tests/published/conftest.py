"""A small suite, run and published once for all tests that only read it."""

import hashlib
import json
import re
import shutil

import pytest
import yaml

import benchkit
from benchkit.published.write import publish

SUITE = {
    "name": "tiny",
    "title": "A tiny suite",
    "datasets": ["breast"],
    "split": {"repetitions": 3, "train": 60, "validation": 60, "test": 60},
    "preprocess": ["standardize", {"clip": 5}],
    "algorithms": [{"name": "svm", "tune": {"grid": {"C": [0.1, 1]}}}, "constant"],
    "adversaries": [{"name": "greedy-delete", "budgets": [0, 2]}],
    "seed": 7,
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
    """Run a suite in a folder, quietly and in this process."""
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


@pytest.fixture
def published(first, tmp_path):
    """A copy of the published results, which a test may change."""
    shutil.copytree(first[1], tmp_path / "published")
    return tmp_path / "published"


@pytest.fixture
def write_table(published):
    """Put other content into the first parquet file, with the digest that the index has for it."""

    def write(content):
        index = json.loads((published / "index.json").read_text())
        entry = index["files"][0]
        (published / entry["path"]).write_bytes(content)
        entry["sha256"] = hashlib.sha256(content).hexdigest()
        (published / "index.json").write_text(json.dumps(index))
        return published

    return write
