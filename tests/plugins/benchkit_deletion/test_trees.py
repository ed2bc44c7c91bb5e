"""Every library's trees, read and attacked: they say what the library says, and enumeration finds no worse deletion."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from benchkit import NotApplicableError
from benchkit_deletion.adversaries.exact_tree_delete import ExactTreeDelete
from benchkit_deletion.models.additive import read_linear
from benchkit_deletion.models.reading import read_model
from tests.attacks import attack


def test_the_sum_says_what_the_library_says_also_at_thresholds(library, task, model_and_rows, fills, scores_of):
    model, X, _ = model_and_rows
    found = read_model(model, X, fills["zero"])
    rng = np.random.default_rng(1)
    others = rng.normal(size=(300, 6)) * 2
    if "nan" in fills:
        others[rng.random(others.shape) < 0.2] = np.nan
    asked = [X, others, *(np.where(rng.random(X.shape) < 0.5, fill, X) for fill in fills.values())]
    if hasattr(found.terms, "nodes"):
        nodes = found.terms.nodes
        # A split by whether a value is missing has no threshold that a number can be at.
        split = (nodes.column >= 0) & (np.abs(nodes.threshold) < 1e30)
        columns, thresholds = nodes.column[split], nodes.threshold[split].astype(np.float32)
        below, above = (np.nextafter(thresholds, np.float32(end)) for end in (-np.inf, np.inf))
        for at in (below, thresholds, above):
            asked.append(rng.normal(size=(len(columns), 6)))
            asked[-1][np.arange(len(columns)), columns] = at
    asked = np.concatenate(asked)
    np.testing.assert_allclose(found.scores(asked), scores_of(model, asked), atol=1e-6, rtol=1e-6)


@pytest.fixture
def small_forest():
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = X[:, 0] > X[:, 1]
    return RandomForestClassifier(5, random_state=0).fit(X, y), X, y


class Holder:
    def __init__(self, model, flipped=False):
        self.model_, self.classes_, self.flipped = model, np.array(["no", "yes"]), flipped

    def predict(self, X):
        return self.classes_[self.model_.predict(X).astype(int) ^ self.flipped]


def test_the_model_within_a_wrapper_or_a_pipeline_unless_that_predicts_something_else(small_forest):
    model, X, _ = small_forest
    for outer in (Holder(model), make_pipeline("passthrough", FunctionTransformer(), model)):
        whole, inner = (read_model(each, X, np.zeros(4)).scores(X) for each in (outer, model))
        np.testing.assert_array_equal(whole, inner)
    assert list(read_model(Holder(model), X, np.zeros(4)).classes) == ["no", "yes"]
    with pytest.raises(NotApplicableError, match="Holder does not predict what the sum of its terms says"):
        read_model(Holder(model, flipped=True), X, np.zeros(4))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (make_pipeline(StandardScaler(), RandomForestClassifier(3)), "step 'standardscaler' of the"),
        (KNeighborsClassifier(), "KNeighborsClassifier is neither made of trees .* query-delete"),
        (SVC(kernel="rbf"), "SVC is neither"),
        (HistGradientBoostingRegressor(max_iter=2, categorical_features=[0]), "splits on categories"),
        (HistGradientBoostingRegressor(max_iter=9, loss="poisson"), "does not answer as the sum of its terms does"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(model, message):
    X = np.abs(np.random.default_rng(0).normal(size=(60, 4)).round())
    model.fit(X, (X[:, 0] > X[:, 1]).astype(int))
    with pytest.raises(NotApplicableError, match=message):
        read_model(model, X, np.zeros(4))


def test_a_feature_without_weight_says_nothing_whatever_it_holds():
    model = SimpleNamespace(coef_=np.array([[2.0, 0.0, 1.0]]), intercept_=np.array([0.5]))
    assert read_linear(model).scores(np.array([[1.0, np.nan, 3.0], [0.0, np.nan, 1.0]])).tolist() == [[5], [1]]


def test_trees_with_two_outputs_are_refused_and_gaps_where_boosting_takes_none(small_forest):
    _, X, y = small_forest
    with pytest.raises(NotApplicableError, match="2 outputs"):
        read_model(RandomForestClassifier(3).fit(X, np.column_stack([y, ~y])), X, np.zeros(4))
    with pytest.raises(NotApplicableError, match="does not answer about deleted features"):
        read_model(GradientBoostingRegressor(n_estimators=2).fit(X, X[:, 0]), X, np.full(4, np.nan))


def test_xgboost_takes_absent_entries_for_missing_and_counts_the_trees_that_predict():
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.6))
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(X, (X[:, 0] > X[:, 1]).toarray().ravel().astype(int))
    found = read_model(model, X, np.zeros(5))
    dense, said = X.toarray(), model.predict(X, output_margin=True)
    np.testing.assert_allclose(found.scores(np.where(dense == 0, np.nan, dense))[:, 0], said, atol=1e-6)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    model = xgboost.XGBClassifier(n_estimators=60, early_stopping_rounds=2, n_jobs=1)
    model.fit(X[:60], y[:60], eval_set=[(X[60:], y[60:])], verbose=False)
    assert len(read_model(model, X, np.zeros(4)).terms.trees) == model.best_iteration + 1


def worst_by_enumeration(model, X, y, left, values, budget, ask, classes):
    """The least margin of the true class, or minus the largest absolute error, over all affordable deletions."""
    sets = np.array(list(itertools.product([False, True], repeat=X.shape[1])))
    sets = sets[sets @ values <= budget]
    queries = np.where(sets[None], left, X[:, None, :]).reshape(-1, X.shape[1])
    said = ask(model, queries).reshape(len(X), len(sets), -1)
    if classes is None:
        return -np.abs(said[:, :, 0] - y[:, None]).max(axis=1)
    own = np.searchsorted(classes, y)
    if said.shape[2] == 1:
        return (np.where(own == 1, 1, -1)[:, None] * said[:, :, 0]).min(axis=1)
    of_own = np.take_along_axis(said, own[:, None, None], axis=2)[:, :, 0]
    np.put_along_axis(said, np.broadcast_to(own[:, None, None], (len(X), len(sets), 1)), -np.inf, axis=2)
    return (of_own - said.max(axis=2)).min(axis=1)


def test_does_what_enumeration_does(library, task, model_and_rows, fills, scores_of):
    model, X, y = model_and_rows
    X, y = X[:25], y[:25]
    values = np.array([1.0, 0.5, 1.5, 1.0, 0.0, 2.0])
    classes = None if task == "regression" else model.classes_
    for fill, left in fills.items():
        for budget, costs in ((2.0, np.ones(6)), (2.5, values)):
            found = ExactTreeDelete(fill=fill).corrupt(attack(X, y, model, budget, costs, means=left))
            worst = worst_by_enumeration(model, X, y, left, costs, budget, scores_of, classes)
            np.testing.assert_allclose(found.truth["worst_score"], worst, atol=2e-6)
            np.testing.assert_allclose(found.truth["worst_score_bound"], worst, atol=2e-6)
            assert found.truth["closed"].all()
            assert (found.truth["taken"] @ costs <= budget).all()
            np.testing.assert_array_equal(found.X, np.where(found.truth["taken"], left, X))
            if costs is not values:  # nothing is free: what the model says of the result, with nothing more to spend
                reached = worst_by_enumeration(model, found.X, y, left, costs, 0, scores_of, classes)
                np.testing.assert_allclose(reached, worst, atol=2e-6)


def test_stopping_when_fooled_fools_the_same_rows_and_those_of_a_class_that_is_not_known_are_left_alone():
    X = np.random.default_rng(0).normal(size=(200, 10))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 4] > 0, "spam", "ham")
    model, X, y = RandomForestClassifier(30, random_state=0).fit(X, y), X[:60], y[:60]
    whole, stopped = (ExactTreeDelete(stop_when_fooled=stop).corrupt(attack(X, y, model, 2)) for stop in (False, True))
    np.testing.assert_array_equal(model.predict(whole.X) == y, model.predict(stopped.X) == y)
    assert stopped.truth["search_nodes"].sum() < whole.truth["search_nodes"].sum()
    found = ExactTreeDelete().corrupt(attack(X, np.where(np.arange(60) == 3, "other", y), model, 2))
    np.testing.assert_array_equal(found.X[3], X[3])
    assert found.truth["worst_score_bound"][3] == -np.inf
    assert found.truth["closed"][3]
