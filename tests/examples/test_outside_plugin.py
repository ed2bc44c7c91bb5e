"""The outside plugin under examples/, as its author's users meet it: installed, found, checked, run."""

import json
import re
import shutil
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "benchkit-random-subspace"


@pytest.fixture(scope="module")
def installed(tmp_path_factory, fresh_environment):
    """A copy of the package, installed."""
    folder = tmp_path_factory.mktemp("example") / EXAMPLE.name
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    fresh_environment.install(folder)
    return folder


def test_it_is_found(installed, fresh_environment):
    listed = json.loads(fresh_environment.run("benchkit", "list", "algorithms", "--json").stdout)["rows"]
    (found,) = [entry for entry in listed if entry["name"] == "random-subspace"]
    assert found["plugin"] == "random-subspace"
    assert "share = 0.5" in fresh_environment.run("benchkit", "show", "random-subspace").stdout


def test_it_keeps_every_rule(installed, fresh_environment):
    done = fresh_environment.run("benchkit", "check", "random-subspace", "--json")
    findings = json.loads(done.stdout)["rows"]
    assert {finding["outcome"] for finding in findings} == {"kept", "not asked"}
    assert "scikit-learn-checks" in {finding["rule"] for finding in findings if finding["outcome"] == "kept"}


def test_it_passes_its_own_tests(installed, fresh_environment):
    """Those of the method; those of conformance are what `benchkit check` has just tried."""
    done = fresh_environment.run("pytest", "-q", "-p", "no:cacheprovider", "tests/test_ensemble.py", cwd=installed)
    assert re.search(r"\d+ passed", done.stdout)


def test_it_runs_in_the_quickstart_suite(installed, fresh_environment, tmp_path):
    arguments = ["--add", "random-subspace", "--only", "dataset=breast,repetition=0,axis_value=2", "--no-tracking"]
    done = fresh_environment.run("benchkit", "run", "quickstart", "--executor", "inline", *arguments, cwd=tmp_path)
    assert "8 trials run, 0 reused" in done.stdout
    assert "random-subspace" in done.stdout
