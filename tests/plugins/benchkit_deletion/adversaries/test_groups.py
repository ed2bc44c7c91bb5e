"""A group of columns is one feature: adversaries count it once, erase it whole, and leave what `fill` says."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from benchkit import AttackContext, NotApplicableError
from benchkit_deletion.adversaries.asking import EnumerateDelete, QueryDelete
from benchkit_deletion.adversaries.given import NamedDelete, RandomDelete
from benchkit_deletion.adversaries.linear import ExactDelete, FailingFeatures, GreedyDelete
from benchkit_feature_noise.adversaries import GreedyCorrupt

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
    return AttackContext(
        X=X,
        y=y,
        budget=budget,
        feature_values=np.asarray(values, dtype=float),
        rng=np.random.default_rng(0),
        model=model,
        raw=X,
        feature_names=tuple("abcdefg"),
        groups=groups,
        group_names=("b=", "d="),
        means=X.mean(axis=0),
        imputed=np.full(7, 0.25),
        takes_missing=False,
    )


def deleted(attack, result, left=0.0):
    """Which features of each row are gone, where a feature is all gone or all there."""
    same = np.stack([(result.X[:, cols] == attack.X[:, cols]).all(axis=1) for cols in FEATURES], axis=1)
    gone = np.stack([(result.X[:, cols] == np.broadcast_to(left, 7)[cols]).all(axis=1) for cols in FEATURES], axis=1)
    assert (same | gone).all()
    return gone & ~same


def margins(attack, X):
    return attack.y * attack.model.decision_function(X)


def worst_margins(attack, costs, left):
    """The least margin of each row over all deletions of whole features that the budget pays."""
    worst = margins(attack, attack.X)
    for count in (1, 2):
        for going in combinations(range(4), count):
            if costs[list(going)].sum() <= attack.budget:
                columns = [column for feature in going for column in FEATURES[feature]]
                X = attack.X.copy()
                X[:, columns] = left[columns]
                worst = np.minimum(worst, margins(attack, X))
    return worst


@pytest.mark.parametrize("one_hot", [True, False])
@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
@pytest.mark.parametrize("adversary", [GreedyDelete, ExactDelete, EnumerateDelete])
def test_the_worst_case_is_that_of_enumeration_over_whole_features(adversary, fill, one_hot):
    attack = scene(2, one_hot=one_hot)
    left = {"zero": np.zeros(7), "mean": attack.means, "nan": attack.imputed}[fill]
    result = adversary(fill=fill).corrupt(attack)
    np.testing.assert_allclose(margins(attack, result.X), worst_margins(attack, np.ones(4), left), atol=1e-12)
    assert deleted(attack, result, left).sum(axis=1).max() == 2


def test_the_exact_adversary_pays_for_a_group_what_its_columns_cost():
    values = [0.7, 0.5, 0.8, 0.2, 0.3, 0.4, 1.1]  # features of 0.7, 1.3, 0.9 and 1.1
    attack = scene(1.6, values=values)
    costs = np.array([0.7, 1.3, 0.9, 1.1])
    result = ExactDelete().corrupt(attack)
    np.testing.assert_allclose(margins(attack, result.X), worst_margins(attack, costs, np.zeros(7)), atol=1e-12)
    assert (deleted(attack, result) @ costs).max() <= 1.6


@pytest.mark.parametrize("budget", [1, 2, 4])
def test_others_count_features_and_take_them_whole(budget):
    attack = scene(budget)
    for adversary in (RandomDelete(), FailingFeatures(), FailingFeatures("random")):
        gone = deleted(attack, adversary.corrupt(replace(attack, rng=np.random.default_rng(0))))
        # A number is never zero here; a block that is gone was not gone before.
        assert (gone.sum(axis=1) == budget).all()
    result = NamedDelete(["d=", 2, "a"]).corrupt(replace(attack, budget=2))
    assert deleted(attack, result).tolist() == [[False, True, True, False]] * 60
    with pytest.raises(ValueError, match="names one feature twice"):
        NamedDelete([1, "c"]).corrupt(replace(attack, budget=2))
    noisy = GreedyCorrupt().corrupt(attack)
    changed = noisy.X != attack.X
    for feature in FEATURES:
        assert (changed[:, feature].all(axis=1) == changed[:, feature].any(axis=1)).all()


def test_nan_is_left_to_a_model_that_takes_it():
    attack = scene(2)
    boosted = HistGradientBoostingClassifier(max_iter=20).fit(attack.X, attack.y)
    for adversary in (QueryDelete(fill="nan"), RandomDelete(fill="nan"), EnumerateDelete(fill="nan")):
        X = adversary.corrupt(replace(attack, model=boosted, takes_missing=True)).X
        gone = np.stack([np.isnan(X[:, feature]).all(axis=1) for feature in FEATURES], axis=1)
        assert np.isnan(X).sum() == (gone * [1, 2, 3, 1]).sum() > 0
        assert gone.sum(axis=1).max() <= 2


def test_what_deletion_may_leave():
    attack = scene(1)
    with pytest.raises(NotApplicableError, match=r"add \{impute-where-needed: mean\} to 'preprocess'"):
        GreedyDelete(fill="nan").corrupt(replace(attack, imputed=None))
    with pytest.raises(NotApplicableError, match="query-delete asks the model"):
        GreedyDelete(fill="nan").corrupt(replace(attack, takes_missing=True))


@pytest.mark.parametrize("fill", ["zero", "mean", "nan"])
@pytest.mark.parametrize(
    "adversary",
    [FailingFeatures, partial(FailingFeatures, "random"), partial(NamedDelete, ["c", "a"]), EnumerateDelete],
    ids=["failing-worst", "failing-at-random", "named", "enumerate"],
)
def test_a_deleted_feature_is_left_as_the_fill_says(adversary, fill):
    attack = scene(2)
    means = attack.X.mean(axis=0)
    left = {"zero": np.zeros(7), "mean": means, "nan": attack.imputed}[fill]
    X = adversary(fill=fill).corrupt(replace(attack, means=means)).X
    changed = X != attack.X
    assert changed.any(axis=0).any()
    np.testing.assert_array_equal(X[changed], np.broadcast_to(left, X.shape)[changed])


@pytest.mark.parametrize("adversary", [EnumerateDelete, QueryDelete])
def test_a_model_that_takes_no_gaps_is_not_asked_about_them(adversary):
    with pytest.raises(NotApplicableError, match="its predictions take no missing values"):
        adversary(fill="nan").corrupt(replace(scene(1), takes_missing=True))
