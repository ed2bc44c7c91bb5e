"""How often intervals of slices are right where rows go together, for docs/groups.md: by groups, and by rows.

Run as ``python calibrate_slices.py`` (a minute). Patients have 20 visits each (or that many on average) and a rate of
error of their own, around 0.1: 'alike' is a beta distribution of 0.3 and 2.7, 'nearly equal' of 3 and 27. Five splits
test 40 % of the patients; seven of ten visits are judged alike in all splits. The slice is of patients, or of 30 % of
all visits.
"""

import numpy as np

from benchkit.statistics.slices import slice_mean

TIMES, WRONG = 500, 0.1


def draw(rng, n_patients, n_inside, strength, even):
    """Splits of visits with values, their patients, and which visits are in the slice (of visits if n_inside is 0)."""
    sizes = np.full(n_patients, 20) if even else rng.geometric(1 / 20, n_patients)
    patient = np.repeat(np.arange(n_patients), sizes)
    rate = rng.beta(strength * WRONG, strength * (1 - WRONG), n_patients)[patient]
    inside = patient < n_inside if n_inside else rng.random(len(patient)) < 0.3
    lasting = rng.random(len(patient)) < rate
    parts, groups = [], []
    for _ in range(5):
        tested = np.isin(np.arange(n_patients), rng.permutation(n_patients)[: int(0.4 * n_patients)])
        rows = np.flatnonzero(tested[patient])
        values = np.where(rng.random(len(rows)) < 0.7, lasting[rows], rng.random(len(rows)) < rate[rows])
        parts.append((rows, values))
        groups.append(patient[rows])
    return parts, groups, inside


def main():
    """Print a row for each setting."""
    print(
        "| patients | slice | visits | interval holds the rate | a difference is seen where none is "
        "| the same, counting rows |"
    )
    print("|---|---|---|---|---|---|")
    for strength, name in ((3, "alike"), (30, "nearly equal")):
        for n_patients, n_inside in ((40, 10), (100, 30), (100, 0)):
            for even in (True, False):
                rng = np.random.default_rng(0)
                right, wrong = np.zeros(2), np.zeros(2)
                for _ in range(TIMES):
                    parts, groups, inside = draw(rng, n_patients, n_inside, strength, even)
                    for place, drawn in enumerate((groups, None)):
                        found = slice_mean(parts, inside, (0.0, 1.0), groups=drawn)
                        right[place] += found.low <= WRONG <= found.high
                        wrong[place] += found.p < 0.05
                sliced = f"{n_inside} patients" if n_inside else "visits"
                counts = "20 each" if even else "20 on average"
                (ours, rows), (said, by_rows) = right / TIMES, wrong / TIMES
                cells = (
                    f"{n_patients}, {name}",
                    sliced,
                    counts,
                    f"{ours:.0%}",
                    f"{said:.1%}",
                    f"{rows:.0%}, {by_rows:.1%}",
                )
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
