"""Plugin of `bench-stopping`: how often repeating until a claim is decided decides wrongly, and how soon it ends.

A run is a sequence of paired differences of known mean. After each round of repetitions the claim that two methods are
alike within a margin, or alike at all, is judged as `benchkit run --until-decided` judges it; the run ends when it is
decided.
"""

import math
from functools import cache

import numpy as np
from scipy.special import stdtrit
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl
from benchkit.statistics.estimate import tied_from
from benchkit.statistics.time_uniform import common_intervals, path_of

LEAST, MOST = 5, 200
N_TEST = 100


def rates(rng, shape, p):
    """Error rates on a test part."""
    return rng.binomial(N_TEST, p, shape) / N_TEST


# Each draws values of both methods, shape (runs, MOST), whose difference has the mean that is given.
def normal(rng, shape, difference):
    """Differences that are normal, of standard deviation 1."""
    return np.zeros(shape), difference + rng.normal(size=shape)


def bounded(rng, shape, difference):
    """Values between 0 and 1, of skewed distributions."""
    return 0.8 * rng.beta(1, 8, shape), difference + 0.8 * rng.beta(1, 8, shape)


def tied(rng, shape, difference):
    """Error rates of 1 % or a little more on 100 rows, which often tie."""
    return rates(rng, shape, 0.01), rates(rng, shape, 0.01 + difference)


def rare(rng, shape, difference):
    """An error in a thousand rows, or none: nearly all repetitions tie."""
    return np.zeros(shape), rates(rng, shape, difference)


def unseen(rng, shape, difference):
    """Error rates of none, and of a fifth of a row in a hundred or twice that: most repetitions tie."""
    return np.zeros(shape), rates(rng, shape, difference)


def skewed(rng, shape, difference):
    """Differences whose distribution is exponential."""
    return np.zeros(shape), difference + rng.exponential(size=shape) - 1


def heavy(rng, shape, difference):
    """Differences whose distribution is lognormal, of skewness 6."""
    return np.zeros(shape), difference + rng.lognormal(0, 1, shape) - math.exp(0.5)


OF_ROWS = ("tied", "rare", "unseen")
WITHOUT_MARGIN = ("unseen",)
KINDS = {
    "normal": (normal, 0.5),
    "bounded": (bounded, 0.05),
    "tied": (tied, 0.007),
    "rare": (rare, 0.001),
    "unseen": (unseen, 0.002),
    "skewed": (skewed, 0.5),
    "heavy": (heavy, 1.0),
}


@cache
def rounds():
    """Numbers of repetitions after which a run looks."""
    looks = [LEAST]
    while looks[-1] < MOST:
        looks.append(min(MOST, looks[-1] + math.ceil(0.2 * looks[-1])))
    return looks


def decisions(kind, differences, margin):
    """What runs decide, and after how many repetitions.

    Parameters
    ----------
    kind : str
    differences : ndarray of shape (runs, MOST)
    margin : float

    Returns
    -------
    supported, contradicted : ndarrays of bool of shape (runs,)
    ends : ndarray of int of shape (runs,)
        The most, where a run decides nothing.
    """
    # Rates count rows: four more, two in favour of each side.
    row_variance = 4 / (N_TEST * MOST) ** 2 if kind in OF_ROWS else 0.0
    low, high = common_intervals(path_of(differences, row_variance))
    looks = np.array(rounds())
    low, high = low[:, looks - 2], high[:, looks - 2]
    if margin == 0:
        all_tie = np.logical_and.accumulate(differences == 0, axis=1)[:, looks - 1]
        within, beyond = all_tie & (looks >= tied_from(True)), (low > 0) | (high < 0)
    else:
        within, beyond = (low >= -margin) & (high <= margin), (low > margin) | (high < -margin)
    decided = within | beyond
    first = np.where(decided.any(axis=1), decided.argmax(axis=1), len(looks) - 1)
    at = np.arange(len(first)), first
    return within[at], beyond[at], looks[first]


def judged_wrong(within, beyond, truth, margin):
    """Runs whose decision is wrong. At the margin both are: nothing tells them apart. With none there is no edge."""
    different, alike = (truth >= 1, truth <= 1) if margin else (truth > 0, truth == 0)
    return (within & different) | (beyond & alike)


def plainly_wrong(differences, margin, truth):
    """Share of runs that plain t intervals, looked at after each round, would end with a wrong decision."""
    n = np.array(rounds())
    path = path_of(differences)
    mean, spread = path.mean[:, n - 2], path.spread[:, n - 2]
    half = stdtrit(n - 1, 0.975) * spread / np.sqrt(n)
    within = (mean - half >= -margin) & (mean + half <= margin)
    beyond = (mean - half > margin) | (mean + half < -margin)
    decided = within | beyond
    at = np.arange(len(decided)), decided.argmax(axis=1)
    return np.mean(judged_wrong(within[at], beyond[at], truth, margin))


def oracle(kind, margin, truth):
    """Repetitions of who knows mean and standard deviation: so many that a plain t interval just ends at the margin."""
    draw, unit = KINDS[kind]
    a, b = draw(np.random.default_rng(0), (1, 200_000), truth * unit)
    spread, distance = (b - a).std(), abs(truth * unit - margin)
    fits = (n for n in range(2, MOST) if stdtrit(n - 1, 0.975) * spread / math.sqrt(n) <= distance)
    return next(fits, MOST)


def simulate(kind, truth, runs, seed):
    """Shares of runs by how they ended, and when."""
    draw, unit = KINDS[kind]
    margin = 0.0 if kind in WITHOUT_MARGIN else unit
    rng = np.random.default_rng([seed, list(KINDS).index(kind), round(10 * truth)])
    a, b = draw(rng, (runs, MOST), truth * unit)
    within, beyond, ends = decisions(kind, b - a, margin)
    return {
        "wrong": float(np.mean(judged_wrong(within, beyond, truth, margin))),
        "plain-wrong": float(plainly_wrong(b - a, margin, truth)),
        "open": float(np.mean(~within & ~beyond)),
        "needed": float(np.median(ends)),
        "oracle": float(oracle(kind, margin, truth)),
    }


class Stopping(ClassifierMixin, BaseEstimator):
    """Simulates runs when fitted; predicts the first class."""

    def __init__(self, kind="normal", difference=0, runs=200, random_state=None):
        self.kind, self.difference, self.runs = kind, difference, runs
        self.random_state = random_state

    def fit(self, X, y):
        """Simulate."""
        self.classes_ = np.unique(y)
        self.said_ = simulate(self.kind, self.difference, self.runs, self.random_state or 0)
        return self

    def predict(self, X):
        """The first class, for every row."""
        return np.full(X.shape[0], self.classes_[0])


SUMMARIES = {
    "wrong": "Share of runs that end with a wrong decision",
    "plain-wrong": "The same with plain t intervals, looked at after each round",
    "open": "Share of runs that are undecided at the most repetitions",
    "needed": "Median of the repetitions with which runs end",
    "oracle": "Repetitions of who knows mean and spread, and looks once",
}


@hookimpl
def benchkit_algorithms():
    """The simulation."""
    return [Algorithm(name="stopping", make=Stopping, summary="Simulates runs that end when a claim is decided")]


@hookimpl
def benchkit_metrics():
    """What it finds."""
    return [
        Metric(
            name=name,
            summary=text,
            compute=lambda context, name=name: context.model.said_[name],
            range=(0, MOST) if name in ("needed", "oracle") else (0, 1),
        )
        for name, text in SUMMARIES.items()
    ]
