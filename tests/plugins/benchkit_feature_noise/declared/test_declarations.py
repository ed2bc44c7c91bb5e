"""What is declared can be made, with the parameters that the declaration names."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from benchkit import MetricContext
from benchkit_deletion.plugin import ADVERSARIES as DELETING
from benchkit_feature_noise.bounds.certificate import deletion_bracket
from benchkit_feature_noise.plugin import ADVERSARIES, ALGORITHMS, METRICS


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda declared: declared.name)
def test_algorithms_take_what_is_declared(algorithm):
    known = algorithm.make().get_params()
    grid = algorithm.default_grid(n_features=4, total_value=4.0, budget=1.0)
    assert {*grid, *algorithm.make.defaults} <= set(known)
    assert {algorithm.budget_param, algorithm.values_param} - {None} <= set(known)
    if algorithm.warm_up is not None:
        algorithm.warm_up()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), np.repeat([-1, 1], 15)
    model = algorithm.make(**{name: values[0] for name, values in grid.items()})
    assert model.fit(X, y).predict(X).shape == (30,)


@pytest.mark.parametrize("adversary", [*ADVERSARIES, *DELETING], ids=lambda declared: declared.name)
def test_adversaries_can_be_made(adversary):
    assert callable(adversary.make(**adversary.example).corrupt)


def test_bracket_metrics_judge_the_uncorrupted_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    model, values = LogisticRegression().fit(X, y), rng.gamma(1.0, size=6)
    evaluation = MetricContext(
        model=model,
        X=0 * X,
        y=y,
        predictions=-y,
        truth={},
        uncorrupted=X,
        budget=1.5,
        feature_values=values,
    )
    brackets = [metric for metric in METRICS if metric.name in ("greedy-error", "exact-error", "relaxation-error")]
    found = tuple(metric.compute(evaluation) for metric in brackets)
    assert found == deletion_bracket(model.coef_[0], model.intercept_[0], X, y, values, 1.5)
    assert found[0] > np.mean(model.predict(X) != y)
    for other in (replace(evaluation, model=RandomForestClassifier()), replace(evaluation, uncorrupted=None)):
        assert np.isnan([metric.compute(other) for metric in brackets]).all()


def test_metrics_of_time_need_what_they_measure():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = LogisticRegression().fit(X, y)
    evaluation = MetricContext(
        model=model,
        X=X,
        y=y,
        predictions=y,
        truth={},
        uncorrupted=X,
        budget=2.0,
        feature_values=np.ones(5),
        seconds={"fit": 3.0},
    )
    compute = {metric.name: metric.compute for metric in METRICS}
    assert compute["seconds-per-iteration"](evaluation) == pytest.approx(3.0 / model.n_iter_[0])
