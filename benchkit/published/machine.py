"""A machine as published results describe it, and seconds of one machine on another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from benchkit.session.speed import KERNELS


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


def _kernels(libraries: Iterable[Mapping[str, Any]]) -> str | None:
    """The kernels of BLAS, which give a product its last bits: the library's, and those for which processor."""
    named = (
        " ".join(str(part) for part in (each.get("internal_api"), each.get("architecture")) if part)
        for each in libraries
        if each.get("user_api") == "blas"
    )
    return ", ".join(sorted(set(named))) or None


def speed_ratio(there: Mapping[str, Any], here: Mapping[str, Any]) -> tuple[float, float, float]:
    """How many times as long work takes here as there: low, middle, high.

    The middle is the geometric mean of the ratios of medians over the three kernels; low and high are the extreme
    ratios that the kernels' spreads allow (their fastest and tenth-slowest times).

    Parameters
    ----------
    there, here : mapping
        As `benchkit.session.speed.measure_speed` returns them.
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
