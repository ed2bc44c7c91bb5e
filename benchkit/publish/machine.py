"""A machine as published results describe it, and how fast it is: three small measurements that take two seconds."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, TypeGuard

_SECONDS = 2.0
KERNELS = ("matrix", "memory", "python")
"""What is measured: a product of 300 x 300 matrices, a pass over 32 MB, a loop of 100,000 additions in Python."""


def machine_class(environment: Mapping[str, Any], probe: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What numbers need to know of a machine: no name, nothing of its owner.

    Parameters
    ----------
    environment, probe : mapping
        Of a run's manifest.
    """
    memory = environment.get("memory_mb")
    platform = str(environment.get("platform") or "")
    words = platform.split("-")
    known = [word for word in words if word.lower() in ("x86_64", "amd64", "arm64", "aarch64", "ppc64le", "riscv64")]
    return {
        "cpu": environment.get("cpu"),
        "processors": environment.get("processors"),
        "memory_gb": round(memory / 1024) if isinstance(memory, int | float) else None,
        "system": "-".join(dict.fromkeys([words[0], *known])) if platform else None,
        "kernels": _kernels(environment.get("blas") or ()),
        "compiled_for": environment.get("compiled_for") or (probe or {}).get("compiled_for"),
    }


def compiled_for() -> str:
    """What LLVM, and numba with it, takes this processor for, or was told to: it decides the order of sums in loops."""
    from llvmlite import binding

    return os.environ.get("NUMBA_CPU_NAME") or str(binding.get_host_cpu_name())


def _kernels(libraries: Iterable[Mapping[str, Any]]) -> str | None:
    """The kernels of BLAS, which give a product its last bits: the library's, and those for which processor."""
    named = (
        " ".join(str(part) for part in (each.get("internal_api"), each.get("architecture")) if part)
        for each in libraries
        if each.get("user_api") == "blas"
    )
    return ", ".join(sorted(set(named))) or None


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


def speed_ratio(there: Mapping[str, Any], here: Mapping[str, Any]) -> tuple[float, float, float]:
    """How many times as long work takes here as there: low, middle, high.

    The middle is the geometric mean of the ratios of medians over the three kernels; low and high are the extreme
    ratios that the kernels' spreads allow (their fastest and tenth-slowest times).

    Parameters
    ----------
    there, here : mapping
        As `measure_speed` returns them.
    """
    middle = math.exp(sum(math.log(here[name]["median"] / there[name]["median"]) for name in KERNELS) / len(KERNELS))
    low = min(here[name]["fastest"] / there[name]["slowest"] for name in KERNELS)
    high = max(here[name]["slowest"] / there[name]["fastest"] for name in KERNELS)
    return low, middle, high


def in_probes(seconds: float, probe: Mapping[str, Any]) -> tuple[float, float, float]:
    """Seconds as multiples of the machine's probe, the geometric mean of its kernels: low, middle, high.

    Parameters
    ----------
    seconds : float
    probe : mapping
        Of the machine that took them.
    """

    def unit(key: str) -> float:
        return math.exp(sum(math.log(probe[name][key]) for name in KERNELS) / len(KERNELS))

    return seconds / unit("slowest"), seconds / unit("median"), seconds / unit("fastest")
