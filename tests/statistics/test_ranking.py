"""Demsar 2006 (Statistical comparisons of classifiers over multiple data sets), worked example of Table 6."""

import numpy as np
import pytest
from scipy import stats

from benchkit.report.comparisons import holm, repetitions_needed
from benchkit.statistics.ranking import critical_difference, friedman, rank_algorithms

# AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 datasets. The paper prints 0.975 twice for voting, but ranks it 2 and 3.
TABLE = {
    "adult (sample)": (0.763, 0.768, 0.771, 0.798),
    "breast cancer": (0.599, 0.591, 0.590, 0.569),
    "breast cancer wisconsin": (0.954, 0.971, 0.968, 0.967),
    "cmc": (0.628, 0.661, 0.654, 0.657),
    "ionosphere": (0.882, 0.888, 0.886, 0.898),
    "iris": (0.936, 0.931, 0.916, 0.931),
    "liver disorders": (0.661, 0.668, 0.609, 0.685),
    "lung cancer": (0.583, 0.583, 0.563, 0.625),
    "lymphography": (0.775, 0.838, 0.866, 0.875),
    "mushroom": (1.000, 1.000, 1.000, 1.000),
    "primary tumor": (0.940, 0.962, 0.965, 0.962),
    "rheum": (0.619, 0.666, 0.614, 0.669),
    "voting": (0.972, 0.981, 0.97501, 0.975),
    "wine": (0.957, 0.978, 0.946, 0.970),
}
NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
SCORES = {dataset: dict(zip(NAMES, row, strict=True)) for dataset, row in TABLE.items()}


def test_average_ranks_and_order():
    ranking = rank_algorithms(SCORES, greater_is_better=True)
    assert dict(zip(ranking.algorithms, ranking.ranks, strict=True)) == pytest.approx(
        {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}, abs=5e-4
    )
    assert ranking.algorithms[0] == "C4.5+m+cf"
    assert ranking.tested


def test_friedman_and_iman_davenport():
    ranks, chi_square, f, p = friedman(-np.array(list(TABLE.values())))
    # The paper's 9.28 and 3.69 are without the correction for ties, which SciPy and we apply.
    n, k = 14, 4
    plain = 12 * n / (k * (k + 1)) * (np.sum(ranks**2) - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=5e-3)
    assert (n - 1) * plain / (n * (k - 1) - plain) == pytest.approx(3.69, abs=5e-3)
    assert chi_square == pytest.approx(stats.friedmanchisquare(*zip(*TABLE.values(), strict=True)).statistic)
    assert f == pytest.approx((n - 1) * chi_square / (n * (k - 1) - chi_square))
    assert p == pytest.approx(stats.f.sf(f, 3, 39))
    assert p < 0.05


@pytest.mark.parametrize("k", range(2, 18))
def test_tabled_critical_differences_are_those_computed(k):
    q = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
    assert critical_difference(k, 10) == pytest.approx(q * np.sqrt(k * (k + 1) / 60), rel=3e-5)


def test_critical_differences_of_the_paper():
    """Section 3.2.2: CD = 1.25 at 0.05 and 1.12 at 0.10; Table 5(a): q = 1.960, 2.343, 2.569, 2.728, ..., 3.164."""
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert critical_difference(4, 14, 0.10) == pytest.approx(1.12, abs=5e-3)
    for k, q in {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 9: 3.102, 10: 3.164}.items():
        assert critical_difference(k, 1) / np.sqrt(k * (k + 1) / 6) == pytest.approx(q, abs=1e-3)


def test_cliques_join_what_does_not_differ():
    """Figure 1(a) of the paper: at 0.10 C4.5 differs from C4.5+m and C4.5+m+cf; C4.5+cf may belong to either group."""
    at_ten = rank_algorithms(SCORES, greater_is_better=True, alpha=0.10)
    assert at_ten.algorithms == ("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")
    assert at_ten.cliques == [(0, 2), (2, 3)]
    # At 0.05 the largest distance, 3.143 - 1.964, is below 1.25.
    assert rank_algorithms(SCORES, greater_is_better=True).cliques == [(0, 3)]


def test_duels_count_every_pair_once_per_dataset():
    ranking = rank_algorithms(SCORES, greater_is_better=True)
    assert sum(ranking.wins) == sum(ranking.losses)
    assert sum(ranking.wins) + sum(ranking.losses) + sum(ranking.ties) == 14 * 4 * 3
    # C4.5+m against C4.5 alone (Table 2): losses on breast cancer and iris, ties on lung cancer and mushroom.
    pair = {name: {key: row[key] for key in ("C4.5", "C4.5+m")} for name, row in SCORES.items()}
    two = rank_algorithms(pair, greater_is_better=True)
    assert (two.algorithms[0], two.wins[0], two.ties[0], two.losses[0]) == ("C4.5+m", 10, 2, 2)


def test_an_algorithm_that_lacks_a_dataset_is_left_out_and_named():
    scores = {**SCORES, "wine": {key: SCORES["wine"][key] for key in NAMES[:3]}}
    ranking = rank_algorithms(scores, greater_is_better=True)
    assert ranking.left_out == ("C4.5+m+cf",)
    assert "C4.5+m+cf" in ranking.summary
    assert rank_algorithms({"wine": SCORES["wine"]}, greater_is_better=True) is None


def test_two_datasets_are_too_few_for_a_test():
    ranking = rank_algorithms({name: SCORES[name] for name in ("iris", "wine")}, greater_is_better=True)
    assert not ranking.tested
    assert "too few" in ranking.summary


def test_holm_of_the_paper():
    """Section 3.2.2: p = .016, .019, .607; Holm rejects the first two at 0.05 (.016 < .017, .019 < .025)."""
    assert holm([0.607, 0.019, 0.016]) == pytest.approx([0.607, 0.048, 0.048])


def test_holm_keeps_order_and_stays_below_one():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


@pytest.mark.parametrize("comparisons", [1, 2, 6, 20])
def test_repetitions_needed_are_just_enough(comparisons):
    needed = repetitions_needed(comparisons)
    assert comparisons * 2 / 2**needed < 0.05 <= comparisons * 2 / 2 ** (needed - 1)
