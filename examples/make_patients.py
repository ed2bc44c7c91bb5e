"""Write patients.csv: 600 made-up patients with numbers, categories and gaps, for docs/tutorial.md.

Run as ``python make_patients.py``; the file is the same each time.
"""

import csv

import numpy as np

N = 600
NUMBERS = ["age", "weight", "pressure", "pulse", "glucose", "cholesterol", "sleep", "steps"]
CATEGORIES = {
    "smoker": ["never", "former", "daily"],
    "diet": ["plain", "fish", "mixed", "fast"],
    "sport": ["yes", "no"],
}

rng = np.random.default_rng(7)
health = rng.normal(size=N)  # what all columns tell something of, some more than others
told = np.array([0.4, 0.7, 1.4, 0.6, 1.6, 0.9, -0.5, -0.8])
numbers = health[:, None] * told + rng.normal(size=(N, len(NUMBERS)))
numbers = np.round(numbers * [12, 10, 15, 9, 20, 30, 1.1, 2500] + [52, 76, 128, 72, 101, 190, 7.1, 7200], 1)
numbers = numbers.astype(object)
numbers[rng.random(numbers.shape) < 0.04] = ""  # not measured

words = []
for categories in CATEGORIES.values():
    place = np.clip(np.round((health + rng.normal(size=N)) / 1.5 + (len(categories) - 1) / 2), 0, len(categories) - 1)
    words.append([categories[int(each)] if rng.random() > 0.03 else "" for each in place])
ill = np.where(health + 0.4 * rng.normal(size=N) > 0.2, "yes", "no")

with open("patients.csv", "w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["patient", *NUMBERS, *CATEGORIES, "ill"])
    for row in range(N):
        table.writerow([f"P{row:04}", *numbers[row], *(column[row] for column in words), ill[row]])
