"""Conditions of --fail-if are judged by intervals; the page of audits says what its program does."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchkit
from benchkit import RequestError
from benchkit_audit import audit
from benchkit_audit.estimates import Estimate
from benchkit_audit.measure import measure
from benchkit_audit.model import read_model
from benchkit_audit.report import judge_condition, read_condition

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
    verdict = "" if decided else "not decided, "
    assert f"{text}: {verdict}{'fails' if failed else 'passes'}, " in judged.text


def test_what_is_not_decided_fails_where_that_is_asked_for_and_what_was_not_measured_always():
    assert judge_condition("column-loss > 0.05", MEASURES, "fail").failed
    # Points are no shares: no loss of a share is above 1, so that such a limit would pass for ever.
    assert judge_condition("column-loss > 5", MEASURES, most=1.0).failed
    assert not judge_condition("column-loss > 5", MEASURES).failed
    assert not judge_condition("column-loss > 0.5", MEASURES, "fail").failed
    judged = judge_condition("row-worst-9 > 0", MEASURES)
    assert (judged.failed, judged.verdict) == (True, "not measured")
    assert "column-loss, worst-2" in judged.text


def test_every_number_of_an_audit_can_be_a_condition():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=list("abc"))

    def model(frame):
        right = 1 / (1 + np.exp(-frame.fillna(0.0).sum(axis=1)))
        return np.column_stack([1 - right, right])

    report = benchkit.audit(model, X, (X["a"] > 0).astype(int), outages={"a": 0.1})
    assert {"outage-loss", "gap-change", "pair-loss", "random-2"} <= report.measures.keys()
    for judged in report.judge(*(f"{name} > 1" for name in report.measures)):
        assert judged.verdict == "does not hold"


@pytest.mark.parametrize("text", ["", "column-loss", "column-loss > much", "> 0.5", "column-loss > 0.5 > 0.6"])
def test_what_is_no_comparison_is_told(text):
    with pytest.raises(RequestError, match="expected a comparison such as 'column-loss > 0.05'"):
        read_condition(text)
    with pytest.raises(RequestError, match="no 'colum-loss'; did you mean 'column-loss'"):
        read_condition("colum-loss > 0.1")


PAGE = (Path(__file__).parents[3] / "docs" / "audit.md").read_text()


def test_the_program_gives_the_paragraph_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[-1]
    exec(compile(program, "customers.py", "exec"), {})
    X = pd.read_csv("holdout.csv")
    report = benchkit.audit(read_model("model.skops")[0], X.drop(columns="leaves"), X["leaves"], seconds=1e6)
    shown = report.to_text(95, details=False).partition("Curves:")[0].splitlines()[1:]
    assert "\n".join(line.rstrip() for line in shown) in PAGE

    # What it says of outages, for which no more is asked than that.
    monkeypatch.setattr(audit, "measure", partial(measure, only=("columns", "outages")))
    rates = {"score": 0.02, "months": 0.005, "region": 0.1}
    audited = benchkit.audit(read_model("model.skops")[0], X.drop(columns="leaves"), X["leaves"], outages=rates)
    sentence = re.search(r"At the given rates [^:;]*?\)", audited.paragraph).group()
    assert sentence in " ".join(PAGE.split())
    shown = str(audited).split("Outages: what they cost")[1].split("└")[0]
    assert all(line.rstrip() in PAGE for line in shown.splitlines())
