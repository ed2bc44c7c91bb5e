"""One trial again: same seed, same data, same outcome; and the models that runs keep."""

import json

import numpy as np
import pytest

from benchkit.identity.fingerprints import Fingerprints
from benchkit.journal import JournalError
from benchkit.session.past.again import debug

FAILING = """
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Algorithm, hookimpl

class Failing(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("not today")

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="failing", make=Failing)]
"""


def test_the_same_outcome_from_the_runs_own_files(run, tmp_path, tiny):
    tiny["split"]["repetitions"] = 3
    results = run(settings={"seed": 11}, only={"algorithm": "svm", "budget": "2"})
    (tmp_path / "suite.yaml").rename(tmp_path / "moved.yaml")  # the run remembers
    for row in results.records:
        again = debug(row["trial"][:10], out=tmp_path / "runs")
        assert again.is_same
        assert (again.trial.repetition, again.trial.axis_value) == (row["repetition"], row["axis_value"])
        assert (again.outcome["metrics"], again.outcome["params"]) == (row["metrics"], row["params"])
        assert again.before == row
    manifest = json.loads((results.folder / "manifest.json").read_text())
    order = [row["trial"] for row in run(settings={"seed": 11}).records]
    assert [order[place] for place in manifest["positions"]] == manifest["trials"]


def test_an_error_comes_as_it_is_and_the_debugger_can_look_at_it(run, write_plugin, tiny, tmp_path, monkeypatch):
    tiny["algorithms"] = ["failing"]
    (row, *_) = run(plugins=[write_plugin(FAILING)]).records
    seen = []
    monkeypatch.setattr("benchkit.session.past.again.pdb.post_mortem", lambda trace: seen.append(trace))
    with pytest.raises(RuntimeError, match="not today"):
        debug(row["trial"], out=tmp_path / "runs", postmortem=True)
    assert len(seen) == 1


def test_what_a_trial_has_become_and_one_that_nobody_knows(run, tmp_path, monkeypatch):
    results = run()
    for prefix, reason in (("zzz", "no run names a trial 'zzz'"), ("", "8 trials begin with ''")):
        with pytest.raises(JournalError, match=reason):
            debug(prefix, out=tmp_path / "runs")
    monkeypatch.setattr(Fingerprints, "protocol", "changed")
    again = debug(results.records[2]["trial"], out=tmp_path / "runs")
    assert not again.is_same
    assert again.outcome["metrics"] == results.records[2]["metrics"]


def test_models_are_kept_if_asked(run):
    results = run()
    with pytest.raises(JournalError, match="no model of a trial"):
        results.load_model(results.records[0]["trial"])
    kept = run(keep_models=True)
    assert kept.ran == 8
    assert run(keep_models=True).ran == 0
    row = next(row for row in kept.records if row["algorithm"] == "svm")
    model = kept.load_model(row["trial"][:12])
    assert row["params"]["C"] == model.C
    assert np.isfinite(model.coef_).all()
