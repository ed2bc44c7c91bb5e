"""A group of columns is one feature: adversaries count it once, erase it whole, and leave what `fill` says."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from benchkit import NotApplicableError
from benchkit_deletion.adversaries.asking import EnumerateDelete, QueryDelete
from benchkit_deletion.adversaries.given import NamedDelete, RandomDelete
from benchkit_deletion.adversaries.linear import ExactDelete, FailingFeatures, GreedyDelete
from benchkit_feature_noise.adversaries import GreedyCorrupt
from tests.attacks import attack

# Columns 1 and 2, and 3, 4 and 5, are groups: four features of seven columns.
GROUPS = ([1, 2], [5, 3, 4])
FEATURES = ([0], [1, 2], [3, 4, 5], [6])


def scene(budget, groups=GROUPS, one_hot=True, values=None):
    rng = np.random.default_rng(3)
    n = 60
    X = rng.normal(size=(n, 7))
    if one_hot:
        for group in GROUPS:
            X[:, group] = np.eye(len(group))[rng.integers(0, len(group), n)]
    y = np.where(X @ rng.normal(size=7) + 0.3 * rng.normal(size=n) > 0, 1, -1)
    model = LogisticRegression(C=10).fit(X, y)
    if values is None:
        values = np.array([1, 1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3, 1])
    names = {"feature_names": tuple("abcdefg"), "groups": groups, "group_names": ("b=", "d=")}
    left = {"means": X.mean(axis=0), "imputed": np.full(7, 0.25), "takes_missing": False}
    return attack(X, y, model, budget, np.asarray(values, dtype=float), seed=0, **names, **left)


def deleted(act, result, left=0.0):
    """Which features of each row are gone, where a feature is all gone or all there."""
    same = np.stack([(result.X[:, cols] == act.X[:, cols]).all(axis=1) for cols in FEATURES], axis=1)
    gone = np.stack([(result.X[:, cols] == np.broadcast_to(left, 7)[cols]).all(axis=1) for cols in FEATURES], axis=1)
    assert (same | gone).all()
    return gone & ~same


def margins(act, X):
    return act.y * act.model.decision_function(X)


def worst_margins(act, costs, left):
    """The least margin of each row over all deletions of whole features that the budget pays."""
    worst = margins(act, act.X)
    for count in (1, 2):
        for going in combinations(range(4), count):
            if costs[list(going)].sum() <= act.budget:
                columns = [column for feature in going for column in FEATURES[feature]]
                X = act.X.copy()
                X[:, columns] = left[columns]
                worst = np.minimum(worst, margins(act, X))
    return worst


@pytest.mark.parametrize("one_hot", [True, False])
@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
@pytest.mark.parametrize("adversary", [GreedyDelete, ExactDelete, EnumerateDelete])
def test_the_worst_case_is_that_of_enumeration_over_whole_features(adversary, fill, one_hot):
    act = scene(2, one_hot=one_hot)
    left = {"zero": np.zeros(7), "mean": act.means, "nan": act.imputed}[fill]
    result = adversary(fill=fill).corrupt(act)
    np.testing.assert_allclose(margins(act, result.X), worst_margins(act, np.ones(4), left), atol=1e-12)
    assert deleted(act, result, left).sum(axis=1).max() == 2


def test_the_exact_adversary_pays_for_a_group_what_its_columns_cost():
    values = [0.7, 0.5, 0.8, 0.2, 0.3, 0.4, 1.1]  # features of 0.7, 1.3, 0.9 and 1.1
    act = scene(1.6, values=values)
    costs = np.array([0.7, 1.3, 0.9, 1.1])
    result = ExactDelete().corrupt(act)
    np.testing.assert_allclose(margins(act, result.X), worst_margins(act, costs, np.zeros(7)), atol=1e-12)
    assert (deleted(act, result) @ costs).max() <= 1.6


@pytest.mark.parametrize("budget", [1, 2, 4])
def test_others_count_features_and_take_them_whole(budget):
    act = scene(budget)
    for adversary in (RandomDelete(), FailingFeatures(), FailingFeatures("random")):
        gone = deleted(act, adversary.corrupt(replace(act, rng=np.random.default_rng(0))))
        # A number is never zero here; a block that is gone was not gone before.
        assert (gone.sum(axis=1) == budget).all()
    result = NamedDelete(["d=", 2, "a"]).corrupt(replace(act, budget=2))
    assert deleted(act, result).tolist() == [[False, True, True, False]] * 60
    with pytest.raises(ValueError, match="names one feature twice"):
        NamedDelete([1, "c"]).corrupt(replace(act, budget=2))
    noisy = GreedyCorrupt().corrupt(act)
    changed = noisy.X != act.X
    for feature in FEATURES:
        assert (changed[:, feature].all(axis=1) == changed[:, feature].any(axis=1)).all()


def test_nan_is_left_to_a_model_that_takes_it():
    act = scene(2)
    boosted = HistGradientBoostingClassifier(max_iter=20).fit(act.X, act.y)
    for adversary in (QueryDelete(fill="nan"), RandomDelete(fill="nan"), EnumerateDelete(fill="nan")):
        X = adversary.corrupt(replace(act, model=boosted, takes_missing=True)).X
        gone = np.stack([np.isnan(X[:, feature]).all(axis=1) for feature in FEATURES], axis=1)
        assert np.isnan(X).sum() == (gone * [1, 2, 3, 1]).sum() > 0
        assert gone.sum(axis=1).max() <= 2


def test_what_deletion_may_leave():
    act = scene(1)
    with pytest.raises(NotApplicableError, match=r"add \{impute-where-needed: mean\} to 'preprocess'"):
        GreedyDelete(fill="nan").corrupt(replace(act, imputed=None))
    with pytest.raises(NotApplicableError, match="query-delete asks the model"):
        GreedyDelete(fill="nan").corrupt(replace(act, takes_missing=True))


@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
@pytest.mark.parametrize(
    "adversary",
    [FailingFeatures, partial(FailingFeatures, "random"), partial(NamedDelete, ["c", "a"]), EnumerateDelete],
    ids=["failing-worst", "failing-at-random", "named", "enumerate"],
)
def test_a_deleted_feature_is_left_as_the_fill_says(adversary, fill):
    act = scene(2)
    means = act.X.mean(axis=0)
    left = {"zero": np.zeros(7), "mean": means, "nan": act.imputed}[fill]
    X = adversary(fill=fill).corrupt(replace(act, means=means)).X
    changed = X != act.X
    assert changed.any(axis=0).any()
    np.testing.assert_array_equal(X[changed], np.broadcast_to(left, X.shape)[changed])


@pytest.mark.parametrize("adversary", [EnumerateDelete, QueryDelete])
def test_a_model_that_takes_no_gaps_is_not_asked_about_them(adversary):
    with pytest.raises(NotApplicableError, match="its predictions take no missing values"):
        adversary(fill="nan").corrupt(replace(scene(1), takes_missing=True))
