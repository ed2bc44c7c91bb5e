"""Values of an earlier row against a loop, typing errors by Damerau's distance; wrong labels and outliers that nest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import benchkit
from benchkit import Categories, Data, NotApplicableError
from benchkit_faults.entries import Stale, Typo, earlier_rows, mistyped
from benchkit_faults.training import LabelNoise, Outliers


def by_loop(whose, when, known):
    found = np.full(known.shape, -1)
    for row, column in np.ndindex(known.shape):
        own = np.flatnonzero((whose == whose[row]) & (whose >= 0))
        earlier = [other for other in own if when[other] < when[row] and known[other, column]]
        # Of rows of the same time that lexsort leaves in their order the last one.
        if earlier:
            found[row, column] = max(earlier, key=lambda other: (when[other], other))
    return found


@given(st.integers(1, 25), st.integers(0, 1000))
def test_the_latest_earlier_row_that_knows_the_column(n, seed):
    rng = np.random.default_rng(seed)
    whose, when = rng.integers(-1, 4, n), rng.integers(0, 6, n)
    known = rng.random((n, 3)) < 0.7
    np.testing.assert_array_equal(earlier_rows(whose, when, known), by_loop(whose, when, known))


def of_machines(scene, budget, **changes):
    """The scene's rows are the last of two machines' 80, a day each."""
    attack = scene(budget, gaps=False, **changes)
    n = len(attack.y)
    X, y = np.concatenate([attack.raw + 1000.0, attack.raw]), np.concatenate([attack.y, attack.y])
    days = np.array([f"2024-{1 + day // 28:02}-{1 + day % 28:02}" for day in range(2 * n)])
    columns = {"machine": Categories.of(["left", "right"] * n), "day": days}
    data = Data(X=X, y=y, feature_names=attack.feature_names, columns=columns)
    return {"data": data, "rows": np.arange(n, 2 * n)}


def test_a_row_gets_what_its_machine_had_two_days_before_and_is_left_alone_without_a_past(scene):
    known = of_machines(scene, 2)
    attack = scene(2, gaps=False, **known)
    result = Stale(entity="machine", time="day", features=["c", "s"]).corrupt(attack)
    expected = attack.raw.copy()
    expected[:, [4, 5, 6]] = known["data"].X[attack.rows - 2][:, [4, 5, 6]]
    np.testing.assert_allclose(result.X, attack.seen(expected))
    assert result.truth["rows_with_a_past"].all()
    known = of_machines(scene, 5)
    first = {"data": known["data"], "rows": np.arange(40)}
    attack = scene(5, gaps=False, **first)
    result = Stale(entity="machine", time="day").corrupt(attack)
    assert result.truth["rows_with_a_past"].tolist() == [False, False] + [True] * 38
    np.testing.assert_array_equal(result.X[:2], attack.X[:2])
    with pytest.raises(NotApplicableError, match="the data has no column 'patient'"):
        Stale(entity="patient", time="day").corrupt(attack)
    with pytest.raises(NotApplicableError, match="no row has an earlier one of the same day"):
        Stale(entity="day", time="day").corrupt(attack)
    with pytest.raises(NotApplicableError, match="needs all rows"):
        Stale(entity="machine", time="day").corrupt(scene(5))
    with pytest.raises(ValueError, match="entity is 3"):
        Stale(entity=3, time="day")


@pytest.mark.usefixtures("unseen")
def test_in_a_run_rows_get_the_past_of_the_whole_table(tmp_path):
    table = ["machine,day,heat,label"]
    for day in range(60):
        # The label is this day's heat: yesterday's says the opposite.
        table += [f"{machine},{day},{hot * 10},{hot}" for machine, hot in (("a", day % 2), ("b", (day + 1) % 2))]
    path = tmp_path / "machines.csv"
    path.write_text("\n".join(table), encoding="utf-8")
    suite = {
        "name": "stale",
        "datasets": [{"name": "csv", "path": str(path), "target": "label", "drop": ["machine", "day"]}],
        "split": {"time": "day", "test": 0.2},
        "algorithms": ["logistic-regression"],
        "adversaries": [{"name": "stale", "params": {"entity": "machine", "time": "day"}, "budgets": [0, 1]}],
    }
    run = benchkit.run(suite, out=tmp_path / "runs", executor="inline", tracking=False, plots=False)
    assert {row["budget"]: row["metrics"]["error"] for row in run.rows} == {0.0: 0.0, 1.0: 1.0}


def distance(one, other):
    """Damerau 1964: how many letters are left out, added, changed, or exchanged with the next."""
    table = {(-1, at): at + 1 for at in range(-1, len(other))} | {(at, -1): at + 1 for at in range(-1, len(one))}
    for i, own in enumerate(one):
        for j, their in enumerate(other):
            best = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (own != their))
            if i and j and own == other[j - 1] and one[i - 1] == their:
                best = min(best, table[i - 2, j - 2] + 1)
            table[i, j] = best
    return table[len(one) - 1, len(other) - 1]


@given(st.integers(-99_999, 99_999).filter(bool), st.integers(0, 3), st.floats(0, 1))
def test_a_number_is_mistyped_by_one_key(value, kind, place):
    wrong = mistyped(float(value), kind, place)
    assert wrong != value
    # Leading zeros are not written again: 305 without its first digit is 5.
    width = len(str(abs(value)))
    padded = {f"{abs(wrong):0{digits}.0f}" for digits in (width - 1, width, width + 1) if digits}
    assert 1 in {distance(str(abs(value)), text) for text in padded}


def test_decimals_keep_their_point_and_huge_numbers_change_too():
    assert mistyped(12.5, 1, 0.99) == 12.0
    assert mistyped(-3.25, 3, 0.0) == -2.35
    assert mistyped(1e22, 0, 0.99) == 2e22
    assert mistyped(0.0, 1, 0.5) == 9.0


def test_typing_errors_strike_numbers_and_make_categories_unknown(scene):
    attack = scene(5)
    result = Typo().corrupt(attack)
    known = ~np.isnan(attack.X)
    numbers = known.copy()
    numbers[:, [1, 2, 3]] = False
    # An error in the last of sixteen digits is less than what standardising rounds away.
    assert (result.X != attack.X)[numbers].mean() > 0.9
    np.testing.assert_allclose(result.X[:, [1, 2, 3]], attack.seen(np.zeros_like(attack.raw))[:, [1, 2, 3]])
    np.testing.assert_array_equal(np.isnan(result.X), ~known)
    rare = Typo(probability=0.1).corrupt(scene(5))
    assert 0 < (rare.X != attack.X)[numbers].mean() < 0.2


THREE = np.array(["low", "middle", "high"])[np.arange(40) % 3]


@pytest.mark.parametrize("kind", ["uniform", "class", "boundary"])
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_a_larger_fraction_extends_a_smaller_one(scene, kind, seed):
    before = np.zeros(40, dtype=bool)
    labels = THREE
    for budget in (0.0, 0.1, 0.3, 0.7):
        attack = scene(budget, seed=seed, y=THREE)
        result = LabelNoise(kind=kind).corrupt(attack)
        wrong = result.y != THREE
        np.testing.assert_array_equal(wrong, ~result.truth["clean_rows"])
        assert wrong.sum() == (min(round(budget * 40), 12) if kind == "class" else round(budget * 40))
        assert wrong[before].all()
        np.testing.assert_array_equal(result.y[before], labels[before])
        assert set(result.y) <= set(THREE)
        np.testing.assert_array_equal(result.X, attack.X)
        before, labels = wrong, result.y


def test_one_class_alone_is_mistaken_and_does_not_vanish_and_labels_are_drawn_from_all_other_classes(scene):
    result = LabelNoise(kind="class", label="low").corrupt(scene(1.0, y=THREE))
    assert (THREE[result.y != THREE] == "low").all()
    assert (result.y == "low").sum() == 1
    assert set(result.y[result.y != THREE]) == {"middle"}
    with pytest.raises(ValueError, match="no class is 'medium'; the classes are high, low, middle"):
        LabelNoise(kind="class", label="medium").corrupt(scene(0.1, y=THREE))
    y = np.where(np.arange(40) < 20, -1, 1)
    result = LabelNoise(kind="class").corrupt(scene(0.25, y=y))
    assert (result.y[result.y != y] == -1).all()
    y = np.zeros(3000, dtype=int)
    y[:2] = 1, 2
    result = LabelNoise().corrupt(scene(1.0, n=3000, y=y))
    assert (result.y != y).all()
    assert np.mean(result.y == 1) == pytest.approx(0.5, abs=0.04)
    with pytest.raises(NotApplicableError, match="another class"):
        LabelNoise().corrupt(scene(0.1, y=np.zeros(40, dtype=int)))


def test_the_hardest_rows_are_mistaken_first(scene):
    attack = scene(0.25)
    y = attack.y
    model = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression(max_iter=1000)).fit(attack.X, y)
    own = model.predict_proba(attack.X)[np.arange(40), y]
    wrong = LabelNoise(kind="boundary").corrupt(attack).y != y
    assert own[wrong].max() <= own[~wrong].min()


@pytest.mark.parametrize("direction", ["random", "one"])
def test_outliers_are_so_many_deviations_away(scene, direction):
    attack = scene(0.25, standardised=False)
    result = Outliers(size=7, direction=direction).corrupt(attack)
    far = ~result.truth["clean_rows"]
    assert far.sum() == 10
    np.testing.assert_array_equal(result.X[~far], attack.X[~far])
    numbers = [0, 4, 5, 6, 7]
    moved = ((result.X - attack.X) / np.nanstd(attack.X, axis=0))[far]
    np.testing.assert_allclose(np.abs(moved[:, numbers])[~np.isnan(moved[:, numbers])], 7)
    assert (moved[:, [1, 2, 3]] == 0).all()
    signs = np.sign(moved[:, 7])
    assert (len(set(signs)) == 1) == (direction == "one")
    np.testing.assert_array_equal(np.isnan(result.X), np.isnan(attack.X))
    np.testing.assert_array_equal(result.y, attack.y)


def test_more_outliers_are_the_same_and_others(scene):
    few, many = (Outliers().corrupt(scene(budget, standardised=False)) for budget in (0.1, 0.5))
    far = ~few.truth["clean_rows"]
    np.testing.assert_array_equal(few.X[far], many.X[far])
