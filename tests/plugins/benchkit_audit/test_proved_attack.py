"""The worst loss of each row of models that an adversary of the registry reads, against enumeration."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

import benchkit
from benchkit_audit.attacker import Attacker
from benchkit_audit.gaps import choose_fills
from benchkit_audit.subject import Queries, make_sources, make_subject
from benchkit_deletion.sources import read_last_step

N, D = 60, 6


def asked(model, X, y, groups=None):
    subject = make_subject(model, X, y)[0]
    rows = np.arange(len(y))
    sources = make_sources([column.name for column in subject.columns], groups)
    return Queries(subject, sources, choose_fills(subject, rows).values), rows


def worst_by_enumeration(queries, rows, size):
    n = len(queries.sources)
    losses = [queries.errors(rows)]
    for k in range(1, size + 1):
        for chosen in combinations(range(n), k):
            lost = np.zeros(n, dtype=bool)
            lost[list(chosen)] = True
            losses.append(queries.errors(rows, lost))
    return np.max(losses, axis=0)


def is_exact(model, X, y, groups=None, nodes=10_000):
    """Whether every size from 2 on is proved, and is what enumeration finds."""
    queries, rows = asked(model, X, y, groups)
    attack = Attacker(1, nodes)
    for size, (lost, exact) in enumerate(attack.choose(queries, rows, 3), start=1):
        assert exact, attack.refused
        assert lost.sum(axis=1).max() <= size
        assert queries.errors(rows, lost) == pytest.approx(worst_by_enumeration(queries, rows, size))
    return attack.refused


def classes(k=2):
    return make_classification(N, D, n_informative=5, n_redundant=0, n_classes=k, random_state=0, flip_y=0.1)


@pytest.mark.parametrize(
    ("model", "k"),
    [
        (HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=4), 2),
        (HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=4), 3),
        (GradientBoostingClassifier(n_estimators=8), 2),
        (RandomForestClassifier(8, max_depth=4, random_state=0), 3),
        (GaussianNB(), 2),
    ],
)
def test_trees_and_sums_are_attacked_exactly(model, k):
    X, y = classes(k)
    assert is_exact(model.fit(X, y), X, y) == ""


def test_a_regression_made_of_trees():
    X, y = make_regression(N, D, noise=5, random_state=0)
    assert is_exact(HistGradientBoostingRegressor(max_iter=8, min_samples_leaf=4).fit(X, y), X, y) == ""


def test_one_hot_blocks_and_sources_behind_a_pipeline_are_lost_whole():
    X, y = classes()
    X = pd.DataFrame(X, columns=list("abcdef"))
    X["place"] = np.where(X["a"] > 0.5, "north", np.where(X["b"] > 0, "south", "west"))
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), list("abcdef")),
        (OneHotEncoder(handle_unknown="ignore"), ["place"]),
    )
    model = make_pipeline(columns, GradientBoostingClassifier(n_estimators=8)).fit(X, y)
    assert is_exact(model, X, np.where(y == 1, 1, 0), {"office": ["b", "place"]}) == ""
    queries, rows = asked(model, X, y, {"office": ["b", "place"]})
    step = read_last_step(model, queries.table, len(rows), len(queries.sources))
    assert [len(group) for group in step.groups] == [4]


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
def test_trees_of_other_libraries_fitted_on_names(library):
    module = pytest.importorskip(library)
    X, y = classes()
    X = pd.DataFrame(X, columns=list("abcdef"))
    make = {
        "lightgbm": lambda: module.LGBMClassifier(n_estimators=8, min_child_samples=4, verbose=-1, n_jobs=1),
        "xgboost": lambda: module.XGBClassifier(n_estimators=8, n_jobs=1),
        "catboost": lambda: module.CatBoostClassifier(
            n_estimators=8, depth=3, verbose=0, allow_writing_files=False, thread_count=1
        ),
    }[library]
    assert is_exact(make().fit(X, y), X, y) == ""


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (KNeighborsClassifier(3), "KNeighborsClassifier is neither"),
        (make_pipeline(PolynomialFeatures(2), GaussianNB()), "a step of its pipeline mixes columns"),
    ],
)
def test_other_models_are_asked_and_nothing_is_said_to_be_exact(model, reason):
    X, y = classes()
    queries, rows = asked(model.fit(X, y), X, y)
    attack = Attacker(1, 1000)
    assert [exact for _, exact in attack.choose(queries, rows, 3)] == [True, False, False]
    assert reason in attack.refused


def test_a_search_that_meets_its_limit_is_a_lower_bound():
    X, y = make_regression(N, D, noise=5, random_state=0)
    queries, rows = asked(HistGradientBoostingRegressor(max_iter=30, min_samples_leaf=3).fit(X, y), X, y)
    attack = Attacker(1, 1)
    proved = []
    for size, (lost, exact) in enumerate(attack.choose(queries, rows, 3), start=1):
        assert (queries.errors(rows, lost) <= worst_by_enumeration(queries, rows, size) + 1e-9).all()
        proved.append(exact)
    assert proved == [True, False, False]


def test_the_report_says_which_it_is():
    X, y = make_classification(60, 20, n_informative=5, random_state=0)
    queried = benchkit.audit(KNeighborsClassifier(3).fit(X, y), X, y, seconds=1e6, attacker=True)
    assert any("nothing proves that there is no worse" in note for note in queried.notes)
    assert "or less" in str(queried) or queried.outcome.attacked[1].exact
    model = HistGradientBoostingClassifier(max_iter=10).fit(X, y)
    proved = benchkit.audit(model, X, y, seconds=1e6, attacker=True)
    assert all(each.exact for each in proved.outcome.attacked)
    by_scores = benchkit.audit(model, X, y, seconds=1e6, attacker=True, metric="roc_auc")
    assert not any(each.exact for each in by_scores.outcome.attacked)  # ranks can be worse
