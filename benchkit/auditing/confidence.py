"""Whether the model's confidence falls as columns are lost, or whether it is sure and wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.auditing.measured import Measured
from benchkit.auditing.subject import Answers, Subject
from benchkit.statistics.mean_of_rows import mean_interval

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


def confidence(subject: Subject, answers: Answers, rows: np.ndarray, when: str) -> Confidence | None:
    """Confidence of answers to rows; None where they are no probabilities."""
    if answers.scores is None or not subject.has_probabilities:
        return None
    sure = answers.scores.max(axis=1)
    right = 1.0 - subject.losses(answers.predictions, rows)
    value, low, high = mean_interval(sure - right)
    return Confidence(when, float(sure.mean()), float(right.mean()), Measured(value, low, high, len(rows)))
