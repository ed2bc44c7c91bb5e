"""What the scores of two classes are worth: ROC curves, the area under them, and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

Scored = tuple["np.ndarray", "np.ndarray"]
"""Whether each row is of the second class, and its score: both of shape (n_rows,)."""


class Roc(NamedTuple):
    """A mean ROC curve.

    Attributes
    ----------
    false_positives, true_positives : ndarray of shape (n_points,)
        Shares of the first class and of the second that are above a threshold.
    area : float
        Mean over the parts of the area under their curves.
    """

    false_positives: np.ndarray
    true_positives: np.ndarray
    area: float


class Bin(NamedTuple):
    """Rows of about one predicted probability: its mean, the share of the second class, and how many rows."""

    predicted: float
    observed: float
    rows: int


def mean_roc(parts: Sequence[Scored], points: int = 101) -> Roc | None:
    """The mean of several models' ROC curves, at equal shares of false positives.

    Curves are averaged, not scores: those of two fits need not mean the same (Fawcett 2006, section 7, vertical
    averaging).

    Parameters
    ----------
    parts : sequence of Scored
        Those with both classes count.
    points : int, default=101
    """
    import numpy as np

    across = np.linspace(0, 1, points)
    curves, areas = [], []
    for positive, scores in parts:
        if positive.all() or not positive.any() or not np.isfinite(scores).all():
            continue
        false, true = roc_curve(positive, scores)
        areas.append(float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2)))
        # Where the curve is vertical, its upper end.
        last = np.append(np.diff(false) > 0, True)
        curves.append(np.interp(across, false[last], true[last]))
    if not curves:
        return None
    return Roc(np.append(0.0, across), np.append(0.0, np.mean(curves, axis=0)), float(np.mean(areas)))


def roc_curve(positive: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of false and of true positives for all thresholds, from none to all; rows of one score go together."""
    import numpy as np

    order = np.argsort(-scores, kind="stable")
    hits = np.cumsum(positive[order])
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    true, false = hits[ends], ends + 1 - hits[ends]
    return np.append(0.0, false / false[-1]), np.append(0.0, true / true[-1])


def calibration(parts: Sequence[Scored], bins: int = 10) -> list[Bin]:
    """How often the second class comes true where it was given about this probability, over all parts.

    Parameters
    ----------
    parts : sequence of Scored
        Scores are probabilities of the second class.
    bins : int, default=10
        Of equal width; those without rows are left out (reliability diagrams: Niculescu-Mizil and Caruana 2005).
    """
    import numpy as np

    positive = np.concatenate([part for part, _ in parts])
    chances = np.concatenate([scores for _, scores in parts])
    place = np.minimum((chances * bins).astype(int), bins - 1)
    counts = np.bincount(place, minlength=bins)
    predicted, observed = (np.bincount(place, weights=each, minlength=bins) for each in (chances, positive))
    return [
        Bin(float(predicted[each] / counts[each]), float(observed[each] / counts[each]), int(counts[each]))
        for each in np.flatnonzero(counts)
    ]
