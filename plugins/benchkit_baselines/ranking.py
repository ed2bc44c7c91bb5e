"""Mean ranks of a run's algorithms."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from scipy.stats import rankdata

from benchkit import ReportTable, Results


def ranking(results: Results) -> ReportTable | None:
    """Mean rank of each algorithm by the first metric, over the points at which all of them have a mean.

    A point is a dataset, an adversary and a value of the axis; equal means share their ranks (Demsar 2006, Statistical
    comparisons of classifiers over multiple data sets, section 3.1.3).

    Returns
    -------
    ReportTable or None
        None where fewer than two algorithms, or no point, can be compared.
    """
    metric, *_ = results.metrics
    means = _means(results, metric)
    algorithms = list(dict.fromkeys(name for point in means.values() for name in point))
    common = [point for point in means.values() if len(point) == len(algorithms)]
    if len(algorithms) < 2 or not common:
        return None
    sign = -1.0 if results.greater_is_better[metric] else 1.0
    ranks = np.array([rankdata([sign * point[name] for name in algorithms]) for point in common])
    first = (ranks == ranks.min(axis=1, keepdims=True)).sum(axis=0)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    return ReportTable(
        columns=("algorithm", "mean rank", "best at"),
        rows=[(algorithms[i], round(float(ranks[:, i].mean()), 2), int(first[i])) for i in order],
        note=f"by mean {metric}, over {len(common)} of {len(means)} points (dataset, adversary and {_axis(results)}): "
        f"those at which all {len(algorithms)} algorithms have a mean; ranks say nothing of distances",
    )


def _means(results: Results, metric: str) -> Mapping[str, dict[str, float]]:
    """Point to algorithm to mean, groups of datasets left out, for their members are in."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for point in results.points():
        if point.metric == metric and point.mean is not None and point.dataset != point.group:
            where = [point.dataset, dict(point.dataset_params), point.adversary, point.axis_value]
            found[json.dumps(where, sort_keys=True, default=str)][point.algorithm] = point.mean
    return found


def _axis(results: Results) -> str:
    return next((str(row["axis"]) for row in results.records), "budget")
