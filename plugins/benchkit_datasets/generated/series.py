"""Data with an order: Breiman's waveforms at points in time, machines read once a day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchkit import Categories, Data, check_count, check_not_negative
from benchkit_datasets.problems import choose_wave_problem

POINTS = np.arange(1, 22)
PEAKS = (7, 15, 11)
# The two base waves that each class mixes, numbered as in the UCI file.
MIXED = np.array([(0, 1), (0, 2), (1, 2)])


def load_waveform_generated(
    n: int = 5000,
    classes: Literal["binary", "all"] = "binary",
    pair: Sequence[int] | None = None,
    one_against_rest: int | None = None,
    random_state: int | None = None,
) -> Data:
    """Breiman et al. 1984: x_i = u h_a(i) + (1 - u) h_b(i) + N(0, 1) at i = 1 ... 21, u uniform on [0, 1].

    The base waves are triangles h(i) = max(6 - |i - peak|, 0) with peaks at 7, 15 and 11; the three classes, equally
    likely, mix the first and second, first and third, second and third. The best possible error is about 0.14 for the
    three classes.

    Parameters
    ----------
    n : int, default=5000
        Rows before a ``pair`` drops those of the third class.
    classes : {"binary", "all"}, default="binary"
        +1 for class 1 and -1 for classes 0 and 2; or 0, 1, 2.
    pair, one_against_rest
        Another binary problem, see `benchkit_datasets.problems.choose_problem`.
    random_state : int, optional

    Returns
    -------
    Data
        With truth ``waves`` of shape (3, 21), ``clean_X`` of shape (n_rows, 21), X without noise, and ``wave_classes``
        of shape (n_rows,), the class 0, 1 or 2 of each row.
    """
    check_count(n=n)
    rng = np.random.default_rng(random_state)
    waves = np.maximum(6.0 - np.abs(POINTS - np.array(PEAKS)[:, None]), 0.0)
    wave_classes = rng.integers(3, size=n)
    share = rng.random(n)[:, None]
    clean = share * waves[MIXED[wave_classes, 0]] + (1.0 - share) * waves[MIXED[wave_classes, 1]]
    noisy = clean + rng.standard_normal(clean.shape)
    rows, y = choose_wave_problem(wave_classes, classes, pair, one_against_rest)
    return Data(
        X=noisy[rows],
        y=y,
        feature_names=[f"x{point}" for point in POINTS],
        truth={"waves": waves, "clean_X": clean[rows], "wave_classes": wave_classes[rows]},
    )


def load_machines(n_machines: int = 50, n_days: int = 20, memory: float = 0.8, random_state: int | None = None) -> Data:
    """Readings of machines, some of which fail the day after.

    Heat and vibration follow the wear of the day, which is an autoregressive process: what they were yesterday tells
    something of today. Load is drawn anew each day; age and size belong to the machine, age grows. It is labelled
    by a logistic rule of wear, load and age.

    Parameters
    ----------
    n_machines : int, default=50
    n_days : int, default=20
    memory : float, default=0.8
        Correlation of a day's wear with the day before, 0 to below 1.
    random_state : int, optional

    Returns
    -------
    Data
        A row for each machine and day, with the further columns ``machine`` and ``day``.
    """
    check_count(n_machines=n_machines, n_days=n_days)
    check_not_negative(memory=memory)
    if memory >= 1:
        raise ValueError(f"memory is {memory}, expected a number from 0 to below 1")
    rng = np.random.default_rng(random_state)
    shape = n_days, n_machines
    fresh = rng.standard_normal(shape) * np.sqrt(1 - memory**2)
    wear = np.empty(shape)
    wear[0] = rng.standard_normal(n_machines)
    for day in range(1, n_days):
        wear[day] = memory * wear[day - 1] + fresh[day]
    age = rng.uniform(0, 10, n_machines) + np.arange(n_days)[:, None] / 365
    size = np.broadcast_to(rng.uniform(1, 3, n_machines), shape)
    heat = 60 + 8 * wear + 2 * rng.standard_normal(shape)
    vibration = 3 + wear + 0.7 * rng.standard_normal(shape)
    load = rng.uniform(0, 100, shape)
    chance = 1 / (1 + np.exp(-(2.5 * wear + (load - 50) / 20 + (age - 5) / 5)))
    fails = rng.random(shape) < chance
    columns = {
        "machine": Categories.of(f"machine {number}" for _ in range(n_days) for number in range(n_machines)),
        "day": np.repeat(np.arange(n_days), n_machines),
    }
    features = {"heat": heat, "vibration": vibration, "load": load, "age": age, "size": size}
    return Data(
        X=np.column_stack([each.ravel() for each in features.values()]),
        y=np.where(fails.ravel(), 1, -1),
        feature_names=list(features),
        target_name="fails",
        columns=columns,
    )
