"""What claims of each form are judged by, by hand: likeness, powers, breakdown, means over points, printed numbers."""

import math

import numpy as np
import pytest
import scipy.stats

from benchkit.statistics.time_uniform import sequential_estimate
from tests.report.claims.conftest import PLACE, judged


def rows(curves, **fields):
    """Records of five repetitions from values by algorithm and axis value."""
    made = []
    for algorithm, curve in curves.items():
        for place, value in curve.items():
            known = PLACE | {"n_rows": 2000, "n_test": 1000, "folds": None, "generated": False}
            known |= {"algorithm": algorithm, "axis_value": place, "peak_mb": 100 * value} | fields
            errors = [value * (1 + 0.005 * (at - 2)) for at in range(5)]
            made += [known | {"repetition": at, "metrics": {"error": error}} for at, error in enumerate(errors)]
    return made


TWO = {"lp": {1.0: 0.1, 2.0: 0.2}, "svm": {1.0: 0.08, 2.0: 0.4}}
LASTING = {"lp": {0: 0.1, 1: 0.1, 2: 0.3}, "svm": {0: 0.1, 1: 0.3, 2: 0.3}}
LASTS = {"order": ["lp", "svm"], "breakdown": 0.2}


@pytest.mark.parametrize(
    ("curves", "claim", "expected"),
    [
        (TWO, {"order": ["lp", "svm"], "by": 0.19, "at": [2]}, "supported"),
        (TWO, {"order": ["lp", "svm"], "by": 0.25, "at": [2]}, "contradicted"),
        (TWO, {"order": ["lp", "svm"], "by": 0.25, "tolerance": 0.1, "at": [2]}, "supported"),
        (TWO, {"alike": ["lp", "svm"], "tolerance": 0.03, "at": [1]}, "supported"),
        (TWO, {"alike": ["svm", "lp"], "tolerance": 0.03}, "contradicted"),
        ({"a": {1.0: 0.1}, "b": {1.0: 0.12}, "c": {1.0: 0.14}}, {"alike": [*"abc"], "tolerance": 0.03}, "contradicted"),
        (TWO, {"algorithm": "lp", "monotone": "constant", "tolerance": 0.11}, "supported"),
        (TWO, {"algorithm": "lp", "monotone": "constant", "tolerance": 0.09}, "contradicted"),
        (TWO, {"algorithm": "lp", "exponent": [0.9, 1.1]}, "supported"),
        (TWO, {"algorithm": "lp", "exponent": [1.1, 2]}, "contradicted"),
        (TWO, {"algorithm": "lp", "between": [9, 21], "metric": "peak_mb"}, "supported"),
        (TWO, {"algorithm": "lp", "between": [0, 1], "metric": "cpu_minutes"}, "not run"),
        (LASTING, LASTS, "supported"),
        (LASTING, LASTS | {"by": 2}, "contradicted"),
        (LASTING, LASTS | {"order": ["svm", "lp"]}, "contradicted"),
        (LASTING, LASTS | {"breakdown": 0.5}, "undecided"),  # neither passes it: both last to the end
        ({name: {"a": 0.1, "b": 0.2} for name in ("lp", "svm")}, LASTS, "not run"),  # an axis without numbers
        ({"lp": {"a": 0.1, "b": 0.2}}, {"algorithm": "lp", "exponent": [0.9, 1.1]}, "not run"),
    ],
)
def test_forms(curves, claim, expected):
    assert judged(claim, rows(curves), claim.get("metric", "error")).outcome == expected


def varied(curves, **fields):
    """As `rows`, the repetitions of each algorithm apart by other amounts."""
    return [
        row | {"metrics": {"error": row["metrics"]["error"] + 0.003 * ((7 * row["repetition"]) % 5) * (i % 3)}}
        for i, (name, curve) in enumerate(curves.items())
        for row in rows({name: curve}, **fields)
    ]


def gains(records, by):
    """Of each key, the differences of lp and svm by repetition."""
    error = {(by(r), r["axis_value"], r["repetition"], r["algorithm"]): r["metrics"]["error"] for r in records}
    found = {}
    for *key, repetition, algorithm in error:
        if algorithm == "lp":
            gain = error[*key, repetition, "lp"] - error[*key, repetition, "svm"]
            found.setdefault(tuple(key), {})[repetition] = gain
    return found


def test_a_mean_over_points_is_one_paired_interval():
    """By hand: per repetition the mean of the differences at the points, then Student's t of these five numbers."""
    records = varied({"lp": {1.0: 0.10, 2.0: 0.25, 4.0: 0.30}, "svm": {1.0: 0.20, 2.0: 0.24, 4.0: 0.40}})
    means = np.mean([[*each.values()] for each in gains(records, len).values()], axis=0)
    low, high = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert judged({"order": ["lp", "svm"]}, records).outcome != "supported"
    average = judged({"order": ["lp", "svm"], "on_average": "all"}, records)
    assert average.outcome == "supported"
    told = f"lp - svm = {np.mean(means):+.4f} [{low:+.4f}, {high:+.4f}] on average over 3 points"
    assert average.evidence == f"{told} (2 better, 0 worse, 1 open) of d a"


def test_a_mean_over_all_curves_and_one_along_each():
    one = varied({"lp": {1.0: 0.1, 2.0: 0.1}, "svm": {1.0: 0.3, 2.0: 0.3}})
    other = varied({"lp": {1.0: 0.22, 2.0: 0.2}, "svm": {1.0: 0.2, 2.0: 0.2}}, dataset="e")
    claim = {"order": ["lp", "svm"]}
    assert judged(claim | {"on_average": "all"}, one + other).outcome == "supported"
    along_each = judged(claim | {"on_average": "curve"}, one + other)
    assert along_each.outcome != "supported"
    assert "of e a (the point that decides, of 2)" in along_each.evidence


def test_each_data_set_of_a_mean_brings_all_its_repetitions_and_every_point_counts_alike():
    """Two points of one data set, one of another with three repetitions: Banerjee's interval, weights 2/3 and 1/3."""
    one = varied({"lp": {1.0: 0.1, 2.0: 0.2}, "svm": {1.0: 0.3, 2.0: 0.31}}, n_rows=20, n_test=7)
    other = varied({"lp": {1.0: 0.2}, "svm": {1.0: 0.3}}, dataset="e", n_rows=21, n_test=7)
    other = [row for row in other if row["repetition"] in (0, 3, 4)]
    by_point = {key: [*each.values()] for key, each in gains(one + other, lambda row: row["dataset"]).items()}
    mean = np.mean([np.mean(each) for each in by_point.values()])
    own = np.mean([by_point["d", 1.0], by_point["d", 2.0]], axis=0)
    halves = [scipy.stats.t.ppf(0.975, len(each) - 1) * scipy.stats.sem(each) for each in (own, by_point["e", 1.0])]
    half = math.hypot(2 / 3 * halves[0], halves[1] / 3)
    evidence = judged({"order": ["lp", "svm"], "on_average": "all"}, one + other).evidence
    interval = f"{mean:+.4f} [{mean - half:+.4f}, {mean + half:+.4f}]"
    assert evidence.startswith(f"lp - svm = {interval} on average over 3 points")


@pytest.mark.parametrize(
    ("n_rows", "other"),
    [
        ((20, 20), {"dataset": "e"}),
        ((None, None), {"dataset": "e"}),
        ((20, 21), {"dataset_params": {"n": 21}}),  # one may be a part of the other
    ],
)
def test_two_labels_or_parameters_of_one_table_share_its_splits(n_rows, other):
    """Their differences are averaged within the repetitions that both have: they rise and fall together."""
    records = varied({"lp": {1.0: 0.1}, "svm": {1.0: 0.3}}, n_rows=n_rows[0], n_test=7)
    second = varied({"lp": {1.0: 0.2}, "svm": {1.0: 0.3}}, n_rows=n_rows[1], n_test=7, **other)
    records += [row for row in second if row["repetition"] in (0, 3, 4)]
    by_point = gains(records, lambda row: str((row["dataset"], row["dataset_params"])))
    means = [np.mean([each[at] for each in by_point.values()]) for at in (0, 3, 4)]
    low, high = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
    evidence = judged({"order": ["lp", "svm"], "on_average": "all"}, records).evidence
    assert evidence.startswith(f"lp - svm = {np.mean(means):+.4f} [{low:+.4f}, {high:+.4f}] on average over 2 points")


def test_a_printed_number_with_its_error():
    """By Welch's test from mean and standard deviation, where the paper's error is of as many repetitions."""
    records = rows({"lp": {None: 0.25}, "svm": {None: 0.30}})
    values = [row["metrics"]["error"] for row in records if row["algorithm"] == "lp"]
    number = {"algorithm": "lp", "value": 0.24, "stderr": 0.01}
    near, error = judged(number, records), math.hypot(scipy.stats.sem(values), 0.01)
    spreads = np.std(values, ddof=1), 0.01 * math.sqrt(5)
    welch = scipy.stats.ttest_ind_from_stats(0.25, spreads[0], 5, 0.24, spreads[1], 5, equal_var=False)
    freedom = error**4 / (scipy.stats.sem(values) ** 4 / 4 + 0.01**4 / 4)
    half = scipy.stats.t.ppf(0.975, freedom) * error
    assert 2 * scipy.stats.t.sf(0.01 / error, freedom) == pytest.approx(welch.pvalue)
    assert (near.outcome, near.number.consistent) == ("supported", True)
    assert (near.number.low, near.number.high) == pytest.approx((0.01 - half, 0.01 + half), rel=1e-3)
    far = judged(number | {"value": 0.22, "stderr": 0.002}, records)
    assert (far.outcome, far.number.consistent) == ("contradicted", False)
    gain = judged(number | {"minus": "svm", "value": -0.05, "stderr": 0.001}, records)
    assert (gain.outcome, gain.number.ours) == ("supported", pytest.approx(-0.05))


@pytest.mark.parametrize(("value", "outcome"), [(0.25, "supported"), (0.22, "contradicted")])
def test_a_printed_number_is_judged_by_its_distance_also_where_repetitions_were_looked_at_after_each(value, outcome):
    five = rows({"lp": {None: 0.25}})
    records = [row | {"repetition": row["repetition"] + 5 * times} for times in range(6) for row in five]
    number = {"algorithm": "lp", "value": value, "stderr": 0.002}
    found = judged(number, records, estimator=sequential_estimate)
    assert found.outcome == outcome
    assert found.number.low < 0.25 - value < found.number.high


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ({"order": ["lp", "svm"]}, "absent"),
        ({"order": ["lp", "svm"]}, "failed"),
        ({"algorithm": "lp", "between": [0, 0.7]}, "failed"),
    ],
)
def test_a_data_set_that_one_algorithm_lacks_counts_for_neither_and_nothing_is_supported_without_it(claim, status):
    group = rows({"lp": {0.0: 0.10}, "svm": {0.0: 0.12}}, dataset="easy", group="g")
    group += rows({"lp": {0.0: 0.60}, "svm": {0.0: 0.62}}, dataset="hard", group="g")
    claim |= {"groups": ["g"]}
    assert judged(claim, group).outcome == "supported"
    part = [row | {"status": status if (row["dataset"], row["algorithm"]) == ("hard", "lp") else "ok"} for row in group]
    found = judged(claim, [row for row in part if row["status"] != "absent"])
    assert (found.outcome, found.evidence.rpartition("; ")[2]) == ("undecided", "no trial of lp on hard")


@pytest.mark.parametrize("hard", [10, 5])
@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ({"algorithm": "lp", "between": [0.25, 0.35], "at": [1.0]}, "lp = 0.3000"),
        ({"algorithm": "lp", "exponent": [0.9, 1.1]}, "lp grows with the power 1.00"),
        ({"order": ["lp", "svm"], "breakdown": 0.45}, "0.45 is passed, or the axis ends, by lp at 4, svm at 2"),
    ],
)
def test_part_of_an_interrupted_run_is_judged_as_the_whole(claim, evidence, hard):
    """The hard data set has as many repetitions as the easy one, or fewer: it is never left out."""
    easy = {name: {1.0: 0.10, 2.0: 0.20, 4.0: 0.40} for name in ("lp", "svm")}
    lp = {1.0: 0.50, 2.0: 1.0, 4.0: 2.0} if "exponent" in claim else {1.0: 0.50, 2.0: 0.60, 4.0: 0.70}
    values = {"easy": easy, "hard": {"lp": lp, "svm": {1.0: 0.50, 2.0: 0.90, 4.0: 0.95}}}
    records = []
    for name, count in (("easy", 10), ("hard", hard)):
        five = rows(values[name], dataset=name, group="g")
        records += [row | {"repetition": row["repetition"] + more} for more in range(0, count, 5) for row in five]
    whole = judged(claim | {"groups": ["g"]}, records)
    assert whole.evidence.startswith(evidence)
    assert whole.outcome == "supported"


def test_an_end_that_no_value_can_pass_is_no_limit_to_be_close_to():
    records = rows({"lp": {1.0: 0.0}}, n_rows=200, n_test=20)
    (point,) = judged({"algorithm": "lp", "between": [0, 0.005]}, records, limits=(0.0, 1.0)).judged
    assert not point.supported
    assert point.slack == 0.005  # 0, when the end at 0 was one to be told apart from
