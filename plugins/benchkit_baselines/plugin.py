"""Declarations of the baselines plugin: simple algorithms, metrics of every suite, and the ranking."""

import math

from benchkit import Algorithm, Metric, hookimpl
from benchkit_baselines.scorer_metrics import METRICS

benchkit_api = 1


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    """Declare the baselines."""
    return [
        Algorithm(
            name="constant",
            make="benchkit_baselines.constant:ConstantClassifier",
            summary="The majority class, which every method falls back to when the budget is large",
            trivial="always answering the largest class",
            accepts_sparse=True,
            accepts_missing=True,
        ),
        Algorithm(
            name="mean",
            make="sklearn.dummy:DummyRegressor",
            summary="The mean of the training targets, whatever the row",
            trivial="always answering the mean of the training targets",
            tasks=("regression",),
            accepts_sparse=True,
            accepts_missing=True,
        ),
        Algorithm(
            name="svm",
            make="sklearn.svm:SVC",
            summary="Linear support vector machine (libsvm), the bias not regularised, as SVM-light's",
            defaults={"kernel": "linear", "cache_size": 500},
            # Against deletion the smallest C often is the best one. Beyond 10 a fit takes ten times as long.
            grid={"C": [0.0001, 0.001, 0.01, 0.1, 1.0, 10.0]},
            accepts_sparse=True,
            reference="Vapnik 1998; Joachims 1998 (SVM-light)",
            formula="min 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i)]_+",
        ),
        Algorithm(
            name="logistic-regression",
            make="sklearn.linear_model:LogisticRegression",
            summary="L2-regularised logistic regression",
            defaults={"max_iter": 1000},
            grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
            accepts_sparse=True,
            formula="min 1/2 |w|^2 + C sum_i log(1 + exp(-y_i (b + w.x_i)))",
        ),
        Algorithm(
            name="random-forest",
            make="sklearn.ensemble:RandomForestClassifier",
            summary="Forest of randomised trees",
            grid={"min_samples_leaf": [1, 3, 10]},
            accepts_sparse=True,
            accepts_missing=True,
            reference="Breiman 2001",
        ),
        Algorithm(
            name="gradient-boosting",
            make="sklearn.ensemble:HistGradientBoostingClassifier",
            summary="Boosted trees on binned features",
            grid={"learning_rate": [0.03, 0.1, 0.3]},
            accepts_missing=True,
            reference="Friedman 2001; Ke et al. 2017 (LightGBM)",
        ),
    ]


@hookimpl
def benchkit_metrics() -> list[Metric]:
    """Declare the metrics."""
    return [
        Metric(
            name="error",
            range=(0, 1),
            compute="benchkit_baselines.metrics:error",
            needs="losses",
            row_values="benchkit_baselines.row_values:wrong",
            summary="Share of wrong predictions",
            share="wrong on",
            worsens_with_attack=True,
            formula="(1/m) sum_i [prediction_i != y_i]",
        ),
        Metric(
            name="accuracy",
            range=(0, 1),
            compute="benchkit_baselines.metrics:accuracy",
            needs="losses",
            row_values="benchkit_baselines.row_values:right",
            summary="Share of right predictions",
            share="right on",
            greater_is_better=True,
            worsens_with_attack=True,
            formula="(1/m) sum_i [prediction_i = y_i]",
        ),
        Metric(
            name="mean-absolute-error",
            range=(0, math.inf),
            compute="benchkit_baselines.metrics:mean_absolute_error",
            needs="losses",
            row_values="benchkit_baselines.row_values:absolute",
            summary="Mean distance of predictions from targets",
            tasks=("regression",),
            formula="(1/m) sum_i |prediction_i - y_i|",
        ),
        Metric(
            name="mean-squared-error",
            range=(0, math.inf),
            compute="benchkit_baselines.metrics:mean_squared_error",
            needs="losses",
            row_values="benchkit_baselines.row_values:squared",
            summary="Mean squared distance of predictions from targets",
            tasks=("regression",),
            formula="(1/m) sum_i (prediction_i - y_i)^2",
        ),
        *(
            Metric(
                name=f"{part}-seconds",
                measures_time=True,
                range=(0, math.inf),
                compute=f"benchkit_baselines.metrics:{part}_seconds",
                summary=f"Wall seconds {of_what}",
                tasks=("classification", "regression"),
            )
            for part, of_what in {
                "fit": "of the final fit",
                "tune": "of choosing parameters",
                "corrupt": "that the adversary took for the test part",
                "load": "until the dataset was ready",
            }.items()
        ),
        *METRICS,
    ]
