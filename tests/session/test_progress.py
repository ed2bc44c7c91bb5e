"""How long a run may still take: methods weigh by what they take."""

from types import SimpleNamespace

import pytest

from benchkit.session.progress import CountingProgress, expected_seconds

SECONDS = {"quick": 0.1, "slow": 10.0}


def started(quick, slow, reused=0):
    names = [f"quick-{n}" for n in range(quick)] + [f"slow-{n}" for n in range(slow)]
    planned = {name: {"dataset": "breast", "algorithm": name.partition("-")[0]} for name in names}
    watch = CountingProgress()
    watch.started(SimpleNamespace(planned=planned, reused=[{"trial": name} for name in names[:reused]]), len(names))
    return watch


def finish(watch, algorithm, times=1, status="ok", **more):
    for _ in range(times):
        more = {"cpu_seconds": SECONDS[algorithm], **more}
        watch.finished({"dataset": "breast", "algorithm": algorithm, "status": status, **more})


def test_trials_weigh_what_their_method_takes_and_nothing_is_said_before_each_has_ended_one():
    watch = started(quick=100, slow=5)
    assert watch.expected([]) == "getting ready: imports, compiles"
    finish(watch, "quick", times=90)
    assert (watch.expected([]), watch.seconds_left(1)) == ("", None)
    finish(watch, "slow", status="failed")
    assert watch.expected(["one"]) == "about 41 s left"
    assert watch.seconds_left(2) == pytest.approx((10 * 0.1 + 4 * 10) / 2)
    assert (watch.done, watch.failed) == (91, 1)


def test_what_is_reused_is_not_left_nor_what_ended_without_a_time():
    watch = started(quick=10, slow=0, reused=8)
    finish(watch, "quick")
    finish(watch, "quick", status="skipped", cpu_seconds=None)
    assert watch.seconds_left(1) == 0


def test_the_nearest_experience_counts():
    took = {("a", "lp"): [1.0, 3.0], ("b", "lp"): [10.0], ("a", "svm"): [0.5]}
    assert expected_seconds({("a", "lp"): 2}, took) == 4.0
    assert expected_seconds({("new", "lp"): 1}, took) == 14 / 3
    assert expected_seconds({("new", "new"): 1, ("a", "svm"): 1}, took) == 14.5 / 4 + 0.5
    assert expected_seconds({("a", "lp"): 1}, {}) is None
