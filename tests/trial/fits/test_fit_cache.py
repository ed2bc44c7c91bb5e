"""Fits are shared, also between processes, and a dead process leaves nothing behind."""

import multiprocessing
import os
import pickle
import time

import numpy as np
import pytest

from benchkit.trial.fits import FitCache, fit_key


def test_a_fit_is_made_once_and_keeps_its_seconds(tmp_path):
    made = []

    def make():
        made.append(1)
        time.sleep(0.05)
        return {"w": 1}

    first = FitCache(tmp_path).fit("key", make)
    again = FitCache(tmp_path).fit("key", make)  # another process would start with an empty memory
    assert made == [1]
    assert first == again
    assert first[1] >= 0.05
    assert not list(tmp_path.glob("*.partial"))


def _fit_in_process(folder, log):
    def make():
        with open(log, "a") as file:
            file.write("made\n")
        time.sleep(0.3)
        return 1

    FitCache(folder).fit("key", make)


def _die_in_process(folder):
    FitCache(folder).fit("key", lambda: os._exit(1))


def test_two_processes_fit_once(tmp_path):
    context = multiprocessing.get_context("fork")
    log = tmp_path / "log"
    workers = [context.Process(target=_fit_in_process, args=(tmp_path / "fits", log)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(180)
        assert worker.exitcode == 0
    assert log.read_text() == "made\n"


def test_a_process_that_dies_while_fitting_frees_the_lock(tmp_path):
    worker = multiprocessing.get_context("fork").Process(target=_die_in_process, args=(tmp_path,))
    worker.start()
    worker.join(180)
    assert worker.exitcode == 1
    assert FitCache(tmp_path).fit("key", lambda: 2)[0] == 2


def test_a_damaged_file_is_a_fit_not_done(tmp_path):
    FitCache(tmp_path).fit("key", lambda: list(range(100)))
    path = tmp_path / "key.joblib"
    path.write_bytes(path.read_bytes()[:20])
    assert FitCache(tmp_path).fit("key", lambda: 5)[0] == 5
    assert FitCache(tmp_path).fit("key", lambda: 6)[0] == 5


def test_the_cost_of_a_shared_fit_is_the_fits_wherever_it_was_done(tmp_path):
    def spend():
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        return 3

    first = FitCache(tmp_path, peak_megabytes=lambda: 700.0)
    first.begin_trial()
    first.fit("key", spend)
    assert first.shared_cpu_seconds == 0  # it is in the trial's own time
    for cache in (first, FitCache(tmp_path, peak_megabytes=lambda: 1.0)):
        cache.begin_trial()
        assert cache.fit("key", spend)[0] == 3
        cost = cache.shared_cpu_seconds
        assert cost >= 0.2
        cache.fit("key", spend)  # first as a candidate, then as the chosen one: one fit
        assert (cache.shared_cpu_seconds, cache.shared_peak_mb) == (cost, 700.0)


class Unpicklable:
    def __init__(self):
        self.weights = [1.0]

    def __reduce__(self):
        raise TypeError("not me")


def test_who_changes_a_shared_model_changes_it_for_its_own_trial_only(tmp_path):
    for fit_cache in (FitCache(None), FitCache(tmp_path)):
        for _ in range(3):
            fit_cache.begin_trial()
            model, _ = fit_cache.fit("key", lambda: {"weights": np.ones(2)})
            assert list(model["weights"]) == [1.0, 1.0]
            model["weights"] *= 0  # as an adversary may
            assert fit_cache.fit("key", lambda: 1 / 0)[0] is model  # the chosen candidate is the tuned one


def test_a_model_that_cannot_be_held_is_fitted_once_in_a_process():
    fit_cache = FitCache(None)
    model, _ = fit_cache.fit("key", Unpicklable)
    fit_cache.begin_trial()
    assert fit_cache.fit("key", lambda: 1 / 0)[0] is model


def test_large_models_do_not_pile_up(monkeypatch):
    monkeypatch.setattr("benchkit.trial.fits._MOST", 2000)
    fit_cache = FitCache(None)
    for key, size in (("a", 900), ("b", 900), ("c", 5000)):
        fit_cache.fit(key, lambda size=size: b"x" * size)
    assert len(fit_cache._held) == 1
    assert fit_cache.fit("c", lambda: 1 / 0)[0] == b"x" * 5000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"C": 1}, {"C": 1.0}),
        ({"C": 1}, {"C": True}),
        ({"C": 0.0}, {"C": -0.0}),
        ({"C": "1"}, {"C": 1}),
        ({"C": [1, 2]}, {"C": (1, 2)}),
        ({"C": {1: 2}}, {"C": {"1": 2}}),
        ({"C": 0.1}, {"C": np.float64(0.1)}),
        ({"C": 0.1}, {"C": np.float32(0.1)}),
        ({"C": np.array([1.0])}, {"C": np.array([1])}),
        ({"C": "a', 'b': 'c"}, {"C": "a", "b": "c"}),
        ({"C": None}, {}),
    ],
)
def test_what_differs_has_another_key(one, other):
    assert fit_key("code", one, "data") != fit_key("code", other, "data")
    assert fit_key("code", one, "data") == fit_key("code", dict(one), "data")


class Stranger:
    """What somebody would put there: reading it executes something."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (self.mark,)


@pytest.mark.parametrize("kind", ["group", "everybody", "user", "link", "pipe"])
def test_a_fit_that_another_may_have_made_is_not_unpickled(tmp_path, monkeypatch, kind):
    """In a folder that a group or everybody may write to."""
    fits, mark = tmp_path / "fits", tmp_path / "executed"
    fits.mkdir(mode=0o777)
    planted = fits / "key.joblib"
    content = pickle.dumps(Stranger(str(mark)))
    if kind == "pipe":
        os.mkfifo(planted)
    elif kind == "link":
        (tmp_path / "downloaded").write_bytes(content)
        planted.symlink_to(tmp_path / "downloaded")
    else:
        planted.write_bytes(content)
        planted.chmod({"group": 0o664, "everybody": 0o646}.get(kind, 0o644))
    if kind == "user":
        if os.getuid():
            another = os.getuid() + 1
            monkeypatch.setattr(os, "getuid", lambda: another)
        else:
            os.chown(planted, 12345, 12345)
    assert FitCache(fits).fit("key", lambda: "mine")[0] == "mine"
    assert not mark.exists()


def test_a_fit_is_kept_where_nobody_else_may_change_it(tmp_path):
    before = os.umask(0)
    try:
        FitCache(tmp_path).fit("key", lambda: "mine")
    finally:
        os.umask(before)
    assert (tmp_path / "key.joblib").stat().st_mode & 0o777 == 0o644
    assert FitCache(tmp_path).fit("key", lambda: "another")[0] == "mine"
