"""Write visits.csv: 2,000 made-up visits of 100 patients, and later.csv: 1,200 visits of 60 others, for docs/groups.md.

Run as ``python make_visits.py``; the files are the same each time. Each patient has numbers of their own that hardly
change from visit to visit and say nothing of illness; what says something of it is weak.
"""

import csv
from datetime import date, timedelta

import numpy as np

VISITS = 20
NUMBERS = ["height", "grip", "pupil", "stride", "pressure", "glucose"]

rng = np.random.default_rng(36)


def write(name, patients, first):
    with open(name, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["patient", "day", "clinic", *NUMBERS, "ill"])
        for patient in range(first, first + patients):
            ill = rng.random() < 0.5
            own = rng.normal(size=len(NUMBERS)) + np.array([0, 0, 0, 0, 0.5, 0.5]) * ill
            start = date(2020, 1, 1) + timedelta(days=int(rng.integers(0, 365)))
            clinic = rng.choice(["north", "south", "west"], p=[0.6, 0.3, 0.1])
            for visit in range(VISITS):
                seen = own + 0.25 * rng.normal(size=len(NUMBERS))
                day = start + timedelta(days=30 * visit)
                wrong = rng.random() < 0.05  # what was written down
                row = [f"P{patient:03}", day.isoformat(), clinic, *np.round(seen, 2), "yes" if ill != wrong else "no"]
                table.writerow(row)


write("visits.csv", 100, 1)
write("later.csv", 60, 101)
