"""Boosted trees, additive models and robust trees: the extra ``peers-trees``."""

from benchkit import Algorithm, Environment

_RATES = [0.03, 0.1, 0.3]
_LIGHTGBM = Environment(requirements=["lightgbm>=4.5"])
_XGBOOST = Environment(requirements=["xgboost-cpu>=3"])
_CATBOOST = Environment(requirements=["catboost>=1.2"])

ALGORITHMS = [
    Algorithm(
        name="lightgbm",
        make="lightgbm:LGBMClassifier",
        environment=_LIGHTGBM,
        summary="Boosted trees that grow leaf by leaf",
        defaults={"n_jobs": 1, "verbose": -1},
        grid={"learning_rate": _RATES, "num_leaves": [7, 31]},
        accepts_sparse=True,
        accepts_missing=True,
        reference="Ke et al. 2017, LightGBM: a highly efficient gradient boosting decision tree",
    ),
    Algorithm(
        name="xgboost",
        make="benchkit_peers.estimators.xgboost_classifier:XGBoostClassifier",
        environment=_XGBOOST,
        summary="Boosted trees with a regularised objective of second order",
        grid={"learning_rate": _RATES, "max_depth": [3, 6]},
        accepts_sparse=True,
        accepts_missing=True,
        reference="Chen & Guestrin 2016, XGBoost: a scalable tree boosting system",
    ),
    Algorithm(
        name="catboost",
        make="benchkit_peers.estimators.cat_boost:CatBoost",
        environment=_CATBOOST,
        summary="Boosted oblivious trees with ordered statistics",
        grid={"learning_rate": _RATES, "depth": [4, 6]},
        accepts_missing=True,
        reference="Prokhorenkova et al. 2018, CatBoost: unbiased boosting with categorical features",
    ),
    Algorithm(
        name="lightgbm-regressor",
        make="lightgbm:LGBMRegressor",
        environment=_LIGHTGBM,
        tasks=("regression",),
        summary="Boosted trees that grow leaf by leaf, for numbers",
        defaults={"n_jobs": 1, "verbose": -1},
        grid={"learning_rate": _RATES, "num_leaves": [7, 31]},
        accepts_sparse=True,
        accepts_missing=True,
        reference="Ke et al. 2017, LightGBM: a highly efficient gradient boosting decision tree",
    ),
    Algorithm(
        name="xgboost-regressor",
        make="xgboost:XGBRegressor",
        environment=_XGBOOST,
        tasks=("regression",),
        summary="Boosted trees with a regularised objective of second order, for numbers",
        defaults={"n_jobs": 1},
        grid={"learning_rate": _RATES, "max_depth": [3, 6]},
        accepts_sparse=True,
        accepts_missing=True,
        reference="Chen & Guestrin 2016, XGBoost: a scalable tree boosting system",
    ),
    Algorithm(
        name="catboost-regressor",
        make="catboost:CatBoostRegressor",
        environment=_CATBOOST,
        tasks=("regression",),
        summary="Boosted oblivious trees with ordered statistics, for numbers",
        defaults={"thread_count": 1, "verbose": 0, "allow_writing_files": False},
        grid={"learning_rate": _RATES, "depth": [4, 6]},
        accepts_missing=True,
        reference="Prokhorenkova et al. 2018, CatBoost: unbiased boosting with categorical features",
    ),
    Algorithm(
        name="ebm",
        make="interpret.glassbox:ExplainableBoostingClassifier",
        environment=Environment(requirements=["interpret-core>=0.6.10"]),
        summary="Explainable boosting machine: a sum of learned functions of one and two features",
        defaults={"n_jobs": 1},
        grid={"learning_rate": [0.005, 0.015, 0.05], "interactions": [0, 10]},
        accepts_missing=True,
        reference="Lou, Caruana & Gehrke 2012; Nori et al. 2019, InterpretML",
        formula="logit p(x) = b + sum_j f_j(x_j) + sum_jk f_jk(x_j, x_k)",
    ),
    Algorithm(
        name="groot-forest",
        make="benchkit_peers.estimators.groot_forest:GrootForest",
        environment=Environment(requirements=["groot-trees==0.0.17", "numpy<2"]),
        warm_up="benchkit_peers.estimators.warm_up:compile_groot",
        summary="Forest whose splits are chosen against features that move by epsilon of their range",
        grid={"epsilon": [0.02, 0.1, 0.3], "min_samples_leaf": [1, 5]},
        reference="Vos & Verwer 2021, Efficient training of robust decision trees against adversarial examples",
        formula="split = argmin of the Gini impurity after the worst moves |x_j - x'_j| <= epsilon of each row",
    ),
]
