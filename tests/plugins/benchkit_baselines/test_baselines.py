"""The constant predictor and the metrics."""

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error

import benchkit
from benchkit import MetricContext
from benchkit_baselines.constant import ConstantClassifier


@pytest.mark.parametrize("majority", [-1, 1])
def test_the_constant_predicts_the_majority(majority):
    y = np.array([majority] * 6 + [-majority] * 4)
    model = ConstantClassifier().fit(np.zeros((10, 2)), y)
    assert (model.predict(np.ones((3, 2))) == majority).all()
    assert not model.coef_.any()


def test_the_constant_of_many_classes():
    model = ConstantClassifier().fit(np.zeros((6, 1)), ["a", "b", "b", "b", "c", "c"])
    assert model.predict(np.zeros((2, 1))).tolist() == ["b", "b"]
    assert model.coef_.shape == (3, 1)


def test_metrics_of_classes():
    found = MetricContext(model=None, X=None, y=np.array([1, -1, 1, 1]), predictions=np.array([1, 1, 1, -1]), truth={})
    metrics = benchkit.registry().metrics
    assert metrics["error"].compute(found) == 0.5
    assert metrics["accuracy"].compute(found) == 0.5


def test_metrics_of_targets_are_scikit_learns():
    rng = np.random.default_rng(0)
    y, predictions = rng.normal(size=9), rng.normal(size=9)
    found = MetricContext(model=None, X=None, y=y, predictions=predictions, truth={})
    metrics = benchkit.registry().metrics
    assert metrics["mean-absolute-error"].compute(found) == pytest.approx(mean_absolute_error(y, predictions))
    assert metrics["mean-squared-error"].compute(found) == pytest.approx(mean_squared_error(y, predictions))


def test_metrics_of_time():
    seconds = {"load": 1.0, "fit": 2.0, "tune": 3.0, "corrupt": 4.0}
    found = MetricContext(model=None, X=None, y=None, predictions=None, truth={}, seconds=seconds)
    metrics = benchkit.registry().metrics
    assert [metrics[f"{name}-seconds"].compute(found) for name in seconds] == [1, 2, 3, 4]
    candidate = MetricContext(model=None, X=None, y=None, predictions=None, truth={})
    assert np.isnan(metrics["fit-seconds"].compute(candidate))
