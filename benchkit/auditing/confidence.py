"""Whether the model's confidence falls as columns are lost, or whether it is sure and wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.auditing.measured import LEVEL, Measured
from benchkit.statistics.independent_rows import mean_interval

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Confidence:
    """Mean confidence beside the share of right answers.

    Attributes
    ----------
    when : str
        What was lost.
    said : float
        Mean probability of the answers given.
    right : float
        Share of right answers.
    overconfidence : Measured
        The first less the second.
    """

    when: str
    said: float
    right: float
    overconfidence: Measured


def confidence(sureness: np.ndarray | None, losses: np.ndarray, when: str, level: float = LEVEL) -> Confidence | None:
    """Confidence of answers to rows; None where they have no probabilities.

    Parameters
    ----------
    sureness : ndarray of shape (n_rows,) or None
        The probability of each answer.
    losses : ndarray of shape (n_rows,)
        The share of answers that are wrong, by row.
    when : str
    level : float, default=0.95
    """
    if sureness is None:
        return None
    value, low, high = mean_interval(sureness - (1.0 - losses), level)
    # As a loss of the same answers is shown, to the last digit.
    return Confidence(when, float(sureness.mean()), 1.0 - float(losses.mean()), Measured(value, low, high, len(losses)))
