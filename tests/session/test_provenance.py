"""What a run was made of is in its manifest, once."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit.suite.load import load


def test_all_that_a_run_was_made_of_is_in_its_manifest(run, tmp_path, tiny):
    (tmp_path / "note.txt").write_text("one\n")
    for words in ("init -q", "add note.txt", "-c user.name=a -c user.email=a@b commit -qm note"):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True, capture_output=True)
    (tmp_path / "note.txt").write_text("two\n")
    values = [float(n % 7 + 1) for n in range(10)]
    tiny |= {"feature_values": values, "metrics": ["error", "roc_auc", "accuracy"]}
    tiny["adversaries"] = [{"name": "random-delete", "label": "mine", "budgets": [1]}]
    folder = run().folder
    manifest = json.loads((folder / "manifest.json").read_text())
    environment = manifest["environment"]
    assert environment["cpu"]
    assert environment["memory_mb"] > 100
    assert environment["versions"]["numpy"]
    assert any(library["user_api"] == "blas" for library in environment["blas"])
    assert manifest["ingredients"]["algorithm:svm"]
    assert load(str(folder / "suite.yaml")).suite == load(manifest["suite_path"]).suite
    assert manifest["situations"] == {"mine": "If features go at random"}
    assert manifest["shares"] == {"error": "wrong on", "accuracy": "right on"}
    assert len(manifest["source"]["commit"]) == 40
    assert " M note.txt" in manifest["source"]["changed_files"]
    assert "+two" in (folder / "uncommitted.diff").read_text()
    records = benchkit.load(folder).records
    assert manifest["trials"] == [row["trial"] for row in records]
    (name,) = {row["feature_values"] for row in records}
    assert len(name) < 30
    assert manifest["feature_values"] == {name: values}  # once
    assert json.dumps(values) not in (folder.parent / "trials.jsonl").read_text()


@pytest.mark.filterwarnings("ignore:.*alone predicts")
def test_a_report_says_what_of_the_data_leaks_also_where_nothing_is_left_to_run(run, tiny, tmp_path):
    random = np.random.default_rng(0)
    target = random.integers(0, 2, 200)
    sizes, ages = random.normal(size=(2, 200))
    table = pd.DataFrame({"size": sizes, "age": ages, "told": target, "ill": target})
    table.to_csv(tmp_path / "own.csv", index=False)
    tiny["datasets"] = [{"name": "csv", "path": str(tmp_path / "own.csv"), "target": "ill", "label": "own"}]
    tiny["algorithms"] = ["constant"]
    for left in (True, False):
        results = run()
        assert bool(results.ran) == left
        for name in ("summary.md", "report.html"):
            assert "own: column told" in (results.folder / name).read_text()
    tiny["datasets"][0]["drop"] = ["told"]
    assert "column told" not in (run().folder / "summary.md").read_text()
