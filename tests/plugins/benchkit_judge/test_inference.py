"""Folds of one data set and battles: read, judged, and seldom wrong."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import t

import benchkit
from benchkit import TableError
from benchkit_judge.inference import battle_pairs, battle_strengths, corrected_pairs

POOLS = 60


def at_most(share):
    """A share of pools that is seen in one of a thousand such tests where the true one is as given."""
    return share + 3.1 * math.sqrt(share * (1 - share) / POOLS)


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
    assert wrong[0] / POOLS <= at_most(0.05)
    assert wrong[1] > max(2 * wrong[0], 0.1 * POOLS)


def battles(rng, strengths, count, ties=0.0):
    names = np.array([f"m{place}" for place in range(len(strengths))])
    first = rng.integers(len(names), size=count)
    second = (first + rng.integers(1, len(names), size=count)) % len(names)
    won = rng.random(count) < expit(strengths[first] - strengths[second])
    winner = np.where(rng.random(count) < ties, "tie", np.where(won, "model_a", "model_b"))
    return pd.DataFrame({"model_a": names[first], "model_b": names[second], "winner": winner})


def test_battles_are_judged_by_bradley_and_terry(tmp_path):
    table = battles(np.random.default_rng(0), np.array([2.0, 0.1, 0.0, -2.0]), 600, ties=0.2)
    table.to_csv(tmp_path / "battles.csv", index=False)
    judged = benchkit.judge(tmp_path / "battles.csv", within=0.2)
    assert (judged.methods[0], judged.methods[3]) == ("m0", "m3")
    assert judged.relation("m0", "m3") == "better"
    assert judged.relation("m1", "m2") == "equal"
    assert "600 battles" in judged.question.text
    for form in ("text", "json"):
        assert "m0" in judged.write(form)
    assert judged.pairs["difference"].between(0.5, 1).all()
    assert judged.means[0] > 0.7
    assert (judged.tiers["low"] < judged.means).all()
    assert (judged.means < judged.tiers["high"]).all()


def test_strengths_are_those_of_a_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    table = battles(np.random.default_rng(1), np.array([1.0, 0.5, 0.0, -1.0]), 400)
    first, second = (table[name].str[1:].astype(int).to_numpy() for name in ("model_a", "model_b"))
    won = (table["winner"] == "model_a").to_numpy() * 1.0
    strengths, error = battle_strengths(first, second, won, np.arange(400))
    result = battle_pairs(strengths, error, 400, 0.95)
    design = np.eye(4)[first] - np.eye(4)[second]
    model = LogisticRegression(C=10, fit_intercept=False, tol=1e-10).fit(design, won)
    np.testing.assert_allclose(strengths, model.coef_[0], atol=1e-4)
    np.testing.assert_allclose(result.difference, strengths[:, None] - strengths)


def test_names_sides_and_order_of_battles_change_nothing():
    rng = np.random.default_rng(2)
    table = battles(rng, np.array([1.0, 0.0, -1.0]), 150, ties=0.2).assign(question_id=np.arange(150) // 3)
    judged = benchkit.judge(table)
    renamed = {"m0": "z", "m1": "b", "m2": "a"}
    turned = table.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    turned["winner"] = turned["winner"].replace({"model_a": "model_b", "model_b": "model_a"})
    for other in (table.replace(renamed), turned, table.sample(frac=1, random_state=0)):
        again = benchkit.judge(other)
        assert [renamed.get(name, name) for name in judged.methods] in (
            list(again.methods),
            [renamed[name] for name in again.methods if name in renamed],
        )
        for name in ("low", "high", "p"):
            np.testing.assert_allclose(getattr(again.result, name), getattr(judged.result, name), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("methods", "count", "ties", "spread", "questions"),
    [(2, 20, 0.3, 0, None), (5, 40, 0, 0, None), (8, 120, 0.2, 1.5, None), (5, 200, 0, 0, 30)],
)
def test_equal_methods_are_seldom_told_apart_by_their_battles(methods, count, ties, spread, questions):
    """Pairs of equal methods, far apart or not; of questions that favour some methods, several battles each."""
    rng, wrong = np.random.default_rng(methods), 0
    for _ in range(POOLS):
        strengths = np.repeat(rng.normal(0, spread, methods), 2)[:methods] if spread else np.zeros(methods)
        question = rng.integers(questions, size=count) if questions else np.arange(count)
        favours = rng.normal(0, 1, (question.max() + 1, methods)) * bool(questions)
        first = rng.integers(methods, size=count)
        second = (first + rng.integers(1, methods, size=count)) % methods
        merit = strengths + favours[question]
        each = np.arange(count)
        won = (rng.random(count) < expit(merit[each, first] - merit[each, second])) * 1.0
        won[rng.random(count) < ties] = 0.5
        question = np.unique(question, return_inverse=True)[1]
        above = battle_pairs(*battle_strengths(first, second, won, question), question.max() + 1, 0.95).above
        size = len(above)
        wrong += (above & (strengths[:size, None] <= strengths[None, :size])).any()
    assert wrong / POOLS <= at_most(0.05)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"winner": "somebody"}, "row 1: winner is 'somebody'"),
        ({"winner": None}, "row 1: winner is"),
        ({"model_a": "m0", "model_b": "m0"}, "no battles of two methods"),
    ],
)
def test_battles_that_say_nothing(change, expected):
    table = battles(np.random.default_rng(3), np.zeros(3), 20).assign(**change)
    with pytest.raises(TableError, match=expected):
        benchkit.judge(table)
    with pytest.raises(TableError, match="not for battles"):
        benchkit.judge(battles(np.random.default_rng(3), np.zeros(3), 20), unit="task")
    with pytest.raises(TableError, match="one battle"):
        benchkit.judge({"model_a": ["a"], "model_b": ["b"], "winner": ["a"]})
    apart = pd.DataFrame({"model_a": ["a", "c"], "model_b": ["b", "d"], "winner": ["a", "c"]})
    with pytest.raises(TableError, match="never met"):
        benchkit.judge(apart)
