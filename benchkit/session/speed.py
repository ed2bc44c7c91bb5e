"""How fast a machine is: three small measurements that take two seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, TypeGuard

_SECONDS = 2.0
KERNELS = ("matrix", "memory", "python")
"""What is measured: a product of 300 x 300 matrices, a pass over 32 MB, a loop of 100,000 additions in Python."""


def measure_speed(seconds: float = _SECONDS) -> dict[str, Any]:
    """How long three small pieces of work take on this machine: the fastest, the median and the slowest time of each.

    The matrix product is bound by arithmetic, the pass by memory, the loop by the interpreter: a program lies somewhere
    between them. BLAS takes one thread, as in workers.

    Parameters
    ----------
    seconds : float, default=2.0
        To spend in all.

    Returns
    -------
    dict
        ``matrix``, ``memory`` and ``python``, each with ``fastest``, ``median``, ``slowest`` (wall seconds) and ``n``.
    """
    import numpy as np
    from threadpoolctl import threadpool_limits

    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(2, 300, 300))
    out = np.empty((300, 300))
    wide = generator.normal(size=4 * 2**20)
    work: dict[str, Callable[[], Any]] = {
        "matrix": lambda: np.matmul(a, b, out=out),
        "memory": wide.sum,
        "python": lambda: sum(number & 3 for number in range(100_000)),
    }
    with threadpool_limits(1):
        return {name: _timed(work[name], seconds / len(KERNELS)) for name in KERNELS}


def _timed(work: Callable[[], Any], seconds: float) -> dict[str, float]:
    work()  # what is done on first use is none of it
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return {"fastest": min(times), "median": median(times), "slowest": _tenth_slowest(times), "n": len(times)}


def _tenth_slowest(times: Sequence[float]) -> float:
    """The time that nine in ten do not exceed: a single pause of the machine is no spread."""
    return sorted(times)[math.ceil(0.9 * len(times)) - 1]


def is_probe(probe: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is what `measure_speed` returns, with times that can be divided by."""
    if not isinstance(probe, Mapping):
        return False
    parts = [probe.get(name) for name in KERNELS]
    return all(
        isinstance(part, Mapping)
        and all(
            isinstance(part.get(key), float) and 0 < part[key] < math.inf for key in ("fastest", "median", "slowest")
        )
        for part in parts
    )
