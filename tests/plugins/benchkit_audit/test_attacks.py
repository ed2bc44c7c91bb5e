"""Attacks on rows and searches over sets, against enumeration."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchkit_audit.attacker import Attacker
from benchkit_audit.gaps import choose_fills
from benchkit_audit.lost import search_pairs, search_sets
from benchkit_audit.subject import Queries, make_sources, make_subject

D = 5


def asked(model, X, y):
    subject = make_subject(model, X, y)[0]
    rows = np.arange(len(y))
    return Queries(
        subject, make_sources([c.name for c in subject.columns], None), choose_fills(subject, rows).values
    ), rows


def worst_by_enumeration(queries, rows, size):
    losses = [queries.errors(rows)]
    for k in range(1, size + 1):
        for chosen in combinations(range(D), k):
            lost = np.zeros(D, dtype=bool)
            lost[list(chosen)] = True
            losses.append(queries.errors(rows, lost))
    return np.max(losses, axis=0)


def classes(n=60, k=2, seed=0):
    return make_classification(n, D, n_informative=4, n_redundant=0, n_classes=k, random_state=seed)


@pytest.mark.parametrize("k", [2, 3])
def test_a_linear_classifier_is_attacked_exactly(k):
    X, y = classes(k=k)
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()).fit(X, y)
    queries, rows = asked(model, X, y)
    for size, (lost, exact) in enumerate(Attacker(1, 10_000).choose(queries, rows, D), start=1):
        assert exact
        assert lost.sum(axis=1).max() <= size
        assert np.array_equal(queries.errors(rows, lost), worst_by_enumeration(queries, rows, size))


def test_a_linear_regression_is_attacked_exactly():
    X, y = make_regression(60, D, noise=5, random_state=0)
    queries, rows = asked(Ridge().fit(X, y), X, y)
    for size, (lost, exact) in enumerate(Attacker(1, 10_000).choose(queries, rows, 3), start=1):
        assert queries.errors(rows, lost) == pytest.approx(worst_by_enumeration(queries, rows, size))
        assert exact


def test_a_step_that_mixes_columns_is_not_read():
    X, y = classes()
    mixed = make_pipeline(PolynomialFeatures(2), LogisticRegression(max_iter=1000)).fit(X, y)
    attack = Attacker(1, 1)
    assert not all(exact for _, exact in attack.choose(*asked(mixed, X, y), 3))
    assert "mixes columns" in attack.refused


def test_queries_are_exact_where_all_sets_are_tried_and_a_lower_bound_elsewhere():
    X, y = classes(seed=3)
    queries, rows = asked(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    worst = [worst_by_enumeration(queries, rows, size) for size in range(1, 4)]
    for size, (lost, exact) in enumerate(Attacker(10**6, 1).choose(queries, rows, 3)):
        assert exact
        assert np.array_equal(queries.errors(rows, lost), worst[size])
    queries, _ = asked(queries.subject.model.predict, X, y)  # a function is not read
    greedy = list(Attacker(1, 1).choose(queries, rows, 3))
    assert [exact for _, exact in greedy] == [True, False, False]
    assert np.array_equal(queries.errors(rows, greedy[0][0]), worst[0])
    for size, (lost, _) in enumerate(greedy):
        assert (queries.errors(rows, lost) <= worst[size]).all()
        assert lost.sum(axis=1).max() <= size + 1


def test_the_worst_set_is_that_of_enumeration():
    X, y = classes(seed=5)
    queries, rows = asked(DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    for size, (chosen, exact) in enumerate(search_sets(queries, rows, 3, 10**6), 1):
        every = [queries.errors(rows, queries.mask(each)).mean() for each in combinations(range(D), size)]
        assert exact
        assert queries.errors(rows, chosen).mean() == max(every)
    greedy = list(search_sets(queries, rows, 3, 1))
    assert not any(exact for _, exact in greedy)
    assert [chosen.sum() for chosen, _ in greedy] == [1, 2, 3]


def test_a_redundant_pair_is_found_among_many():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(400, 30)), columns=[f"c{j}" for j in range(30)])
    X["c20"] = X["c7"]
    y = (X["c7"] > 0).astype(int).to_numpy()
    queries, rows = asked(lambda f: (f["c7"].fillna(f["c20"]).fillna(-1) > 0).astype(int), X, y)
    assert search_pairs(queries, rows, 10**6, 3)[0] == (7, 20)
    assert len(search_pairs(queries, rows, 20_000, 3)) == 3
