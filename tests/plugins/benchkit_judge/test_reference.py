"""Judged tables against statsmodels and SciPy, where they have the test.

What they compute of two tables of docs/judged is kept in files/reference.json, with their versions;

    python tests/plugins/benchkit_judge/test_reference.py

writes it anew, and where the packages are installed a test compares.
"""

import itertools
import json
import math
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit.statistics.all_pairs import units_to_decide
from benchkit.statistics.ranking import friedman

JUDGED = Path(__file__).parents[3] / "docs" / "judged"
FILE = Path(__file__).parent / "files" / "reference.json"
PACKAGES = ("statsmodels", "scipy")
CLUSTERED = ("svm", "forest", "logistic")


def demsar():
    """Four classifiers on ten data sets: so few that all sign patterns are counted."""
    return pd.read_csv(JUDGED / "demsar-2006.csv").set_index("dataset").head(10)


def digits():
    """Right and wrong answers of three classifiers on digits, in clusters of one to nine that follow each other."""
    table = pd.read_csv(JUDGED / "digits-items.csv")[list(CLUSTERED)]
    sizes = np.resize(np.arange(1, 10), len(table))
    return table, np.repeat(np.arange(len(table)), sizes)[: len(table)]


def paired(first, second):
    """Tests of two columns."""
    from scipy import stats
    from statsmodels.stats.weightstats import DescrStatsW, ttost_paired

    d = (first - second).to_numpy()
    t, p, freedom = DescrStatsW(d).ttest_mean()
    permuted = stats.permutation_test(
        (first, second), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    ranks = stats.wilcoxon(np.round(d, 12), method="asymptotic", correction=False)
    signs = stats.wilcoxon(np.round(d, 12), method=stats.PermutationMethod(n_resamples=np.inf))
    return {
        "difference": d.mean(),
        "t of scipy": stats.ttest_rel(first, second).statistic,
        "t of statsmodels": t,
        "p of t": p,
        "freedom": freedom,
        "p of sign flips": permuted.pvalue,
        "z of signed ranks": ranks.zstatistic,
        "p of signed ranks": signs.pvalue,
        "p of two one-sided tests within 0.02": ttost_paired(first.to_numpy(), second.to_numpy(), -0.02, 0.02)[0],
    }


def clustered(first, second, clusters):
    """A difference of means and its standard error, by clusters: without corrections for small samples."""
    import statsmodels.api as sm

    d = (first - second).to_numpy(dtype=float)
    ones = np.ones((len(d), 1))
    found = sm.OLS(d, ones).fit(cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False})
    estimated = sm.GEE(d, ones, groups=clusters, cov_struct=sm.cov_struct.Independence()).fit()
    return {
        "difference": found.params[0],
        "error of OLS": found.bse[0],
        "difference of GEE": estimated.params[0],
        "error of GEE": estimated.bse[0],
    }


def computed():
    """All values."""
    from statsmodels.stats.power import TTestPower

    table = demsar()
    right, clusters = digits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pairs = {f"{a} | {b}": paired(table[a], table[b]) for a, b in itertools.combinations(table, 2)}
    effects = {"0.1": 0.1, "0.3": 0.3}
    power = {text: TTestPower().solve_power(effect_size=g, alpha=0.05 / 6, power=0.5) for text, g in effects.items()}
    made = {
        "origin": "computed by tests/plugins/benchkit_judge/test_reference.py with "
        + ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        "pairs": pairs,
        "clusters": {
            f"{a} | {b}": clustered(right[a], right[b], clusters) for a, b in itertools.combinations(CLUSTERED, 2)
        },
        "units for power one half": power,
    }
    return json.loads(json.dumps(made, default=float))


KNOWN = json.loads(FILE.read_text(encoding="utf-8"))


def values(known, name=""):
    """All values of a tree by their paths."""
    if not isinstance(known, dict):
        return {name: known}
    return {path: leaf for key, part in known.items() for path, leaf in values(part, f"{name}/{key}").items()}


def test_the_file_is_what_the_packages_compute():
    for name in PACKAGES:
        pytest.importorskip(name)
    assert values({**computed(), "origin": ""}) == pytest.approx(values({**KNOWN, "origin": ""}), rel=1e-6, abs=1e-9)


@pytest.fixture(params=KNOWN["pairs"])
def pair(request):
    """Two classifiers on ten data sets, as a long table, and what is known of them."""
    names = request.param.split(" | ")
    table = demsar()[names].rename_axis(columns="method").stack().rename("auc").reset_index()
    return table, names, KNOWN["pairs"][request.param]


def of(judged, names, what):
    """A value of the first of two methods against the second."""
    i, j = (judged.methods.index(name) for name in names)
    return getattr(judged.result, what)[i, j]


def test_statistics_are_students_t_and_p_values_scipys_sign_flips(pair):
    table, names, known = pair
    judged = benchkit.judge(table)
    r, n = of(judged, names, "statistic"), judged.result.units
    t = r * math.sqrt((n - 1) / (n - r**2))
    assert t == pytest.approx(known["t of scipy"])
    assert t == pytest.approx(known["t of statsmodels"])
    assert known["freedom"] == n - 1
    assert of(judged, names, "difference") == pytest.approx(known["difference"])
    assert of(judged, names, "p") == pytest.approx(known["p of sign flips"])
    signed = benchkit.judge(table, by="wilcoxon")  # with ties and zeros
    # SciPy's z is that of the smaller sum, and so never positive.
    assert -abs(of(signed, names, "statistic")) == pytest.approx(known["z of signed ranks"], rel=1e-6)
    assert of(signed, names, "p") == pytest.approx(known["p of signed ranks"])


def test_practically_equal_is_two_one_sided_tests_and_stricter(pair):
    """Of intervals of 90 %, two one-sided tests of 5 % each (Schuirmann 1987); those of 95 % ask for more."""
    table, _, known = pair
    p = known["p of two one-sided tests within 0.02"]
    lenient, strict = (benchkit.judge(table, level=level).pairs.iloc[0] for level in (0.9, 0.95))
    # The interval of sign flips and that of t differ a little where data are not normal.
    if not 0.04 < p < 0.06:
        assert (max(-lenient.low, lenient.high) <= 0.02) == (p < 0.05)
    assert p < 0.05 or max(-strict.low, strict.high) > 0.02


def test_mean_ranks_are_friedmans():
    table = demsar().rename_axis(columns="method").stack().rename("auc").reset_index()
    judged = benchkit.judge(table, by="ranks")
    ranks, *_ = friedman(-demsar().to_numpy())
    known = dict(zip(demsar(), ranks, strict=True))
    np.testing.assert_allclose(judged.means, [known[name] for name in judged.methods])


@pytest.mark.parametrize("which", KNOWN["clusters"])
def test_clusters_are_robust_errors_of_ols_and_gee(which):
    """With D = sum D_c, B_c a cluster's share of the items: R^2 = D^2 / sum D_c^2, where OLS and GEE have
    sum (D_c - B_c D)^2 as the squared error."""
    names, known = which.split(" | "), KNOWN["clusters"][which]
    right, clusters = digits()
    table = right.assign(item=range(len(right)), cluster=clusters).melt(
        ["item", "cluster"], names, "method", "accuracy"
    )
    judged = benchkit.judge(table, unit="item")
    d = (right[names[0]] - right[names[1]]).to_numpy()
    assert of(judged, names, "difference") == pytest.approx(known["difference of GEE"])
    assert judged.result.units == clusters.max() + 1
    parts, shares = np.bincount(clusters, d) / len(d), np.bincount(clusters) / len(d)
    difference, error = known["difference"], known["error of OLS"]
    assert known["error of GEE"] == pytest.approx(error)
    squares = error**2 + 2 * difference * (parts @ shares) - difference**2 * (shares @ shares)
    assert of(judged, names, "statistic") == pytest.approx(difference / math.sqrt(squares))
    half = (of(judged, names, "high") - of(judged, names, "low")) / 2
    assert half == pytest.approx(1.96 * error, rel=0.1)


@pytest.mark.parametrize("effect", KNOWN["units for power one half"])
def test_units_that_decide_are_those_of_power_one_half(effect):
    """The range is around the number for the effect that was seen, at Bonferroni's critical value of six pairs."""
    n, g = 100_000, float(effect)
    r = g * math.sqrt(n / (1 + g**2))
    low, likely, high = units_to_decide(r, n, 2.6383, 6)
    assert low == likely == high == n + 1  # it would have been decided
    few = 40
    low, likely, high = units_to_decide(g * math.sqrt(few / (1 + g**2)), few, 2.6383, 6)
    assert low < KNOWN["units for power one half"][effect] < high
    assert likely == pytest.approx(KNOWN["units for power one half"][effect], rel=0.1)


if __name__ == "__main__":
    FILE.write_text(json.dumps(computed(), indent=1) + "\n", encoding="utf-8")
