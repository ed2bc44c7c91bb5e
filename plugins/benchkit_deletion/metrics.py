"""What exact-tree-delete proved about the rows that it attacked, and how long that took."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit import MetricContext, NotApplicableError


def worst_case_bound(evaluation: MetricContext) -> float:
    """The most that the error can be, whatever deletion within the budget: the upper end of the bracket.

    In classification the share of rows that are not proved to stay right; in regression the mean of the largest
    absolute errors that are not excluded.
    """
    bound = _told(evaluation, "worst_score_bound")
    if not _told(evaluation, "scores_are_margins"):
        return float(-bound.mean())
    return float((bound <= _told(evaluation, "score_rounding")).mean())


def certified_accuracy(evaluation: MetricContext) -> float:
    """Share of rows proved to be right whatever features of the budget's value are deleted."""
    return float((_told(evaluation, "worst_score_bound") > _told(evaluation, "score_rounding")).mean())


def open_rows(evaluation: MetricContext) -> float:
    """Share of rows whose search met its limit: what was found for them may not be the worst."""
    return float(1 - _told(evaluation, "closed").mean())


def median_row_seconds(evaluation: MetricContext) -> float:
    """Median over rows of the processor seconds that one row's worst deletion took to find and to prove."""
    return float(np.median(_told(evaluation, "row_seconds")))


def slowest_row_seconds(evaluation: MetricContext) -> float:
    """The most processor seconds that one row's worst deletion took to find and to prove."""
    return float(_told(evaluation, "row_seconds").max())


def rows_within_a_second(evaluation: MetricContext) -> float:
    """Share of rows whose worst deletion was found and proved within a processor second each."""
    closed, seconds = _told(evaluation, "closed"), _told(evaluation, "row_seconds")
    return float((closed & (seconds <= 1)).mean())


def _told(evaluation: MetricContext, name: str) -> Any:
    if name not in evaluation.truth:
        raise NotApplicableError("only exact-tree-delete proves what the worst case is: name it under 'adversaries'")
    return evaluation.truth[name]
