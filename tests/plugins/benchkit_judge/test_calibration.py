"""Small versions of bench-judge: tables and folds of one data set are seldom judged wrongly."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import benchkit
from benchkit import TableError
from benchkit.statistics.all_pairs import all_pairs
from benchkit_judge.question import corrected_pairs
from tests.conftest import at_most, load_script

SUITES = Path(__file__).parents[3] / "suites"
POOLS = 60


@pytest.fixture(scope="module")
def judgings():
    return load_script(SUITES / "judgings.py")


@pytest.mark.parametrize(("case", "units"), [("normal", 12), ("tied", 8), ("missing", 40), ("clusters", 100)])
def test_tables_are_seldom_judged_wrongly(judgings, case, units):
    pools = POOLS if units <= 12 else 20
    shares = judgings.calibrate(case, 4, units, pools, 1)
    assert shares["wrong-separations"] <= at_most(0.05, pools)
    assert shares["ranks-covered"] >= 1 - at_most(0.05, pools)


def test_what_differs_is_told_apart_and_ranks_are_covered(judgings):
    shares = judgings.calibrate("groups", 6, 60, POOLS, 1)
    assert shares["separated"] > 0.5
    assert shares["wrong-separations"] <= at_most(0.05, POOLS)
    assert shares["ranks-covered"] >= 1 - at_most(0.05, POOLS)
    assert shares["intervals-cover"] >= 1 - at_most(0.05, POOLS)


@pytest.mark.parametrize("units", [10, 20])
@pytest.mark.parametrize("kind", ["grades", "pass rates"])
def test_intervals_of_few_items_hold_all_at_once(kind, units):
    """Grades from one to five, most of them fives; and pass rates, many of which are nearly none or all."""
    from scipy.stats import norm

    rng, held = np.random.default_rng(units), 0
    merits, cuts = np.linspace(0, 0.8, 4), np.array([-2.6, -1.9, -1.1, 0.0])
    shares = np.linspace(0.5, 0.7, 4)
    truth = shares if kind == "pass rates" else norm.sf((cuts - merits[:, None]) / math.sqrt(2)).sum(axis=1)
    differences = truth[:, None] - truth
    for _ in range(POOLS):
        if kind == "grades":
            latent = rng.normal(size=(units, 1)) + rng.normal(size=(units, 4)) + merits
            scores = (latent[:, :, None] > cuts).sum(axis=-1).astype(float)
        else:
            scores = rng.beta(0.8 * shares, 0.8 * (1 - shares), size=(units, 4))
        result = all_pairs(scores / units)
        held += ((result.low <= differences + 1e-9) & (differences <= result.high + 1e-9)).all()
    assert held / POOLS >= 1 - at_most(0.05, POOLS)


def test_forgetting_that_pairs_are_many_would_be_wrong(judgings):
    """The test can fail: one pair at a time, one table in four or more has a false difference."""
    from scipy import stats

    rng, wrong = np.random.default_rng(1), []
    for _ in range(POOLS):
        scores, _ = judgings.draw_scores(rng, "normal", 8, 12)
        first, second = np.triu_indices(8, 1)
        wrong.append((stats.ttest_rel(scores[:, first], scores[:, second]).pvalue < 0.05).any())
    assert np.mean(wrong) > 0.25


@pytest.fixture(scope="module")
def search():
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(0, 0.2, 200) > 0
    grid = {"max_depth": [1, 4], "max_features": [1, 2], "criterion": ["gini"]}
    scoring = ["accuracy", "f1"]
    return GridSearchCV(DecisionTreeClassifier(random_state=0), grid, scoring=scoring, refit="f1", cv=5).fit(X, y)


@pytest.mark.parametrize("kind", ["dict", "frame", "csv"])
def test_a_search_of_scikit_learn_is_judged_for_new_rows(search, kind, tmp_path):
    results = search.cv_results_
    table = results if kind == "dict" else pd.DataFrame(results)
    if kind == "csv":
        table.to_csv(tmp_path / "search.csv")
        table = tmp_path / "search.csv"
    judged = benchkit.judge(table, score="accuracy")
    assert set(judged.methods) == {f"max_depth={d} max_features={f}" for d in (1, 4) for f in (1, 2)}
    assert sorted(judged.means) == pytest.approx(sorted(results["mean_test_accuracy"]))
    folds = np.array([results[f"split{fold}_test_accuracy"] for fold in range(5)])
    names = ["max_depth={max_depth} max_features={max_features}".format(**each) for each in results["params"]]
    i, j = (names.index(name) for name in judged.pairs.loc[0, ["first", "second"]])
    d = folds[:, i] - folds[:, j]
    error = d.std(ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    half = t.isf(0.025 / 6, 4) * error
    assert judged.pairs.loc[0, ["low", "high"]].tolist() == pytest.approx([d.mean() - half, d.mean() + half])
    assert judged.pairs.loc[0, "p"] == pytest.approx(min(1, 12 * t.sf(abs(d.mean()) / error, 4)))
    assert "other rows like these" in judged.question.text


def test_what_a_search_leaves_open_is_asked(search):
    with pytest.raises(TableError, match=r"score='accuracy\|f1'"):
        benchkit.judge(search.cv_results_)
    splits = {f"split{place}_test_score": [0.1 * (place % 3), 0.2] for place in range(10)}
    with pytest.raises(TableError, match="test_share=0.1"):
        benchkit.judge({"param_C": [1, 2], **splits})
    wide, narrow = (benchkit.judge({"param_C": [1, 2], **splits}, test_share=share).pairs for share in (0.3, 0.1))
    assert wide["high"][0] - wide["low"][0] > narrow["high"][0] - narrow["low"][0]


def nearest_mean(X, y, test):
    """Predictions of the class whose mean is nearer."""
    means = [X[y == label].mean(axis=0) for label in (False, True)]
    distances = [((test - mean) ** 2).sum(axis=1) for mean in means]
    return distances[1] < distances[0]


def test_equal_methods_are_seldom_told_apart_by_their_folds():
    """Each learns from features of its own, which are alike; the uncorrected test is wrong far more often."""
    from sklearn.model_selection import RepeatedKFold

    wrong = np.zeros(2)
    for pool in range(POOLS):
        rng = np.random.default_rng(pool)
        X = rng.normal(size=(3, 60, 2))
        y = X.sum(axis=(0, 2)) + rng.normal(size=60) > 0
        scores = [
            [(nearest_mean(part[train], y[train], part[test]) == y[test]).mean() for part in X]
            for train, test in RepeatedKFold(n_splits=5, n_repeats=4, random_state=pool).split(y)
        ]
        wrong += [corrected_pairs(np.array(scores), share, 0.95, 3).above.any() for share in (0.2, 1e-9)]
    assert wrong[0] / POOLS <= at_most(0.05, POOLS)
    assert wrong[1] > max(2 * wrong[0], 0.1 * POOLS)
