"""Plugin of `bench-calibration-rows`: how often intervals from rows that are kept are wrong.

Two methods learn on pools that are drawn from a known population, in splits that share a pool's rows. Intervals for the
difference of their mean losses are held against the truth for methods trained on as many rows, over new pools: by the
variance of `benchkit.statistics.row_differences`, by the variance of rows with that of splits alone, and by the
corrected resampled t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba import njit
from scipy.special import expit, ndtri, stdtrit
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, hookimpl
from benchkit.statistics.estimate import estimate
from benchkit.statistics.row_differences import mean_over_rows
from benchkit.statistics.sampling import Sampling, make_sample

SPLITS = (3, 5, 10, 20, 50)
FOLDS = 5
CAPS = (5, 10, 20)


# ---- Populations: X of shape (n, 8), y of shape (n,); methods see the first four columns, the last four, or all.


def classes(rng, n, share=0.5, shift=0.5):
    """Two classes; a linear rule sees half of each block, the other half is an interaction."""
    y = rng.random(n) < share
    sign = np.where(y, 1.0, -1.0)
    X = rng.normal(size=(n, 8))
    for block in (0, 4):
        side = rng.choice([-1.0, 1.0], n)
        X[:, block] += shift * sign
        X[:, block + 1] += shift * sign
        X[:, block + 2] += side
        X[:, block + 3] += side * sign
    return X, y.astype(float)


def rare(rng, n):
    """The same with 5 % of the rows in one class, and classes further apart."""
    return classes(rng, n, share=0.05, shift=1.0)


def easy(rng, n):
    """Two classes that the first two columns tell apart nearly always; the others say little."""
    y = rng.random(n) < 0.5
    X = rng.normal(size=(n, 8))
    X[:, :2] += 1.2 * np.where(y, 1.0, -1.0)[:, None]
    X[:, 2:] = 0.25 * (X[:, 2:] + 0.4 * np.where(y, 1.0, -1.0)[:, None])
    return X, y.astype(float)


def responses(rng, n, freedom=6):
    """A response with an interaction, and errors with heavy tails (t with six degrees of freedom)."""
    X = rng.normal(size=(n, 8))
    weights = np.array([0.5, 0.5, 0.3, 0.0, 0.5, 0.5, 0.3, 0.0])
    return X, X @ weights + 0.5 * (X[:, 2] * X[:, 3] + X[:, 6] * X[:, 7]) + rng.standard_t(freedom, n)


def wild_responses(rng, n):
    """The same with three degrees of freedom: squared errors then have no variance."""
    return responses(rng, n, freedom=3)


def patients(rng, n, size=10):
    """Classes of patients of ten rows each: half of the variance, and the class, are the patient's."""
    X, y = classes(rng, n // size)
    X = np.repeat(math.sqrt(0.5) * X, size, axis=0) + math.sqrt(0.5) * rng.normal(size=(n, 8))
    return X, np.repeat(y, size)


# ---- Methods: the score of each test row, a probability of the second class or a response.


def ridge(X, y, Z, rng, penalty=1.0):
    """Least squares with a penalty."""
    middle, level = X.mean(axis=0), y.mean()
    C = X - middle
    return (Z - middle) @ np.linalg.solve(C.T @ C + penalty * np.eye(X.shape[1]), C.T @ (y - level)) + level


def heavy_ridge(X, y, Z, rng):
    """The same with a penalty of half the rows."""
    return ridge(X, y, Z, rng, 0.5 * len(X))


def tuned_ridge(X, y, Z, rng):
    """The same with the penalty of the smallest leave-one-out error."""
    C, target = X - X.mean(axis=0), y - y.mean()
    U, s, _ = np.linalg.svd(C, full_matrices=False)
    best = None
    for penalty in (0.1, 1.0, 10.0, 100.0, 1000.0):
        hat = U * (s**2 / (s**2 + penalty))
        leverage = np.einsum("ij,ij->i", hat, U) + 1 / len(X)
        error = np.square((target - hat @ (U.T @ target)) / (1 - leverage)).sum()
        if best is None or error < best[0]:
            best = (error, penalty)
    return ridge(X, y, Z, rng, best[1])


def logistic(X, y, Z, rng):
    """Logistic regression by Newton's method, with a small penalty."""
    A = np.column_stack([X, np.ones(len(X))])
    w, penalty = np.zeros(A.shape[1]), 0.5 * np.eye(A.shape[1])
    for _ in range(8):
        p = expit(A @ w)
        w = w - np.linalg.solve((A.T * (p * (1 - p))) @ A + penalty, A.T @ (p - y) + penalty @ w)
    return expit(np.column_stack([Z, np.ones(len(Z))]) @ w)


@njit(cache=True)
def grown(X, y, Z, least, random, rng):
    """The share of ones in the leaf of each row of Z: a tree by Gini's index, with `least` rows in a leaf.

    Rows are sorted once, and each split keeps their orders. With `random`, one threshold is drawn for each column.
    """
    n, d = X.shape
    order = np.empty((d, n), np.int64)
    for j in range(d):
        order[j] = np.argsort(X[:, j])
    spare, goes_left = np.empty(n, np.int64), np.empty(n, np.bool_)
    column, threshold = np.full(2 * n, -1), np.zeros(2 * n)
    child, value = np.zeros((2 * n, 2), np.int64), np.zeros(2 * n)
    stack = [(0, 0, n)]
    nodes = 1
    while len(stack):
        node, low, high = stack.pop()
        size, ones = high - low, 0.0
        for k in range(low, high):
            ones += y[order[0, k]]
        value[node] = ones / size
        if ones == 0 or ones == size or size < 2 * least:
            continue
        best, best_column, best_threshold = -1.0, -1, 0.0
        for j in rng.permutation(d):
            bottom, top = X[order[j, low], j], X[order[j, high - 1], j]
            drawn = bottom + (top - bottom) * rng.random()
            left = 0.0
            for k in range(low, high - 1):
                left += y[order[j, k]]
                count = k - low + 1
                here, after = X[order[j, k], j], X[order[j, k + 1], j]
                if count < least or size - count < least or here == after:
                    continue
                if random and not (here <= drawn < after):
                    continue
                purity = left**2 / count + (count - left) ** 2 / count
                right = ones - left
                purity += right**2 / (size - count) + (size - count - right) ** 2 / (size - count)
                if purity > best:
                    best, best_column = purity, j
                    best_threshold = drawn if random else (here + after) / 2
        if best_column < 0:
            continue
        split = low
        for k in range(low, high):
            row = order[best_column, k]
            goes_left[row] = X[row, best_column] <= best_threshold
            split += goes_left[row]
        for j in range(d):
            left_at, right_at = low, split
            for k in range(low, high):
                row = order[j, k]
                if goes_left[row]:
                    spare[left_at] = row
                    left_at += 1
                else:
                    spare[right_at] = row
                    right_at += 1
            order[j, low:high] = spare[low:high]
        column[node], threshold[node] = best_column, best_threshold
        child[node] = nodes, nodes + 1
        stack.append((nodes, low, split))
        stack.append((nodes + 1, split, high))
        nodes += 2
    scores = np.empty(len(Z))
    for i in range(len(Z)):
        node = 0
        while column[node] >= 0:
            node = child[node, 0 if Z[i, column[node]] <= threshold[node] else 1]
        scores[i] = value[node]
    return scores


def tree(X, y, Z, rng, least=1, random=False):
    """A full tree."""
    return grown(X, y, Z, least, random, rng)


def leaves(X, y, Z, rng):
    """A tree with fifteen rows or more in each leaf."""
    return tree(X, y, Z, rng, least=15)


def random_tree(X, y, Z, rng):
    """A full tree whose thresholds are drawn."""
    return tree(X, y, Z, rng, random=True)


def nearest(X, y, Z, rng):
    """The nearest neighbour."""
    return y[np.argmin(np.square(X).sum(axis=1) - 2 * Z @ X.T, axis=1)]


def net(X, y, Z, rng, hidden=8, steps=50):
    """A net of eight hidden units, trained by 50 steps of Adam from a random start."""
    A, B = (np.column_stack([each, np.ones(len(each))]) for each in (X, Z))
    V, w = rng.normal(size=(A.shape[1], hidden)) / 2, rng.normal(size=hidden) / 2
    theta = np.concatenate([V.ravel(), w])
    first, second = np.zeros_like(theta), np.zeros_like(theta)
    for step in range(1, steps + 1):
        V, w = theta[: V.size].reshape(V.shape), theta[V.size :]
        H = np.tanh(A @ V)
        slope = (expit(H @ w) - y) / len(y)
        gradient = np.concatenate([(A.T @ (np.outer(slope, w) * (1 - H**2))).ravel(), H.T @ slope])
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        theta = theta - 0.1 * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return expit(np.tanh(B @ theta[: V.size].reshape(V.shape)) @ theta[V.size :])


# ---- What is compared.


def error(score, y):
    """0 or 1, whether the wrong class is predicted."""
    return ((score > 0.5) != (y > 0.5)).astype(float)


def squared(score, y):
    """Squared difference (Brier's score, for probabilities)."""
    return np.square(score - y)


ALL, FIRST, LAST = list(range(8)), [0, 1, 2, 3], [4, 5, 6, 7]


@dataclass(frozen=True)
class Case:
    """Two methods with the columns that each sees, on a population; equal where the truth is zero by symmetry."""

    a: Callable
    b: Callable
    population: Callable = classes
    loss: Callable = error
    columns: tuple = (ALL, ALL)
    split: str = "random"
    train: float = 0.5
    test: float = 0.25
    equal: bool = False
    size: int = 1


BLOCKS = {"columns": (FIRST, LAST), "equal": True}
GROUPS = {"population": patients, "size": 10}
CASES = {
    # Equally good by symmetry: each sees a block of its own, or they differ by their seeds only.
    "linear-equal": Case(logistic, logistic, **BLOCKS),
    "trees-equal": Case(tree, tree, **BLOCKS),
    "trees-seeds": Case(random_tree, random_tree, equal=True),
    "neighbours-equal": Case(nearest, nearest, **BLOCKS),
    "neighbours-equal-half": Case(nearest, nearest, test=0.5, **BLOCKS),
    "neighbours-equal-most": Case(nearest, nearest, train=0.75, **BLOCKS),
    "neighbours-equal-k-fold": Case(nearest, nearest, split="k-fold", **BLOCKS),
    "trees-equal-half": Case(tree, tree, test=0.5, **BLOCKS),
    "linear-equal-half": Case(logistic, logistic, test=0.5, **BLOCKS),
    "nets-seeds": Case(net, net, equal=True),
    "ties-equal": Case(ridge, ridge, population=easy, columns=([0, 1, 2, 3], [0, 1, 4, 5]), equal=True),
    "rare-equal": Case(tree, tree, population=rare, **BLOCKS),
    "trees-equal-k-fold": Case(tree, tree, split="k-fold", **BLOCKS),
    "linear-equal-k-fold": Case(logistic, logistic, split="k-fold", **BLOCKS),
    "squared-equal": Case(ridge, ridge, population=responses, loss=squared, **BLOCKS),
    "groups-linear-equal": Case(logistic, logistic, **BLOCKS, **GROUPS),
    "groups-trees-equal": Case(tree, tree, **BLOCKS, **GROUPS),
    # Different.
    "linear-ridge": Case(logistic, heavy_ridge),
    "tuned": Case(ridge, tuned_ridge),
    "tree-leaves": Case(tree, leaves),
    "tree-leaves-most": Case(tree, leaves, train=0.75),
    "tree-leaves-few": Case(tree, leaves, train=0.5, test=0.1),
    "tree-leaves-k-fold": Case(tree, leaves, split="k-fold"),
    "neighbour-linear": Case(nearest, logistic),
    "net-linear": Case(net, logistic),
    "rare-tree-linear": Case(tree, logistic, population=rare),
    "ties": Case(logistic, heavy_ridge, population=easy),
    "squared-trees": Case(tree, leaves, loss=squared),
    "squared-linear": Case(logistic, ridge, loss=squared),
    "squared-responses": Case(heavy_ridge, ridge, population=responses, loss=squared),
    "squared-wild": Case(heavy_ridge, ridge, population=wild_responses, loss=squared),
    "groups-tree-linear": Case(tree, logistic, **GROUPS),
    "groups-neighbour-linear": Case(nearest, logistic, **GROUPS),
    "linear-columns": Case(logistic, logistic, columns=(ALL, FIRST)),
    "trees-columns": Case(tree, tree, columns=(ALL, FIRST)),
}


def losses(case, X, y, train, test, rng):
    """Of both methods on the test rows; shape (2, n_test)."""
    scores = (
        method(X[train][:, columns], y[train], X[test][:, columns], rng)
        for method, columns in zip((case.a, case.b), case.columns, strict=True)
    )
    return np.array([case.loss(score, y[test]) for score in scores])


def splits_of(case, rows, rng, most):
    """Pairs of rows to train and to test; of groups, all rows of one are on the same side."""
    units = rows // case.size

    def members(chosen):
        return (np.asarray(chosen)[:, None] * case.size + np.arange(case.size)).ravel()

    drawn = []
    while len(drawn) < most:
        order = rng.permutation(units)
        if case.split == "k-fold":
            folds = np.array_split(order, FOLDS)
            drawn += [(members(np.setdiff1d(order, fold)), members(fold)) for fold in folds]
        else:
            n_train, n_test = round(case.train * units), max(1, round(case.test * units))
            drawn.append((members(order[:n_train]), members(order[n_train : n_train + n_test])))
    return drawn[:most]


@lru_cache(maxsize=256)
def truth(name, rows):
    """Expected difference of the losses, second minus first, on new rows after training on as many as a split does."""
    case = CASES[name]
    if case.equal:
        return 0.0
    rng, found = np.random.default_rng(1), []
    n_train = len(splits_of(case, rows, rng, 1)[0][0])
    for _ in range(400 if rows < 1000 else 100):
        X, y = case.population(rng, n_train + 3000)
        found.append(losses(case, X, y, np.arange(n_train), np.arange(n_train, len(y)), rng).mean(axis=1))
    return float(np.diff(np.mean(found, axis=0))[0])


@dataclass(frozen=True)
class Judged:
    """A pool's mean difference, and half the width of its 95 % intervals by each way to know."""

    mean: float
    half: dict


def judge(case, parts, groups, sampling):
    """`Judged`, from the rows and differences of each split."""
    of_rows = None if groups is None else [groups[rows] for rows, _ in parts]
    found = mean_over_rows(parts, of_rows, sampling.ratio)
    quantile = stdtrit(found.freedom, 0.975) if math.isfinite(found.freedom) else ndtri(0.975)
    half = {"rows": quantile * math.sqrt(found.variance)}
    for most in CAPS:
        variance = found.of_rows + found.of_added + found.of_splits / min(found.splits, most)
        half[f"cap-{most}"] = quantile * math.sqrt(variance)
    means = {(at, "pool"): float(values.mean()) for at, (_, values) in enumerate(parts)}
    corrected = estimate(make_sample(means, {"pool": sampling}, "rows"))
    half["corrected-t"] = stdtrit(corrected.n - 1, 0.975) * corrected.stderr
    return Judged(found.mean, half)


def judged_pools(name, rows, splits, pools, seed):
    """`Judged` for each pool: with more splits it sees those that it sees with fewer, and further ones."""
    case, found = CASES[name], []
    groups = np.arange(rows) // case.size if case.size > 1 else None
    for pool in range(pools):
        rng = np.random.default_rng([seed, rows, list(CASES).index(name), pool])
        X, y = case.population(rng, rows)
        drawn = splits_of(case, rows, rng, max(SPLITS))
        sampling = Sampling(rows, len(drawn[0][1]), FOLDS if case.split == "k-fold" else None)
        parts = [(test, np.diff(losses(case, X, y, train, test, rng), axis=0)[0]) for train, test in drawn[:splits]]
        found.append(judge(case, parts, groups, sampling))
    return found


def calibrate(name, rows, splits, pools, seed):
    """Shares of pools by what their intervals say; NaN for fewer splits than folds."""
    if CASES[name].split == "k-fold" and splits < FOLDS:
        return dict.fromkeys(SUMMARIES, math.nan)
    known, judged = truth(name, rows), judged_pools(name, rows, splits, pools, seed)
    means = np.array([each.mean for each in judged])
    half = {way: np.array([each.half[way] for each in judged]) for way in judged[0].half}
    shares = {"truth": known, "width": float(half["rows"].mean() / half["corrected-t"].mean())}
    for way, each in half.items():
        shares[f"missed-{way}"] = float(np.mean(np.abs(means - known) > each + 1e-9))
        shares[f"stars-{way}"] = float(np.mean(np.abs(means) > each + 1e-9))
    return shares


class RowCalibration(ClassifierMixin, BaseEstimator):
    """Judges pools when fitted; predicts the first class."""

    def __init__(self, case="linear-equal", rows=300, splits=10, pools=100, random_state=None):
        self.case, self.rows, self.splits, self.pools = case, rows, splits, pools
        self.random_state = random_state

    def fit(self, X, y):
        """Judge."""
        self.classes_ = np.unique(y)
        self.shares_ = calibrate(self.case, self.rows, self.splits, self.pools, self.random_state or 0)
        return self

    def predict(self, X):
        """The first class, for every row."""
        return np.full(X.shape[0], self.classes_[0])


WAYS = {
    "rows": "the variance of benchkit.statistics.row_differences",
    **{f"cap-{most}": f"the variance of rows, and of splits over {most} at most" for most in CAPS},
    "corrected-t": "the corrected resampled t",
}
SUMMARIES = {
    "truth": "True difference of the two mean losses",
    "width": "Width of the intervals from rows, over that of the corrected resampled t",
    **{f"missed-{way}": f"Share of pools whose 95 % interval lacks the truth, by {text}" for way, text in WAYS.items()},
    **{f"stars-{way}": f"Share of pools whose 95 % interval has no zero, by {text}" for way, text in WAYS.items()},
}


@hookimpl
def benchkit_algorithms():
    """The judge of pools."""
    return [Algorithm(name="row-calibration", make=RowCalibration, summary="Judges intervals on pools of known truth")]


@hookimpl
def benchkit_metrics():
    """What it finds."""
    return [
        Metric(name=name, summary=text, compute=lambda context, name=name: context.model.shares_[name])
        for name, text in SUMMARIES.items()
    ]
