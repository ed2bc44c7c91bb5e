"""What every executor keeps to."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit.errors import OverTimeError, WorkerDiedError
from benchkit.plugin.declarations import Executor
from benchkit.testing.rule import BrokenRuleError, NotAskedError, require, rule

_PATIENCE = 60  # seconds that a first worker may take to start
_CLOSING = 30  # seconds that futures may take to end once their executor is closed
_OVER_TIME = 10  # seconds that a function takes which is to be stopped before
_silent: list[Executor] = []  # that gave no answer: each further rule would wait as long for one


@rule("executors")
def takes_its_options(executor: Executor) -> None:
    """Each option that it declares is a parameter of what makes it."""
    parameters = executor.make.parameters()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        raise NotAskedError("it takes any option")
    for option in executor.options:
        require(option.name in parameters, f"declares the option {option.name!r}, and 'make' takes no such argument")


@rule("executors")
def returns_what_functions_return(executor: Executor) -> None:
    """It has a capacity of at least one; futures hold what functions return or raise, each its own."""
    with _made(executor) as made:
        require(made.capacity >= 1, f"capacity is {made.capacity}, expected at least 1")
        futures = [made.submit(divmod, 7, number, timeout=None) for number in (1, 0, 2)]
        error = _error(executor, futures.pop(1))
        require(isinstance(error, ZeroDivisionError), f"the future of a function that raises holds {error!r}")
        returned = [_answer(executor, future) for future in futures]
    require(returned == [divmod(7, 1), divmod(7, 2)], f"returned {returned}")


@rule("executors")
def says_whose_process_it_uses(executor: Executor) -> None:
    """Its functions run in the process that calls ``submit`` where it is declared with ``in_process``, and there alone.

    A process that has imported a plugin keeps its code: where nobody knows of it, what an edited file says is measured
    by the code that was there before.
    """
    here = _runs_here(executor)
    require(
        executor.in_process or not here,
        "runs functions in the process that calls submit, where code that was edited since would answer for the new: "
        "declare in_process=True",
    )
    require(here or not executor.in_process, "is declared with in_process=True, and runs functions in another process")


@rule("executors")
def survives_what_goes_wrong(executor: Executor) -> None:
    """A function whose process dies, or whose result cannot be sent, ends with an error, and the next one runs.

    The one whose process dies ends with `benchkit.WorkerDiedError`, or a subclass.
    """
    _require_other_process(executor)
    for function, arguments, expected in ((os._exit, (3,), WorkerDiedError), (compile, ("1", "x", "eval"), Exception)):
        with _made(executor) as made:
            error = _error(executor, made.submit(function, *arguments, timeout=None))
            good = _answer(executor, made.submit(divmod, 7, 2, timeout=None))
        require(isinstance(error, expected), f"{function.__name__} ends with {error!r}, not a {expected.__name__}")
        require(good == (3, 1), "the future after it does not hold its own result")


@rule("executors")
def holds_deadlines(executor: Executor) -> None:
    """A function that takes too long ends with `benchkit.OverTimeError`, or a subclass; the next one runs."""
    if not executor.stops:
        raise NotAskedError("it is declared with stops=False")
    with _made(executor) as made:
        _answer(executor, made.submit(divmod, 7, 2, timeout=None))
        error = _error(executor, made.submit(time.sleep, _OVER_TIME, timeout=0.5))
        require(
            isinstance(error, OverTimeError),
            f"a function with timeout=0.5 that takes {_OVER_TIME} s ends with {error!r}, not an OverTimeError: "
            "stop it, or declare stops=False",
        )
        require(_answer(executor, made.submit(divmod, 7, 2, timeout=None)) == (3, 1), "nothing runs after it")


@rule("executors")
def ends_every_future_when_closed(executor: Executor) -> None:
    """What still runs or waits when it is closed ends: cancelled, or with an error."""
    _require_other_process(executor)
    with _made(executor) as made:
        futures = [made.submit(time.sleep, 2 * _CLOSING, timeout=None) for _ in range(3)]
    latest = time.monotonic() + _CLOSING
    while (left := sum(not future.done() for future in futures)) and time.monotonic() < latest:
        time.sleep(0.1)
    require(not left, f"{left} of 3 futures never end after it was closed")


@rule("executors")
def leaves_no_trace(executor: Executor) -> None:
    """After it is closed, the environment is as it was."""
    before = dict(os.environ)
    with _made(executor) as made:
        _answer(executor, made.submit(divmod, 1, 1, timeout=None))
    changed = sorted(name for name in {*before, *os.environ} if before.get(name) != os.environ.get(name))
    require(not changed, f"leaves {', '.join(changed)} changed in the environment")


def _runs_here(executor: Executor) -> bool:
    with _made(executor) as made:
        return bool(_answer(executor, made.submit(os.getpid, timeout=None)) == os.getpid())


def _require_other_process(executor: Executor) -> None:
    """Ask no further where the function would end, or hold up, the process of the rules."""
    if _runs_here(executor):
        raise NotAskedError("its functions run in this process")


def _answer(executor: Executor, future: Future[Any]) -> Any:
    """What a function returned, raising what it raised."""
    if (error := _error(executor, future)) is not None:
        raise error
    return future.result()


def _error(executor: Executor, future: Future[Any]) -> BaseException | None:
    try:
        return future.exception(timeout=_PATIENCE)
    except CancelledError as error:
        return error
    except TimeoutError:
        _silent.append(executor)
        raise BrokenRuleError(
            f"a future has not ended after {_PATIENCE} s: set its result, or its error, when the function ends"
        ) from None


@contextmanager
def _made(executor: Executor) -> Iterator[Any]:
    if any(other is executor for other in _silent):
        raise NotAskedError("a future never ended, of another rule: mend that first")
    with (
        tempfile.TemporaryDirectory(prefix="benchkit-executor-") as folder,
        executor.build(jobs=1, log=Path(folder) / "workers.log", memory=None) as made,
    ):
        yield made
