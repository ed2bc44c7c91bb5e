"""What failed trials count as."""

from dataclasses import replace

import pytest

from benchkit.report.analysis import Analysis, SelectionError, Settings
from benchkit.report.statistics.failures import PolicyError


@pytest.fixture
def results(make_row, make_results):
    rows = [make_row(r, v, algorithm="sure") for r, v in enumerate([0.5, 0.6])]
    rows += [make_row(0, 0.1, algorithm="frail"), make_row(1, None, "timeout", algorithm="frail")]
    rows += [make_row(0, 0.2, algorithm="picky"), make_row(1, None, "skipped", algorithm="picky")]
    return make_results(rows)


@pytest.mark.parametrize(
    ("policy", "mean", "said"),
    [
        ("drop", 0.1, "means leave failed trials out"),
        ("worst", (0.1 + 0.6) / 2, "the worst value"),
        ("baseline:sure", (0.1 + 0.6) / 2, "count as sure in the same repetition"),
    ],
)
def test_policies(results, policy, mean, said):
    analysis = Analysis(results, Settings(failures=policy))
    found = {point.algorithm: point for point in analysis.points}
    assert found["frail"].mean == pytest.approx(mean)
    assert (found["frail"].n, found["frail"].failed) == (1, 1)
    assert found["picky"].mean == pytest.approx(0.2)  # skipped for a reason: not the algorithm's doing
    (note,) = [note for note in analysis.notes if "did not end ok" in note]
    assert "2 of 6 trials" in note
    assert said in note


def test_worst_follows_the_metrics_direction(results):
    better = replace(results, greater_is_better={"error": True})
    found = {point.algorithm: point.mean for point in Analysis(better, Settings(failures="worst")).points}
    assert found["frail"] == pytest.approx((0.1 + 0.1) / 2)


def test_the_baseline_may_be_unseen(results):
    analysis = Analysis(results, Settings(failures="baseline:sure", algorithms=("frail",)))
    (point,) = analysis.points
    assert point.mean == pytest.approx(0.35)


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"failures": "forget"}, PolicyError, "expected drop, worst or baseline:NAME"),
        ({"failures": "baseline:none"}, PolicyError, "it has frail, picky, sure"),
        ({"algorithms": ("frial",)}, SelectionError, "no algorithm 'frial' in this run; did you mean 'frail'?"),
        ({"metrics": ("auc",)}, SelectionError, "no metric 'auc' in this run; it has error"),
        ({"baseline": "zero"}, SelectionError, "no baseline 'zero'"),
    ],
)
def test_mistakes(results, settings, error, said):
    with pytest.raises(error, match=said.replace("?", r"\?")):
        Analysis(results, Settings(**settings))
