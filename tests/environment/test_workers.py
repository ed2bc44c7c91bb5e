"""Workers of environments: the same limits as for all others, and no harm to these when their interpreter is broken."""

import os
import sys
import time
from functools import partial

import pytest

from benchkit import Environment, OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.environment.place import BuiltEnvironment, EnvironmentMissingError
from benchkit.execute import foreign
from benchkit.execute.foreign import InEnvironment
from benchkit.execute.local import LocalExecutor

NEW = Environment(requirements=["tiny-votes>=2"], inherit=True)


@pytest.fixture
def in_new():
    return partial(InEnvironment, environment=NEW, build="benchkit env build votes-new")


@pytest.mark.whole
def test_limits_deaths_and_what_comes_after_them(built, in_new, tmp_path):
    with LocalExecutor(1, tmp_path / "workers.log", memory=1000) as executor:
        version = executor.submit(in_new(eval), "__import__('tiny_votes').Votes().sign", timeout=60)
        slow = executor.submit(in_new(time.sleep), 600, timeout=1)
        dead = executor.submit(in_new(os._exit), 3, timeout=60)
        large = executor.submit(in_new(eval), "__import__('time').sleep(60 * len(b'x' * 1200 * 2**20))", timeout=60)
        here = executor.submit(eval, "__import__('sys').prefix", timeout=60)
        there = executor.submit(in_new(eval), "__import__('sys').prefix", timeout=60)
        assert version.result() == 1
        with pytest.raises(OverTimeError, match="took longer than 1 s"):
            slow.result()
        with pytest.raises(WorkerDiedError, match="exit code 3"):
            dead.result()
        with pytest.raises(OverMemoryError):
            large.result()
        assert here.result() == sys.prefix
        assert there.result().startswith(str(built))


@pytest.mark.parametrize(("ends", "seconds"), [("exit 1", 120), ("exec sleep 600", 0.3)])
def test_an_interpreter_that_never_begins_ends_its_own_tasks_alone(tmp_path, monkeypatch, in_new, ends, seconds):
    """One that did not end was waited for without an end."""
    broken = tmp_path / "broken"
    (broken / "bin").mkdir(parents=True)
    (broken / "bin" / "python").write_text(f"#!/bin/sh\necho 'no module named anything' >&2\n{ends}\n")
    (broken / "bin" / "python").chmod(0o755)
    place = BuiltEnvironment(broken, "3.11.0", {}, {}, False)
    monkeypatch.setattr(foreign, "place_of", lambda environment, build: place)
    with LocalExecutor(1) as executor:
        works = executor.submit(os.getpid, timeout=60)
        assert works.result() != os.getpid()
        monkeypatch.setattr("benchkit.execute.local._STARTING", seconds)
        with pytest.raises(WorkerDiedError, match="die before they can begin: no module named anything"):
            executor.submit(in_new(time.sleep), 0, timeout=60).result(60)
        assert executor.submit(os.getpid, timeout=60).result() == works.result()


def test_without_the_environment_the_task_says_what_to_type(in_new):
    with LocalExecutor(1) as executor:
        future = executor.submit(in_new(os.getpid), timeout=60)
        with pytest.raises(EnvironmentMissingError, match="type 'benchkit env build votes-new'"):
            future.result()
