"""The incomplete-data plugin: infinite imputations, the single imputations they start from, and what removes values."""

from benchkit import Adversary, Algorithm, Metric, hookimpl

benchkit_api = 1

DHS08 = "Dick, Haider & Scheffer 2008, Learning from incomplete data with infinite imputations"
_C = [0.1, 1.0, 10.0, 100.0]
_ETA = [0.01, 0.1, 1.0]
_TRADE_OFF = [0.1, 1.0, 10.0, 100.0, 1000.0]
_SVM = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
_RIDGE = {"eta": [0.01, 0.1, 1.0, 10.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
_TREES = {"learning_rate": [0.05, 0.1], "max_leaf_nodes": [7, 31]}
TROYANSKAYA = "Troyanskaya et al. 2001, Missing value estimation methods for DNA microarrays"
CHAINED = "van Buuren & Groothuis-Oudshoorn 2011, mice: multivariate imputation by chained equations"


ALGORITHMS = [
    Algorithm(
        name="wii-svm",
        make="benchkit_incomplete_data.estimators.wii:InfiniteImputationsSVC",
        warm_up="benchkit_incomplete_data.solvers.losses:compile_hinge_dual",
        summary="Support vector machine found together with a distribution over imputations",
        grid={"trade_off": _TRADE_OFF},
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=f"{DHS08}, Algorithm 1 with 5.1 and 5.2",
        formula="min over f, p: sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2 + lambda Q_sq(p), kernel averaged over p",
    ),
    Algorithm(
        name="wii-krr",
        make="benchkit_incomplete_data.estimators.wii:InfiniteImputationsRidge",
        tasks=("regression",),
        summary="Kernel ridge regression found together with a distribution over imputations",
        grid={"trade_off": _TRADE_OFF},
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=f"{DHS08}, Algorithm 1 with 5.1 and 5.2",
        formula="min over f, p: sum_i (y_i - f(x_i))^2 + eta |f|^2 + lambda Q_sq(p), kernel averaged over p",
    ),
    Algorithm(
        name="impute-svm",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedSVC",
        warm_up="benchkit_incomplete_data.solvers.losses:compile_hinge_dual",
        summary="Support vector machine on a single imputation",
        grid={"C": _C},
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=f"{DHS08}, section 6",
        formula="min over f: sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2",
    ),
    Algorithm(
        name="impute-krr",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedRidge",
        tasks=("regression",),
        summary="Kernel ridge regression on a single imputation",
        grid={"eta": _ETA},
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=f"{DHS08}, section 6.2",
        formula="min over f: sum_i (y_i - f(x_i))^2 + eta |f|^2",
    ),
    Algorithm(
        name="knn-svm",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedSVC",
        defaults={"prior": "knn"},
        summary="Support vector machine on values of the nearest rows (scikit-learn's KNNImputer)",
        grid=_SVM,
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=TROYANSKAYA,
    ),
    Algorithm(
        name="knn-krr",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedRidge",
        defaults={"prior": "knn"},
        tasks=("regression",),
        summary="Kernel ridge regression on values of the nearest rows (scikit-learn's KNNImputer)",
        grid=_RIDGE,
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=TROYANSKAYA,
    ),
    Algorithm(
        name="iterative-svm",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedSVC",
        defaults={"prior": "iterative"},
        summary="Support vector machine on chained regressions (scikit-learn's IterativeImputer)",
        grid=_SVM,
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=CHAINED,
    ),
    Algorithm(
        name="iterative-krr",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedRidge",
        defaults={"prior": "iterative"},
        tasks=("regression",),
        summary="Kernel ridge regression on chained regressions (scikit-learn's IterativeImputer)",
        grid=_RIDGE,
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.wii:fit_candidates",
        reference=CHAINED,
    ),
    Algorithm(
        name="mean-indicator-svm",
        make="benchkit_incomplete_data.estimators.imputed_learners:make_indicator_svc",
        summary="Support vector machine on column means and columns that say what was missing",
        grid=_SVM,
        accepts_missing=True,
    ),
    Algorithm(
        name="mean-indicator-krr",
        make="benchkit_incomplete_data.estimators.imputed_learners:make_indicator_ridge",
        tasks=("regression",),
        summary="Kernel ridge regression on column means and columns that say what was missing",
        grid=_RIDGE,
        accepts_missing=True,
    ),
    Algorithm(
        name="hist-gradient-boosting",
        make="sklearn.ensemble:HistGradientBoostingClassifier",
        summary="Boosted trees that send missing values down the better side of each split",
        grid=_TREES,
        accepts_missing=True,
        reference="Ke et al. 2017, LightGBM",
    ),
    Algorithm(
        name="hist-gradient-boosting-regressor",
        make="sklearn.ensemble:HistGradientBoostingRegressor",
        tasks=("regression",),
        summary="Boosted trees that send missing values down the better side of each split",
        grid=_TREES,
        accepts_missing=True,
        reference="Ke et al. 2017, LightGBM",
    ),
]

ADVERSARIES = [
    Adversary(
        name="missing-at-random",
        situation="If training values are missing at random",
        loss="training",
        budget_title="fraction of values missing",
        make="benchkit_incomplete_data.adversaries.missing_at_random:MissingAtRandom",
        phase="train",
        budget_unit="fraction",
        summary="Removes a fraction of the training part's entries, drawn uniformly",
        reference=f"{DHS08}, section 6",
    ),
    Adversary(
        name="missing-views",
        situation="If training rows lack whole views",
        loss="training",
        budget_title="fraction of views missing",
        make="benchkit_incomplete_data.adversaries.missing_views:MissingViews",
        phase="train",
        budget_unit="fraction",
        summary="Removes whole views, such as sensors, from a fraction of the pairs of training row and view",
        reference=f"{DHS08}, section 6",
    ),
    Adversary(
        name="missing-not-at-random",
        situation="If training values are missing, not at random",
        loss="training",
        budget_title="fraction of values missing",
        make="benchkit_incomplete_data.adversaries.missing_not_at_random:MissingNotAtRandom",
        phase="train",
        budget_unit="fraction",
        summary="Removes a fraction of the training part's entries, the likelier the larger the value or the label",
        formula="odds of entry (i, j) proportional to exp(strength r_ij), r the rank of x_ij or y_i from -1 to 1",
    ),
]

METRICS = [
    Metric(
        name="n-imputations",
        compute="benchkit_incomplete_data.metrics:n_imputations",
        summary="Imputations that the model mixes; 1 is a single imputation",
        tasks=("classification", "regression"),
    ),
    Metric(
        name="joint-objective",
        compute="benchkit_incomplete_data.metrics:joint_objective",
        summary="Regularised risk plus trade-off times regulariser, where the algorithm ended",
        tasks=("classification", "regression"),
    ),
    Metric(
        name="wii-iterations",
        compute="benchkit_incomplete_data.metrics:wii_iterations",
        summary="Iterations of Algorithm 1 until it ended",
        tasks=("classification", "regression"),
    ),
    Metric(
        name="relative-squared-error",
        compute="benchkit_incomplete_data.metrics:relative_squared_error",
        summary="Mean squared error over the variance of the true targets: 1 is what their mean reaches",
        tasks=("regression",),
        formula="sum_i (prediction_i - y_i)^2 / sum_i (y_i - mean y)^2",
    ),
]


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Infinite imputations, and what they are compared with."""
    return list(ALGORITHMS)


@hookimpl
def benchkit_adversaries() -> list[Adversary]:
    """Adversaries that take values from the training part."""
    return list(ADVERSARIES)


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """What tells of the algorithm's run."""
    return list(METRICS)
