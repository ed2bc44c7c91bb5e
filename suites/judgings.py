"""Plugin of `bench-judge`: how often `benchkit.judge` is wrong of tables whose truth is known.

A pool is a table of scores of methods of known merit. Wrong is a pool in which any pair is told apart that does not
differ, or in the wrong direction; its ranks are covered where the set of every method holds its true rank.
"""

import math

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin

import benchkit
from benchkit import Algorithm, Metric, hookimpl
from benchkit_judge.all_pairs import all_pairs, all_pairs_by_ranks, rank_sets

CASES = {
    **{"normal": 0, "binary": 1, "rare": 2, "skewed": 3, "tied": 4, "missing": 5, "clusters": 6, "groups": 8},
    **{"tasks": 9, "ranks": 10, "signed": 11, "few": 12, "folds": 14},
}
"""Kinds of tables, and the number of each one's random stream."""
OF_TABLES = ("missing", "clusters", "tasks", "folds")
CLUSTER, FOLDS = 5, 5


def draw_scores(rng, case, methods, units):
    """Scores of shape (units, methods) of one of the cases, and the methods' merits."""
    shared, noise = rng.normal(size=(units, 1)), rng.normal(size=(units, methods))
    merits = np.zeros(methods)
    if case == "binary":  # items of very different difficulty
        return (rng.random((units, methods)) < 1 / (1 + np.exp(-1 - 2 * shared))) * 1.0, merits
    if case == "rare":  # one error in twenty
        return (rng.random((units, methods)) < 0.95) * 1.0, merits
    if case in ("skewed", "ranks", "signed"):
        return np.exp(shared + 1.5 * noise), merits
    if case == "tied":
        return np.round(shared + noise), merits
    if case == "few":  # exponential, their means and so their spreads from one to two
        merits = np.linspace(1, 2, methods)
        return np.exp(shared) + merits * rng.exponential(size=(units, methods)), merits
    if case == "groups":  # three groups of equal methods, half a standard deviation apart
        merits = np.arange(methods) * 3 // methods * 0.5
    return 2 * shared + noise + merits, merits


def draw_table(rng, case, methods, units):
    """A long table of scores, how it is to be judged, and the methods' merits."""
    scores, merits = draw_scores(rng, case, methods, units)
    kind = "task" if units <= 60 else "item"
    names, places = np.array([f"m{each:03}" for each in range(methods)]), np.arange(units)
    options = {"unit": kind, "higher_is_better": True}
    if case == "tasks":  # items of tasks of unequal sizes, each with scores of its own scale and a few ties
        of = np.sort(places % max(3, units // 20) * (places % 2))
        table = pd.DataFrame(
            {
                "method": np.tile(names, units),
                "task": np.repeat(of, methods),
                "item": np.repeat(places, methods),
                "score": np.round(scores * (1 + of[:, None] % 3), 1).ravel(),
            }
        )
        return table, {**options, "unit": "item"}, merits
    table = pd.DataFrame({"method": np.tile(names, units), kind: np.repeat(places, methods), "score": scores.ravel()})
    if case == "clusters" and kind == "item":  # items of one text share what a method makes of it
        text = places // CLUSTER
        table["score"] += rng.normal(size=(text.max() + 1, methods))[text].ravel()
        table["cluster"] = np.repeat(text, methods)
    if case == "missing":  # scattered, and one method that lacks a fifth
        lost = rng.random((units, methods)) < 0.2 / methods
        lost[:, 0] |= rng.random(units) < 0.2
        lost[: max(6, units // 2)] = False
        table.loc[lost.ravel(), "score"] = math.nan
    return table, options, merits


def draw_folds(rng, methods, units):
    """Accuracies in five folds of so many rows, of learners that are equally good: each has features of its own."""
    X = rng.normal(size=(methods, units, 2))
    y, fold = X.sum(axis=(0, 2)) + math.sqrt(methods) * rng.normal(size=units) > 0, rng.permutation(units) % FOLDS
    means = [
        [X[:, (fold != held) & (y == label)].mean(axis=1, keepdims=True) for label in (0, 1)] for held in range(FOLDS)
    ]
    table = []
    for held, (negative, positive) in enumerate(means):
        part = X[:, fold == held]
        predicted = ((part - positive) ** 2).sum(axis=2) < ((part - negative) ** 2).sum(axis=2)
        right = (predicted == y[fold == held]).mean(axis=1)
        table += [(f"m{each:03}", held, score) for each, score in enumerate(right)]
    table = pd.DataFrame(table, columns=["method", "fold", "accuracy"])
    return table, {"test_share": 1 / FOLDS}, np.zeros(methods)


def judge_pool(rng, case, methods, units):
    """All pairs of one pool, and the merits of the methods in their order."""
    if case not in OF_TABLES:  # what a plain table comes to, without the table
        scores, merits = draw_scores(rng, case, methods, units)
        if case == "signed":
            return all_pairs_by_ranks(scores), merits
        return all_pairs((rankdata(scores, axis=1) if case == "ranks" else scores) / units), merits
    table, options, merits = (
        draw_folds(rng, methods, units) if case == "folds" else draw_table(rng, case, methods, units)
    )
    judged = benchkit.judge(table, **options)
    return judged.result, merits[[int(name[1:]) for name in judged.methods]]


def verdicts(rng, case, methods, units):
    """What is said of one pool: whether anything of it is wrong."""
    result, merit = judge_pool(rng, case, methods, units)
    above, truth = result.above, merit[:, None] - merit[None, :]
    ranks = 1 + (truth.T > 0).sum(axis=1)
    low, high = rank_sets(above)
    return {
        "wrong-separations": (above & (truth <= 0)).any(),
        "ranks-covered": ((low <= ranks) & (ranks <= high)).all(),
        "intervals-cover": not ((result.low > truth + 1e-9) | (truth > result.high + 1e-9)).any(),
        "separated": above[truth > 0].mean() if (truth > 0).any() else math.nan,
    }


def calibrate(case, methods, units, pools, seed):
    """Shares of pools by what is said of them."""
    rng = np.random.default_rng([seed, methods, units, CASES[case]])
    said = [verdicts(rng, case, methods, units) for _ in range(pools)]
    return {name: float(np.mean([each[name] for each in said])) for name in said[0]}


class Judging(ClassifierMixin, BaseEstimator):
    """Judges tables when fitted; predicts the first class."""

    def __init__(self, case="normal", methods=5, units=60, pools=100, random_state=None):
        self.case, self.methods, self.units, self.pools = case, methods, units, pools
        self.random_state = random_state

    def fit(self, X, y):
        """Judge."""
        self.classes_ = np.unique(y)
        self.shares_ = calibrate(self.case, self.methods, self.units, self.pools, self.random_state or 0)
        return self

    def predict(self, X):
        """The first class, for every row."""
        return np.full(X.shape[0], self.classes_[0])


SUMMARIES = {
    "wrong-separations": "Share of tables with any pair told apart that does not differ, or in the wrong direction",
    "ranks-covered": "Share of tables whose sets of ranks all hold the true rank",
    "intervals-cover": "Share of tables whose intervals all hold the true difference",
    "separated": "Share of the pairs that differ which are told apart",
}


@hookimpl
def benchkit_algorithms():
    """The judge of tables."""
    return [Algorithm(name="judging", make=Judging, summary="Judges tables of scores whose truth is known")]


@hookimpl
def benchkit_metrics():
    """What it finds."""
    return [
        Metric(name=name, summary=text, compute=lambda context, name=name: context.model.shares_[name], range=(0, 1))
        for name, text in SUMMARIES.items()
    ]
