"""A task that was handed out in advance is the worker's or the parent's, never both's and never nobody's."""

import multiprocessing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.execute.claims import Claims


@pytest.fixture
def sides():
    reader, writer = multiprocessing.Pipe(duplex=False)
    parent, worker = Claims(reader, writer), Claims(reader)
    yield parent, worker
    parent.close()


def test_a_call_handed_over_at_once_needs_no_token(sides):
    parent, worker = sides
    assert worker.accept(parent.now(b"call")) == b"call"
    assert not parent.take_back()


def test_what_was_taken_back_is_not_accepted_and_what_was_accepted_is_not_taken_back(sides):
    parent, worker = sides
    first = parent.offer(b"one")
    assert parent.take_back()
    second = parent.offer(b"two")
    assert worker.accept(first) is None  # though the token of the second is there to be read
    assert not parent.take_back()
    assert worker.accept(second) == b"two"
    assert worker.accept(parent.now(b"three")) == b"three"


@given(st.lists(st.sampled_from(["offer", "now", "take back", "accept"]), max_size=40))
def test_every_call_is_run_once_or_taken_back(steps):
    reader, writer = multiprocessing.Pipe(duplex=False)
    parent, worker = Claims(reader, writer), Claims(reader)
    messages, sent, offered, run, returned = [], [], None, [], []
    for number, step in enumerate(steps):
        if step == "offer" and offered is None:
            offered = number
            sent.append(number)
            messages.append(parent.offer(str(number).encode()))
        elif step == "now" and offered is None:
            sent.append(number)
            messages.append(parent.now(str(number).encode()))
        elif step == "take back" and offered is not None and parent.take_back():
            returned.append(offered)
            offered = None
        elif step == "accept" and messages:
            call = worker.accept(messages.pop(0))
            run += [] if call is None else [int(call)]
            offered = None if call is not None and int(call) == offered else offered
    for message in messages:
        call = worker.accept(message)
        run += [] if call is None else [int(call)]
    assert sorted(run + returned) == sent
    parent.close()
