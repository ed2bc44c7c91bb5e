"""Trials in environments: conflicting requirements in one run, and the same engine around them."""

import json
from importlib.util import find_spec

import pytest

import benchkit
from benchkit import Environment
from benchkit.environment.build import build_environment
from benchkit.session.options import Request
from benchkit.session.plan import plan_suite


@pytest.fixture
def votes(write_suite):
    """Write a suite of some algorithms."""

    def write(*algorithms, repetitions=2):
        split = {"repetitions": repetitions, "train": 60, "validation": 60, "test": 60}
        content = {"name": "votes", "datasets": ["breast"], "split": split, "algorithms": list(algorithms), "seed": 7}
        return write_suite(content)

    return write


def errors(results):
    rows = results.records
    assert {row["status"] for row in rows} == {"ok"}, [row["error"] for row in rows]
    return {(row["algorithm"], row["repetition"]): row["metrics"]["error"] for row in rows}


def test_two_methods_with_conflicting_requirements_compete_in_one_run(built, voting, votes, tmp_path):
    suite = votes("votes-old", "votes-new", "constant")
    results = benchkit.run(suite, plugins=[voting], out=tmp_path, jobs=1, tracking=False)
    error = errors(results)
    for repetition in range(2):  # one votes for each class, on the same rows
        assert (
            error["votes-old", repetition] + error["votes-new", repetition] == 1 != 2 * error["votes-old", repetition]
        )
    manifest = json.loads((results.folder / "manifest.json").read_text())
    versions = {
        name: ingredients["tiny-votes"]
        for name, ingredients in manifest["ingredients"].items()
        if "tiny-votes" in ingredients
    }
    assert versions == {
        "algorithm:votes-old in tiny-votes<2": "1.0",
        "algorithm:votes-new in tiny-votes>=2": "2.0",
    }
    assert len(plan_suite(Request(suite, plugins=[voting], out=tmp_path)).done) == 6


@pytest.mark.whole
def test_on_dask(built, voting, votes, tmp_path):
    """One method is enough: what it imports is in its environment alone."""
    pytest.importorskip("distributed")
    assert find_spec("tiny_votes") is None
    suite = votes("votes-new", repetitions=1)
    results = benchkit.run(suite, plugins=[voting], out=tmp_path, jobs=1, executor="dask", tracking=False)
    assert errors(results).keys() == {("votes-new", 0)}


def test_what_cannot_run_is_skipped_with_what_to_type(built, voting, votes, tmp_path):
    suite = votes("votes-old", "votes-later", "constant", repetitions=1)
    with pytest.warns(UserWarning, match="votes-later: needs tiny-votes>=3, which is not installed here"):
        results = benchkit.run(suite, plugins=[voting], out=tmp_path, executor="inline", tracking=False)
    rows = {row["algorithm"]: row for row in results.records}
    status = {name: row["status"] for name, row in rows.items()}
    assert status == {"votes-old": "skipped", "votes-later": "skipped", "constant": "ok"}
    assert "use --executor local" in rows["votes-old"]["error"]
    assert "type 'benchkit env build votes-later --plugin voting.py'" in rows["votes-later"]["error"]


def test_versions_in_the_environment_count_for_reuse(wheels, old_wheels, votes, voting, tmp_path):
    environment = Environment(requirements=["tiny-votes"], inherit=True)

    def ids():
        trials = plan_suite(Request(votes("votes", "constant"), plugins=[voting], out=tmp_path / "runs")).trials
        return {(trial.algorithm.name, trial.repetition): name for name, trial in trials.items()}

    build_environment(environment, wheels=old_wheels)
    old = ids()
    build_environment(environment, wheels=wheels, upgrade=True)
    new = ids()
    assert {name for name, _ in old.items() - new.items()} == {("votes", 0), ("votes", 1)}
    assert old == ids() | {name: old[name] for name in old if name[0] == "votes"}
