"""The protocol: pairing, tuning, budgets, and what is skipped."""

import numpy as np
import pytest

from benchkit.plugin.declarations import NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.trial import learner, protocol
from benchkit.trial.learner import FitCache

PLUGIN = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from benchkit import Adversary, Algorithm, AttackResult, Data, Dataset, Metric, hookimpl

seen = []

class Spy(ClassifierMixin, BaseEstimator):
    def __init__(self, C=1.0, budget=None, values=None, random_state=None):
        self.C, self.budget, self.values, self.random_state = C, budget, values, random_state
    def fit(self, X, y):
        seen.append((self.C, self.budget, self.values, self.random_state, X.copy(), y.copy()))
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        # Right on every row for C = 3, otherwise on none.
        return np.where((X[:, 0] > 0) == (self.C == 3), 1, -1)

def fit_together(spies, X, y):
    seen.append(("path", len(spies), None, None, X.copy(), y.copy()))
    return [spy.fit(X, y) for spy in spies]

class FlipLabels:
    def corrupt(self, attack):
        rows = attack.rng.permutation(len(attack.y)) < attack.budget * len(attack.y)
        return AttackResult(X=attack.X, y=np.where(rows, -attack.y, attack.y), truth={"clean_rows": ~rows})

def load_signs(n=40, one_class=False):
    y = np.ones(n, int) if one_class else np.where(np.arange(n) % 2, 1, -1)
    return Data(X=np.column_stack([y, np.arange(n)]).astype(float), y=y, groups=[[1, 0]])

def load_odd(how):
    X, y = np.ones((4, 2)), np.array([1.0, -1, 1, -1])
    return {
        "nothing": None,
        "flat": Data(X=X[:, 0], y=y),
        "short": Data(X=X, y=y[:3]),
        "unlabelled": Data(X=X, y=np.where(y > 0, np.nan, y)),
    }[how]

class SetGroupsToZero:
    def corrupt(self, attack):
        X = attack.X.copy()
        for group in attack.groups:
            X[:, group] = 0
        return AttackResult(X=X, y=attack.y)

class Wrong:
    def __init__(self, how):
        self.how = how
    def corrupt(self, attack):
        if self.how == "in place":
            attack.X[:] = 0
        if self.how == "nothing":
            return None
        if self.how == "short":
            return AttackResult(X=attack.X[:5], y=attack.y[:5])
        return AttackResult(X=attack.X, y=-attack.y)

@hookimpl
def benchkit_metrics():
    return [
        Metric(name="sometimes", compute=lambda evaluation: float("nan") if evaluation.model.C == 1 else 0.25),
        Metric(name="diverging", compute=lambda evaluation: float("inf") if evaluation.model.C == 1 else 0.25),
    ]

class SeesRows:
    def corrupt(self, attack):
        seen.append((attack.raw, attack.X, attack.seen(attack.raw + 1), attack.deviations))
        return AttackResult(X=attack.X, y=attack.y)

@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(name="spy", make=Spy, budget_param="budget", values_param="values", grid={"C": [1, 3]}),
        Algorithm(name="warm-spy", make=Spy, warm_up=lambda: seen.append("warm")),
        Algorithm(name="path-spy", make=Spy, grid={"C": [1, 3]}, fit_path=fit_together),
        Algorithm(name="budget-path-spy", make=Spy, budget_param="budget", grid={"C": [1, 3]}, fit_path=fit_together),
        Algorithm(name="short-path", make=Spy, grid={"C": [1, 3]}, fit_path=lambda spies, X, y: spies[:1]),
    ]

@hookimpl
def benchkit_adversaries():
    return [
        Adversary(name="flip", make=FlipLabels, phase="train", budget_unit="fraction"),
        Adversary(name="wrong", make=Wrong),
        Adversary(name="sees-rows", make=SeesRows, budget_unit="sd"),
        Adversary(name="groups-train", make=SetGroupsToZero, phase="train"),
        Adversary(name="groups-test", make=SetGroupsToZero),
    ]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="signs", load=load_signs), Dataset(name="odd", load=load_odd)]
"""


@pytest.fixture
def run(write_plugin, write_suite):
    """Run every trial of a suite in this process; returns (trial, outcome) pairs and what Spy saw."""
    plugin = str(write_plugin(PLUGIN))

    def run_all(fit_cache=None, **suite):
        base = {"name": "s", "datasets": ["signs"], "algorithms": ["spy"]}
        loaded = load(write_suite({**base, **suite}))
        found = registry((plugin,))
        assert not found.problems
        trials = expand(loaded, found, (plugin,))
        seen = found.manager.get_plugin("my_plugin").seen
        seen.clear()
        fit_cache = fit_cache or FitCache(None)
        return [(trial, protocol.run_trial(trial, fit_cache)) for trial in trials], seen

    return run_all


GREEDY = [{"name": "greedy-delete", "budgets": [0, 1]}]
TUNED = [{"name": "spy", "tune": {}}]
SPLIT = {"train": 0.5, "validation": 0.25, "test": 0.25}


def test_tuning_finds_the_better_candidate_and_records_it(run):
    outcomes, _ = run(algorithms=TUNED, split=SPLIT)
    (_, outcome) = outcomes[0]
    assert outcome["params"]["C"] == 3
    assert outcome["metrics"] == {"error": 0.0}
    assert outcome["tune_seconds"] > 0


def test_an_infinite_metric_fails_a_trial_but_not_a_candidate(run):
    with pytest.raises(ValueError, match="metric diverging is inf"):
        run(metrics=["diverging"])
    for metric in ("diverging", "sometimes"):  # and a candidate without a score is never chosen
        outcomes, _ = run(algorithms=TUNED, split=SPLIT, metrics=[metric])
        assert outcomes[0][1]["metrics"] == {metric: 0.25}


def test_an_algorithm_warms_up_once_and_before_the_trial(run):
    outcomes, _ = run(algorithms=["spy", "warm-spy"])
    trial = outcomes[1][0]
    seen = registry(trial.plugins).manager.get_plugin("my_plugin").seen
    assert seen.count("warm") == 1
    learner.warm_up.cache_clear()
    seen.clear()
    protocol.get_ready(trial)
    protocol.get_ready(trial)
    protocol.run_trial(trial, FitCache(None))
    assert seen[0] == "warm"
    assert [each for each in seen if isinstance(each, str)] == ["warm"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("nothing", "dataset 'odd' loaded a NoneType, expected a benchkit.Data"),
        ("flat", r"dataset 'odd' has a ndarray of shape \(4,\) as X, expected a row for each sample"),
        ("short", r"has X of shape \(4, 2\) but y of shape \(3,\)"),
        ("unlabelled", "has NaN or infinite values in y"),
    ],
)
def test_what_is_no_dataset_is_named(run, how, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run(datasets=[{"name": "odd", "how": how}])


def test_stages_tune_one_after_another(run):
    stages = [{"grid": {"C": [1, 3]}}, {"grid": {"budget": [7, 8]}}]
    outcomes, seen = run(algorithms=[{"name": "spy", "tune": stages}], split=SPLIT)
    assert outcomes[0][1]["params"]["C"] == 3
    assert outcomes[0][1]["params"]["budget"] == 7
    assert [(c, budget) for c, budget, *_ in seen] == [(1, None), (3, None), (3, 7), (3, 8)]


@pytest.mark.parametrize(("fit_on", "flipped"), [("clean", False), ("corrupted", True)])
def test_candidates_are_fitted_on_the_training_part_before_or_after_the_adversary(run, fit_on, flipped):
    _, seen = run(
        algorithms=[{"name": "spy", "tune": {"fit_on": fit_on}}],
        adversaries=[{"name": "flip", "budgets": [0.5]}],
        split=SPLIT,
    )
    candidates, final = seen[:2], seen[-1]
    assert all((X[:, 0] != y).any() == flipped for *_, X, y in candidates)
    assert (final[4][:, 0] != final[5]).sum() == 10


def test_a_path_fits_the_candidates_together_and_the_chosen_one_again(run):
    outcomes, seen = run(algorithms=[{"name": "path-spy", "tune": {}}], split=SPLIT)
    assert outcomes[0][1]["params"]["C"] == 3
    assert [entry[0] for entry in seen] == ["path", 1, 3, 3]
    with pytest.raises(ValueError, match="fit_path of short-path returned 1 of 2 estimators"):
        run(algorithms=[{"name": "short-path", "tune": {}}], split=SPLIT)


def test_trials_of_other_budgets_share_the_paths_of_the_candidates_that_they_share(run):
    grid = {"budget": {"up_to_budget": [0, 1]}, "C": [1, 3]}
    entry = {"name": "budget-path-spy", "tune": {"grid": grid}}
    outcomes, seen = run(algorithms=[entry], adversaries=[{"name": "groups-test", "budgets": [0, 1]}], split=SPLIT)
    assert [outcome["tuning"][0]["judged"] for _, outcome in outcomes] == [2, 4]
    paths = [place for place, each in enumerate(seen) if each[0] == "path"]
    assert [[each[1] for each in seen[place + 1 : place + 3]] for place in paths] == [[0, 0], [1, 1]]


@pytest.mark.parametrize(("refit", "rows"), [("train", 20), ("train+validation", 30)])
def test_refit(run, refit, rows):
    _, seen = run(algorithms=[{"name": "spy", "tune": {"refit": refit}}], split=SPLIT)
    assert len(seen[-1][5]) == rows


def test_the_algorithm_gets_budget_values_and_a_stream_of_its_own(run):
    outcomes, seen = run(
        algorithms=["spy", {"name": "spy", "label": "fixed", "params": {"budget": 9, "C": "$budget"}}],
        adversaries=[{"name": "random-delete", "budgets": [0, 1]}],
        feature_values=[2, 3],
        split={"repetitions": 2},
    )
    assert len(outcomes) == 8
    assert {(c, b) for c, b, *_ in seen} == {(1.0, 0.0), (1.0, 1.0), (0.0, 9), (1.0, 9)}
    assert all(values.tolist() == [2, 3] for _, _, values, *_ in seen)
    assert len({state for *_, state, _, _ in seen}) == 2  # one per repetition


def test_data_and_split_do_not_depend_on_the_algorithm(run):
    outcomes, seen = run(
        algorithms=["spy", {"name": "spy", "label": "b", "params": {"C": 2}}], split={"repetitions": 2}
    )
    first, second = seen[0][4], seen[1][4]
    np.testing.assert_array_equal(first, second)
    assert len(outcomes) == 4


def test_fits_that_trials_share_are_done_once(run, tmp_path):
    fit_cache = FitCache(tmp_path)
    adversaries = [{"name": "random-delete", "budgets": [0, 1]}]
    _, seen = run(fit_cache, algorithms=[{"name": "spy", "params": {"budget": 0}}], adversaries=adversaries)
    assert len(seen) == 1


def test_an_adversary_that_needs_weights_skips_what_has_none(run):
    with pytest.raises(NotApplicableError, match="Spy has no coef_"):
        run(adversaries=GREEDY)


def test_a_training_adversary_corrupts_the_training_part_alone(run):
    outcomes, seen = run(
        adversaries=[{"name": "flip", "budgets": [0, 0.5]}], algorithms=[{"name": "spy", "params": {"C": 3}}]
    )
    flipped = [(X[:, 0] != y).mean() for *_, X, y in seen]
    assert flipped == [0.0, 0.5]
    assert [outcome["metrics"]["error"] for _, outcome in outcomes] == [0.0, 0.0]


def test_adversaries_of_both_phases_see_the_groups_of_columns(run):
    outcomes, seen = run(adversaries=["groups-train"])
    assert [(X == 0).all() for *_, X, y in seen] == [True]
    outcomes, _ = run(adversaries=["groups-test"], algorithms=[{"name": "spy", "params": {"C": 3}}])
    assert [outcome["metrics"]["error"] for _, outcome in outcomes] == [0.5]


def test_a_single_class_is_refused(run):
    with pytest.raises(ValueError, match="single class"):
        run(datasets=[{"name": "signs", "one_class": True}])


def test_a_metric_without_a_value_is_null(run):
    outcomes, _ = run(algorithms=["constant"], metrics=["error", "exact-error"], adversaries=[])
    assert outcomes[0][1]["metrics"]["error"] is not None
    lines = run(algorithms=[{"name": "spy", "params": {"C": 3}}], metrics=["error", "greedy-error"])[0]
    assert lines[0][1]["metrics"]["greedy-error"] is None


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("in place", "read-only"),
        ("nothing", "returned a NoneType, expected a benchkit.AttackResult"),
        ("short", "returned X, y of shapes"),
        ("labels", "changed the true labels"),
    ],
)
def test_what_an_adversary_returns_is_checked(run, how, reason):
    with pytest.raises((ValueError, TypeError), match=reason):
        run(algorithms=["constant"], adversaries=[{"name": "wrong", "params": {"how": how}, "budgets": [1]}])


@pytest.mark.parametrize("preprocess", [["standardize"], ["unit-variance"], []])
def test_an_adversary_sees_rows_as_loaded_and_what_the_model_would_see_of_others(run, preprocess):
    adversaries = [{"name": "sees-rows", "budgets": [0.5]}]
    _, seen = run(preprocess=preprocess, adversaries=adversaries, split={"repetitions": 1})
    raw, X, of_others, deviations = seen[-1]
    known = deviations > 0
    if preprocess:
        np.testing.assert_allclose(of_others, X + (of_others - X)[0])
        np.testing.assert_allclose(deviations[known], 1)
    else:
        np.testing.assert_array_equal(of_others, raw + 1)
        np.testing.assert_allclose(deviations, seen[0][4].std(axis=0))
