"""The mean of what rows add is the metric, and its variance is what redrawing rows gives."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchkit import MetricContext
from benchkit.plugin.manager import registry

METRICS = {name: metric for name, metric in registry().metrics.items() if metric.row_values is not None}


def context(task, n=400, rows=None):
    rng = np.random.default_rng(0)
    rows = np.arange(n) if rows is None else rows
    empty = np.empty((len(rows), 0))
    if task == "regression":
        y = rng.normal(size=n)
        answers = y + rng.normal(size=n) * 0.7
        return MetricContext(model=SimpleNamespace(), X=empty, y=y[rows], predictions=answers[rows], truth={})
    y = np.where(rng.random(n) < 0.3, 1, -1)
    chance = (1 / (1 + np.exp(-(1.2 * y + rng.normal(size=n))))).round(2)[rows]  # with ties
    both = np.column_stack([1 - chance, chance])
    model = SimpleNamespace(classes_=np.array([-1, 1]), predict_proba=lambda X: both)
    return MetricContext(model=model, X=empty, y=y[rows], predictions=np.where(chance > 0.5, 1, -1), truth={})


@pytest.mark.parametrize("name", sorted(METRICS))
def test_their_mean_is_the_metric(name):
    judged = context(METRICS[name].tasks[0])
    assert np.mean(METRICS[name].row_values(judged)) == pytest.approx(METRICS[name].compute(judged), abs=1e-12)


@pytest.mark.parametrize("name", sorted(METRICS)[::3])
def test_their_variance_is_what_redrawn_rows_give(name):
    task, n, rng = METRICS[name].tasks[0], 400, np.random.default_rng(1)
    said = np.std(METRICS[name].row_values(context(task))) / np.sqrt(n)
    redrawn = [METRICS[name].compute(context(task, rows=rng.integers(0, n, n))) for _ in range(300)]
    assert said == pytest.approx(np.std(redrawn), rel=0.15)
