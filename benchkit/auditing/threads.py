"""How many threads a model answers with: on a busy machine many wait for each other, and one is faster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchkit.auditing.subject import Subject

_ROWS = 1_000
_SOONER = 0.8  # of the time of one thread: less is worth a processor more


@contextmanager
def as_many_threads_as_help(subject: Subject) -> Iterator[None]:
    """One thread, or as many as libraries take by themselves: whichever answered some rows sooner."""
    import numpy as np
    from threadpoolctl import threadpool_limits

    table = subject.table(np.arange(min(_ROWS, subject.n_rows)), {})

    def seconds(limit: int | None) -> float:
        with threadpool_limits(limit):
            subject.answers(table)
            start = time.perf_counter()
            subject.answers(table)
            return time.perf_counter() - start

    with threadpool_limits(None if seconds(None) < _SOONER * seconds(1) else 1):
        yield
