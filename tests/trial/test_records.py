"""What tuning may see, and how little memory records take."""

import pickle
from functools import lru_cache

import numpy as np

import benchkit
from benchkit.trial import prepared
from benchkit.trial.record import compact


def test_altering_test_rows_never_changes_what_tuning_chose(tiny, write_suite, tmp_path, monkeypatch):
    """The canary: a leak of test rows into preprocessing, feature values or tuning would change a choice or a fit."""
    tiny["algorithms"] = [
        {"name": "svm", "tune": {"data": "corrupted", "grid": {"C": [0.001, 0.1, 10]}}},
        {"name": "lp", "tune": {"data": "corrupted", "grid": {"C": [0.01, 1]}}},
    ]
    tiny["feature_values"] = "mutual-information"
    suite, draw, load = write_suite(tiny), prepared.draw_split, prepared._load
    parts = {}

    def remember(declared, split, data, repetition, *arguments):
        return parts.setdefault(repetition, draw(declared, split, data, repetition, *arguments))

    @lru_cache
    def load_altered(key):
        data, seconds = load(key)
        X = data.X.copy()
        X[parts[0].test] = 1e3 * np.random.default_rng(0).normal(size=X[parts[0].test].shape)
        return benchkit.Data(X=X, y=data.y, feature_names=data.feature_names, groups=data.groups), seconds

    def run(out):
        results = benchkit.run(
            suite, out=tmp_path / out, executor="inline", tracking=False, only={"repetition": "0"}, keep_models=True
        )
        assert results.ok
        models = [np.ravel(results.load_model(row["trial"]).coef_) for row in results.records]
        return [row["params"] for row in results.records], models, [row["metrics"] for row in results.records]

    monkeypatch.setattr(prepared, "draw_split", remember)
    params, models, metrics = run("as-is")
    monkeypatch.setattr(prepared, "_load", load_altered)
    altered_params, altered_models, altered_metrics = run("altered")
    assert params == altered_params
    assert all(np.array_equal(one, other) for one, other in zip(models, altered_models, strict=True))
    assert metrics != altered_metrics  # the rows were altered


RECORD = {"trial": "a1", "status": "ok", "params": {"C": 1}, "metrics": {"error": 0.25}, "budget": 2.0, "error": None}


def test_equal_values_are_kept_once_and_those_that_only_look_equal_stay_apart():
    kept = {}
    one, two = (compact(pickle.loads(pickle.dumps({**RECORD, "trial": trial})), kept) for trial in ("a1", "a2"))
    assert one == RECORD
    assert two == {**RECORD, "trial": "a2"}
    assert all(one[name] is two[name] for name in ("status", "params", "budget"))
    assert one["metrics"] is not two["metrics"]
    kinds = [compact({**RECORD, "params": {"C": value}}, kept)["params"]["C"] for value in (1, 1.0, True, -0.0, 0.0)]
    assert [repr(kind) for kind in kinds] == ["1", "1.0", "True", "-0.0", "0.0"]
    assert compact({**RECORD, "error": "{'C': 1}"}, kept)["error"] == "{'C': 1}"
