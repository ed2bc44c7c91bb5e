"""Claims of likeness, of powers, of breakdown, and about what every record measures."""

import math

import numpy as np
import pytest
import scipy.stats

from benchkit.report.claims.forms import decimal
from benchkit.report.claims.verdict import judge
from benchkit.statistics.time_uniform import sequential_estimate
from benchkit.suite.claims import read_claim

CLAIM = {"claim": "c", "source": "s"}


def rows(curves, **fields):
    """Records of five repetitions from values by algorithm and axis value."""
    known = {"status": "ok", "dataset": "d", "dataset_params": {}, "group": None, "adversary": "a", "axis": "budget"}
    known |= {"n_rows": 2000, "n_test": 1000, "folds": None, "generated": False}
    return [
        known
        | {"algorithm": algorithm, "axis_value": place, "repetition": repetition}
        | {"metrics": {"error": value * (1 + 0.005 * (repetition - 2))}, "peak_mb": 100 * value}
        | fields
        for algorithm, curve in curves.items()
        for place, value in curve.items()
        for repetition in range(5)
    ]


def outcome(claim, records, metric="error"):
    verdict = judge(read_claim({**CLAIM, **claim}), records, metric, greater_is_better=False)
    return verdict.outcome, verdict.evidence


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ({"order": ["lp", "svm"], "by": 0.19, "at": [2]}, "supported"),
        ({"order": ["lp", "svm"], "by": 0.25, "at": [2]}, "contradicted"),
        ({"order": ["lp", "svm"], "by": 0.25, "tolerance": 0.1, "at": [2]}, "supported"),
        ({"alike": ["lp", "svm"], "tolerance": 0.03, "at": [1]}, "supported"),
        ({"alike": ["svm", "lp"], "tolerance": 0.03}, "contradicted"),
        ({"algorithm": "lp", "monotone": "constant", "tolerance": 0.11}, "supported"),
        ({"algorithm": "lp", "monotone": "constant", "tolerance": 0.09}, "contradicted"),
        ({"algorithm": "lp", "exponent": [0.9, 1.1]}, "supported"),
        ({"algorithm": "lp", "exponent": [1.1, 2]}, "contradicted"),
    ],
)
def test_forms(claim, expected):
    records = rows({"lp": {1.0: 0.1, 2.0: 0.2}, "svm": {1.0: 0.08, 2.0: 0.4}})
    assert outcome(claim, records)[0] == expected


def test_every_pair_must_be_alike():
    records = rows({"a": {1.0: 0.1}, "b": {1.0: 0.12}, "c": {1.0: 0.14}})
    assert outcome({"alike": ["a", "b", "c"], "tolerance": 0.03}, records)[0] == "contradicted"


def varied(curves, **fields):
    """As `rows`, the repetitions of each algorithm apart by other amounts."""
    return [
        row | {"metrics": {"error": row["metrics"]["error"] + 0.003 * ((7 * row["repetition"]) % 5) * (i % 3)}}
        for i, (name, curve) in enumerate(curves.items())
        for row in rows({name: curve}, **fields)
    ]


def test_a_mean_over_points_is_one_paired_interval():
    """By hand: per repetition the mean of the differences at the points, then Student's t of these five numbers."""
    records = varied({"lp": {1.0: 0.10, 2.0: 0.25, 4.0: 0.30}, "svm": {1.0: 0.20, 2.0: 0.24, 4.0: 0.40}})
    error = {(r["algorithm"], r["axis_value"], r["repetition"]): r["metrics"]["error"] for r in records}
    means = [np.mean([error["lp", at, r] - error["svm", at, r] for at in (1.0, 2.0, 4.0)]) for r in range(5)]
    low, high = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
    every = {"order": ["lp", "svm"]}
    assert outcome(every, records)[0] != "supported"
    found, evidence = outcome(every | {"on_average": "all"}, records)
    assert found == "supported"
    assert evidence == (
        f"lp - svm = {np.mean(means):+.4f} [{low:+.4f}, {high:+.4f}] on average over 3 points "
        "(2 better, 0 worse, 1 open) of d a"
    )


def test_a_mean_over_all_curves_and_one_along_each():
    one = varied({"lp": {1.0: 0.1, 2.0: 0.1}, "svm": {1.0: 0.3, 2.0: 0.3}})
    other = varied({"lp": {1.0: 0.22, 2.0: 0.2}, "svm": {1.0: 0.2, 2.0: 0.2}}, dataset="e")
    claim = {"order": ["lp", "svm"]}
    assert outcome(claim | {"on_average": "all"}, one + other)[0] == "supported"
    assert outcome(claim | {"on_average": "curve"}, one)[0] == "supported"
    found, evidence = outcome(claim | {"on_average": "curve"}, one + other)
    assert found != "supported"
    assert "of e a (decisive of 2)" in evidence


def _of_two_labels(*n_rows):
    """Five repetitions of one and three of the other; no error is a number of their seven test rows."""
    one = varied({"lp": {1.0: 0.1}, "svm": {1.0: 0.3}}, n_rows=n_rows[0], n_test=7)
    other = varied({"lp": {1.0: 0.2}, "svm": {1.0: 0.3}}, dataset="e", n_rows=n_rows[1], n_test=7)
    return one, [row for row in other if row["repetition"] in (0, 3, 4)]


def test_each_data_set_of_a_mean_brings_all_its_repetitions():
    """Three of one and five of the other: by hand, Banerjee's interval of the two means of differences."""
    one, other = _of_two_labels(20, 21)
    differences = []
    for records in (one, other):
        error = {(r["algorithm"], r["repetition"]): r["metrics"]["error"] for r in records}
        differences.append([error["lp", at] - error["svm", at] for at in sorted({r["repetition"] for r in records})])
    halves = [scipy.stats.t.ppf(0.975, len(each) - 1) * scipy.stats.sem(each) / 2 for each in differences]
    mean = np.mean([np.mean(each) for each in differences])
    _, evidence = outcome({"order": ["lp", "svm"], "on_average": "all"}, one + other)
    low, high = mean - math.hypot(*halves), mean + math.hypot(*halves)
    assert evidence.startswith(f"lp - svm = {mean:+.4f} [{low:+.4f}, {high:+.4f}] on average over 2 points")


def test_every_point_of_a_mean_counts_alike():
    """Two points of one data set and one of the other: by hand, weights of 2/3 and 1/3."""
    one = varied({"lp": {1.0: 0.1, 2.0: 0.2}, "svm": {1.0: 0.3, 2.0: 0.31}}, n_rows=20, n_test=7)
    _, other = _of_two_labels(20, 21)
    error = {
        (r["dataset"], r["axis_value"], r["algorithm"], r["repetition"]): r["metrics"]["error"] for r in one + other
    }
    differences = {key[:2]: [] for key in error}
    for data, at, name, repetition in error:
        if name == "lp":
            differences[data, at].append(error[data, at, "lp", repetition] - error[data, at, "svm", repetition])
    mean = np.mean([np.mean(each) for each in differences.values()])
    own = np.mean([differences["d", 1.0], differences["d", 2.0]], axis=0)
    halves = [scipy.stats.t.ppf(0.975, len(each) - 1) * scipy.stats.sem(each) for each in (own, differences["e", 1.0])]
    half = math.hypot(2 / 3 * halves[0], halves[1] / 3)
    _, evidence = outcome({"order": ["lp", "svm"], "on_average": "all"}, one + other)
    assert evidence.startswith(
        f"lp - svm = {mean:+.4f} [{mean - half:+.4f}, {mean + half:+.4f}] on average over 3 points"
    )


@pytest.mark.parametrize("n_rows", [20, None])
def test_two_labels_of_one_table_share_its_splits(n_rows):
    """Their differences are averaged within the repetitions that both have: they rise and fall together."""
    one, other = _of_two_labels(n_rows, n_rows)
    error = {(r["dataset"], r["algorithm"], r["repetition"]): r["metrics"]["error"] for r in one + other}
    means = [np.mean([error[data, "lp", at] - error[data, "svm", at] for data in "de"]) for at in (0, 3, 4)]
    low, high = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
    _, evidence = outcome({"order": ["lp", "svm"], "on_average": "all"}, one + other)
    assert evidence.startswith(f"lp - svm = {np.mean(means):+.4f} [{low:+.4f}, {high:+.4f}] on average over 2 points")


def test_one_data_set_with_two_parameters_is_averaged_within_repetitions():
    """Also where the numbers of rows differ, as along an axis of the data's own: one may be a part of the other."""
    one, other = _of_two_labels(20, 21)
    other = [row | {"dataset": "d", "dataset_params": {"n": 21}} for row in other]
    error = {(r["n_rows"], r["algorithm"], r["repetition"]): r["metrics"]["error"] for r in one + other}
    means = [np.mean([error[n, "lp", at] - error[n, "svm", at] for n in (20, 21)]) for at in (0, 3, 4)]
    low, high = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
    _, evidence = outcome({"order": ["lp", "svm"], "on_average": "all"}, one + other)
    assert evidence.startswith(f"lp - svm = {np.mean(means):+.4f} [{low:+.4f}, {high:+.4f}] on average over 2 points")


def test_a_mean_over_data_sets_of_which_none_has_a_whole_repetition():
    """Each ended at one point in one repetition, at the other in another: nothing is compared, and nothing fails."""
    records = []
    for data, n_rows in (("d", 20), ("e", 21)):
        made = varied({"lp": {1.0: 0.1, 2.0: 0.2}, "svm": {1.0: 0.3, 2.0: 0.4}}, dataset=data, n_rows=n_rows)
        records += [row for row in made if (row["axis_value"], row["repetition"]) in ((1.0, 0), (2.0, 1))]
    assert outcome({"order": ["lp", "svm"], "on_average": "all"}, records)[0] == "not run"


def test_points_without_signal_count_for_nothing_in_a_mean():
    """A point has signal where the best method is .02 better than the constant: .48 is, of .50."""
    curves = {"lp": {1.0: 0.1, 2.0: 0.49, 4.0: 0.48}, "svm": {1.0: 0.3, 2.0: 0.49, 4.0: 0.5}}
    records = rows(curves | {"constant": dict.fromkeys((1.0, 2.0, 4.0), 0.5)})
    claim = read_claim({**CLAIM, "order": ["lp", "svm"], "on_average": "all"})
    verdict = judge(claim, records, "error", greater_is_better=False, limits=(0, 1), chance=True)
    assert "over 2 points" in verdict.evidence
    assert verdict.at_chance == ("d a 2",)


def test_a_printed_number_with_its_error():
    """By Welch's test from mean and standard deviation, where the paper's error is of as many repetitions."""
    records = rows({"lp": {None: 0.25}, "svm": {None: 0.30}})
    values = [row["metrics"]["error"] for row in records if row["algorithm"] == "lp"]
    ours = scipy.stats.sem(values)
    judged = judge(read_claim({**CLAIM, "algorithm": "lp", "value": 0.24, "stderr": 0.01}), records, "error", False)
    spreads = np.std(values, ddof=1), 0.01 * math.sqrt(5)
    welch = scipy.stats.ttest_ind_from_stats(0.25, spreads[0], 5, 0.24, spreads[1], 5, equal_var=False)
    freedom = (ours**2 + 0.01**2) ** 2 / (ours**4 / 4 + 0.01**4 / 4)
    half = scipy.stats.t.ppf(0.975, freedom) * math.hypot(ours, 0.01)
    assert 2 * scipy.stats.t.sf(0.01 / math.hypot(ours, 0.01), freedom) == pytest.approx(welch.pvalue)
    assert judged.outcome == "supported"
    assert (judged.number.low, judged.number.high) == pytest.approx((0.01 - half, 0.01 + half), rel=1e-3)
    assert judged.number.consistent
    far = judge(read_claim({**CLAIM, "algorithm": "lp", "value": 0.22, "stderr": 0.002}), records, "error", False)
    assert (far.outcome, far.number.consistent) == ("contradicted", False)
    gain = {"algorithm": "lp", "minus": "svm", "value": -0.05, "stderr": 0.001}
    judged = judge(read_claim({**CLAIM, **gain}), records, "error", False)
    assert judged.outcome == "supported"
    assert judged.number.ours == pytest.approx(-0.05)


def test_a_printed_number_is_judged_by_its_distance_also_where_repetitions_were_looked_at_after_each():
    five = rows({"lp": {None: 0.25}})
    records = [row | {"repetition": row["repetition"] + 5 * times} for times in range(6) for row in five]
    for value, found in ((0.25, "supported"), (0.22, "contradicted")):
        claim = read_claim({**CLAIM, "algorithm": "lp", "value": value, "stderr": 0.002})
        judged = judge(claim, records, "error", False, estimator=sequential_estimate)
        assert judged.outcome == found
        assert judged.number.low < 0.25 - value < judged.number.high


def test_a_power_of_the_size_of_generated_data():
    records = [
        row | {"dataset_params": {"n": row["axis_value"], "margin": 1}}
        for row in rows({"lp": {n: 3.0 * n**2 for n in (10, 20, 40)}}, axis="dataset.n")
    ]
    found, evidence = outcome({"algorithm": "lp", "exponent": [1.95, 2.05]}, records)
    assert found == "supported"
    assert "lp grows with the power 2.00 [2.00, 2.00] at d margin=1 a" in evidence


def test_measures_of_the_record_can_be_claimed():
    records = rows({"lp": {1.0: 0.5}})
    assert outcome({"algorithm": "lp", "between": [40, 60]}, records, "peak_mb")[0] == "supported"
    assert outcome({"algorithm": "lp", "between": [40, 60]}, records, "cpu_minutes")[0] == "not run"


def test_who_lasts_longer():
    records = rows({"lp": {0: 0.1, 1: 0.1, 2: 0.3}, "svm": {0: 0.1, 1: 0.3, 2: 0.3}})
    claim = {"order": ["lp", "svm"], "breakdown": 0.2}
    found, evidence = outcome(claim, records)
    assert found == "supported"
    assert "0.2 is passed by lp at 2, svm at 1, lp - svm = +1.0000" in evidence
    assert outcome({**claim, "by": 2}, records)[0] == "contradicted"
    assert outcome({"order": ["svm", "lp"], "breakdown": 0.2}, records)[0] == "contradicted"
    # Neither passes 0.5: both last to the end, and neither longer.
    assert outcome({**claim, "breakdown": 0.5}, records)[0] == "undecided"
    assert "+0.0000" in outcome({**claim, "breakdown": 0.5}, records)[1]


@pytest.mark.parametrize(
    "claim",
    [{"algorithm": "lp", "exponent": [0.9, 1.1]}, {"order": ["lp", "svm"], "breakdown": 0.2}],
)
def test_without_numbers_on_the_axis_there_is_nothing_to_judge(claim):
    """Journals of suites that are refused by now are still reported on."""
    records = rows({"lp": {"a": 0.1, "b": 0.2}, "svm": {"a": 0.3, "b": 0.3}}, axis="algorithm.kind")
    assert outcome(claim, records)[0] == "not run"


def test_what_the_paper_says_and_the_likely_reason_come_along():
    claim = read_claim({**CLAIM, "order": ["svm", "lp"], "paper": "0.22", "reason": "chance"})
    verdict = judge(claim, rows({"lp": {1.0: 0.1}, "svm": {1.0: 0.2}}), "error", greater_is_better=False)
    assert (verdict.outcome, verdict.paper, verdict.reason) == ("contradicted", "0.22", "chance")


def test_a_dataset_that_one_algorithm_lacks_counts_for_neither_and_nothing_is_supported_without_it():
    group = [
        {**row, "dataset": name, "group": "g", "metrics": {"error": row["metrics"]["error"] + shift}}
        for name, shift in (("easy", 0.0), ("hard", 0.5))
        for row in rows({"lp": {0.0: 0.10}, "svm": {0.0: 0.12}})
    ]
    lacking = [row for row in group if (row["dataset"], row["algorithm"]) != ("hard", "lp")]
    claim = read_claim({**CLAIM, "order": ["lp", "svm"], "groups": ["g"]})
    whole, part = (judge(claim, records, "error", greater_is_better=False) for records in (group, lacking))
    assert whole.evidence.startswith("lp - svm = -0.0200")
    assert part.evidence.startswith("lp - svm = -0.0200")
    assert (whole.outcome, part.outcome) == ("supported", "undecided")
    assert part.evidence.endswith("no trial of lp on hard")


@pytest.mark.parametrize("claim", [{"order": ["lp", "svm"]}, {"algorithm": "lp", "between": [0, 0.2]}])
def test_nothing_is_supported_without_a_data_set_on_which_all_trials_failed(claim):
    group = [
        {**row, "dataset": name, "group": "g", "status": status}
        for name, status in (("easy", "ok"), ("hard", "failed"))
        for row in rows({"lp": {0.0: 0.10}, "svm": {0.0: 0.12}})
    ]
    judged = judge(read_claim({**CLAIM, **claim, "groups": ["g"]}), group, "error", greater_is_better=False)
    assert judged.outcome == "undecided"
    assert "no trial of lp" in judged.evidence
    assert "on hard" in judged.evidence


def grouped(values, repetitions):
    """Records of a group of data sets, each with so many repetitions."""
    return [
        {**row, "dataset": name, "group": "g"}
        for name, curves in values.items()
        for row in rows(curves, repetitions=repetitions[name])
    ]


@pytest.mark.parametrize("hard", [10, 4])
@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ({"algorithm": "lp", "between": [0.25, 0.35], "at": [1.0]}, "lp = 0.3000"),
        ({"algorithm": "lp", "exponent": [0.9, 1.1]}, "lp grows with the power 1.00"),
        ({"order": ["lp", "svm"], "breakdown": 0.45}, "0.45 is passed by lp at 4, svm at 2"),
    ],
)
def test_part_of_an_interrupted_run_is_judged_as_the_whole(claim, evidence, hard):
    """The hard data set has as many repetitions as the easy one, or fewer: it is never left out."""
    values = {
        "easy": {"lp": {1.0: 0.10, 2.0: 0.20, 4.0: 0.40}, "svm": {1.0: 0.10, 2.0: 0.20, 4.0: 0.40}},
        "hard": {"lp": {1.0: 0.50, 2.0: 0.60, 4.0: 0.70}, "svm": {1.0: 0.50, 2.0: 0.90, 4.0: 0.95}},
    }
    if "exponent" in claim:
        values["hard"]["lp"] = {1.0: 0.50, 2.0: 1.0, 4.0: 2.0}
    records = grouped(values, {"easy": 10, "hard": hard})
    judged = judge(read_claim({**CLAIM, **claim, "groups": ["g"]}), records, "error", greater_is_better=False)
    assert judged.evidence.startswith(evidence)
    assert judged.outcome == "supported"


@pytest.mark.parametrize(
    ("value", "sign", "text"),
    [(2.3e-18, "+", "+0.0000"), (-2.3e-18, "-", "0.0000"), (0.05, "+", "+0.0500"), (1.234e-7, "-", "1.23e-07")],
)
def test_what_rounding_leaves_of_zero_is_zero(value, sign, text):
    assert decimal(value, sign) == text


def test_an_end_that_no_value_can_pass_is_no_limit_to_be_close_to():
    records = rows({"lp": {1.0: 0.0}}, n_rows=200, n_test=20)
    claim = read_claim({**CLAIM, "algorithm": "lp", "between": [0, 0.005]})
    (check,) = judge(claim, records, "error", greater_is_better=False, limits=(0.0, 1.0)).judged
    assert not check.supported
    assert check.slack == 0.005  # 0, when the end at 0 was one to be told apart from
