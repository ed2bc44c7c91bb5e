"""How often a forecast of repetitions holds: by simulation, over what users run.

    python docs/site/forecast_calibration.py

First values are normal with a standard deviation of 1, and looked at after each from so many on until their interval
leaves 0 out, or there are 2,000. Counted are the cases that were open when the forecast was made and got one; it holds
where the number that decided lies within it, an open end being any number and never.

Then values are means over 100 test rows out of 400, which are known one by one: a row's difference is the mean, what
the row brings and keeps over splits, what the split brings to all rows, and noise; up to 200 splits are looked at.
"""

from __future__ import annotations

import math

import numpy as np

from benchkit.statistics.estimate import Estimate, estimate
from benchkit.statistics.forecast import repetitions_range
from benchkit.statistics.row_differences import mean_over_rows
from benchkit.statistics.sampling import Sample
from benchkit.statistics.student_t import t_quantile

CASES, MOST = 400, 2000
_QUANTILES = np.array([math.nan, *(t_quantile(0.95, n - 1) for n in range(2, MOST + 1))])


def held(done: int, difference: float, excess: float, rng: np.random.Generator) -> tuple[int, float]:
    """Forecasts that were made, and the share of these that held."""
    counted = held = 0
    n = np.arange(1, MOST + 1)
    for _ in range(CASES):
        values = rng.normal(difference, 1, MOST)
        means = values.cumsum() / n
        spread = np.sqrt(np.maximum((np.square(values).cumsum() - n * means**2) / np.maximum(n - 1, 1), 0))
        apart = np.abs(means) > _QUANTILES * spread * np.sqrt(1 / n + excess)
        forecast = repetitions_range(estimate(Sample(values[:done].tolist(), excess)))
        if apart[done - 1] or forecast is None or math.isinf(forecast[0]):
            continue
        after = np.flatnonzero(apart[done:])
        decided = done + 1 + after[0] if len(after) else math.inf
        counted += 1
        held += forecast[0] <= decided <= forecast[1]
    return counted, held / counted if counted else math.nan


def held_by_rows(
    done: int, difference: float, of_splits: float, rng: np.random.Generator, cases: int = 100, most: int = 200
) -> tuple[int, float]:
    """The same for rows that are known one by one, with so large a standard deviation between splits."""
    counted = held = 0
    for _ in range(cases):
        of_rows = difference + rng.normal(0, 1, 400)
        rows = np.array([rng.permutation(400)[:100] for _ in range(most)])
        values = of_rows[rows] + rng.normal(0, of_splits, (most, 1)) + rng.normal(0, 1, (most, 100))
        means = values.mean(axis=1).tolist()

        def after(n: int, rows: np.ndarray = rows, values: np.ndarray = values, means: list[float] = means) -> Estimate:
            parts = list(zip(rows[:n], values[:n], strict=True))
            made = estimate(Sample(means[:n], 1 / 3), mean_over_rows(parts, excess=1 / 3))
            assert made is not None
            return made

        first = after(done)
        forecast = repetitions_range(first)
        if first.p_differs() < 0.05 or forecast is None or math.isinf(forecast[0]):
            continue
        decided = next((n for n in range(done + 1, most + 1) if after(n).p_differs() < 0.05), math.inf)
        counted += 1
        held += forecast[0] <= decided and (decided <= forecast[1] or forecast[1] > most)
    return counted, held / counted if counted else math.nan


def main() -> None:
    """Print a line for each setting, then the least share of those with 50 forecasts or more."""
    rng = np.random.default_rng(0)
    shares = []
    for excess in (0.0, 0.05, 0.33):
        for done in (5, 8, 10, 20):
            for difference in (0.0, 0.05, 0.1, 0.2, 0.5, 1.0):
                counted, share = held(done, difference, excess, rng)
                print(f"n_test/(M - n_test) {excess}, {done} values, difference {difference}: {counted}, {share:.3f}")
                if counted >= 50:
                    shares.append(share)
    for of_splits in (0.02, 0.1):
        for done in (5, 10):
            for difference in (0.0, 0.05, 0.1, 0.2):
                counted, share = held_by_rows(done, difference, of_splits, rng)
                print(
                    f"rows, {done} splits that differ by {of_splits}, difference {difference}: {counted}, {share:.3f}"
                )
                if counted >= 50:
                    shares.append(share)
    print(f"least {min(shares):.3f}, median {np.median(shares):.3f}, of {len(shares)} settings")


if __name__ == "__main__":
    main()
