"""The outside plugin of what is no method, under examples/: installed, checked, and used in one run."""

import json
import shutil
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "benchkit-clinic"
SUITE = """
name: clinic
title: Later patients
datasets: [breast]
split: {method: later-rows, params: {gap: 10}, train: 0.6, test: 0.3, repetitions: 2}
preprocess: [{winsorize: 0.05}, standardize]
feature_values: spread
algorithms: [logistic-regression, constant]
adversaries: [{name: greedy-delete, budgets: ['0%', '20%']}]
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory, fresh_environment):
    folder = tmp_path_factory.mktemp("example") / EXAMPLE.name
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    fresh_environment.install(folder)
    return folder


def test_it_keeps_every_rule_and_passes_its_own_test(installed, fresh_environment):
    findings = json.loads(fresh_environment.run("benchkit", "check", "clinic", "--json").stdout)["rows"]
    assert {finding["outcome"] for finding in findings} <= {"kept", "not asked"}, findings
    assert {finding["subject"] for finding in findings} >= {
        "later-rows",
        "winsorize",
        "spread",
        "letter",
        "shared-machine",
    }
    own = ("pytest", "-q", "-p", "no:cacheprovider", "-k", "not rules")
    assert "1 passed" in fresh_environment.run(*own, cwd=installed).stdout


def test_a_run_uses_all_of_it(installed, fresh_environment, tmp_path):
    (tmp_path / "clinic.yaml").write_text(SUITE)
    where = ("--executor", "shared-machine", "--executor-option", "leave=1", "--no-tracking")
    done = fresh_environment.run("benchkit", "run", "clinic.yaml", *where, cwd=tmp_path)
    assert "8 trials run, 0 reused" in done.stdout
    told = fresh_environment.run("benchkit", "report", "runs/clinic", "--format", "letter", cwd=tmp_path).stdout
    assert told.startswith("Later patients\n")
    assert told.endswith("(8 trials)\n")
    wrong = (*where[:2], "--executor-option", "leaf=1")
    refused = fresh_environment.run("benchkit", "run", "clinic.yaml", *wrong, cwd=tmp_path, check=False)
    assert refused.returncode == 2
    assert "did you mean 'leave'" in refused.stderr
