"""Every rule is broken by what deserves it alone, kept by what is well made; the fixtures for authors of plugins."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, RidgeClassifier

from benchkit import Adversary, Algorithm, AttackContext, AttackResult, Data, Dataset, Metric, SplitMethod
from benchkit.testing import check, tiny_attack, tiny_classification, tiny_regression
from benchkit.testing.check import RuleCheck, checks_of
from benchkit.testing.plugin_rules import Plugin

RULES = {(kind, rule.name): rule for kind, rules in check.RULES.items() for rule in rules}


def find(kind, name, subject):
    return RuleCheck(kind, "bad", subject, RULES[kind, name]).find()


def fitting(change, of=RidgeClassifier):
    """An estimator, without a docstring, that is fitted to something else than it is given."""

    class Changing(of):
        def fit(self, X, y):
            return super().fit(*change(self, X, y))

    return Changing


def remembering(self, X, y):
    self.times_ = getattr(self, "times_", 0) + 1
    return X + 0.1 * np.arange(len(X))[:, None] * self.times_, y


def centring(self, X, y):
    X[:] = X - 1
    return X, y


class Filling(RidgeClassifier):
    def fit(self, X, y):
        return super().fit(np.nan_to_num(X), y)

    def predict(self, X):
        return super().predict(np.nan_to_num(X))


def algorithm(make, **declared):
    return Algorithm(name="bad", make=make, **declared)


class Deleting:
    """Deletes the first features."""

    def __init__(self, budget_factor=1.0):
        self.budget_factor = budget_factor

    def corrupt(self, attack):
        X = attack.X.toarray() if sparse.issparse(attack.X) else attack.X.copy()
        X[:, : int(self.budget_factor * attack.budget)] = 0
        return AttackResult(X=sparse.csr_matrix(X) if sparse.issparse(attack.X) else X, y=attack.y)


def corrupting(change):
    """An adversary that makes X and y of an attack."""

    class Corrupting(Deleting):
        def corrupt(self, attack):
            X, y = change(attack)
            return AttackResult(X=X, y=y)

    return Corrupting


Wasteful = corrupting(lambda attack: (attack.X * (attack.budget == 0), attack.y))
Lying = corrupting(lambda attack: (attack.X, -attack.y if attack.budget else attack.y))
Careless = corrupting(lambda attack: (attack.X.fill(0) or attack.X, attack.y))
Unseeded = corrupting(lambda attack: (attack.X * (np.random.default_rng().random((60, 1)) < 0.5), attack.y))


class Greedy(Deleting):
    def corrupt(self, attack):
        X = attack.X.copy()
        X[:, attack.rng.permutation(6)[: int(attack.budget)]] = 0
        attack.rng.random(int(attack.budget))
        return AttackResult(X=X, y=attack.y)


class Dense(Deleting):
    def corrupt(self, attack):
        return super().corrupt(AttackContext(**{**vars(attack), "X": attack.X.toarray()}))


def adversary(make, **declared):
    return Adversary(name="bad", make=make, budget_unit="features", **declared)


def load(X=None, y=None, **parts):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 2)) if X is None else X
    return Data(X=X, y=np.array([-1, 1] * 4) if y is None else y, **parts)


def load_by_chance(random_state=0):
    return load(X=np.random.default_rng().normal(size=(8, 2)))


def dataset(make=load, **declared):
    return Dataset(name="bad", load=make, **{"shape": "8 x 2", **declared})


def documented(value, **declared):
    def compute(evaluation):
        """Whatever it is told to."""
        return value(evaluation)

    return Metric(name="bad", compute=compute, **declared)


def split(divide):
    return SplitMethod(name="bad", make=lambda: divide)


def by_chance(context):
    return np.split(np.random.default_rng().permutation(len(context.y)), [20, 30])


BREAKERS = {
    ("algorithms", "makes-an-estimator"): algorithm(object),
    ("algorithms", "grid-within-parameters"): algorithm(RidgeClassifier, grid={"absent": [1]}),
    ("algorithms", "scikit-learn-checks"): algorithm(fitting(lambda self, X, y: setattr(self, "alpha", 2.0) or (X, y))),
    ("algorithms", "fits-the-same-again"): algorithm(fitting(remembering)),
    ("algorithms", "sparse-as-declared"): algorithm(fitting(centring), accepts_sparse=True),
    ("algorithms", "missing-values-as-declared"): algorithm(RidgeClassifier, accepts_missing=True),
    ("adversaries", "spends-no-more-than-its-budget"): adversary(Wasteful),
    ("adversaries", "touches-only-what-it-may"): adversary(Lying),
    ("adversaries", "deterministic-under-a-seed"): adversary(Unseeded),
    ("adversaries", "stream-independent-of-the-budget"): adversary(Greedy),
    ("adversaries", "sparse-like-dense"): adversary(Dense),
    ("datasets", "takes-its-seed-where-generated"): dataset(generated=True),
    ("datasets", "labels-of-its-task"): dataset(lambda: load(y=np.array([0, 1] * 4))),
    ("datasets", "loads-the-same-again"): dataset(load_by_chance, generated=True),
    ("metrics", "returns-a-number"): documented(lambda evaluation: 1e300),
    ("metrics", "needs-no-more-than-tuning-knows"): documented(lambda evaluation: evaluation.seconds["fit"]),
    ("metrics", "follows-from-what-it-needs"): documented(
        lambda e: float(e.X[:, 0].mean()) if e.X.shape[1] else 9.0, needs="labels"
    ),
    ("metrics", "rows-have-it-as-their-mean"): documented(
        lambda e: float(np.mean(e.predictions != e.y)), row_values=lambda e: 1.0 * (e.predictions == e.y)
    ),
    ("metrics", "better-as-declared"): documented(lambda e: float(np.mean(e.predictions == e.y))),
    ("splits", "divides-the-rows"): split(lambda context: ([0, 1], [1], [2])),
}


FURTHER = [
    ("algorithms", "fits-the-same-again", algorithm(fitting(centring))),
    ("algorithms", "missing-values-as-declared", algorithm(Filling)),
    ("algorithms", "missing-values-as-declared", algorithm("nowhere:Nothing")),
    ("algorithms", "makes-an-estimator", algorithm(LinearRegression)),
    ("algorithms", "grid-within-parameters", algorithm(RidgeClassifier, grid={"alpha": []})),
    ("adversaries", "touches-only-what-it-may", adversary(Careless)),
    (
        "adversaries",
        "spends-no-more-than-its-budget",
        adversary(corrupting(lambda attack: (attack.X[:5], attack.y[:5]))),
    ),
    ("metrics", "returns-a-number", documented(lambda evaluation: evaluation.X.fill(0) or 0.0)),
    ("metrics", "returns-a-number", documented(lambda _: float(np.random.default_rng().random()))),
    ("metrics", "returns-a-number", documented(lambda evaluation: 2.0, range=(0, 1))),
    ("splits", "divides-the-rows", split(by_chance)),
]


BROKEN_PLUGINS = {
    "loads-without-problems": ("", {"problems": ("no",)}, "no"),
    "imports-quickly": ("import numpy\n", {"file": None, "module": "bad"}, "imports numpy when its declarations"),
}


def test_every_rule_has_something_that_breaks_it_and_what_is_not_declared_is_not_asked():
    assert {*BREAKERS, *(("plugins", name) for name in BROKEN_PLUGINS)} == set(RULES)
    assert find("algorithms", "sparse-as-declared", algorithm(RidgeClassifier)).outcome == "not asked"


@pytest.mark.parametrize(
    ("kind", "name", "subject"), [*((*key, subject) for key, subject in BREAKERS.items()), *FURTHER]
)
def test_a_rule_is_broken_by_what_deserves_it(kind, name, subject):
    found = find(kind, name, subject)
    assert (found.outcome, found.rule) == ("broken", name)
    assert found.reason
    assert "\n" not in found.reason


@pytest.mark.parametrize("name", BROKEN_PLUGINS)
def test_a_rule_of_plugins_is_broken(name, tmp_path, monkeypatch):
    text, known, reason = BROKEN_PLUGINS[name]
    path = tmp_path / "bad.py"
    path.write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    subject = Plugin(**{"name": "bad", "module": "", "file": path, "problems": (), **known})
    assert reason in find("plugins", name, subject).reason
    assert "bad" not in sys.modules


class Flipping:
    """Labels of a fraction of the rows, the last of which counts whole."""

    def corrupt(self, attack):
        y = attack.y.copy()
        y[attack.rng.permutation(len(y))[: int(np.ceil(attack.budget * len(y)))]] *= -1
        return AttackResult(X=attack.X, y=y)


def pushing(norm, factor=1.0):
    class Pushing:
        """Moves each row by as many standard deviations, in a norm."""

        def corrupt(self, attack):
            push = attack.rng.standard_normal(attack.X.shape)
            push /= np.linalg.norm(push, ord=norm, axis=1, keepdims=True)
            return AttackResult(X=attack.X + factor * attack.budget * attack.deviations * push, y=attack.y)

    return Pushing


@pytest.mark.parametrize(
    ("make", "declared", "reason"),
    [
        # One feature for a budget of 1.03 costs 0.5; with a factor of two it is two, which cost 1.6.
        (Deleting, {"budget_unit": "value"}, ""),
        (Deleting, {"budget_unit": "value", "example": {"budget_factor": 2}}, "spends 1.6 of a budget of 1.03333"),
        (Flipping, {"phase": "train", "budget_unit": "fraction"}, ""),
        (pushing(2), {"budget_unit": "sd"}, ""),
        (pushing(np.inf), {"budget_unit": "sd"}, ""),
        (pushing(2, 10.0), {"budget_unit": "sd"}, "of a budget of 0.25 (unit: sd)"),
        (pushing(2), {"budget_unit": "none"}, "declares no unit of budgets"),
    ],
)
def test_what_a_corruption_costs(make, declared, reason):
    found = find("adversaries", "spends-no-more-than-its-budget", Adversary(name="bad", make=make, **declared))
    assert reason in found.reason
    assert bool(reason) == bool(found.reason)


@pytest.mark.parametrize("change", [lambda X: np.sort(X, axis=1), lambda X: X.toarray() if sparse.issparse(X) else X])
def test_an_adversary_of_arrays_alone_is_told_how_to_refuse_sparse_data(change):
    declared = adversary(corrupting(lambda attack: (change(attack.X.copy()), attack.y)))
    assert "benchkit.NotApplicableError" in find("adversaries", "sparse-like-dense", declared).reason


OURS = "baselines feature-noise incomplete-data robust-regression datasets tabfs".split()
SLOW = {("feature-noise", "scikit-learn-checks"), ("datasets", "loads-the-same-again")}


@pytest.mark.parametrize("name", OURS)
@pytest.mark.filterwarnings("ignore")
def test_our_own_plugins_keep_the_rules(name):
    """Datasets of files are checked elsewhere; scikit-learn's checks of our estimators are tests of their own."""
    checks = [check for check in checks_of(name) if (name, check.rule.name) not in SLOW]
    checks = [check for check in checks if check.kind != "dataset" or not check.subject.files]
    findings = [check.find() for check in checks]
    assert [finding for finding in findings if finding.outcome == "broken"] == []
    assert sum(finding.outcome == "kept" for finding in findings) >= 4


pytest_plugins = ["pytester"]

PLUGIN = """
from benchkit import Algorithm, hookimpl

@hookimpl
def benchkit_algorithms():
    return [
        Algorithm(name="ridge", make="sklearn.linear_model:RidgeClassifier", grid={"alpha": [1]}),
        Algorithm(name="wrong", make="sklearn.linear_model:RidgeClassifier", grid={"C": [1]}),
    ]
"""


def test_tiny_data_is_what_it_says():
    for n_classes in (2, 3):
        data = tiny_classification(n_classes=n_classes)
        assert data.X.shape == (60, len(data.feature_names))
        assert list(np.unique(data.y)) == ([-1, 1] if n_classes == 2 else [0, 1, 2])
        np.testing.assert_allclose(data.X.std(axis=0), 1)
    data = tiny_regression()
    residual = data.y - data.X @ data.truth["coef"]
    assert 0.05 < residual.std() / data.y.std() < 0.2
    attack = tiny_attack(data, 2.0, model="a model")
    assert attack.raw is data.X
    assert tiny_attack(data, 2.0).raw is None
    assert attack.feature_values.sum() == 6


def test_fixtures_and_rules_in_a_session_of_its_own(pytester):
    pytester.makepyfile(my_plugin=PLUGIN)
    pytester.makepyfile(
        """
        from benchkit.testing import parametrize_with_rules

        @parametrize_with_rules("my_plugin.py")
        def test_conforms(check):
            check()

        def test_run(benchkit_tiny_run):
            results = benchkit_tiny_run({"algorithms": ["ridge", "constant"]}, plugins=["my_plugin.py"])
            assert results.ok
            assert len(results.records) == 4
        """
    )
    found = pytester.runpytest_inprocess("-q", "-rA", "-p", "no:cacheprovider")
    outcomes = found.parseoutcomes()
    assert outcomes["failed"] == 1
    found.stdout.fnmatch_lines(["FAILED *test_conforms[[]wrong-grid-within-parameters[]]*"])
    assert outcomes["passed"] >= 9
    assert outcomes["skipped"] >= 3


def test_the_pytest_plugin_is_light():
    code = (
        "import sys, benchkit.testing.pytest_plugin;"
        "print([name for name in ('numpy', 'sklearn', 'yaml', 'rich', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
