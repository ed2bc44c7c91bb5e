"""Declarations of infinite imputations, the single imputations they start from, and what removes values."""

from benchkit import Adversary, Algorithm, Metric

DHS08 = "Dick, Haider & Scheffer 2008, Learning from incomplete data with infinite imputations"
_C = [0.1, 1.0, 10.0, 100.0]
_ETA = [0.01, 0.1, 1.0]
_TRADE_OFF = [0.1, 1.0, 10.0, 100.0, 1000.0]

ALGORITHMS = [
    Algorithm(
        name="wii-svm",
        make="benchkit_incomplete_data.estimators.wii:InfiniteImputationsSVC",
        warm_up="benchkit_incomplete_data.solvers.losses:compile_hinge_dual",
        summary="Support vector machine found together with a distribution over imputations",
        grid={"trade_off": _TRADE_OFF},
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
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
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
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
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
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
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
        reference=f"{DHS08}, section 6.2",
        formula="min over f: sum_i (y_i - f(x_i))^2 + eta |f|^2",
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
