"""What every executor keeps to."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit.execute.executor import OverTimeError, WorkerDiedError
from benchkit.plugin.declarations import Executor
from benchkit.testing.rule import BrokenRuleError, NotAskedError, require, rule

_PATIENCE = 120  # seconds that a first worker may take to start
_CLOSING = 30  # seconds that futures may take to end once their executor is closed


@rule
def takes_its_options(executor: Executor) -> None:
    """Each option that it declares is a parameter of what makes it."""
    parameters = executor.make.parameters()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        raise NotAskedError("it takes any option")
    for option in executor.options:
        require(option.name in parameters, f"declares the option {option.name!r}, and 'make' takes no such argument")


@rule
def returns_what_functions_return(executor: Executor) -> None:
    """It has a capacity of at least one, and futures hold what the functions return."""
    with _made(executor) as made:
        require(made.capacity >= 1, f"capacity is {made.capacity}, expected at least 1")
        futures = [made.submit(divmod, number, 2, timeout=None) for number in range(5)]
        returned = [future.result(timeout=_PATIENCE) for future in futures]
    require(returned == [divmod(number, 2) for number in range(5)], f"returned {returned}")


@rule
def passes_errors_on(executor: Executor) -> None:
    """A function that raises spoils its own future and no other."""
    with _made(executor) as made:
        bad, good = made.submit(divmod, 1, 0, timeout=None), made.submit(divmod, 7, 2, timeout=None)
        error = bad.exception(timeout=_PATIENCE)
        require(isinstance(error, ZeroDivisionError), f"the future of a function that raises holds {error!r}")
        require(good.result(timeout=_PATIENCE) == (3, 1), "the future after it does not hold its own result")


@rule
def returns_what_cannot_be_sent_as_an_error(executor: Executor) -> None:
    """A function whose result cannot be pickled ends, and spoils no other."""
    if not executor.stops:
        raise NotAskedError("its functions run in this process")
    with _made(executor) as made:
        odd, good = made.submit(compile, "1", "x", "eval", timeout=None), made.submit(divmod, 7, 2, timeout=None)
        require(odd.exception(timeout=_PATIENCE) is not None, "a result that cannot be pickled is no error")
        require(good.result(timeout=_PATIENCE) == (3, 1), "the future after it does not hold its own result")


@rule
def survives_a_death(executor: Executor) -> None:
    """A function whose process dies ends with `benchkit.WorkerDiedError`, or a subclass; the next one runs."""
    if not executor.stops:
        raise NotAskedError("its functions run in this process")
    with _made(executor) as made:
        error = made.submit(os._exit, 3, timeout=None).exception(timeout=_PATIENCE)
        require(isinstance(error, WorkerDiedError), f"a process that died is {error!r}, not a WorkerDiedError")
        require(made.submit(divmod, 7, 2, timeout=None).result(timeout=_PATIENCE) == (3, 1), "nothing runs after it")


@rule
def holds_deadlines(executor: Executor) -> None:
    """A function that takes too long ends with `benchkit.OverTimeError`, or a subclass; the next one runs."""
    if not executor.stops:
        raise NotAskedError("it is declared with stops=False")
    with _made(executor) as made:
        made.submit(divmod, 7, 2, timeout=None).result(timeout=_PATIENCE)
        error = made.submit(time.sleep, 2 * _PATIENCE, timeout=0.5).exception(timeout=_PATIENCE)
        require(isinstance(error, OverTimeError), f"a function that took too long is {error!r}, not an OverTimeError")
        require(made.submit(divmod, 7, 2, timeout=None).result(timeout=_PATIENCE) == (3, 1), "nothing runs after it")


@rule
def ends_every_future_when_closed(executor: Executor) -> None:
    """What still runs or waits when it is closed ends: cancelled, or with an error."""
    if not executor.stops:
        raise NotAskedError("its functions end before submit returns")
    with _made(executor) as made:
        futures = [made.submit(time.sleep, 2 * _PATIENCE, timeout=None) for _ in range(3)]
    left = wait(futures, timeout=_CLOSING).not_done
    require(not left, f"{len(left)} of 3 futures never end after it was closed")


@rule
def leaves_no_trace(executor: Executor) -> None:
    """After it is closed, the environment is as it was."""
    before = dict(os.environ)
    with _made(executor) as made:
        made.submit(divmod, 1, 1, timeout=None).result(timeout=_PATIENCE)
    changed = sorted(name for name in {*before, *os.environ} if before.get(name) != os.environ.get(name))
    if changed:
        raise BrokenRuleError(f"leaves {', '.join(changed)} changed in the environment")


@contextmanager
def _made(executor: Executor) -> Iterator[Any]:
    with (
        tempfile.TemporaryDirectory(prefix="benchkit-executor-") as folder,
        executor.build(jobs=1, log=Path(folder) / "workers.log", memory=None) as made,
    ):
        yield made


RULES = (
    takes_its_options,
    returns_what_functions_return,
    passes_errors_on,
    returns_what_cannot_be_sent_as_an_error,
    survives_a_death,
    holds_deadlines,
    ends_every_future_when_closed,
    leaves_no_trace,
)
