"""Conditions of --fail-if are judged by intervals."""

import pytest

from benchkit import RequestError
from benchkit.auditing.measured import Measured
from benchkit.auditing.thresholds import judge_thresholds, read_threshold

MEASURES = {"column-loss": Measured(0.06, 0.04, 0.08, 100), "worst-2": Measured(0.5, 0.45, 0.55, 100)}


@pytest.mark.parametrize(
    ("text", "failed", "decided"),
    [
        ("column-loss > 0.05", False, False),
        ("column-loss > 3 %", True, True),
        ("column-loss>=0.9", False, True),
        ("worst-2 > .4", True, True),
        ("worst-2 < 0.6", True, True),
        ("worst-2 < 0.5", False, False),
    ],
)
def test_only_what_the_interval_decides_fails(text, failed, decided):
    (judged,) = judge_thresholds([read_threshold(text)], MEASURES)
    assert (judged.failed, judged.decided) == (failed, decided)
    said = "so" if failed else "not so" if decided else "not decided"
    assert f"{text}: {said}, " in str(judged)


def test_what_was_not_measured_fails_nothing_and_says_so():
    (judged,) = judge_thresholds([read_threshold("row-worst-9 > 0")], MEASURES)
    assert not judged.failed
    assert str(judged) == "row-worst-9 > 0: not measured in this audit"


@pytest.mark.parametrize("text", ["", "column-loss", "column-loss > much", "> 0.5", "column-loss > 0.5 > 0.6"])
def test_what_is_no_comparison_is_told(text):
    with pytest.raises(RequestError, match="expected a comparison such as 'column-loss > 0.05'"):
        read_threshold(text)


def test_an_unknown_name_is_told_with_the_nearest():
    with pytest.raises(RequestError, match="no 'colum-loss'; did you mean 'column-loss'"):
        read_threshold("colum-loss > 0.1")
