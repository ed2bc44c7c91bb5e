"""The questions of a run: its suite's claims; without claims, which method is best at every point."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.journal.place import off_axis
from benchkit.report.questions.of_claims import questions_of_claims
from benchkit.report.questions.of_places import question_of_place
from benchkit.report.questions.question import RunQuestion
from benchkit.report.results import Results
from benchkit.report.shown_params import ShownParams, shown_params_among
from benchkit.report.statistics.comparisons import by_place
from benchkit.report.statistics.kept_rows import KeptRows
from benchkit.report.statistics.points import Point, judged, of_first_metric, points
from benchkit.statistics.sampling import SPLITS


def questions_of(results: Results, kept: KeptRows | None = None) -> list[RunQuestion]:
    """What the records of one suite are to decide, and how far they have.

    Without claims it is one question for each dataset (or group), adversary and point on the axis, of the first metric
    that judges the data set.

    Parameters
    ----------
    results : Results
    kept : KeptRows, optional
        What was kept of the rows, where it was read before; else that of the results.
    """
    if not results.rows:
        return []
    if results.expectations:
        return questions_of_claims(results, kept or results.kept_rows)
    known = points(results.rows, results.metrics, SPLITS, results.ranges, kept or results.kept_rows)
    means = of_first_metric(judged(known), results.metrics)
    places = by_place([point for point in means if point.of_group or not point.group])
    named = [(point.dataset, off_axis(point.dataset_params, point.axis)) for point in means]
    shown_params = shown_params_among(named, results.labels)
    return [_question(results, place, shown_params) for place in places if len(place) > 1]


def _question(results: Results, place: Sequence[Point], shown_params: ShownParams) -> RunQuestion:
    metric = place[0].metric
    sign = 1.0 if results.greater_is_better[metric] else -1.0
    margin = (results.margin or 0.0) if metric == results.metrics[0] else 0.0
    return question_of_place(place, metric, sign, margin, shown_params)
