"""Declarations of today's ways with missing values, each with the learner that infinite imputations use."""

from benchkit import Algorithm

_SVM = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
_RIDGE = {"eta": [0.01, 0.1, 1.0, 10.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
_TREES = {"learning_rate": [0.05, 0.1], "max_leaf_nodes": [7, 31]}

TROYANSKAYA = "Troyanskaya et al. 2001, Missing value estimation methods for DNA microarrays"
CHAINED = "van Buuren & Groothuis-Oudshoorn 2011, mice: multivariate imputation by chained equations"

ALGORITHMS = [
    Algorithm(
        name="knn-svm",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedSVC",
        defaults={"prior": "knn"},
        summary="Support vector machine on values of the nearest rows (scikit-learn's KNNImputer)",
        grid=_SVM,
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
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
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
        reference=TROYANSKAYA,
    ),
    Algorithm(
        name="iterative-svm",
        make="benchkit_incomplete_data.estimators.imputed_learners:ImputedSVC",
        defaults={"prior": "iterative"},
        summary="Support vector machine on chained regressions (scikit-learn's IterativeImputer)",
        grid=_SVM,
        accepts_missing=True,
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
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
        fit_path="benchkit_incomplete_data.estimators.candidates:fit_candidates",
        reference=CHAINED,
    ),
    Algorithm(
        name="mean-indicator-svm",
        make="benchkit_incomplete_data.estimators.mean_indicator:make_indicator_svc",
        summary="Support vector machine on column means and columns that say what was missing",
        grid=_SVM,
        accepts_missing=True,
    ),
    Algorithm(
        name="mean-indicator-krr",
        make="benchkit_incomplete_data.estimators.mean_indicator:make_indicator_ridge",
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
