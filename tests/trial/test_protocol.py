"""The protocol: pairing, tuning, budgets, and what is skipped."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from benchkit.plugin.declarations import NotApplicableError
from benchkit.plugin.manager import registry
from benchkit.suite.expand import expand
from benchkit.suite.load import load
from benchkit.trial.learner import FitCache
from benchkit.trial.protocol import run_trial

PLUGIN = """
import warnings
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from benchkit import Adversary, Algorithm, AttackResult, Data, Dataset, Metric, hookimpl

seen = []

class Spy(ClassifierMixin, BaseEstimator):
    def __init__(self, C=1.0, budget=None, values=None, random_state=None):
        self.C, self.budget, self.values, self.random_state = C, budget, values, random_state
    def fit(self, X, y):
        seen.append((self.C, self.budget, self.values, self.random_state, X.copy(), y.copy()))
        if self.C == 2:
            warnings.warn("stopped early", ConvergenceWarning)
        self.classes_ = np.unique(y)
        return self
    def predict(self, X):
        # Right on every row for C = 3, otherwise on none.
        return np.where((X[:, 0] > 0) == (self.C == 3), 1, -1)

class Turned(Spy):  # what its weights show is not what its scores are
    coef_, intercept_ = np.array([[1.0, 0.0]]), np.zeros(1)
    def decision_function(self, X):
        return -X[:, 0]

class Unknown(Turned):
    coef_ = np.full((1, 2), np.nan)

def fit_together(spies, X, y):
    seen.append(("path", len(spies), None, None, X.copy(), y.copy()))
    return [spy.fit(X, y) for spy in spies]

class FlipLabels:
    def corrupt(self, attack):
        rows = attack.rng.permutation(len(attack.y)) < attack.budget * len(attack.y)
        truth = {"spent": attack.budget, "values": attack.feature_values.sum()}
        return AttackResult(X=attack.X, y=np.where(rows, -attack.y, attack.y), truth=truth)

def load_signs(n=40, one_class=False):
    y = np.ones(n, int) if one_class else np.where(np.arange(n) % 2, 1, -1)
    return Data(X=np.column_stack([y, np.arange(n)]).astype(float), y=y, groups=[[1, 0]])

def load_drawn(random_state):
    data = load_signs(60)
    noise = np.random.default_rng(random_state).normal(size=data.X.shape)
    return Data(X=noise, y=data.y, feature_values=np.array([5.0, 1.0]), truth={"first": noise[0, 0]})

class SetGroupsToZero:
    def corrupt(self, attack):
        return AttackResult(X=attack.X * ~np.isin([0, 1], attack.groups), y=attack.y)

class Wrong:
    def __init__(self, how):
        self.how = how
    def corrupt(self, attack):
        if self.how == "in place":
            attack.X[:] = 0
        rows = 5 if self.how == "short" else len(attack.y)
        return None if self.how == "nothing" else AttackResult(X=attack.X[:rows], y=-attack.y[:rows])

@hookimpl
def benchkit_metrics():
    return [
        Metric(name="sometimes", compute=lambda evaluation: float("nan") if evaluation.model.C == 1 else 0.25),
        *(Metric(name=name, compute=lambda context, name=name: float(context.truth.get(name, np.nan)))
          for name in ("first", "spent", "values")),
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
        Algorithm(name="turned", make=Turned),
        Algorithm(name="unknown", make=Unknown),
        Algorithm(name="warm-spy", make=Spy, warm_up=lambda: seen.append(("warm",))),
        Algorithm(name="path-spy", make=Spy, budget_param="budget", grid={"C": [1, 3]}, fit_path=fit_together),
        Algorithm(name="short-path", make=Spy, grid={"C": [1, 3]}, fit_path=lambda spies, X, y: spies[:1]),
    ]

@hookimpl
def benchkit_adversaries():
    return [
        Adversary(name="flip", make=FlipLabels, phase="train", budget_unit="fraction"),
        Adversary(name="wrong", make=Wrong),
        Adversary(name="spend", make=FlipLabels, phase="train", budget_unit="value"),
        Adversary(name="sees-rows", make=SeesRows, budget_unit="sd"),
        Adversary(name="groups-train", make=SetGroupsToZero, phase="train"),
        Adversary(name="groups-test", make=SetGroupsToZero),
    ]

@hookimpl
def benchkit_datasets():
    return [Dataset(name="signs", load=load_signs), Dataset(name="drawn", load=load_drawn, generated=True)]
"""


@pytest.fixture
def run(write_plugin, write_suite):
    """Run every trial of a suite in this process; returns the outcomes and what was seen in them."""
    plugin = str(write_plugin(PLUGIN))

    def run_all(fit_cache=None, **suite):
        loaded = load(write_suite({"name": "s", "datasets": ["signs"], "algorithms": ["spy"], **suite}))
        declared, fits = registry((plugin,)), fit_cache or FitCache(None)
        seen = declared.manager.get_plugin("my_plugin").seen
        seen.clear()
        return [run_trial(trial, fits) for trial in expand(loaded, declared, (plugin,))], seen

    return run_all


SPLIT = {"train": 0.5, "validation": 0.25, "test": 0.25}


def test_an_infinite_metric_fails_a_trial_but_no_candidate_and_an_algorithm_warms_up_once(run):
    with pytest.raises(ValueError, match="metric diverging is inf"):
        run(metrics=["diverging"])
    for metric in ("diverging", "sometimes"):  # and a candidate without a score is never chosen
        (outcome,), _ = run(algorithms=[{"name": "spy", "tune": {}}], split=SPLIT, metrics=[metric])
        assert outcome["metrics"] == {metric: 0.25}
    _, seen = run(algorithms=["warm-spy", {"name": "warm-spy", "label": "again", "params": {"C": 2}}])
    assert [each[0] for each in seen] == ["warm", 1.0, 2]


def test_stages_tune_one_after_another(run):
    stages = [{"grid": {"C": [1, 3]}}, {"grid": {"budget": [7, 8]}, "refit": "train+validation"}]
    (outcome,), seen = run(algorithms=[{"name": "spy", "tune": stages}], split=SPLIT)
    assert (outcome["params"]["C"], outcome["params"]["budget"]) == (3, 7)
    assert [(c, budget) for c, budget, *_ in seen] == [(1, None), (3, None), (3, 7), (3, 8), (3, 7)]
    assert [len(y) for *_, y in seen] == [20, 20, 20, 20, 30]  # refitted with the validation part


@pytest.mark.parametrize(("fit_on", "flipped"), [("clean", [0, 0, 10]), ("corrupted", [10, 10])])
def test_candidates_are_fitted_on_the_training_part_before_or_after_the_adversary(run, fit_on, flipped):
    spy, flip = {"name": "spy", "tune": {"fit_on": fit_on}}, {"name": "flip", "budgets": [0.5]}
    _, seen = run(algorithms=[spy], adversaries=[flip], split=SPLIT)
    assert [(X[:, 0] != y).sum() for *_, X, y in seen] == flipped


def test_a_path_fits_the_candidates_together_and_the_chosen_one_again(run):
    (outcome,), seen = run(algorithms=[{"name": "path-spy", "tune": {}}], split=SPLIT)
    assert outcome["params"]["C"] == 3
    assert [entry[0] for entry in seen] == ["path", 1, 3, 3]
    with pytest.raises(ValueError, match="fit_path of short-path returned 1 of 2 estimators"):
        run(algorithms=[{"name": "short-path", "tune": {}}], split=SPLIT)


def test_trials_of_other_budgets_share_the_paths_of_the_candidates_that_they_share(run):
    grid = {"budget": {"up_to_budget": [0, 1]}, "C": [1, 3]}
    entry = {"name": "path-spy", "tune": {"grid": grid}}
    outcomes, seen = run(algorithms=[entry], adversaries=[{"name": "groups-test", "budgets": [0, 1]}], split=SPLIT)
    assert [outcome["tuning"][0]["judged"] for outcome in outcomes] == [2, 4]
    paths = [place for place, each in enumerate(seen) if each[0] == "path"]
    assert [[each[1] for each in seen[place + 1 : place + 3]] for place in paths] == [[0, 0], [1, 1]]


def test_the_algorithm_gets_budget_values_and_a_stream_of_its_own_and_all_get_the_same_rows(run):
    told = {"adversaries": [{"name": "random-delete", "budgets": [0, 1]}], "feature_values": [2, 3]}
    fixed = {"name": "spy", "label": "fixed", "params": {"budget": 9, "C": "$budget"}}
    outcomes, seen = run(algorithms=["spy", fixed], split={"repetitions": 2}, **told)
    assert len(outcomes) == 8
    assert {(c, b) for c, b, *_ in seen} == {(1.0, 0.0), (1.0, 1.0), (0.0, 9), (1.0, 9)}
    assert all(values.tolist() == [2, 3] for _, _, values, *_ in seen)
    streams = {(state, X.tobytes(), y.tobytes()) for _, _, _, state, X, y in seen}
    assert len(streams) == len({state for state, *_ in streams}) == 2  # one per repetition


def test_a_training_adversary_corrupts_the_training_part_alone_by_given_values_and_all_see_groups(run):
    adversaries = [{"name": "flip", "budgets": [0, 0.5]}]
    outcomes, seen = run(adversaries=adversaries, algorithms=[{"name": "spy", "params": {"C": 3}}])
    assert [(X[:, 0] != y).mean() for *_, X, y in seen] == [0.0, 0.5]
    assert [outcome["metrics"]["error"] for outcome in outcomes] == [0.0, 0.0]
    _, seen = run(adversaries=["groups-train"])
    assert [(X == 0).all() for *_, X, y in seen] == [True]
    metrics, spy = ["error", "greedy-error"], {"name": "spy", "params": {"C": 3}}
    (outcome,), _ = run(adversaries=["groups-test"], algorithms=[spy], metrics=metrics)
    assert outcome["metrics"] == {"error": 0.5, "greedy-error": None}
    given = {"datasets": ["drawn"], "feature_values": "given", "metrics": ["spent", "values"]}
    (outcome,), _ = run(adversaries=[{"name": "spend", "budgets": ["50%"]}], **given)
    assert (outcome["budget"], outcome["metrics"]) == (3.0, {"spent": 3.0, "values": 6.0})


def test_how_rows_were_drawn(run):
    split = {"method": "k-fold", "folds": 3, "repetitions": 2}
    outcomes, _ = run(datasets=["drawn"], split=split, metrics=["error", "first"])
    facts = {tuple(outcome[name] for name in ("generated", "split", "folds", "n_features")) for outcome in outcomes}
    assert facts == {(True, "k-fold", 3, 2)}
    first = [outcome["metrics"]["first"] for outcome in outcomes]  # folds of a shuffle are parts of the same data
    assert len(set(first[:3])) == len(set(first[3:])) == 1
    assert first[0] != first[3]


def test_warnings_of_fits_are_counted_also_where_the_fit_is_shared(run, tmp_path):
    algorithms = [{"name": "spy", "tune": {"grid": {"C": [1, 2, 3]}}}]
    with pytest.warns(ConvergenceWarning, match="stopped early"):
        (outcome,), seen = run(FitCache(tmp_path), algorithms=algorithms, split=SPLIT)
    assert outcome["params"]["C"] == 3
    assert outcome["warnings"] == {"tune": {"ConvergenceWarning": 1}}
    assert outcome["at_edge"] == {"C": "highest"}
    (again,), seen = run(FitCache(tmp_path), algorithms=algorithms, split=SPLIT)
    assert seen == []
    assert again["warnings"] == outcome["warnings"]


WRONG = {"algorithms": ["constant"], "adversaries": [{"name": "wrong", "budgets": [1]}]}
BY_WEIGHTS = {"adversaries": [{"name": "greedy-delete", "budgets": [1]}]}


@pytest.mark.parametrize(
    ("suite", "how", "error", "reason"),
    [
        (WRONG, "in place", ValueError, "read-only"),
        (WRONG, "nothing", TypeError, "returned a NoneType, expected a benchkit.AttackResult"),
        (WRONG, "short", ValueError, "returned X, y of shapes"),
        (WRONG, "labels", ValueError, "changed the true labels"),
        ({"datasets": [{"name": "signs", "one_class": True}]}, None, ValueError, "single class"),
        (BY_WEIGHTS, None, NotApplicableError, "needs a linear model, one with coef_"),
        ({**BY_WEIGHTS, "algorithms": ["turned"]}, None, NotApplicableError, "not what its decision_function computes"),
        ({**BY_WEIGHTS, "algorithms": ["unknown"]}, None, NotApplicableError, "not finite"),
    ],
)
def test_what_data_models_and_adversaries_lack(run, suite, how, error, reason):
    if how is not None:
        suite = {**suite, "adversaries": [{**suite["adversaries"][0], "params": {"how": how}}]}
    with pytest.raises(error, match=reason):
        run(**suite)


@pytest.mark.parametrize("preprocess", [["standardize"], ["unit-variance"], []])
def test_an_adversary_sees_rows_as_loaded_and_what_the_model_would_see_of_others(run, preprocess):
    _, seen = run(preprocess=preprocess, adversaries=[{"name": "sees-rows", "budgets": [0.5]}])
    raw, X, of_others, deviations = seen[-1]
    if preprocess:
        np.testing.assert_allclose(of_others, X + (of_others - X)[0])
        np.testing.assert_allclose(deviations[deviations > 0], 1)
    else:
        np.testing.assert_array_equal(of_others, raw + 1)
        np.testing.assert_allclose(deviations, seen[0][4].std(axis=0))
