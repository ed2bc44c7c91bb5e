"""Columns taken from all rows, beside plain enumeration; their correlations, beside scipy's; a split drawn again."""

from dataclasses import replace
from itertools import combinations
from math import comb
from statistics import mode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.stats import mannwhitneyu, pearsonr, somersd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from benchkit import Features, NotApplicableError, SplitContext
from benchkit_tabfs.adversaries import ColumnShift, absolute_correlations
from benchkit_tabfs.metrics import absent_correlation, follows_correlations
from benchkit_tabfs.splits import GivenSeed
from tests.attacks import attack as attack_on
from tests.attacks import judged

# Two numbers, a category of codes, a category one-hot, a constant: five features in seven columns.
NAMES = ["a", "b", "c=code", "d=u", "d=v", "d=w", "e"]
GROUPS = [[0], [1], [2], [3, 4, 5], [6]]
GROUP_NAMES = ["a", "b", "c", "d", "e"]


def rows(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    d = np.eye(3)[np.where(rng.random(n) < 0.5, 2 * y, rng.integers(0, 3, n))]
    a, b = y + rng.normal(size=n), 0.3 * y + rng.normal(size=n)
    return np.column_stack([a, b, rng.integers(0, 4, n), d, np.full(n, 7.0)]), np.where(y, 1, -1)


def attack(budget, seed=0, n=40):
    (train_X, train_y), (X, y) = rows(seed, 2 * n), rows(seed + 1000, n)
    names = {"feature_names": NAMES, "groups": GROUPS, "group_names": GROUP_NAMES}
    train = {"train_X": train_X, "train_y": train_y, "means": train_X.mean(axis=0)}
    return attack_on(X, y, None, budget, seed=seed, **names, **train)


def strength(X, y, feature):
    """|Pearson's| of one column; for several the largest that a weighted sum of them has, by the group means of y."""
    columns = X[:, GROUPS[feature]]
    if len(GROUPS[feature]) > 1:
        of_category = columns.argmax(axis=1)
        return abs(np.corrcoef([y[of_category == category].mean() for category in of_category], y)[0, 1])
    return 0.0 if np.ptp(columns) == 0 else abs(np.corrcoef(columns[:, 0], y)[0, 1])


def filled(given, features):
    """The attacked rows without some features, filled one cell at a time."""
    X = given.X.copy()
    for feature in features:
        for column in GROUPS[feature]:
            trained = given.train_X[:, column].tolist()
            if feature == 3:
                X[:, column] = float(column - 3 == given.train_X[:, GROUPS[3]].sum(axis=0).argmax())
            else:
                X[:, column] = mode(sorted(trained)) if feature == 2 else sum(trained) / len(trained)
    return X


@pytest.mark.parametrize("order", ["training", "all"])
@settings(max_examples=12)
@given(seed=st.integers(0, 500))
def test_three_scenarios_are_plain_enumeration_of_columns(order, seed):
    given = attack(0, seed)
    X, y = given.train_X, given.train_y
    if order == "all":
        X, y = np.concatenate([X, given.X]), np.concatenate([y, given.y])
    ascending = sorted(range(5), key=lambda feature: strength(X, y, feature))
    for budget in range(6):
        now = attack(budget, seed)
        single = ascending[budget - 1 : budget] if budget else []
        for scenario, gone in {"least": ascending[:budget], "most": ascending[::-1][:budget], "single": single}.items():
            found = ColumnShift(scenario, order=order).corrupt(now)
            assert found.truth["shifted_features"].tolist() == gone
            assert np.allclose(found.X, filled(now, gone), atol=1e-12, rtol=0)
            kept = [column for feature in set(range(5)) - set(gone) for column in GROUPS[feature]]
            assert np.array_equal(found.X[:, kept], now.X[:, kept])


@pytest.mark.parametrize("budget", range(6))
def test_random_takes_every_subset_of_its_size_once(budget):
    now, n = attack(budget), comb(5, budget)
    for number, gone in enumerate(combinations(range(5), budget)):
        for counted in (number, number + n):
            found = ColumnShift("random", subset=counted).corrupt(now)
            assert tuple(found.truth["shifted_features"]) == gone
            assert np.allclose(found.X, filled(now, gone), atol=1e-12, rtol=0)


def test_random_draws_are_uniform_and_extend_each_other():
    drawn = [[], []]
    for seed in range(300):
        found = [ColumnShift("random").corrupt(attack(budget, seed)).truth["shifted_features"] for budget in (1, 2)]
        smaller, larger = map(list, found)
        assert larger[:1] == smaller
        drawn[0] += smaller
        drawn[1].append(tuple(sorted(larger)))
    assert np.bincount(drawn[0]).min() > 25  # of 60 expected: five standard deviations are 35
    assert len(set(drawn[1])) == comb(5, 2)


@pytest.mark.parametrize("scenario", ["single", "least", "most", "random"])
def test_other_fills(scenario):
    def shifted(fill="mean-mode", **changes):
        return ColumnShift(scenario, fill=fill).corrupt(replace(attack(2), **changes))

    columns = [column for feature in shifted().truth["shifted_features"] for column in GROUPS[feature]]
    as_gap, zeros = shifted("nan").X, shifted("zero").X
    assert np.isnan(as_gap[:, columns]).all()
    assert np.isnan(as_gap).sum() == len(columns) * len(as_gap)
    assert (zeros[:, columns] == 0).all()
    sparse = {"X": csr_matrix(attack(2).X), "train_X": csr_matrix(attack(2).train_X)}
    assert np.array_equal(shifted("zero", **sparse).X.toarray(), zeros)
    with pytest.raises(NotApplicableError, match="needs dense data"):
        shifted(**sparse)
    with pytest.raises(NotApplicableError, match="needs the training part"):
        shifted(train_X=None)


def test_gaps_of_the_training_part_do_not_count():
    now = attack(1)
    with_gaps = now.train_X.copy()
    with_gaps[::3, 0] = np.nan
    found = ColumnShift("random", subset=0).corrupt(replace(now, train_X=with_gaps))
    assert found.X[:, 0] == pytest.approx(np.nanmean(with_gaps[:, 0]), abs=1e-12)
    empty = with_gaps.copy()
    empty[:, 0] = np.nan
    assert (ColumnShift("random", subset=0).corrupt(replace(now, train_X=empty)).X[:, 0] == 0).all()
    assert np.isfinite(ColumnShift("most").corrupt(replace(now, train_X=empty)).X).all()


def test_shared_frames_are_the_last_one_at_every_degree():
    for scenario in ("single", "least", "most"):
        for budget in (1, 3, 5):
            shared = ColumnShift(scenario, shared_frames=True).corrupt(attack(budget)).X
            assert np.allclose(shared, filled(attack(5), range(5)), atol=1e-12, rtol=0)
        assert np.array_equal(ColumnShift(scenario, shared_frames=True).corrupt(attack(0)).X, attack(0).X)


def test_a_recoded_category_that_is_gone_is_code_zero():
    now = attack(0)
    codes = replace(now, X=now.X[:, :3], train_X=now.train_X[:, :3], groups=GROUPS[:3], group_names=GROUP_NAMES[:3])
    codes = replace(codes, feature_names=NAMES[:3], feature_values=np.ones(3))
    kept = codes.X.copy()
    kept[kept[:, 2] == 1, 2] = 3  # no row has the code 1: 2 becomes 1, and 3 becomes 2
    found = ColumnShift("least", recode=True).corrupt(replace(codes, X=kept)).X
    assert np.array_equal(found[:, 2], np.array([0, np.nan, 1, 2])[kept[:, 2].astype(int)])
    assert np.array_equal(found[:, :2], kept[:, :2])
    assert (ColumnShift("random", subset=2, recode=True).corrupt(replace(codes, X=kept, budget=1)).X[:, 2] == 0).all()
    with pytest.raises(NotApplicableError, match="encoding: codes"):
        ColumnShift("least", recode=True).corrupt(now)


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"scenario": "worst"}, "scenario is 'worst', expected one of single, least, most, random"),
        ({"scenario": "least", "fill": "mean"}, "fill is 'mean', expected one of mean-mode, nan, zero"),
        ({"scenario": "least", "order": "test"}, "order is 'test'"),
        ({"scenario": "random", "subset": -1}, "subset is -1, expected a whole number"),
        ({"scenario": "most", "subset": 1}, "subset goes with scenario: random, not with most"),
        ({"scenario": "random", "shared_frames": True}, "shared_frames does not go with"),
        ({"scenario": "most", "recode": True, "fill": "nan"}, "does not go with fill: nan"),
    ],
)
def test_what_does_not_go_is_said_in_a_line(params, says):
    with pytest.raises(ValueError, match=says) as raised:
        ColumnShift(**params)
    assert "\n" not in str(raised.value)


@settings(max_examples=25)
@given(seed=st.integers(0, 1000), shift=st.sampled_from([0.0, 1.0, -3.0]))
def test_it_is_pearsons_of_columns_and_the_multiple_one_of_groups(seed, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 6)) + shift
    X[:, 2] = X[:, 1] - X[:, 0]  # of rank two
    X[:, 5] = 4.0
    y = X @ rng.normal(size=6) + rng.normal(size=30)
    found = absolute_correlations(X, y, Features(6, [[0, 1, 2]]))
    assert found[0] == pytest.approx(np.sqrt(LinearRegression().fit(X[:, :2], y).score(X[:, :2], y)), abs=1e-9)
    for feature, column in ((1, 3), (2, 4)):
        assert found[feature] == pytest.approx(abs(pearsonr(X[:, column], y).statistic), abs=1e-12)
    assert found[3] == 0


def test_classes_are_numbered_and_gaps_left_out():
    X = np.array([[0.0], [1.0], [np.nan], [4.0], [3.0]])
    found = absolute_correlations(X, np.array(["a", "b", "b", "c", "c"]), Features(1))
    assert found[0] == pytest.approx(pearsonr([0, 1, 4, 3], [0, 1, 2, 2]).statistic, abs=1e-12)
    assert absolute_correlations(X, np.zeros(5), Features(1))[0] == 0


def context(**changes):
    given = {"X": np.zeros((50, 1)), "y": np.arange(50) % 2, "repetition": 0, "random_state": 9, "classify": True}
    return SplitContext(**{**given, **changes})


def test_the_split_is_scikit_learns_with_the_given_seed_and_repetitions_have_those_after_it():
    train, validation, test = GivenSeed()(context())
    expected_train, expected_test = train_test_split(np.arange(50), test_size=0.2, random_state=42)
    assert np.array_equal(train, expected_train)
    assert np.array_equal(test, expected_test)
    assert len(validation) == 0
    train, validation, test = GivenSeed(seed=7)(context(repetition=3, random_state=1, validation=0.25, test=10))
    again = GivenSeed(seed=10)(context(repetition=0, random_state=2, validation=0.25, test=10))
    assert all(np.array_equal(one, other) for one, other in zip((train, validation, test), again, strict=True))
    assert (len(train), len(validation), len(test)) == (30, 10, 10)
    assert sorted([*train, *validation, *test]) == list(range(50))

    with pytest.raises(ValueError, match="train is 30, and given-seed trains on all that is left"):
        GivenSeed()(context(train=30))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "42"])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ValueError, match="expected a whole number from 0"):
        GivenSeed(seed)


def table(seed, n_columns=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, n_columns))
    y = X @ np.linspace(0, 2, n_columns) + rng.normal(size=40)
    return X, y, np.abs([np.corrcoef(column, y)[0, 1] for column in X.T])


def evaluation(X, y, truth, groups=()):
    return judged(None, X[:5], y[:5], y[:5], truth, X_train=X, y_train=y, groups=groups)


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), n_taken=st.integers(1, 5))
def test_columns_that_all_rows_lack_are_ranked_as_mann_and_whitney_do(seed, n_taken):
    X, y, correlations = table(seed)
    taken = np.random.default_rng(seed).permutation(6)[:n_taken]
    kept = np.setdiff1d(np.arange(6), taken)
    area = mannwhitneyu(correlations[taken], correlations[kept]).statistic / (n_taken * (6 - n_taken))
    for name in ("shifted_features", "dead_features"):
        told = evaluation(X, y, {name: taken})
        assert follows_correlations(told) == pytest.approx(2 * area - 1)
        assert absent_correlation(told) == pytest.approx(correlations[taken].sum())


@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_columns_that_some_rows_lack_are_ranked_as_somers_does(seed):
    X, y, correlations = table(seed)
    taken = np.random.default_rng(seed).random((5, 6)) < np.array([0.1, 0.9, 0.5, 0.5, 0.2, 0.7])
    share = taken.mean(axis=0)
    if np.ptp(share) == 0:
        return
    told = evaluation(X, y, {"taken": taken})
    assert follows_correlations(told) == pytest.approx(somersd(share, correlations).statistic)
    assert absent_correlation(told) == pytest.approx(share @ correlations)


def test_a_group_of_columns_is_one_and_what_cannot_be_ranked_says_why():
    X, y, _ = table(1)
    told = evaluation(X, y, {"shifted_features": np.array([0])}, groups=[[0, 1, 2]])
    assert absent_correlation(told) == absolute_correlations(X, y, Features(6, [[0, 1, 2]]))[0]
    for columns in ([], range(6)):
        with pytest.raises(NotApplicableError, match="absent equally often"):
            follows_correlations(evaluation(X, y, {"shifted_features": np.array(columns, dtype=int)}))
    with pytest.raises(NotApplicableError, match="does not say which columns it takes"):
        absent_correlation(evaluation(X, y, {"queries": 3}))
    with pytest.raises(NotApplicableError, match="need the training part"):
        absent_correlation(judged(None, X, y, y, {"shifted_features": np.array([0])}))
