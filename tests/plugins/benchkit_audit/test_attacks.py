"""Attacks on rows and searches over sets, against enumeration."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchkit_audit.gaps import choose_fills
from benchkit_audit.lost import search_sets, worst_sources
from benchkit_audit.pairs import correlated, search_pairs
from benchkit_audit.subject import Queries, make_sources, make_subject
from benchkit_deletion.sources import read_last_step

N, D = 60, 5


def asked(model, X, y, groups=None):
    subject, rows = make_subject(model, X, y)[0], np.arange(len(y))
    sources = make_sources([column.name for column in subject.columns], groups)
    return Queries(subject, sources, choose_fills(subject, rows).values), rows


def errors_of_sets(queries, rows, size):
    return [queries.errors(rows, queries.mask(each)) for each in combinations(range(len(queries.sources)), size)]


def worst_by_enumeration(queries, rows, size):
    losses = [each for k in range(1, size + 1) for each in errors_of_sets(queries, rows, k)]
    return np.max([queries.errors(rows), *losses], axis=0)


def is_exact(queries, rows, questions=1):
    """Whether every size is proved, and is what enumeration finds."""
    for size, (lost, reason) in enumerate(worst_sources(queries, rows, 3, questions, 10_000), start=1):
        assert not reason
        assert lost.sum(axis=1).max() <= size
        assert queries.errors(rows, lost) == pytest.approx(worst_by_enumeration(queries, rows, size))
    return True


def classes(k=2, seed=0):
    return make_classification(N, D, n_informative=4, n_redundant=0, n_classes=k, random_state=seed, flip_y=0.1)


@pytest.mark.parametrize(
    ("model", "k"),
    [
        (make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()), 3),
        (HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=4), 2),
        (Ridge(), 0),
        (HistGradientBoostingRegressor(max_iter=8, min_samples_leaf=4), 0),
    ],
)
def test_sums_and_trees_are_attacked_exactly(model, k):
    X, y = classes(k) if k else make_regression(N, D, noise=5, random_state=0)
    assert is_exact(*asked(model.fit(X, y), X, y))


@pytest.mark.parametrize("last", [GradientBoostingClassifier(n_estimators=8), LogisticRegression()])
@pytest.mark.parametrize(("together", "sizes"), [("place", [4]), ("c", [2, 3])])
def test_one_hot_blocks_and_sources_behind_a_pipeline_are_lost_whole(last, together, sizes):
    X, y = classes()
    X = pd.DataFrame(X, columns=list("abcde"))
    X["place"] = np.where(X["a"] > 0.5, "north", np.where(X["b"] > 0, "south", "west"))
    numbers = (make_pipeline(SimpleImputer(), StandardScaler()), list("abcde"))
    columns = make_column_transformer(numbers, (OneHotEncoder(handle_unknown="ignore"), ["place"]))
    model = make_pipeline(columns, last).fit(X, y)
    queries, rows = asked(model, X, y, {"office": ["b", together]})
    assert is_exact(queries, rows)
    step = read_last_step(model, queries.table, len(rows), len(queries.sources))
    assert sorted(len(group) for group in step.groups) == sizes


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (KNeighborsClassifier(3), "KNeighborsClassifier is neither"),
        (make_pipeline(PolynomialFeatures(2), GaussianNB()), "a step of its pipeline mixes columns"),
        (HistGradientBoostingRegressor(max_iter=30, min_samples_leaf=3), "a search met its limit"),
    ],
)
def test_what_is_not_proved_is_a_lower_bound_that_says_why(model, reason):
    X, y = make_regression(N, D, noise=5, random_state=0) if "limit" in reason else classes()
    queries, rows = asked(model.fit(X, y), X, y)
    for size, (lost, told) in enumerate(worst_sources(queries, rows, 3, 1, 1), start=1):
        assert (reason in told) == (size > 1)
        assert (queries.errors(rows, lost) <= worst_by_enumeration(queries, rows, size) + 1e-9).all()
        assert lost.sum(axis=1).max() <= size


def test_the_report_says_which_it_is(audit_parts):
    X, y = make_classification(N, 20, n_informative=5, random_state=0)
    queried = audit_parts("rows_attacked", KNeighborsClassifier(3).fit(X, y), X, y, attacker=True)
    assert any("nothing proves that there is no worse" in note for note in queried.notes)
    model = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    proved = audit_parts("rows_attacked", model, X, y, attacker=True)
    assert all(each.exact for each in proved.outcome.rows_attacked)
    by_scores = audit_parts("rows_attacked", model, X, y, attacker=True, metric="roc_auc")
    assert not any(each.exact for each in by_scores.outcome.rows_attacked)  # ranks can be worse


def test_the_worst_set_is_that_of_enumeration_and_so_is_each_rows_where_all_are_tried():
    X, y = classes(seed=5)
    queries, rows = asked(DecisionTreeClassifier(random_state=0).fit(X, y).predict, X, y)
    assert is_exact(queries, rows, questions=10**6)
    for size, (chosen, exact) in enumerate(search_sets(queries, rows, 3, 10**6), 1):
        assert exact
        assert queries.errors(rows, chosen).mean() == max(each.mean() for each in errors_of_sets(queries, rows, size))
    greedy = list(search_sets(queries, rows, 3, 1))
    assert not any(exact for _, exact in greedy)
    assert [chosen.sum() for chosen, _ in greedy] == [1, 2, 3]


def test_no_set_is_asked_twice():
    X, y = classes()
    asked_rows = []

    def model(rows):
        asked_rows.extend(map(tuple, np.nan_to_num(rows, nan=9.0)))
        return (np.nansum(rows, axis=1) > 0).astype(int)

    queries, rows = asked(model, X, y)
    asked_rows.clear()
    list(search_sets(queries, rows, 3, 10**6))
    search_pairs(queries, rows, 10**6, 3)
    assert len(asked_rows) == len(set(asked_rows)) == N * (5 + 10 + 10)


def test_copies_of_numbers_and_texts_correlate_and_are_tried_though_others_exceed_or_move_more():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(400, 4)), columns=list("abcd"))
    X["plan"] = random.choice(["basic", "plus", "family", "gold", "none"], 400)
    X["tariff"] = X["plan"].str.upper().where(random.random(400) > 0.1)
    X["empty"], X["constant"] = np.nan, 1.0
    X["c"] = np.exp(-X["a"]).where(random.random(400) > 0.1)
    queries, _ = asked(lambda frame: frame["a"] > 0, X, X["a"] > 0)
    assert sorted(correlated(queries)) == [(0, 2), (4, 5)]
    # Each of the copies moves few answers alone; both together cost much, and other pairs exceed their sums more.
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(400, 30)), columns=[f"c{j}" for j in range(30)])
    X["c20"] = X["c7"] + 0.1 * random.normal(size=400)
    weights = pd.Series(1.0, X.columns)
    weights[["c7", "c20"]] = 0.9

    def model(frame):
        either = sum((frame[f"c{j}"].isna() & frame[f"c{j + 1}"].isna()) * 4.0 for j in range(0, 6, 2))
        return (frame.fillna(0.0) @ weights > either).astype(int)

    queries, rows = asked(model, X, model(X))
    for questions in (10**6, 20_000):
        assert (7, 20) in search_pairs(queries, rows, questions, 3)
