"""Judged tables against SciPy and textbook formulas; small versions of bench-judge: they are seldom judged wrongly."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import benchkit
from benchkit import TableError
from benchkit_judge.all_pairs import all_pairs, units_to_decide
from tests.conftest import at_most, load_script

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def judgings():
    return load_script(ROOT / "suites" / "judgings.py")


@pytest.mark.parametrize(
    ("case", "units"), [("normal", 12), ("tied", 8), ("missing", 40), ("clusters", 100), ("groups", 60)]
)
def test_tables_are_seldom_judged_wrongly_and_what_differs_is_told_apart(judgings, case, units):
    pools = 20 if case in ("missing", "clusters") else 60
    shares = judgings.calibrate(case, 6 if case == "groups" else 4, units, pools, 1)
    assert shares["wrong-separations"] <= at_most(0.05, pools)
    assert min(shares["ranks-covered"], shares["intervals-cover"]) >= 1 - at_most(0.05, pools)
    assert case != "groups" or shares["separated"] > 0.5


@pytest.mark.parametrize(("kind", "units"), [("grades", 10), ("pass rates", 10), ("exponential", 30)])
def test_intervals_of_few_items_hold_all_at_once(kind, units):
    """Grades from one to five, most of them fives; pass rates, many of which are nearly none or all; unequal spread."""
    rng, held = np.random.default_rng(units), 0
    merits, cuts = np.linspace(0, 0.8, 4), np.array([-2.6, -1.9, -1.1, 0.0])
    shares, spreads = np.linspace(0.5, 0.7, 4), np.linspace(0.5, 3, 4)
    grades = stats.norm.sf((cuts - merits[:, None]) / math.sqrt(2)).sum(axis=1)
    truth = {"grades": grades, "pass rates": shares, "exponential": spreads}[kind]
    differences = truth[:, None] - truth
    for _ in range(200):
        if kind == "grades":
            latent = rng.normal(size=(units, 1)) + rng.normal(size=(units, 4)) + merits
            scores = (latent[:, :, None] > cuts).sum(axis=-1).astype(float)
        elif kind == "pass rates":
            scores = rng.beta(0.8 * shares, 0.8 * (1 - shares), size=(units, 4))
        else:
            scores = rng.exponential(size=(units, 4)) * spreads
        result = all_pairs(scores / units)
        held += ((result.low <= differences + 1e-9) & (differences <= result.high + 1e-9)).all()
    assert held / 200 >= 1 - at_most(0.05, 200)


@pytest.fixture(scope="module")
def search():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(0, 0.2, 200) > 0
    grid = {"max_depth": [1, 4], "max_features": [1, 2], "criterion": ["gini"]}
    scoring = ["accuracy", "f1"]
    return GridSearchCV(DecisionTreeClassifier(random_state=0), grid, scoring=scoring, refit="f1", cv=5).fit(X, y)


@pytest.mark.parametrize("kind", ["dict", "csv"])
def test_a_search_of_scikit_learn_is_judged_for_new_rows(search, kind, tmp_path):
    table = results = search.cv_results_
    if kind == "csv":
        pd.DataFrame(results).to_csv(table := tmp_path / "search.csv")
    judged = benchkit.judge(table, score="accuracy")
    assert set(judged.methods) == {f"max_depth={d} max_features={f}" for d in (1, 4) for f in (1, 2)}
    assert sorted(judged.means) == pytest.approx(sorted(results["mean_test_accuracy"]))
    folds = np.array([results[f"split{fold}_test_accuracy"] for fold in range(5)])
    names = ["max_depth={max_depth} max_features={max_features}".format(**each) for each in results["params"]]
    i, j = (names.index(name) for name in judged.pairs.loc[0, ["first", "second"]])
    d = folds[:, i] - folds[:, j]
    error = d.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    half = stats.t.isf(0.025 / 6, 4) * error
    assert judged.pairs.loc[0, ["low", "high"]].tolist() == pytest.approx([d.mean() - half, d.mean() + half])
    assert judged.pairs.loc[0, "p"] == pytest.approx(min(1, 12 * stats.t.sf(abs(d.mean()) / error, 4)))
    assert "other rows like these" in judged.question.text


def test_what_a_search_leaves_open_is_asked(search):
    with pytest.raises(TableError, match=r"score='accuracy\|f1'"):
        benchkit.judge(search.cv_results_)
    splits = {f"split{place}_test_score": [0.1 * (place % 3), 0.2] for place in range(10)}
    with pytest.raises(TableError, match="test_share=0.1"):
        benchkit.judge({"param_C": [1, 2], **splits})
    wide, narrow = (benchkit.judge({"param_C": [1, 2], **splits}, test_share=share).pairs for share in (0.3, 0.1))
    assert wide["high"][0] - wide["low"][0] > narrow["high"][0] - narrow["low"][0]


# Four classifiers on ten data sets: so few that all sign patterns are counted.
DEMSAR = pd.read_csv(ROOT / "docs" / "judged" / "demsar-2006.csv").set_index("dataset").head(10)


def of(judged, names, what):
    """A value of the first of two methods against the second."""
    i, j = (judged.methods.index(name) for name in names)
    return getattr(judged.result, what)[i, j]


@pytest.mark.parametrize("names", list(itertools.combinations(DEMSAR, 2)), ids=" | ".join)
def test_statistics_are_students_t_and_p_values_scipys_sign_flips(names):
    first, second = (DEMSAR[name] for name in names)
    table = DEMSAR[[*names]].rename_axis(columns="method").stack().rename("auc").reset_index()
    judged = benchkit.judge(table)
    r, n = of(judged, names, "statistic"), judged.result.units
    assert r * math.sqrt((n - 1) / (n - r**2)) == pytest.approx(stats.ttest_rel(first, second).statistic)
    options = {"permutation_type": "samples", "n_resamples": np.inf}
    flipped = stats.permutation_test((first, second), lambda x, y, axis: np.mean(x - y, axis=axis), **options)
    assert of(judged, names, "difference") == pytest.approx(flipped.statistic)
    assert of(judged, names, "p") == pytest.approx(flipped.pvalue)
    signed, d = benchkit.judge(table, by="wilcoxon"), np.round(first - second, 12)  # with ties and zeros
    # SciPy's z is that of the smaller sum, and so never positive.
    z = stats.wilcoxon(d, method="asymptotic", correction=False).zstatistic
    assert -abs(of(signed, names, "statistic")) == pytest.approx(z, rel=1e-6)
    flipped = stats.wilcoxon(d, method=stats.PermutationMethod(n_resamples=np.inf))
    assert of(signed, names, "p") == pytest.approx(flipped.pvalue)


@pytest.mark.parametrize("effect", [0.1, 0.3])
def test_units_that_decide_are_those_of_power_one_half(effect):
    """The range is around the number for the effect that was seen, at Bonferroni's critical value of six pairs."""

    def power(n):
        return stats.nct.sf(stats.t.isf(0.025 / 6, n - 1), n - 1, effect * math.sqrt(n))

    needed = optimize.brentq(lambda n: power(n) - 0.5, 5, 10_000)
    n, few = 100_000, 40
    low, likely, high = units_to_decide(effect * math.sqrt(n / (1 + effect**2)), n, 2.6383, 6)
    assert low == likely == high == n + 1  # it would have been decided
    low, likely, high = units_to_decide(effect * math.sqrt(few / (1 + effect**2)), few, 2.6383, 6)
    assert low < needed < high
    assert likely == pytest.approx(needed, rel=0.1)
