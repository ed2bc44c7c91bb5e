"""Any estimator is given labels that it takes, and rows of a class that training lacked are wrong, not an error."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.linear_model import LogisticRegression

import benchkit
from benchkit.trial.learner import EncodedLabels

STRICT = """
import numpy as np
from sklearn.linear_model import LogisticRegression

class Strict(LogisticRegression):
    def fit(self, X, y):
        if y.dtype.kind not in "iu" or not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError(f"Invalid classes inferred from unique values of y, got {np.unique(y)}")
        return super().fit(X, y)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "strict_labels.py").write_text(STRICT)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    many = [f"k{place:02}" for place in [*range(12), 20]]
    labels = [many[row] if row < 13 else many[row % 2] for row in range(60)]
    frame.assign(y=np.where(frame.a > 0, "yes", "no")).to_csv("two.csv", index=False)
    frame.assign(y=labels).to_csv("many.csv", index=False)


def run(dataset, algorithms, adversary):
    suite = {
        "name": "own",
        "datasets": [{"name": "csv", "path": f"{dataset}.csv", "target": "y"}],
        "split": {"repetitions": 1, "train": 0.5, "validation": 0.25, "stratify": False},
        "algorithms": algorithms,
        "adversaries": [{"name": adversary, "budgets": [0, 1]}],
        "metrics": ["error", "balanced_accuracy"],
    }
    return benchkit.run(suite, executor="inline", tracking=False).records


@pytest.mark.parametrize("dataset", ["two", "many"])
def test_an_estimator_of_codes_alone_gives_what_it_gives_of_codes(here, dataset):
    strict = {"estimator": "strict_labels:Strict", "label": "strict"}
    plain = {"estimator": "sklearn.linear_model:LogisticRegression", "label": "plain"}
    rows = run(dataset, [strict, plain], "query-delete")
    assert {(row["status"], row["error"]) for row in rows} == {("ok", None)}
    errors = {
        name: [row["metrics"]["error"] for row in rows if row["algorithm"] == name] for name in ("strict", "plain")
    }
    assert errors["strict"] == errors["plain"]


@pytest.mark.parametrize("adversary", ["query-delete", "greedy-delete", "enumerate-delete"])
def test_a_class_that_training_lacked_is_no_error(here, adversary):
    rows = run("many", [{"estimator": "sklearn.linear_model:LogisticRegression", "label": "plain"}], adversary)
    assert {(row["status"], row["error"]) for row in rows} == {("ok", None)}


def test_what_refuses_codes_too_says_why_it_refused_the_labels(here, tmp_path):
    refuses = STRICT.replace("return super().fit(X, y)", 'raise ValueError("no")')
    (tmp_path / "strictest_labels.py").write_text(refuses)
    (row, *_) = run("two", [{"estimator": "strictest_labels:Strict", "label": "strict"}], "random-delete")
    assert row["status"] == "failed"
    assert "Invalid classes" in row["error"]


def test_codes_and_back():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.array(["b", "a", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = EncodedLabels(LogisticRegression()).fit(X, y)
    plain = LogisticRegression().fit(X, y)
    for one in (model, pickle.loads(pickle.dumps(model))):
        assert is_classifier(one)
        assert one.classes_.tolist() == ["a", "b", "c"]
        assert (one.predict(X) == plain.predict(X)).all()
        np.testing.assert_allclose(one.predict_proba(X), plain.predict_proba(X))
        np.testing.assert_allclose(one.coef_, plain.coef_)
        assert not hasattr(one, "feature_importances_")
