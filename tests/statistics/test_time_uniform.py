"""Intervals that hold at every look: against the formula by quadrature, and by simulation."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, special, stats

from benchkit.statistics.sampling import Sample
from benchkit.statistics.time_uniform import (
    PRIOR,
    TIED_FROM,
    half_width,
    log_evidence,
    path_of,
    sequential_estimate,
    weaker,
)


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


def test_intervals_and_pvalues_say_the_same():
    for values in (np.random.default_rng(0).normal(0.3, 1, 40), np.random.default_rng(1).exponential(size=40)):
        mean = at_every_look(values)
        low, high = mean.interval()
        assert (mean.p_above(low), mean.p_below(high)) == pytest.approx((0.025, 0.025))
        assert low < mean.mean < high


def test_what_was_decided_stays_decided():
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
