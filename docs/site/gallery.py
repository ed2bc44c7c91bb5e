"""Draw the figures of docs/gallery.md from runs of the shipped suites: ``python docs/site/gallery.py [RUNS]``.

The suites run at their quick profile, where they have one, into the folder RUNS (default: runs); what was run before is
reused. MNIST and spambase have to be in the folder that ``BENCHKIT_DATA`` names.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import benchkit
from benchkit.suite.load import load

IMAGES = Path(__file__).parents[1] / "images"

# Image: the suite, and the figure of its run by the name that `benchkit report SUITE --plots DIR` gives it.
FIGURES = {
    "quickstart-breast": ("quickstart", "curve-error-breast-greedy-delete"),
    "dsx10-fig2": ("dsx10-fig2", "curve-error-breast-greedy-corrupt"),
    "dsx10-fig3": ("dsx10-fig3", "curve-error-spam-greedy-delete"),
    "gr06-fig2": ("gr06-fig2", "curve-error-mnist-greedy-delete"),
    "gr06-fig2-ranks": ("gr06-fig2", "ranks-error-greedy-delete"),
    "bounds": ("bounds", "curve-theorem2-bound-logistic-toy-greedy-delete"),
    "bounds-seconds": ("bounds", "scaling-logistic-toy-n"),
    "roofs-fig1": (
        "roofs-fig1",
        "curve-coefficient-error-wide-n-200-p-400-sparsity-0.2-order-true-first-corrupt-responses",
    ),
    "quickstart-chosen": ("quickstart", "chosen-C-digits-greedy-delete"),
    "faults-unit": ("faults", "curve-error-breast-thousandfold"),
    "quickstart-digits": ("quickstart", "curve-error-digits-4-vs-7-greedy-delete"),
}


def folder_of_run(suite: str, runs: str) -> Path:
    """Run a suite, or reuse what was run of it, and return the run's folder."""
    profile = "quick" if "quick" in load(suite).suite.profiles else None
    return benchkit.run(suite, profile=profile, out=runs, tracking=False, plots=True).folder


def draw(runs: str) -> None:
    """Run each suite once and copy its figures."""
    folders = {suite: folder_of_run(suite, runs) for suite in dict.fromkeys(suite for suite, _ in FIGURES.values())}
    for image, (suite, name) in FIGURES.items():
        shutil.copyfile(folders[suite] / "plots" / f"{name}.svg", IMAGES / f"{image}.svg")


if __name__ == "__main__":
    draw(*(sys.argv[1:2] or ["runs"]))
