"""A call that was handed out ahead of time is the worker's or the parent's, never both's and never nobody's."""

import multiprocessing
from collections import deque

import pytest

from benchkit.execute.handover import Giver, HandoverError, NumberPipe, Taker


class Memory:
    """The two sides and what is between them; before each step of the parent, the worker may take some of its own.

    The worker's steps: it receives a message and reads a number at once (receiving alone is seen by nobody); it
    replies; where it `may_die`, it dies; `retires` lets it end after its first answer. A reply that was sent can be
    read later.

    Parameters
    ----------
    choose : callable
        Called with a number of possibilities; which one is taken.
    """

    def __init__(self, choose, may_die=False, retires=False):
        self.choose, self.may_die, self.retires = choose, may_die, retires
        self.numbers, self.messages, self.replies = deque(), deque(), deque()
        self.giver = Giver(self, self.send)
        self.taker = Taker(Direct(self))
        self.in_hand, self.made, self.dead, self.ended = None, [], False, False

    # What the parent does to the pipes: the worker may come first.

    def read(self):
        self.worker()
        return self.numbers.popleft() if self.numbers else None

    def write(self, number):
        self.worker()
        self.numbers.append(number)

    def send(self, message):
        self.worker()
        self.messages.append(message)

    def worker(self):
        while self.can_go_on() and self.choose(2):
            self.step()

    def can_go_on(self):
        return not self.dead and not self.ended and (self.in_hand is not None or bool(self.messages))

    def step(self):
        if self.may_die and self.choose(2):
            self.dead = True
        elif self.in_hand is None:
            number, call = self.taker.accept(self.messages.popleft())
            if call is None:
                self.replies.append((number, False))
            else:
                self.in_hand = number
                self.made.append(int(call))
        else:
            self.replies.append((self.in_hand, True))
            self.in_hand = None
            self.ended = self.retires


class Direct:
    """The worker's end of the pipe of numbers."""

    def __init__(self, memory):
        self.memory = memory

    def read(self):
        return self.memory.numbers.popleft() if self.memory.numbers else None


def every_run(simulate):
    """Call a simulation with every sequence of choices that it asks for; how many there are."""
    count, script = 0, []
    while True:
        taken = []

        def choose(options, taken=taken, script=script):
            choice = script[len(taken)] if len(taken) < len(script) else 0
            taken.append((choice, options))
            return choice

        simulate(choose)
        count += 1
        while taken and taken[-1][0] == taken[-1][1] - 1:
            taken.pop()
        if not taken:
            return count
        script = [choice for choice, _ in taken[:-1]] + [taken[-1][0] + 1]


def simulate(choose, steps, may_die=False, retires=False):
    """The parent does so many steps of its choice with at most two calls handed out, then waits for the end."""
    memory = Memory(choose, may_die, retires)
    given, answered, returned, lost = 0, [], [], []

    def hear():
        number, was_made = memory.replies.popleft()
        item = memory.giver.hear(number, was_made)
        if item is not None:
            answered.append(item)

    for _ in range(steps):
        action = choose(3)
        if action == 0 and len(memory.giver.items) < 2:
            given += 1
            memory.giver.give(given, str(given).encode())
        elif action == 1:
            returned += memory.giver.take_back()
        elif memory.replies:
            memory.worker()
            hear()
    while memory.can_go_on():
        memory.step()
    while memory.replies:
        hear()
    if memory.dead or memory.ended:
        returned += memory.giver.take_back()
        lost = memory.giver.items
    # Each call is answered, taken back or lost; what was made was not taken back; a death costs one call at most.
    assert sorted(answered + returned + lost) == list(range(1, given + 1))
    assert not set(memory.made) & set(returned)
    assert set(answered) | set(lost) >= set(memory.made)
    assert len(memory.made) == len(set(memory.made))
    assert len(lost) <= memory.dead
    assert memory.dead or memory.ended or not memory.giver.without_reply


@pytest.mark.parametrize(("may_die", "retires"), [(False, False), (True, False), (False, True)])
def test_no_call_is_lost_and_none_is_made_twice_in_any_interleaving(may_die, retires):
    runs = every_run(lambda choose: simulate(choose, 6, may_die, retires))
    assert runs > 10_000


def test_the_parent_may_take_back_a_call_whose_turn_has_come():
    """Its predecessor has answered, the worker has not looked further, and a third call is offered behind it."""
    memory = Memory(lambda options: 0)
    for item in (1, 2):
        memory.giver.give(item, str(item).encode())
    memory.step()
    memory.step()
    assert memory.giver.hear(*memory.replies.popleft()) == 1
    memory.giver.give(3, b"3")
    assert memory.giver.take_back() == [2, 3]
    memory.giver.give(2, b"2")
    while memory.can_go_on():
        memory.step()
    assert [memory.giver.hear(*reply) for reply in memory.replies] == [None, None, 2]
    assert memory.made == [1, 2]


def test_a_reply_out_of_turn_is_an_error():
    giver = Giver(Memory(lambda options: 0), lambda message: None)
    giver.give("first", b"")
    with pytest.raises(HandoverError, match="call 2 out of turn"):
        giver.hear(2, True)
    with pytest.raises(HandoverError, match="call 1 out of turn"):
        giver.hear(1, False)  # nobody took it back


def test_a_number_goes_to_one_reader_of_a_pipe():
    reader, writer = multiprocessing.Pipe(duplex=False)
    parent, worker = NumberPipe(reader.fileno(), writer.fileno()), NumberPipe(reader.fileno())
    parent.write(1)
    parent.write(2)
    assert (worker.read(), parent.read(), worker.read(), parent.read()) == (1, 2, None, None)
    writer.close()
    with pytest.raises(EOFError):
        worker.read()
    reader.close()
