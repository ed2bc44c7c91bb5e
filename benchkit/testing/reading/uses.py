"""What a trial does with a declaration, once, on tiny data.

Each imports what it needs when it is called: a plugin that declares nothing of its kind is tried without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchkit.plugin.declarations import Adversary, Algorithm, Dataset, Metric


def fit(algorithm: Algorithm) -> None:
    """Fit with the defaults and with the grid's first values, and predict."""
    from benchkit.testing.trying import answers, data_for, make, quietly

    for task in algorithm.tasks:
        data = data_for(task)
        n_features = data.X.shape[1]
        grid = algorithm.default_grid(n_features, float(n_features), 1.0) if algorithm.grid is not None else {}
        for params in ({}, {name: values[0] for name, values in grid.items()}):
            with quietly():
                model = make(algorithm, n_features, params=params)
                if algorithm.fit_path is not None:
                    algorithm.fit_path([model], data.X, data.y)
                model.fit(data.X, data.y)
                answers(model, data.X)
                model.predict(data.X)


def corrupt(adversary: Adversary) -> None:
    """Corrupt tiny data with every budget that rules try."""
    from benchkit.testing.adversary_rules import attacks

    for _ in attacks(adversary):
        pass


def load(dataset: Dataset) -> None:
    """Load it with the parameters of its example."""
    if dataset.example is None:
        return
    given = {**dataset.example, "random_state": 0} if dataset.generated else dataset.example
    if dataset.expand is not None:
        dataset.expand(**dataset.example)
    dataset.load(**given)


def compute(metric: Metric) -> None:
    """Compute it of a model of each of its tasks."""
    from benchkit.testing.metric_rules import evaluations

    for evaluation in evaluations(metric):
        metric.compute(evaluation)


USES: Mapping[str, Callable[[Any], None]] = {
    "algorithms": fit,
    "adversaries": corrupt,
    "datasets": load,
    "metrics": compute,
}
