"""The tuner, in a run."""

from collections.abc import Callable

from benchkit import Results


def test_it_judges_the_better_half_again(benchkit_tiny_run: Callable[..., Results]) -> None:
    tune = {"search": "my-method", "grid": {"C": [0.01, 0.1, 1, 10]}}
    results = benchkit_tiny_run({"algorithms": [{"name": "svm", "tune": tune}], "adversaries": []})
    (stage,) = results.records[0]["tuning"]
    assert stage["rows"] == [15, 15, 15, 15, 60, 60]
    assert [results.records[0]["params"]["C"]] in stage["values"][4:]
