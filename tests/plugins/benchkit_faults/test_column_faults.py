"""Faults of columns, each against a plain loop; noise in standard deviations; that budgets are nested."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.preprocessing import FunctionTransformer

from benchkit import NotApplicableError
from benchkit_faults.columns import GaussianNoise, Sample, Scale, Sentinel, Stuck, SwapColumns, UnseenCategory
from benchkit_faults.training import LabelNoise, Outliers

FEATURES = ([0], [1, 2, 3], [4, 5], [6], [7])
ALL = {"scale": Scale, "sentinel": Sentinel, "stuck": Stuck, "sample": Sample, "swap": SwapColumns}
ALL["category"] = UnseenCategory


def changed(attack, result):
    return ~((result.X == attack.X) | (np.isnan(result.X) & np.isnan(attack.X)))


def features_of(mask):
    return {place for place, columns in enumerate(FEATURES) if mask[:, columns].any()}


@pytest.mark.parametrize(
    ("fault", "columns", "struck", "change"),
    [
        (Scale(factor=2.54, features=["c", "s"]), [6, 4, 5], [3, 2], lambda raw: 2.54 * raw),
        (Sentinel(features=["d"]), [7], [4], lambda raw: 0 * raw - 999),
    ],
)
def test_a_unit_or_a_code_changes_before_preprocessing(scene, fault, columns, struck, change):
    attack = scene(len(struck))
    result, raw = fault.corrupt(attack), attack.raw.copy()
    raw[:, columns] = change(raw[:, columns])
    np.testing.assert_allclose(result.X, attack.seen(raw))
    assert result.truth["struck_features"].tolist() == struck


def test_a_sensor_sticks_at_the_value_of_one_row_or_each_row_gets_the_value_of_another(scene):
    attack = scene(5)
    stuck, sampled = (fault.corrupt(attack).X for fault in (Stuck(), Sample()))
    for columns in FEATURES:
        known = ~np.isnan(attack.X[:, columns]).any(axis=1)
        values = np.unique(stuck[known][:, columns].round(9), axis=0)
        assert len(values) == 1
        assert (np.isclose(attack.X[:, columns], values[0])).all(axis=1).any()
        before, after = attack.X[known][:, columns], sampled[known][:, columns]
        np.testing.assert_allclose(np.sort(after, axis=0), np.sort(before, axis=0))
        rows = {tuple(row) for row in before.round(9)}
        assert {tuple(row) for row in after.round(9)} == rows  # a group comes from one row
    assert (sampled[:, 7] != attack.X[:, 7]).all()  # numbers that differ: nobody keeps its own


def test_columns_change_places_before_preprocessing_and_a_swap_takes_two_of_the_budget(scene):
    attack = scene(4)
    result = SwapColumns(features=["a", "d"]).corrupt(scene(2, gaps=False))
    raw = scene(2, gaps=False).raw
    np.testing.assert_allclose(result.X, scene(2, gaps=False).seen(raw[:, [7, 1, 2, 3, 4, 5, 6, 0]]))
    with_gaps = SwapColumns(features=["a", "d"]).corrupt(attack)
    assert (np.isnan(with_gaps.X[:, 7]) == np.isnan(attack.X[:, 0])).all()
    with pytest.raises(NotApplicableError, match="moves gaps"):
        SwapColumns(features=["a", "d"]).corrupt(scene(2, takes_missing=False))
    assert not changed(scene(1), SwapColumns().corrupt(scene(1))).any()
    for budget, swapped in ((2, 2), (3, 2), (5, 2)):  # of a, c and d one is left over; b and s have no partner
        assert len(SwapColumns().corrupt(scene(budget)).truth["struck_features"]) == swapped


def test_a_category_that_no_column_stands_for(scene):
    attack = scene(1)
    result = UnseenCategory().corrupt(attack)
    raw = attack.raw.copy()
    raw[:, 1:4] = 0
    np.testing.assert_allclose(result.X, attack.seen(raw))
    gap = UnseenCategory(leaves="nan").corrupt(attack)
    assert np.isnan(gap.X[:, 1:4]).all()
    np.testing.assert_array_equal(np.delete(gap.X, [1, 2, 3], axis=1), np.delete(attack.X, [1, 2, 3], axis=1))
    with pytest.raises(NotApplicableError, match="a category"):
        UnseenCategory().corrupt(scene(1, groups=(), group_names=()))


@pytest.mark.parametrize("name", sorted(ALL))
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), probability=st.sampled_from([1.0, 0.4]))
def test_a_larger_budget_extends_a_smaller_one(scene, name, seed, probability):
    fault = ALL[name]() if name == "swap" else ALL[name](probability=probability)
    smaller = None
    for budget in range(6):
        attack = scene(budget, seed=seed)
        result = fault.corrupt(attack)
        now = changed(attack, result)
        assert len(features_of(now)) <= budget
        if smaller is not None:
            np.testing.assert_array_equal(result.X[smaller[0]], smaller[1].X[smaller[0]])
        smaller = now, result


@pytest.mark.parametrize("name", ["scale", "sentinel"])
def test_categories_are_no_numbers(scene, name):
    attack = scene(5)
    assert features_of(changed(attack, ALL[name]().corrupt(attack))) == {0, 2, 3, 4}
    with pytest.raises(ValueError, match="'b', but what is struck must be numbers"):
        ALL[name](features=["b"]).corrupt(scene(1))


@pytest.mark.parametrize("name", sorted(ALL))
def test_sparse_data_is_refused(scene, name):
    X = sparse.csr_matrix(np.nan_to_num(scene(1).raw))
    with pytest.raises(NotApplicableError, match="dense data"):
        ALL[name]().corrupt(scene(1, X=X, raw=X))


def test_a_share_of_the_rows(scene):
    attack = scene(1, n=2000)
    hit = changed(attack, Sentinel(features=["d"], probability=0.25).corrupt(attack))[:, 7]
    assert hit.mean() == pytest.approx(0.25, abs=0.04)


def test_what_cannot_be_struck_is_refused(scene):
    with pytest.raises(NotApplicableError, match="log1p"):
        Sentinel(features=["d"]).corrupt(scene(1, gaps=False, preprocess=FunctionTransformer(np.log1p).transform))
    with pytest.raises(ValueError, match="takes pairs"):
        SwapColumns(features=["a", "c", "d"]).corrupt(scene(2))
    with pytest.raises(ValueError, match="2 columns with 1|1 columns with 2"):
        SwapColumns(features=["a", "s"]).corrupt(scene(2))
    with pytest.raises(NotApplicableError, match="standard deviations"):
        GaussianNoise().corrupt(scene(1.0, deviations=None))
    for features, message in ((["e"], "no feature is named 'e'"), ([8], "columns are 0 to 7"), (["s1", "s2"], "twice")):
        with pytest.raises(ValueError, match=message):
            Stuck(features=features).corrupt(scene(1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scale(factor=1), "other than 1"),
        (lambda: Scale(factor=float("inf")), "finite"),
        (lambda: Sentinel(value=float("nan")), "finite"),
        (lambda: Stuck(features="a"), "a list"),
        (lambda: Stuck(features=[]), "a list"),
        (lambda: Sample(probability=0), "more than 0"),
        (lambda: UnseenCategory(leaves="none"), "'zero' or 'nan'"),
        (lambda: LabelNoise(kind="random"), "kind is 'random'"),
        (lambda: LabelNoise(label=1), "kind: class"),
        (lambda: Outliers(size=0), "size"),
        (lambda: Outliers(direction="up"), "direction is 'up'"),
    ],
)
def test_parameters_that_are_none(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), budget=st.floats(0.01, 5))
def test_its_root_mean_square_is_the_budget(scene, seed, budget):
    attack = scene(budget, seed=seed)
    moved = (GaussianNoise().corrupt(attack).X - attack.X) / attack.deviations
    np.testing.assert_allclose(np.sqrt(np.nanmean(moved[:, [0, 4, 5, 6, 7]] ** 2, axis=0)), budget)
    assert (moved[:, [1, 2, 3]] == 0).all()
    once = (GaussianNoise().corrupt(scene(1.0, seed=seed)).X - attack.X) / attack.deviations
    np.testing.assert_allclose(moved, budget * once, atol=1e-12)


def test_noise_is_normal_independent_without_units_and_of_named_features(scene):
    attack = scene(1.0, n=4000, gaps=False)
    moved = (GaussianNoise().corrupt(attack).X - attack.X)[:, [0, 4, 5, 6, 7]]
    assert stats.kstest(moved[:, 0], "norm").pvalue > 0.01
    assert np.abs(np.corrcoef(moved.T) - np.eye(5)).max() < 0.06
    scaled, plain = scene(0.5), scene(0.5, standardised=False)
    np.testing.assert_allclose(GaussianNoise().corrupt(scaled).X, scaled.seen(GaussianNoise().corrupt(plain).X))
    attack = scene(1.0)
    moved = np.nan_to_num(GaussianNoise(features=["d"]).corrupt(attack).X - attack.X).any(axis=0)
    assert np.flatnonzero(moved).tolist() == [7]
