"""Optuna as a tuner keeps the rules of tuners, and finds what it should."""

from pathlib import Path

import pytest

pytest.importorskip("optuna", reason="needs the extra optuna")

import benchkit
import benchkit_optuna.plugin
from benchkit.plugin.declarations.exchanged import Distribution, TuningContext
from benchkit_optuna.search import OptunaSearch


def context(values, judge, candidates=40):
    return TuningContext(space={"a": values}, grid=None, candidates=candidates, n_rows=10, random_state=5, judge=judge)


def test_it_closes_in_on_the_best():
    asked = []

    def judge(candidates):
        asked.append(candidates[0]["a"])
        return [(candidates[0]["a"] - 3) ** 2]

    OptunaSearch()(context(Distribution("uniform", (0, 10)), judge))
    early, late = asked[:10], asked[-10:]
    assert sum(abs(a - 3) for a in late) < sum(abs(a - 3) for a in early)
    assert min(abs(a - 3) for a in asked) < 0.2
    with pytest.raises(ValueError, match="a: optuna does not draw from norm; it knows uniform"):
        OptunaSearch()(context(Distribution("norm", (0, 1)), judge))


def test_it_tunes_in_a_run(tiny, tmp_path):
    tune = {"search": "optuna", "space": {"C": {"loguniform": [0.01, 10]}}, "candidates": 4}
    tiny |= {"algorithms": [{"name": "svm", "tune": tune}], "adversaries": []}
    found = {} if "optuna" in benchkit.registry().tuners else {"plugins": [Path(benchkit_optuna.plugin.__file__)]}
    results = benchkit.run(tiny, out=tmp_path, executor="inline", tracking=False, only={"repetition": "0"}, **found)
    (stage,) = results.records[0]["tuning"]
    assert (stage["search"], stage["judged"]) == ("optuna", 4)
