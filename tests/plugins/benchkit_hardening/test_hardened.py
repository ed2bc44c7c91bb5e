"""Training on lost columns, and a choice of methods: what copies lack, what is answered, less in the worst case."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from benchkit import NotApplicableError, registry, run
from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from benchkit_deletion.models.reading import read_model
from benchkit_hardening.certified import FeaturePartition, GapModel
from benchkit_hardening.choice import Choice
from benchkit_hardening.copies import AdversarialColumns, ColumnDropout, ColumnDropoutRegressor
from tests.attacks import attack


class Rows(ClassifierMixin, BaseEstimator):
    """Remembers what it is fitted on."""

    def fit(self, X, y):
        self.X_, self.y_, self.classes_ = X, y, np.unique(y)
        return self


@pytest.fixture
def redundant():
    """Three features that each tell the class, the first most plainly, and three that tell nothing."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    X = rng.normal(size=(300, 6))
    X[:, :3] += (2 * y[:, None] - 1) * np.array([3.0, 1.6, 1.6])
    return X, y


def worst_error(model, X, y, budget):
    found = ExactTreeDelete(fill="mean").corrupt(attack(X, y, model, budget, means=X.mean(0)))
    return (model.predict(found.X) != y).mean()


def trees():
    return ensemble.GradientBoostingClassifier(n_estimators=15, random_state=0)


@pytest.mark.parametrize(
    "hardened",
    [
        ColumnDropout(trees(), copies=5, rate=0.5, random_state=0),
        AdversarialColumns(trees(), n_deleted=1, rounds=3, random_state=0),
    ],
    ids=["dropout", "adversarial"],
)
def test_the_worst_case_becomes_less(redundant, hardened):
    X, y = redundant
    train, test = slice(150), slice(150, None)
    plain = worst_error(trees().fit(X[train], y[train]), X[test], y[test], 1)
    assert worst_error(hardened.fit(X[train], y[train]), X[test], y[test], 1) < plain - 0.02
    assert hardened.predict_proba(X[test]).shape == (150, 2)


@pytest.mark.parametrize(("fill", "left"), [("zero", 0.0), ("nan", np.nan), ("mean", None)])
def test_copies_lack_no_more_than_asked_and_whole_features(redundant, fill, left):
    X, y = redundant
    groups = [[0, 1], [2, 5]]
    fitted = ColumnDropout(Rows(), copies=4, rate=0.5, fill=fill, groups=groups, random_state=1).fit(X, y).model_
    np.testing.assert_array_equal(fitted.X_[:300], X)
    np.testing.assert_array_equal(fitted.y_, np.tile(y, 4))
    lost = np.tile(X, (4, 1)) != fitted.X_
    assert (lost[:, 0] == lost[:, 1]).all()
    assert (lost[:, 2] == lost[:, 5]).all()
    number = lost[:, [0, 2, 3, 4]].sum(axis=1)[300:]
    assert set(number) == {0, 1, 2}
    expected = np.broadcast_to(X.mean(axis=0) if left is None else left, fitted.X_.shape)
    np.testing.assert_allclose(fitted.X_[lost], expected[lost])


def test_rounds_add_the_worst_deletions_within_the_values_also_to_a_model_by_its_name_that_is_a_sum(redundant):
    X, y = redundant
    values = np.array([5.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    model = AdversarialColumns(trees(), n_deleted=2, rounds=1, feature_values=values, random_state=0)
    fits = []

    class Watched(ensemble.RandomForestClassifier):
        def fit(self, X, y):
            fits.append(X)
            return super().fit(X, y)

    model.set_params(estimator=Watched(15, max_depth=4, random_state=0)).fit(X, y)
    assert [len(rows) for rows in fits] == [300, 600]
    lost = fits[1][300:] != X
    assert lost.any()
    assert (lost @ values <= 2).all()
    assert not lost[:, 0].any()
    entry = {"name": "random-forest", "params": {"n_estimators": 7, "max_depth": 3}}
    fitted = AdversarialColumns(entry, rounds=1, random_state=0).fit(*redundant).model_
    assert (len(fitted.estimators_), fitted.max_depth) == (7, 3)
    with pytest.raises(NotApplicableError, match="KNeighborsClassifier"):
        AdversarialColumns(KNeighborsClassifier(), rounds=1).fit(*redundant)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (ColumnDropout("a forest"), "estimator is 'a forest'"),
        (ColumnDropout({"name": "random-forest", "depth": 3}), "expected its name and params"),
        (ColumnDropout({"name": "random-forest", "params": {"depth": 3}}), "Invalid parameter 'depth'"),
        (ColumnDropout(rate=1.5), "rate is 1.5"),
        (ColumnDropout(copies=0), "copies"),
        (ColumnDropout(fill="median"), "fill is 'median'"),
        (AdversarialColumns(trees(), rounds=0), "rounds"),
        (AdversarialColumns(trees(), n_deleted=-1), "n_deleted"),
        (AdversarialColumns(trees(), feature_values=[1.0]), "feature_values has shape"),
    ],
)
def test_parameters_are_checked(redundant, estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(*redundant)


@pytest.mark.parametrize(
    "estimator",
    [
        ColumnDropout(DecisionTreeClassifier()),
        AdversarialColumns(DecisionTreeClassifier(), rounds=1),
        ColumnDropoutRegressor(DecisionTreeRegressor()),
        FeaturePartition(DecisionTreeClassifier(max_depth=3, random_state=0)),
        GapModel(DecisionTreeClassifier(max_depth=3, random_state=0)),
        Choice({"name": "random-forest", "params": {"n_estimators": 5}}, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_all_keep_scikit_learns_conventions(estimator):
    failed = [each for each in check_estimator(estimator, on_skip=None, on_fail=None) if each["status"] == "failed"]
    assert [(each["check_name"], each["exception"]) for each in failed] == []


def test_a_regression_stands_lost_columns_better_than_one_fitted_on_whole_rows():
    rng = np.random.default_rng(0)
    y = rng.normal(size=600)
    X = y[:, None] + rng.normal(0, [0.1, 0.5, 0.5], (600, 3))
    plain = ensemble.GradientBoostingRegressor(n_estimators=40, random_state=0)
    hardened = ColumnDropoutRegressor(plain, rate=0.7, fill="zero", random_state=0).fit(X[:300], y[:300])
    lost = X[300:] * [0, 1, 1]

    def error(model):
        return np.abs(model.predict(lost) - y[300:]).mean()

    assert error(hardened) < 0.7 * error(plain.fit(X[:300], y[:300]))


VALUES = [1.0, 1.0, 2.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        ("lp", {"C": 0.3}, {"noise_budget": 2.0}),
        ("additive-fdrop", {"C": 0.1, "n_bins": 4}, {"budget": 2.0}),
        (
            "adversarial-columns",
            {"estimator": {"name": "random-forest", "params": {"n_estimators": 5, "max_depth": 3}}, "rounds": 2},
            {"n_deleted": 2.0, "fill": "zero", "groups": [[0, 1]]},
        ),
    ],
)
def test_it_answers_as_the_method_that_is_told_the_same(redundant, name, params, told):
    X, y = redundant
    scene = {"n_deleted": 2.0, "fill": "zero", "feature_values": VALUES, "groups": told.get("groups", ())}
    choice = Choice({"name": name, "params": params}, **scene, random_state=3).fit(X, y)
    drawn = {name: value for name, value in choice.model_.get_params().items() if name == "random_state"}
    alone = registry().algorithms[name].make(**params, **told, **drawn, feature_values=VALUES).fit(X, y)
    np.testing.assert_array_equal(choice.predict(X), alone.predict(X))
    read, expected = (read_model(each, X, np.zeros(6)) for each in (choice, alone))
    np.testing.assert_array_equal(read.scores(X), expected.scores(X))


def test_parameters_that_are_given_stay_and_answers_are_those_of_the_method_within(redundant):
    X, y = redundant
    linear = Choice({"name": "lp", "params": {"noise_budget": 1.0}}, n_deleted=3.0, random_state=0).fit(X, y)
    assert linear.model_.noise_budget == 1.0
    assert not hasattr(linear, "predict_proba")
    boosting = Choice(ensemble.HistGradientBoostingClassifier(max_iter=5, random_state=0)).fit(X, y)
    np.testing.assert_array_equal(boosting.predict_proba(X), boosting.model_.predict_proba(X))
    np.testing.assert_array_equal(boosting.decision_function(X), boosting.model_.decision_function(X))
    of_steps = (GapModel(make_pipeline(ensemble.RandomForestClassifier(5)), random_state=0).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in of_steps))


@pytest.mark.usefixtures("unseen")
def test_struck_rows_choose_what_loss_does_not_hurt(tmp_path):
    """One column tells the class; without it rows look like the rarer one: the larger class errs less."""
    y = np.tile([0, 0, 0, 1], 30)
    path = tmp_path / "told.csv"
    table = np.column_stack([np.where(y == 0, 2.0, -1.0), np.zeros(120), y])
    np.savetxt(path, table, delimiter=",", header="first,idle,y", comments="")
    forest = {"name": "random-forest", "params": {"n_estimators": 3}}
    tune = {"data": "corrupted", "grid": {"estimator": [forest, "constant"]}}
    suite = {
        "name": "chosen",
        "datasets": [{"name": "csv", "params": {"path": str(path), "target": "y"}}],
        "algorithms": [{"name": "choice", "params": {"fill": "zero"}, "tune": tune}],
        "adversaries": [{"name": "exact-tree-delete", "budgets": [0, 1]}],
        "split": {"repetitions": 2, "train": 60, "validation": 30, "test": 30},
        "metrics": ["error"],
    }
    results = run(suite, out=tmp_path / "runs", executor="inline", tracking=False)
    chosen = {(row["budget"], str(row["params"]["estimator"])) for row in results.rows}
    assert chosen == {(0, str(forest)), (1, "constant")}
