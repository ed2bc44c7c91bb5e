"""``benchkit audit`` from files."""

import json
import pickle
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from skops import io

from benchkit_audit import measure

N = 200


@pytest.fixture
def files(tmp_path):
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(N, 2)), columns=["age", "income"])
    y = np.where(X["age"] + 0.2 * random.normal(size=N) > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    io.dump(model, tmp_path / "model.skops")
    joblib.dump(model, tmp_path / "model.joblib")
    X.assign(churned=y).to_csv(tmp_path / "holdout.csv", index=False)
    X.assign(churned=y).to_parquet(tmp_path / "holdout.parquet")
    X.assign(churned=y).to_csv(tmp_path / "semicolons.csv", index=False, sep=";")
    X.assign(churned=y).to_csv(tmp_path / "decimal_commas.csv", index=False, sep=";", decimal=",")
    X.assign(age="x", churned=y).to_csv(tmp_path / "texts.csv", index=False)
    X[["age"]].assign(churned=y).to_csv(tmp_path / "short.csv", index=False)
    (tmp_path / "sources.yaml").write_text("both: [age, income]\n")
    (tmp_path / "outages.yaml").write_text("both: 0.02\n")
    (tmp_path / "rules.py").write_text(
        "def positive(rows):\n    return (rows['age'] > 0).map({True: 'yes', False: 'no'})\n"
    )
    (tmp_path / "broken.joblib").write_bytes(pickle.dumps(model)[:40])
    return tmp_path


@pytest.fixture
def quick(here, monkeypatch):
    """Files and options are what most of these tests ask about, and no pairs, faults or slices."""
    parts = ("columns", "outages", "sets", "rows_attacked")
    monkeypatch.setattr("benchkit_audit.audit.measure", partial(measure.measure, only=parts))
    return here


AUDIT = ("audit", "model.skops", "holdout.csv", "--target", "churned")


@pytest.mark.parametrize("holdout", ["holdout.parquet", "semicolons.csv", "decimal_commas.csv"])
def test_every_file_gives_the_same_and_json_says_it_all(quick, files, holdout):
    first, second = (
        json.loads(quick("audit", "model.skops", file, "--target", "churned", "--json").stdout)
        for file in ("holdout.csv", holdout)
    )
    assert first["summary"]["columns"] == second["summary"]["columns"]
    assert {each["code"] for each in first["rows"]} >= {"BK001", "BK002", "BK012"}
    assert first["summary"]["measures"]["column-loss"]["low"] > 0.2


def test_it_writes_what_the_suffix_says(quick, files):
    for name, begins in (
        ("a.html", "<!doctype html>"),
        ("a.md", "# Audit of"),
        ("a.json", "{"),
        ("a.txt", "Audit of"),
        ("a.tex", "%"),
    ):
        shown = quick(*AUDIT, "-o", name)
        assert shown.returncode == 0, shown.stderr
        assert f"written to {name}" in shown.stdout
        assert (files / name).read_text().startswith(begins)
    assert "written to b.html, b.md" in quick(*AUDIT, "-o", "b.html", "-o", "b.md").stdout
    assert all((files / name).exists() for name in ("b.html", "b.md"))
    page = (files / "a.html").read_text()
    assert "default-src 'none'" in page
    assert '<i class="bar bad"' in page
    assert "red: surely more than 5.0 points" in page
    assert "&lt;div" not in page


def test_a_condition_that_holds_ends_with_one(quick, files):
    shown = quick(*AUDIT, "--fail-if", "column-loss > 5 %", "--fail-if", "worst-1 > 0.9")
    assert shown.returncode == 1
    assert "fail if column-loss > 5 %: fails, column-loss is" in shown.stderr
    assert "fail if worst-1 > 0.9: passes" in shown.stderr
    assert quick(*AUDIT, "--fail-if", "column-loss > 0.9").returncode == 0
    loss = json.loads(quick(*AUDIT, "--json").stdout)["summary"]["before"]["value"]
    open_question = ("--fail-if", f"loss > {loss}")
    assert quick(*AUDIT, *open_question).returncode == 0
    assert quick(*AUDIT, *open_question, "--undecided", "fail").returncode == 1


def test_the_metric_with_weights_and_groups_of_the_file(quick, files):
    table = pd.read_csv(files / "holdout.csv").assign(w=1, shop=np.arange(N) // 2)
    table.to_csv(files / "shops.csv", index=False)
    options = ("--metric", "f1", "--positive", "yes", "--weights", "w", "--groups", "shop", "--attacker")
    shown = quick("audit", "model.skops", "shops.csv", "--target", "churned", *options, "--json")
    assert shown.returncode == 0, shown.stderr
    summary = json.loads(shown.stdout)["summary"]
    assert (summary["metric"]["name"], summary["positive"]) == ("f1", "yes")
    assert summary["rows_attacked"]
    assert {each["lost"][0] for each in summary["guard"]} <= {"age", "income"}
    missing = quick("audit", "model.skops", "shops.csv", "--target", "churned", "--groups", "shopp")
    assert "did you mean 'shop'" in missing.stderr


def test_a_condition_of_which_nothing_is_measured_ends_with_one(quick, files):
    code = ("audit", "rules:positive", "holdout.csv", "--target", "churned")
    shown = quick(*code, "--fail-if", "row-worst-1 > 0.05", "--fail-if", "loss > 0.5", "--json")
    assert shown.returncode == 1
    assert "row-worst-1 > 0.05: not measured" in shown.stderr
    judged = json.loads(shown.stdout)["summary"]["fail_if"]
    assert [each["verdict"] for each in judged] == ["not measured", "does not hold"]
    assert judged[0]["measured"] is None
    assert judged[1]["measured"]["value"] < 0.5


def test_sources_and_outages(quick, files):
    shown = quick(*AUDIT, "--sources", "sources.yaml", "--outages", "outages.yaml", "--json")
    report = json.loads(shown.stdout)["summary"]
    assert report["outages"][0]["rates"] == {"both": 0.02}
    assert [each["source"] for each in report["columns"]] == ["both"]


def test_a_pickle_is_read_for_those_who_trust_it_and_code_by_its_name(quick, files):
    trusted = quick("audit", "model.joblib", "holdout.csv", "--target", "churned", "--trust", "--details")
    assert trusted.returncode == 0, trusted.output
    code = quick("audit", "rules:positive", "holdout.csv", "--target", "churned")
    assert code.returncode == 0, code.output
    assert ["--details prints" in shown.stdout for shown in (trusted, code)] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("model.joblib", "holdout.csv", "--target", "churned"), "unpickling can execute any code"),
        (("broken.joblib", "holdout.csv", "--target", "churned", "--trust"), "broken.joblib: cannot be read"),
        (("none.skops", "holdout.csv", "--target", "churned"), "there is no model none.skops"),
        (("holdout.csv", "holdout.csv", "--target", "churned"), "expected a model as .skops, .joblib or .pkl"),
        (
            ("rules:negative", "holdout.csv", "--target", "churned"),
            "rules:negative: module 'rules' has no attribute 'negative'",
        ),
        (("no_such:thing", "holdout.csv", "--target", "churned"), "there is no module 'no_such'"),
        (("model.skops", "none.csv", "--target", "churned"), "none.csv: no such file"),
        (("model.skops", "holdout.csv", "--target", "income"), "'income' is a column that the model was fitted on"),
        (("model.skops", "holdout.csv", "--target", "churn"), "no column 'churn'; did you mean 'churned'?"),
        (("model.skops", "model.skops", "--target", "churned"), "model.skops: no csv"),
        ((*AUDIT[1:], "--undecided", "perhaps"), "--undecided perhaps: expected pass or fail"),
        ((*AUDIT[1:], "--fail-if", "nothing > 1"), "an audit has no 'nothing'"),
        ((*AUDIT[1:], "--sources", "model.skops"), "not valid YAML"),
        ((*AUDIT[1:], "--outages", "outages.yaml"), "outages: no column 'both'"),
        ((*AUDIT[1:], "-o", "nowhere/a.html"), "there is no folder nowhere"),
        ((*AUDIT[1:], "-o", "a.pdf"), "a.pdf: expected a name that ends with .html"),
        (("model.skops", "texts.csv", "--target", "churned"), "string to float: 'x'; column 'age' has that text"),
        ((*AUDIT[1:], "--cost", "missed yes 1"), "cost is 'missed yes 1', expected such as"),
        ((*AUDIT[1:], "--train", "none.csv"), "none.csv: no such file"),
        ((*AUDIT[1:], "--train", "short.csv"), "train: the table lacks column 'income' that the model was fitted on"),
    ],
)
def test_mistakes_are_one_line_and_end_with_two(quick, files, arguments, message):
    shown = quick("audit", *arguments)
    assert shown.returncode == 2, shown.stderr
    assert message in shown.stderr
    assert len(shown.stderr.strip().splitlines()) == 1


def test_a_model_of_another_version_is_told(quick, files):
    import sklearn

    state, now = (files / "model.joblib").read_bytes(), sklearn.__version__.encode()
    (files / "old.joblib").write_bytes(state.replace(now, b"0" * len(now)))
    answers = [
        json.loads(quick("audit", name, *AUDIT[2:], "--trust", "--json").stdout)
        for name in ("old.joblib", "model.joblib")
    ]
    old, new = (any("stored by scikit-learn 0" in note for note in answer["notes"]) for answer in answers)
    assert old
    assert not new
