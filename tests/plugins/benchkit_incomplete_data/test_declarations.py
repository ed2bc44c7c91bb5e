"""What is declared can be made and fitted, with the parameters that the declaration names."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from benchkit import MetricContext
from benchkit_incomplete_data.plugin import benchkit_algorithms, benchkit_metrics


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    targets = X[:, 0] + 0.1 * rng.normal(size=50)
    return np.where(rng.random(X.shape) < 0.4, np.nan, X), X, targets


def test_metrics_read_the_run_and_nothing_else():
    X, complete, targets = rows()
    y = np.where(targets > 0, 1, -1)
    algorithms = {declared.name: declared for declared in benchkit_algorithms()}
    evaluation = MetricContext(
        model=algorithms["wii-svm"].make(trade_off=0.1, max_iter=3, tol=0.0).fit(X, y),
        X=complete,
        y=y,
        predictions=y,
        truth={},
    )
    found = {metric.name: metric.compute(evaluation) for metric in benchkit_metrics()}
    assert found["wii-iterations"] == 3
    assert 1 < found["n-imputations"] <= 4
    assert found["joint-objective"] == evaluation.model.objective_path_[-1]
    single = replace(evaluation, model=algorithms["impute-svm"].make().fit(X, y))
    of_the_run = benchkit_metrics()[:3]
    assert [metric.compute(single) for metric in of_the_run][::2] == [1.0, 0.0]
    other = replace(evaluation, model=LogisticRegression().fit(complete, y))
    assert np.isnan([metric.compute(other) for metric in of_the_run]).all()


def test_the_mean_has_a_relative_squared_error_of_1():
    _, X, targets = rows()
    metric = benchkit_metrics()[3]
    assert metric.name == "relative-squared-error"
    mean = MetricContext(model=None, X=X, y=targets, predictions=np.full(50, targets.mean()), truth={})
    assert metric.compute(mean) == pytest.approx(1.0)
    assert metric.compute(replace(mean, predictions=targets)) == 0.0
