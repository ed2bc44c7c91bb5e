"""``benchkit audit`` from files; conditions of --fail-if are judged by intervals; the page does what it says."""

import json
import pickle
import re
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression

import benchkit
from benchkit.journal.store import write_model
from benchkit_audit.estimates import Estimate
from benchkit_audit.measure import measure
from benchkit_audit.model import read_model
from benchkit_audit.report import judge_condition

N = 200


@pytest.fixture
def files(tmp_path):
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(N, 2)), columns=["age", "income"])
    y = np.where(X["age"] + 0.2 * random.normal(size=N) > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    write_model(tmp_path, "model", model)
    joblib.dump(model, tmp_path / "model.joblib")
    X.assign(churned=y).to_csv(tmp_path / "holdout.csv", index=False)
    X.assign(churned=y).to_parquet(tmp_path / "holdout.parquet")
    X.assign(age="x", churned=y).to_csv(tmp_path / "texts.csv", index=False)
    (tmp_path / "sources.yaml").write_text("both: [age, income]\n")
    (tmp_path / "outages.yaml").write_text("both: 0.02\n")
    rules = "def positive(rows):\n    return (rows['age'] > 0).map({True: 'yes', False: 'no'})\n"
    (tmp_path / "rules.py").write_text(rules)
    (tmp_path / "broken.joblib").write_bytes(pickle.dumps(model)[:40])
    (tmp_path / "text.joblib").write_text("garbage\n")
    return tmp_path


@pytest.fixture
def quick(here, monkeypatch):
    """Files and options are what most of these tests ask about, and no pairs, faults or slices."""
    parts = ("columns", "outages", "sets", "rows_attacked")
    monkeypatch.setattr("benchkit_audit.audit.measure", partial(measure, only=parts))
    return here


AUDIT = ("audit", "model.skops", "holdout.csv", "--target", "churned")


def test_every_file_gives_the_same_and_json_says_it_all_also_of_sources_and_outages(quick, files):
    both = ("holdout.csv", "holdout.parquet")
    first, second = (json.loads(quick(*AUDIT[:2], name, *AUDIT[3:], "--json").stdout) for name in both)
    assert first["summary"]["columns"] == second["summary"]["columns"]
    assert {each["code"] for each in first["rows"]} >= {"BK001", "BK002", "BK012"}
    assert first["summary"]["measures"]["column-loss"]["low"] > 0.2
    frame = pd.read_csv(files / "holdout.csv").rename(columns={"income": "Unnamed: 0"})
    frame.to_csv(files / "numbered.csv", index=False)
    joblib.dump(LogisticRegression().fit(frame[["age", "Unnamed: 0"]], frame["churned"]), files / "model.joblib")
    assert quick("audit", "model.joblib", "numbered.csv", *AUDIT[3:], "--trust").returncode == 0
    shown = quick(*AUDIT, "--sources", "sources.yaml", "--outages", "outages.yaml", "--json")
    report = json.loads(shown.stdout)["summary"]
    assert report["outages"][0]["rates"] == {"both": 0.02}
    assert [each["source"] for each in report["columns"]] == ["both"]


def test_it_writes_what_the_suffix_says(quick, files):
    begin = {"a.html": "<!doctype html>", "a.md": "# Audit of", "a.json": "{", "a.txt": "Audit of", "a.tex": "%"}
    shown = quick(*AUDIT, *(option for name in begin for option in ("-o", name)))
    assert shown.returncode == 0, shown.stderr
    assert f"written to {', '.join(begin)}" in " ".join(shown.stdout.split())
    for name, begins in begin.items():
        assert (files / name).read_text().startswith(begins)
    assert "default-src 'none'" in (files / "a.html").read_text()


def test_a_condition_that_holds_or_of_which_nothing_is_measured_ends_with_one(quick, files):
    shown = quick(*AUDIT, "--fail-if", "column-loss > 5 %", "--fail-if", "worst-1 > 0.9")
    assert shown.returncode == 1
    assert "fail if column-loss > 5 %: fails, column-loss is" in shown.stderr
    assert "fail if worst-1 > 0.9: passes" in shown.stderr
    assert quick(*AUDIT, "--fail-if", "column-loss > 0.9").returncode == 0
    loss = json.loads(quick(*AUDIT, "--json").stdout)["summary"]["before"]["value"]
    open_question = ("--fail-if", f"loss > {loss}")
    assert quick(*AUDIT, *open_question).returncode == 0
    assert quick(*AUDIT, *open_question, "--undecided", "fail").returncode == 1
    code = ("audit", "rules:positive", "holdout.csv", "--target", "churned")
    shown = quick(*code, "--fail-if", "row-worst-1 > 0.05", "--fail-if", "loss > 0.5", "--json")
    assert shown.returncode == 1
    assert "row-worst-1 > 0.05: not measured" in shown.stderr
    judged = json.loads(shown.stdout)["summary"]["fail_if"]
    assert [each["verdict"] for each in judged] == ["not measured", "does not hold"]
    assert judged[0]["measured"] is None
    assert judged[1]["measured"]["value"] < 0.5


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


NO_COMPARISONS = ("", "column-loss", "column-loss > much", "> 0.5", "column-loss > 0.5 > 0.6")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("model.joblib", "holdout.csv", "--target", "churned"), "unpickling can execute any code"),
        (("broken.joblib", "holdout.csv", "--target", "churned", "--trust"), "broken.joblib: cannot be read"),
        (("text.joblib", "holdout.csv", "--target", "churned", "--trust"), "it is no file of joblib or pickle"),
        (("none.skops", "holdout.csv", "--target", "churned"), "there is no model none.skops"),
        (("holdout.csv", "holdout.csv", "--target", "churned"), "expected a model as .skops, .joblib or .pkl"),
        (("rules:negative", "holdout.csv", "--target", "churned"), "rules:negative: module 'rules' has no attribute"),
        (("no_such:thing", "holdout.csv", "--target", "churned"), "there is no module 'no_such'"),
        (("model.skops", "holdout.csv", "--target", "income"), "'income' is a column that the model was fitted on"),
        (("model.skops", "holdout.csv", "--target", "churn"), "no column 'churn'; did you mean 'churned'?"),
        ((*AUDIT[1:], "--undecided", "perhaps"), "--undecided perhaps: expected pass or fail"),
        ((*AUDIT[1:], "--sources", "model.skops"), "not valid YAML"),
        ((*AUDIT[1:], "-o", "nowhere/a.html"), "there is no folder nowhere"),
        ((*AUDIT[1:], "-o", "a.pdf"), "a.pdf: expected a name that ends with .html"),
        (("model.skops", "texts.csv", "--target", "churned"), "string to float: 'x'; column 'age' has that text"),
        ((*AUDIT[1:], "--cost", "missed yes 1"), "cost is 'missed yes 1', expected such as"),
        ((*AUDIT[1:], "--train", "none.csv"), "none.csv: no such file"),
        ((*AUDIT[1:], "--fail-if", "colum-loss > 0.1"), "did you mean 'column-loss'"),
        *(((*AUDIT[1:], "--fail-if", text), f"--fail-if {text!r}: expected") for text in NO_COMPARISONS),
    ],
)
def test_mistakes_are_one_line_and_end_with_two(quick, files, arguments, message):
    shown = quick("audit", *arguments)
    assert shown.returncode == 2, shown.stderr
    assert message in shown.stderr
    assert len(shown.stderr.strip().splitlines()) == 1


def test_a_model_of_another_version_is_told(quick, files):
    state, now = (files / "model.joblib").read_bytes(), sklearn.__version__.encode()
    (files / "old.joblib").write_bytes(state.replace(now, b"0" * len(now)))
    names = ("old.joblib", "model.joblib")
    answers = [json.loads(quick("audit", name, *AUDIT[2:], "--trust", "--json").stdout) for name in names]
    old, new = (any("stored by scikit-learn 0" in note for note in answer["notes"]) for answer in answers)
    assert old
    assert not new


MEASURES = {"column-loss": Estimate(0.06, 0.04, 0.08, 100), "worst-2": Estimate(0.5, 0.45, 0.55, 100)}


@pytest.mark.parametrize(
    ("text", "failed", "decided"),
    [
        ("column-loss > 0.05", False, False),
        ("column-loss > 3 %", True, True),
        ("column-loss>=0.9", False, True),
        ("worst-2 > .4", True, True),
        ("worst-2 < 0.6", True, True),
        ("worst-2 < 0.5", False, False),
    ],
)
def test_only_what_the_interval_decides_fails(text, failed, decided):
    judged = judge_condition(text, MEASURES)
    assert (judged.failed, judged.verdict != "not decided") == (failed, decided)


def test_what_is_not_decided_fails_where_that_is_asked_for_and_what_was_not_measured_always():
    assert judge_condition("column-loss > 0.05", MEASURES, "fail").failed
    # Points are no shares: no loss of a share is above 1, so that such a limit would pass for ever.
    assert judge_condition("column-loss > 5", MEASURES, most=1.0).failed
    assert not judge_condition("column-loss > 5", MEASURES).failed
    assert not judge_condition("column-loss > 0.5", MEASURES, "fail").failed
    judged = judge_condition("row-worst-9 > 0", MEASURES)
    assert (judged.failed, judged.verdict) == (True, "not measured")


def test_every_number_of_an_audit_can_be_a_condition():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=list("abc"))
    report = benchkit.audit(lambda frame: frame.sum(axis=1) > 0, X, X["a"] > 0, outages={"a": 0.1})
    assert {"outage-loss", "gap-change", "pair-loss", "random-2"} <= report.measures.keys()
    for judged in report.judge(*(f"{name} > 1" for name in report.measures)):
        assert judged.verdict == "does not hold"


def test_the_program_gives_the_paragraph_of_the_page(tmp_path, monkeypatch, audit_parts):
    page = (Path(__file__).parents[3] / "docs" / "audit.md").read_text()
    monkeypatch.chdir(tmp_path)
    exec(compile(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[-1], "customers.py", "exec"), {})
    X = pd.read_csv("holdout.csv")
    given = read_model("model.skops")[0], X.drop(columns="leaves"), X["leaves"]
    report = benchkit.audit(*given, seconds=1e6)
    shown = report.to_text(95, details=False).partition("Curves:")[0].splitlines()[1:]
    assert "\n".join(line.rstrip() for line in shown) in page

    # What it says of outages, for which no more is asked than that.
    rates = {"score": 0.02, "months": 0.005, "region": 0.1}
    audited = audit_parts("columns outages", *given, outages=rates)
    assert re.search(r"At the given rates [^:;]*?\)", audited.paragraph).group() in " ".join(page.split())
    shown = str(audited).split("Outages: what they cost")[1].split("└")[0]
    assert all(line.rstrip() in page for line in shown.splitlines())
