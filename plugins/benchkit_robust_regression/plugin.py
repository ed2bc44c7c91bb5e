"""The robust-regression plugin: RoOFS, what it is compared with, adversaries of responses, and what is recovered."""

import math
from functools import partial
from typing import Any

from benchkit import Adversary, Algorithm, Metric, hookimpl

benchkit_api = 1

ROOFS = "Zhang, Lei, Zhao, Boedihardjo & Lu, Robust regression via online feature selection under data corruption"
_ESTIMATORS = "benchkit_robust_regression.estimators"
_SELECTED = [0.05, 0.1, 0.2, 0.4]
_L1 = "min |w|_1 + |e|_1 subject to y = X w + e"
_WRIGHT = "Wright & Ma 2010, Dense error correction via l1-minimization"

_dense = partial(Algorithm, tasks=("regression",))
_sparse = partial(_dense, accepts_sparse=True)
_corrupting = partial(
    Adversary,
    tasks=("regression",),
    phase="train",
    budget_unit="fraction",
    budget_title="fraction of responses corrupted",
)

ADVERSARIES = [
    _corrupting(
        name="corrupt-responses",
        situation="If training responses are corrupted",
        make="benchkit_robust_regression.adversaries:CorruptResponses",
        summary="Adds uniform corruption to a fraction of the responses, and dense noise to all",
        example={"noise": 0.0},  # noise on clean rows is not what the budget counts
        reference=f"{ROOFS}, VI-A",
        formula="y = y* + u + e, u ~ U(-5 max|y*|, 5 max|y*|) on corrupted rows, e ~ N(0, 0.1), there N(0, 0.01)",
    ),
    _corrupting(
        name="random-scores",
        situation="If training responses are random",
        make="benchkit_robust_regression.adversaries:RandomScores",
        summary="Replaces a fraction of the responses by random whole numbers from 1 to 10",
        reference=f"{ROOFS}, VI-F",
    ),
    _corrupting(
        name="corrupt-adaptive",
        situation="If training responses are corrupted with intent",
        make="benchkit_robust_regression.adversaries:CorruptAdaptive",
        summary="Knows the clean responses and moves those of a fraction of the rows to one wrong model",
        example={"noise": 0.0},  # noise on clean rows is not what the budget counts
        formula="y_i = x_i.w' + e_i on the rows with the largest |x_i.(w' - w*)|, w' = -w* or w* + d",
    ),
]


def _metric(name: str, summary: str, **more: Any) -> Metric:
    """The function of ``metrics.py`` that has the metric's name."""
    compute = f"benchkit_robust_regression.metrics:{name.replace('-', '_')}"
    return Metric(name=name, compute=compute, summary=summary, tasks=("regression",), **more)


_share = partial(_metric, range=(0, 1), greater_is_better=True)


METRICS = [
    _metric(
        "coefficient-error",
        "Distance of the weights from the true ones",
        range=(0, math.inf),
        reference=f"{ROOFS}, Figs. 1 and 2",
        formula="|w - w*|_2",
    ),
    _metric(
        "coefficient-error-bound",
        "What Theorem 3 allows that distance to be, at the sets that the fit ended with",
        range=(0, math.inf),
        reference=f"{ROOFS}, Theorem 3",
        formula="(|y_T - X_T w*| + |y_T - X_T w|) / sqrt(least eigenvalue), T = rows taken as clean that are",
    ),
    _share(
        "clean-rows-f1",
        "F1 of the set of rows taken as clean",
        reference=f"{ROOFS}, Table II",
        formula="2 |selected and clean| / (|selected| + |clean|)",
    ),
    _share("all-clean-f1", "The clean-rows-f1 of taking all rows as clean", formula="2 (1 - c) / (2 - c)"),
    _share(
        "features-f1",
        "F1 of the set of selected features",
        reference=f"{ROOFS}, Table III",
        formula="2 |selected and true| / (|selected| + |true|)",
    ),
    _share(
        "chance-features-f1",
        "The features-f1 to be expected of as many features drawn at random",
        formula="2 s k / (p (s + k)) for s selected, k true of p; k/p where s = k",
    ),
    _share("clean-share", "Share of the training rows that is taken as clean"),
    _metric("fit-iterations", "Iterations of the fit, where the method counts them", range=(0, math.inf)),
]

ALGORITHMS = [
    _sparse(
        name="roofs",
        make=f"{_ESTIMATORS}.roofs:RoOFS",
        summary="Keeps the k best of the features that arrive in batches, fitted to the rows that look clean",
        grid={"n_selected": _SELECTED},
        reference=f"{ROOFS}, Algorithm 1",
        formula="w <- largest k of w + eta X_S'(y - X w)_S / n, S = the tau rows with the smallest residuals",
    ),
    _sparse(
        name="torrent",
        make=f"{_ESTIMATORS}.torrent:Torrent",
        summary="Least squares on the rows with the smallest residuals, their number given",
        # The paper's data has no offset; a user's has one.
        defaults={"fit_intercept": True},
        grid={"clean_size": [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]},
        reference="Bhatia, Jain & Kar 2015, Robust regression via hard thresholding (TORRENT-FC)",
        formula="w = argmin |y_S - X_S w|, S = the rows with the smallest |y - X w|, in turn",
    ),
    _sparse(
        name="torrent-told",
        make=f"{_ESTIMATORS}.torrent:Torrent",
        summary="torrent that is told the fraction of corrupted rows, or one that is off by up to `deviation` of it",
        budget_param="corruption",
        reference="Bhatia, Jain & Kar 2015; TORR* and, with deviation 0.25, TORR25 of Zhang et al. (RoOFS)",
        formula="as torrent, |S| = n - round(c (1 + d) n), d uniform within +-deviation",
    ),
    _sparse(
        name="rlhh",
        make=f"{_ESTIMATORS}.torrent:HeuristicHardThresholding",
        summary="Least squares on the rows with the smallest residuals, their number estimated",
        reference="Zhang, Zhao, Boedihardjo & Lu 2017, Robust regression via heuristic hard thresholding",
        formula="as torrent, |S| = the largest tau with r_(tau) <= 2 tau rho / tau'",
    ),
    _sparse(
        name="homotopy",
        make=f"{_ESTIMATORS}.dense_error:Homotopy",
        warm_up=f"{_ESTIMATORS}.dense_error:compile_path",
        summary="Dense error correction along the Lasso's path on [X, I]; its time grows with the cube of the rows",
        reference=_WRIGHT,
        formula=_L1,
    ),
    _sparse(
        name="dalm",
        make=f"{_ESTIMATORS}.dense_error:DualAugmentedLagrangian",
        summary="Dense error correction by the augmented Lagrangian of the dual",
        reference=f"{_WRIGHT}; Yang, Ganesh, Sastry & Ma 2010",
        formula=_L1,
    ),
    _sparse(
        name="grafting",
        make=f"{_ESTIMATORS}.online_selection:Grafting",
        summary="The Lasso over a stream of features, each seen once",
        grid={"alpha": [0.01, 0.03, 0.1, 0.3]},
        reference="Perkins & Theiler 2003, Online feature selection using grafting",
        formula="take x_j where |x_j.r| / n > alpha; min |y - X w|^2 / (2n) + alpha |w|_1",
    ),
    _sparse(
        name="online-substitution",
        make=f"{_ESTIMATORS}.online_selection:OnlineSubstitution",
        summary="Gradient steps over at most k features of a stream and a new one; the smallest weight goes",
        grid={"n_selected": _SELECTED},
        reference="Yang, Fujimaki, Kusumura & Liu 2016, Online feature selection: limited-memory substitution",
        formula="w <- largest k of w + eta X_G'(y - X w) / n, G = the features held and the new one",
    ),
    _sparse(
        name="iht-trimmed",
        make=f"{_ESTIMATORS}.iht_trimmed:TrimmedIterativeHardThresholding",
        summary="Iterative hard thresholding over all features at once, on the rows with the smallest residuals",
        grid={"n_selected": _SELECTED},
        reference="Blumensath & Davies 2010; Bhatia, Jain & Kar 2015",
        formula="w <- largest k of w + eta X_S'(y - X w)_S / n, eta by line search; then least squares",
    ),
    _sparse(
        name="huber",
        make="sklearn.linear_model:HuberRegressor",
        summary="Least squares near, least absolute deviations far",
        defaults={"max_iter": 1000},
        grid={"alpha": [1e-4, 1e-2, 1.0], "epsilon": [1.1, 1.35, 2.0]},
        reference="Huber 1964",
    ),
    _sparse(
        name="ransac",
        make="sklearn.linear_model:RANSACRegressor",
        summary="Least squares on random samples of n_features + 1 rows, the one that most rows agree with",
        reference="Fischler & Bolles 1981",
    ),
    _dense(
        name="theil-sen",
        make="sklearn.linear_model:TheilSenRegressor",
        summary="Spatial median of least squares on random samples of n_features + 1 rows",
        reference="Dang, Peng, Wang & Zhang 2008",
    ),
    _sparse(
        name="lasso",
        make="sklearn.linear_model:Lasso",
        summary="Least squares with an L1 penalty",
        defaults={"max_iter": 5000},
        grid={"alpha": [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]},
        formula="min |y - X w|^2 / (2n) + alpha |w|_1",
    ),
    _dense(
        name="omp",
        make="sklearn.linear_model:OrthogonalMatchingPursuit",
        summary="Least squares over features taken one by one, the most correlated with the residual first",
        reference="Pati, Rezaiifar & Krishnaprasad 1993",
    ),
]

benchkit_algorithms = hookimpl(lambda: ALGORITHMS)
benchkit_adversaries = hookimpl(lambda: ADVERSARIES)
benchkit_metrics = hookimpl(lambda: METRICS)
