"""The plugins under examples/: files keep the rules of their kind; packages are used as their authors' users do."""

import json
import re
import shutil
from pathlib import Path

import pytest

from benchkit.testing.check import checks_of

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted((EXAMPLES / "plugins").glob("*.py"))
CLINIC = """
name: clinic
title: Later patients
datasets: [breast]
split: {method: later-rows, params: {gap: 10}, train: 0.6, test: 0.3, repetitions: 2}
preprocess: [{winsorize: 0.05}, standardize]
algorithms: [logistic-regression, constant]
adversaries: [{name: greedy-delete, budgets: ['0%', '20%']}]
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_keeps_every_rule(file):
    outcomes = {check.rule.name: check.find() for check in checks_of(file)}
    assert not [(name, found.reason) for name, found in outcomes.items() if found.outcome == "broken"]
    assert sum(found.outcome == "kept" for found in outcomes.values()) >= 2


@pytest.fixture(scope="module")
def installed(tmp_path_factory, fresh_environment):
    """Copies of the packages, installed."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("clinic", "random-subspace"):
        package = f"benchkit-{name}"
        shutil.copytree(EXAMPLES / package, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    fresh_environment.install(*folder.iterdir())
    return folder


@pytest.mark.parametrize(
    ("plugin", "subjects", "own"),
    [
        ("clinic", {"later-rows"}, ("-k", "not rules")),
        ("random-subspace", {"random-subspace"}, ("tests/test_ensemble.py",)),
    ],
)
def test_a_package_keeps_every_rule_and_passes_its_own_tests(plugin, subjects, own, installed, fresh_environment):
    """Those of what it declares; those of conformance are what `benchkit check` has just tried."""
    findings = json.loads(fresh_environment.run("benchkit", "check", plugin, "--json").stdout)["rows"]
    assert {finding["outcome"] for finding in findings} <= {"kept", "not asked"}, findings
    assert {finding["subject"] for finding in findings if finding["outcome"] == "kept"} >= subjects
    done = fresh_environment.run("pytest", "-q", "-p", "no:cacheprovider", *own, cwd=installed / plugin)
    assert re.search(r"\d+ passed", done.stdout)


def test_a_method_is_found_and_runs_in_the_quickstart_suite(installed, fresh_environment, tmp_path):
    listed = json.loads(fresh_environment.run("benchkit", "list", "algorithms", "--json").stdout)["rows"]
    assert [entry["plugin"] for entry in listed if entry["name"] == "random-subspace"] == ["random-subspace"]
    assert "share = 0.5" in fresh_environment.run("benchkit", "show", "random-subspace").stdout
    arguments = ["--add", "random-subspace", "--only", "dataset=breast,repetition=0,axis_value=2", "--no-tracking"]
    done = fresh_environment.run("benchkit", "run", "quickstart", "--executor", "inline", *arguments, cwd=tmp_path)
    assert "8 trials run, 0 reused" in done.stdout
    assert "random-subspace" in done.stdout


def test_a_run_uses_a_split_a_step_an_executor_and_a_format(installed, fresh_environment, tmp_path):
    (tmp_path / "clinic.yaml").write_text(CLINIC)
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
