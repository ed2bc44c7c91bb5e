"""Ctrl-C and SIGTERM stop a run also where they find it in code that swallows what is raised."""

import signal
import sys
import time

import pytest

import benchkit
from benchkit.session.interruption import forgotten_interrupts_return, interruptible
from benchkit.session.progress import Silent


@pytest.fixture(autouse=True)
def hears_sigint():
    """A background job of a shell is born deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Interrupted:
    """Where Python forgets what is raised: while an object is deleted."""

    def __init__(self, number):
        self.number = number

    def __del__(self):
        signal.raise_signal(self.number)


def wait():
    for _ in range(1000):
        time.sleep(0.01)


def test_an_interrupt_that_python_forgets_comes_again():
    hook = sys.unraisablehook
    with forgotten_interrupts_return(), pytest.raises(KeyboardInterrupt):
        forget()
    assert sys.unraisablehook is hook


def test_what_else_python_forgets_is_told_as_before(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda forgotten: told.append(forgotten.exc_type))

    class Failing:
        def __del__(self):
            raise ValueError

    with forgotten_interrupts_return():
        Failing()
    assert told == [ValueError]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_that_a_library_catches_is_raised_at_the_next_look(number):
    with interruptible() as check:
        check()
        try:
            signal.raise_signal(number)
        except BaseException:  # as bare excepts of libraries do
            caught = True
        assert caught
        with pytest.raises(KeyboardInterrupt):
            check()
        check()  # once


def test_handlers_are_put_back_and_those_of_others_left_alone():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    with interruptible():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


class Swallowing(Silent):
    """Ctrl-C comes after the second trial, where it is swallowed."""

    def __init__(self, swallow):
        self.left, self.swallow = 2, swallow

    def finished(self, record):
        self.left -= 1
        if self.left == 0:
            self.swallow()


def catch_all():
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:  # as bare excepts of libraries do
        return


def forget():
    Interrupted(signal.SIGINT)
    wait()


@pytest.mark.parametrize("swallow", [catch_all, forget])
def test_a_run_ends_whose_interrupt_was_swallowed(tiny, write_suite, tmp_path, swallow):
    options = {"out": tmp_path / "runs", "executor": "inline", "tracking": False, "plots": False}
    results = benchkit.run(write_suite(tiny), progress=Swallowing(swallow), **options)
    assert results.interrupted
    assert results.statuses == {"ok": 2}
    assert results.planned == 8
