"""What watches a run: every method is called in the parent process."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from benchkit.plugin.spec import Run


class Progress(Protocol):
    """Watches a run; every method is called in the parent process."""

    def started(self, run: Run, left: int) -> None:
        """The plan is known: how many trials are left after reuse."""

    def tick(self, running: Sequence[str]) -> None:
        """Called at least twice a second with the names of the running trials."""

    def finished(self, record: Mapping[str, Any]) -> None:
        """A trial ended; ``ready_seconds`` are those that its worker took to import and compile before."""

    def ended(self) -> None:
        """No trial of this run is left, or it was interrupted; its report follows."""

    def warn(self, message: str) -> None:
        """Something went wrong that does not stop the run."""


class Silent:
    """Watches nothing; warnings become Python warnings."""

    def started(self, run: Run, left: int) -> None:
        """Ignore."""

    def tick(self, running: Sequence[str]) -> None:
        """Ignore."""

    def finished(self, record: Mapping[str, Any]) -> None:
        """Ignore."""

    def ended(self) -> None:
        """Ignore."""

    def warn(self, message: str) -> None:
        """Warn."""
        warnings.warn(message, stacklevel=2)
