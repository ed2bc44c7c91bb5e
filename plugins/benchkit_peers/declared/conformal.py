"""Classifiers that answer with sets, and metrics of the sets: the extra ``peers-conformal``."""

import math

from benchkit import Algorithm, Environment, Metric

ALGORITHMS = [
    Algorithm(
        name="conformal-logistic",
        make="benchkit_peers.estimators.conformal:ConformalLogisticRegression",
        environment=Environment(requirements=["crepes>=0.9"]),
        summary="Logistic regression with sets of classes that hold the true one nine times of ten, on rows as drawn",
        grid={"C": [0.001, 0.01, 0.1, 1.0, 10.0]},
        reference="Vovk, Gammerman & Shafer 2005; Bostrom 2022, crepes",
        formula="{c : 1 - p_c(x) <= the (1 - alpha)(n + 1)/n quantile of 1 - p_y(x) on calibration rows}",
    ),
]

METRICS = [
    Metric(
        name="coverage",
        compute="benchkit_peers.estimators.conformal:coverage",
        range=(0, 1),
        greater_is_better=True,
        summary="Share of rows whose set of classes holds the true one; no value of models that answer with one class",
        formula="(1/m) sum_i [y_i in C(x_i)]",
    ),
    Metric(
        name="set-size",
        compute="benchkit_peers.estimators.conformal:set_size",
        range=(0, math.inf),
        summary="Mean number of classes in the sets; no value of models that answer with one class",
        formula="(1/m) sum_i |C(x_i)|",
    ),
]
