"""What goes missing: how much, nested, and where it should; the metrics that are declared."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from benchkit import NotApplicableError
from benchkit_incomplete_data.adversaries import MissingAtRandom, MissingNotAtRandom, MissingViews
from benchkit_incomplete_data.plugin import benchkit_algorithms, benchkit_metrics
from tests.attacks import attack as attack_on
from tests.attacks import judged

VIEWS = [[0, 3], [1], [2, 4, 5]]
ADVERSARIES = [MissingAtRandom(), MissingNotAtRandom("value"), MissingNotAtRandom("label", 5.0), MissingViews(VIEWS)]


def attack(budget, n=40, d=6, seed=0, **others):
    X, y = np.random.default_rng(1).normal(size=(n, d)), np.repeat([-1, 1], n // 2)
    return attack_on(X, y, None, budget, seed=seed, **{"groups": (), **others})


@pytest.mark.parametrize("adversary", ADVERSARIES)
@settings(max_examples=25)
@given(budgets=st.lists(st.floats(0, 1), min_size=2, max_size=2), seed=st.integers(0, 100))
def test_larger_budgets_extend_smaller_ones(adversary, budgets, seed):
    less, more = (adversary.corrupt(attack(budget, seed=seed)) for budget in sorted(budgets))
    assert (less.truth["missing"] <= more.truth["missing"]).all()
    original = attack(0.0)
    for found in (less, more):
        missing = found.truth["missing"]
        np.testing.assert_array_equal(np.isnan(found.X), missing)
        np.testing.assert_array_equal(found.X[~missing], original.X[~missing])
        np.testing.assert_array_equal(found.y, original.y)


@pytest.mark.parametrize("adversary", ADVERSARIES[:3])
@pytest.mark.parametrize("budget", [0.0, 0.3, 1.0])
def test_the_fraction_is_exact(adversary, budget):
    assert adversary.corrupt(attack(budget)).truth["missing"].sum() == round(240 * budget)


@pytest.mark.parametrize("budget", [0.0, 0.4, 1.0])
def test_views_are_given_or_the_groups_of_the_dataset_and_go_as_a_whole(budget):
    missing = MissingViews(views=VIEWS).corrupt(attack(budget)).truth["missing"]
    np.testing.assert_array_equal(MissingViews().corrupt(attack(budget, groups=VIEWS)).truth["missing"], missing)
    gone = np.column_stack([missing[:, view].all(axis=1) for view in VIEWS])
    for place, view in enumerate(VIEWS):
        np.testing.assert_array_equal(missing[:, view].any(axis=1), gone[:, place])
    assert gone.sum() == round(budget * gone.size)


def rate(missing):
    # What is drawn without replacement by odds goes as if each entry had an exponential time of that rate.
    return -np.log1p(-missing.mean())


@pytest.mark.parametrize("strength", [1.0, -1.0])
def test_equal_values_share_their_odds_and_others_have_those_of_their_ranks(strength):
    # The rarer value of a column is as much likelier or unlikelier as documented, and a constant column is in between.
    rng = np.random.default_rng(2)
    n = 40_000
    ranked = np.array([0, 1, 100])[rng.integers(3, size=n)]
    X = np.column_stack([rng.random(n) < 0.1, rng.random(n) < 0.9, np.ones(n), ranked]).astype(float)
    missing = MissingNotAtRandom(strength=strength).corrupt(replace(attack(0.3, n=n, d=4), X=X)).truth["missing"]
    for column in (0, 1):
        large, small = (rate(missing[X[:, column] == value, column]) for value in (1, 0))
        assert large / small == pytest.approx(np.exp(2 * strength), rel=0.1)
        assert large / rate(missing[:, 2]) == pytest.approx(np.exp(strength), rel=0.1)
    least, middle, most = (rate(missing[ranked == value, 3]) for value in (0, 1, 100))
    assert (middle / least, most / middle) == pytest.approx((np.exp(strength), np.exp(strength)), rel=0.1)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_labels_share_their_odds_at_every_balance(share):
    n = 20_000
    y = np.where(np.arange(n) < share * n, 1, -1)
    missing = MissingNotAtRandom(by="label", strength=1.0).corrupt(replace(attack(0.3, n=n), y=y)).truth["missing"]
    assert rate(missing[y == 1]) / rate(missing[y == -1]) == pytest.approx(np.exp(2.0), rel=0.1)
    words = replace(attack(0.3, n=n), y=np.where(y == 1, "well", "ill").astype(object))
    again = MissingNotAtRandom(by="label", strength=1.0).corrupt(words).truth["missing"]
    np.testing.assert_array_equal(again, missing)


def test_bad_parameters_and_sparse_data_are_refused():
    with pytest.raises(ValueError, match="by is 'row'"):
        MissingNotAtRandom(by="row")
    for strength in (np.inf, "big", True):
        with pytest.raises(ValueError, match=f"strength is {strength!r}, expected a number"):
            MissingNotAtRandom(strength=strength)
    for views in ([0, 1], [[0.0]], ["ab"], [[True]]):
        with pytest.raises(ValueError, match="expected lists of column numbers"):
            MissingViews(views=views)
    for views in ([[0], [0, 1]], [[7]], [[-1]]):
        with pytest.raises(ValueError, match="views must name different columns from 0 to 5"):
            MissingViews(views=views).corrupt(attack(0.5))
    with pytest.raises(NotApplicableError, match="needs a dataset with groups"):
        MissingViews().corrupt(attack(0.5))
    hashed = csr_matrix((40, 10**10))  # of which no dense array can be made
    for adversary in (MissingAtRandom(), MissingNotAtRandom(), MissingViews(views=[[0], [1]])):
        with pytest.raises(NotApplicableError, match="dense"):
            adversary.corrupt(replace(attack(0.5), X=hashed))


def test_metrics_read_the_run_and_nothing_else():
    rng = np.random.default_rng(0)
    complete = rng.normal(size=(50, 4))
    y = np.where(complete[:, 0] + 0.1 * rng.normal(size=50) > 0, 1, -1)
    X = np.where(rng.random(complete.shape) < 0.4, np.nan, complete)
    algorithms = {declared.name: declared for declared in benchkit_algorithms()}
    evaluation = judged(algorithms["wii-svm"].make(trade_off=0.1, max_iter=3, tol=0.0).fit(X, y), complete, y, y)
    found = {metric.name: metric.compute(evaluation) for metric in benchkit_metrics()}
    assert found["wii-iterations"] == 3
    assert 1 < found["n-imputations"] <= 4
    assert found["joint-objective"] == evaluation.model.objective_path_[-1]
    single = replace(evaluation, model=algorithms["impute-svm"].make().fit(X, y))
    of_the_run = benchkit_metrics()[:3]
    assert [metric.compute(single) for metric in of_the_run][::2] == [1.0, 0.0]
    other = replace(evaluation, model=LogisticRegression().fit(complete, y))
    assert np.isnan([metric.compute(other) for metric in of_the_run]).all()
    # The mean has a relative squared error of 1.
    targets = np.arange(50.0)
    metric = benchkit_metrics()[3]
    assert metric.name == "relative-squared-error"
    mean = judged(None, None, targets, np.full(50, targets.mean()))
    assert metric.compute(mean) == pytest.approx(1.0)
    assert metric.compute(replace(mean, predictions=targets)) == 0.0
