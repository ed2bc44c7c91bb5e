"""Machines read once a day: rows that have a past."""

from __future__ import annotations

import numpy as np

from benchkit import Categories, Data, check_count, check_not_negative


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
