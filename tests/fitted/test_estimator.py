"""A model of a file beside methods that are fitted, in suites whose test part is given."""

import importlib
import json
import shutil
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from skops import io

import benchkit
from benchkit.data.stored_model import named_modules
from benchkit.fitted.estimator import FittedEstimator, TableColumns
from benchkit.identity.fingerprints import Fingerprints
from benchkit.plugin.declarations import Data
from benchkit.plugin.manager import registry
from benchkit.suite.schema import AlgorithmEntry

N = 160


def customers(seed):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "state": random.choice(["NY", "CA", "TX"], N),
            "age": np.where(random.random(N) < 0.1, np.nan, random.integers(18, 90, N)),
            "member": random.random(N) < 0.5,
            "income": random.normal(50, 9, N),
        }
    )
    X.loc[::17, "state"] = None
    y = np.where((X["age"].fillna(50) > 50) ^ (random.random(N) < 0.2), "leaves", "stays")
    return X, y


def classifier(last):
    return make_pipeline(
        ColumnTransformer(
            [
                ("texts", OneHotEncoder(handle_unknown="ignore"), ["state", "member"]),
                ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["income", "age"]),
            ]
        ),
        last,
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two tables with gaps, texts and truth values, and a pipeline that was fitted to the first."""
    monkeypatch.chdir(tmp_path)
    (X, y), (X_test, y_test) = customers(0), customers(1)
    X.assign(kind=y).to_csv("train.csv", index=False)
    X_test.assign(kind=y_test).to_csv("holdout.csv", index=False)
    io.dump(classifier(LogisticRegression()).fit(X, y), "model.skops")
    return tmp_path


def run(algorithms, metrics=("error",), adversaries=(), **dataset):
    said = {"name": "csv", "path": "train.csv", "target": "kind", "label": "customers", **dataset}
    suite = {
        "name": "fitted",
        "datasets": [said],
        "split": {"test": "holdout.csv"},
        "algorithms": algorithms,
        "adversaries": list(adversaries),
        "metrics": list(metrics),
    }
    results = benchkit.run(suite, out="runs", executor="inline", tracking=False)
    assert results.ok, [row["error"] for row in results.records if row["status"] != "ok"]
    return results.records


@pytest.mark.parametrize("positive", ["leaves", "stays"])
def test_it_answers_as_the_model_does_on_the_table_itself(folder, positive):
    X, y = customers(1)
    model = io.load("model.skops", trusted=["numpy.dtype"])
    records = run(
        [{"fitted": "model.skops"}, "constant"],
        ["error", "roc_auc"],
        [{"name": "random-delete", "params": {"fill": "nan"}, "budgets": [0, 4]}],
        positive=positive,
    )
    found = {(row["algorithm"], row["axis_value"]): row["metrics"] for row in records}
    assert found["model", 0.0]["error"] == np.mean(model.predict(X) != y)
    scores = model.predict_proba(X)[:, list(model.classes_).index(positive)]
    assert found["model", 0.0]["roc_auc"] == pytest.approx(roc_auc_score(y == positive, scores), abs=1e-12)
    # All four columns lost are four gaps.
    nothing = pd.DataFrame({"state": [None], "age": [np.nan], "member": [None], "income": [np.nan]})
    assert found["model", 4.0]["error"] == np.mean(model.predict(nothing)[0] != y)


def test_another_model_is_another_trial_and_another_question_and_its_folder_is_none(folder):
    """Else a published row of somebody's model.skops would answer for another's."""

    def identity(path):
        (row,) = run([{"fitted": path}])
        (manifest,) = Path("runs/fitted").glob("*/manifest.json")
        (method,) = json.loads(manifest.read_text())["content"]["methods"].values()
        shutil.rmtree("runs")
        return row["trial"], method["question"]

    first = identity("model.skops")
    (folder / "elsewhere").mkdir()
    shutil.copy("model.skops", "elsewhere")
    assert identity("elsewhere/model.skops") == first
    io.dump(classifier(SVC()).fit(*customers(0)), "model.skops")
    assert all(one != other for one, other in zip(identity("model.skops"), first, strict=True))


class NumbersItsCategories:
    """As a model that takes the numbers of categories, and not their names."""

    classes_ = np.array(["leaves", "stays"])

    def predict(self, X):
        return np.where(X["state"].cat.codes == 1, "stays", "leaves")  # NY of CA, NY, TX


def test_categories_keep_their_numbers_in_rows_that_lack_some(tmp_path):
    joblib.dump(NumbersItsCategories(), tmp_path / "m.joblib")
    X, y = np.eye(3)[np.repeat([0, 1, 2], 20)], np.repeat([0, 1, 0], 20)
    names = [f"state={name}" for name in ("CA", "NY", "TX")]
    groups = {"groups": [[0, 1, 2]], "group_names": ["state"], "class_names": ["leaves", "stays"]}
    made = FittedEstimator(str(tmp_path / "m.joblib"), table(X, y=y, feature_names=names, **groups), trust=True)
    assert made.fit(X, y).predict(X[20:]).tolist() == y[20:].tolist()


OWN = """
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

class Filled(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.nan_to_num(np.asarray(X[["income", "age"]], dtype=float), nan=0)
"""


@pytest.mark.parametrize("how", ["skops", "joblib", 0, 4, "zlib", "gzip", "lzma"])
def test_the_code_and_the_packages_of_a_model_decide_its_trials(how, tmp_path, monkeypatch):
    """A pipeline with a step of one's own, which is edited after the model was stored."""
    monkeypatch.syspath_prepend(tmp_path)
    module, path = f"own_step_{how}", tmp_path / ("model.skops" if how == "skops" else "model.joblib")
    (tmp_path / f"{module}.py").write_text(OWN)
    model = make_pipeline(importlib.import_module(module).Filled(), LogisticRegression()).fit(*customers(0))
    if how == "skops":
        io.dump(model, path)
    else:
        packed = {"joblib": {}, **{name: {"compress": (name, 3)} for name in ("zlib", "gzip", "bz2", "xz", "lzma")}}
        joblib.dump(model, path, **packed.get(how, {"protocol": how}))

    def ingredients():
        fingerprints = Fingerprints(registry())
        return fingerprints.code("algorithm", f"fitted:{path}"), fingerprints.ingredients[f"algorithm:fitted:{path}"]

    first, said = ingredients()
    assert {module, "scikit-learn"} <= said.keys()
    assert ingredients()[0] == first
    (tmp_path / f"{module}.py").write_text(OWN.replace("nan=0", "nan=9"))
    assert ingredients()[0] != first


def test_a_file_that_is_damaged_names_no_modules(tmp_path):
    for name, content in (("m.skops", b"PK"), ("m.joblib", b"x\x9cnothing"), ("m.pkl", b"\x1f\x8bno"), ("n.pkl", b"")):
        (tmp_path / name).write_bytes(content)
        assert named_modules(tmp_path / name) == []
    assert named_modules(tmp_path / "absent.pkl") == []


def table(X, **more):
    return TableColumns.of(Data(X=X, y=more.pop("y"), **more), more.pop("task", "classification"))


def test_categories_and_numbers_come_back_from_one_hot_columns():
    X = np.array([[1, 0, 0, 3.5], [0, 1, 0, np.nan], [0, 0, 0, 1], [np.nan, np.nan, np.nan, 2], [0.2, 0.1, 0.7, 0]])
    y, names = np.array([-1, 1, 1, -1, 1]), ["b=x", "b=y=z", "b=True", "age"]
    made = table(X, y=y, feature_names=names, groups=[[0, 1, 2]], group_names=["b"]).table(X)
    assert made["b"].tolist() == ["x", "y=z", None, None, True]
    assert np.array_equal(made["age"], X[:, 3], equal_nan=True)
    assert table(X, y=y, class_names=["no", "yes"]).labels(np.array([1, -1])).tolist() == ["yes", "no"]


@pytest.mark.parametrize("scored", [True, False])
def test_scores_stand_in_the_order_of_the_data_and_a_class_that_the_model_lacks_has_none(scored, tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 3))
    y = np.array(["c", "a", "b"], dtype=object)[X.argmax(axis=1)]
    model = (LogisticRegression() if scored else SVC()).fit(X[y != "a"], y[y != "a"])
    joblib.dump(model, tmp_path / "m.joblib")
    made = FittedEstimator(str(tmp_path / "m.joblib"), table(X, y=y, class_names=["a", "b", "c"]), trust=True).fit(X, y)
    assert made.predict(X).tolist() == model.predict(X).tolist()
    assert made.classes_.tolist() == ["a", "b", "c"]
    # A model that lacks a class is asked for predictions alone.
    assert not hasattr(made, "predict_proba")
    known = LogisticRegression().fit(X, y) if scored else SVC().fit(X, y)
    joblib.dump(known, tmp_path / "m.joblib")
    made.fit(X, y)
    if scored:
        assert np.array_equal(made.predict_proba(X), known.predict_proba(X))
    else:
        assert np.array_equal(made.decision_function(X), known.decision_function(X))
        assert not hasattr(made, "predict_proba")


def test_a_decision_of_two_classes_points_to_the_second_of_the_data(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    named = np.where(X[:, 0] > 0, "yes", "no")
    model = SVC().fit(X, named)
    joblib.dump(model, tmp_path / "m.joblib")
    y = np.where(named == "no", 1, -1)  # positive: no
    made = FittedEstimator(str(tmp_path / "m.joblib"), table(X, y=y, class_names=["yes", "no"]), trust=True).fit(X, y)
    assert np.array_equal(made.predict(X), np.where(model.predict(X) == "no", 1, -1))
    assert np.array_equal(made.decision_function(X), -model.decision_function(X))


@pytest.mark.filterwarnings("ignore:.*(alone (predicts|explains)|split at random)")  # the table is made so
def test_a_regression(folder):
    X, _ = customers(0)
    numbers = X[["age", "income"]].fillna(0)
    joblib.dump(RandomForestRegressor(5, random_state=0).fit(numbers, X["income"] * 2), "f.joblib")
    for name in ("train.csv", "holdout.csv"):
        frame = pd.read_csv(name)
        numbers = frame[["age", "income"]].fillna(0)
        numbers.assign(other=1.0, kind=frame["income"] * 2).to_csv(name, index=False)
    holdout = pd.read_csv("holdout.csv")
    expected = np.abs(joblib.load("f.joblib").predict(holdout[["age", "income"]]) - holdout["kind"]).mean()
    (row,) = run([{"fitted": "f.joblib", "trust": True}], ["neg_mean_absolute_error"], name="csv-regression")
    assert row["metrics"]["neg_mean_absolute_error"] == pytest.approx(-expected)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"fitted": "model.skops", "tune": {}}, "'fitted' is a model as it is, beside which 'tune' says nothing"),
        ({"fitted": "model.txt"}, "'fitted' is 'model.txt', expected a file of a model"),
        ({"fitted": "model.pkl", "trust": "no"}, "'trust' is 'no', expected true or false"),
        ({"name": "constant", "trust": True}, "'trust' goes with 'fitted'"),
    ],
)
def test_entries_that_say_more_or_less_are_mistakes(entry, message):
    with pytest.raises(ValueError, match=message):
        AlgorithmEntry.model_validate(entry)


def test_what_a_model_would_be_misled_by_is_told_before_anything_runs(folder):
    joblib.dump(1, "it.joblib")
    suite = {
        "name": "wrong",
        "datasets": [{"name": "csv", "path": "train.csv", "target": "kind", "label": "customers"}],
        "preprocess": [{"impute-where-needed": "mean"}, "standardize"],
        "algorithms": [{"fitted": "model.skops"}, {"fitted": "it.joblib"}, {"fitted": "none.skops"}],
    }
    with pytest.raises(benchkit.BenchkitError) as told:
        benchkit.plan(suite)
    said = str(told.value)
    for part in (
        "model was fitted elsewhere, perhaps on rows that 'customers' would draw",
        "'standardize' in 'preprocess' of 'customers' changes them",
        "it.joblib: unpickling can execute any code: write 'trust: true'",
        "there is no file none.skops in",
    ):
        assert part in said
    assert "impute-where-needed" not in said


def test_what_does_not_fit_the_data_fails_with_one_line(folder):
    X, _ = customers(0)
    joblib.dump(LogisticRegression().fit(X[["income"]], X["member"]), "m.joblib")
    data = table(X[["income"]].to_numpy(), y=np.array([0, 1] * (N // 2)), class_names=["a", "b"])
    with pytest.raises(ValueError, match=r"m\.joblib: .*no label is in both"):
        FittedEstimator("m.joblib", data, trust=True).fit(X[["income"]].to_numpy(), np.array([0, 1] * (N // 2)))
    declared = registry().algorithms["fitted:model.skops"]
    assert declared.accepts_missing
    assert set(declared.tasks) == {"classification", "regression"}
