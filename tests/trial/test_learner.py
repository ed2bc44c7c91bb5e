"""Fits: shared, also between processes; estimators that break a rule are named."""

import multiprocessing
import os
import pickle
import time
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from benchkit.trial.learner import FitCache

PLUGIN = """
from benchkit import Algorithm, hookimpl
from sklearn.linear_model import RidgeClassifier

class Centring(RidgeClassifier):
    def fit(self, X, y):
        X -= X.mean(axis=0)
        return super().fit(X, y)

class Silent(RidgeClassifier):
    def fit(self, X, y):
        super().fit(X, y)

@hookimpl
def benchkit_algorithms():
    return [Algorithm(name="centring", make=Centring), Algorithm(name="silent", make=Silent)]
"""


def test_estimators_that_change_their_inputs_or_return_nothing(tiny, run_trials, write_plugin):
    tiny |= {"algorithms": ["centring", "silent", "constant"], "adversaries": []}
    tiny["split"]["repetitions"] = 1
    rows = {row["algorithm"]: row for row in run_trials(tiny, [write_plugin(PLUGIN)])}
    assert [rows[name]["status"] for name in tiny["algorithms"]] == ["failed", "failed", "ok"]
    assert "centring writes to the data it is given" in rows["centring"]["error"]
    assert rows["silent"]["error"].startswith("fit of silent returned a NoneType, expected the estimator")


@pytest.mark.parametrize("budget", [10, "100%"])
def test_a_budget_of_all_features_is_answered_with_the_constant(tiny, run_trials, budget):
    """Where the adversary may take every feature nothing beats the constant, and the program of lp has no solution."""
    told_less = {"name": "lp", "label": "told less", "params": {"C": 0.1, "noise_budget": 2}}
    tiny["algorithms"] = [{"name": "lp", "tune": {"grid": {"C": [0.1, 1]}}}, told_less, "constant"]
    tiny["adversaries"][0]["budgets"] = [budget]
    tiny["split"]["repetitions"] = 1
    rows = {row["algorithm"]: row for row in run_trials(tiny)}
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert rows["lp"]["metrics"]["error"] == rows["constant"]["metrics"]["error"]
    assert rows["lp"]["params"]["at_all_features"] == "constant"
    assert rows["lp"]["tuning"] == []
    assert "at_all_features" not in rows["told less"]["params"]  # its budget is its own


STRICT = """
import numpy as np
from sklearn.linear_model import LogisticRegression

class Strict(LogisticRegression):
    def fit(self, X, y):
        if y.dtype.kind not in "iu" or not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError(f"Invalid classes inferred from unique values of y, got {np.unique(y)}")
        return super().fit(X, y)
"""


@pytest.fixture
def run(tmp_path, monkeypatch, run_trials):
    """Run methods on a table of two classes, or of thirteen of which one has a single row."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "strict_labels.py").write_text(STRICT)
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    many = [f"k{place:02}" for place in [*range(12), 20]]
    frame.assign(y=np.where(frame.a > 0, "yes", "no")).to_csv("two.csv", index=False)
    frame.assign(y=[many[row if row < 13 else row % 2] for row in range(60)]).to_csv("many.csv", index=False)

    def run(dataset, algorithms, *adversaries):
        suite = {"name": "own", "datasets": [{"name": "csv", "path": f"{dataset}.csv", "target": "y"}]}
        suite |= {"algorithms": algorithms, "metrics": ["error", "balanced_accuracy"]}
        suite["split"] = {"repetitions": 1, "train": 0.5, "validation": 0.25, "stratify": False}
        suite["adversaries"] = [{"name": adversary, "budgets": [1]} for adversary in adversaries]
        return run_trials(suite)

    return run


def test_an_estimator_of_codes_alone_gives_what_it_gives_of_codes(run):
    """Also where training lacked a class of the test part, whoever attacks."""
    strict = {"estimator": "strict_labels:Strict", "label": "strict"}
    plain = {"estimator": "sklearn.linear_model:LogisticRegression", "label": "plain"}
    for dataset in ("two", "many"):
        rows = run(dataset, [strict, plain], "query-delete", "greedy-delete", "enumerate-delete")
        assert {(row["status"], row["error"]) for row in rows} == {("ok", None)}
        values = [[row["metrics"] for row in rows if row["algorithm"] == name] for name in ("strict", "plain")]
        assert values[0] == values[1]


def test_what_refuses_codes_too_says_why_it_refused_the_labels(run, tmp_path):
    refuses = STRICT.replace("return super().fit(X, y)", 'raise ValueError("no")')
    (tmp_path / "strictest_labels.py").write_text(refuses)
    (row, *_) = run("two", [{"estimator": "strictest_labels:Strict", "label": "strict"}], "random-delete")
    assert row["status"] == "failed"
    assert "Invalid classes" in row["error"]


def test_a_fit_is_made_once_and_keeps_its_seconds(tmp_path):
    made = []

    def make():
        made.append(1)
        time.sleep(0.05)
        for _ in range(3):
            warnings.warn("stopped", ConvergenceWarning, stacklevel=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("of no interest", UserWarning, stacklevel=1)
        return {"w": 1}

    with pytest.warns(ConvergenceWarning) as shown:
        first, again = (FitCache(tmp_path).fit("key", make) for _ in range(2))
    assert len(shown) == 1  # the first of a class, and none that is ignored
    assert made == [1]
    assert first == again
    assert first.seconds >= 0.05
    assert first.warned == {"ConvergenceWarning": 3}


def test_two_processes_fit_once(tmp_path):
    log, context = tmp_path / "log", multiprocessing.get_context("fork")

    def make():
        with log.open("a") as file:
            file.write("made\n")
        time.sleep(0.3)

    cache = FitCache(tmp_path / "fits")
    workers = [context.Process(target=cache.fit, args=("key", make)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(180)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert log.read_text() == "made\n"


def test_a_process_that_dies_while_fitting_frees_the_lock_and_a_damaged_file_is_a_fit_not_done(tmp_path):
    if not (child := os.fork()):
        FitCache(tmp_path).fit("key", lambda: os._exit(1))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert FitCache(tmp_path).fit("key", lambda: list(range(100))).model == list(range(100))
    (path,) = tmp_path.glob("*.joblib")
    path.write_bytes(path.read_bytes()[:20])
    assert FitCache(tmp_path).fit("key", lambda: 5).model == 5
    assert FitCache(tmp_path).fit("key", lambda: 6).model == 5


def test_the_cost_of_a_shared_fit_is_the_fits_wherever_it_was_done(tmp_path):
    def spend():
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass

    first, cache = FitCache(tmp_path, lambda: 700.0), FitCache(tmp_path, lambda: 1.0)
    first.fit("key", spend)
    assert first.shared_cpu_seconds == 0  # it is in the trial's own time
    cache.fit("key", spend)
    cost = cache.shared_cpu_seconds
    assert cost >= 0.2
    cache.fit("key", spend)  # first as a candidate, then as the chosen one: one fit
    assert (cache.shared_cpu_seconds, cache.shared_peak_mb) == (cost, 700.0)


def test_a_model_that_is_changed_or_cannot_be_pickled_is_the_trials_own(tmp_path):
    for _ in range(2):
        fit_cache = FitCache(tmp_path)
        model = fit_cache.fit("key", lambda: {"weights": np.ones(2)}).model
        assert list(model["weights"]) == [1.0, 1.0]
        model["weights"] *= 0  # as an adversary may
        assert fit_cache.fit("key", lambda: 1 / 0).model is model  # the chosen candidate is the tuned one
    cache = FitCache(tmp_path)
    model = cache.fit("other", lambda: (number for number in range(3))).model
    assert cache.fit("other", lambda: 1 / 0).model is model
    assert FitCache(tmp_path).fit("other", lambda: 2).model == 2
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"C": 1}, {"C": 1.0}),
        ({"C": 0.0}, {"C": -0.0}),
        ({"C": {1: 2}}, {"C": {"1": 2}}),
        ({"C": 0.1}, {"C": np.float32(0.1)}),
        ({"C": np.array([1.0])}, {"C": np.array([1])}),
        ({"C": "a', 'b': 'c"}, {"C": "a", "b": "c"}),
    ],
)
def test_what_differs_has_another_fit(one, other):
    cache = FitCache(None)
    models = [cache.fit(("code", params, "data"), partial(int, n)).model for n, params in enumerate((one, other))]
    assert models == [0, 1]
    assert cache.fit(("code", dict(one), "data"), lambda: 2).model == 0


@pytest.mark.parametrize("kind", ["group", "user", "link", "pipe"])
def test_a_fit_that_another_may_have_made_is_not_unpickled(tmp_path, monkeypatch, kind):
    """In a folder that a group or everybody may write to."""
    fits, mark = tmp_path / "fits", tmp_path / "executed"
    FitCache(fits).fit("key", lambda: "first")
    fits.chmod(0o777)
    (planted,) = fits.glob("*.joblib")
    planted.unlink()
    content = f"cos\nmkdir\n(V{mark}\ntR.".encode()  # a pickle whose reading makes a folder
    assert pickle.loads(content) is None
    mark.rmdir()
    if kind == "pipe":
        os.mkfifo(planted)
    elif kind == "link":
        (tmp_path / "downloaded").write_bytes(content)
        planted.symlink_to(tmp_path / "downloaded")
    else:
        planted.write_bytes(content)
        planted.chmod(0o664 if kind == "group" else 0o644)
    if kind == "user":
        monkeypatch.setattr(os, "getuid", partial(int, os.getuid() + 1))
        if not planted.stat().st_uid:  # root's own are trusted
            os.chown(planted, 12345, 12345)
    assert FitCache(fits).fit("key", lambda: "mine").model == "mine"
    assert not mark.exists()
