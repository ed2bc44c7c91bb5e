"""How parameters are searched and judged, what it costs, and what of it the record keeps."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from benchkit.plugin.declarations.exchanged import Distribution, TuningContext
from benchkit.plugin.manager import registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.trial import seeds
from benchkit.trial.prepared import Part, prepare
from benchkit.trial.searches import grid_search, random_search, successive_halving
from benchkit.trial.tuning import MOST, JudgedCandidate, best_of, first_rows, held_parts, to_record


def asked(search, values, candidates=None, n_rows=900):
    """What a search asks, of which the loss is |a - 5|."""
    asked = []

    def judge(candidates, rows=None):
        asked.extend((each["a"], rows) for each in candidates)
        return [abs(each["a"] - 5) for each in candidates]

    grid = None if isinstance(values, Distribution) else [{"a": value} for value in values]
    search(TuningContext({"a": values}, grid, candidates, n_rows, 3, judge))
    return asked


@pytest.mark.parametrize(
    ("candidates", "n_rows", "expected"),
    [
        (3, 900, {900: 3}),
        (10, 900, {100: 10, 300: 4, 900: 2}),
        (27, 900, {100: 27, 300: 9, 900: 3}),
        (27, 100, {30: 27, 34: 9, 100: 3}),  # no round below 30 rows
    ],
)
def test_halving_keeps_the_best_third_and_triples_the_rows(candidates, n_rows, expected):
    judged = asked(successive_halving(), list(range(candidates)), n_rows=n_rows)
    assert Counter(rows for _, rows in judged) == expected
    if candidates == 27:
        assert {a for a, _ in judged[27:36]} == set(range(1, 10))  # the nine nearest to 5
        assert [a for a, _ in judged[36:]] == [5, 4, 6]  # best first, the earlier of equals first


def test_random_draws_lists_without_replacement_and_distributions_within_their_support():
    assert len({a for a, _ in asked(random_search(), list(range(50)), candidates=10)}) == 10
    numbers = [a for a, _ in asked(random_search(), Distribution("loguniform", (0.01, 100)), candidates=200)]
    drawn = np.log10(numbers)
    assert -2 <= drawn.min() < -1.9 < 1.9 < drawn.max() <= 2
    assert abs(np.mean(drawn)) < 0.3  # log-uniform: as many decades below 1 as above
    assert {type(a) for a in numbers} == {float}
    for search in (grid_search(), random_search()):  # a grid that is no larger than the draws is tried in order
        assert [a for a, _ in asked(search, [3, 1, 2], candidates=10)] == [3, 1, 2]


def tried(*losses, rows=10):
    return [JudgedCandidate({"a": place}, loss, 0.1, 0.1 * place, rows) for place, loss in enumerate(losses)]


def test_the_best_is_of_those_on_the_most_rows_and_the_first_of_equals():
    kept = [*tried(0.0, 0.1, rows=5), *tried(math.nan, 0.4, 0.3, 0.3, rows=10)]
    assert best_of(kept).params == {"a": 2}
    assert best_of(tried(math.nan)) is None


def test_the_record_is_bounded_and_keeps_what_was_better():
    losses = [1.0] * (MOST + 50)
    losses[MOST + 10] = 0.5
    record = to_record(tried(*losses), sign=-1.0)
    assert (record["judged"], record["left_out"]) == (MOST + 50, 49)
    assert len(record["values"]) == len(record["scores"]) == len(record["spent"]) == MOST + 1
    assert record["values"][-1] == [MOST + 10]
    assert record["scores"][-1] == -0.5


def test_fewer_rows_are_nested_and_keep_every_class():
    y = np.repeat([0, 1, 2], [90, 9, 1])
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    whole, sizes = Part(X, y, X), [3, 10, 40, 99]
    taken = [{tuple(row) for row in first_rows(whole, size, True, 1).X} for size in sizes]
    assert [len(rows) for rows in taken] == sizes
    assert all(fewer < more for fewer, more in pairwise(taken))
    small = first_rows(whole, 40, True, 1)
    assert set(small.y) == {0, 1, 2}
    assert 30 <= (small.y == 0).sum() <= 37
    assert first_rows(whole, 100, True, 1) is whole


@pytest.fixture
def tuned(tiny, run_trials):
    """The record of a trial that tunes, and its stage."""

    def run(tune, **changes):
        tiny.update({"algorithms": [{"name": "svm", "tune": tune}], "adversaries": [], **changes})
        tiny["split"] = {"repetitions": 1, "train": 90, "validation": 60, "test": 60, **changes.get("split", {})}
        (record,) = run_trials(tiny)
        assert record["status"] == "ok", record["error"]
        return record, record["tuning"][0]

    return run


def test_the_record_holds_every_candidate_with_score_and_cost(tuned):
    record, stage = tuned({"grid": {"C": [0.001, 0.1, 10]}})
    facts = {"search": "grid", "judged_on": "validation", "metric": "error", "limit": None, "stopped": False}
    facts |= {"judged": 3, "left_out": 0, "params": ["C"], "values": [[0.001], [0.1], [10]], "rows": [90] * 3}
    assert facts.items() <= stage.items()
    assert stage["spent"] == sorted(stage["spent"])
    # In between this process may have waited for others, however long. Seconds are kept to three digits.
    assert 0 < sum(stage["seconds"]) <= 1.01 * record["tune_seconds"]
    best = min(range(3), key=lambda place: stage["scores"][place])
    assert record["params"]["C"] == stage["values"][best][0]


def test_scores_are_what_the_chosen_parameters_give_on_the_validation_part(tuned, tiny, write_suite):
    """Independent: the same split and preprocessing by hand, scored by scikit-learn."""
    _, stage = tuned({"grid": {"C": [0.001, 10]}, "folds": 4})
    (trial,) = expand(load(write_suite(tiny)), registry())
    prepared = prepare(trial)
    svm = registry().algorithms["svm"]
    seed = seeds.integer(trial.seed, "tuning", trial.dataset.identity, 0, "svm", 0)
    for (C,), score in zip(stage["values"], stage["scores"], strict=True):
        errors = []
        for train, held_out, _ in held_parts(prepared, 4, True, seed):
            model = svm.make(C=C).fit(train.X, train.y)
            errors.append(np.mean(model.predict(held_out.X) != held_out.y))
        assert score == pytest.approx(np.mean(errors), abs=1e-6)


@pytest.mark.parametrize(
    ("tune", "changes", "expected"),
    [
        ({"folds": 3, "data": "corrupted", "candidates": 4}, {}, (4, False, "3 folds", {60})),
        ({"candidates": 50}, {"tuning_seconds": 1e-9}, (1, True, "validation", {90})),  # one is always judged
        ({"candidates": 50}, {"tuning_seconds": 3600.0}, (50, False, "validation", {90})),
    ],
)
def test_folds_need_no_validation_part_and_a_budget_of_seconds_stops_the_search(tuned, tune, changes, expected):
    tune = {"search": "random", "space": {"C": {"loguniform": [0.001, 10]}}, **tune}
    if "folds" in tune:
        changes = {"adversaries": [{"name": "greedy-delete", "budgets": [2]}], "split": {"validation": None}}
    _, stage = tuned(tune, **changes)
    assert (stage["judged"], stage["stopped"], stage["judged_on"], set(stage["rows"])) == expected
    assert stage["limit"] == changes.get("tuning_seconds")
    assert expected[1] or stage["spent"][-1] < 3600
