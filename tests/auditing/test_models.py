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
from benchkit.auditing.make_subject import make_subject

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
    report = benchkit.audit(model, X, y, **options)
    assert not report.outcome.skipped
    assert report.outcome.columns
    assert report.outcome.sets
    assert report.outcome.attacked
    return report


def test_a_pipeline_of_raw_columns_loses_raw_columns():
    X, y = customers()
    report = audited(pipeline(LogisticRegression()).fit(X, y), X, y)
    assert {each.source for each in report.outcome.columns} == {"age", "income", "state", "member"}
    assert {each.by for each in report.outcome.attacked} == {"exact for linear models"}
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


def test_categories_of_a_file_become_those_that_the_model_was_trained_on():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = customers()
    X = X[["age", "state"]]
    model = lightgbm.LGBMClassifier(n_estimators=10, verbose=-1).fit(X.astype({"state": "category"}), y)
    report = audited(model, X, y)
    assert report.outcome.before.value < 0.3
    assert any("takes texts as categories: column 'state'" in note for note in report.notes)


def test_labels_that_have_nothing_in_common_are_told():
    X, y = customers()
    model = pipeline(LogisticRegression()).fit(X, y)
    with pytest.raises(RequestError, match=r"the model answers \['leaves', 'stays'\], the target has \['a', 'b'\]"):
        benchkit.audit(model, X, np.where(y == "stays", "a", "b"))


def test_booleans_and_whole_numbers_are_the_same_labels_however_they_are_written():
    X, _ = customers()
    y = (X["age"] > 50).to_numpy()
    model = LogisticRegression().fit(X[["age"]], y)
    for labels in (y, y.astype(str), y.astype(object)):
        assert make_subject(model, X[["age"]], labels).subject.classes == ("False", "True")
    numbers = LogisticRegression().fit(X[["age"]], y.astype(int))
    for labels in (y.astype(float), y.astype(int), y.astype(int).astype(str)):
        assert benchkit.audit(numbers, X[["age"]], labels).outcome.before.value < 0.2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"task": "ranking"}, "task is 'ranking'"),
        ({"loss": "log"}, "loss is 'log'"),
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
    assert {each.level for each in report.findings if each.code in ("BK002", "BK005")} == {"skipped"}
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
