"""The incomplete-data plugin: infinite imputations, the single imputations they start from, and what removes values."""

from functools import partial
from typing import Any

from benchkit import Adversary, Algorithm, Metric, hookimpl

benchkit_api = 1

DHS08 = "Dick, Haider & Scheffer 2008, Learning from incomplete data with infinite imputations"
_ESTIMATORS = "benchkit_incomplete_data.estimators"
_C = [0.1, 1.0, 10.0, 100.0]
_ETA = [0.01, 0.1, 1.0]
_TRADE_OFF = [0.1, 1.0, 10.0, 100.0, 1000.0]
_SVM = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
_RIDGE = {"eta": [0.01, 0.1, 1.0, 10.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
_TREES = {"learning_rate": [0.05, 0.1], "max_leaf_nodes": [7, 31]}
TROYANSKAYA = "Troyanskaya et al. 2001, Missing value estimation methods for DNA microarrays"
CHAINED = "van Buuren & Groothuis-Oudshoorn 2011, mice: multivariate imputation by chained equations"

# By the name's ending: what learns on a single imputation, how, and which parameters are tried.
_LEARNERS: dict[str, tuple[str, str, Any, Any]] = {
    "svm": ("Support vector machine", "ImputedSVC", ("classification",), _SVM),
    "krr": ("Kernel ridge regression", "ImputedRidge", ("regression",), _RIDGE),
}
_PRIORS = {
    "knn": ("values of the nearest rows (scikit-learn's KNNImputer)", TROYANSKAYA),
    "iterative": ("chained regressions (scikit-learn's IterativeImputer)", CHAINED),
}

_takes_gaps = partial(Algorithm, accepts_missing=True)
_kernel_machine = partial(_takes_gaps, fit_path=f"{_ESTIMATORS}.wii:fit_candidates")
_removing = partial(Adversary, phase="train", budget_unit="fraction")

ALGORITHMS = [
    _kernel_machine(
        name="wii-svm",
        make=f"{_ESTIMATORS}.wii:InfiniteImputationsSVC",
        warm_up="benchkit_incomplete_data.solvers.losses:compile_hinge_dual",
        summary="Support vector machine found together with a distribution over imputations",
        grid={"trade_off": _TRADE_OFF},
        reference=f"{DHS08}, Algorithm 1 with 5.1 and 5.2",
        formula="min over f, p: sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2 + lambda Q_sq(p), kernel averaged over p",
    ),
    _kernel_machine(
        name="wii-krr",
        make=f"{_ESTIMATORS}.wii:InfiniteImputationsRidge",
        tasks=("regression",),
        summary="Kernel ridge regression found together with a distribution over imputations",
        grid={"trade_off": _TRADE_OFF},
        reference=f"{DHS08}, Algorithm 1 with 5.1 and 5.2",
        formula="min over f, p: sum_i (y_i - f(x_i))^2 + eta |f|^2 + lambda Q_sq(p), kernel averaged over p",
    ),
    _kernel_machine(
        name="impute-svm",
        make=f"{_ESTIMATORS}.imputed_learners:ImputedSVC",
        warm_up="benchkit_incomplete_data.solvers.losses:compile_hinge_dual",
        summary="Support vector machine on a single imputation",
        grid={"C": _C},
        reference=f"{DHS08}, section 6",
        formula="min over f: sum_i [1 - y_i f(x_i)]_+ + 1/(2C) |f|^2",
    ),
    _kernel_machine(
        name="impute-krr",
        make=f"{_ESTIMATORS}.imputed_learners:ImputedRidge",
        tasks=("regression",),
        summary="Kernel ridge regression on a single imputation",
        grid={"eta": _ETA},
        reference=f"{DHS08}, section 6.2",
        formula="min over f: sum_i (y_i - f(x_i))^2 + eta |f|^2",
    ),
    *(
        _kernel_machine(
            name=f"{prior}-{learner}",
            make=f"{_ESTIMATORS}.imputed_learners:{estimator}",
            defaults={"prior": prior},
            tasks=tasks,
            summary=f"{what} on {values}",
            grid=grid,
            reference=reference,
        )
        for prior, (values, reference) in _PRIORS.items()
        for learner, (what, estimator, tasks, grid) in _LEARNERS.items()
    ),
    _takes_gaps(
        name="mean-indicator-svm",
        make=f"{_ESTIMATORS}.imputed_learners:make_indicator_svc",
        summary="Support vector machine on column means and columns that say what was missing",
        grid=_SVM,
    ),
    _takes_gaps(
        name="mean-indicator-krr",
        make=f"{_ESTIMATORS}.imputed_learners:make_indicator_ridge",
        tasks=("regression",),
        summary="Kernel ridge regression on column means and columns that say what was missing",
        grid=_RIDGE,
    ),
    _takes_gaps(
        name="hist-gradient-boosting",
        make="sklearn.ensemble:HistGradientBoostingClassifier",
        summary="Boosted trees that send missing values down the better side of each split",
        grid=_TREES,
        reference="Ke et al. 2017, LightGBM",
    ),
    _takes_gaps(
        name="hist-gradient-boosting-regressor",
        make="sklearn.ensemble:HistGradientBoostingRegressor",
        tasks=("regression",),
        summary="Boosted trees that send missing values down the better side of each split",
        grid=_TREES,
        reference="Ke et al. 2017, LightGBM",
    ),
]

ADVERSARIES = [
    _removing(
        name="missing-at-random",
        situation="If training values are missing at random",
        budget_title="fraction of values missing",
        make="benchkit_incomplete_data.adversaries:MissingAtRandom",
        summary="Removes a fraction of the training part's entries, drawn uniformly",
        reference=f"{DHS08}, section 6",
    ),
    _removing(
        name="missing-views",
        situation="If training rows lack whole views",
        budget_title="fraction of views missing",
        make="benchkit_incomplete_data.adversaries:MissingViews",
        summary="Removes whole views, such as sensors, from a fraction of the pairs of training row and view",
        reference=f"{DHS08}, section 6",
    ),
    _removing(
        name="missing-not-at-random",
        situation="If training values are missing, not at random",
        budget_title="fraction of values missing",
        make="benchkit_incomplete_data.adversaries:MissingNotAtRandom",
        summary="Removes a fraction of the training part's entries, the likelier the larger the value or the label",
        formula="odds of entry (i, j) proportional to exp(strength r_ij), r the rank of x_ij or y_i from -1 to 1",
    ),
]


def _metric(name: str, summary: str, **more: Any) -> Metric:
    """The function of ``metrics.py`` that has the metric's name."""
    compute = f"benchkit_incomplete_data.metrics:{name.replace('-', '_')}"
    return Metric(name=name, compute=compute, summary=summary, **more)


_BOTH = ("classification", "regression")
METRICS = [
    _metric("n-imputations", "Imputations that the model mixes; 1 is a single imputation", tasks=_BOTH),
    _metric(
        "joint-objective", "Regularised risk plus trade-off times regulariser, where the algorithm ended", tasks=_BOTH
    ),
    _metric("wii-iterations", "Iterations of Algorithm 1 until it ended", tasks=_BOTH),
    _metric(
        "relative-squared-error",
        "Mean squared error over the variance of the true targets: 1 is what their mean reaches",
        tasks=("regression",),
        formula="sum_i (prediction_i - y_i)^2 / sum_i (y_i - mean y)^2",
    ),
]

benchkit_algorithms = hookimpl(lambda: ALGORITHMS)
benchkit_adversaries = hookimpl(lambda: ADVERSARIES)
benchkit_metrics = hookimpl(lambda: METRICS)
