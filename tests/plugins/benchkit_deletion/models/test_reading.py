"""Every library's trees, read: they say what the library says."""

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
from benchkit_deletion.models.additive import read_linear
from benchkit_deletion.models.reading import read_model


def test_the_sum_says_what_the_library_says(library, task, model_and_rows, fills, scores_of):
    model, X, _ = model_and_rows
    found = read_model(model, X, fills["zero"])
    rng = np.random.default_rng(1)
    others = rng.normal(size=(300, 6)) * 2
    if "nan" in fills:
        others[rng.random(others.shape) < 0.2] = np.nan
    asked = np.concatenate([X, others, *(np.where(rng.random(X.shape) < 0.5, fill, X) for fill in fills.values())])
    np.testing.assert_allclose(found.scores(asked), scores_of(model, asked), atol=1e-6, rtol=1e-6)


def test_values_at_thresholds_go_where_the_library_sends_them(library, task, model_and_rows, fills, scores_of):
    model, X, _ = model_and_rows
    found = read_model(model, X, fills["zero"])
    if not hasattr(found.terms, "nodes"):
        pytest.skip("has no thresholds")
    nodes = found.terms.nodes
    # A split by whether a value is missing has no threshold that a number can be at.
    split = (nodes.column >= 0) & (np.abs(nodes.threshold) < 1e30)
    rng = np.random.default_rng(2)
    columns, thresholds = nodes.column[split], nodes.threshold[split].astype(np.float32)
    asked = rng.normal(size=(3 * len(columns), 6))
    for shift, direction in enumerate((-np.inf, 0, np.inf)):
        at = thresholds if direction == 0 else np.nextafter(thresholds, np.float32(direction))
        asked[shift::3][np.arange(len(columns)), columns] = at
    np.testing.assert_allclose(found.scores(asked), scores_of(model, asked), atol=1e-6, rtol=1e-6)


@pytest.fixture
def forest():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] > X[:, 1]
    return RandomForestClassifier(5, random_state=0).fit(X, y), X, y


class Holder:
    """Holds another package's model, as wrappers do."""

    def __init__(self, model, flipped=False):
        self.model_, self.classes_, self.flipped = model, np.array(["no", "yes"]), flipped

    def predict(self, X):
        """Classes by name; the wrong ones where flipped."""
        return self.classes_[self.model_.predict(X).astype(int) ^ self.flipped]


def test_the_model_within_a_wrapper_or_a_pipeline_that_changes_nothing(forest):
    model, X, _y = forest
    for outer in (Holder(model), make_pipeline("passthrough", FunctionTransformer(), model)):
        np.testing.assert_array_equal(
            read_model(outer, X, np.zeros(4)).scores(X), read_model(model, X, np.zeros(4)).scores(X)
        )
    assert list(read_model(Holder(model), X, np.zeros(4)).classes) == ["no", "yes"]


def test_a_wrapper_that_predicts_something_else_is_refused(forest):
    model, X, _ = forest
    with pytest.raises(NotApplicableError, match="Holder does not predict what the sum of its terms says"):
        read_model(Holder(model, flipped=True), X, np.zeros(4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X, y: make_pipeline(StandardScaler(), RandomForestClassifier(3)), "step 'standardscaler' of the"),
        (lambda X, y: KNeighborsClassifier(), "KNeighborsClassifier is neither made of trees .* query-delete"),
        (lambda X, y: SVC(kernel="rbf"), "SVC is neither"),
        (lambda X, y: HistGradientBoostingRegressor(max_iter=2, categorical_features=[0]), "splits on categories"),
        (
            lambda X, y: HistGradientBoostingRegressor(max_iter=9, loss="poisson"),
            "does not answer as the sum of its terms does",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(make, message):
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(60, 4)).round())
    y = (X[:, 0] > X[:, 1]).astype(int)
    model = make(X, y).fit(X, y)
    with pytest.raises(NotApplicableError, match=message):
        read_model(model, X, np.zeros(4))


def test_a_feature_without_weight_says_nothing_whatever_it_holds():
    model = SimpleNamespace(coef_=np.array([[2.0, 0.0, 1.0]]), intercept_=np.array([0.5]))
    np.testing.assert_array_equal(
        read_linear(model).scores(np.array([[1.0, np.nan, 3.0], [0.0, np.nan, 1.0]])), [[5], [1]]
    )


def test_trees_with_two_outputs_are_refused(forest):
    _, X, y = forest
    model = RandomForestClassifier(3).fit(X, np.column_stack([y, ~y]))
    with pytest.raises(NotApplicableError, match="2 outputs"):
        read_model(model, X, np.zeros(4))


def test_boosting_of_scikit_learn_takes_no_gaps():
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(NotApplicableError, match="does not answer about deleted features"):
        read_model(GradientBoostingRegressor(n_estimators=2).fit(X, X[:, 0]), X, np.full(3, np.nan))


def test_xgboost_takes_absent_entries_of_sparse_rows_for_missing():
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = csr_matrix(rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.6))
    model = xgboost.XGBClassifier(n_estimators=5, n_jobs=1).fit(X, (X[:, 0] > X[:, 1]).toarray().ravel().astype(int))
    found = read_model(model, X, np.zeros(5))
    dense = X.toarray()
    said = model.predict(X, output_margin=True)
    np.testing.assert_allclose(found.scores(np.where(dense == 0, np.nan, dense))[:, 0], said, atol=1e-6)


def test_xgboost_stopped_early_counts_the_trees_that_predict():
    xgboost = pytest.importorskip("xgboost")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    model = xgboost.XGBClassifier(n_estimators=60, early_stopping_rounds=2, n_jobs=1)
    model.fit(X[:60], y[:60], eval_set=[(X[60:], y[60:])], verbose=False)
    assert len(read_model(model, X, np.zeros(4)).terms.trees) == model.best_iteration + 1
