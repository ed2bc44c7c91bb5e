"""What a run was made of is in its manifest, once."""

import json
import subprocess

import pytest
import yaml

import benchkit
from benchkit.suite.load import load


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def manifest_of(run):
    """A run's manifest, and its folder."""

    def of_run():
        folder = run().folder
        return json.loads((folder / "manifest.json").read_text()), folder

    return of_run


def test_machine_versions_and_suite(manifest_of):
    manifest, folder = manifest_of()
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


def test_what_happens_is_said_by_label_and_what_is_a_share_by_metric(manifest_of, tiny):
    tiny["adversaries"] = [{"name": "random-delete", "label": "mine", "budgets": [1]}]
    tiny["metrics"] = ["error", "roc_auc", "accuracy"]
    manifest, _ = manifest_of()
    assert manifest["situations"] == {"mine": "If features go at random"}
    assert manifest["shares"] == {"error": "wrong on", "accuracy": "right on"}


def test_every_adversary_of_ours_says_what_happens():
    adversaries = benchkit.registry().adversaries.values()
    assert [each.name for each in adversaries if not each.situation.startswith(("If ", "In the "))] == []


def test_commit_and_what_was_not_committed(manifest_of, tmp_path, tiny):
    git(tmp_path, "init", "-q")
    (tmp_path / "note.txt").write_text("one\n")
    git(tmp_path, "add", "note.txt")
    git(tmp_path, "commit", "-qm", "note")
    (tmp_path / "note.txt").write_text("two\n")
    manifest, folder = manifest_of()
    assert len(manifest["source"]["commit"]) == 40
    assert " M note.txt" in manifest["source"]["changed_files"]
    assert "+two" in (folder / "uncommitted.diff").read_text()


def test_a_list_of_feature_values_is_in_the_manifest_once(manifest_of, tiny):
    values = [float(n % 7 + 1) for n in range(10)]
    tiny["feature_values"] = values
    manifest, folder = manifest_of()
    results = benchkit.load(folder)
    (name,) = {row["feature_values"] for row in results.records}
    assert len(name) < 30
    assert manifest["feature_values"] == {name: values}
    assert json.dumps(values) not in (folder.parent / "trials.jsonl").read_text()
