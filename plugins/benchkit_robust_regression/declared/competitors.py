"""Declarations of what RoOFS is compared with: the paper's competitors, and baselines that it left out."""

from benchkit import Algorithm

_SELECTED = [0.05, 0.1, 0.2, 0.4]
_L1 = "min |w|_1 + |e|_1 subject to y = X w + e"
_WRIGHT = "Wright & Ma 2010, Dense error correction via l1-minimization"

COMPETITORS = [
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
        make="benchkit_robust_regression.estimators.rlhh:HeuristicHardThresholding",
        summary="Least squares on the rows with the smallest residuals, their number estimated",
        tasks=("regression",),
        accepts_sparse=True,
        reference="Zhang, Zhao, Boedihardjo & Lu 2017, Robust regression via heuristic hard thresholding",
        formula="as torrent, |S| = the largest tau with r_(tau) <= 2 tau rho / tau'",
    ),
    Algorithm(
        name="homotopy",
        make="benchkit_robust_regression.estimators.homotopy:Homotopy",
        warm_up="benchkit_robust_regression.estimators.homotopy:compile_path",
        summary="Dense error correction along the Lasso's path on [X, I]; its time grows with the cube of the rows",
        tasks=("regression",),
        accepts_sparse=True,
        reference=_WRIGHT,
        formula=_L1,
    ),
    Algorithm(
        name="dalm",
        make="benchkit_robust_regression.estimators.dalm:DualAugmentedLagrangian",
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
]

SCIKIT_LEARN = [
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
