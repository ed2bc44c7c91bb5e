"""What each row adds to a metric: values whose mean over rows is the metric.

For a mean of losses they are the losses. For a smooth function of means they are its linearisation, the metric plus the
influence of the row: the variance of their mean is the metric's, to first order (the delta method; for the area under
the ROC curve that is DeLong, DeLong and Clarke-Pearson 1988).
"""

from __future__ import annotations

import numpy as np

from benchkit import MetricContext, NotApplicableError


def wrong(evaluation: MetricContext) -> np.ndarray:
    """1 where the prediction is wrong."""
    return (evaluation.predictions != evaluation.y).astype(float)


def right(evaluation: MetricContext) -> np.ndarray:
    """1 where the prediction is right."""
    return (evaluation.predictions == evaluation.y).astype(float)


def absolute(evaluation: MetricContext) -> np.ndarray:
    """Distance of the prediction from the target."""
    return np.abs(evaluation.predictions - evaluation.y)


def squared(evaluation: MetricContext) -> np.ndarray:
    """The same, squared."""
    return np.square(evaluation.predictions - evaluation.y)


def minus_absolute(evaluation: MetricContext) -> np.ndarray:
    """Minus the distance."""
    return -absolute(evaluation)


def minus_squared(evaluation: MetricContext) -> np.ndarray:
    """Minus the squared distance."""
    return -squared(evaluation)


def minus_root_mean_squared(evaluation: MetricContext) -> np.ndarray:
    """Of minus the root of the mean squared distance: d sqrt(m) = dm / (2 sqrt(m))."""
    losses = squared(evaluation)
    root = float(np.sqrt(losses.mean()))
    return -(root + (losses - root**2) / (2 * root)) if root else -losses


def explained(evaluation: MetricContext) -> np.ndarray:
    """Of r2 = 1 - mean squared distance / variance of the targets, a ratio of means."""
    losses, spread = squared(evaluation), np.square(evaluation.y - evaluation.y.mean())
    if not spread.mean():
        raise NotApplicableError("r2 needs targets that differ")
    ratio = losses.mean() / spread.mean()
    return 1 - ratio - (losses - ratio * spread) / spread.mean()


def balanced(evaluation: MetricContext) -> np.ndarray:
    """Of the mean over classes of the share of right predictions, a mean of ratios."""
    hits = right(evaluation)
    classes, place = np.unique(evaluation.y, return_inverse=True)
    counts = np.bincount(place)
    shares = np.bincount(place, weights=hits) / counts
    influence = (hits - shares[place]) * len(hits) / counts[place] / len(classes)
    return np.asarray(shares.mean() + influence)


def f1(evaluation: MetricContext) -> np.ndarray:
    """Of 2 TP / (2 TP + FP + FN) for the second of two classes, a ratio of means."""
    true, said = _positive(evaluation)
    return _ratio(2.0 * (true & said), 1.0 * true + said)


def precision(evaluation: MetricContext) -> np.ndarray:
    """Of TP / (TP + FP)."""
    true, said = _positive(evaluation)
    return _ratio(1.0 * (true & said), 1.0 * said)


def recall(evaluation: MetricContext) -> np.ndarray:
    """Of TP / (TP + FN)."""
    true, said = _positive(evaluation)
    return _ratio(1.0 * (true & said), 1.0 * true)


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Of mean(above) / mean(below), 0 where there is nothing below."""
    total = below.mean()
    if not total:
        return np.zeros(len(below))
    ratio = above.mean() / total
    return np.asarray(ratio + (above - ratio * below) / total)


def _positive(evaluation: MetricContext) -> tuple[np.ndarray, np.ndarray]:
    """Whether a row is, and is said to be, of the second of two classes."""
    classes = _two_classes(evaluation)
    return evaluation.y == classes[1], evaluation.predictions == classes[1]


def _two_classes(evaluation: MetricContext) -> np.ndarray:
    classes = np.unique(np.concatenate([np.asarray(evaluation.model.classes_), evaluation.y]))
    if len(classes) != 2:
        raise NotApplicableError(f"it is of two classes, and this data has {len(classes)}")
    return classes


def area(evaluation: MetricContext) -> np.ndarray:
    """Of the area under the ROC curve: the share of the other class's rows that a row is on the right side of."""
    from scipy.stats import rankdata

    scores = _scores(evaluation)
    positive = evaluation.y == _two_classes(evaluation)[1]
    above, below = scores[positive], scores[~positive]
    if not len(above) or not len(below):
        raise NotApplicableError("roc_auc needs rows of both classes")
    ranks = rankdata(scores)
    # Placements: ranks among all less ranks among the own class count the rows of the other one below (ties by halves).
    placed_above = (ranks[positive] - rankdata(above)) / len(below)
    placed_below = 1 - (ranks[~positive] - rankdata(below)) / len(above)
    auc = placed_above.mean()
    values = np.empty(len(scores))
    values[positive] = auc + (placed_above - auc) * len(scores) / len(above)
    values[~positive] = auc + (placed_below - auc) * len(scores) / len(below)
    return values


def _scores(evaluation: MetricContext) -> np.ndarray:
    for method in ("decision_function", "predict_proba"):
        if hasattr(evaluation.model, method):
            scores = np.asarray(getattr(evaluation.model, method)(evaluation.X), dtype=float)
            return scores[:, 1] if scores.ndim == 2 else scores
    raise NotApplicableError("it needs scores, and the model gives none")


def minus_log_loss(evaluation: MetricContext) -> np.ndarray:
    """Logarithm of the true class's probability, as `sklearn.metrics.log_loss` clips it."""
    chances, place = _chances(evaluation)
    least = np.finfo(chances.dtype).eps
    return np.log(np.clip(chances, least, 1 - least)[np.arange(len(place)), place])


def minus_brier(evaluation: MetricContext) -> np.ndarray:
    """Minus the squared distance of the second class's probability from what is true."""
    positive = evaluation.y == _two_classes(evaluation)[1]
    chances, _ = _chances(evaluation)
    return -np.square(chances[:, 1] - positive)


def _chances(evaluation: MetricContext) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of the model's classes, and the place of each row's true class among these."""
    if not hasattr(evaluation.model, "predict_proba"):
        raise NotApplicableError("it needs probabilities, and the model gives none")
    classes = np.asarray(evaluation.model.classes_)
    place = np.searchsorted(classes, evaluation.y).clip(max=len(classes) - 1)
    if (classes[place] != evaluation.y).any():
        raise NotApplicableError("it needs a probability of every class, and training lacked one")
    return np.asarray(evaluation.model.predict_proba(evaluation.X), dtype=float), place
