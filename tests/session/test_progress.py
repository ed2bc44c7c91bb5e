"""How long a run may still take: methods weigh by what they take."""

from types import SimpleNamespace

import pytest

from benchkit.session.progress import TimeLeft, expected_seconds

SECONDS = {"quick": 0.1, "slow": 10.0}


def started(quick, slow, reused=0):
    names = [f"quick-{n}" for n in range(quick)] + [f"slow-{n}" for n in range(slow)]
    planned = {name: {"dataset": "breast", "algorithm": name.partition("-")[0]} for name in names}
    return TimeLeft(SimpleNamespace(planned=planned, reused=[{"trial": name} for name in names[:reused]]))


def finish(time_left, algorithm, times=1):
    for _ in range(times):
        time_left.finished({"dataset": "breast", "algorithm": algorithm, "cpu_seconds": SECONDS[algorithm]})


def test_trials_weigh_what_their_method_takes_and_nothing_is_said_before_each_has_ended_one():
    time_left = started(quick=100, slow=5)
    assert (str(time_left), time_left.seconds) == ("getting ready: imports, compiles", None)
    finish(time_left, "quick", times=90)
    assert (str(time_left), time_left.seconds) == ("", None)
    finish(time_left, "slow")
    assert str(time_left) == "about 41 s left"
    time_left.tick(2)
    assert time_left.seconds == pytest.approx((10 * 0.1 + 4 * 10) / 2)


def test_what_is_reused_is_not_left_nor_what_ended_without_a_time():
    time_left = started(quick=10, slow=0, reused=8)
    finish(time_left, "quick")
    time_left.finished({"dataset": "breast", "algorithm": "quick", "status": "skipped"})
    assert time_left.seconds == 0


def test_the_nearest_experience_counts():
    took = {("a", "lp"): [1.0, 3.0], ("b", "lp"): [10.0], ("a", "svm"): [0.5]}
    assert expected_seconds({("a", "lp"): 2}, took) == 4.0
    assert expected_seconds({("new", "lp"): 1}, took) == 14 / 3
    assert expected_seconds({("new", "new"): 1, ("a", "svm"): 1}, took) == 14.5 / 4 + 0.5
    assert expected_seconds({("a", "lp"): 1}, {}) is None
