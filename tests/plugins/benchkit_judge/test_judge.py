"""What `benchkit.judge` says of tables: the question, verdicts, missing cells, ties."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import benchkit
from benchkit import TableError
from benchkit.statistics.independent_rows import wilson_interval
from benchkit_judge.document import notes


def table_of(values, method="model", unit="task", names=None):
    """A long table of an array of shape (n_units, n_methods)."""
    n, k = values.shape
    names = names or [f"m{each}" for each in range(k)]
    columns = {method: np.tile(names, n), unit: np.repeat([f"u{each:04}" for each in range(n)], k)}
    return pd.DataFrame({**columns, "accuracy": values.ravel()})


@pytest.fixture
def three():
    """Two methods that cannot be told apart, and one that is worse on every task."""
    rng = np.random.default_rng(0)
    base = rng.random((12, 1))
    return table_of(base + rng.normal(0, 0.02, (12, 3)) - [0, 0.005, 0.2], names=["ours", "base", "old"])


def test_tiers_ranks_and_pairs(three):
    judged = benchkit.judge(three)
    assert list(judged.tiers["tier"]) == [1, 1, 2]
    assert judged.tiers.index[2] == "old"
    assert judged.tiers.loc["old", ["from", "to"]].tolist() == [3, 3]
    assert judged.tiers.loc["ours", ["from", "to"]].tolist() == [1, 2]
    assert judged.relation("ours", "old") == "better"
    assert judged.relation("old", "ours") == "worse"
    assert judged.relation("ours", "base") == "open"
    assert judged.counts == {"decided": 2, "equal": 0, "open": 1}
    pair = judged.pairs.iloc[0]
    assert pair["low"] < pair["difference"] < pair["high"]
    assert 12 < pair["fewest"] <= pair["likely"] <= pair["most"]
    wide = three.pivot(index="task", columns="model", values="accuracy")
    d = wide[pair["first"]] - wide[pair["second"]]
    assert pair["effect"] == pytest.approx(d.mean() / d.std())
    assert (pair["ahead"], pair["alike"]) == ((d > 0).sum(), 0)
    assert judged.answers[-1].startswith("Next: to tell ours and base apart, add ")
    ends = stats.t.interval(0.95, 11, wide["old"].mean(), stats.sem(wide["old"]))
    assert judged.tiers.loc["old", ["low", "high"]].tolist() == pytest.approx(ends)
    means = three.groupby("model")["accuracy"].mean()
    np.testing.assert_allclose(judged.means, means[list(judged.methods)])
    np.testing.assert_allclose(judged.pairs["difference"][0], means[pair["first"]] - means[pair["second"]])


def test_lower_scores_may_be_better(three):
    errors = three.assign(accuracy=1 - three["accuracy"]).rename(columns={"accuracy": "error"})
    up, down = benchkit.judge(three), benchkit.judge(errors)
    assert up.methods == down.methods
    np.testing.assert_allclose(down.pairs["low"], -up.pairs["high"])
    assert any("ower error is taken to be better" in line for line in down.notes)


def test_equal_is_within_the_margin_on_both_sides(three):
    """The interval is from -0.025 to 0.035, that of 80 % within 0.03."""
    for within, level, said in ((0.03, 0.95, "open"), (0.04, 0.95, "equal"), (0.03, 0.8, "equal")):
        judged = benchkit.judge(three, within=within, level=level)
        assert (judged.relation("ours", "base"), judged.relation("base", "ours")) == (said, said)


def test_a_missing_cell_is_missing_for_all_and_named_and_a_method_that_lacks_most_is_set_aside(three):
    three.loc[4, "accuracy"] = math.nan  # base on u0001
    judged = benchkit.judge(three)
    kept = benchkit.judge(three[three["task"] != "u0001"])
    np.testing.assert_allclose(judged.result.low, kept.result.low)
    assert judged.missing.loc["base", "cells missing"] == 1
    assert any("1 lack" in line for line in judged.notes)
    values = np.random.default_rng(3).random((20, 4))
    values[:15, 2] = math.nan
    judged = benchkit.judge(table_of(values))
    assert judged.question.set_aside == {"m2": 15}
    assert "m2" not in judged.methods
    assert judged.result.units == 20
    assert any("m2" in line for line in judged.answers)
    with pytest.raises(TableError, match="set aside for what it lacks"):
        judged.relation("m2", "m0")


def test_items_of_tasks_weigh_as_their_tasks_do_and_counts_are_of_clusters():
    rng = np.random.default_rng(14)
    tasks = np.repeat(range(4), [185, 5, 5, 5])
    values = rng.normal(size=(200, 2)) + np.array([0.5, 0])
    table = table_of(values, unit="item").assign(task=np.repeat(tasks, 2))
    d, weights = values[:, 0] - values[:, 1], 1 / (4 * np.bincount(tasks)[tasks])
    table["cluster"] = np.repeat(np.arange(200) // 5, 2)
    for size, items in ((1, table.drop(columns="cluster")), (5, table)):
        judged, parts = benchkit.judge(items, unit="item"), np.arange(200) // size
        b = np.bincount(parts, weights)
        each = np.bincount(parts, weights * d) / b
        spread = np.cov(each, aweights=b)  # sums of b (each - mean)^2, by 1 - sum of b^2
        pair = judged.pairs.iloc[0]
        assert abs(pair["effect"]) == pytest.approx(abs(b @ each) / math.sqrt(spread))
        sign = 1 if pair["first"] == "m0" else -1
        assert (pair["difference"], pair["ahead"]) == pytest.approx((sign * (b @ each), (sign * each > 0).sum()))
        assert judged.result.units == len(b)
    np.testing.assert_allclose(sorted(judged.means), sorted([weights @ values[:, method] for method in (0, 1)]))
    for said in ("nothing of other tasks", "ahead on each cluster"):
        assert any(said in line for line in judged.notes)


@pytest.mark.parametrize(("unit", "words"), [("item", "other items"), ("seed", "other runs")])
def test_what_is_not_drawn_is_averaged(unit, words):
    values = np.random.default_rng(6).normal(size=(8, 40, 2)) + np.array([1.0, 0])
    runs = [table_of(run, unit="item").assign(seed=f"u{place:04}") for place, run in enumerate(values)]
    judged = benchkit.judge(pd.concat(runs), unit=unit)
    alone = benchkit.judge(table_of(values.mean(axis=0 if unit == "item" else 1), unit=unit))
    np.testing.assert_allclose(judged.result.low, alone.result.low)
    assert judged.result.units == {"item": 40, "seed": 8}[unit]
    assert words in judged.question.text


def test_seeds_that_methods_do_not_share_are_averaged_and_five_tasks_tell_nothing(three):
    table = pd.concat([three.assign(seed=each) for each in range(3)], ignore_index=True)
    table["seed"] = table["seed"].astype(str) + table["model"]
    judged = benchkit.judge(table)
    np.testing.assert_allclose(judged.result.low, benchkit.judge(three).result.low)
    assert any("eeds differ between methods" in line for line in judged.notes)
    judged = benchkit.judge(three[three["task"] < "u0005"])
    assert judged.too_few
    assert "6 are the fewest that can tell" in judged.answers[0]
    assert judged.counts["open"] == 3


def test_what_is_better_when_higher_is_no_time():
    """A column may be called as times are, such as hours that patients survive."""
    values = 1 + np.random.default_rng(8).random((12, 1)) * [1, 1] + [0, 2]
    table = table_of(values, names=["short", "long"]).rename(columns={"accuracy": "duration"})
    judged = benchkit.judge(table, higher_is_better=True)
    assert judged.methods == ("long", "short")
    assert judged.relation("long", "short") == "better"
    assert judged.pairs["difference"][0] == pytest.approx(2)


def test_ten_items_that_both_have_right_are_not_practically_equal():
    judged = benchkit.judge(table_of(np.ones((10, 2)), unit="item"), within=0.02)
    assert judged.relation("m0", "m1") == "open"
    assert judged.tiers.loc["m0", ["low", "high"]].tolist() == pytest.approx(wilson_interval(10, 10))
    assert judged.pairs["high"][0] > 0.26
    judged = benchkit.judge(table_of(np.ones((800, 2)), unit="item"), within=0.02)
    assert judged.relation("m0", "m1") == "equal"


@pytest.mark.parametrize("higher", [True, False])
def test_wins_and_losses_are_no_shares(higher):
    values = np.random.default_rng(0).choice([-1, 0, 1], (40, 2))
    judged = benchkit.judge(table_of(values, unit="item"), higher_is_better=higher)
    ends = stats.t.interval(0.95, 39, values[:, 0].mean(), stats.sem(values[:, 0]))
    assert judged.tiers.loc["m0", ["low", "high"]].tolist() == pytest.approx(ends)
    judged = benchkit.judge(table_of(np.where(values > 0, 1, -1), unit="item"), higher_is_better=higher)
    assert "All scores are -1 or 1: intervals take it that no others occur." in " ".join(notes(judged))


SIX = {"u": [90, 80, 85, 70, 60, 95], "v": [80, 70, 70, 60, 50, 85], "w": [81, 69, 75, 65, 50, 90]}


@pytest.mark.parametrize(("by", "without"), [("mean", 2), ("ranks", 3), ("wilcoxon", 0)])
def test_pairs_without_an_interval_are_counted_as_they_are_shown(by, without):
    """Also those that are told apart, on all of six tasks: with one end, or none by signed ranks."""
    judged = benchkit.judge(pd.DataFrame({"task": range(6), **SIX}), higher_is_better=True, by=by)
    lines = [line for line in judged.notes if "without an interval" in line]
    assert [int(line.split(": ")[1].split(".")[0]) for line in lines] == [without] * bool(without)
    assert any("by signed ranks" in line for line in judged.notes) == (by == "wilcoxon")


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("by", ["mean", "ranks"])
def test_differences_and_effects_are_the_first_less_the_second(by, higher):
    frame = pd.DataFrame({"task": range(6), **SIX})
    judged = benchkit.judge(frame, higher_is_better=higher, by=by)
    scores = frame[list(judged.methods)]
    scores = scores.rank(axis=1, ascending=not higher) if by == "ranks" else scores
    np.testing.assert_allclose(judged.means, scores.mean())
    for pair in judged.pairs.itertuples():
        d = scores[pair.first] - scores[pair.second]
        assert (pair.difference, pair.effect) == pytest.approx((d.mean(), d.mean() / d.std()))
        assert pair.low <= pair.difference <= pair.high


@pytest.mark.parametrize(("values", "needed"), [([0.2, -0.2] * 4, "27 or more"), ([0.0] * 7, "1 or more")])
def test_no_difference_here_is_not_said_to_be_none(values, needed):
    frame = pd.DataFrame({"task": range(len(values)), "A": 0.5, "B": 0.5 + np.array(values)})
    judged = benchkit.judge(frame, higher_is_better=True)
    assert judged.answers[-1].endswith(f"More tasks that would tell them apart: {needed}; maybe none would.")
    assert "Of 1 pair: 0 decided, 1 open." in judged.answers[-2]


def test_scores_of_two_values_are_told_unless_they_are_right_and_wrong():
    two = np.random.default_rng(2).integers(0, 2, (12, 2)) * 1.0
    five = 0.5 + 0.2 * two[:5]  # too few for intervals
    three = 0.5 + 0.2 * two + 0.1 * (two[:, :1] > 0)
    for values, said in ((two, False), (0.5 + 0.2 * two, True), (three, False), (five, False)):
        notes = benchkit.judge(table_of(values)).notes
        assert any("intervals take it that no others occur" in line for line in notes) == said


def signed_ranks(values, names=None):
    return benchkit.judge(table_of(np.asarray(values), names=names), by="wilcoxon")


def test_order_tiers_ranks_and_effects_are_by_signed_ranks():
    """The means are in the other order, by one task of fourteen."""
    one, ahead = np.linspace(50, 60, 14), np.append(-1 - 0.01 * np.arange(13), 100)
    judged = signed_ranks(np.column_stack([one + ahead, one]), ["A", "B"])
    assert judged.methods == ("B", "A")
    assert judged.tiers[["tier", "from", "to"]].to_numpy().tolist() == [[1, 1, 1], [2, 2, 2]]
    pair = judged.pairs.iloc[0]
    assert (pair["verdict"], pair["ahead"], pair["difference"] < 0, pair["effect"] > 0) == ("better", 13, True, True)
    assert "told apart: 1 of 1" in judged.answers[-2]


def test_methods_that_beat_each_other_in_a_circle_are_not_said_to_be_alike():
    first, second = np.repeat([-10, 1, 1, 1], 200), np.repeat([1, -10, 1, 1], 200)  # A less B, B less C
    judged = signed_ranks(np.column_stack([first + second, second, 0 * first]) + 0.5, ["A", "B", "C"])
    assert judged.relation("A", "B") == judged.relation("B", "C") == judged.relation("C", "A") == "better"
    assert judged.answers[0].startswith("No method is best")
    assert "told apart: 2 of 2" in judged.answers[1]


@given(st.integers(6, 14), st.integers(2, 6), st.integers(0, 10**6))
def test_ranks_by_signed_ranks_are_among_those_that_may_be(n, k, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, (n, k)) + 3 * np.arange(k) + 99 * (rng.random((n, k)) < 0.1)
    judged, tiers = signed_ranks(values), signed_ranks(values).tiers
    assert ((tiers["from"] <= tiers["rank"]) & (tiers["rank"] <= tiers["to"])).all()
    assert tiers["tier"].is_monotonic_increasing
    assert "worse" not in set(judged.pairs["verdict"])


def test_against_one_method_each_step_is_what_enumeration_says():
    values = np.random.default_rng(19).normal(size=(8, 4)) + np.array([0.0, 0.4, 1.0, 2.0])
    judged = benchkit.judge(table_of(values), against="m0")
    differences = values[:, 1:] - values[:, [0]]
    sizes = np.sqrt((differences**2).sum(axis=0))
    flips = np.array(list(itertools.product([-1, 1], repeat=8)))
    flipped, observed = np.abs(flips @ differences) / sizes, np.abs(differences.sum(axis=0)) / sizes
    p, left = {}, [0, 1, 2]
    while left:
        first = max(left, key=lambda place: observed[place])
        now = (flipped[:, left].max(axis=1) >= observed[first] - 1e-9).mean()
        p[f"m{first + 1}"] = max([now, *p.values()])
        left.remove(first)
    assert dict(zip(judged.pairs["first"], judged.pairs["p"], strict=True)) == pytest.approx(p)
    assert set(judged.pairs["second"]) == {"m0"}
    better = judged.pairs["verdict"] == "better"
    assert better.tolist() == (judged.pairs["p"] <= 0.05).tolist()
    assert better.sum() > (judged.result.statistic > judged.result.critical).sum()  # which a single step tells apart
    assert any("better than m0" in line for line in judged.answers)
    assert json.loads(judged.write("json"))["against"] == "m0"
    with pytest.raises(TableError, match="not compared"):
        judged.relation("m1", "m2")
    with pytest.raises(TableError, match="no such method"):
        benchkit.judge(table_of(values), against="m9")


@pytest.mark.parametrize("by", ["mean", "ranks", "wilcoxon"])
@pytest.mark.parametrize("kind", ["normal", "binary", "tied"])
def test_names_and_order_of_tasks_and_methods_change_no_number(kind, by):
    """Random signs were given to tasks by their places: p-values moved by as much as 0.01."""
    values = np.random.default_rng(13).normal(size=(30, 4)) + np.array([0, 0, 0.5, 1])
    values = {"normal": values, "binary": (values > 0) * 1.0, "tied": np.round(values)}[kind]
    table = table_of(values)
    other = table.assign(model="x" + table["model"].str[::-1], task=table["task"].str[::-1])
    one, again = (benchkit.judge(each, by=by) for each in (table, other.sample(frac=1, random_state=0)))
    order = [again.methods.index(f"x{name[::-1]}") for name in one.methods]
    for name in ("p", "low", "high"):
        np.testing.assert_allclose(getattr(again.result, name)[np.ix_(order, order)], getattr(one.result, name))
