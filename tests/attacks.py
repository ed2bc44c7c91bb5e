"""What adversaries and metrics are given, by hand."""

import numpy as np

from benchkit import AttackContext, MetricContext


def attack(X, y, model, budget, values=None, seed=3, **more):
    """An attack on features that are worth 1 each unless said otherwise."""
    values = np.ones(X.shape[1]) if values is None else values
    known = {"feature_values": values, "rng": np.random.default_rng(seed), "model": model, "raw": X}
    return AttackContext(X=X, y=y, budget=budget, **{**known, **more})


def judged(model, X, y, predictions=None, truth=(), **more):
    """The predictions that a metric judges, of the model unless they are given."""
    predictions = model.predict(X) if predictions is None else predictions
    return MetricContext(model=model, X=X, y=y, predictions=predictions, truth=dict(truth), **more)
