"""Claims are supported, contradicted or undecided by intervals, or have not been run."""

import numpy as np
import pytest

from tests.report.claims.conftest import PLACE, TRIVIAL
from tests.report.claims.conftest import judged as verdict


def rows(values, repetitions=5, spread=0.005, **fields):
    """Records whose values by algorithm and budget are means over repetitions, each algorithm with noise of its own."""
    rng = np.random.default_rng(0)
    made = []
    for (algorithm, budget), value in values.items():
        noise = rng.normal(size=repetitions)
        noise = spread * (noise - noise.mean()) / (noise.std(ddof=1) if repetitions > 1 else 1)
        known = PLACE | {"algorithm": algorithm, "axis_value": budget} | fields
        made += [known | {"repetition": at, "metrics": {"error": value + by}} for at, by in enumerate(noise.tolist())]
    return made


MEANS = {("lp", 0.0): 0.10, ("svm", 0.0): 0.08, ("lp", 2.0): 0.2, ("svm", 2.0): 0.4}
RECORDS = rows(MEANS)


@pytest.mark.parametrize(
    ("claim", "outcome", "evidence"),
    [
        ({"order": ["lp", "svm"]}, "contradicted", "lp - svm = +0.0200"),
        ({"order": ["lp", "svm"], "at": [2]}, "supported", "lp - svm = -0.2000"),
        ({"order": ["lp", "svm"], "by": 0.2, "at": [2]}, "undecided", "lp - svm = -0.2000"),
        ({"order": ["lp", "svm"], "tolerance": 0.05}, "supported", "+0.0200"),
        ({"order": ["lp", "svm"], "datasets": ["other"]}, "not run", "no trial"),
        ({"order": ["lp", "fdrop"]}, "not run", "no trial"),
        ({"order": ["lp", "svm"], "at": [7, 8.5]}, "not run", "no trial at 7, 8.5: the axis has 0, 2"),
        ({"algorithm": "svm", "between": [0.3, 0.5], "at": [2]}, "supported", "svm = 0.4000"),
        ({"algorithm": "svm", "between": [0.3, 0.4], "at": [2]}, "undecided", "svm = 0.4000"),
        ({"algorithm": "svm", "between": [0.3, 0.35], "at": [2]}, "contradicted", "svm = 0.4000"),
        ({"algorithm": "svm", "value": 0.4, "at": [2], "tolerance": 0.01}, "supported", "svm = 0.4000"),
        ({"algorithm": "svm", "value": 0.3, "at": [2], "tolerance": 0.01}, "contradicted", "svm = 0.4000"),
        ({"algorithm": "lp", "monotone": "increasing"}, "supported", "lp changes by +0.1000"),
        ({"algorithm": "lp", "monotone": "decreasing"}, "contradicted", "lp changes by +0.1000"),
        ({"algorithm": "lp", "monotone": "decreasing", "tolerance": 0.2}, "supported", "+0.1000"),
        ({"algorithm": "lp", "monotone": "decreasing", "at": [2]}, "not run", "no trial"),
        ({"algorithm": "fdrop", "value": 0.3}, "not run", "no trial"),
        ({"order": ["lp", "svm"], "at": [2, 7, 9], "datasets": ["d", "e"]}, "supported", "; no trial on e; at 7, 9"),
    ],
)
def test_outcomes(claim, outcome, evidence):
    judged = verdict(claim, RECORDS)
    assert judged.outcome == outcome
    assert evidence in judged.evidence


def test_every_point_counts_not_only_the_one_that_is_nearest_to_the_limit():
    """The nearest point is certain, another is not: the claim is not decided by the nearest."""
    certain = rows({("lp", 0.0): 0.1, ("svm", 0.0): 0.11}, spread=0.0005)
    noisy = rows({("lp", 1.0): 0.1, ("svm", 1.0): 0.2}, spread=0.2)
    judged = verdict({"order": ["lp", "svm"]}, [*certain, *noisy])
    assert (judged.outcome, judged.supported, judged.undecided) == ("undecided", 1, 1)
    assert "at d a 1" in judged.evidence


@pytest.mark.parametrize("repetitions", [1, 2])
def test_one_or_two_repetitions_decide_nothing(repetitions):
    judged = verdict({"order": ["lp", "svm"], "at": [2]}, rows(MEANS, repetitions))
    assert judged.outcome == "undecided"
    assert "run 3 at least" in judged.summary


def test_identical_methods_do_not_beat_each_other():
    for drawn in ({}, {"n_rows": 300, "n_test": 100, "folds": None, "generated": False}):
        same = rows({("lp", 1.0): 0.2, ("svm", 1.0): 0.2}, **drawn)
        same = [row | {"metrics": {"error": 0.2 + 0.01 * row["repetition"]}} for row in same]
        assert verdict({"order": ["lp", "svm"]}, same).outcome == "undecided"


def test_intervals_stay_in_the_metrics_range():
    wide = rows({("lp", 0.0): 0.5}, repetitions=3, spread=0.4) + rows({("svm", 0.0): 0.5}, repetitions=3, spread=-0.4)
    assert "[0.0000, 1.0000]" in verdict({"algorithm": "lp", "value": 0.5}, wide, limits=(0, 1)).evidence
    assert "[-1.0000, +1.0000]" in verdict({"order": ["lp", "svm"]}, wide, limits=(0, 1)).evidence
    # What cannot be below 0 is no less than 0.
    small = rows({("lp", 0.0): 0.001}, spread=0.002)
    claim = {"algorithm": "lp", "between": [0, 0.1]}
    assert verdict(claim, small, limits=(0, 1)).outcome == "supported"
    assert verdict(claim, small).outcome == "undecided"


def test_points_where_all_are_at_chance_prove_nothing():
    records = RECORDS + rows({("constant", 0.0): 0.5, ("constant", 2.0): 0.15})
    judged = verdict({"order": ["lp", "svm"]}, records, trivial=TRIVIAL)
    # At 2 both are worse than the constant; at 0 LP is worse than the SVM.
    assert (judged.outcome, judged.at_chance, judged.points) == ("contradicted", ("d a 2",), 1)
    assert "at chance, where nothing can be concluded, at d a 2" in judged.summary
    alone = verdict({"alike": ["lp", "svm"], "tolerance": 0.9, "at": [2]}, records, trivial=TRIVIAL)
    assert (alone.outcome, alone.points) == ("undecided", 0)
    told = verdict({"algorithm": "lp", "value": 0.2, "tolerance": 0.1, "at": [2]}, records, trivial=TRIVIAL)
    assert (told.outcome, told.at_chance) == ("supported", ())


def test_the_mean_of_the_targets_is_chance_of_a_regression_in_whatever_unit():
    for unit in (1.0, 1e6, 1e-6):
        values = {name: unit * value for name, value in {**MEANS, ("mean", 0.0): 0.5, ("mean", 2.0): 0.2}.items()}
        records = rows(values, spread=0.005 * unit)
        judged = verdict({"order": ["lp", "svm"]}, records, trivial=TRIVIAL, limits=(0, np.inf))
        assert (judged.outcome, judged.at_chance) == ("contradicted", ("d a 2",)), unit
    beaten = {**MEANS, ("mean", 0.0): 0.5, ("mean", 2.0): 0.5}
    assert verdict({"order": ["lp", "svm"]}, rows(beaten), trivial=TRIVIAL).at_chance == ()


def test_folds_of_one_shuffle_are_no_repetitions():
    folded = rows({("lp", 0.0): 0.1}, repetitions=10, n_rows=100, n_test=10, folds=10, generated=False)
    assert verdict({"algorithm": "lp", "between": [0, 0.5]}, folded).outcome == "undecided"
    shuffled = rows({("lp", 0.0): 0.1}, repetitions=40, n_rows=100, n_test=10, folds=10, generated=False)
    judged = verdict({"algorithm": "lp", "between": [0, 0.5]}, shuffled)
    assert (judged.outcome, judged.repetitions) == ("supported", 4)


def test_a_claim_on_a_group_is_on_its_mean():
    pairs = []
    for pair, shift in ((1, 0.1), (2, -0.1)):
        shifted = {place: mean + shift for place, mean in MEANS.items()}
        pairs += rows(shifted, dataset_params={"pair": pair}, group="g")
    claim = {"algorithm": "lp", "value": 0.1, "at": [0], "tolerance": 0.01}
    assert verdict({**claim, "groups": ["g"]}, pairs).outcome == "supported"
    assert verdict({**claim, "datasets": ["d"]}, pairs).outcome == "contradicted"


def test_one_point_of_several_that_seems_broken_is_judged_after_holm_s_correction():
    """One point of ten seems broken: its p-value is judged at a tenth of what one point would have."""
    claim, broken = {"algorithm": "lp", "between": [0, 0.198]}, {("lp", 0.0): 0.2}
    among = broken | {("lp", float(place)): 0.15 for place in range(1, 10)}
    # s = 0.005, distance 0.002: t s / sqrt(n) < 0.002 from n = 27 on, and from 55 on for t of 1 - 0.05 / 10.
    for repetitions, decided in ((5, []), (27, [broken]), (55, [broken, among])):
        for points in (broken, among):
            outcome = "contradicted" if points in decided else "undecided"
            assert verdict(claim, rows(points, repetitions=repetitions)).outcome == outcome


CLOSE = rows({("lp", 2.0): 0.2, ("o2b", 2.0): 0.201})


@pytest.mark.parametrize(
    ("third", "absent"),
    [
        ({}, "no trial of svm"),
        ({"status": "failed"}, "no trial of svm"),
        ({"metrics": {"error": None}}, "no trial of svm"),
        ({"repetition": 20}, "no trial that lp and svm share; that o2b and svm share"),
    ],
)
def test_a_method_without_a_trial_that_can_be_compared_supports_nothing(third, absent):
    assert verdict({"alike": ["lp", "o2b"], "tolerance": 0.02}, CLOSE).outcome == "supported"
    others = [row | {"algorithm": "svm"} | third for row in CLOSE[:5] if third]
    judged = verdict({"alike": ["lp", "o2b", "svm"], "tolerance": 0.02}, CLOSE + others)
    assert judged.outcome == "undecided"
    assert absent in judged.evidence
    # One pair that is apart is enough to contradict.
    apart = rows({("lp", 2.0): 0.2, ("o2b", 2.0): 0.4})
    assert verdict({"alike": ["lp", "o2b", "svm"], "tolerance": 0.02}, apart).outcome == "contradicted"


def test_a_verdict_tells_whose_published_rows_it_stands_on():
    joined = [row | ({"published_with": "other"} if row["repetition"] == 1 else {}) for row in RECORDS]
    claim = {"algorithm": "lp", "between": [0, 0.5]}
    assert verdict(claim, joined).evidence.endswith("; 1 of 5 repetitions with rows of other")
    assert "with rows of" not in verdict(claim, RECORDS).evidence
