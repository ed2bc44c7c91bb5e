"""Models of many libraries and forms, labels as files have them."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

import benchkit
from benchkit import RequestError
from benchkit.fitted.match import _trained_categories
from benchkit_audit.subject import make_subject

N = 240


def customers():
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": random.integers(18, 90, N),
            "income": random.lognormal(10, 0.5, N),
            "state": random.choice(["NY", "CA", "TX"], N),
            "member": random.random(N) < 0.5,
        }
    )
    y = np.where((X["age"] > 50) ^ (X["state"] == "NY"), "leaves", "stays")
    return X, y


def pipeline(last):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = ColumnTransformer(
        [
            ("numbers", numbers, ["age", "income"]),
            ("texts", OneHotEncoder(handle_unknown="ignore"), ["state"]),
        ],
        remainder="drop",
    )
    return make_pipeline(columns, last)


def simple():
    X, y = customers()
    X = X[["age", "income"]].astype(float)
    return LogisticRegression().fit(X, y), X, y


def audited(model, X, y, **options):
    report = benchkit.audit(model, X, y, attacker=True, **options)
    assert not report.outcome.skipped
    assert report.outcome.columns
    assert report.outcome.sets
    assert report.outcome.attacked
    return report


def test_a_pipeline_of_raw_columns_loses_raw_columns():
    X, y = customers()
    report = audited(pipeline(LogisticRegression()).fit(X, y), X, y)
    assert {each.source for each in report.outcome.columns} == {"age", "income", "state", "member"}
    assert all(each.exact for each in report.outcome.attacked)
    assert next(each for each in report.outcome.columns if each.source == "member").cost.value == 0
    # SimpleImputer's mean: the pipeline's own answer to a gap.
    (age,) = [each for each in report.outcome.readings if each.column == "age"]
    assert age.value == pytest.approx(X["age"].mean())
    kinds = {(each.column, each.kind) for each in report.outcome.probes}
    assert {("state", "unseen"), ("state", "empty"), ("age", "x 1000")} <= kinds


def test_extra_columns_are_told_and_missing_ones_named_at_once():
    X, y = customers()
    model = pipeline(LogisticRegression()).fit(X[["age", "income", "state"]], y)
    assert "The model does not use column 'member': left out." in audited(model, X, y).notes
    with pytest.raises(RequestError, match="lacks columns 'age', 'income' that .* has column 'member' that"):
        benchkit.audit(model, X[["state", "member"]], y)
    X["income"] = X["income"].astype(object).where(X["income"] != X["income"].iloc[0], "n/a")
    with pytest.raises(RequestError, match="lacks column 'age' .*'income' holds numbers and texts such as 'n/a'"):
        benchkit.audit(model, X[["state", "income"]], y)


def test_numbers_with_a_text_among_them_are_named():
    X, y = customers()
    model = pipeline(LogisticRegression()).fit(X, y)
    X["age"] = X["age"].astype(object).where(X["age"] != X["age"].iloc[0], "unknown")
    with pytest.raises(
        RequestError, match=r"cannot answer the hold-out: .*'age' holds numbers and texts such as 'unknown'"
    ):
        benchkit.audit(model, X, y)


def test_an_array_a_model_without_probabilities_and_three_classes():
    random = np.random.default_rng(0)
    X = random.normal(size=(N, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    report = audited(SVC(kernel="rbf").fit(X, y), X, y)
    assert report.outcome.subject.classes == ("0", "1", "2")
    assert report.outcome.confidences == []
    assert report.outcome.columns[0].source == "x0"
    assert [each.level for each in report.findings if each.code == "BK010"] == ["not applicable"]


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
def test_boosted_trees_of_other_libraries(library):
    module = pytest.importorskip(library)
    X, y = customers()
    X = X[["age", "income"]].astype(float)
    codes = (y == "leaves").astype(int)
    make = {
        "lightgbm": lambda: module.LGBMClassifier(n_estimators=10, verbose=-1),
        "xgboost": lambda: module.XGBClassifier(n_estimators=10),
        "catboost": lambda: module.CatBoostClassifier(n_estimators=10, verbose=0, allow_writing_files=False),
    }[library]
    report = audited(make().fit(X, codes), X, codes)
    assert report.outcome.before.value < report.outcome.constant.value
    # The model numbers its classes where the file has names.
    named = audited(make().fit(X, codes), X, np.where(codes == 1, "yes", "no"))
    assert named.outcome.before == report.outcome.before
    assert any("0 = no, 1 = yes" in note for note in named.notes)
    arrays = audited(make().fit(X.to_numpy(), codes), X, codes)
    assert arrays.outcome.before.value == pytest.approx(report.outcome.before.value, abs=0.1)


def coded():
    X, _ = customers()
    X = X[["age", "state"]].assign(zone=np.random.default_rng(1).choice([1, 2, 7], N))
    return X, ((X["age"] > 50) ^ (X["state"] == "NY") ^ (X["zone"] == 7)).astype(int)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_columns_of_a_file_become_the_categories_that_the_model_was_trained_with(library):
    module = pytest.importorskip(library)
    X, y = coded()
    make = {
        "lightgbm": lambda: module.LGBMClassifier(n_estimators=20, verbose=-1),
        "xgboost": lambda: module.XGBClassifier(n_estimators=20, enable_categorical=True),
    }[library]
    as_trained = X.astype({"state": "category", "zone": "category"})
    model = make().fit(as_trained, y)
    if not _trained_categories(model):
        pytest.skip("this release does not say which categories it was trained with")
    some = X["state"] != "CA"  # whose own categories would have other numbers
    report = audited(model, X[some].reset_index(drop=True), y[some].to_numpy())
    right = model.predict(as_trained[some]) == y[some]
    assert report.outcome.before.value == pytest.approx(1 - right.mean())
    assert report.outcome.confidences
    assert report.judge("overconfidence > 0.9")[0].verdict == "does not hold"
    assert any("columns 'state', 'zone'" in note for note in report.notes)


def test_categories_of_a_model_that_does_not_say_which_it_was_trained_with():
    class AsksForCategories:
        classes_ = np.array([0, 1])

        def predict_proba(self, X):
            if X["state"].dtype != "category":
                raise ValueError("categories are needed")
            right = np.where((X["state"].astype(object) == "NY") ^ (X["age"] > 50), 0.8, 0.2)
            return np.column_stack([1 - right, right])

        def predict(self, X):
            return self.predict_proba(X).argmax(axis=1)

    X, _ = customers()
    X = X[["age", "state"]]
    report = audited(AsksForCategories(), X, ((X["state"] == "NY") ^ (X["age"] > 50)).astype(int))
    assert report.outcome.before.value == 0
    assert report.outcome.confidences
    assert any("which it was trained with it does not say" in note for note in report.notes)


@pytest.mark.parametrize("labels", [(1, 2), (-1, 1), ("1", "2")])
@pytest.mark.parametrize("kind", ["linear", "function"])
def test_labels_that_would_fit_by_a_shift_are_asked_about(labels, kind):
    X, _ = customers()
    X = X[["age"]].astype(float)
    y = (X["age"] > 50).astype(int)
    model = LogisticRegression().fit(X, y) if kind == "linear" else lambda frame: (frame["age"] > 50).astype(int)
    target = np.array(labels)[y]
    with pytest.raises(RequestError, match=rf"never answers '{labels[0]}'|never answers '{labels[1]}'") as caught:
        benchkit.audit(model, X, target)
    assert "classes=[...]" in str(caught.value)
    told = benchkit.audit(model, X, target, classes=labels)
    assert told.outcome.before == benchkit.audit(model, X, y).outcome.before


def test_a_shift_is_seen_though_a_class_is_absent():
    X, _ = customers()
    y = pd.cut(X["age"], [0, 40, 60, 75, 100], labels=False).to_numpy()
    model = LogisticRegression(max_iter=1000).fit(X[["age"]], y)
    with pytest.raises(RequestError, match="never answers '4'"):
        benchkit.audit(model, X.loc[y != 1, ["age"]], y[y != 1] + 1)


def test_a_class_that_was_never_trained_on_is_told_and_counts_as_wrong():
    X, y = customers()
    X = X[["age", "income"]].astype(float)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    target = np.where(np.arange(N) % 8 == 0, "moved", y)
    report = audited(model, X, target)
    assert report.outcome.before.value == pytest.approx(np.mean(model.predict(X) != target))
    assert report.outcome.confidences[0].said == pytest.approx(model.predict_proba(X).max(axis=1).mean())
    assert any("never answers 'moved', the label of 30 of 240 rows" in note for note in report.notes)
    assert report.outcome.attacked[0].exact


def test_labels_that_have_nothing_in_common_are_told():
    X, y = customers()
    model = pipeline(LogisticRegression()).fit(X, y)
    with pytest.raises(RequestError, match="the model answers 'leaves', 'stays', the target has 'a', 'b'"):
        benchkit.audit(model, X, np.where(y == "stays", "a", "b"))


def test_booleans_and_whole_numbers_are_the_same_labels_however_they_are_written():
    X, _ = customers()
    y = (X["age"] > 50).to_numpy()
    model = LogisticRegression().fit(X[["age"]], y)
    for labels in (y, y.astype(str), y.astype(object)):
        assert make_subject(model, X[["age"]], labels)[0].classes == ("False", "True")
    numbers = LogisticRegression().fit(X[["age"]], y.astype(int))
    for labels in (y.astype(float), y.astype(int), y.astype(int).astype(str)):
        assert benchkit.audit(numbers, X[["age"]], labels).outcome.before.value < 0.2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"task": "ranking"}, "task is 'ranking'"),
        ({"fill": "median"}, "fill is 'median'"),
        ({"seconds": 0}, "seconds is 0"),
        ({"ignore": ["BK999"]}, "no finding is called 'BK999'"),
        ({"model": object()}, "a object is no model"),
        ({"y": [1, 0]}, "expected one value for each of 240 rows"),
        ({"y": ["stays"] * N}, "every row of the hold-out has the label 'stays'"),
        ({"X": np.zeros((N, 2))}, "has 2 columns, the model was fitted on 4|the model was fitted on"),
        ({"sources": {"s": ["agee"]}}, "s: no column 'agee' .is 'age' meant"),
        ({"sources": {"s": ["age"], "t": ["age"]}}, "column 'age' is in s and in t"),
        ({"sources": {"s": "age"}}, "s is 'age', expected a list"),
    ],
)
def test_mistakes_are_one_line(changed, message):
    X, y = customers()
    given = {"model": pipeline(LogisticRegression()).fit(X, y), "X": X, "y": y, **changed}
    with pytest.raises(RequestError, match=message) as caught:
        benchkit.audit(given.pop("model"), given.pop("X"), given.pop("y"), **given)
    assert "\n" not in str(caught.value)


def test_an_unfitted_model_is_told():
    X, y = customers()
    with pytest.raises(RequestError, match="cannot answer the hold-out"):
        benchkit.audit(pipeline(LogisticRegression()), X, y)


def test_rows_without_a_target_are_left_out_and_told():
    model, X, y = simple()
    labels = pd.Series(y, dtype=object)
    labels[:10] = None
    report = benchkit.audit(model, X, labels)
    assert report.outcome.subject.n_rows == N - 10
    assert "10 rows without a target are left out." in report.notes
    assert " ".join(report.to_text().split()).count("a lost column becomes its mean") == 1


def test_time_that_is_up_skips_and_says_so():
    report = benchkit.audit(*simple(), seconds=1e-9)
    assert "columns" in report.outcome.skipped
    assert "Skipped for time" in report.paragraph
    assert {each.level for each in report.findings if each.code in ("BK002", "BK004")} == {"skipped"}
    assert report.to_json()
    assert report.to_html()
    assert str(report)


def test_the_same_seed_gives_the_same_report():
    model, X, y = simple()
    first, second = (benchkit.audit(model, X, y, seed=4).to_dict() for _ in range(2))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_importing_it_imports_neither_mlflow_nor_scikit_learn():
    code = (
        "import sys, benchkit; benchkit.audit; print([m for m in ('mlflow', 'sklearn', 'pandas') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_columns_named_as_libraries_make_up_names_are_given_by_name():
    X, y = customers()
    X = X[["age", "income"]].set_axis(["f0", "f1"], axis=1)
    columns = ColumnTransformer([("numbers", StandardScaler(), ["f0", "f1"])])
    report = benchkit.audit(make_pipeline(columns, LogisticRegression()).fit(X, y), X, y)
    assert {each.source for each in report.outcome.columns} == {"f0", "f1"}


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_boosters_that_predict_probabilities(library):
    module = pytest.importorskip(library)
    X, y = customers()
    X, codes = X[["age", "income"]].astype(float), (y == "stays").astype(int)
    if library == "lightgbm":
        estimator = module.LGBMClassifier(n_estimators=10, verbose=-1).fit(X, codes)
        booster = estimator.booster_
    else:
        estimator = module.XGBClassifier(n_estimators=10).fit(X, codes)
        booster = estimator.get_booster()
    subject, notes = make_subject(booster, X, np.where(codes == 1, "yes", "no"))
    assert any("One probability per row is taken as that of 'yes'" in note for note in notes)
    right, _ = make_subject(estimator, X, codes)
    rows = np.arange(N)
    told, expected = (each.answers(each.table(rows, {})).scores for each in (subject, right))
    assert told == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_a_network_whose_predict_returns_probabilities(columns):
    class Network:
        def predict(self, X):
            scores = np.random.default_rng(0).dirichlet(np.ones(max(columns, 2)), len(X))
            return scores if columns > 1 else scores[:, 1:]

    X, _ = customers()
    y = np.arange(N) % max(columns, 2)
    subject, _ = make_subject(Network(), X, y)
    answers = subject.answers(subject.table(np.arange(N), {}))
    assert answers.scores.shape == (N, max(columns, 2))
    told = Network().predict(X)
    assert np.array_equal(answers.predictions, told.argmax(axis=1) if columns > 1 else told[:, 0] > 0.5)


def test_types_with_a_missing_value_of_their_own():
    _, X, y = simple()
    nullable = X.assign(age=X["age"].round()).convert_dtypes()
    nullable.loc[3, "age"] = pd.NA  # in one of the rows that are left out
    target = pd.Series(y, dtype="string")
    target[:5] = pd.NA
    numbers = make_pipeline(SimpleImputer(), LogisticRegression()).fit(X, y)
    subject, notes = make_subject(numbers, nullable, target)
    assert subject.n_rows == N - 5
    assert "5 rows without a target are left out." in notes
    told = subject.answers(subject.table(np.arange(N - 5), {})).scores
    assert told == pytest.approx(numbers.predict_proba(X.assign(age=X["age"].round())[5:]))


def test_a_class_that_stands_beside_the_model(tmp_path, monkeypatch):
    import joblib

    from benchkit.fitted.read import read_model

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "own_steps.py").write_text("class Sign:\n    def predict(self, X):\n        return X\n")
    monkeypatch.syspath_prepend(tmp_path / "mine")
    import own_steps

    joblib.dump(own_steps.Sign(), tmp_path / "mine" / "model.joblib")
    monkeypatch.undo()
    del sys.modules["own_steps"]
    path = list(sys.path)
    assert type(read_model(str(tmp_path / "mine" / "model.joblib"), trusted=True).model).__name__ == "Sign"
    assert sys.path == path
