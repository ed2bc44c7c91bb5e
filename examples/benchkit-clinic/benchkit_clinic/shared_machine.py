"""An executor for a machine that others use, too."""

from __future__ import annotations

from pathlib import Path

from benchkit import LocalExecutor


def shared_machine(jobs: int, log: Path | None, memory: float | None, leave: int = 1) -> LocalExecutor:
    """Workers as ``--executor local`` has them, fewer by those that are left to others; one at least.

    Parameters
    ----------
    jobs : int
        As many as benchkit would take.
    log : Path or None
    memory : float or None
    leave : int, default=1
        How many processors are left to others: ``--executor-option leave=2``.
    """
    return LocalExecutor(max(1, jobs - leave), log, memory)
