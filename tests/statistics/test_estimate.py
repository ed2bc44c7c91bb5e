"""Intervals of means and differences against SciPy and by simulation, at one look and at many."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, special, stats

from benchkit.report.points import sampling_of
from benchkit.statistics import Measurement, combination
from benchkit.statistics.estimate import (
    APART,
    estimate,
    out_of_reach,
    p_beyond,
    p_equivalent,
    pooled,
    relations,
    to_decide,
)
from benchkit.statistics.sampling import ROWS, Sample, Sampling, complete_repetitions, make_sample
from benchkit.statistics.time_uniform import (
    PRIOR,
    TIED_FROM,
    half_width,
    log_evidence,
    path_of,
    sequential_estimate,
    weaker,
)

VALUES = np.random.default_rng(5).normal(0.3, 1.0, 12)


def test_so_many_values_decide_as_scipys_intervals_of_them_first_exclude_0():
    repeated = 0.2 + VALUES - VALUES.mean()
    needed, _ = to_decide(estimate(Sample(repeated, 0.0)))
    widths = [stats.t.ppf(0.975, n - 1) * repeated.std(ddof=1) / math.sqrt(n) for n in range(12, 1000)]
    assert needed == 12 + next(place for place, width in enumerate(widths) if width < 0.2)
    never, times = to_decide(estimate(Sample(repeated, 0.5)))  # splits of one data set narrow no further
    assert never == math.inf
    half = stats.t.ppf(0.975, 11) * math.sqrt((1 / 12 + 0.5) * repeated.var(ddof=1))
    assert times == pytest.approx((half / 0.2) ** 2)


def test_independent_values_are_scipys_and_repeated_k_fold_is_bouckaert_and_franks():
    mean = estimate(Sample(VALUES, 0.0))
    test = stats.ttest_1samp(VALUES, 0.1)
    assert mean.p_differs(0.1) == pytest.approx(test.pvalue)
    assert mean.interval() == pytest.approx(tuple(test.confidence_interval(0.95)))
    low, high = mean.interval(0.95, (0.2, 0.4))
    assert 0.2 <= low < high <= 0.4
    for alternative, p in (("greater", mean.p_above(0.1)), ("less", mean.p_below(0.1))):
        assert p == pytest.approx(stats.ttest_1samp(VALUES, 0.1, alternative=alternative).pvalue)
    # t = mean / sqrt((1 / (k r) + n2 / n1) s^2) with k r - 1 degrees of freedom, for r = 3, k = 4.
    statistic = VALUES.mean() / math.sqrt((1 / 12 + 1 / 3) * VALUES.var(ddof=1))
    assert estimate(Sample(VALUES, 1 / 3)).p_differs() == pytest.approx(2 * stats.t.sf(abs(statistic), 11))


@pytest.mark.parametrize(
    ("sample", "decides", "interval"),
    [
        (Sample([0.5], 0.0), False, (math.nan, math.nan)),
        (Sample([0.5, 0.51], 0.0), False, (0.505 - 0.005 * 12.7062, 0.505 + 0.005 * 12.7062)),
        (Sample([0.5] * 3, 0.5), True, (0.5, 0.5)),
        (Sample([0.5] * 3, 0.5, sampled=False), False, (0.5, 0.5)),  # certain only where numbers of rows are known
        (Sample([0.0] * 10, 0.0, row_variance=4 / 1000**2), True, (0.0, 2.26216 * 2 / 1000)),
        # Balanced accuracy counts no rows: two equal values gave an interval of no width, as if all were known.
        (Sample([0.7125] * 2, 0.5), False, (0.0, 1.0)),
        (Sample([0.0] * 2, 0.5), False, (0.0, 0.0)),  # two methods that are the same
        (Sample([0.25] * 2, 0.5, row_variance=4 / 1000**2), False, (0.25 - 12.7062 * 0.002, 0.25 + 12.7062 * 0.002)),
        (Sample([0.1, 0.2, 0.4], math.inf), False, (0.0, 1.0)),
    ],
)
def test_few_repetitions_and_repetitions_that_agree(sample, decides, interval):
    mean = estimate(sample)
    assert mean.decides == decides
    assert mean.interval(limits=(0.0, 1.0)) == pytest.approx(interval, nan_ok=True, rel=1e-5)
    ends = (mean.p_above(-100), mean.p_below(100), mean.p_differs(-100))
    assert ends == pytest.approx((0, 0, 0) if decides else (1, 1, 1), abs=1e-9)


def test_equivalence_is_schuirmanns_two_tests_and_relations_are_corrected_over_the_family():
    mean = estimate(Sample(VALUES, 0.0))
    for margin in (0.2, 1.0, 2.0):
        upper = stats.ttest_1samp(VALUES, margin, alternative="less").pvalue
        lower = stats.ttest_1samp(VALUES, -margin, alternative="greater").pvalue
        assert p_equivalent(mean, margin) == pytest.approx(max(upper, lower))
        low, high = mean.interval(0.95)
        assert (p_beyond(mean, margin) < 0.05) == (low > margin or high < -margin)
    shifted = [estimate(Sample(VALUES - VALUES.mean() + shift, 0.0)) for shift in (3.0, -3.0, 0.0, 1.0)]
    assert relations(shifted, 1.0, False, 0.05) == ["worse", "better", "equivalent", "undecided"]
    assert relations(shifted, 1.0, True, 0.05) == ["better", "worse", "equivalent", "undecided"]
    assert relations(shifted, 1.0, False, 0.05, family=10_000)[2] == "undecided"


def on_new_rows(values, excess=1 / 3):
    return estimate(Sample(list(values), excess))


@pytest.mark.parametrize("draw", ["normal", "exponential"])
@pytest.mark.parametrize("excess", [0.1, 1 / 3, 1.0])
def test_that_what_can_just_be_decided_is_out_of_reach_is_seldom_said(draw, excess):
    rng = np.random.default_rng(4)
    limit, count = 1.97 * math.sqrt(excess), 0
    for _ in range(500):
        noise = rng.normal(size=5) if draw == "normal" else rng.exponential(size=5) - 1
        count += out_of_reach(on_new_rows(limit + noise, excess), APART)
    assert count <= 0.05 * 500


def test_what_is_out_of_reach_is_said_in_time():
    noise = np.random.default_rng(1).normal(size=40)
    assert not out_of_reach(on_new_rows(noise[:5]), APART)
    assert out_of_reach(on_new_rows(noise), APART)
    assert not out_of_reach(on_new_rows(noise, 0.0), APART)  # fresh data: more repetitions are more rows
    assert not out_of_reach(on_new_rows(0.01 * noise), (*APART, (-0.1, 0.1)))
    assert out_of_reach(on_new_rows(0.01 * noise), (*APART, (-0.005, 0.005)))
    assert out_of_reach(on_new_rows([0.1, 0.2, 0.3], math.inf), APART)  # all rows are tested
    assert not out_of_reach(estimate(Sample([0.1, 0.2, 0.3], math.inf, sampled=False)), APART)


def over_data_sets(*groups):
    return pooled([(1 / len(groups), estimate(Sample(values, 0.0))) for values in groups])


def test_tests_and_intervals_over_data_sets_agree_and_too_few_repetitions_decide_nothing():
    mean = over_data_sets([0.1, 0.3, 0.2], [0.5, 0.4, 0.45, 0.55], [0.2, 0.1, 0.3, 0.25, 0.2])
    assert mean.n == 3
    for level in (0.5, 0.9, 0.95, 0.999):
        low, high = mean.interval(level)
        assert (mean.p_above(low), mean.p_below(high)) == pytest.approx([(1 - level) / 2] * 2)
    assert not over_data_sets([0.1, 0.2], [0.3, 0.31, 0.3, 0.29]).decides
    assert math.isnan(over_data_sets([0.1], [0.3, 0.31, 0.3, 0.29]).interval()[0])


@pytest.mark.parametrize("sizes", [(3, 25, 25, 25, 25), (3, 10), (3, 3), (5, 20, 20)])
@pytest.mark.parametrize("first", [1.0, 3.0, 10.0])
def test_intervals_over_data_sets_are_banerjees_and_miss_no_more_than_they_may(sizes, first):
    """4,000 means of nothing but noise: 5 %, and three standard errors of that."""
    draws, rng = 4000, np.random.default_rng(7)
    samples = [scale * rng.standard_normal((draws, n)) for scale, n in zip([first, 1, 1, 1, 1], sizes, strict=False)]
    mean = sum(values.mean(1) for values in samples) / len(sizes)
    halves = [stats.t.ppf(0.975, values.shape[1] - 1) * stats.sem(values, axis=1) for values in samples]
    half = np.linalg.norm(halves, axis=0) / len(sizes)
    low, high = over_data_sets(*(values[0].tolist() for values in samples)).interval()
    assert (low, high) == pytest.approx((mean[0] - half[0], mean[0] + half[0]))  # what is simulated is what is shipped
    assert np.mean(np.abs(mean) > half) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / draws)


RANDOM = Sampling(400, 100)


def measured(*numbers, name="d"):
    return {(repetition, name): number for repetition, number in enumerate(numbers)}


@pytest.mark.parametrize(
    ("drawn", "numbers", "scope", "units", "excess"),
    [
        (RANDOM, [0.1234, 0.2], "rows", [0.1234, 0.2], 1 / 3),
        (RANDOM, [0.1234, 0.2], "splits", [0.1234, 0.2], 0.0),
        (Sampling(400, 100, fresh=True), [0.1, 0.2], "rows", [0.1, 0.2], 0.0),
        (Sampling(), [0.1, 0.2], "rows", [0.1, 0.2], math.inf),
        (Sampling(100, 100), [0.1, 0.2], "rows", [0.1, 0.2], math.inf),
        (Sampling(100, 100), [0.1, 0.2], "splits", [0.1, 0.2], 0.0),
        # Bouckaert & Frank 2004: n_test / n_train = 1 / (k - 1); on these rows shuffles are drawn.
        (Sampling(400, 200, folds=2), [0.1, 0.2, 0.3, 0.5], "rows", [0.1, 0.2, 0.3, 0.5], 1.0),
        (Sampling(400, 200, folds=2), [0.1, 0.2, 0.3, 0.5], "splits", [0.15, 0.4], 0.0),
        (Sampling(400, 200, folds=2, fresh=True), [0.1, 0.2, 0.3, 0.5], "rows", [0.15, 0.4], 0.0),
        (Sampling(400, 200, folds=2, fresh=True), [0.1, 0.2], "rows", [0.1, 0.2], 1.0),  # folds of one draw share it
    ],
)
def test_units_and_what_they_share(drawn, numbers, scope, units, excess):
    sample = make_sample(measured(*numbers), {"d": drawn}, scope)
    assert list(sample.values) == pytest.approx(units)
    assert sample.excess == pytest.approx(excess)
    assert sample.per_repetition == (drawn.folds if drawn.folds and len(units) == len(numbers) else 1)


def test_groups_are_averaged_the_most_shared_counts_and_no_data_set_of_few_repetitions_is_left_out():
    both = measured(0.1, 0.3, name="x") | measured(0.5, 0.5, name="y")
    sample = make_sample(both, {"x": Sampling(1000, 100), "y": Sampling(400, 200)}, "rows")
    assert list(sample.values) == pytest.approx([0.3, 0.4])
    assert sample.excess == 1.0
    often = {(at, name): value for at in range(9) for name, value in (("a", 0.1), ("b", 0.2))} | {(4, "c"): 0.9}
    assert complete_repetitions(often) == {(4, "a"): 0.1, (4, "b"): 0.2, (4, "c"): 0.9}
    assert complete_repetitions(often, {"a", "b"}) == {part: value for part, value in often.items() if part[1] != "c"}
    assert complete_repetitions(often, {"a", "b", "c", "d"}) == complete_repetitions({}) == {}
    assert list(make_sample(often, {}, "splits").values) == [pytest.approx(0.4)]


def test_rates_over_rows_of_any_sizes_are_told_from_other_numbers_and_from_means_over_an_axis():
    assert make_sample(measured(0.01, 0.02), {"d": RANDOM}, "splits").row_variance == pytest.approx(4 / 200**2)
    distinct = 400 * (1 - 0.75**2)
    assert make_sample(measured(0.01, 0.02), {"d": RANDOM}, "rows").row_variance == pytest.approx(4 / distinct**2)
    assert make_sample(measured(0.015, 0.02), {"d": RANDOM}, "splits").row_variance == 0
    # As where whole patients are drawn: 126 to 131 rows are tested.
    sizes = [131, 126, 129]
    records = [{"n_rows": 400, "n_test": n, "folds": None, "generated": False} for n in sizes]
    parts = {(at, "d"): 30 / n for at, n in enumerate(sizes)}
    assert make_sample(parts, {"d": sampling_of(records)}, "splits").row_variance == pytest.approx(4 / 393**2)
    assert make_sample(parts, {"d": sampling_of(records[:1])}, "splits").row_variance == 0
    flat = [Measurement({(at, "d"): 0.25 for at in range(3)}, {"d": RANDOM}) for _ in range(2)]
    assert combination([(1.0, flat[0])], "splits").stderr > 0
    assert combination([(0.5, each) for each in flat], "splits").stderr == 0


def test_records_tell():
    row = {"n_rows": 2000, "n_test": 300, "folds": None, "generated": False}
    units = {"column": "patient", "groups": 100}
    assert sampling_of([{"n_rows": None}, row | {"generated": True}]) == Sampling(2000, 300, None, True)
    assert sampling_of([{}]) == Sampling()
    assert sampling_of([row | {"units": units, "split": "given"}]) == Sampling(2000, 300, n_groups=100, given=True)
    assert sampling_of([row | {"units": "rows", "split": "random"}]) == sampling_of([row]) == Sampling(2000, 300)
    assert Sampling(2000, 300, n_groups=100).distinct_rows(1, ROWS, groups=True) == pytest.approx(15)
    assert Sampling(2000, 300, given=True).distinct_rows(8, ROWS) == 300


def at_every_look(values, row_variance=0.0):
    return sequential_estimate(Sample(list(values), 0.0, row_variance))


@pytest.mark.parametrize(("n", "z"), [(5, 0.3), (12, 1.1), (60, -0.4)])
def test_the_evidence_is_the_mixture_of_noncentral_t_densities(n, z):
    """E_n by quadrature: the density of t under a normal prior on the effect size, over that under no effect."""
    t = z * math.sqrt(n)

    def integrand(effect):
        return stats.nct.pdf(t, n - 1, effect * math.sqrt(n)) * stats.norm.pdf(effect, scale=math.sqrt(PRIOR))

    mixed, _ = integrate.quad(integrand, -6, 6, points=[z], limit=200)
    evidence = math.exp(log_evidence(np.array([z]), np.array([float(n)]))[0])
    assert evidence == pytest.approx(mixed / stats.t.pdf(t, n - 1), rel=1e-5)


@pytest.mark.parametrize("n", [8, 20, 200])
def test_the_half_width_is_where_the_evidence_reaches_twenty(n):
    assert log_evidence(np.array([half_width(n)]), np.array([n])) == pytest.approx(math.log(20))
    assert math.inf == half_width(6) > half_width(n) > special.stdtrit(n - 1, 0.975) / math.sqrt(n)


def test_intervals_and_pvalues_say_the_same_and_what_was_decided_stays_decided():
    for values in (np.random.default_rng(0).normal(0.3, 1, 40), np.random.default_rng(1).exponential(size=40)):
        mean = at_every_look(values)
        low, high = mean.interval()
        assert (mean.p_above(low), mean.p_below(high)) == pytest.approx((0.025, 0.025))
        assert low < mean.mean < high
    values = np.random.default_rng(2).normal(1, 1, 150).tolist()
    ends = [at_every_look(values[:n]).interval() for n in range(10, 150)]
    assert all(b[0] >= a[0] and b[1] <= a[1] for a, b in pairwise(ends))
    assert at_every_look([*values, *[-5.0] * 100]).interval()[0] >= ends[-1][0]


def test_the_path_is_that_of_numpy_and_scipy():
    values = 1e6 + np.random.default_rng(3).gamma(2, size=30)
    path = path_of(values)
    assert path.mean[-1] == pytest.approx(values.mean())
    assert path.spread[9] == pytest.approx(values[:11].std(ddof=1))
    assert path.skewness[-1] == pytest.approx(1.75 * stats.skew(values))
    # Right-skewed values whose mean lies below the limit: the large ones may be still to come.
    assert abs(weaker(np.array([-1.0]), np.array([1.0]), np.array([20.0]))[0]) < 1.0
    assert weaker(np.array([1.0]), np.array([1.0]), np.array([20.0])) == 1.0


def test_ties_decide_late_unless_they_count_rows():
    tied = [0.25] * (TIED_FROM - 1)
    assert not at_every_look(tied).decides
    assert at_every_look([*tied, 0.25]).p_above(0.0) < 1e-6
    assert at_every_look(tied, row_variance=1e-6).decides
    assert math.isnan(at_every_look([1.0]).interval()[0])


DRAWS = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0, 0.0),
    "rates that mostly tie": (
        lambda rng, shape: (rng.binomial(100, 0.005, shape) - rng.binomial(100, 0.005, shape)) / 100,
        *(0.0, 4 / 100**2),
    ),
    "an error in a thousand rows": (lambda rng, shape: rng.binomial(100, 0.001, shape) / 100, 0.001, 4 / 100**2),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0, 0.0),
}


@pytest.mark.parametrize("kind", DRAWS)
def test_the_truth_is_seldom_left_out_at_any_of_two_hundred_looks(kind):
    draw, truth, per_value = DRAWS[kind]
    runs, looks = 400, 200
    left_out = plainly = 0
    for values in draw(np.random.default_rng(5), (runs, looks)):
        low, high = at_every_look(values, per_value / looks**2).interval()
        left_out += not low <= truth <= high
        path = path_of(values).at(slice(1, None))
        plain = special.stdtrit(path.n - 1, 0.975) * path.spread / np.sqrt(path.n)
        plainly += (np.abs(path.mean - truth) > plain).any()
    assert left_out <= runs * 0.05
    assert plainly > runs * 0.3  # what looking at plain t intervals does
