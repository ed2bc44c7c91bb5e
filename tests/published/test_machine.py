"""Speed of machines: the probe, and seconds in units of it."""

import json
import math

import pytest

from benchkit.published.machine import in_probes, machine_class, speed_ratio
from benchkit.session.provenance import compiled_for
from benchkit.session.speed import KERNELS, is_probe, measure_speed


def probe(factor=1.0, spread=0.1):
    """A made-up machine; every kernel takes ``factor`` seconds."""
    times = {"fastest": factor * (1 - spread), "median": factor, "slowest": factor * (1 + spread), "n": 9}
    return dict.fromkeys(KERNELS, times)


def test_a_probe_is_measured_and_survives_json():
    speed = measure_speed(0.05)
    assert is_probe(json.loads(json.dumps(speed)))
    for times in (speed[kernel] for kernel in KERNELS):
        assert 0 < times["fastest"] <= times["median"] <= times["slowest"]
    assert not is_probe(None)
    assert not is_probe({"matrix": {"median": 0.0}})


def test_a_machine_of_half_the_speed_takes_twice_as_long():
    low, middle, high = speed_ratio(probe(1.0), probe(2.0))
    assert middle == pytest.approx(2.0)
    assert (low, high) == (pytest.approx(2 * 0.9 / 1.1), pytest.approx(2 * 1.1 / 0.9))
    slow = in_probes(10.0, probe(2.0))
    fast = in_probes(5.0, probe(1.0))
    assert slow == pytest.approx(fast)


def test_machines_that_differ_by_kernel_have_an_honest_spread():
    uneven = {**probe(1.0), "memory": probe(4.0)["memory"]}
    low, middle, high = speed_ratio(probe(1.0, 0.0), uneven)
    assert middle == pytest.approx(4 ** (1 / 3))
    assert low < 1.0 < middle < 4.0 < high + math.ulp(4.0) + 1.0
    assert high >= 4.0


def test_a_machine_has_no_name():
    environment = {
        "host": "my-laptop",
        "platform": "Linux-6.1-my-laptop-x86_64-with-glibc2.36",
        "cpu": "A processor",
        "processors": 4,
        "memory_mb": 15900,
        "blas": [
            {"user_api": "blas", "internal_api": "openblas", "version": "0.3.30", "architecture": "Zen"},
            {"user_api": "blas", "internal_api": "openblas", "version": "0.3.31", "architecture": "Zen"},
            {"user_api": "openmp", "internal_api": "openmp", "version": None, "architecture": None},
        ],
    }
    assert machine_class(environment, {"compiled_for": "znver3"}) == {
        "cpu": "A processor",
        "processors": 4,
        "memory_gb": 16,
        "system": "Linux-x86_64",
        "kernels": "openblas Zen",
        "compiled_for": "znver3",
    }
    # What a run noted itself comes first: it may have been told another processor than this process.
    run = {**environment, "compiled_for": "generic"}
    assert machine_class(run, {"compiled_for": "znver3"})["compiled_for"] == "generic"


def test_a_compiler_may_be_told_another_processor(monkeypatch):
    assert compiled_for()
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert compiled_for() == "generic"


def test_nothing_is_said_of_kernels_that_nobody_noted():
    assert machine_class({})["kernels"] is None
    assert machine_class({"blas": [{"user_api": "blas", "internal_api": "mkl"}]})["kernels"] == "mkl"
