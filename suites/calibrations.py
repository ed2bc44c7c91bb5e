"""Plugin of `bench-calibration`: how often what a report says of many small data sets is wrong.

A pool is a data set of two classes on which two methods of known merit learn; the report's comparisons and verdicts on
its repetitions are held against the truth. Methods learn (nearest class mean on some of the columns), so that training
parts that overlap count too.
"""

import math
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from benchkit import Algorithm, Metric, Results, hookimpl
from benchkit.suite.claims import Claim

N_ROWS, N_TRAIN, N_TEST, FOLDS = 400, 200, 100, 5

# Distance of the class means, in standard deviations, along two columns that both methods use, two that only a uses and
# two that only b uses; and what a method's own columns weigh. Tied methods predict alike on nearly all rows.
CASES = {"exchangeable": (0.0, 0.5, 0.5, 1.0), "different": (0.0, 0.5, 0.65, 1.0), "tied": (1.2, 0.4, 0.4, 0.35)}


def draw_rows(rng, shape, case):
    """X of shape (..., n, 6) and y of shape (..., n) of one of the cases."""
    y = rng.choice([-1, 1], shape)
    return rng.normal(size=(*shape, 6)) + y[..., None] * np.repeat(CASES[case][:3], 2), y


def error_rates(X, y, train, test, case):
    """Of both methods; shape (2, R).

    Parameters
    ----------
    X, y : ndarrays of shape (R or 1, n, 6) and (R or 1, n)
    train, test : ndarrays of bool of shape (R, n)
    case : str
    """
    shared, _, _, weight = CASES[case]
    rates = []
    for own in ([2, 3], [4, 5]):
        Z = np.concatenate([X[..., :2], weight * X[..., own]], axis=-1) if shared else X[..., own]
        means = []
        for label in (1, -1):
            rows = (train & (y == label)).astype(float)
            means.append((rows[:, None, :] @ Z)[:, 0] / rows.sum(axis=1)[:, None])
        direction = means[0] - means[1]
        threshold = np.einsum("rd,rd->r", direction, means[0] + means[1]) / 2
        scores = (Z @ direction[:, :, None])[..., 0] - threshold[:, None]
        wrong = ((scores > 0) != (y > 0)) & test
        rates.append(wrong.sum(axis=1) / test.sum(axis=1))
    return np.array(rates)


def split_masks(rng, n, split, repetitions):
    """Train and test masks, shape (repetitions, n), or (repetitions * FOLDS, n) for k-fold, shuffle by shuffle."""
    places = rng.permuted(np.tile(np.arange(n), (repetitions, 1)), axis=1)
    if split == "k-fold":
        test = np.concatenate([places[:, None] * FOLDS // n == np.arange(FOLDS)[None, :, None]]).reshape(-1, n)
        return ~test, test
    return places < N_TRAIN, (places >= N_TRAIN) & (places < N_TRAIN + N_TEST)


def pool_rates(rng, case, split, repetitions):
    """Error rates of all repetitions on one pool; shape (2, values)."""
    shape = (repetitions, N_TRAIN + N_TEST) if split == "fresh" else (1, N_ROWS)
    X, y = draw_rows(rng, shape, case)
    return error_rates(X, y, *split_masks(rng, shape[1], split, repetitions), case)


@cache
def true_difference(case, split):
    """Expected error of b minus that of a on new rows, after training on as many; 0 by symmetry, or by many draws."""
    if CASES[case][1] == CASES[case][2]:
        return 0.0
    rng, n = np.random.default_rng(1), N_ROWS - N_ROWS // FOLDS if split == "k-fold" else N_TRAIN
    differences = []
    for _ in range(2000):
        X, y = draw_rows(rng, (1, n + 2000), case)
        train = np.arange(n + 2000)[None, :] < n
        differences.append(np.diff(error_rates(X, y, train, ~train, case), axis=0)[0, 0])
    return float(np.mean(differences))


def results_of(rates, split, **fields):
    """Error rates of shape (2, n_values) as the results of a run."""
    known = {"status": "ok", "dataset": "pool", "dataset_params": {}, "group": None, "adversary": "none", "params": {}}
    known |= {"adversary_params": {}, "axis": "budget", "axis_value": None, "budget": None}
    known |= {"n_rows": N_ROWS, "n_test": N_TEST, "folds": None, "generated": split == "fresh"}
    if split == "fresh":
        known["n_rows"] = N_TRAIN + N_TEST
    if split == "k-fold":
        known |= {"n_test": N_ROWS // FOLDS, "folds": FOLDS}
    records = [
        {**known, "cell": name, "algorithm": name, "repetition": repetition, "metrics": {"error": float(rate)}}
        for name, row in zip("ab", rates, strict=True)
        for repetition, rate in enumerate(row)
    ]
    told = {"metrics": ["error"], "greater_is_better": {"error": False}, "ranges": {"error": (0, 1)}}
    return Results(suite="pool", title="", folder=Path("runs/x/1"), rows=records, **told, **fields)


def decided(rates, split, truth):
    """Whether the report decides a claim that is true by nothing and false by nothing: b beats a by what it does."""
    size = {"by": -truth} if truth < 0 else {"tolerance": truth}
    claim = Claim.model_validate({"claim": "b beats a", "order": ["b", "a"], **size})
    (verdict,) = results_of(rates, split, expectations=[claim]).verdicts()
    return verdict.outcome != "undecided"


def edge_verdicts(rng, case, split, repetitions, pools, truth):
    """Share of claims at the very edge of the truth that are decided, which is wrong as often as not."""
    if split == "fresh":
        return np.mean([decided(pool_rates(rng, case, split, repetitions), split, truth) for _ in range(pools)])
    wrong, width = [], FOLDS if split == "k-fold" else 1
    for _ in range(max(1, pools // 25)):
        # On these rows the truth is the mean over all splits: of 500, from which repetitions are drawn.
        X, y = draw_rows(rng, (1, N_ROWS), case)
        population = error_rates(X, y, *split_masks(rng, N_ROWS, split, 500), case).reshape(2, 500, width)
        known = float(np.diff(population, axis=0).mean())
        for _ in range(25):
            drawn = population[:, rng.integers(500, size=repetitions)]
            wrong.append(decided(drawn.reshape(2, -1), split, known))
    return np.mean(wrong)


def plain_star(differences):
    """Whether the paired t-test that takes repetitions for independent gives a star."""
    from scipy import stats

    spread = differences.std(ddof=1)
    if spread < 1e-12:
        return abs(differences.mean()) > 1e-12
    n = len(differences)
    return 2 * stats.t.sf(abs(differences.mean()) / spread * math.sqrt(n), n - 1) < 0.05


def calibrate(case, split, repetitions, pools, seed):
    """Shares of pools by what the report says of them."""
    rng = np.random.default_rng([seed, repetitions, list(CASES).index(case), len(split)])
    truth = true_difference(case, split)
    said = {"stars": [], "plain-stars": [], "interval-coverage": [], "wrong-equivalence": []}
    for _ in range(pools):
        rates = pool_rates(rng, case, split, repetitions)
        # A margin of just the difference: to call the methods equivalent is wrong, if barely.
        (compared,) = results_of(rates, split).comparisons(margin=abs(truth) or 0.01, baseline="a")
        said["stars"].append(compared.significant())
        said["plain-stars"].append(plain_star(rates[1] - rates[0]))
        said["interval-coverage"].append(compared.low - 1e-12 <= truth <= compared.high + 1e-12)
        said["wrong-equivalence"].append(compared.relation == "equivalent" if truth else math.nan)
    shares = {name: float(np.mean(each)) for name, each in said.items()}
    return shares | {"wrong-verdicts": float(edge_verdicts(rng, case, split, repetitions, pools, truth))}


class Calibration(ClassifierMixin, BaseEstimator):
    """Judges pools when fitted; predicts the first class."""

    def __init__(self, case="exchangeable", split="random", repetitions=10, pools=250, random_state=None):
        self.case, self.split, self.repetitions, self.pools = case, split, repetitions, pools
        self.random_state = random_state

    def fit(self, X, y):
        """Judge."""
        self.classes_ = np.unique(y)
        self.shares_ = calibrate(self.case, self.split, self.repetitions, self.pools, self.random_state or 0)
        return self

    def predict(self, X):
        """The first class, for every row."""
        return np.full(X.shape[0], self.classes_[0])


SUMMARIES = {
    "stars": "Share of pools with a star at 5 %: false ones where the methods are equally good, else power",
    "plain-stars": "The same by the t-test that takes repetitions for independent",
    "interval-coverage": "Share of pools whose 95 % interval holds the true difference",
    "wrong-equivalence": "Share of pools called equivalent by a margin that the difference just reaches",
    "wrong-verdicts": "Share of claims decided that are at the very edge of the truth",
}


@hookimpl
def benchkit_algorithms():
    """The judge of pools."""
    return [Algorithm(name="calibration", make=Calibration, summary="Judges reports on pools of known truth")]


@hookimpl
def benchkit_metrics():
    """What it finds."""
    return [
        Metric(name=name, summary=text, compute=lambda context, name=name: context.model.shares_[name], range=(0, 1))
        for name, text in SUMMARIES.items()
    ]
