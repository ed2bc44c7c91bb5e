"""Code of plugins that is called outside of trials, in worker processes: however it ends, the command goes on."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchkit.data.files import keep, kept
from benchkit.errors import EndedError, one_line
from benchkit.execute.worker import is_worker
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.declarations import Deferred
from benchkit.plugin.manager import registry
from benchkit.suite.names import digest

SECONDS = 10.0  # what making an object may take, which is done to ask it something
SECONDS_OF_IMPORT = 120.0


def call_all(function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], seconds: Sequence[float]) -> list[Any]:
    """What a function, which workers can import, returns for each of some arguments; or the error that ended a call.

    That is an `EndedError` where it took more seconds, ended its process, or raised what is no `Exception`.
    """
    if not calls:
        return []
    from benchkit.execute.local import LocalExecutor  # which starts processes: few commands do

    answers = []
    with LocalExecutor(min(len(calls), os.cpu_count() or 1), Path(os.devnull)) as workers:
        pairs = zip(calls, seconds, strict=True)
        for future in [workers.submit(_call, function, *args, timeout=most) for args, most in pairs]:
            error = future.exception()
            if error is not None and not isinstance(error, Exception):  # an exit is none of this process
                error = EndedError(one_line(error))
            answers.append(future.result() if error is None else error)
    return answers


def call_once(
    kind: str,
    keys: Sequence[str],
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    seconds: Sequence[float],
) -> list[Any]:
    """What `call_all` gives; plain data is kept in the user's cache, under a digest of all that it follows from."""
    answers = [kept(kind, key) for key in keys]
    left = [place for place, answer in enumerate(answers) if answer is None]
    new = call_all(function, [calls[place] for place in left], [seconds[place] for place in left])
    for place, answer in zip(left, new, strict=True):
        answers[place] = answer
        if not isinstance(answer, Exception):
            keep(kind, keys[place], answer)
    return answers


def _call(function: Callable[..., Any], *args: Any) -> Any:
    # Bytecode of an edited source would hide from the command's own process that it has loaded the earlier code.
    sys.dont_write_bytecode = True
    return function(*args)


def read_apart(read: Callable[[tuple[str, ...]], Any], targets: tuple[str, ...]) -> Any:
    """What a function reads of classes or functions, each ``module:NAME``: in a worker unless their code was before."""
    if is_worker():
        return read(targets)
    sources = Fingerprints(registry())
    code = [sources.closure(Deferred(target)) for target in targets]
    key = digest([read.__name__, targets, code, sources.protocol], 32)
    (answer,) = call_once("estimators", [key], read, [(targets,)], [SECONDS])
    if isinstance(answer, Exception):
        raise answer
    return answer
