"""The questions of a run: its suite's claims; without claims, which method is best at every point."""

from __future__ import annotations

from benchkit.report.questions.of_claims import questions_of_claims
from benchkit.report.questions.of_places import question_of_place
from benchkit.report.questions.question import RunQuestion
from benchkit.report.results import Results
from benchkit.report.statistics.comparisons import by_place
from benchkit.report.statistics.points import points
from benchkit.statistics.sampling import SPLITS


def questions_of(results: Results) -> list[RunQuestion]:
    """What the records of one suite are to decide, and how far they have.

    Without claims it is one question for each dataset (or group), adversary and point on the axis, of the first metric.
    """
    if not results.rows:
        return []
    if results.expectations:
        return questions_of_claims(results)
    metric = results.metrics[0]
    means = points(results.rows, [metric], SPLITS, results.ranges)
    places = by_place([point for point in means if point.of_group or not point.group])
    sign = 1.0 if results.greater_is_better[metric] else -1.0
    margin = results.margin or 0.0
    return [question_of_place(place, metric, sign, margin) for place in places if len(place) > 1]
