"""How long a run may still take: methods weigh by what they take, and compiling by nothing."""

from types import SimpleNamespace

import pytest

from benchkit.session.progress import GETTING_READY, TimeLeft

SECONDS = {"quick": 0.1, "slow": 10.0}


class TuningClock:
    now = 100.0

    def __call__(self):
        return self.now


def started(quick, slow, reused=0):
    names = [f"quick-{n}" for n in range(quick)] + [f"slow-{n}" for n in range(slow)]
    planned = {name: {"dataset": "breast", "algorithm": name.partition("-")[0]} for name in names}
    clock = TuningClock()
    done = tuple({"trial": name} for name in names[:reused])
    return TimeLeft(SimpleNamespace(planned=planned, reused=done), clock), clock


def finish(time_left, clock, algorithm, ready=0.0):
    clock.now += SECONDS[algorithm] + ready
    time_left.finished(
        {
            "dataset": "breast",
            "algorithm": algorithm,
            "cpu_seconds": SECONDS[algorithm],
            "ready_seconds": ready,
            "status": "ok",
        }
    )


def test_until_the_first_trial_has_ended_it_says_what_is_done():
    time_left, clock = started(quick=5, slow=5)
    clock.now += 80
    assert str(time_left) == GETTING_READY
    assert time_left.seconds is None
    clock.now += 640
    assert str(time_left) == "the first take 12 min so far"
    assert time_left.seconds is None


def test_nothing_is_said_before_each_method_has_ended_a_trial():
    time_left, clock = started(quick=5, slow=5)
    for _ in range(5):
        finish(time_left, clock, "quick")
    assert str(time_left) == ""
    finish(time_left, clock, "slow")
    assert str(time_left) == "about 40 s left"


def test_trials_weigh_what_their_method_takes():
    time_left, clock = started(quick=100, slow=3)
    for _ in range(90):
        finish(time_left, clock, "quick")
    finish(time_left, clock, "slow")
    assert time_left.seconds == pytest.approx(10 * 0.1 + 2 * 10)


def test_compiling_counts_in_no_estimate():
    time_left, clock = started(quick=10, slow=10)
    finish(time_left, clock, "quick", ready=3)
    finish(time_left, clock, "slow", ready=100)
    assert time_left.seconds == pytest.approx(9 * 0.1 + 9 * 10)


def test_two_workers_take_half_as_long():
    time_left, clock = started(quick=0, slow=10)
    time_left.tick(2)
    finish(time_left, clock, "slow")
    finish(time_left, clock, "slow")
    clock.now -= 10  # both ran at once
    assert time_left.seconds == pytest.approx(8 * 10 / 2)


def test_what_is_reused_is_not_left_and_further_rounds_are():
    time_left, clock = started(quick=10, slow=0, reused=8)
    finish(time_left, clock, "quick")
    finish(time_left, clock, "quick")
    assert time_left.seconds == 0


def test_trials_that_ended_without_a_time():
    time_left, clock = started(quick=2, slow=0)
    clock.now += 1
    time_left.finished({"dataset": "breast", "algorithm": "quick", "status": "skipped"})
    assert time_left.seconds == 0
