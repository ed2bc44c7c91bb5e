"""Columns are found by name; some repeat like the names of patients, tell the target, or hide that rows are copies."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris

from benchkit import Categories, Data
from benchkit.data.columns import column_codes, column_names, find_column
from benchkit.data.leaks import (
    count_copies,
    other_names,
    repeated_id,
    row_times,
    telling,
    telling_columns,
    telling_pairs,
)

NAN, N = float("nan"), 200
DATA = Data(
    X=np.array([[1.0, 1, 0], [2.0, 0, 1], [3.0, NAN, NAN]]),
    y=np.array([-1, 1, 1]),
    feature_names=["age", "colour=blue", "colour=red"],
    groups=[[0], [1, 2]],
    group_names=["age", "colour"],
    target_name="outcome",
    class_names=["ill", "well"],
    columns={"patient": Categories.of(["p2", None, "p2"]), "visit": np.array([3, 1, 2])},
)


def test_each_is_found_by_name():
    assert find_column(DATA, "patient").values.tolist() == ["p2", None, "p2"]
    assert find_column(DATA, "visit").tolist() == [3, 1, 2]
    assert find_column(DATA, "age").tolist() == [1, 2, 3]
    assert find_column(DATA, "colour").values.tolist() == ["blue", "red", None]
    assert find_column(DATA, "outcome").values.tolist() == ["ill", "well", "well"]
    assert column_names(DATA) == ["patient", "visit", "age", "colour", "colour=blue", "colour=red", "outcome"]
    sparse = Data(X=csr_matrix([[0.0, 1], [2, 0]]), y=np.array([0, 1]), feature_names=["a", "b"])
    assert find_column(sparse, "b").tolist() == [1, 0]


@pytest.mark.parametrize(
    ("column", "codes"),
    [
        (Categories(np.array([2, -1, 0, 2]), ["a", "b", "c"]), [1, -1, 0, 1]),
        (np.array([2.5, NAN, -1.0, 2.5]), [1, -1, 0, 1]),
        (np.array(["b", None, "a", "b"], dtype=object), [1, -1, 0, 1]),
        (np.array(["2020-01-02", "NaT", "2020-01-01", "2020-01-02"], dtype="datetime64[D]"), [1, -1, 0, 1]),
        (np.array([True, False, False, True]), [1, 0, 0, 1]),
    ],
)
def test_codes_are_in_the_order_of_the_values(column, codes):
    assert column_codes(column).tolist() == codes


@pytest.mark.parametrize(
    ("name", "values", "groups"),
    [
        ("patient", [f"P{row % 25}" for row in range(N)], 25),
        ("age_group", [f"P{row % 25}" for row in range(N)], None),  # a kind of row, and no owner
        ("hospital", [0] * 120 + [*range(1, 9)] * 10, None),  # days there: one value is most rows'
        ("colour", [f"c{row % 4}" for row in range(N)], None),
        ("patient", [f"P{row}" for row in range(N)], None),  # of each one row
        ("subject", [f"s{row % 6}" for row in range(N)], 6),
        ("visit", [f"{1 + row % 25}.03.2026" for row in range(N)], None),  # rows of a day are not of one patient
        ("id", [f"P{row if row < 140 else row % 40}" for row in range(N)], 140),  # most came once
        ("id", [f"P{max(row, 30)}" for row in range(N)], None),  # fewer than a fifth of the rows share theirs
        ("code", [f"P{row if row < 140 else row % 40}" for row in range(N)], None),
        ("subject", [None] + ["s1", "s2"] * 99 + ["s3"], None),
    ],
)
def test_texts(name, values, groups):
    assert repeated_id(pd.DataFrame({name: values, "y": 0}), "y") == (groups and name)


def test_numbers_need_a_name_that_says_so():
    named = "user_id UserID id patient individual school_id group".split()
    for name in [*named, *"age width school family family_size students customer_age id_of users machines".split()]:
        frame = pd.DataFrame({name: np.arange(N) // 8.0, "y": 0})
        assert (repeated_id(frame, "y") is not None) is (name in named), name


@pytest.mark.parametrize("name", ["mrn", "pid", "case"])
def test_numbers_whose_rows_are_alike_name_what_rows_belong_to_whatever_they_are_called(name):
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(150), rng.integers(2, 6, size=150))
    pulse, height = (rng.normal(size=150)[who] + 0.5 * rng.normal(size=len(who)) for _ in range(2))
    frame = pd.DataFrame({"pulse": pulse, "height": height, "y": pulse > 0})
    assert repeated_id(frame.assign(**{name: rng.permutation(10**6)[:150][who]}), "y") == name
    assert repeated_id(frame.assign(**{name: [f"N{number % 97}-{number}" for number in who]}), "y") == name
    assert repeated_id(frame.assign(**{name: rng.permutation(10**6)[rng.integers(0, 150, len(who))]}), "y") is None
    for measured in (40 + 20 * pulse, 50 + 9 * rng.normal(size=len(who)), 1950 + 40 * rng.random(len(who))):
        assert repeated_id(frame.assign(**{name: measured.round()}), "y") is None


def test_a_measurement_names_nothing_where_the_file_is_sorted_by_another_column():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 80, 600), "size": rng.normal(size=600), "y": np.arange(600) > 300})
    assert repeated_id(frame, "y") is None
    assert repeated_id(frame.assign(age=[f"{age} years" for age in frame["age"]]), "y") is None


def test_columns_that_name_whose_rows_they_are_as_the_groups_do():
    who = np.repeat(np.arange(60), 3)
    ids, age = 7 * who + 100_000, np.random.default_rng(0).integers(20, 60, 60)[who]
    nearly, weight = np.where(np.arange(180) % 60 == 0, 5, ids), 50 + who / 3
    frame = pd.DataFrame({"who": who, "twin": ids, "mrn": nearly, "amount": nearly, "age": age, "weight": weight})
    finer = frame.assign(visit_id=np.arange(180) // 2, ward_id=who // 10, row=np.arange(180))
    # A number may measure what it belongs to, as the elevation of a site does, unless it is called an id.
    finer = finer.assign(twin_id=ids, bed=[f"b{number}" for number in ids])
    sure = {name: is_sure for name, _, is_sure in other_names(finer, "who", finer)}
    assert sure == {"twin": False, "mrn": True, "twin_id": True, "bed": True, "weight": False}
    assert [name for name, *_ in other_names(finer, "ward_id", finer)] == ["mrn", "visit_id", "twin_id"]
    wide = finer.assign(pulse=np.random.default_rng(1).normal(size=60)[who], y=0)[["twin", "bed", "pulse", "y"]]
    assert repeated_id(wide, "y") == "bed"


def test_the_order_of_rows_is_time_where_targets_of_neighbours_are_alike_and_not_sorted():
    rng = np.random.default_rng(0)
    slow = np.sin(np.arange(N) / 9) + 0.3 * rng.normal(size=N)
    for targets in (slow, np.where(slow > 0, "high", "low")):
        times = row_times(pd.DataFrame({"x": rng.normal(size=N), "y": targets}), "y")
        assert times is not None
        assert "'split: {time: THAT, test: 0.1, validation: 0.1, repetitions: 4}'" in times.remedy
        days, weeks = np.cumsum(rng.integers(0, 4, N)), np.arange(N) // 20  # of which one is too coarse to cut by
        for day in (days, -days):
            dated = row_times(pd.DataFrame({"x": weeks, "day": day, "week": weeks, "y": targets}), "y")
            assert "write 'split: {time: day, test: 0.1, " in dated.remedy
        for order in (np.sort(targets), rng.permutation(targets)):
            assert row_times(pd.DataFrame({"x": rng.normal(size=N), "y": order}), "y") is None
    for numbers, is_date in ((20240101 + np.arange(N) % 28, True), (20249901 + np.arange(N) % 28, False)):
        found = row_times(pd.DataFrame({"x": rng.normal(size=N), "day": numbers, "y": rng.normal(size=N)}), "y")
        assert (found is not None and found.where == "day") == is_date


@pytest.fixture
def table():
    """Two columns that tell a target in part, each in about seven of ten rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    return frame.assign(y=frame["a"] + frame["b"] + rng.normal(size=400) > 0)


@pytest.mark.parametrize(
    ("wrong", "numeric"), [(0.0, True), (0.0, False), (0.05, True), (0.05, False), (0.1, False), (0.12, False)]
)
@pytest.mark.parametrize("gaps", [0, 0.25])
def test_a_copy_of_the_target_is_named_though_it_has_mistakes_and_gaps(table, wrong, numeric, gaps):
    copied = table["y"] ^ (np.random.default_rng(1).random(400) < wrong)
    noise = np.random.default_rng(2).normal(size=400) / 10
    copy = copied + noise if numeric else copied.map({True: "high", False: "low"})
    copy = copy.mask(np.random.default_rng(3).random(400) < gaps)
    assert [name for name, _ in telling_columns(table.assign(copy=copy), "y", [], False)] == ["copy"]
    assert list(telling_columns(table, "y", [], False)) == []


def test_gaps_that_are_more_frequent_beside_one_class_are_told(table):
    random = np.random.default_rng(5).random(400)
    for beside_one, expected in ((0.6, ["a"]), (0.3, [])):
        gappy = table.assign(a=table["a"].mask(random < np.where(table["y"], beside_one, 0.03)))
        leaks = [leak for leak in telling(gappy, "y", [], False) if "missing" in leak.what]
        assert [leak.where for leak in leaks] == expected
        share = gappy["a"].isna()[table["y"]].mean()
        assert all(f"in {share:.0%} of the rows whose y is True" in leak.what for leak in leaks)


def test_numbers_of_rows_in_the_order_of_the_target_are_told_so(table):
    numbers = np.argsort(np.argsort(table["y"], kind="stable"))
    for column, expected in ((numbers, True), (2 * numbers, False)):
        ((_, what),) = telling_columns(table.assign(row=column), "y", [], False)
        assert what.startswith("numbers the rows") == expected


def test_all_columns_made_of_the_target_are_named_and_none_that_errs_where_others_do(table):
    random = np.random.default_rng(3)
    made = {f"made{wrong}": (table["y"] ^ (random.random(400) < wrong)) * 9 for wrong in (0.02, 0.04)}
    assert [name for name, _ in telling_columns(table.assign(**made), "y", [], False)] == [*made]
    # As a party's vote is: who votes otherwise differs in the other columns as well.
    far = table["a"] > 1.2
    copied = [far, np.random.default_rng(4).permutation(far)]
    found = [[*telling_columns(table.assign(vote=table["y"] ^ wrong), "y", [], False)] for wrong in copied]
    assert [len(columns) for columns in found] == [0, 1]


@pytest.mark.parametrize(
    ("made", "made_by"),
    [
        (lambda y, a: y - a, "sum"),
        (lambda y, a: y + a, "difference"),
        (lambda y, a: y / a, "product"),
        (lambda y, a: y * a, "ratio"),
        (lambda y, a: y + 3 * a, None),
        (lambda y, a: y + 9 * np.sin(9 * y), None),
    ],
)
@pytest.mark.parametrize("gaps", [0, 0.3])
def test_two_columns_that_make_the_target_are_named(made, made_by, gaps):
    rng = np.random.default_rng(0)
    area, rooms, price = np.exp(rng.normal(size=(3, 300)))
    price *= area
    frame = pd.DataFrame({"rooms": rooms, "area": area, "leak": made(price, area).round(3), "price": price})
    frame["leak"] = frame["leak"].mask(rng.random(300) < gaps)
    found = [({one, other}, by) for one, other, by in telling_pairs(frame, "price", [])]
    assert found == ([({"area", "leak"}, made_by)] if made_by else [])


def test_a_column_in_the_order_of_a_numeric_target_is_told_from_one_that_explains_it():
    price = pd.Series(np.random.default_rng(0).normal(size=400))
    copies = pd.DataFrame({"y": np.exp(3 * price), "log": price, "cents": 100 * np.exp(3 * price)})
    told = dict(telling_columns(copies, "y", [], True))
    assert "order" in told["log"]
    assert "variance" not in told["log"]
    assert told["cents"] == "alone explains 100.0% of the variance of y"


def test_a_column_that_tells_all_where_it_has_a_value_hides_no_other_leak_and_one_of_several_is_none():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1000)
    table = pd.DataFrame({"y": y, "noise": rng.normal(size=1000)})
    gaps = pd.Series(np.where(y == 1, "ill", "well")).mask(rng.random(1000) < 0.2)
    leaks = table.assign(gaps=gaps, copy=np.where(rng.random(1000) < 0.05, 1 - y, y), other=table["noise"].mask(y == 1))
    told = dict(telling_columns(leaks, "y", [], False))
    assert told.keys() == {"gaps", "copy", "other"}
    assert told["other"].endswith("by whether it has a value")
    texts = {few: leaks["other"].rank().round(few - 3).map(str, na_action="ignore") for few in (0, 3)}
    for text in texts.values():
        (found,) = telling_columns(table.assign(text=text), "y", [], False)
        assert found[1].endswith("100.0% of 1,000 rows, by whether it has a value")
    assert f"100.0% of {gaps.notna().sum()} rows" in told["gaps"]
    assert not dict(telling_columns(table.assign(gaps=table["noise"].mask(gaps.isna())), "y", [], False))
    for load in (load_breast_cancer, load_iris):
        assert list(telling_columns(load(as_frame=True).frame, "target", [], False)) == []


def test_copies_are_counted_whatever_their_number_is_called(table):
    copied = pd.concat([table, table[:100]], ignore_index=True)
    assert count_copies(copied) == count_copies(copied.assign(sample=np.arange(500) * 7)) == 100
    assert count_copies(table) == count_copies(table.assign(sample=np.arange(400) * 7)) == 0
    assert count_copies(pd.concat([table[:50]] * 8)) == 350


@pytest.mark.parametrize("names", ["", "number", "age sex", "age decade bmi"])
def test_rows_of_few_different_values_are_no_copies(names):
    """Two rows of one colour are two cases."""
    rng = np.random.default_rng(0)
    most = {"colour": 4, "shape": 3, "age": 60, "sex": 2, "bmi": 9}
    table = pd.DataFrame({name: rng.integers(0, count, 1200) for name, count in most.items()})
    table = table.assign(decade=table["age"] // 10, number=range(1200))[["colour", "shape", *names.split()]]
    assert count_copies(table) == 0
