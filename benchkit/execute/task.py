"""A call that waits for a worker or is with one, and the future of whoever wants to know what becomes of it."""

from __future__ import annotations

import pickle
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchkit.environment.place import BuiltEnvironment


@dataclass(eq=False)
class Task:
    """One call, pickled.

    Attributes
    ----------
    call : bytes
    timeout : float or None
        Seconds it may take from its start.
    home : BuiltEnvironment or None
        The environment it must run in; None is this interpreter.
    future : Future
    """

    call: bytes
    timeout: float | None
    home: BuiltEnvironment | None = None
    future: Future[Any] = field(default_factory=Future)

    @property
    def folder(self) -> Path | None:
        """That of its environment."""
        return self.home.folder if self.home is not None else None

    def claim(self) -> bool:
        """Whether it has not ended, and can no longer be cancelled; one that was tells so to who waits for it."""
        if self.future.done() and not self.future.cancelled():
            return False
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def settle(self, answer: bytes) -> None:
        """Pass on what a worker answered."""
        try:
            value, error = pickle.loads(answer)
        except Exception as problem:  # the class of what it returned may be known there alone
            value, error = None, problem
        if error is not None:
            self.fail(error)
        else:
            self.future.set_result(value)

    def fail(self, error: BaseException) -> None:
        """End it with an error, unless it has ended."""
        if self.claim():
            self.future.set_exception(error)
