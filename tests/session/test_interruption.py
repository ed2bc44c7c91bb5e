"""Ctrl-C and SIGTERM stop a run also where they find it in code that swallows what is raised."""

import signal
import time

import pytest

import benchkit
from benchkit.session.loop import interruptible


@pytest.fixture(autouse=True)
def hears_sigint():
    """A background job of a shell ignores it from the start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def catch_all(number=signal.SIGINT):
    try:
        signal.raise_signal(number)
    except BaseException:  # as bare excepts of libraries do
        return


def forget():
    class Interrupted:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    Interrupted()
    time.sleep(0.1)


def test_handlers_are_put_back_and_those_of_others_left_alone():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    with interruptible() as check:
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        catch_all(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            check()
        check()  # once
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("swallow", [catch_all, forget])
def test_a_run_ends_whose_interrupt_was_swallowed(run, swallow):
    class Swallowing(benchkit.Progress):
        """Ctrl-C comes after the second trial, where it is swallowed."""

        left = 2

        def finished(self, record):
            self.left -= 1
            if self.left == 0:
                swallow()

    results = run(progress=Swallowing())
    assert results.interrupted
    assert results.statuses == {"ok": 2}
    assert results.planned == 8
