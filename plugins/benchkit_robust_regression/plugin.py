"""The robust-regression plugin: RoOFS, what it is compared with, adversaries of responses, and what is recovered."""

import math

from benchkit import Adversary, Algorithm, Metric, hookimpl

benchkit_api = 1

ROOFS = "Zhang, Lei, Zhao, Boedihardjo & Lu, Robust regression via online feature selection under data corruption"
_SELECTED = [0.05, 0.1, 0.2, 0.4]
_L1 = "min |w|_1 + |e|_1 subject to y = X w + e"
_WRIGHT = "Wright & Ma 2010, Dense error correction via l1-minimization"


ADVERSARIES = [
    Adversary(
        name="corrupt-responses",
        situation="If training responses are corrupted",
        tasks=("regression",),
        budget_title="fraction of responses corrupted",
        make="benchkit_robust_regression.adversaries.corrupt_responses:CorruptResponses",
        summary="Adds uniform corruption to a fraction of the responses, and dense noise to all",
        phase="train",
        budget_unit="fraction",
        example={"noise": 0.0},  # noise on clean rows is not what the budget counts
        reference=f"{ROOFS}, VI-A",
        formula="y = y* + u + e, u ~ U(-5 max|y*|, 5 max|y*|) on corrupted rows, e ~ N(0, 0.1), there N(0, 0.01)",
    ),
    Adversary(
        name="random-scores",
        situation="If training responses are random",
        tasks=("regression",),
        budget_title="fraction of responses corrupted",
        make="benchkit_robust_regression.adversaries.random_scores:RandomScores",
        summary="Replaces a fraction of the responses by random whole numbers from 1 to 10",
        phase="train",
        budget_unit="fraction",
        reference=f"{ROOFS}, VI-F",
    ),
    Adversary(
        name="corrupt-adaptive",
        situation="If training responses are corrupted with intent",
        tasks=("regression",),
        budget_title="fraction of responses corrupted",
        make="benchkit_robust_regression.adversaries.corrupt_adaptive:CorruptAdaptive",
        summary="Knows the clean responses and moves those of a fraction of the rows to one wrong model",
        phase="train",
        budget_unit="fraction",
        example={"noise": 0.0},  # noise on clean rows is not what the budget counts
        formula="y_i = x_i.w' + e_i on the rows with the largest |x_i.(w' - w*)|, w' = -w* or w* + d",
    ),
]

METRICS = [
    Metric(
        name="coefficient-error",
        range=(0, math.inf),
        compute="benchkit_robust_regression.metrics.recovery:coefficient_error",
        summary="Distance of the weights from the true ones",
        tasks=("regression",),
        reference=f"{ROOFS}, Figs. 1 and 2",
        formula="|w - w*|_2",
    ),
    Metric(
        name="coefficient-error-bound",
        range=(0, math.inf),
        compute="benchkit_robust_regression.metrics.error_bound:coefficient_error_bound",
        summary="What Theorem 3 allows that distance to be, at the sets that the fit ended with",
        tasks=("regression",),
        reference=f"{ROOFS}, Theorem 3",
        formula="(|y_T - X_T w*| + |y_T - X_T w|) / sqrt(least eigenvalue), T = rows taken as clean that are",
    ),
    Metric(
        name="clean-rows-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:clean_rows_f1",
        summary="F1 of the set of rows taken as clean",
        greater_is_better=True,
        tasks=("regression",),
        reference=f"{ROOFS}, Table II",
        formula="2 |selected and clean| / (|selected| + |clean|)",
    ),
    Metric(
        name="all-clean-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:all_clean_f1",
        summary="The clean-rows-f1 of taking all rows as clean",
        greater_is_better=True,
        tasks=("regression",),
        formula="2 (1 - c) / (2 - c)",
    ),
    Metric(
        name="features-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:features_f1",
        summary="F1 of the set of selected features",
        greater_is_better=True,
        tasks=("regression",),
        reference=f"{ROOFS}, Table III",
        formula="2 |selected and true| / (|selected| + |true|)",
    ),
    Metric(
        name="chance-features-f1",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:chance_features_f1",
        summary="The features-f1 to be expected of as many features drawn at random",
        greater_is_better=True,
        tasks=("regression",),
        formula="2 s k / (p (s + k)) for s selected, k true of p; k/p where s = k",
    ),
    Metric(
        name="clean-share",
        range=(0, 1),
        compute="benchkit_robust_regression.metrics.recovery:clean_share",
        summary="Share of the training rows that is taken as clean",
        greater_is_better=True,
        tasks=("regression",),
    ),
    Metric(
        name="fit-iterations",
        range=(0, math.inf),
        compute="benchkit_robust_regression.metrics.recovery:fit_iterations",
        summary="Iterations of the fit, where the method counts them",
        tasks=("regression",),
    ),
]

ALGORITHMS = [
    Algorithm(
        name="roofs",
        streaming=True,
        make="benchkit_robust_regression.estimators.roofs:RoOFS",
        summary="Keeps the k best of the features that arrive in batches, fitted to the rows that look clean",
        tasks=("regression",),
        grid={"n_selected": [0.05, 0.1, 0.2, 0.4]},
        accepts_sparse=True,
        reference=f"{ROOFS}, Algorithm 1",
        formula="w <- largest k of w + eta X_S'(y - X w)_S / n, S = the tau rows with the smallest residuals",
    ),
    Algorithm(
        name="torrent",
        make="benchkit_robust_regression.estimators.torrent:Torrent",
        summary="Least squares on the rows with the smallest residuals, their number given",
        tasks=("regression",),
        # The paper's data has no offset; a user's has one.
        defaults={"fit_intercept": True},
        grid={"clean_size": [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]},
        accepts_sparse=True,
        reference="Bhatia, Jain & Kar 2015, Robust regression via hard thresholding (TORRENT-FC)",
        formula="w = argmin |y_S - X_S w|, S = the rows with the smallest |y - X w|, in turn",
    ),
    Algorithm(
        name="torrent-told",
        make="benchkit_robust_regression.estimators.torrent:Torrent",
        summary="torrent that is told the fraction of corrupted rows, or one that is off by up to `deviation` of it",
        tasks=("regression",),
        budget_param="corruption",
        budget_unit="fraction",
        accepts_sparse=True,
        reference="Bhatia, Jain & Kar 2015; TORR* and, with deviation 0.25, TORR25 of Zhang et al. (RoOFS)",
        formula="as torrent, |S| = n - round(c (1 + d) n), d uniform within +-deviation",
    ),
    Algorithm(
        name="rlhh",
        make="benchkit_robust_regression.estimators.torrent:HeuristicHardThresholding",
        summary="Least squares on the rows with the smallest residuals, their number estimated",
        tasks=("regression",),
        accepts_sparse=True,
        reference="Zhang, Zhao, Boedihardjo & Lu 2017, Robust regression via heuristic hard thresholding",
        formula="as torrent, |S| = the largest tau with r_(tau) <= 2 tau rho / tau'",
    ),
    Algorithm(
        name="homotopy",
        make="benchkit_robust_regression.estimators.dense_error:Homotopy",
        warm_up="benchkit_robust_regression.estimators.dense_error:compile_path",
        summary="Dense error correction along the Lasso's path on [X, I]; its time grows with the cube of the rows",
        tasks=("regression",),
        accepts_sparse=True,
        reference=_WRIGHT,
        formula=_L1,
    ),
    Algorithm(
        name="dalm",
        make="benchkit_robust_regression.estimators.dense_error:DualAugmentedLagrangian",
        summary="Dense error correction by the augmented Lagrangian of the dual",
        tasks=("regression",),
        accepts_sparse=True,
        reference=f"{_WRIGHT}; Yang, Ganesh, Sastry & Ma 2010",
        formula=_L1,
    ),
    Algorithm(
        name="grafting",
        streaming=True,
        make="benchkit_robust_regression.estimators.grafting:Grafting",
        summary="The Lasso over a stream of features, each seen once",
        tasks=("regression",),
        grid={"alpha": [0.01, 0.03, 0.1, 0.3]},
        accepts_sparse=True,
        reference="Perkins & Theiler 2003, Online feature selection using grafting",
        formula="take x_j where |x_j.r| / n > alpha; min |y - X w|^2 / (2n) + alpha |w|_1",
    ),
    Algorithm(
        name="online-substitution",
        streaming=True,
        make="benchkit_robust_regression.estimators.online_substitution:OnlineSubstitution",
        summary="Gradient steps over at most k features of a stream and a new one; the smallest weight goes",
        tasks=("regression",),
        grid={"n_selected": _SELECTED},
        accepts_sparse=True,
        reference="Yang, Fujimaki, Kusumura & Liu 2016, Online feature selection: limited-memory substitution",
        formula="w <- largest k of w + eta X_G'(y - X w) / n, G = the features held and the new one",
    ),
    Algorithm(
        name="iht-trimmed",
        make="benchkit_robust_regression.estimators.iht_trimmed:TrimmedIterativeHardThresholding",
        summary="Iterative hard thresholding over all features at once, on the rows with the smallest residuals",
        tasks=("regression",),
        grid={"n_selected": _SELECTED},
        accepts_sparse=True,
        reference="Blumensath & Davies 2010; Bhatia, Jain & Kar 2015",
        formula="w <- largest k of w + eta X_S'(y - X w)_S / n, eta by line search; then least squares",
    ),
    Algorithm(
        name="huber",
        make="sklearn.linear_model:HuberRegressor",
        summary="Least squares near, least absolute deviations far",
        tasks=("regression",),
        defaults={"max_iter": 1000},
        grid={"alpha": [1e-4, 1e-2, 1.0], "epsilon": [1.1, 1.35, 2.0]},
        accepts_sparse=True,
        reference="Huber 1964",
    ),
    Algorithm(
        name="ransac",
        make="sklearn.linear_model:RANSACRegressor",
        summary="Least squares on random samples of n_features + 1 rows, the one that most rows agree with",
        tasks=("regression",),
        accepts_sparse=True,
        reference="Fischler & Bolles 1981",
    ),
    Algorithm(
        name="theil-sen",
        make="sklearn.linear_model:TheilSenRegressor",
        summary="Spatial median of least squares on random samples of n_features + 1 rows",
        tasks=("regression",),
        reference="Dang, Peng, Wang & Zhang 2008",
    ),
    Algorithm(
        name="lasso",
        make="sklearn.linear_model:Lasso",
        summary="Least squares with an L1 penalty",
        tasks=("regression",),
        defaults={"max_iter": 5000},
        grid={"alpha": [0.003, 0.01, 0.03, 0.1, 0.3, 1.0]},
        accepts_sparse=True,
        formula="min |y - X w|^2 / (2n) + alpha |w|_1",
    ),
    Algorithm(
        name="omp",
        make="sklearn.linear_model:OrthogonalMatchingPursuit",
        summary="Least squares over features taken one by one, the most correlated with the residual first",
        tasks=("regression",),
        reference="Pati, Rezaiifar & Krishnaprasad 1993",
    ),
]


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """RoOFS, and what it is compared with."""
    return list(ALGORITHMS)


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Adversaries that corrupt responses."""
    return list(ADVERSARIES)


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """What is recovered."""
    return list(METRICS)
