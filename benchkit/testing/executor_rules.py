"""What every executor keeps to."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchkit.plugin.declarations import Executor
from benchkit.testing.rule import BrokenRuleError, require, rule

_PATIENCE = 120  # seconds that a first worker may take to start


@rule
def returns_what_functions_return(executor: Executor) -> None:
    """It has a capacity of at least one, and futures hold what the functions return."""
    with _made(executor) as made:
        require(made.capacity >= 1, f"capacity is {made.capacity}, expected at least 1")
        futures = [made.submit(divmod, number, 2, timeout=None) for number in range(5)]
        found = [future.result(timeout=_PATIENCE) for future in futures]
    require(found == [divmod(number, 2) for number in range(5)], f"returned {found}")


@rule
def passes_errors_on(executor: Executor) -> None:
    """A function that raises spoils its own future and no other."""
    with _made(executor) as made:
        bad, good = made.submit(divmod, 1, 0, timeout=None), made.submit(divmod, 7, 2, timeout=None)
        error = bad.exception(timeout=_PATIENCE)
        require(isinstance(error, ZeroDivisionError), f"the future of a function that raises holds {error!r}")
        require(good.result(timeout=_PATIENCE) == (3, 1), "the future after it does not hold its own result")


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
        executor.build(jobs=1, log=Path(folder) / "workers.log", memory=None, scheduler=None) as made,
    ):
        yield made


RULES = (returns_what_functions_return, passes_errors_on, leaves_no_trace)
