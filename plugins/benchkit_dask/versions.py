"""Whether the workers of a cluster have the benchkit that asks them: what they return is read by it."""

from __future__ import annotations

from typing import Any

from benchkit import ExecutorUnavailableError, __version__

# Evaluated there, where neither benchkit nor this plugin need be.
_ASK = "__import__('benchkit').__version__"


def check_versions(client: Any) -> None:
    """Make sure that every worker has the same version.

    Parameters
    ----------
    client : distributed.Client

    Raises
    ------
    ExecutorUnavailableError
        One line, with the first worker that has another, or none.
    """
    answers = client.run(eval, _ASK, on_error="return")
    others = {worker: answer for worker, answer in answers.items() if answer != __version__}
    if others:
        worker, answer = min(others.items())
        raise ExecutorUnavailableError(
            f"the dask worker {worker}{_further(len(others) - 1)} has {_name(answer)}, and this is benchkit "
            f"{__version__}: install the same there"
        )


def _further(count: int) -> str:
    return f" (and {count} of the others)" if count else ""


def _name(answer: Any) -> str:
    """What a worker has; its answer is a stranger's text."""
    if isinstance(answer, ModuleNotFoundError):
        return "no benchkit"
    if isinstance(answer, BaseException):
        return f"a benchkit that cannot be imported ({type(answer).__name__})"
    return f"benchkit {' '.join(str(answer).split())[:40]}"
