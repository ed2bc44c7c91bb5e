"""What a run was made of is in its manifest, once."""

import json
import subprocess

import numpy as np
import pytest
import yaml

import benchkit
from benchkit.suite.load import load


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def run(tiny, write_suite, tmp_path):
    def run_it():
        out = tmp_path / "runs"
        results = benchkit.run(write_suite(tiny, "s.yaml"), out=out, executor="inline", tracking=False)
        return json.loads((results.folder / "manifest.json").read_text()), results.folder

    return run_it


def test_machine_versions_and_suite(run):
    manifest, folder = run()
    environment = manifest["environment"]
    assert environment["cpu"]
    assert environment["memory_mb"] > 100
    assert environment["versions"]["numpy"]
    assert any(library["user_api"] == "blas" for library in environment["blas"])
    assert manifest["source"] is None
    assert manifest["ingredients"]["algorithm:svm"]
    assert load(str(folder / "suite.yaml")).suite.model_dump(exclude_defaults=True) == load(
        manifest["suite_path"]
    ).suite.model_dump(exclude_defaults=True)
    assert yaml.safe_load((folder / "suite.yaml").read_text())["seed"] == 7


def test_commit_and_what_was_not_committed(run, tmp_path, tiny):
    git(tmp_path, "init", "-q")
    (tmp_path / "note.txt").write_text("one\n")
    git(tmp_path, "add", "note.txt")
    git(tmp_path, "commit", "-qm", "note")
    (tmp_path / "note.txt").write_text("two\n")
    manifest, folder = run()
    assert len(manifest["source"]["commit"]) == 40
    assert " M note.txt" in manifest["source"]["changed_files"]
    assert "+two" in (folder / "uncommitted.diff").read_text()


def test_a_list_of_feature_values_is_in_the_manifest_once(run, tiny):
    values = [float(n % 7 + 1) for n in range(10)]
    tiny["feature_values"] = values
    manifest, folder = run()
    results = benchkit.load(folder)
    (name,) = {row["feature_values"] for row in results.records}
    assert len(name) < 30
    assert manifest["feature_values"] == {name: values}
    assert results.feature_values(results.records[0]) == values
    assert results.feature_values({"feature_values": "uniform"}) == "uniform"
    assert results.feature_values({"feature_values": [1, 2]}) == [1, 2]
    assert json.dumps(values) not in (folder.parent / "trials.jsonl").read_text()


WIDE = """
import numpy as np
from benchkit import Data, Dataset, hookimpl

def load():
    X = np.random.default_rng(0).normal(size=(40, 10_000))
    return Data(X=X, y=np.where(np.arange(40) % 2, 1, -1))

@hookimpl
def benchkit_datasets():
    return [Dataset(name="wide", load=load)]
"""


def test_rows_are_no_longer_with_ten_thousand_features(tiny, write_suite, write_plugin, tmp_path):
    values = np.random.default_rng(0).uniform(1, 2, 10_000).tolist()
    tiny |= {"datasets": ["wide"], "algorithms": ["constant"], "preprocess": [], "feature_values": values}
    tiny |= {"split": {"train": 20, "test": 20}, "plugins": [str(write_plugin(WIDE))]}
    results = benchkit.run(write_suite(tiny), out=tmp_path / "runs", executor="inline", tracking=False)
    assert results.statuses == {"ok": 2}
    rows = (tmp_path / "runs" / "tiny" / "trials.jsonl").read_bytes().splitlines()
    assert max(map(len, rows)) < 2000
    assert len((results.folder / "report.html").read_bytes()) < 500_000
