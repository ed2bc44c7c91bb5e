"""Models of many libraries and forms, labels as files have them."""

import sys
from itertools import count

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

import benchkit
from benchkit import RequestError
from benchkit_audit.gaps import choose_fills
from benchkit_audit.match import _trained_categories
from benchkit_audit.model import read_model
from benchkit_audit.subject import make_subject

N = 240


def customers():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"age": random.integers(18, 90, N), "income": random.lognormal(10, 0.5, N)})
    X["state"], X["member"] = random.choice(["NY", "CA", "TX"], N), random.random(N) < 0.5
    return X, np.where((X["age"] > 50) ^ (X["state"] == "NY"), "leaves", "stays")


def numbers():
    X, y = customers()
    return X[["age", "income"]].astype(float), y


def answers(subject):
    return subject.answers(subject.table(np.arange(subject.n_rows), {}))


def share_right(subject):
    return np.mean(answers(subject).predictions == subject.truth)


@pytest.mark.parametrize("columns", [["state", "zone"], [1, 2], slice(1, 3), [False, True, True]])
@pytest.mark.parametrize("encoder", [OneHotEncoder(), make_pipeline(OrdinalEncoder())])
def test_numbers_behind_an_encoder_are_categories_whose_gap_is_the_most_frequent(encoder, columns):
    X, y = customers()
    X = X[["age", "state"]].assign(zone=np.random.default_rng(1).choice([1, 2, 7], N, p=[0.2, 0.3, 0.5]))
    model = make_pipeline(ColumnTransformer([("kept", "passthrough", [0]), ("coded", encoder, columns)]), SVC())
    subject, _ = make_subject(model.fit(X, y), X, y)
    for fill in ("auto", "mean"):
        assert choose_fills(subject, np.arange(50), fill).values[2] == 7
    for given in (X, X.astype(object)):
        assert [each.kind for each in make_subject(model, given, y)[0].columns] == ["number", "category", "category"]


def test_columns_that_are_missing_extra_or_of_texts_are_named():
    X, y = customers()
    columns = make_column_transformer((StandardScaler(), ["age", "income"]), (OneHotEncoder(), ["state"]))
    model = make_pipeline(columns, LogisticRegression()).fit(X[["age", "income", "state"]], y)
    assert "The model does not use column 'member': left out." in make_subject(model, X, y)[1]
    with pytest.raises(RequestError, match="lacks columns 'age', 'income' that .* has column 'member' that"):
        benchkit.audit(model, X[["state", "member"]], y)
    strange = X.assign(income=X["income"].astype(object).where(X["income"] != X["income"].iloc[0], "n/a"))
    with pytest.raises(RequestError, match="lacks column 'age' .*'income' holds numbers and texts such as 'n/a'"):
        benchkit.audit(model, strange[["state", "income"]], y)
    with pytest.raises(RequestError, match=r"cannot answer the hold-out: .*numbers and texts such as 'n/a'"):
        benchkit.audit(model, strange, y)
    # Its first step does not say what it was fitted on.
    behind = make_pipeline("passthrough", StandardScaler(), LogisticRegression()).fit(X[["age"]], y)
    with pytest.raises(RequestError, match="unseen at fit time: - income - member"):
        benchkit.audit(behind, X[["age", "income", "member"]], y)


def boosted(library, **options):
    module = pytest.importorskip(library)
    if library == "lightgbm":
        return module.LGBMClassifier(n_estimators=10, verbose=-1, n_jobs=1)
    if library == "xgboost":
        return module.XGBClassifier(n_estimators=10, n_jobs=1, enable_categorical=True)
    return module.CatBoostClassifier(n_estimators=10, verbose=0, allow_writing_files=False)


def booster_of(model):
    return model.booster_ if hasattr(model, "booster_") else model.get_booster()


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost"])
def test_boosted_trees_of_other_libraries(library):
    X, y = numbers()
    coded = (y == "stays").astype(int)
    model = boosted(library).fit(X, coded)
    right = share_right(make_subject(model, X, coded)[0])
    assert right == np.mean(model.predict(X) == coded)
    # The model numbers its classes where the file has names.
    named, notes = make_subject(model, X, y)
    assert share_right(named) == right
    assert any("0 = leaves, 1 = stays" in note for note in notes)
    with pytest.raises(RequestError, match=r"as 'stays', 'leaves' in .*classes=\[...\]"):
        make_subject(model, X, np.where(coded == 1, "leaves", "stays"))
    assert share_right(make_subject(model, X, np.where(coded, 0, 1), classes=[1, 0])[0]) == right
    assert share_right(make_subject(boosted(library).fit(X.to_numpy(), coded), X, coded)[0]) == right
    if library != "catboost":  # its boosters answer probabilities, by the names of columns
        booster, notes = make_subject(booster_of(model), X[["income", "age"]].assign(more=0), y)
        assert answers(booster).scores == pytest.approx(model.predict_proba(X), abs=1e-6)
        assert any("One probability per row is taken as that of 'stays'" in note for note in notes)
        assert "The model does not use column 'more': left out." in notes


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_columns_of_a_file_become_the_categories_that_the_model_was_trained_with(library):
    X, _ = customers()
    X = X[["age", "state"]].assign(zone=np.random.default_rng(1).choice([1, 2, 7], N))
    y = ((X["age"] > 50) ^ (X["state"] == "NY") ^ (X["zone"] == 7)).astype(int)
    as_trained = X.astype({"state": "category", "zone": "category"})
    model = boosted(library).fit(as_trained, y)
    if not _trained_categories(model):
        pytest.skip("this release does not say which categories it was trained with")
    some = X["state"] != "CA"  # whose own categories would have other numbers
    for asked in (model, booster_of(model)):
        subject, notes = make_subject(asked, X[some], y[some].to_numpy())
        assert answers(subject).scores == pytest.approx(model.predict_proba(as_trained[some]), abs=1e-6)
        assert any("columns 'state', 'zone'" in note for note in notes)


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

    X, y = customers()
    subject, notes = make_subject(AsksForCategories(), X[["age", "state"]], (y == "leaves").astype(int))
    assert share_right(subject) == 1
    assert subject.how == "predict_proba"
    assert any("which it was trained with it does not say" in note for note in notes)


@pytest.mark.parametrize("labels", [(1, 2), (-1, 1), ("1", "2")])
@pytest.mark.parametrize("kind", ["linear", "function"])
def test_labels_that_would_fit_by_a_shift_are_asked_about(labels, kind):
    X = numbers()[0][["age"]]
    y = (X["age"] > 50).astype(int)
    model = LogisticRegression().fit(X, y) if kind == "linear" else lambda frame: (frame["age"] > 50).astype(int)
    target = np.array(labels)[y]
    with pytest.raises(RequestError, match=rf"never answers '{labels[0]}'|never answers '{labels[1]}'") as caught:
        make_subject(model, X, target)
    assert "classes=[...]" in str(caught.value)
    renamed = make_subject(model, X, target, classes=labels)[0]
    assert share_right(renamed) == share_right(make_subject(model, X, y)[0])
    if kind == "linear":
        with pytest.raises(RequestError, match="classes has 1 labels, the model has 2"):
            make_subject(model, X, target, classes=labels[:1])


def test_a_shift_is_seen_though_a_class_is_absent():
    X = customers()[0][["age"]]
    y = pd.cut(X["age"], [0, 40, 60, 75, 100], labels=False).to_numpy()
    model = LogisticRegression(max_iter=1000).fit(X, y)
    with pytest.raises(RequestError, match="never answers '4'"):
        make_subject(model, X[y != 1], y[y != 1] + 1)


def test_a_class_that_was_never_trained_on_is_told_and_labels_are_the_same_however_they_are_written():
    X, y = numbers()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    target = np.where(np.arange(N) % 8 == 0, "moved", y)
    report = benchkit.audit(model, X, target, attacker=True)
    assert report.outcome.before.value == pytest.approx(np.mean(model.predict(X) != target))
    assert any("never answers 'moved', the label of 30 of 240 rows" in note for note in report.notes)
    assert report.outcome.rows_attacked[0].exact
    with pytest.raises(RequestError, match="the model answers 'leaves', 'stays', the target has 'a', 'b'"):
        make_subject(LogisticRegression().fit(X, y), X, np.where(y == "stays", "a", "b"))
    old = (X["age"] > 50).to_numpy()
    model = LogisticRegression().fit(X[["age"]], old)
    for labels in (old, old.astype(str), old.astype(object)):
        assert make_subject(model, X[["age"]], labels)[0].classes == ("False", "True")
    coded = LogisticRegression().fit(X[["age"]], old.astype(int))
    for labels in (old.astype(float), old.astype(int), old.astype(int).astype(str)):
        assert share_right(make_subject(coded, X[["age"]], labels)[0]) > 0.8


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fill": "median"}, "fill is 'median'"),
        ({"seconds": 0}, "seconds is 0"),
        ({"model": object()}, "object is not a model"),
        ({"model": LogisticRegression()}, "cannot answer the hold-out"),
        ({"X": numbers()[0].replace({"age": {50: np.nan}})}, "contains NaN.*; gaps are in column 'age': impute these"),
        ({"y": [1, 0]}, "expected one value for each of 240 rows"),
        ({"y": ["stays"] * N}, "every row of the hold-out has the label 'stays'"),
        ({"X": np.zeros((N, 3))}, "has 3 columns, the model was fitted on 2 without names"),
        ({"sources": {"s": ["agee"]}}, "s: no column 'agee'; did you mean 'age'"),
        ({"sources": {"s": ["age"], "t": ["age"]}}, "column 'age' is in s and in t"),
        ({"sources": {"s": "age"}}, "s is 'age', expected a list"),
        ({"metric": "recall"}, "recall is of one label: give positive"),
        ({"metric": "recall", "positive": "c"}, "no label is 'c'"),
        ({"metric": "average_precisio"}, "did you mean 'average_precision'"),
        ({"metric": lambda truth, told: 1.0}, "make_scorer"),
        ({"metric": make_scorer(f1_score, pos_label="c")}, "pos_label=c is not a valid label"),
        ({"metric": f1_score}, "give positive"),
        ({"cost": "missed: 1", "metric": "f1", "positive": "stays"}, "cost is a metric"),
        ({"cost": "missed stayss: 1, false alarm: 1"}, "no label is 'stayss'; did you mean 'stays'"),
        ({"cost": "missed stays: 1; false alarm: 1"}, "expected such as"),
        ({"cost": "missed stays: 1, missed stays: 2"}, "expected such as"),
        ({"cost": "missed stays: 1, false alarm: 1", "positive": "leaves"}, "may be missed: give positive"),
        ({"threshold": 2.0, "positive": "stays"}, "threshold is 2.0"),
        ({"weights": [1.0, 2.0]}, "weights: 2 values for 240 rows"),
        ({"train": 3}, "train: expected a pair of columns and target"),
        ({"train": (numbers()[0][["age"]], numbers()[1])}, "train: the table lacks column 'income'"),
        ({"outages": {"agee": 0.1}}, "no column 'agee'; did you mean 'age'"),
        ({"outages": {"age": 2}}, "age is 2, expected a share of the time"),
        ({"outages": {"age": True}}, "age is True"),
        ({"outages": {}}, "expected how often each source is out"),
    ],
)
def test_mistakes_are_one_line(changed, message):
    X, y = numbers()
    given = {"model": LogisticRegression().fit(X, y), "X": X, "y": y, **changed}
    with pytest.raises(RequestError, match=message) as caught:
        benchkit.audit(given.pop("model"), given.pop("X"), given.pop("y"), **given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("share", "task"), [(1.0, "classification"), (0.7, "regression")])
def test_a_function_of_a_target_of_few_numbers_predicts_what_its_answers_are(share, task):
    X = pd.DataFrame({"rooms": np.arange(N) % 7})
    subject, _ = make_subject(lambda frame: share * frame["rooms"].astype(float), X, X["rooms"])
    assert subject.task == task


def test_rows_without_a_target_are_left_out_the_seed_decides_all_and_time_that_is_up_skips(audit_parts, monkeypatch):
    X, y = numbers()
    model, labels = LogisticRegression().fit(X, y), pd.Series(y, dtype=object)
    labels[:10] = None
    report, again = (benchkit.audit(model, X, labels, seed=4) for _ in range(2))
    assert report.outcome.subject.n_rows == N - 10
    assert "10 rows without a target are left out." in report.notes
    assert {**report.to_dict(), "seconds": 0} == {**again.to_dict(), "seconds": 0}
    report = benchkit.audit(model, X, y, seconds=1e-9)
    assert "columns" in report.outcome.skipped
    assert {each.level for each in report.findings if each.code in ("BK002", "BK004")} == {"skipped"}
    assert all((report.to_json(), report.to_html(), str(report)))
    monkeypatch.setattr("time.monotonic", count().__next__)  # it is up within the faults of the first column
    report = audit_parts("faults", lambda frame: frame["age"] > 50, X, X["age"] > 50, seconds=2.5)
    assert {each.level for each in report.findings if each.code in ("BK006", "BK007")} == {"skipped"}
    assert report.judge("gap-change > 0.05")[0].verdict == "not measured"


def test_columns_named_as_libraries_make_up_names_are_given_by_name():
    X, y = numbers()
    X = X.set_axis(["f0", "f1"], axis=1)
    model = make_pipeline(make_column_transformer((StandardScaler(), ["f0", "f1"])), LogisticRegression())
    assert [each.name for each in make_subject(model.fit(X, y), X, y)[0].columns] == ["f0", "f1"]


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_a_network_whose_predict_returns_probabilities(columns):
    class Network:
        def predict(self, X):
            scores = np.random.default_rng(0).dirichlet(np.ones(max(columns, 2)), len(X))
            return scores if columns > 1 else scores[:, 1:]

    X, _ = customers()
    subject, _ = make_subject(Network(), X, np.arange(N) % max(columns, 2))
    scores, raw = answers(subject).scores, Network().predict(X)
    assert scores.shape == (N, max(columns, 2))
    assert np.array_equal(answers(subject).predictions, raw.argmax(axis=1) if columns > 1 else raw[:, 0] > 0.5)


@pytest.mark.parametrize("kind", ["nullable", "polars"])
def test_types_with_a_missing_value_of_their_own(kind):
    X, y = numbers()
    X["age"] = X["age"].round()
    model = make_pipeline(SimpleImputer(), LogisticRegression()).fit(X, y)
    nullable, target = X.convert_dtypes(), pd.Series(y, dtype="string")
    nullable.loc[3, "age"] = nullable.loc[9, "income"] = pd.NA  # in a row that is left out, and in another
    target[:5] = pd.NA
    expected = model.predict_proba(X.assign(income=X["income"].where(X.index != 9))[5:])
    if kind == "polars":
        polars = pytest.importorskip("polars")
        nullable, target = polars.from_pandas(nullable), polars.Series(target.astype(object).tolist())
    subject, notes = make_subject(model, nullable, target)
    assert "5 rows without a target are left out." in notes
    assert answers(subject).scores == pytest.approx(expected)


def test_a_class_that_stands_beside_the_model(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "own_steps.py").write_text("class Sign:\n    def predict(self, X):\n        return X\n")
    monkeypatch.syspath_prepend(tmp_path / "mine")
    import own_steps

    joblib.dump(own_steps.Sign(), tmp_path / "mine" / "model.joblib")
    monkeypatch.undo()
    del sys.modules["own_steps"]
    path = list(sys.path)
    assert type(read_model(str(tmp_path / "mine" / "model.joblib"), trusted=True)[0]).__name__ == "Sign"
    assert sys.path == path
