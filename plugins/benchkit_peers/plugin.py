"""The peers plugin: today's methods. Nothing of their own packages is imported here."""

import math
from functools import partial

from benchkit import Algorithm, Environment, Metric, hookimpl

benchkit_api = 1

_RATES = [0.03, 0.1, 0.3]
_ENVIRONMENT = Environment(requirements=["lightgbm<4.7", "miceforest==6.0.5"])
_REFERENCE = "van Buuren & Groothuis-Oudshoorn 2011, mice; Wilson 2020, miceforest"
_TABULAR = Environment(requirements=["pytabkit[models]>=1.7"])
_TORCH = "benchkit_peers.estimators.classifiers:import_torch"

_lightgbm = partial(
    Algorithm,
    environment=Environment(requirements=["lightgbm>=4.5"]),
    defaults={"n_jobs": 1, "verbose": -1},
    grid={"learning_rate": _RATES, "num_leaves": [7, 31]},
    accepts_sparse=True,
    accepts_missing=True,
    reference="Ke et al. 2017, LightGBM: a highly efficient gradient boosting decision tree",
)
_xgboost = partial(
    Algorithm,
    environment=Environment(requirements=["xgboost-cpu>=3"]),
    grid={"learning_rate": _RATES, "max_depth": [3, 6]},
    accepts_sparse=True,
    accepts_missing=True,
    reference="Chen & Guestrin 2016, XGBoost: a scalable tree boosting system",
)
_catboost = partial(
    Algorithm,
    environment=Environment(requirements=["catboost>=1.2"]),
    grid={"learning_rate": _RATES, "depth": [4, 6]},
    accepts_missing=True,
    reference="Prokhorenkova et al. 2018, CatBoost: unbiased boosting with categorical features",
)

TREES = [
    _lightgbm(name="lightgbm", make="lightgbm:LGBMClassifier", summary="Boosted trees that grow leaf by leaf"),
    _xgboost(
        name="xgboost",
        make="benchkit_peers.estimators.classifiers:XGBoostClassifier",
        summary="Boosted trees with a regularised objective of second order",
    ),
    _catboost(
        name="catboost",
        make="benchkit_peers.estimators.classifiers:CatBoost",
        summary="Boosted oblivious trees with ordered statistics",
    ),
    _lightgbm(
        name="lightgbm-regressor",
        make="lightgbm:LGBMRegressor",
        tasks=("regression",),
        summary="Boosted trees that grow leaf by leaf, for numbers",
    ),
    _xgboost(
        name="xgboost-regressor",
        make="xgboost:XGBRegressor",
        tasks=("regression",),
        summary="Boosted trees with a regularised objective of second order, for numbers",
        defaults={"n_jobs": 1},
    ),
    _catboost(
        name="catboost-regressor",
        make="catboost:CatBoostRegressor",
        tasks=("regression",),
        summary="Boosted oblivious trees with ordered statistics, for numbers",
        defaults={"thread_count": 1, "verbose": 0, "allow_writing_files": False},
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
        make="benchkit_peers.estimators.classifiers:GrootForest",
        environment=Environment(requirements=["groot-trees==0.0.17", "numpy<2"]),
        warm_up="benchkit_peers.estimators.classifiers:compile_groot",
        summary="Forest whose splits are chosen against features that move by epsilon of their range",
        grid={"epsilon": [0.02, 0.1, 0.3], "min_samples_leaf": [1, 5]},
        reference="Vos & Verwer 2021, Efficient training of robust decision trees against adversarial examples",
        formula="split = argmin of the Gini impurity after the worst moves |x_j - x'_j| <= epsilon of each row",
    ),
]
"""Boosted trees, additive models and robust trees: the extra ``peers-trees``."""

LINEAR = [
    Algorithm(
        name="rehline-svm",
        make="rehline:plq_Ridge_Classifier",
        environment=Environment(requirements=["rehline>=0.1.4"]),
        summary="Linear support vector machine by coordinate descent on composite ReLU-ReHU losses",
        defaults={"loss": {"name": "svm"}, "max_iter": 100_000},
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
        reference="Dai & Qiu 2023, ReHLine: regularized composite ReLU-ReHU loss minimization",
        formula="min 1/2 |w|^2 + C sum_i [1 - y_i w.(x_i, 1)]_+",
    ),
    Algorithm(
        name="rehline-huber",
        make="rehline:plq_Ridge_Regressor",
        environment=Environment(requirements=["rehline>=0.1.4"]),
        tasks=("regression",),
        summary="Ridge regression with Huber's loss by coordinate descent on composite ReLU-ReHU losses",
        defaults={"loss": {"name": "huber", "tau": 1.0}, "max_iter": 100_000},
        grid={"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
        reference="Dai & Qiu 2023, ReHLine; Huber 1964",
        formula="min 1/2 |w|^2 + C sum_i huber_tau(y_i - w.(x_i, 1))",
    ),
    Algorithm(
        name="wdro-logistic",
        make="benchkit_peers.estimators.logistic:WassersteinLogisticRegression",
        environment=Environment(requirements=["skwdro>=1.1"]),
        warm_up="benchkit_peers.estimators.classifiers:import_torch",
        summary="Logistic regression for the worst distribution in a Wasserstein ball, smoothed by entropy",
        grid={"rho": [0.0001, 0.001, 0.01, 0.1, 1.0]},
        reference="Vincent, Azizian, Iutzeler & Malick 2024, skwdro: a library for Wasserstein robust optimization",
        formula="min_w sup over Q with W(P_n, Q) <= rho of E_Q log(1 + exp(-y (b + w.x)))",
    ),
]
"""Linear models with losses and guarantees of today: the extra ``peers-linear``."""

MISSING = [
    Algorithm(
        name="miceforest-svm",
        make="benchkit_peers.estimators.chained_forests:ChainedForestsSVC",
        environment=_ENVIRONMENT,
        summary="Support vector machine on values imputed by chained boosted trees",
        grid={"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1]},
        accepts_missing=True,
        reference=_REFERENCE,
    )
]
"""Learning from incomplete rows by today's imputers: an environment of its own."""

ROBUST = [
    Algorithm(
        name="tukey",
        make="benchkit_peers.estimators.regressors:MRegression",
        environment=Environment(requirements=["statsmodels>=0.14.4"]),
        tasks=("regression",),
        summary="Regression with Tukey's biweight, which leaves large residuals out (statsmodels' RLM)",
        grid={"tuning": [2.0, 3.0, 4.685, 6.0, 9.0]},
        reference="Beaton & Tukey 1974; Huber & Ronchetti 2009, Robust statistics, chapter 7",
        formula="min sum_i rho((y_i - b - w.x_i) / s), rho constant beyond the tuning constant, s the MAD",
    ),
    Algorithm(
        name="abess",
        make="benchkit_peers.estimators.regressors:BestSubsetRegression",
        environment=Environment(requirements=["abess>=0.4.11"]),
        tasks=("regression",),
        summary="Least squares on the best subset of features, found by splicing",
        grid={"ic_type": ["aic", "bic", "gic", "ebic"]},
        reference="Zhu, Wen, Zhu, Zhang & Wang 2020, A polynomial algorithm for best-subset selection",
        formula="min |y - X w|^2 subject to |w|_0 <= s, s by an information criterion",
    ),
    Algorithm(
        name="median-regression",
        make="sklearn.linear_model:QuantileRegressor",
        tasks=("regression",),
        summary="The conditional median, by linear programming (scikit-learn's QuantileRegressor)",
        defaults={"quantile": 0.5, "solver": "highs", "alpha": 0.0},
        grid={"alpha": [0.0, 0.001, 0.01, 0.1, 1.0]},
        accepts_sparse=True,
        reference="Koenker & Bassett 1978, Regression quantiles",
        formula="min (1/n) sum_i |y_i - b - w.x_i| / 2 + alpha |w|_1",
    ),
]
"""Robust and sparse regression of today: the extra ``peers-robust``."""

CONFORMAL = [
    Algorithm(
        name="conformal-logistic",
        make="benchkit_peers.estimators.logistic:ConformalLogisticRegression",
        environment=Environment(requirements=["crepes>=0.9"]),
        summary="Logistic regression with sets of classes that hold the true one nine times of ten, on rows as drawn",
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
        reference="Vovk, Gammerman & Shafer 2005; Bostrom 2022, crepes",
        formula="{c : 1 - p_c(x) <= the (1 - alpha)(n + 1)/n quantile of 1 - p_y(x) on calibration rows}",
    )
]
"""Classifiers that answer with sets, judged by `METRICS`: the extra ``peers-conformal``."""

METRICS = [
    Metric(
        name="coverage",
        compute="benchkit_peers.estimators.logistic:coverage",
        range=(0, 1),
        greater_is_better=True,
        summary="Share of rows whose set of classes holds the true one; no value of models that answer with one class",
        formula="(1/m) sum_i [y_i in C(x_i)]",
    ),
    Metric(
        name="set-size",
        compute="benchkit_peers.estimators.logistic:set_size",
        range=(0, math.inf),
        summary="Mean number of classes in the sets; no value of models that answer with one class",
        formula="(1/m) sum_i |C(x_i)|",
    ),
]

_network = partial(Algorithm, environment=_TABULAR, warm_up=_TORCH)

TABULAR = [
    _network(
        name="realmlp",
        make="pytabkit:RealMLP_TD_S_Classifier",
        summary="Multilayer perceptron with the tuned defaults of RealMLP-TD-S, on the processor",
        defaults={"device": "cpu", "n_threads": 1, "verbosity": 0},
        grid={"lr": [0.01, 0.02, 0.04, 0.07, 0.14]},
        reference="Holzmueller, Grinsztajn & Steinwart 2024, Better by default: strong pre-tuned MLPs",
    ),
    *(
        _network(
            name=kind if kind == "ft-transformer" else f"rtdl-{kind}",
            make="benchkit_peers.estimators.classifiers:TabularNetwork",
            summary=f"{what}, on the processor",
            defaults={"kind": kind},
            grid={"lr": rates},
            reference="Gorishniy, Rubachev, Khrulkov & Babenko 2021, Revisiting deep learning models for tabular data",
        )
        for kind, what, rates in (
            ("mlp", "Multilayer perceptron with dropout that stops early", [0.0003, 0.001, 0.003, 0.01]),
            ("resnet", "Residual network that stops early", [0.0003, 0.001, 0.003, 0.01]),
            ("ft-transformer", "Transformer whose tokens are columns, stopped early", [0.00003, 0.0001, 0.0003, 0.001]),
        )
    ),
]
"""Networks for tables: the extra ``peers-tabular``."""

benchkit_algorithms = hookimpl(lambda: [*TREES, *LINEAR, *MISSING, *ROBUST, *CONFORMAL, *TABULAR])
benchkit_metrics = hookimpl(lambda: METRICS)
